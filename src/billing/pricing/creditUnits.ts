/** Credit in units of a credit type, in millionths of a credit: how many units of usage it covers, and what they take off a line. */
import { formatDecimal, parseDecimal, readDecimal, readSum, type ExactDecimal } from '../../lib/decimal.ts';
import { atLeastZero, divideRoundHalfUp, leastOf } from '../../lib/money.ts';
import type { CreditRate } from '../../storage/model/creditTerms.ts';
import { listDiscounts, sumDiscounts } from './discounts.ts';
import type { Line } from './invoiceLines.ts';
import type { UsageLineExplanation } from './usagePrice.ts';

/** The decimals of credits. */
const creditDecimals = 6;
/** The decimals of units of usage. */
const unitDecimals = 12;

const unitScale = 10n ** BigInt(unitDecimals - creditDecimals);

/** Returns a decimal as a whole number of its last place. */
const atScale = ({ digits, scale }: ExactDecimal, decimals: number): bigint =>
  scale <= decimals ? digits * 10n ** BigInt(decimals - scale) : digits / 10n ** BigInt(scale - decimals);

/** Returns credits (a decimal) in millionths; undefined if it is finer. */
export function parseCredits(text: string): bigint | undefined {
  const decimal = parseDecimal(text);
  if (!decimal || decimal.scale > creditDecimals) return undefined;
  return atScale(decimal, creditDecimals);
}

/** Returns millionths of a credit as a decimal. */
export const formatCredits = (micro: bigint): string => formatDecimal(readCredits(micro));

/** Returns millionths of a credit as an exact decimal. */
export const readCredits = (micro: bigint): ExactDecimal => ({ digits: micro, scale: creditDecimals });

const findRatio = ({ units, credits }: CreditRate) => ({
  units: atScale(readDecimal(units), unitDecimals),
  credits: atScale(readDecimal(credits), unitDecimals),
});

/** Returns what units of usage (at 12 decimals) cost at a rate, in millionths of a credit, rounded up. */
function computeCost(used: bigint, rate: CreditRate): bigint {
  const { units, credits } = findRatio(rate);
  return divideUp(used * credits, units * unitScale);
}

/** Returns how many units of usage (at 12 decimals) credits (millionths) cover at a rate, rounded down. */
function computeCovered(creditsMicro: bigint, rate: CreditRate): bigint {
  const { units, credits } = findRatio(rate);
  return (creditsMicro * unitScale * units) / credits;
}

const divideUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator;

/** What coverage reads of a line of usage. */
export type CoverableLine = Pick<Line, 'amountMinor' | 'discounts' | 'explanation' | 'usageOf'>;

/** What credits cover of a line of usage. */
export interface Coverage {
  /** What it takes off the line, in minor units. */
  amountMinor: bigint;
  /** The covered units, a decimal. */
  units: string;
  /** The millionths of a credit that they cost. */
  credits: bigint;
}

/**
 * Returns what credits (millionths) cover of a line of usage at the rates of their type, of at most `mostMinor`; undefined for
 * nothing. A unit is worth the amount of the line after discounts, divided by its units, whatever the model of its price. Units
 * that money has paid are not covered again, nor are free ones; those of a price of 0 are, because only credits pay them.
 */
export function coverUsage(
  line: CoverableLine,
  creditsMicro: bigint,
  rates: readonly CreditRate[],
  mostMinor: bigint,
): Coverage | undefined {
  const rate = rates.find(({ meterId }) => meterId === line.usageOf?.meterId);
  const charged = rate && countCharged(line);
  if (!charged) return undefined;
  const { units, fullMinor, isFree, coveredUnits } = charged;
  const payableMinor = leastOf(line.amountMinor, mostMinor);
  if (isFree || (fullMinor > 0n && payableMinor <= 0n)) return undefined;
  const owed = fullMinor === 0n ? units : divideUp(units * payableMinor, fullMinor);
  const open = leastOf(units - coveredUnits, owed);
  const covered = leastOf(open, computeCovered(creditsMicro, rate));
  if (covered <= 0n) return undefined;
  const share = fullMinor === 0n ? 0n : divideRoundHalfUp(fullMinor * covered, units);
  const amountMinor = covered === open ? atLeastZero(payableMinor) : leastOf(share, payableMinor);
  // Too few credits to pay the smallest amount of the currency stay.
  if (amountMinor === 0n && fullMinor > 0n) return undefined;
  const text = formatDecimal({ digits: covered, scale: unitDecimals });
  return { amountMinor, units: text, credits: computeCost(covered, rate) };
}

/** Returns the units that a line charges, their amount after discounts, and how many of them credits have covered. */
function countCharged({ amountMinor, discounts = [], explanation }: CoverableLine) {
  const explained = explanation as Partial<UsageLineExplanation>;
  const { part, usage, includedUnits = '0', unmatched = '0', ...before } = explained;
  if (usage === undefined || part === undefined || part === 'minimum') return undefined;
  const grossMinor = amountMinor + sumDiscounts([{ discounts }]);
  const offMinor = sumDiscounts([{ discounts: listDiscounts(discounts) }]);
  const billedMinor = BigInt(before.billedMinor ?? '0') + BigInt(before.coveredMinor ?? '0');
  const free = atScale(readSum(includedUnits), unitDecimals) + atScale(readSum(unmatched), unitDecimals);
  const counted = atScale(readSum(usage), unitDecimals) - free;
  if (counted <= 0n) return undefined;
  // Invoices have charged a part of the units before.
  const units = billedMinor === 0n ? counted : divideUp(counted * grossMinor, grossMinor + billedMinor);
  const coveredUnits = discounts.reduce(
    (sum, each) => sum + (each.units === undefined ? 0n : atScale(readSum(each.units), unitDecimals)),
    0n,
  );
  const fullMinor = grossMinor - offMinor;
  return { units, fullMinor, isFree: fullMinor === 0n && grossMinor > 0n, coveredUnits };
}
