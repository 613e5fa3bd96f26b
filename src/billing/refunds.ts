import { refuse } from '../errors.ts';
import { formatMoney, toMinor } from '../money.ts';
import type { Refund } from '../payments/provider.ts';
import { providerNamed } from '../payments/providers.ts';
import type { Row } from '../db/schema.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';
import { findInvoice, type InvoiceRow } from './invoices.ts';
import { recordTry } from './payments.ts';

type PaymentRow = Row<'payments'>;

interface DueRefund {
  refund: Refund;
  payment: PaymentRow;
}

/**
 * Gives back what was paid for an invoice, or `amount` (major units) of it, to where it came from; never more than
 * was paid, however often it is asked. Errors: `invoice_not_found`, `invoice_not_paid`, `validation_failed`,
 * `amount_precision`, `payment_failed`.
 */
export async function refundInvoice(tenant: Tenant, id: string, amount?: number | null): Promise<InvoiceRow> {
  const due = await tenant.write((unit) => beginRefund(unit, id, amount));
  const outcome = await providerNamed(tenant.payments, due.payment.provider).refund(due.refund);
  const invoice = await tenant.write((unit) => settleRefund(unit, due.payment.id, outcome.status));
  if (outcome.status === 'declined') refuse('payment_failed', { path: 'id', message: outcome.reason });
  return invoice;
}

/** The refund is counted before it is made, so that two at once cannot give back more than was paid. */
async function beginRefund(unit: Unit, id: string, amount?: number | null): Promise<DueRefund> {
  const invoice = await findInvoice(unit, id);
  const charge = await unit.one('payments', { invoiceId: id, kind: 'charge', status: 'succeeded' });
  if (invoice.status !== 'paid' || !charge) return refuse('invoice_not_paid');
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

async function startRefund(unit: Unit, charge: PaymentRow, amountMinor: bigint): Promise<DueRefund> {
  const { customerId, provider, currency, invoiceId, intentId } = charge;
  const payment = await recordTry(
    unit,
    { kind: 'refund', status: 'pending', customerId, provider, amountMinor, currency, invoiceId, intentId },
    charge.id,
  );
  const chargeReference = charge.reference ?? charge.id;
  return { payment, refund: { idempotencyKey: payment.id, chargeReference, amountMinor, currency } };
}

async function settleRefund(
  unit: Unit,
  paymentId: string,
  status: 'succeeded' | 'declined',
): Promise<InvoiceRow> {
  const payment = (await unit.one('payments', { id: paymentId }))!;
  const invoice = await findInvoice(unit, payment.invoiceId!);
  if (payment.status !== 'pending') return invoice;
  const settled = status === 'succeeded' ? ('succeeded' as const) : ('failed' as const);
  await unit.change('payments', payment, { status: settled }, { action: `refund_${settled}` });
  if (settled === 'succeeded') return invoice;
  const uncounted = { refundedMinor: invoice.refundedMinor - payment.amountMinor };
  return unit.change('invoices', invoice, uncounted, { action: 'refund_failed', because: payment.id });
}

/** Gives back a charge that arrived for an invoice which nobody owed any more. */
export async function refundPayment(tenant: Tenant, paymentId: string): Promise<void> {
  const due = await tenant.write(async (unit) => {
    const charge = (await unit.one('payments', { id: paymentId }))!;
    return startRefund(unit, charge, charge.amountMinor);
  });
  const outcome = await providerNamed(tenant.payments, due.payment.provider).refund(due.refund);
  const status = outcome.status === 'succeeded' ? ('succeeded' as const) : ('failed' as const);
  await tenant.write((unit) =>
    unit.change('payments', due.payment, { status }, { action: `refund_${status}` }),
  );
}
