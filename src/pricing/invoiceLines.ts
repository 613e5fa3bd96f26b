import type { Pricing } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { computeCycleAmount, type TierCharge } from './priceModel.ts';
import { prorate, type Explanation } from './proration.ts';
import { describeInterval, computeFirstPeriod, type Interval } from './schedule.ts';

/** What a subscriber has agreed to: the catalogue as it was then. */
export type Agreement = Pick<
  Row<'subscriptions'>,
  'productName' | 'amountMinor' | 'currency' | 'frequency' | 'period' | 'quantity' | 'pricing'
>;

/** A line of an invoice before it is written. */
export interface Line {
  kind: Row<'invoiceLines'>['kind'];
  description: string;
  amountMinor: bigint;
  currency: string;
  periodStart: string;
  periodEnd: string;
  explanation: (Explanation & QuantityExplanation) | { balanceMinor: string };
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
    explanation: { ...explanation, ...explainQuantity(agreement) },
  };
  return { line, anchor: first.anchor };
}

/** How the price of a cycle follows from the quantity; nothing for a flat price. */
export interface QuantityExplanation {
  model?: Pricing['model'];
  quantity?: number;
  /** Of a unit or a package; a decimal in major units. */
  unitAmount?: string;
  packageSize?: number;
  tiers?: TierCharge[];
}

/** The figures from which the amount of an agreement follows, so that anyone can compute it again. */
export function explainQuantity({
  pricing,
  quantity,
  amountMinor,
  currency,
}: Agreement): QuantityExplanation {
  if (pricing === null) return {};
  const figures = { model: pricing.model, quantity: quantity ?? 1 };
  if (pricing.model === 'per_unit') return { ...figures, unitAmount: pricing.unitAmount };
  if (pricing.model === 'package') {
    return { ...figures, unitAmount: pricing.unitAmount, packageSize: pricing.packageSize };
  }
  return {
    ...figures,
    tiers: computeCycleAmount({ amountMinor, currency, pricing }, figures.quantity).tiers,
  };
}

/** The sum of lines, in minor units. */
export const sumLines = (lines: Pick<Line, 'amountMinor'>[]): bigint =>
  lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
