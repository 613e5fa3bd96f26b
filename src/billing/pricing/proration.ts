/** Proration: the price of a part of a cycle, and the credit for the unused part of a paid period. */
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { LineTax } from '../../storage/model/common.ts';
import type { Period } from './schedule.ts';

/** The figures behind an amount, price × remaining ÷ total, so that anyone can recompute it. */
export interface Explanation {
  priceMinor: string;
  remainingMs: number;
  totalMs: number;
  rounding: 'half_up';
  /** On a credit for a partly credited or refunded line: what was paid for the line with its tax, and the part given back. */
  paidMinor?: string;
  givenBackMinor?: string;
}

/** The line that billed a period, and the part of it given back by credits and refunds; both with their tax. */
export interface PaidLine {
  id: string;
  amountMinor: bigint;
  givenBackMinor: bigint;
  /** Absent if it is not taxed. */
  tax?: LineTax;
  /** The figures behind its amount. */
  explanation: Pick<Explanation, 'priceMinor' | 'totalMs'>;
}

/**
 * Computes the price of `part` of a `whole` cycle from the price of the cycle (minor units): price × part ÷ whole in
 * exact milliseconds, rounded half up. Throws unless `part` lies within a `whole` that is not empty.
 */
export function prorate(
  priceMinor: bigint,
  part: Period,
  whole: Period,
): { amountMinor: bigint; explanation: Explanation } {
  const [from, to] = [Date.parse(part.start), Date.parse(part.end)];
  const [start, end] = [Date.parse(whole.start), Date.parse(whole.end)];
  if (!(start <= from && from <= to && to <= end)) {
    throw new RangeError(`${part.start}/${part.end} does not lie within ${whole.start}/${whole.end}`);
  }
  const [remainingMs, totalMs] = [to - from, end - start];
  return {
    amountMinor: divideRoundHalfUp(priceMinor * BigInt(remainingMs), BigInt(totalMs)),
    explanation: { priceMinor: String(priceMinor), remainingMs, totalMs, rounding: 'half_up' },
  };
}

/**
 * Returns the amount of a credit (minor units, not negative) from its figures: price × remaining ÷ total × the share
 * not given back earlier, rounded half up once. It never exceeds the remaining amount of the line.
 */
export function computeCredit({
  priceMinor,
  remainingMs,
  totalMs,
  paidMinor = '1',
  givenBackMinor = '0',
}: Explanation): bigint {
  const [paid, givenBack] = [BigInt(paidMinor), BigInt(givenBackMinor)];
  if (paid <= givenBack) return 0n;
  const exact = BigInt(priceMinor) * BigInt(remainingMs) * (paid - givenBack);
  return divideRoundHalfUp(exact, BigInt(totalMs) * paid);
}
