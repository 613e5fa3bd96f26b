import { useFormat, type Amount } from './format.ts';
import { useTexts } from './language.tsx';
import { priceTexts } from './texts.ts';

export const frequencies = ['Daily', 'Weekly', 'Monthly', 'Yearly'] as const;

/** A billing interval. */
export interface IntervalLike {
  frequency: (typeof frequencies)[number];
  period: number;
}

/** The parts of a price from which its words are made. */
export interface PriceLike {
  model: 'flat' | 'graduated' | 'package' | 'per_unit' | 'percentage' | 'volume';
  details: Amount;
  packageSize: number | null;
  recurring: IntervalLike;
  tiers: { upTo: string | null; unitAmount: string; flatAmount: string }[];
  /** The meter of a price of usage. */
  meterId: string | null;
  rates: { unitAmount: string }[];
  percentage: { percent: string; fixedPerEvent: string | null } | null;
}

/** Returns functions that put a price and its interval into words. */
export function usePriceWords() {
  const t = useTexts(priceTexts);
  const format = useFormat();
  const writeInterval = ({ frequency, period }: PriceLike['recurring']): string =>
    period === 1 ? t.each(t[frequency]) : t.every(format.number(period), t[frequency]);
  const writePercentage = ({ percentage, details: { currency } }: PriceLike): string => {
    const share = format.percent(Number(percentage?.percent ?? 0) / 100);
    const fixed = percentage?.fixedPerEvent;
    return fixed ? t.shareAndFixed(share, format.money({ decimal: fixed, currency })) : t.share(share);
  };
  const writeTerms = (price: PriceLike): string => {
    const { model, details, packageSize, tiers, rates } = price;
    const amount = format.money(details);
    if (rates.length > 0) return `${t.rates(format.number(rates.length))}, ${details.currency.toUpperCase()}`;
    if (model === 'per_unit') return t.perUnit(amount);
    if (model === 'package') return t.perPackage(amount, format.number(packageSize ?? 1));
    if (model === 'percentage') return writePercentage(price);
    return model === 'flat'
      ? amount
      : `${t.tiers(format.number(tiers.length))}, ${details.currency.toUpperCase()}`;
  };
  const markUsage = ({ meterId }: PriceLike, words: string) => (meterId === null ? words : t.byUsage(words));
  return {
    writeInterval,
    writeAmount: (price: PriceLike) => markUsage(price, writeTerms(price)),
    writePrice: (price: PriceLike) =>
      markUsage(price, `${writeTerms(price)} ${writeInterval(price.recurring)}`),
    writeModel: (model: PriceLike['model']) => t[model],
  };
}
