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
import { renderCardForm, renderElsewhereButton, type OfferedMethod } from '../shared/cardForm.ts';
import { findDeclineText } from './declineTexts.ts';
import type { PaymentTerms } from './terms.ts';
import type { PayTranslator, TextKey } from './texts.ts';
import { renderTransfer, type Transfer } from './transfer.ts';

/** The data that every page of an intent shows. */
export interface View {
  translator: PayTranslator;
  intent: IntentRow;
  seller: string;
  /** The path of the intent's page. */
  path: string;
  token: string;
  /** The message about the last request. */
  notice?: Html;
  /** The field for a promotion code, if the page has one. */
  code?: CodeField;
  /** The form for the details of the invoice, if the payer may change them. */
  details?: DetailsForm;
}

const renderCode = ({ translator, path, token, code }: View) =>
  code && renderCodeForm(translator, path, renderToken(token), code);

const renderDetails = ({ translator, path, token, details }: View) =>
  details && renderDetailsForm(translator, path, renderToken(token), details);

const renderCancelForm = ({ translator, path, token }: View) =>
  html`<form method="post" action="${path}/cancel">
    ${renderToken(token)}
    <button class="quiet">${translator.say('cancel')}</button>
  </form> `;

const renderAbandonForm = ({ translator, path, token }: View) =>
  html`<form method="post" action="${path}/abandon">
    ${renderToken(token)}
    <button class="second">${translator.say('otherMethod')}</button>
  </form> `;

/** Renders a sentence about the product, or a name. */
const sayOfProduct = ({ translator, intent, seller }: View, key: TextKey): Html =>
  translator.say(key, { product: intent.productName, seller });

const renderLink = (href: string, label: Html) => html`<p><a class="button" href="${href}">${label}</a></p> `;

/** Builds a page of which title, notice and content are texts and parts. */
const buildTextPage = (view: View, title: TextKey, ...content: (Html | undefined)[]): PageContent => {
  const { translator, notice } = view;
  return buildPage(translator.write(title), notice, ...content);
};

/** What the page of a payment offers. */
export interface PayOptions {
  methods: OfferedMethod[];
  /** The method that was chosen before a decline. */
  chosen?: string;
  /** The path prefix of this server's public URL. */
  base: string;
  /** The amount to pay, in minor units. */
  dueMinor: bigint;
  firstName?: string;
  hasOtherMethods: boolean;
}

/** Renders the page of an intent that can be paid. */
export function renderPayPage(view: View, terms: PaymentTerms, options: PayOptions): PageContent {
  const { translator, intent } = view;
  const { say, write } = translator;
  const failed = intent.failureReason === null ? undefined : findDeclineText(intent.failureReason);
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
    ${renderCode(view)}${renderDetails(view)}${options.methods.length > 0 ? renderMethodForm(view, terms, options) : undefined}${terms.freeAction && renderTrialForm(view, terms.freeAction)}${options.hasOtherMethods ? html`<p class="small">${say('cardElsewhere')}</p> ` : undefined}${renderCancelForm(view)}`;
  return { title: write(terms.heading, { product: intent.productName }), content };
}

const renderNext = ({ translator }: View, { next }: PaymentTerms) =>
  next ? [{ label: translator.say('thenFrom', { date: next.from }), value: next.price }] : [];

function renderMethodForm(view: View, { action }: PaymentTerms, options: PayOptions): Html {
  const { methods, chosen, base, dueMinor: amountMinor } = options;
  const { currency } = view.intent;
  const { language } = view.translator;
  const byForm = methods.find(({ form }) => form);
  return html`<form method="post" action="${view.path}">
    ${renderToken(view.token)}
    <fieldset>
      <legend>${view.translator.say('howToPay')}</legend>
      ${methods.map((method, index) =>
        renderMethod(view, method, chosen === undefined ? index === 0 : method.id === chosen),
      )}
    </fieldset>
    ${byForm && renderCardForm(byForm, { base, amountMinor, currency, language })}
    <button>${action}</button>
    ${byForm && renderElsewhereButton(byForm, view.translator.say('payElsewhere'))}
  </form> `;
}

const renderTrialForm = (view: View, action: Html) =>
  html`<form method="post" action="${view.path}/trial">
    ${renderToken(view.token)}
    <button class="second">${action}</button>
  </form> `;

const renderMethod = ({ translator }: View, { id, texts }: OfferedMethod, isChosen: boolean) =>
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
      <span id="${id}-label">${texts[translator.language].label}</span>
      <small id="${id}-hint">${texts[translator.language].hint}</small>
    </span>
  </label> `;

/** Renders the page of an intent that cannot be paid at present; `why` is the reason. */
export const renderUnpayablePage = (view: View, why: TextKey): PageContent =>
  buildTextPage(
    view,
    'unpayable',
    html`<p>${sayOfProduct(view, why)}</p> `,
    renderCode(view),
    renderCancelForm(view),
  );

/** Renders the page of an intent whose payer must confirm the payment with the bank. */
export function renderActionPage(view: View): PageContent {
  const { intent, path, translator } = view;
  const { say } = translator;
  const toBank = isWebUrl(intent.actionUrl)
    ? html`<p>${sayOfProduct(view, 'bankAsks')}</p>
        ${renderLink(new URL(intent.actionUrl).href, say('goToBank'))}
        <p><a class="second button" href="${path}/return">${say('haveConfirmed')}</a></p> `
    : html`<p>${sayOfProduct(view, 'testBankAsks')}</p>
        ${renderLink(`${path}/return`, say('confirmNow'))}`;
  const content = buildTextPage(view, 'confirm', toBank, renderAbandonForm(view), renderCancelForm(view));
  return { ...content, tone: 'waiting' };
}

/** Renders the page of an intent whose payment is being processed, or is expected by bank transfer. */
export function renderProcessingPage(view: View, awaited?: Transfer): PageContent {
  const { intent, path, translator } = view;
  if (!awaited) {
    const page = buildTextPage(
      view,
      'processing',
      html`<p>${sayOfProduct(view, 'processingText')}</p> `,
      renderLink(`${path}/return`, translator.say('checkNow')),
    );
    return { ...page, tone: 'waiting' };
  }
  const start = intent.changesSubscriptionId ? 'changesWithTransfer' : 'startsWithTransfer';
  return buildTextPage(
    view,
    'awaiting',
    html`<p>${sayOfProduct(view, start)}</p> `,
    renderTransfer(translator, awaited),
    renderLink(buildRedirectUrl(intent.receiptUrl, intent), translator.say('continue')),
    renderDetails(view),
    renderCancelForm(view),
  );
}

/** Renders the page of a paid intent. */
export const renderPaidPage = (view: View): PageContent => ({
  ...buildTextPage(
    view,
    'paid',
    html`<p>${sayOfProduct(view, 'paidText')}</p> `,
    renderLink(buildRedirectUrl(view.intent.receiptUrl, view.intent), view.translator.say('continue')),
    renderDetails(view),
  ),
  tone: 'good',
});

/** Renders the page of a cancelled or expired intent. */
export function renderEndedPage(view: View): PageContent {
  const { intent, translator } = view;
  const isExpired = intent.status === 'expired';
  const page = buildTextPage(
    view,
    isExpired ? 'expired' : 'cancelled',
    html`<p>${sayOfProduct(view, isExpired ? 'expiredText' : 'cancelledText')}</p> `,
    intent.returnUrl === null
      ? undefined
      : renderLink(buildRedirectUrl(intent.returnUrl, intent), translator.say('goBack')),
  );
  return { ...page, tone: 'bad' };
}
