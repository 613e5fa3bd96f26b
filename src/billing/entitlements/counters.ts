/** What counts the use of a limit: its meter, or the meters of its credit type at their rates. Pure. */
import { addDecimals, readDecimal, wholeDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import type { CreditRate } from '../../storage/model/creditTerms.ts';
import type { MeterRow } from '../usage/counting.ts';

/** A meter that counts the use of a limit. */
export interface Counter {
  meter: MeterRow;
  /** What its units cost in credits; null if they are those of the limit. */
  rate: CreditRate | null;
}

/** Units by the id of the meter that counts them. */
export type MeterUnits = ReadonlyMap<string, ExactDecimal>;

/** What is used and reserved of a limit, in units of its meters. */
export interface UsedUnits {
  used: MeterUnits;
  reserved: MeterUnits;
}

/** The same in units of the limit, and a further amount. */
interface MeasuredUse {
  used: ExactDecimal;
  reserved: ExactDecimal;
  amount: ExactDecimal;
}

/**
 * Returns the use of a limit in its units, and what a further amount takes: of units of meters, or of the limit itself. Each sum
 * is rounded once, so that three thirds of a credit are one credit.
 */
export function measureUse(
  counters: readonly Counter[],
  { used, reserved }: UsedUnits,
  further: MeterUnits | ExactDecimal,
): MeasuredUse {
  const sumOfUsed = sumUnits(counters, [used]);
  const sumOfTaken = sumUnits(counters, [used, reserved]);
  const amount =
    'digits' in further ? further : subtract(sumUnits(counters, [used, reserved, further]), sumOfTaken);
  return { used: sumOfUsed, reserved: subtract(sumOfTaken, sumOfUsed), amount };
}

const subtract = (a: ExactDecimal, { digits, scale }: ExactDecimal): ExactDecimal =>
  addDecimals(a, { digits: -digits, scale });

const zero = wholeDecimal(0);

/** The places of credits: those of a limit, so that the sum is above it if and only if the exact one is. */
const creditPlaces = 12;

/** Sums units in those of the limit: credits are exact, and rounded up at the end. */
function sumUnits(counters: readonly Counter[], parts: readonly MeterUnits[]): ExactDecimal {
  const sums = counters.map(({ meter, rate }) => {
    const own = parts.flatMap((units) => units.get(meter.id) ?? []);
    return { rate, units: own.reduce(addDecimals, zero) };
  });
  if (sums.every(({ rate }) => rate === null))
    return sums.reduce((sum, { units }) => addDecimals(sum, units), zero);
  let [numerator, denominator] = [0n, 1n];
  for (const { rate, units } of sums) {
    if (units.digits === 0n) continue;
    const cost = computeCost(units, rate);
    numerator = numerator * cost.denominator + cost.numerator * denominator;
    denominator *= cost.denominator;
  }
  return { digits: divideUp(numerator * tenTo(creditPlaces), denominator), scale: creditPlaces };
}

/** Returns the credits that units cost at a rate, as a fraction. */
function computeCost(units: ExactDecimal, rate: CreditRate | null) {
  const [credits, per] = rate
    ? [readDecimal(rate.credits), readDecimal(rate.units)]
    : [wholeDecimal(1), wholeDecimal(1)];
  return {
    numerator: units.digits * credits.digits * tenTo(per.scale),
    denominator: per.digits * tenTo(units.scale + credits.scale),
  };
}

const tenTo = (power: number): bigint => 10n ** BigInt(power);

/** Divides by a number above 0, rounded up. */
const divideUp = (numerator: bigint, denominator: bigint): bigint => {
  const quotient = numerator / denominator;
  return numerator > quotient * denominator ? quotient + 1n : quotient;
};
