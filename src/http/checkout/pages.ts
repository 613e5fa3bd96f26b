import type { IntentRow } from '../../subscriptions/intents.ts';
import { renderCodeForm, type CodeField } from './code.ts';
import { renderDetailsForm, type DetailsForm } from './details.ts';
import { isWebUrl, buildRedirectUrl } from './addresses.ts';
import { html } from '../../lib/html.ts';
import {
  buildPage,
  renderNotice,
  renderSummary,
  renderToken,
  type PageContent,
} from '../pages/components.ts';
import type { Method } from './methods.ts';
import type { PaymentTerms } from './terms.ts';
import { renderTransfer, type Transfer } from './transfer.ts';

/** The data that every page of an intent shows. */
export interface View {
  intent: IntentRow;
  seller: string;
  /** The path of the intent's page. */
  path: string;
  token: string;
  /** The error message of the last request. */
  notice?: string;
  /** The field for a promotion code, if the page has one. */
  code?: CodeField;
  /** The form for the details of the invoice, if the payer may change them. */
  details?: DetailsForm;
}

const renderCode = (view: View) => view.code && renderCodeForm(view.path, renderToken(view.token), view.code);

const renderDetails = (view: View) =>
  view.details && renderDetailsForm(view.path, renderToken(view.token), view.details);

const renderCancelForm = (view: View) =>
  html`<form method="post" action="${view.path}/cancel">
    ${renderToken(view.token)}
    <button class="quiet">Cancel and go back</button>
  </form> `;

const renderName = ({ intent }: View) => html`<bdi>${intent.productName}</bdi>`;

/** Renders the page of an intent that can be paid. */
export function renderPayPage(
  view: View,
  terms: PaymentTerms,
  methods: Method[],
  { firstName, hasOtherMethods }: { firstName?: string; hasOtherMethods: boolean },
): PageContent {
  const { intent, notice } = view;
  const failed =
    intent.failureReason === null
      ? undefined
      : 'The payment was declined and you were not charged. Choose a method and try again.';
  const content = html`${firstName && html`<p class="greeting">Hello <bdi>${firstName}</bdi>, you are about to ${terms.purpose}</p> `}
    <h1>${renderName(view)}</h1>
    <p class="schedule">${terms.schedule}</p>
    ${renderNotice(notice ?? failed)}
    ${renderSummary([
      ...terms.parts.map(({ label, amount }) => ({ label, value: amount })),
      { label: 'Charged now', value: terms.charge, isTotal: true },
      ...(terms.next === undefined ? [] : [{ label: 'Next charge', value: terms.next }]),
    ])}
    ${renderCode(view)}${renderDetails(view)}${methods.length > 0 ? renderMethodForm(view, terms, methods) : undefined}${terms.freeAction && renderTrialForm(view, terms.freeAction)}${renderCancelForm(view)}${terms.parts.length > 0 ? html`<p class="small">The amounts are calculated for the time of your payment.</p> ` : undefined}${hasOtherMethods ? html`<p class="small">To pay by card, return to the site that sent you here.</p> ` : undefined}`;
  return { title: intent.productName, content };
}

const renderMethodForm = (view: View, { action }: PaymentTerms, methods: Method[]) =>
  html`<form method="post" action="${view.path}">
    ${renderToken(view.token)}
    <fieldset>
      <legend>How do you want to pay?</legend>
      ${methods.map((method, index) => renderMethod(method, index === 0))}
    </fieldset>
    <button>${action}</button>
  </form> `;

const renderTrialForm = (view: View, action: string) =>
  html`<form method="post" action="${view.path}/trial">
    ${renderToken(view.token)}
    <button class="quiet">${action}</button>
  </form> `;

const renderMethod = ({ id, label, hint }: Method, isChosen: boolean) =>
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
    <span><span id="${id}-label">${label}</span> <small id="${id}-hint">${hint}</small></span>
  </label> `;

/** Renders the page of an intent that cannot be paid at present; `why` is the reason. */
export function renderUnpayablePage(view: View, why: string): PageContent {
  return buildPage(
    'This payment is not possible now',
    view.notice,
    html`<p>${renderName(view)}: ${why}</p>
      ${renderCode(view)}`,
    renderCancelForm(view),
  );
}

/** Renders the page of an intent whose payer must confirm the payment with the bank. */
export function renderActionPage(view: View): PageContent {
  const { intent, notice, path } = view;
  const toBank = isWebUrl(intent.actionUrl)
    ? html`<p>Your bank asks you to confirm the payment for ${renderName(view)}.</p>
        <p><a class="button" href="${new URL(intent.actionUrl).href}">Go to your bank</a></p>
        <p><a href="${path}/return">I have confirmed</a></p> `
    : html`<p>In this test your bank would ask you to confirm the payment for ${renderName(view)}.</p>
        <p><a class="button" href="${path}/return">Confirm</a></p> `;
  return buildPage('Confirm the payment', notice, toBank, renderCancelForm(view));
}

/** Renders the page of an intent whose payment is being processed, or is expected by bank transfer. */
export function renderProcessingPage(view: View, awaited?: Transfer): PageContent {
  const { intent, notice, path } = view;
  if (!awaited) {
    return buildPage(
      'Your payment is being processed',
      notice,
      html`<p>The payment for ${renderName(view)} is being processed. This page refreshes automatically.</p>
        <p><a class="button" href="${path}/return">Check now</a></p> `,
    );
  }
  return buildPage(
    'Waiting for your transfer',
    notice,
    renderTransfer(view, awaited),
    html`<p><a class="button" href="${buildRedirectUrl(intent.receiptUrl, intent)}">Continue</a></p>
      ${renderDetails(view)}`,
    renderCancelForm(view),
  );
}

/** Renders the page of a paid intent. */
export function renderPaidPage(view: View): PageContent {
  const { intent, notice } = view;
  return buildPage(
    'All done',
    notice,
    html`<p>Your subscription to <bdi>${intent.productName}</bdi> is paid. There is nothing else to do.</p>
      <p><a class="button" href="${buildRedirectUrl(intent.receiptUrl, intent)}">Continue</a></p>
      ${renderDetails(view)}`,
  );
}

/** Renders the page of a cancelled or expired intent. */
export function renderEndedPage({ intent, notice }: View): PageContent {
  const isExpired = intent.status === 'expired';
  const why = isExpired ? 'was not paid in time' : 'was cancelled';
  return buildPage(
    isExpired ? 'This offer has expired' : 'This payment was cancelled',
    notice,
    html`<p>The subscription to <bdi>${intent.productName}</bdi> ${why} and can no longer be paid here.</p> `,
    intent.returnUrl === null
      ? html``
      : html`<p><a class="button" href="${buildRedirectUrl(intent.returnUrl, intent)}">Go back</a></p> `,
  );
}

/** Renders an error page without an intent. */
export function renderProblemPage(title: string, message: string): PageContent {
  return buildPage(title, undefined, html`<p>${message}</p> `);
}
