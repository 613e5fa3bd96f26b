/** Warnings of amounts that look like minor units, as the API of Stripe takes them: 2000 for 20 dollars. */
import { formatMoney } from '../../lib/money.ts';
import type { Warning } from '../../lib/warnings.ts';
import { computeCycleAmount } from '../pricing/priceModel.ts';
import { compareYearly, computeYearlyAmount, isSameInterval, type Interval } from '../pricing/schedule.ts';
import { findModel } from './priceModels.ts';
import type { PriceRow } from './prices.ts';

const suspiciousFactor = 100n;
/** Where the intervals differ: a longer one often costs up to half as much for the same time. */
const factorAcrossIntervals = 50n;
/** The most prices with which each is compared. */
const mostCompared = 100;

interface Compared {
  price: PriceRow;
  /** What one unit costs per cycle. */
  unitMinor: bigint;
  interval: Interval;
}

/**
 * Returns the warnings of the prices of a product, oldest first, by the id of the price. A price is compared with those that
 * were created before it, or with all others if there are none: of the same currency and model, because only those measure
 * the same; and by what one unit costs in the same time. Free and archived prices do not count. Prices of other products say nothing:
 * a product may well cost a hundred times as much as another.
 */
export function listPriceWarnings(prices: readonly PriceRow[]): Map<string, Warning[]> {
  const warnings = new Map<string, Warning[]>();
  for (const group of groupComparable(prices)) {
    for (const each of group) {
      const others = group.slice(0, mostCompared).filter((other) => other !== each);
      const earlier = others.filter(({ price }) => price.createdAt < each.price.createdAt);
      const known = earlier.length > 0 ? earlier : others;
      if (known.length > 0 && known.every((other) => isSuspicious(each, other)))
        warnings.set(each.price.id, [describe(each)]);
    }
  }
  return warnings;
}

function groupComparable(prices: readonly PriceRow[]): Compared[][] {
  const groups = new Map<string, Compared[]>();
  for (const price of prices) {
    const measured = measure(price);
    const key = `${price.currency} ${findModel(price)}`;
    const group = groups.get(key) ?? [];
    if (measured.unitMinor > 0n && price.archivedAt === null) group.push(measured);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const measure = (price: PriceRow): Compared => ({
  price,
  unitMinor: computeCycleAmount(price, 1).amountMinor,
  interval: { frequency: price.frequency, period: price.period },
});

/** Whether the amount of one price is so many times that of another that it is probably in minor units. */
function isSuspicious(one: Compared, other: Compared): boolean {
  const factor = isSameInterval(one.interval, other.interval) ? suspiciousFactor : factorAcrossIntervals;
  const amount = computeYearlyAmount(one.unitMinor, one.interval);
  return compareYearly(amount, computeYearlyAmount(other.unitMinor * factor, other.interval)) >= 0;
}

function describe({ price: { currency }, unitMinor }: Compared): Warning {
  const meant = formatMoney(unitMinor / suspiciousFactor, currency);
  const message =
    `${formatMoney(unitMinor, currency)} is about 100 times what the product's other prices charge, or more. Amounts are ` +
    `in major units: if ${meant} is meant, write it so.`;
  return { code: 'amount_unusual', message };
}
