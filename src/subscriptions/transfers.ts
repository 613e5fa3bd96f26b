import * as z from 'zod';
import { grantCredit } from '../invoicing/credits.ts';
import { buildBalanceLine } from '../pricing/nextInvoice.ts';
import { findInvoice, type InvoiceLineRow, type InvoiceRow } from '../invoicing/invoices.ts';
import { markChargePending, recordAttempt } from '../invoicing/payments.ts';
import { buildPeriodLine, type Line } from '../pricing/invoiceLines.ts';
import { payRenewalInvoice } from '../renewals/payRenewalInvoice.ts';
import { parseInput, externalId } from '../lib/validation.ts';
import { refuse } from '../lib/errors.ts';
import { parseInstant } from '../lib/time.ts';
import { formatMoney, toMinor } from '../lib/money.ts';
import { manual } from '../providers/manual.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { recordPaymentOutcome } from './checkout.ts';

const moneyReceived = z.object({ reference: externalId });

/** Money that arrived by bank or cash. */
interface Received {
  /** The operator's own reference. */
  reference: string;
  /** ISO 8601; now unless given. */
  receivedAt?: string | null;
  /** Major units, to be compared with the invoice; its total unless given. */
  amount?: number | null;
}

/**
 * Records money that arrived by bank or cash for an open invoice: it is paid then, and what waited for it goes on. A
 * subscription that begins with it begins when the money was received. Errors: `invoice_not_found`,
 * `invoice_not_open`, `validation_failed` (also for another amount than the invoice's), `amount_precision`.
 */
export async function recordPayment(
  unit: UnitOfWork,
  invoiceId: string,
  { reference, receivedAt, amount }: Received,
): Promise<InvoiceRow> {
  parseInput(moneyReceived, { reference });
  const received = receivedAt ? parseInstant(receivedAt, unit.tenant.timezone, 'receivedAt') : unit.now;
  if (received > unit.now) refuse('validation_failed', { path: 'receivedAt', message: 'is in the future' });
  const invoice = await findInvoice(unit, invoiceId);
  if (invoice.status !== 'open')
    refuse('invoice_not_open', { path: 'invoiceId', message: `is ${invoice.status}` });
  refuseOtherAmount(invoice, amount);
  if (invoice.intentId) {
    await recordFirstTransfer(unit, invoice, invoice.intentId, { reference, received });
    return findInvoice(unit, invoiceId);
  }
  const payment = await recordAttempt(
    unit,
    {
      kind: 'charge',
      status: 'succeeded',
      customerId: invoice.customerId,
      provider: manual.name,
      amountMinor: invoice.totalMinor,
      currency: invoice.currency,
      invoiceId,
      reference,
      receivedAt: received,
    },
    invoiceId,
  );
  await markChargePending(unit, invoice);
  return payRenewalInvoice(unit, invoice, payment.id);
}

function refuseOtherAmount({ totalMinor, currency }: InvoiceRow, amount: number | null | undefined): void {
  if (amount === null || amount === undefined) return;
  if (toMinor(amount, currency, 'amount') === totalMinor) return;
  const total = formatMoney(totalMinor, currency);
  refuse('validation_failed', {
    path: 'amount',
    message: `must be ${total}, the invoice's total`,
  });
}

/** Settles the intent that waited for the money. */
async function recordFirstTransfer(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  intentId: string,
  { reference, received }: { reference: string; received: string },
): Promise<void> {
  const intent = await findIntent(unit, intentId, unit.now);
  const moved = await startWhenReceived(unit, intent, invoice, received);
  // Whoever was to take the money, it came to the operator: it is refunded, and asked for again, that way.
  const taken = await unit.change('intents', intent, { provider: manual.name, ...moved.start });
  const paid = {
    status: 'succeeded' as const,
    reference,
    methodReference: manual.name,
    receivedAt: received,
  };
  const settled = await recordPaymentOutcome(unit, taken, paid);
  if (settled && moved.creditMinor > 0n) await grantCredit(unit, moved.invoice, moved.creditMinor);
}

/** The first period after its move, and what it costs less than was paid. */
interface Moved {
  invoice: InvoiceRow;
  /** What makes the intent begin there. */
  start: Partial<Pick<IntentRow, 'paymentStartedAt' | 'startDate'>>;
  creditMinor: bigint;
}

/**
 * Moves the first period of an invoice to where the money was received, but never to before it was asked for. A part
 * of a cycle up to a fixed day is shorter then: what it costs less is left to the customer as credit. Where it would
 * cost more than was paid, because that day has passed, it stays where it is, as does a change of plan.
 */
async function startWhenReceived(
  unit: UnitOfWork,
  intent: IntentRow,
  invoice: InvoiceRow,
  received: string,
): Promise<Moved> {
  const unmoved = { invoice, start: {}, creditMinor: 0n };
  if (intent.changesSubscriptionId !== null || received <= intent.paymentStartedAt!) return unmoved;
  const lines = await unit.many('invoiceLines', { where: { invoiceId: invoice.id }, orderBy: ['id'] });
  const period = lines.find(({ kind }) => kind === 'CYCLE' || kind === 'STUB');
  if (!period) return unmoved;
  const { line } = buildPeriodLine(intent, intent.executionDate, received, unit.tenant.timezone);
  const creditMinor = period.amountMinor - line.amountMinor;
  if (creditMinor < 0n) return unmoved;
  await moveLines(unit, invoice, period, line);
  if (creditMinor > 0n) await addCreditLine(unit, invoice, line, creditMinor);
  const dates = { cycleStart: line.periodStart, cycleEnd: line.periodEnd };
  const moved = await unit.change('invoices', invoice, dates, { action: 'period_moved' });
  return { invoice: moved, start: { paymentStartedAt: received, startDate: null }, creditMinor };
}

async function moveLines(
  unit: UnitOfWork,
  { id: invoiceId }: InvoiceRow,
  period: InvoiceLineRow,
  { kind, description, amountMinor, periodStart, periodEnd, explanation }: Line,
): Promise<void> {
  await unit.updateUntraced('invoiceLines', { invoiceId }, { periodStart, periodEnd });
  const changes = { kind, description, amountMinor, explanation: { ...explanation } };
  await unit.updateUntraced('invoiceLines', { id: period.id }, changes);
}

async function addCreditLine(
  unit: UnitOfWork,
  { id: invoiceId, customerId }: InvoiceRow,
  of: Line,
  creditMinor: bigint,
): Promise<void> {
  const { explanation, ...line } = buildBalanceLine(of, creditMinor);
  await unit.insertUntraced('invoiceLines', {
    id: unit.id('line'),
    invoiceId,
    customerId,
    ...line,
    productName: of.description,
    explanation: { ...explanation },
    paidAt: null,
    creditedLineId: null,
    creditedMinor: null,
    refundedMinor: null,
  });
}
