import { divideRoundHalfUp } from '../../lib/money.ts';

/**
 * How Stripe counts where it does not count in ISO 4217's minor units (https://docs.stripe.com/currencies): `times`
 * units of its own for one of ISO's, or one of its own for `per` of ISO's, always a multiple of `step`.
 */
const otherwise: Record<string, Counting> = {
  // No decimals any more, but still given with two.
  isk: { times: 100n },
  ugx: { times: 100n },
  // Two by ISO, though there is nothing smaller than the whole; none for Stripe.
  mga: { per: 100n },
  // Three decimals, of which card networks carry two.
  bhd: { step: 10n },
  jod: { step: 10n },
  kwd: { step: 10n },
  omr: { step: 10n },
  tnd: { step: 10n },
};

interface Counting {
  times?: bigint;
  per?: bigint;
  step?: bigint;
}

/** An amount of ISO minor units as Stripe takes it, rounded half up to what it can charge. */
export function toStripeAmount(amountMinor: bigint, currency: string): number {
  const { times = 1n, per = 1n, step = 1n } = otherwise[currency] ?? {};
  return Number(divideRoundHalfUp(amountMinor * times, per * step) * step);
}

/** The amount that Stripe tells, in ISO minor units. */
export function fromStripeAmount(amount: number, currency: string): bigint {
  const { times = 1n, per = 1n } = otherwise[currency] ?? {};
  return (BigInt(amount) * per) / times;
}
