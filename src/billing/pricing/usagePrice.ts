/**
 * Computes what the usage of a period costs: a pure function of the terms of a price and of what its meter has counted. Exact
 * decimals, rounded once, half up.
 */
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  readDecimal,
  wholeDecimal,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import { divideRoundHalfUp, roundToMinor } from '../../lib/money.ts';
import type { PercentageTerms, UsagePricing, UsageRate } from '../../storage/model/common.ts';
import type { GroupCount, SpanCount } from '../usage/spans.ts';
import { chargeUnits, sumCharges, type TierCharge } from './priceModel.ts';

/** What a meter has counted in a period. */
export interface CountedUsage extends SpanCount {
  /** The value of each event in the order of time, where the amount depends on them (`needsEvents`). */
  values?: ExactDecimal[];
}

/** The units charged at one rate, with their exact amount. Decimals in major units. */
interface RateCharge extends UsageRate {
  quantity: string;
  amount: string;
}

/** The figures behind the amount of a line of usage. Decimals; amounts in major units, those that end in `Minor` in minor ones. */
interface UsageExplanation {
  model: UsagePricing['model'];
  /** The units that the meter has counted. */
  usage: string;
  includedUnits?: string;
  unitAmount?: string;
  packageSize?: number;
  tiers?: TierCharge[];
  rates?: RateCharge[];
  /** The units that no rate matches, which cost nothing. */
  unmatched?: string;
  percentage?: PercentageTerms;
  /** The number of events, and the amount of those that are not free. */
  events?: number;
  chargedAmount?: string;
  /** The amount before it was raised to the minimum, or lowered to the maximum. */
  usageMinor?: string;
  minimumMinor?: string;
  maximumMinor?: string;
}

/** The figures behind a line of usage. */
export interface UsageLineExplanation extends UsageExplanation {
  /**
   * What was used, what is missing to the minimum of the price, what came after the period was billed, or what was used so far
   * when a threshold was reached.
   */
  part: 'usage' | 'minimum' | 'late' | 'interim';
  usagePeriodId: string;
  /** What was billed for the period before, in minor units; absent for nothing. */
  billedMinor?: string;
  /** What was paid before as missing to a commitment, in minor units; absent for nothing. */
  coveredMinor?: string;
}

/** The figures behind a line of a commitment, in minor units. */
export interface CommitmentExplanation {
  /** What is missing to the commitment, or what units above it cost more. */
  part: 'commitment' | 'overage';
  commitmentWindowId: string;
  /** The commitment of the window, and what its usage costs. */
  committedMinor: string;
  usedMinor: string;
  overageFactor?: string;
  /** What was charged by lines of this part before. */
  billedMinor?: string;
}

/** What the usage of a period costs, in minor units. */
export interface UsageAmount {
  amountMinor: bigint;
  /** What is missing to the least that the period costs. */
  missingMinor: bigint;
  explanation: UsageExplanation;
}

/** The part of a cycle that is billed, and the whole cycle. */
export interface CycleShare {
  partMs: number;
  wholeMs: number;
}

/** Whether the amount depends on each event, and not only on their sum and number. */
export const needsEvents = (pricing: UsagePricing): boolean =>
  pricing.model === 'percentage' &&
  Object.keys(pricing.percentage).some((key) => key !== 'percent' && key !== 'fixedPerEvent');

/**
 * Returns what the usage of a period costs. The least and the most that a whole cycle costs are shared by time; units, tiers
 * and included units are those of a period of any length. Usage below 0 costs as much as none.
 */
