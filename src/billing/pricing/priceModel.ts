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
  readSum,
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

/** Returns the amount of a whole cycle for a quantity of 1 or more; 0 for usage, which is billed when the cycle has ended. */
export function computeCycleAmount(price: PricedCycle, quantity: number): CycleAmount {
  const { pricing, currency } = price;
  if (pricing === null) return { amountMinor: price.amountMinor };
  if (pricing.usage) return { amountMinor: 0n };
  const units = countUnits(pricing, wholeDecimal(quantity));
  if ('unitAmount' in pricing) {
    return { amountMinor: roundToMinor(multiplyDecimals(units, readDecimal(pricing.unitAmount)), currency) };
  }
  const tiers = chargeTiers(pricing, units);
  return { amountMinor: roundToMinor(sumCharges(tiers), currency), tiers };
}

/**
 * Lists what the amount of a whole cycle is made of, exactly: the units of each used tier; for other models the units or
 * packages, of which a flat price has one.
 */
export function listCharges(price: PricedCycle, quantity: number): TierCharge[] {
  const { pricing } = price;
  if (pricing !== null && !pricing.usage) return chargeUnits(pricing, wholeDecimal(quantity));
  const unitAmount = formatDecimal(decimalFromMinor(price.amountMinor, price.currency));
  return [chargeTier({ upTo: null, unitAmount, flatAmount: '0' }, wholeDecimal(1))];
}

/** A pricing whose amount follows from a number of units. */
type UnitPricing = Exclude<Pricing, { model: 'percentage' }>;

/** Lists what a number of units costs, exactly: the units of each used tier, or the units or packages. */
export function chargeUnits(pricing: UnitPricing, quantity: ExactDecimal): TierCharge[] {
  const units = countUnits(pricing, quantity);
  if ('tiers' in pricing) return chargeTiers(pricing, units);
  return [chargeTier({ upTo: null, unitAmount: pricing.unitAmount, flatAmount: '0' }, units)];
}

/** Sums charges, exactly. */
export const sumCharges = (charges: readonly TierCharge[]): ExactDecimal =>
  charges.reduce((sum, { amount }) => addDecimals(sum, readSum(amount)), wholeDecimal(0));

/** Counts what the unit amount is charged for: units or started packages. */
function countUnits(pricing: UnitPricing, quantity: ExactDecimal): ExactDecimal {
  if (pricing.model !== 'package') return quantity;
  const size = BigInt(pricing.packageSize) * 10n ** BigInt(quantity.scale);
  return wholeDecimal((quantity.digits + size - 1n) / size);
}

const chargeTiers = (
  { model, tiers }: Extract<UnitPricing, { tiers: PriceTier[] }>,
  units: ExactDecimal,
): TierCharge[] => (model === 'graduated' ? chargeGraduated(tiers, units) : chargeVolume(tiers, units));

/** Without units, the flat amount of the first tier is charged. */
function chargeGraduated(tiers: PriceTier[], units: ExactDecimal): TierCharge[] {
  const charges: TierCharge[] = [];
  let below = wholeDecimal(0);
  for (const tier of tiers) {
    if (charges.length > 0 && compareDecimals(units, below) <= 0) break;
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
