/**
 * Computes the amount of a billing cycle from the model of a price and a quantity. All models use exact decimals, and the
 * result is rounded once, half up, to minor units.
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
import { decimalFromMinor, roundToMinor } from '../../lib/money.ts';
import type { PriceTier, Pricing } from '../../storage/model/common.ts';

/** The units charged at one tier, and their exact amount including the flat amount. Decimals in major units. */
export interface TierCharge extends PriceTier {
  quantity: string;
  amount: string;
}

/** The amount of a whole cycle in minor units; for tiers, also the exact amount of each used tier. */
export interface CycleAmount {
  amountMinor: bigint;
  tiers?: TierCharge[];
}

/** Returns the amount of a whole cycle for a quantity of 1 or more. */
export function computeCycleAmount(
  price: { amountMinor: bigint; currency: string; pricing: Pricing | null },
  quantity: number,
): CycleAmount {
  const { pricing, currency } = price;
  if (pricing === null) return { amountMinor: price.amountMinor };
  const units = wholeDecimal(quantity);
  if (pricing.model === 'per_unit') {
    return { amountMinor: roundToMinor(multiplyDecimals(units, readDecimal(pricing.unitAmount)), currency) };
  }
  if (pricing.model === 'package') {
    const packages = wholeDecimal(Math.ceil(quantity / pricing.packageSize));
    return {
      amountMinor: roundToMinor(multiplyDecimals(packages, readDecimal(pricing.unitAmount)), currency),
    };
  }
  const tiers =
    pricing.model === 'graduated'
      ? chargeGraduated(pricing.tiers, units)
      : chargeVolume(pricing.tiers, units);
  const exact = tiers.reduce((sum, { amount }) => addDecimals(sum, readDecimal(amount)), wholeDecimal(0));
  return { amountMinor: roundToMinor(exact, currency), tiers };
}

/** Returns the exact price of one unit or package, a decimal in major units; null for prices with tiers. */
export function findUnitAmount(price: {
  amountMinor: bigint;
  currency: string;
  pricing: Pricing | null;
}): string | null {
  if (price.pricing === null) return formatDecimal(decimalFromMinor(price.amountMinor, price.currency));
  return 'unitAmount' in price.pricing ? price.pricing.unitAmount : null;
}

function chargeGraduated(tiers: PriceTier[], units: ExactDecimal): TierCharge[] {
  const charges: TierCharge[] = [];
  let below = wholeDecimal(0);
  for (const tier of tiers) {
    if (compareDecimals(units, below) <= 0) break;
    const top = tier.upTo === null ? units : findLesser(units, readDecimal(tier.upTo));
    charges.push(chargeTier(tier, subtract(top, below)));
    below = top;
  }
  return charges;
}

function chargeVolume(tiers: PriceTier[], units: ExactDecimal): TierCharge[] {
  const reached = tiers.find(({ upTo }) => upTo === null || compareDecimals(units, readDecimal(upTo)) <= 0);
  return [chargeTier(reached!, units)];
}

function chargeTier(tier: PriceTier, units: ExactDecimal): TierCharge {
  const amount = addDecimals(
    multiplyDecimals(units, readDecimal(tier.unitAmount)),
    readDecimal(tier.flatAmount),
  );
  return { ...tier, quantity: formatDecimal(units), amount: formatDecimal(amount) };
}

const subtract = (a: ExactDecimal, b: ExactDecimal) => addDecimals(a, { digits: -b.digits, scale: b.scale });
const findLesser = (a: ExactDecimal, b: ExactDecimal) => (compareDecimals(a, b) <= 0 ? a : b);