export function computeUsageAmount(
  pricing: UsagePricing,
  currency: string,
  counted: CountedUsage,
  share: CycleShare,
): UsageAmount {
  const { exact, explanation } = chargeUsage(pricing, counted);
  const rounded = roundToMinor(exact, currency);
  const usedMinor = rounded > 0n ? rounded : 0n;
  const { minimumMinor, maximumMinor } = pricing.usage;
  const most = maximumMinor === undefined ? undefined : shareByTime(maximumMinor, share);
  const least = minimumMinor === undefined ? 0n : shareByTime(minimumMinor, share);
  const amountMinor = most !== undefined && usedMinor > most ? most : usedMinor;
  const missingMinor = amountMinor < least ? least - amountMinor : 0n;
  return {
    amountMinor,
    missingMinor,
    explanation: {
      ...explanation,
      ...(amountMinor < usedMinor && { usageMinor: String(usedMinor), maximumMinor: String(most) }),
      ...(missingMinor > 0n && { minimumMinor: String(least) }),
    },
  };
}

/** Returns what a number of units without properties costs in a whole cycle, in one event, and what it is charged for. */
export function quoteUsage(
  pricing: UsagePricing,
  currency: string,
  quantity: number,
): { amountMinor: bigint; charges: TierCharge[] } {
  const units = wholeDecimal(quantity);
  const counted = {
    quantity: units,
    events: 1,
    groups: [{ properties: {}, quantity: units }],
    values: [units],
  };
  const whole = { partMs: 1, wholeMs: 1 };
  const { amountMinor, missingMinor } = computeUsageAmount(pricing, currency, counted, whole);
  const isOfUnits = pricing.model !== 'percentage' && pricing.usage.rates === undefined;
  const { left } = subtractIncluded(units, pricing.usage.includedUnits);
  return { amountMinor: amountMinor + missingMinor, charges: isOfUnits ? chargeUnits(pricing, left) : [] };
}

/** Shares an amount of a whole cycle by time; a period that is longer than a cycle has all of it. */
const shareByTime = (amountMinor: string, { partMs, wholeMs }: CycleShare): bigint =>
  partMs >= wholeMs
    ? BigInt(amountMinor)
    : divideRoundHalfUp(BigInt(amountMinor) * BigInt(partMs), BigInt(wholeMs));

interface ExactCharge {
  exact: ExactDecimal;
  explanation: UsageExplanation;
}

const zero = wholeDecimal(0);

function chargeUsage(pricing: UsagePricing, counted: CountedUsage): ExactCharge {
  const { model, usage } = pricing;
  if (model === 'percentage') return chargePercentage(pricing.percentage, counted);
  if (usage.rates) return chargeRates(usage.rates, usage.includedUnits, counted.groups);
  const units = subtractIncluded(atLeastZero(counted.quantity), usage.includedUnits).left;
  const charges = chargeUnits(pricing, units);
  return {
    exact: sumCharges(charges),
    explanation: {
      model,
      usage: formatDecimal(counted.quantity),
      ...(usage.includedUnits !== undefined && { includedUnits: usage.includedUnits }),
      ...('tiers' in pricing ? { tiers: charges } : { unitAmount: pricing.unitAmount }),
      ...(model === 'package' && { packageSize: pricing.packageSize }),
    },
  };
}

/** Takes the included units off a number of units. */
function subtractIncluded(
  units: ExactDecimal,
  included: string | undefined,
): { left: ExactDecimal; included: string | undefined } {
  if (included === undefined) return { left: units, included };
  const free = readDecimal(included);
  if (compareDecimals(units, free) <= 0)
    return { left: zero, included: formatDecimal(subtract(free, units)) };
  return { left: subtract(units, free), included: '0' };
}

