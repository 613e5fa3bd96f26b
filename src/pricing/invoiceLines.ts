import type { Row } from '../storage/model/rowTypes.ts';
import { prorate, type Explanation } from './proration.ts';
import { describeInterval, computeFirstPeriod, type Interval } from './schedule.ts';

/** The terms that a subscriber agreed to: a copy of the catalogue at that time. */
export type Agreement = Pick<
  Row<'subscriptions'>,
  'productName' | 'amountMinor' | 'currency' | 'frequency' | 'period'
>;

/** A line of an invoice before it is written. */
export interface Line {
  kind: Row<'invoiceLines'>['kind'];
  description: string;
  amountMinor: bigint;
  currency: string;
  periodStart: string;
  periodEnd: string;
  explanation: Explanation | { balanceMinor: string };
  /** On a credit: the line that it credits. */
  creditedLineId?: string;
}

/** Returns the billing interval of an agreement. */
export const toInterval = ({ frequency, period }: Pick<Agreement, 'frequency' | 'period'>): Interval => ({
  frequency,
  period,
});

/**
 * Builds the line for the period that starts at `start`, and returns the anchor of its schedule. The period is a full
 * cycle, or a stub until the next cycle start, charged by time. Without an `anchor` the schedule starts at `start`;
 * `until` cuts the period off.
 */
export function buildPeriodLine(
  agreement: Agreement,
  anchor: string | null,
  start: string,
  timeZone: string,
  until?: string | null,
): { line: Line; anchor: string } {
  const interval = toInterval(agreement);
  const first = computeFirstPeriod(start, anchor, interval, timeZone);
  const isCut = Boolean(until && until > first.periodStart && until < first.periodEnd);
  const part = { start: first.periodStart, end: isCut ? until! : first.periodEnd };
  const { amountMinor, explanation } = prorate(agreement.amountMinor, part, {
    start: first.fullStart,
    end: first.fullEnd,
  });
  const line: Line = {
    kind: first.isStub || isCut ? 'STUB' : 'CYCLE',
    description: `${agreement.productName}, ${describeInterval(interval)}`,
    amountMinor,
    currency: agreement.currency,
    periodStart: part.start,
    periodEnd: part.end,
    explanation,
  };
  return { line, anchor: first.anchor };
}

/** Returns the sum of lines, in minor units. */
export const sumLines = (lines: Pick<Line, 'amountMinor'>[]): bigint =>
  lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
