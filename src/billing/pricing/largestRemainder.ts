/** Sharing an amount in whole minor units by the method of the largest remainder. */

/**
 * Shares an amount by weights. The shares sum to the amount: each is rounded down, and the rest goes, one minor unit
 * each, to the shares with the largest remainders, of equal ones to the later.
 */
export function shareByLargestRemainder(amountMinor: bigint, weights: bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map(() => 0n);
  const shares = weights.map((weight) => (amountMinor * weight) / total);
  const restMinor = shares.reduce((rest, share) => rest - share, amountMinor);
  const order = orderByRemainder(weights.map((weight) => (amountMinor * weight) % total));
  for (const index of order.slice(0, Number(restMinor))) shares[index]! += 1n;
  return shares;
}

/** Returns the indexes of remainders, the largest first, of equal ones the later. */
export const orderByRemainder = (remainders: bigint[]): number[] =>
  remainders
    .map((remainder, index) => ({ index, remainder }))
    .toSorted((a, b) =>
      a.remainder === b.remainder ? b.index - a.index : a.remainder > b.remainder ? -1 : 1,
    )
    .map(({ index }) => index);
