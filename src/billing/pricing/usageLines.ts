/** The lines of an invoice for the usage of a period: what was used, what is missing to the minimum, and what came late. */
import { refuse } from '../../lib/errors.ts';
import { addDecimals, formatDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { LARGEST_AMOUNT_MINOR } from '../../lib/money.ts';
import type { Warning } from '../../lib/warnings.ts';
import type { AddOn, Pricing, UsagePricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Line } from './invoiceLines.ts';
import { computeFirstPeriod, type Period } from './schedule.ts';
import {
  computeUsageAmount,
  type CountedUsage,
  type UsageAmount,
  type UsageLineExplanation,
} from './usagePrice.ts';

/** A period of usage, with the terms that were agreed to. */
export type UsagePeriod = Row<'usagePeriods'>;

/** What a bill charges for a period. */
export interface ChargedUsage {
  lines: Line[];
  /** The sum of its lines before discounts, in minor units. */
  amountMinor: bigint;
  /** What the meter has counted in it. */
  quantity: string;
}

/** What a bill has charged for a period. */
export interface BilledPeriod {
  row: UsagePeriod;
  /** The end of the part that was billed. */
  until: string;
  amountMinor: bigint;
  quantity: string;
  /** What was paid before as missing to a commitment, in minor units. */
  coveredMinor: bigint;
  /** Whether the period goes on. */
  isInterim: boolean;
}

/** Whether terms have a price of usage. */
export const hasUsagePrice = ({
  pricing,
  addOns,
}: {
  pricing: Pricing | null;
  addOns: AddOn[] | null;
}): boolean => Boolean(pricing?.usage) || (addOns?.some((addOn) => addOn.pricing?.usage) ?? false);

/** A part of a period, with the terms that hold in it. */
export interface UsagePart extends Period {
  /** The anchor of the billing cycles, of which the part may be a share. */
  anchor: string;
  pricing: UsagePricing;
}

/** A part of a period, with what its meter has counted in it. */
export interface CountedPart extends UsagePart {
  counted: CountedUsage;
}

/**
 * Returns what a bill charges for the parts of a period: all of it, or what invoices have not charged yet. What was charged is
 * never lowered. `isInterim` charges a period that goes on for its usage so far. Error: `validation_failed` if the amount is too large.
 */
export function chargeUsagePeriod(
  period: UsagePeriod,
  parts: readonly CountedPart[],
  timeZone: string,
  isInterim = false,
): ChargedUsage {
  const costs = parts.map((part) => {
    const cost = costPart(period, part, timeZone);
    // What is missing to the minimum is known when the period has ended.
    return { part, ...cost, ...(isInterim && { missingMinor: 0n }) };
  });
  const totalMinor = costs.reduce((sum, cost) => sum + cost.amountMinor + cost.missingMinor, 0n);
  if (totalMinor > LARGEST_AMOUNT_MINOR) {
    const message = `costs more than ${LARGEST_AMOUNT_MINOR} minor units for its usage from ${period.startsAt}`;
    refuse('validation_failed', { path: 'subscriptionId', message });
  }
  let billedLeft = sumUsageCharges(period.charges);
  const lines: Line[] = [];
  for (const { part, ...cost } of costs) {
    const costMinor = cost.amountMinor + cost.missingMinor;
    const billedMinor = billedLeft < costMinor ? billedLeft : costMinor;
    billedLeft -= billedMinor;
    lines.push(...buildPartLines(period, part, { ...cost, billedMinor, isInterim }));
  }
  return {
    lines,
    amountMinor: lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    quantity: formatDecimal(
      parts.reduce((sum, { counted }) => addDecimals(sum, counted.quantity), wholeDecimal(0)),
    ),
  };
}

/** Sums what was charged for a period, with what was paid before as missing to a commitment, in minor units. */
export const sumUsageCharges = (charges: UsagePeriod['charges']): bigint =>
  charges.reduce(
    (sum, { amountMinor, coveredMinor = '0' }) => sum + BigInt(amountMinor) + BigInt(coveredMinor),
    0n,
  );

function costPart(
  period: UsagePeriod,
  { start, end, anchor, pricing, counted }: CountedPart,
  timeZone: string,
) {
  const cycle = computeFirstPeriod(start, anchor, period, timeZone);
  const share = {
    partMs: Date.parse(end) - Date.parse(start),
    wholeMs: Date.parse(cycle.fullEnd) - Date.parse(cycle.fullStart),
  };
  return computeUsageAmount(pricing, period.currency, counted, share);
}

/** Builds the lines of a part of which invoices have charged `billedMinor`. */
function buildPartLines(
  period: UsagePeriod,
  part: CountedPart,
  cost: UsageAmount & { billedMinor: bigint; isInterim: boolean },
): Line[] {
  const { amountMinor, missingMinor, billedMinor } = cost;
  const build = (kind: UsageLineExplanation['part'], partMinor: bigint): Line =>
    buildUsageLine(period, part, partMinor, {
      part: kind,
      usagePeriodId: period.id,
      ...cost.explanation,
      ...(billedMinor > 0n && { billedMinor: String(billedMinor) }),
    });
  const buildIfOwed = (kind: UsageLineExplanation['part'], partMinor: bigint): Line[] =>
    partMinor > 0n ? [build(kind, partMinor)] : [];
  const restMinor = amountMinor + missingMinor - billedMinor;
  if (cost.isInterim) return buildIfOwed('interim', restMinor);
  if (isBilled(period)) return buildIfOwed('late', restMinor);
  const usedMinor = amountMinor > billedMinor ? amountMinor - billedMinor : 0n;
  return [build('usage', usedMinor), ...buildIfOwed('minimum', restMinor - usedMinor)];
}

/** Whether an invoice has billed a period as a whole; until then its usage so far can be billed. */
export const isBilled = ({ charges }: UsagePeriod): boolean => charges.some(({ isInterim }) => !isInterim);

const partNames = { usage: 'usage', minimum: 'minimum', late: 'late usage', interim: 'usage so far' };

function buildUsageLine(
  { isAddOn, priceId, meterId, productId, productName, currency, taxBehavior }: UsagePeriod,
  { start, end }: Period,
  amountMinor: bigint,
  explanation: UsageLineExplanation,
): Line {
  return {
    kind: 'USAGE',
    description: `${productName}, ${partNames[explanation.part]}`,
    amountMinor,
    currency,
    periodStart: start,
    periodEnd: end,
    explanation,
    usageOf: { priceId, meterId },
    productId,
    productName,
    ...(isAddOn && { priceId }),
    ...(taxBehavior === 'inclusive' && { taxBehavior }),
  };
}

/** Lists the problems of lines of usage: units that no rate of their price matches, which nobody pays for. */
export function listUsageWarnings(lines: readonly Line[]): Warning[] {
  return lines.flatMap((line): Warning[] => {
    if (line.kind !== 'USAGE') return [];
    const { unmatched, part } = line.explanation as UsageLineExplanation;
    if (unmatched === undefined || part === 'minimum') return [];
    const message =
      `No rate of ${line.productName} matches ${unmatched} units since ${line.periodStart}, which cost nothing. Add a rate ` +
      'that matches all of them to a new price.';
    return [{ code: 'usage_unmatched', message }];
  });
}
