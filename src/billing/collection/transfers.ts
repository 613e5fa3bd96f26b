import * as z from 'zod';
import { describeLateStart } from '../invoices/documentLines.ts';
import {
  findInvoice,
  canBePaid,
  listInvoiceLines,
  type InvoiceLineRow,
  type InvoiceRow,
} from '../invoices/invoices.ts';
import { markChargePending, recordAttempt } from '../payments/payments.ts';
import { hasFixedPeriod } from '../payments/paymentTerms.ts';
import { computeOwed } from '../payments/returns.ts';
import { sumLines } from '../pricing/invoiceLines.ts';
import { creditPaidInvoice } from '../invoices/issueCreditNote.ts';
import { payOpenInvoice } from '../invoices/payOpenInvoice.ts';
import { parseMoneyIn, type AmountInput } from '../catalog/amounts.ts';
import { parseInput, externalId } from '../../lib/validation.ts';
import { buildFirstBill } from '../subscriptions/intents/firstBill.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { parseInstant } from '../../lib/time.ts';
import { formatMoney } from '../../lib/money.ts';
import { manual } from '../../providers/manual.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findIntent, type IntentRow } from '../subscriptions/intents/intents.ts';
import { recordPaymentOutcome } from '../subscriptions/intents/checkout.ts';

const moneyReceived = z.object({ reference: externalId });

/** A received bank transfer or cash payment. */
interface Received {
  /** The operator's own reference. */
  reference: string;
  /** An ISO 8601 date or instant. Default: now. */
  receivedAt?: string | null;
  /** Verified against the invoice if given. */
  amount?: AmountInput | null;
}

/**
 * Records a bank transfer or cash payment for an open invoice: the invoice is paid, and its subscription starts or
 * continues. A subscription started by the payment starts when the money was received. Errors: `invoice_not_found`,
 * `invoice_not_open`, `validation_failed` (also if the amount differs from the invoice's total), `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`.
 */
export async function recordPayment(
  unit: UnitOfWork,
  invoiceId: string,
  { reference, receivedAt, amount }: Received,
): Promise<InvoiceRow> {
  parseInput(moneyReceived, { reference });
  const received = receivedAt ? parseInstant(receivedAt, unit.tenant.timezone, 'receivedAt') : unit.now;
  if (received > unit.now)
    refuse('validation_failed', { path: 'receivedAt', message: 'is in the future', code: 'in_future' });
  const invoice = await findInvoice(unit, invoiceId);
  if (!canBePaid(invoice)) refuse('invoice_not_open', { path: 'id', ...inState(invoice.status) });
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
      metadata: invoice.metadata,
      invoiceId,
      reference,
      receivedAt: received,
    },
    invoiceId,
  );
  await markChargePending(unit, invoice);
  return payOpenInvoice(unit, invoice, payment.id);
}

function refuseOtherAmount(invoice: InvoiceRow, amount: AmountInput | null | undefined): void {
  if (!amount) return;
  const owedMinor = computeOwed(invoice);
  if (parseMoneyIn(amount, invoice.currency, 'amount') === owedMinor) return;
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
  const { start, creditMinor } = await startWhenReceived(unit, intent, invoice, received);
  // The operator received the money, whichever provider was asked before, so refunds and later charges are manual too.
  const changed = await unit.change('intents', intent, { provider: manual.name, ...start });
  const paid = {
    status: 'succeeded' as const,
    reference,
    methodReference: manual.name,
    receivedAt: received,
  };
  const recorded = await recordPaymentOutcome(unit, changed, paid);
  if (recorded && creditMinor > 0n) await creditLateStart(unit, invoice.id, creditMinor);
}

interface Start {
  /** The columns that make the intent start when the money was received. */
  start: Partial<Pick<IntentRow, 'paymentStartedAt' | 'startDate'>>;
  /** What the invoice charged for the time before, in minor units. */
  creditMinor: bigint;
}

/**
 * Moves the first period of an invoice to the time of the payment, never to before the order. Its document states no dates,
 * so it stays as it was sent. A period up to a fixed day is stated, and stays: the time before the payment is credited.
 * Plan changes are not moved.
 */
async function startWhenReceived(
  unit: UnitOfWork,
  intent: IntentRow,
  invoice: InvoiceRow,
  received: string,
): Promise<Start> {
  const unmoved = { start: {}, creditMinor: 0n };
  if (intent.changesSubscriptionId !== null || received <= intent.paymentStartedAt!) return unmoved;
  const moved = buildFirstBill({ ...intent, startDate: null }, received, unit.tenant.timezone).lines;
  const billed = (await listInvoiceLines(unit, invoice)).filter(({ kind }) => kind !== 'BALANCE');
  if (hasFixedPeriod(intent)) {
    const lessMinor = sumLines(billed) - sumLines(moved);
    return lessMinor > 0n ? { ...unmoved, creditMinor: lessMinor } : unmoved;
  }
  const { periodStart, periodEnd } = moved[0]!;
  await unit.updateUntraced('invoiceLines', { invoiceId: invoice.id }, { periodStart, periodEnd });
  for (const { kind, priceId = null, explanation } of moved) {
    const isFee = kind === 'SETUP_FEE';
    const isSame = (line: InvoiceLineRow) =>
      line.priceId === priceId && (line.kind === 'SETUP_FEE') === isFee;
    const { id } = billed.find(isSame)!;
    await unit.updateUntraced('invoiceLines', { id }, { explanation: { ...explanation } });
  }
  const changes = { cycleStart: periodStart, cycleEnd: periodEnd };
  await unit.change('invoices', invoice, changes, { action: 'period_moved' });
  return { start: { paymentStartedAt: received, startDate: null }, creditMinor: 0n };
}

/** Credits a part of the first period by a credit note, which corrects the invoice that was sent. */
async function creditLateStart(unit: UnitOfWork, invoiceId: string, creditMinor: bigint): Promise<void> {
  const invoice = await findInvoice(unit, invoiceId);
  const customer = await unit.one('customers', { id: invoice.customerId });
  await creditPaidInvoice(unit, invoice, creditMinor, {
    reason: describeLateStart(customer?.locale ?? 'en'),
  });
}
