import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import { renderCodeForm, type CodeField } from './code.ts';
import { renderDetailsForm, type DetailsForm } from './details.ts';
import { isWebUrl, buildRedirectUrl } from './addresses.ts';
import { html, type Html } from '../../lib/html.ts';
import {
  buildPage,
  renderNotice,
  renderSummary,
  renderToken,
  type PageContent,
} from '../shared/components.ts';
import type { Visit } from '../shared/visit.ts';
import { renderCardForm, renderElsewhereButton, type OfferedMethod } from '../shared/cardForm.ts';
import { findDeclineText } from './declineTexts.ts';
import type { PaymentTerms } from './terms.ts';
import type { CheckoutTexts, TextKey } from './texts.ts';
import { renderTransfer, type Transfer } from './transfer.ts';

/** A request to the pages of an intent. */
export interface PayVisit extends Visit<CheckoutTexts> {
  intentId: string;
}

/** The data that every page of an intent shows. */
export interface View {
  visit: PayVisit;
  intent: IntentRow;
  token: string;
  /** The message about the last request. */
  notice?: Html;
  /** The field for a promotion code, if the page has one. */
  code?: CodeField;
  /** The form for the details of the invoice, if the payer may change them. */
  details?: DetailsForm;
}

const renderCode = ({ visit, token, code }: View) =>
  code && renderCodeForm(visit, visit.base, renderToken(token), code);

const renderDetails = ({ visit, token, details }: View) =>
  details && renderDetailsForm(visit, visit.base, renderToken(token), details);

/** Renders the ways to leave: a link, after which the order can still be paid, and the end of the order, which is asked first. */
const renderLeaving = ({ visit, intent, token }: View) =>
  html`${
      intent.returnUrl === null
        ? undefined
        : html`<p class="leave">
            <a href="${buildRedirectUrl(intent.returnUrl, intent)}"
              >${visit.say('leave', { seller: visit.brand.name })}</a
            >
          </p> `
    }
    <details class="cancel">
      <summary>${visit.say('cancel')}</summary>
      <form method="post" action="${visit.base}/cancel">
        <p class="small">${visit.say('cancelLead')}</p>
        ${renderToken(token)}
        <button class="bad">${visit.say('cancelNow')}</button>
      </form>
    </details> `;

const renderAbandonForm = ({ visit, token }: View) =>
  html`<form method="post" action="${visit.base}/abandon">
    ${renderToken(token)}
    <button class="second">${visit.say('otherMethod')}</button>
  </form> `;

/** Renders a sentence about the product, or a name. */
const sayOfProduct = ({ visit, intent }: View, key: TextKey): Html =>
  visit.say(key, { product: intent.productName, seller: visit.brand.name });

const renderLink = (href: string, label: Html) => html`<p><a class="button" href="${href}">${label}</a></p> `;

/** Builds a page of which title, notice and content are texts and parts. */
const buildTextPage = (view: View, title: TextKey, ...content: (Html | undefined)[]): PageContent => {
  const { visit, notice } = view;
  return buildPage(visit.write(title), notice, ...content);
};

/** What the page of a payment offers. */
export interface PayOptions {
  methods: OfferedMethod[];
  /** The method that was chosen before a decline. */
  chosen?: string;
  /** The amount to pay, in minor units. */
  dueMinor: bigint;
  firstName?: string;
  hasOtherMethods: boolean;
}

/** Renders the page of an intent that can be paid. */
export function renderPayPage(view: View, terms: PaymentTerms, options: PayOptions): PageContent {
  const { visit, intent } = view;
  const { say, write } = visit;
  const failed = intent.failureReason === null ? undefined : findDeclineText(intent.declineCode);
  const notice = view.notice ?? (failed && say(failed));
  const { firstName } = options;
  const content = html`<header class="offer">
      ${firstName && html`<p class="greeting">${say('hello', { name: firstName })}</p> `}
      <h1>${sayOfProduct(view, terms.heading)}</h1>
      <p class="price">${terms.price}</p>
      ${terms.sentences.map((sentence) => html`<p>${sentence}</p> `)}
    </header>
    ${renderNotice(notice)}
    <section aria-label="${write('summary')}">
      ${renderSummary([
        ...terms.rows,
        { label: say('dueToday'), value: terms.due, emphasis: 'total' as const },
        ...renderNext(view, terms),
      ])}
      ${terms.isProrated ? html`<p class="small">${say('amountsNow')}</p> ` : undefined}
    </section>
    ${renderCode(view)}${renderDetails(view)}${options.methods.length > 0 ? renderMethodForm(view, terms, options) : undefined}${terms.freeAction && renderTrialForm(view, terms.freeAction)}${options.hasOtherMethods ? html`<p class="small">${say('cardElsewhere')}</p> ` : undefined}${renderLeaving(view)}`;
  return { title: write(terms.heading, { product: intent.productName }), content };
}

