import { BillingError, refuse } from '../lib/errors.ts';
import { formatMoney, toMinor } from '../lib/money.ts';
import type { Refund, RefundOutcome } from '../providers/provider.ts';
import { providerNamed } from '../providers/registry.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { returnCredits } from './credits.ts';
import { countRefund, computePaid, computeRefundable, uncountRefund } from './returns.ts';
import { findInvoice, type InvoiceLineRow, type InvoiceRow } from './invoices.ts';
import { recordAttempt } from './payments.ts';

type PaymentRow = Row<'payments'>;

/** A refund that is on record and has yet to be made. */
export interface DueRefund {
  refund: Refund;
  payment: PaymentRow;
}

/**
 * Gives back what was paid for an invoice, or `amount` (major units) of it: money first, to where it came from, and what
 * the customer's balance paid to the balance. Never more than was paid, however often it is asked, and never what a
 * plan change has credited. Errors: `invoice_not_found`, `invoice_not_paid`, `validation_failed`, `amount_precision`,
 * `refund_too_large`, `payment_failed`, `unavailable` (the refund is on record then, and is made later).
 */
export async function refundInvoice(
  tenant: SteppedTenant,
  id: string,
  amount?: number | null,
): Promise<InvoiceRow> {
  const { value: due } = await tenant.checkpoint((unit) => beginRefund(unit, id, amount));
  if (!due) return findInvoice(tenant.read, id);
  const outcome = await makeRefund(tenant, due);
  if (!outcome)
    throw new BillingError(
      'unavailable',
      [{ path: 'id', message: 'the payment provider could not be reached' }],
      5,
    );
  if (outcome.status === 'declined') refuse('payment_failed', { path: 'id', message: outcome.reason });
  return findInvoice(tenant.read, id);
}

/**
 * Counts the refund before it is made, so that two at once cannot give back more than was paid. What goes to the
 * balance alone is given back here, and nothing is left to do.
 */
async function beginRefund(
  unit: UnitOfWork,
  id: string,
  amount?: number | null,
): Promise<DueRefund | undefined> {
  const invoice = await findInvoice(unit, id);
  const lines = await unit.many('invoiceLines', { where: { invoiceId: id }, orderBy: ['id'] });
  if (computePaid(invoice, lines) === 0n) return refuse('invoice_not_paid');
  const amountMinor = computeRefundAmount(invoice, lines, amount);
  const counted = { refundedMinor: invoice.refundedMinor + amountMinor };
  await countRefund(unit, lines, amountMinor);
  const charge = await findPaidCharge(unit, invoice);
  const moneyLeftMinor = charge ? await computeMoneyLeft(unit, invoice, charge) : 0n;
  const moneyMinor = amountMinor < moneyLeftMinor ? amountMinor : moneyLeftMinor;
  if (!charge || moneyMinor === 0n) {
    await unit.change('invoices', invoice, counted, { action: 'refunded_to_balance' });
    await returnCredits(unit, invoice, amountMinor);
    return undefined;
  }
  await unit.change('invoices', invoice, counted, { action: 'refund_started' });
  return startRefund(unit, charge, moneyMinor, amountMinor - moneyMinor);
}

function computeRefundAmount(invoice: InvoiceRow, lines: InvoiceLineRow[], amount?: number | null): bigint {
  const { currency, refundedMinor } = invoice;
  const leftMinor = computeRefundable(invoice, lines);
  const isNamed = amount !== undefined && amount !== null;
  const amountMinor = isNamed ? toMinor(amount, currency, 'amount') : leftMinor;
  if (isNamed && amountMinor === 0n)
    refuse('validation_failed', { path: 'amount', message: 'must be more than 0' });
  if (amountMinor > 0n && amountMinor <= leftMinor) return amountMinor;
  const creditedMinor = lines.reduce((sum, line) => sum + (line.creditedMinor ?? 0n), 0n);
  const tell = (minor: bigint) => formatMoney(minor, currency);
  return refuse('refund_too_large', {
    path: 'amount',
    message: `at most ${tell(leftMinor)} is left: ${tell(refundedMinor)} was refunded, ${tell(creditedMinor)} credited`,
  });
}

/** What of the money that paid an invoice has not been given back, in minor units. */
async function computeMoneyLeft(
  unit: UnitOfWork,
  { id: invoiceId }: InvoiceRow,
  charge: PaymentRow,
): Promise<bigint> {
  const refunds = await unit.many('payments', {
    where: { invoiceId, kind: 'refund', status: ['pending', 'succeeded'] },
  });
  return refunds
    .filter(({ chargeId }) => chargeId === charge.id)
    .reduce((left, { amountMinor }) => left - amountMinor, charge.amountMinor);
}

