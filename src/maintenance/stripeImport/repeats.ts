import { isDeepStrictEqual } from 'node:util';
import type { StripeExport } from './records.ts';

/**
 * Removes records that the files contain several times, as exports of overlapping pages do. Throws an Error if two
 * records with one id differ.
 */
export function removeRepeats(from: StripeExport): StripeExport {
  const { customers, products, prices, subscriptions, taxRates } = from;
  return {
    ...from,
    customers: listOnce('customer', customers),
    products: listOnce('product', products),
    prices: listOnce('price', prices),
    subscriptions: listOnce('subscription', subscriptions),
    taxRates: listOnce('tax rate', taxRates),
  };
}

function listOnce<Kept extends { id: string }>(kind: string, all: Kept[]): Kept[] {
  const byId = new Map<string, Kept>();
  for (const each of all) {
    const earlier = byId.get(each.id);
    if (earlier && !isDeepStrictEqual(earlier, each))
      throw new Error(`The ${kind} ${each.id} is in the files twice, and differs: keep one of them.`);
    byId.set(each.id, earlier ?? each);
  }
  return [...byId.values()];
}
