import type { ExactDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor, divideRoundHalfUp } from '../../lib/money.ts';

/**
 * Currencies whose Stripe units differ from ISO 4217 minor units (https://docs.stripe.com/currencies): one ISO unit is
 * `times` Stripe units, or one Stripe unit is `per` ISO units; amounts are multiples of `step`.
 */
const currencyUnits: Record<string, CurrencyUnits> = {
  // ISO has no decimals; Stripe still uses two.
  isk: { times: 100n },
  ugx: { times: 100n },
  // ISO has two decimals; Stripe has none.
  mga: { per: 100n },
  // ISO has three decimals; card networks carry two.
  bhd: { step: 10n },
  jod: { step: 10n },
  kwd: { step: 10n },
  omr: { step: 10n },
  tnd: { step: 10n },
};

interface CurrencyUnits {
  times?: bigint;
  per?: bigint;
  step?: bigint;
}

/** Converts ISO minor units to Stripe units, rounded half up to an amount that Stripe can charge. */
export function toStripeAmount(amountMinor: bigint, currency: string): number {
  const { times = 1n, per = 1n, step = 1n } = currencyUnits[currency] ?? {};
  return Number(divideRoundHalfUp(amountMinor * times, per * step) * step);
}

/** Converts Stripe units to ISO minor units. */
export function fromStripeAmount(amount: number, currency: string): bigint {
  const { times = 1n, per = 1n } = currencyUnits[currency] ?? {};
  return (BigInt(amount) * per) / times;
}

/** Returns the ISO minor units of which Stripe charges multiples. */
export function findStepMinor(currency: string): bigint {
  const { per = 1n, step = 1n } = currencyUnits[currency] ?? {};
  return per * step;
}

/** Converts Stripe units, which may have decimals, to an exact decimal in major units. */
export function fromStripeDecimal({ digits, scale }: ExactDecimal, currency: string): ExactDecimal {
  const { times = 1n, per = 1n } = currencyUnits[currency] ?? {};
  const { scale: decimals } = decimalFromMinor(0n, currency);
  // `times` is a power of ten.
  return { digits: digits * per, scale: scale + decimals + String(times).length - 1 };
}
