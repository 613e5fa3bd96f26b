import type { Row } from '../storage/model/rowTypes.ts';
import { toInterval, buildPeriodLine, sumLines, type Agreement, type Line } from './invoiceLines.ts';
import { isSameInterval, type Period } from './schedule.ts';

/** The part of a subscription that decides what it is billed next; a forecast walks it forward. */
export interface Billable extends Agreement {
  anchor: string;
  /** The start of the next period. */
  nextBillingDate: string;
  /** The instant at which it ends: the period that contains it is cut there. */
  cancelAt?: string | null;
}

export interface NextInvoice {
  /** The subscription as this cycle leaves it: the agreement and the schedule that it was billed by. */
  agreement: Agreement;
  anchor: string;
  period: Period;
  lines: Line[];
  totalMinor: bigint;
  /** What of the customer's balance it takes. */
  balanceMinor: bigint;
}

/**
 * What the next period is billed: the one function behind renewals and forecasts. `next` is the agreement of a
 * downgrade, which takes effect here; `balanceMinor` what the customer has in hand.
 */
export function computeNextInvoice(
  current: Billable,
  next: Agreement | undefined,
  balanceMinor: bigint,
  timeZone: string,
): NextInvoice {
  const agreement = next ?? current;
  const start = current.nextBillingDate;
  const keepsAnchor = isSameInterval(toInterval(current), toInterval(agreement));
  const { line, anchor } = buildPeriodLine(
    agreement,
    keepsAnchor ? current.anchor : start,
    start,
    timeZone,
    current.cancelAt,
  );
  const takenMinor = balanceMinor < line.amountMinor ? balanceMinor : line.amountMinor;
  const lines = takenMinor > 0n ? [line, buildBalanceLine(line, -takenMinor)] : [line];
  return {
    agreement,
    anchor,
    period: { start: line.periodStart, end: line.periodEnd },
    lines,
    totalMinor: sumLines(lines),
    balanceMinor: takenMinor,
  };
}

/** The line that takes from a balance (negative) or leaves something in it (positive). */
export function buildBalanceLine(of: Line, amountMinor: bigint): Line {
  return {
    kind: 'BALANCE',
    description: amountMinor < 0n ? 'Paid from the balance' : 'Left as balance',
    amountMinor,
    currency: of.currency,
    periodStart: of.periodStart,
    periodEnd: of.periodEnd,
    explanation: { balanceMinor: String(amountMinor) },
  };
}

/** The columns of a subscription that say what was agreed to. */
export function pickAgreement(from: Row<'intents'>) {
  const { productId, priceId, groupId, productName, amountMinor, currency, frequency, period } = from;
  const { quantity, pricing } = from;
  const paymentIntentId = from.id;
  return {
    paymentIntentId,
    productId,
    priceId,
    groupId,
    productName,
    amountMinor,
    currency,
    frequency,
    period,
    quantity,
    pricing,
  };
}
