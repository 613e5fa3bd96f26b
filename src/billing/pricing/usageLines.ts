/** The lines of an invoice for the usage of a period: what was used, what is missing to the minimum, and what came late. */
import { refuse } from '../../lib/errors.ts';
import { formatDecimal } from '../../lib/decimal.ts';
import { LARGEST_AMOUNT_MINOR } from '../../lib/money.ts';
import type { Warning } from '../../lib/warnings.ts';
import type { AddOn, Pricing } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Line } from './invoiceLines.ts';
import { computeFirstPeriod, type Period } from './schedule.ts';
import { computeUsageAmount, type CountedUsage, type UsageLineExplanation } from './usagePrice.ts';

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

/** Whether terms have a price of usage. */
export const hasUsagePrice = ({
  pricing,
  addOns,
}: {
  pricing: Pricing | null;
  addOns: AddOn[] | null;
}): boolean => Boolean(pricing?.usage) || (addOns?.some((addOn) => addOn.pricing?.usage) ?? false);

/**
 * Returns what a bill charges for a part of a period: all of it, or what invoices have not charged yet. What was charged is
 * never lowered. Error: `validation_failed` if the amount is too large.
 */
export function chargeUsagePeriod(
  period: UsagePeriod,
  { start, end, anchor }: Period & { anchor: string },
  counted: CountedUsage,
  timeZone: string,
): ChargedUsage {
  const { currency, pricing, charges } = period;
  const cycle = computeFirstPeriod(start, anchor, period, timeZone);
  const share = {
    partMs: Date.parse(end) - Date.parse(start),
    wholeMs: Date.parse(cycle.fullEnd) - Date.parse(cycle.fullStart),
  };
  const { amountMinor, missingMinor, explanation } = computeUsageAmount(pricing, currency, counted, share);
  const totalMinor = amountMinor + missingMinor;
  if (totalMinor > LARGEST_AMOUNT_MINOR) {
    const message = `costs more than ${LARGEST_AMOUNT_MINOR} minor units for its usage from ${start}`;
    refuse('validation_failed', { path: 'subscriptionId', message });
  }
  const quantity = formatDecimal(counted.quantity);
  const build = (part: UsageLineExplanation['part'], partMinor: bigint, billedMinor?: string): Line =>
    buildUsageLine(period, { start, end }, partMinor, {
      part,
      usagePeriodId: period.id,
      ...explanation,
      ...(billedMinor !== undefined && { billedMinor }),
    });
  if (charges.length === 0) {
    const missing = missingMinor > 0n ? [build('minimum', missingMinor)] : [];
    return { lines: [build('usage', amountMinor), ...missing], amountMinor: totalMinor, quantity };
  }
  const billedMinor = charges.reduce((sum, charge) => sum + BigInt(charge.amountMinor), 0n);
  if (totalMinor <= billedMinor) return { lines: [], amountMinor: 0n, quantity };
  const lateMinor = totalMinor - billedMinor;
  return { lines: [build('late', lateMinor, String(billedMinor))], amountMinor: lateMinor, quantity };
}

const partNames = { usage: 'usage', minimum: 'minimum', late: 'late usage' };

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