const renderNext = ({ visit }: View, { next }: PaymentTerms) =>
  next ? [{ label: visit.say('thenFrom', { date: next.from }), value: next.price }] : [];

function renderMethodForm(view: View, { action }: PaymentTerms, options: PayOptions): Html {
  const { methods, chosen, dueMinor: amountMinor } = options;
  const { currency } = view.intent;
  const { language, root: base } = view.visit;
  const byForm = methods.find(({ form }) => form);
  return html`<form method="post" action="${view.visit.base}">
    ${renderToken(view.token)}
    <fieldset>
      <legend>${view.visit.say('howToPay')}</legend>
      ${methods.map((method, index) =>
        renderMethod(view, method, chosen === undefined ? index === 0 : method.id === chosen),
      )}
    </fieldset>
    ${byForm && renderCardForm(byForm, { base, amountMinor, currency, language })}
    <button>${action}</button>
    ${byForm && renderElsewhereButton(byForm, view.visit.say('payElsewhere'))}
  </form> `;
}

const renderTrialForm = (view: View, action: Html) =>
  html`<form method="post" action="${view.visit.base}/trial">
    ${renderToken(view.token)}
    <button class="second">${action}</button>
  </form> `;

const renderMethod = ({ visit }: View, { id, texts }: OfferedMethod, isChosen: boolean) =>
  html`<label class="method">
    <input
      type="radio"
      name="method"
      value="${id}"
      aria-labelledby="${id}-label"
      aria-describedby="${id}-hint"
      required
      ${isChosen ? html`checked` : undefined}
    />
    <span>
      <span id="${id}-label">${texts[visit.language].label}</span>
      <small id="${id}-hint">${texts[visit.language].hint}</small>
    </span>
  </label> `;

/** Renders the page of an intent that cannot be paid at present; `why` is the reason. */
export const renderUnpayablePage = (view: View, why: TextKey): PageContent =>
  buildTextPage(
    view,
    'unpayable',
    html`<p>${sayOfProduct(view, why)}</p> `,
    renderCode(view),
    renderLeaving(view),
  );

/** Renders the page of an intent whose payer must confirm the payment with the bank. */
export function renderActionPage(view: View): PageContent {
  const { intent, visit } = view;
  const { say, base } = visit;
  const toBank = isWebUrl(intent.actionUrl)
    ? html`<p>${sayOfProduct(view, 'bankAsks')}</p>
        ${renderLink(new URL(intent.actionUrl).href, say('goToBank'))}
        <p><a class="second button" href="${base}/return">${say('haveConfirmed')}</a></p> `
    : html`<p>${sayOfProduct(view, 'testBankAsks')}</p>
        ${renderLink(`${base}/return`, say('confirmNow'))}`;
  const content = buildTextPage(view, 'confirm', toBank, renderAbandonForm(view), renderLeaving(view));
  return { ...content, tone: 'waiting' };
}

/** Renders the page of an intent whose payment is being processed, or is expected by bank transfer. */
export function renderProcessingPage(view: View, awaited?: Transfer): PageContent {
  const { intent, visit } = view;
  if (!awaited) {
    const page = buildTextPage(
      view,
      'processing',
      html`<p>${sayOfProduct(view, 'processingText')}</p> `,
      renderLink(`${visit.base}/return`, visit.say('checkNow')),
    );
    return { ...page, tone: 'waiting' };
  }
  const start = intent.changesSubscriptionId ? 'changesWithTransfer' : 'startsWithTransfer';
  return buildTextPage(
    view,
    'awaiting',
    html`<p>${sayOfProduct(view, start)}</p> `,
    renderTransfer(visit, awaited),
    renderLink(buildRedirectUrl(intent.receiptUrl, intent), visit.say('continue')),
    renderDetails(view),
    renderLeaving(view),
  );
}

/** Renders the page of a paid intent. */
export const renderPaidPage = (view: View): PageContent => ({
  ...buildTextPage(
    view,
    'paid',
    html`<p>${sayOfProduct(view, 'paidText')}</p> `,
    renderLink(buildRedirectUrl(view.intent.receiptUrl, view.intent), view.visit.say('continue')),
    renderDetails(view),
  ),
  tone: 'good',
});

/** Renders the page of a cancelled or expired intent. */
export function renderEndedPage(view: View): PageContent {
  const { intent, visit } = view;
  const isExpired = intent.status === 'expired';
  const page = buildTextPage(
    view,
    isExpired ? 'expired' : 'cancelled',
    html`<p>${sayOfProduct(view, isExpired ? 'expiredText' : 'cancelledText')}</p> `,
    intent.returnUrl === null
      ? undefined
      : renderLink(buildRedirectUrl(intent.returnUrl, intent), visit.say('goBack')),
  );
  return { ...page, tone: 'bad' };
}