/** The first is what paid an invoice; what came after that was not owed. */
async function findPaidCharge(unit: UnitOfWork, { id, status }: InvoiceRow): Promise<PaymentRow | undefined> {
  if (status !== 'paid') return undefined;
  const [first] = await unit.many('payments', {
    where: { invoiceId: id, kind: 'charge', status: 'succeeded' },
    orderBy: ['createdAt', 'id'],
    limit: 1,
  });
  return first;
}

/** Puts a refund of a charge on record, which is then to be made; `toBalanceMinor` goes to the balance with it. */
export async function startRefund(
  unit: UnitOfWork,
  charge: PaymentRow,
  amountMinor: bigint,
  toBalanceMinor = 0n,
): Promise<DueRefund> {
  const { id: chargeId, customerId, provider, currency, invoiceId, intentId } = charge;
  const of = { chargeId, customerId, provider, currency, invoiceId, intentId };
  const toBalance = toBalanceMinor > 0n ? { toBalanceMinor } : {};
  const refund = { kind: 'refund' as const, status: 'pending' as const, amountMinor, ...toBalance };
  const payment = await recordAttempt(unit, { ...refund, ...of }, chargeId);
  return toDueRefund(payment, charge);
}

/** The refund to make of what is on record. */
export function toDueRefund(payment: PaymentRow, charge: PaymentRow): DueRefund {
  const { id: idempotencyKey, tenantAlias, amountMinor, currency } = payment;
  const chargeReference = charge.reference ?? charge.id;
  return { payment, refund: { idempotencyKey, tenantAlias, chargeReference, amountMinor, currency } };
}

/** Makes a refund and records the outcome; undefined where the provider could not be reached. */
export async function makeRefund(
  tenant: SteppedTenant,
  { refund, payment }: DueRefund,
): Promise<RefundOutcome | undefined> {
  const outcome = await requestRefund(tenant, payment.provider, refund);
  if (outcome) await tenant.writeStep((unit) => recordRefundOutcome(unit, payment.id, outcome));
  return outcome;
}

async function requestRefund(tenant: SteppedTenant, provider: string, refund: Refund) {
  try {
    return await providerNamed(tenant.payments, provider, tenant.record).refund(refund);
  } catch {
    // Nobody knows whether it was made: it stays pending, and is asked for again.
    return undefined;
  }
}

/**
 * Records the outcome of a refund. One that the provider has still to pay out stays pending. A refund that fails, also
 * after it was reported as made, may be refunded again. An outcome that is recorded
 * already, or of a payment that does not exist, changes nothing.
 */
export async function recordRefundOutcome(
  unit: UnitOfWork,
  paymentId: string,
  outcome: RefundOutcome,
): Promise<void> {
  const payment = await unit.one('payments', { id: paymentId, kind: 'refund' });
  if (!payment || outcome.status === 'pending') return;
  if (outcome.status === 'declined') return recordFailedRefund(unit, payment);
  if (payment.status !== 'pending') return;
  await unit.change('payments', payment, { status: 'succeeded' }, { action: 'refund_succeeded' });
  if (payment.invoiceId === null || !payment.toBalanceMinor) return;
  await returnCredits(unit, await findInvoice(unit, payment.invoiceId), payment.toBalanceMinor);
}

async function recordFailedRefund(unit: UnitOfWork, payment: PaymentRow): Promise<void> {
  if (payment.status === 'failed') return;
  await unit.change('payments', payment, { status: 'failed' }, { action: 'refund_failed' });
  if (payment.invoiceId === null) return;
  const invoice = await findInvoice(unit, payment.invoiceId);
  const isCounted = (await findPaidCharge(unit, invoice))?.id === payment.chargeId;
  if (!isCounted) return;
  // What a refund gave to the balance stays there; it was given when the provider reported the refund as made.
  const unreturnedMinor = payment.status === 'pending' ? (payment.toBalanceMinor ?? 0n) : 0n;
  const failedMinor = payment.amountMinor + unreturnedMinor;
  const lines = await unit.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] });
  await uncountRefund(unit, lines, failedMinor);
  const uncounted = { refundedMinor: invoice.refundedMinor - failedMinor };
  await unit.change('invoices', invoice, uncounted, { action: 'refund_failed', causedBy: payment.id });
}
