import { useFormat, type Amount } from './format.ts';
import { useTexts } from './language.tsx';
import { priceTexts } from './texts.ts';

/** The parts of a price from which its words are made. */
export interface PriceLike {
  model: 'flat' | 'graduated' | 'package' | 'per_unit' | 'percentage' | 'volume';
  details: Amount;
  packageSize: number | null;
  recurring: { frequency: 'Daily' | 'Monthly' | 'Weekly' | 'Yearly'; period: number };
  tiers: { upTo: string | null; unitAmount: string; flatAmount: string }[];
}

/** Returns functions that put a price and its interval into words. */
export function usePriceWords() {
  const t = useTexts(priceTexts);
  const format = useFormat();
  const writeInterval = ({ frequency, period }: PriceLike['recurring']): string =>
    period === 1 ? t.each(t[frequency]) : t.every(format.number(period), t[frequency]);
  const writeAmount = ({ model, details, packageSize, tiers }: PriceLike): string => {
    const amount = format.money(details);
    if (model === 'per_unit') return t.perUnit(amount);
    if (model === 'package') return t.perPackage(amount, format.number(packageSize ?? 1));
    if (model === 'percentage') return `${t.percentage}, ${details.currency.toUpperCase()}`;
    return model === 'flat'
      ? amount
      : `${t.tiers(format.number(tiers.length))}, ${details.currency.toUpperCase()}`;
  };
  return {
    writeInterval,
    writeAmount,
    writePrice: (price: PriceLike) => `${writeAmount(price)} ${writeInterval(price.recurring)}`,
    writeModel: (model: PriceLike['model']) => t[model],
  };
}
