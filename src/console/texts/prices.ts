import { useFormat, type Amount } from './format.ts';
import { defineTexts, useTexts } from './language.tsx';

/** The parts of a price from which its words are made. */
export interface PriceLike {
  model: 'flat' | 'graduated' | 'package' | 'per_unit' | 'volume';
  details: Amount;
  packageSize: number | null;
  recurring: { frequency: 'Daily' | 'Monthly' | 'Weekly' | 'Yearly'; period: number };
  tiers: { upTo: string | null; unitAmount: string; flatAmount: string }[];
}

export const priceTexts = defineTexts({
  en: {
    flat: 'Flat',
    per_unit: 'Per unit',
    package: 'Packages',
    graduated: 'Graduated tiers',
    volume: 'Volume tiers',
    Daily: 'day',
    Weekly: 'week',
    Monthly: 'month',
    Yearly: 'year',
    every: (count: string, unit: string) => `every ${count} ${unit}s`,
    each: (unit: string) => `per ${unit}`,
    perUnit: (amount: string) => `${amount} per unit`,
    perPackage: (amount: string, size: string) => `${amount} per ${size} units`,
    tiers: (count: string) => `${count} tiers`,
  },
  de: {
    flat: 'Festpreis',
    per_unit: 'Je Einheit',
    package: 'Pakete',
    graduated: 'Staffel je Stufe',
    volume: 'Mengenstaffel',
    Daily: 'Tag',
    Weekly: 'Woche',
    Monthly: 'Monat',
    Yearly: 'Jahr',
    every: (count, unit) => `alle ${count} × ${unit}`,
    each: (unit) => `je ${unit}`,
    perUnit: (amount) => `${amount} je Einheit`,
    perPackage: (amount, size) => `${amount} je ${size} Einheiten`,
    tiers: (count) => `${count} Stufen`,
  },
  fr: {
    flat: 'Forfait',
    per_unit: 'Par unité',
    package: 'Par lots',
    graduated: 'Paliers progressifs',
    volume: 'Paliers de volume',
    Daily: 'jour',
    Weekly: 'semaine',
    Monthly: 'mois',
    Yearly: 'an',
    every: (count, unit) => `tous les ${count} × ${unit}`,
    each: (unit) => `par ${unit}`,
    perUnit: (amount) => `${amount} par unité`,
    perPackage: (amount, size) => `${amount} par lot de ${size}`,
    tiers: (count) => `${count} paliers`,
  },
  fa: {
    flat: 'ثابت',
    per_unit: 'به ازای واحد',
    package: 'بسته‌ای',
    graduated: 'پله‌ای تدریجی',
    volume: 'پله‌ای حجمی',
    Daily: 'روز',
    Weekly: 'هفته',
    Monthly: 'ماه',
    Yearly: 'سال',
    every: (count, unit) => `هر ${count} ${unit}`,
    each: (unit) => `در ${unit}`,
    perUnit: (amount) => `${amount} برای هر واحد`,
    perPackage: (amount, size) => `${amount} برای هر ${size} واحد`,
    tiers: (count) => `${count} پله`,
  },
});

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
