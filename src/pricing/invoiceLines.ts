import type { Row } from '../storage/model/rowTypes.ts';
import { prorate, type Explanation } from './proration.ts';
import { describeInterval, computeFirstPeriod, type Interval } from './schedule.ts';

/** What a subscriber has agreed to: the catalogue as it was then. */
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
  /** On a credit: the line whose unused time it gives back. */
  creditedLineId?: string;
}

/** The interval of what was agreed to. */
export const toInterval = ({ frequency, period }: Pick<Agreement, 'frequency' | 'period'>): Interval => ({
  frequency,
  period,
});

/**
 * The line for the period that begins at `start`, and the anchor of its schedule: a full cycle, or a stub up to
 * the next cycle start, charged by time. `anchor` null means that the schedule begins here;
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

/** The sum of lines, in minor units. */
export const sumLines = (lines: Pick<Line, 'amountMinor'>[]): bigint =>
  lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
