/** The invoices that a customer has not paid, each with how to pay it. */
import { canBePaid, isCollectedAlone, type InvoiceRow } from '../../billing/invoices/invoices.ts';
import { findMethodOf } from '../../billing/invoices/oneOffPayments.ts';
import type { PaymentMethodRow } from '../../billing/payments/paymentMethods.ts';
import { computeOwed } from '../../billing/payments/returns.ts';
import { html, type Html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import { manual } from '../../providers/manual.ts';
import { mayInPortal } from '../../access/portal/permissions.ts';
import type { Permission } from '../../tenancy/permissions.ts';
import { buildPaymentPath } from '../../tenancy/paymentLinks.ts';
import { checkoutTexts } from '../checkout/texts.ts';
import { renderTransfer } from '../checkout/transfer.ts';
import { renderToken } from '../shared/components.ts';
import { createTranslator } from '../../lib/texts.ts';
import { listAddable, nameMethod } from './methods.ts';
import { renderAction, writeFormToken, type CustomerVisit } from './visit.ts';

const mostShown = 20;

/** What a customer can do about an unpaid invoice. */
type Standing =
  /** A saved method can be charged. */
  | { kind: 'payable'; method: PaymentMethodRow }
  /** A charge is in progress: the provider, or the customer at their bank, has to finish it. */
  | { kind: 'under_way' }
  /** It is paid on the page of the order that it bills. */
  | { kind: 'checkout'; intentId: string }
  | { kind: 'transfer' }
  | { kind: 'no_method' }
  /** Nothing, until the seller has acted. */
  | { kind: 'blocked' };

/** Renders the unpaid invoices, oldest first; nothing if there are none. */
export async function renderUnpaid(visit: CustomerVisit): Promise<Html | undefined> {
  const { tenant, customer, texts } = visit;
  const rows = await tenant.read.many('invoices', {
    where: { customerId: customer.id, status: ['open', 'uncollectible'] },
    orderBy: ['createdAt', 'id'],
  });
  const unpaid = rows.filter((row) => canBePaid(row) && computeOwed(row) > 0n).slice(0, mostShown);
  if (unpaid.length === 0) return undefined;
  const canAdd = visit.settings.paymentMethods && (await listAddable(visit)).length > 0;
  const cards: Html[] = [];
  for (const invoice of unpaid)
    cards.push(renderCard(visit, invoice, await findStanding(visit, invoice), canAdd));
  return html`<section class="unpaid" aria-label="${texts.unpaid}">
    <h2>${texts.unpaid}</h2>
    ${cards}
  </section> `;
}

async function findStanding({ tenant }: CustomerVisit, invoice: InvoiceRow): Promise<Standing> {
  const { id, intentId, subscriptionId, chargeStartedAt } = invoice;
  if (chargeStartedAt !== null) return { kind: 'under_way' };
  if (isCollectedAlone(invoice)) return toStanding(await findMethodOf(tenant.read, invoice));
  const subscription =
    subscriptionId === null ? undefined : await tenant.read.one('subscriptions', { id: subscriptionId });
  if (subscription?.openInvoiceId !== id)
    return intentId === null ? { kind: 'blocked' } : { kind: 'checkout', intentId };
  const { parkedReason, changingIntentId, paymentMethodId } = subscription;
  if (parkedReason !== null || changingIntentId !== null) return { kind: 'blocked' };
  return toStanding(
    paymentMethodId === null ? undefined : await tenant.read.one('paymentMethods', { id: paymentMethodId }),
  );
}

function toStanding(method: PaymentMethodRow | undefined): Standing {
  if (method === undefined || method.removedAt !== null) return { kind: 'no_method' };
  return method.provider === manual.name ? { kind: 'transfer' } : { kind: 'payable', method };
}

function renderCard(visit: CustomerVisit, invoice: InvoiceRow, standing: Standing, canAdd: boolean): Html {
  const { texts, formats, tenant } = visit;
  const { dueAt, issuedAt, createdAt, documentNumber, number, currency } = invoice;
  const due = dueAt ?? issuedAt ?? createdAt;
  const isLate = due <= tenant.now();
  const dueText = fillText(isLate ? texts.dueSince : texts.dueOn, { day: formats.day(due) });
  return html`<section class="card">
    <div class="head">
      <h3><bdi>${visit.fill(texts.invoice, { number: documentNumber ?? `#${number}` })}</bdi></h3>
      <span class="amount"><bdi>${formats.money(computeOwed(invoice), currency)}</bdi></span>
    </div>
    <p class="${isLate ? 'late' : 'soft'}"><bdi>${dueText}</bdi></p>
    ${renderWay(visit, invoice, standing, canAdd)}
  </section> `;
}

/** Renders what the customer can do. */
function renderWay(
  visit: CustomerVisit,
  invoice: InvoiceRow,
  standing: Standing,
  canAdd: boolean,
): Html | undefined {
  const { texts, root } = visit;
  const may = (permission: Permission) => mayInPortal(visit.session, permission);
  const toMethods = (label: string, style?: 'second') =>
    canAdd ? renderLink(`${visit.base}/payment-methods`, label, style) : undefined;
  if (standing.kind === 'payable')
    return html`${may('manage_invoices') ? renderPay(visit, invoice, standing.method) : undefined}${toMethods(texts.fixPayment, 'second')}${invoice.dueAt === null || visit.tenant.record.bankAccount === null ? undefined : renderOtherAccount(visit, invoice)}`;
  if (standing.kind === 'under_way') return renderUnderWay(visit, invoice, may('manage_invoices'));
  if (standing.kind === 'checkout' && may('manage_subscriptions'))
    return html`<p>${texts.awaitsCheckout}</p>
      ${renderLink(root + buildPaymentPath(visit.tenant, standing.intentId), texts.toCheckout)}`;
  if (standing.kind === 'transfer' && visit.tenant.record.bankAccount !== null)
    return html`<p>${texts.awaitsTransfer}</p>
      ${renderAccount(visit, invoice)}${toMethods(texts.payByCard, 'second')}`;
  if (standing.kind === 'no_method' && canAdd)
    return html`<p>${texts.needsMethod}</p>
      ${toMethods(texts.addMethod)}`;
  return html`<p><bdi>${visit.fill(texts.askSeller, { seller: visit.brand.name })}</bdi></p> `;
}

const renderLink = (href: string, label: string, style?: 'second'): Html =>
  html`<p><a class="button${style && ` ${style}`}" href="${href}">${label}</a></p> `;

function renderUnderWay(visit: CustomerVisit, { id }: InvoiceRow, mayPay: boolean): Html {
  const { underWay, continuePayment, stopPayment } = visit.texts;
  if (!mayPay) return html`<p>${underWay}</p> `;
  return html`<p>${underWay}</p>
    ${renderAction(visit, `invoices/${id}/resume`, continuePayment)}
    ${renderAction(visit, `invoices/${id}/abandon`, stopPayment, { style: 'second' })}`;
}

/** Renders the button that charges a saved method; its form is valid for the amount shown, or less. */
function renderPay(visit: CustomerVisit, invoice: InvoiceRow, method: PaymentMethodRow): Html {
  const { texts, formats, base } = visit;
  const path = `invoices/${invoice.id}/pay`;
  const owedMinor = computeOwed(invoice);
  return html`<p class="soft">
      <bdi>${fillText(texts.willCharge, { method: nameMethod(visit, method) })}</bdi>
    </p>
    <form method="post" action="${base}/${path}">
      ${renderToken(writeFormToken(visit, path, owedMinor))}
      <button>${fillText(texts.payNow, { amount: formats.money(owedMinor, invoice.currency) })}</button>
    </form> `;
}

const renderOtherAccount = (visit: CustomerVisit, invoice: InvoiceRow): Html =>
  html`<details>
    <summary>${visit.texts.bankTransfer}</summary>
    ${renderAccount(visit, invoice)}
  </details> `;

/** Renders the account and the reference of a bank transfer. */
const renderAccount = ({ language, tenant, formats }: CustomerVisit, invoice: InvoiceRow): Html =>
  renderTransfer(
    { ...createTranslator(checkoutTexts, language, tenant.record.timezone), formats },
    { invoice: { ...invoice, totalMinor: computeOwed(invoice) }, tenant: tenant.record },
  );