/** Charges each group of properties at the first rate that matches; included units are taken in the order of the rates. */
function chargeRates(
  rates: readonly UsageRate[],
  includedUnits: string | undefined,
  groups: readonly GroupCount[],
): ExactCharge {
  const quantities = new Map<UsageRate | undefined, ExactDecimal>();
  for (const { properties, quantity } of groups) {
    const rate = rates.find(({ match }) =>
      Object.keys(match).every((name) => (properties[name] ?? null) === match[name]),
    );
    quantities.set(rate, addDecimals(quantities.get(rate) ?? zero, quantity));
  }
  let included = includedUnits;
  let exact = zero;
  const charged = rates.map((rate): RateCharge => {
    const taken = subtractIncluded(atLeastZero(quantities.get(rate) ?? zero), included);
    ({ included } = taken);
    const amount = multiplyDecimals(taken.left, readDecimal(rate.unitAmount));
    exact = addDecimals(exact, amount);
    return { ...rate, quantity: formatDecimal(taken.left), amount: formatDecimal(amount) };
  });
  const total = groups.reduce((sum, { quantity }) => addDecimals(sum, quantity), zero);
  const unmatched = quantities.get(undefined);
  return {
    exact,
    explanation: {
      model: 'per_unit',
      usage: formatDecimal(total),
      ...(includedUnits !== undefined && { includedUnits }),
      rates: charged,
      ...(unmatched && unmatched.digits !== 0n && { unmatched: formatDecimal(unmatched) }),
    },
  };
}

function chargePercentage(percentage: PercentageTerms, counted: CountedUsage): ExactCharge {
  const { events, quantity, values } = counted;
  const charge = values ? chargeEvents(percentage, values) : chargeTotal(percentage, quantity, events);
  return {
    exact: charge.exact,
    explanation: {
      model: 'percentage',
      usage: formatDecimal(quantity),
      percentage,
      events,
      chargedAmount: formatDecimal(charge.chargedAmount),
    },
  };
}

interface PercentageCharge {
  exact: ExactDecimal;
  chargedAmount: ExactDecimal;
}

const chargeTotal = (
  { percent, fixedPerEvent = '0' }: PercentageTerms,
  amount: ExactDecimal,
  events: number,
): PercentageCharge => ({
  exact: addDecimals(
    takePercent(amount, percent),
    multiplyDecimals(wholeDecimal(events), readDecimal(fixedPerEvent)),
  ),
  chargedAmount: amount,
});

/** Charges event by event: the first are free, and an event that is free in part costs the fixed amount in full. */
function chargeEvents(
  { percent, fixedPerEvent = '0', freeEvents, freeAmount, minPerEvent, maxPerEvent }: PercentageTerms,
  values: readonly ExactDecimal[],
): PercentageCharge {
  const hasFree = freeEvents !== undefined || freeAmount !== undefined;
  const fixed = readDecimal(fixedPerEvent);
  let freeLeft = freeAmount === undefined ? undefined : readDecimal(freeAmount);
  let [exact, chargedAmount] = [zero, zero];
  for (const [index, value] of values.entries()) {
    let amount = value;
    const isFree =
      hasFree && index < (freeEvents ?? Infinity) && (freeLeft === undefined || freeLeft.digits > 0n);
    if (isFree) {
      if (freeLeft === undefined) continue;
      const rest = subtract(amount, freeLeft);
      if (rest.digits <= 0n) {
        freeLeft = negate(rest);
        continue;
      }
      [amount, freeLeft] = [rest, zero];
    }
    let fee = addDecimals(takePercent(amount, percent), fixed);
    if (minPerEvent !== undefined) fee = pickHigher(fee, readDecimal(minPerEvent));
    if (maxPerEvent !== undefined) fee = pickLower(fee, readDecimal(maxPerEvent));
    exact = addDecimals(exact, fee);
    chargedAmount = addDecimals(chargedAmount, amount);
  }
  return { exact, chargedAmount };
}

function takePercent(amount: ExactDecimal, percent: string): ExactDecimal {
  const { digits, scale } = multiplyDecimals(amount, readDecimal(percent));
  return { digits, scale: scale + 2 };
}

const negate = ({ digits, scale }: ExactDecimal): ExactDecimal => ({ digits: -digits, scale });
const subtract = (a: ExactDecimal, b: ExactDecimal): ExactDecimal => addDecimals(a, negate(b));
const pickHigher = (a: ExactDecimal, b: ExactDecimal) => (compareDecimals(a, b) >= 0 ? a : b);
const pickLower = (a: ExactDecimal, b: ExactDecimal) => (compareDecimals(a, b) <= 0 ? a : b);
const atLeastZero = (units: ExactDecimal): ExactDecimal => pickHigher(units, zero);
