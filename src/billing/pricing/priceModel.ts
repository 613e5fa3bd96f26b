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

/** The columns of a price that decide the amount of a cycle. */
interface PricedCycle {
  amountMinor: bigint;
  currency: string;
  pricing: Pricing | null;
}

/** Returns the amount of a whole cycle for a quantity of 1 or more. */
export function computeCycleAmount(price: PricedCycle, quantity: number): CycleAmount {
  const { pricing, currency } = price;
  if (pricing === null) return { amountMinor: price.amountMinor };
  const units = countUnits(pricing, quantity);
  if ('unitAmount' in pricing) {
    return { amountMinor: roundToMinor(multiplyDecimals(units, readDecimal(pricing.unitAmount)), currency) };
  }
  const tiers =
    pricing.model === 'graduated'
      ? chargeGraduated(pricing.tiers, units)
      : chargeVolume(pricing.tiers, units);
  const exact = tiers.reduce((sum, { amount }) => addDecimals(sum, readDecimal(amount)), wholeDecimal(0));
  return { amountMinor: roundToMinor(exact, currency), tiers };
}

/**
 * Lists what the amount of a whole cycle is made of, exactly: the units of each used tier; for other models the units or
 * packages, of which a flat price has one.
 */
export function listCharges(price: PricedCycle, quantity: number): TierCharge[] {
  const { pricing } = price;
  if (pricing && 'tiers' in pricing) return computeCycleAmount(price, quantity).tiers!;
  const unitAmount = pricing
    ? pricing.unitAmount
    : formatDecimal(decimalFromMinor(price.amountMinor, price.currency));
  return [chargeTier({ upTo: null, unitAmount, flatAmount: '0' }, countUnits(pricing, quantity))];
}

/** Counts what the unit amount is charged for: units, packages, or the one cycle of a flat price. */
const countUnits = (pricing: Pricing | null, quantity: number): ExactDecimal =>
  wholeDecimal(
    pricing === null ? 1 : pricing.model === 'package' ? Math.ceil(quantity / pricing.packageSize) : quantity,
  );

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
