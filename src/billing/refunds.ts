import { BillingError, refuse } from '../errors.ts';
import { formatMoney, toMinor } from '../money.ts';
import type { Refund, RefundOutcome } from '../payments/provider.ts';
import { providerNamed } from '../payments/providers.ts';
import type { Row } from '../db/schema.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';
import { findInvoice, type InvoiceRow } from './invoices.ts';
import { recordTry } from './payments.ts';

type PaymentRow = Row<'payments'>;

/** A refund that is on record and has yet to be made. */
export interface DueRefund {
  refund: Refund;
  payment: PaymentRow;
}

/**
 * Gives back what was paid for an invoice, or `amount` (major units) of it, to where it came from; never more than
 * was paid, however often it is asked. Errors: `invoice_not_found`, `invoice_not_paid`, `validation_failed`,
 * `amount_precision`, `payment_failed`, `unavailable` (the refund is on record then, and is made later).
 */
export async function refundInvoice(tenant: Tenant, id: string, amount?: number | null): Promise<InvoiceRow> {
  const due = await tenant.begin((unit) => beginRefund(unit, id, amount));
  const outcome = await makeRefund(tenant, due);
  if (!outcome)
    throw new BillingError('unavailable', [{ path: 'id', message: 'the provider was not reached' }], 5);
  if (outcome.status === 'declined') refuse('payment_failed', { path: 'id', message: outcome.reason });
  return findInvoice(tenant.read, id);
}

/** The refund is counted before it is made, so that two at once cannot give back more than was paid. */
async function beginRefund(unit: Unit, id: string, amount?: number | null): Promise<DueRefund> {
  const invoice = await findInvoice(unit, id);
  const charge = await chargeThatPaid(unit, invoice);
  if (!charge) return refuse('invoice_not_paid');
  const leftMinor = charge.amountMinor - invoice.refundedMinor;
  const amountMinor =
    amount === undefined || amount === null ? leftMinor : toMinor(amount, invoice.currency, 'amount');
  if (amountMinor <= 0n || amountMinor > leftMinor) {
    const most = formatMoney(leftMinor, invoice.currency);
    refuse('validation_failed', { path: 'amount', message: `must be more than 0 and at most ${most}` });
  }
  const counted = { refundedMinor: invoice.refundedMinor + amountMinor };
  await unit.change('invoices', invoice, counted, { action: 'refund_started' });
  return startRefund(unit, charge, amountMinor);
}

/** The first is what paid an invoice; what came after that was not owed. */
async function chargeThatPaid(unit: Unit, { id, status }: InvoiceRow): Promise<PaymentRow | undefined> {
  if (status !== 'paid') return undefined;
  const [first] = await unit.many('payments', {
    where: { invoiceId: id, kind: 'charge', status: 'succeeded' },
    orderBy: ['createdAt', 'id'],
    limit: 1,
  });
  return first;
}

/** Puts a refund of a charge on record; it is then to be made. */
export async function startRefund(unit: Unit, charge: PaymentRow, amountMinor: bigint): Promise<DueRefund> {
  const { id: chargeId, customerId, provider, currency, invoiceId, intentId } = charge;
  const of = { chargeId, customerId, provider, currency, invoiceId, intentId };
  const payment = await recordTry(unit, { kind: 'refund', status: 'pending', amountMinor, ...of }, chargeId);
  return dueRefundOf(payment, charge);
}

/** The refund to make of what is on record. */
export function dueRefundOf(payment: PaymentRow, charge: PaymentRow): DueRefund {
  const { id: idempotencyKey, amountMinor, currency } = payment;
  const chargeReference = charge.reference ?? charge.id;
  return { payment, refund: { idempotencyKey, chargeReference, amountMinor, currency } };
}

/** Makes a refund and keeps the outcome; answers undefined where the provider could not be reached. */
export async function makeRefund(
  tenant: Tenant,
  { refund, payment }: DueRefund,
): Promise<RefundOutcome | undefined> {
  const outcome = await reachForRefund(tenant, payment.provider, refund);
  if (outcome) await tenant.write((unit) => settleRefund(unit, payment.id, outcome.status));
  return outcome;
}

async function reachForRefund(tenant: Tenant, provider: string, refund: Refund) {
  try {
    return await providerNamed(tenant.payments, provider, tenant.record).refund(refund);
  } catch {
    // Nobody knows whether it was made: it stays pending, and is asked for again.
    return undefined;
  }
}

async function settleRefund(unit: Unit, paymentId: string, outcome: RefundOutcome['status']): Promise<void> {
  const payment = (await unit.one('payments', { id: paymentId }))!;
  if (payment.status !== 'pending') return;
  const status = outcome === 'succeeded' ? ('succeeded' as const) : ('failed' as const);
  await unit.change('payments', payment, { status }, { action: `refund_${status}` });
  if (status === 'succeeded' || payment.invoiceId === null) return;
  const invoice = await findInvoice(unit, payment.invoiceId);
  const isCounted = (await chargeThatPaid(unit, invoice))?.id === payment.chargeId;
  if (!isCounted) return;
  const uncounted = { refundedMinor: invoice.refundedMinor - payment.amountMinor };
  await unit.change('invoices', invoice, uncounted, { action: 'refund_failed', because: payment.id });
}
