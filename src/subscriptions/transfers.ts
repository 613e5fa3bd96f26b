import * as z from 'zod';
import { grantCredit } from '../invoicing/credits.ts';
import { buildBalanceLine } from '../pricing/nextInvoice.ts';
import {
  findInvoice,
  canBePaid,
  listInvoiceLines,
  type InvoiceLineRow,
  type InvoiceRow,
} from '../invoicing/invoices.ts';
import { freezeMovedDocument } from '../invoicing/documentRecords.ts';
import { markChargePending, recordAttempt } from '../invoicing/payments.ts';
import { computeOwed } from '../invoicing/returns.ts';
import { sumLines, type Line } from '../pricing/invoiceLines.ts';
import { summarizeTaxes } from '../pricing/tax.ts';
import { payOpenInvoice } from '../renewals/payRenewalInvoice.ts';
import { parseInput, externalId } from '../lib/validation.ts';
import { buildFirstBill } from './firstBill.ts';
import { refuse } from '../lib/errors.ts';
import { parseInstant } from '../lib/time.ts';
import { formatMoney, toMinor } from '../lib/money.ts';
import { manual } from '../providers/manual.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { recordPaymentOutcome } from './checkout.ts';

const moneyReceived = z.object({ reference: externalId });

/** A received bank transfer or cash payment. */
interface Received {
  /** The operator's own reference. */
  reference: string;
  /** An ISO 8601 date or instant. Default: now. */
  receivedAt?: string | null;
  /** In major units; verified against the invoice if given. */
  amount?: number | null;
}

/**
 * Records a bank transfer or cash payment for an open invoice: the invoice is paid, and its subscription starts or
 * continues. A subscription started by the payment starts when the money was received. Errors: `invoice_not_found`,
 * `invoice_not_open`, `validation_failed` (also if the amount differs from the invoice's total), `amount_precision`.
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
  if (!canBePaid(invoice)) refuse('invoice_not_open', { path: 'invoiceId', message: `is ${invoice.status}` });
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
      amountMinor: computeOwed(invoice),
      currency: invoice.currency,
      invoiceId,
      reference,
      receivedAt: received,
    },
    invoiceId,
  );
  await markChargePending(unit, invoice);
  return payOpenInvoice(unit, invoice, payment.id);
}

function refuseOtherAmount(invoice: InvoiceRow, amount: number | null | undefined): void {
  if (amount === null || amount === undefined) return;
  const owedMinor = computeOwed(invoice);
  if (toMinor(amount, invoice.currency, 'amount') === owedMinor) return;
  const message = `must be ${formatMoney(owedMinor, invoice.currency)}, what the invoice asks for`;
  refuse('validation_failed', { path: 'amount', message });
}

/** Completes the intent that waited for the payment. */
async function recordFirstTransfer(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  intentId: string,
  { reference, received }: { reference: string; received: string },
): Promise<void> {
  const intent = await findIntent(unit, intentId, unit.now);
  const moved = await startWhenReceived(unit, intent, invoice, received);
  // The operator received the money, whichever provider was asked before, so refunds and later charges are manual too.
  const changed = await unit.change('intents', intent, { provider: manual.name, ...moved.start });
  const paid = {
    status: 'succeeded' as const,
    reference,
    methodReference: manual.name,
    receivedAt: received,
  };
  const recorded = await recordPaymentOutcome(unit, changed, paid);
  if (recorded && moved.creditMinor > 0n) await grantCredit(unit, moved.invoice, moved.creditMinor);
}

/** An invoice whose first period was moved, and the difference in price. */
interface Moved {
  invoice: InvoiceRow;
  /** The columns that make the intent start there. */
  start: Partial<Pick<IntentRow, 'paymentStartedAt' | 'startDate'>>;
  creditMinor: bigint;
}

/**
 * Moves the first period of an invoice to the time of the payment, never to before the order. A stub until a fixed
 * anchor becomes shorter; the customer gets the difference as credit. If the moved period would cost more than was
 * paid, because the anchor has passed, it is not moved. Plan changes are not moved either.
 */
async function startWhenReceived(
  unit: UnitOfWork,
  intent: IntentRow,
  invoice: InvoiceRow,
  received: string,
): Promise<Moved> {
  const unmoved = { invoice, start: {}, creditMinor: 0n };
  if (intent.changesSubscriptionId !== null || received <= intent.paymentStartedAt!) return unmoved;
  const lines = await listInvoiceLines(unit, invoice);
  const billed = lines.filter(({ kind }) => kind !== 'BALANCE');
  const moved = buildFirstBill({ ...intent, startDate: null }, received, unit.tenant.timezone).lines;
  const creditMinor = sumLines(billed) - sumLines(moved);
  if (creditMinor < 0n) return unmoved;
  const main = moved[0]!;
  const { periodStart, periodEnd } = main;
  await unit.updateUntraced('invoiceLines', { invoiceId: invoice.id }, { periodStart, periodEnd });
  for (const line of moved) await moveLine(unit, billed, line);
  if (creditMinor > 0n) await addCreditLine(unit, invoice, main, creditMinor);
  const changes = { cycleStart: periodStart, cycleEnd: periodEnd, taxes: summarizeTaxes(moved) };
  const changed = await unit.change('invoices', invoice, changes, { action: 'period_moved' });
  await freezeMovedDocument(unit, changed, () => listInvoiceLines(unit, changed));
  return { invoice: changed, start: { paymentStartedAt: received, startDate: null }, creditMinor };
}

async function moveLine(
  unit: UnitOfWork,
  billed: InvoiceLineRow[],
  { kind, description, amountMinor, explanation, priceId, discounts, tax, taxBehavior }: Line,
): Promise<void> {
  const isFee = kind === 'SETUP_FEE';
  const { id } = billed.find(
    (line) => line.priceId === (priceId ?? null) && (line.kind === 'SETUP_FEE') === isFee,
  )!;
  const changes = {
    kind,
    description,
    amountMinor,
    explanation: { ...explanation },
    discounts: discounts ?? null,
    tax: tax ?? null,
    taxBehavior: taxBehavior === 'inclusive' ? taxBehavior : null,
  };
  await unit.updateUntraced('invoiceLines', { id }, changes);
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
    discounts: null,
    priceId: null,
    tax: null,
    taxBehavior: null,
    productId: null,
  });
}
