/** The figures of the lines of documents in the customer's language: tiers, packages and amounts of units. */
import { unitAmountText } from '../../lib/money.ts';
import { fillText } from '../../lib/texts.ts';
import { chooseNumberFormat } from '../../documents/language.ts';
import { chooseTag } from '../../documents/texts.ts';
import type { TierCharge } from '../pricing/priceModel.ts';
import { lineTexts } from './texts.ts';

/** Returns the texts of a language; English for languages without texts. */
export const findTexts = (locale: string) => lineTexts[chooseTag(locale.split('-')[0])];

/** Writes an amount with its code, which is last in each language, so that a line is read in one order. */
export const writeMoney = (figures: string, currency: string): string =>
  `${figures} ${currency.toUpperCase()}`;

/** Writes the amount of a unit, which may be finer than the currency. */
export const writeUnitAmount = (amount: string, currency: string, locale: string): string =>
  writeMoney(chooseNumberFormat(locale)(unitAmountText(amount, currency)), currency);

/** Describes what units cost. */
export const describeUnitPrice = (
  count: string,
  unitAmount: string,
  currency: string,
  locale: string,
): string =>
  fillText(findTexts(locale).units, {
    count: chooseNumberFormat(locale)(count),
    price: writeUnitAmount(unitAmount, currency, locale),
  });

/** Describes what the units of each tier cost. */
export const describeTiers = (tiers: readonly TierCharge[], currency: string, locale: string): string[] =>
  tiers.map(({ quantity, unitAmount, flatAmount }) => {
    const price = describeUnitPrice(quantity, unitAmount, currency, locale);
    if (Number(flatAmount) === 0) return price;
    const amount = writeUnitAmount(flatAmount, currency, locale);
    return `${price} + ${fillText(findTexts(locale).flat, { amount })}`;
  });

/** Describes what packages of units cost. */
export function describePackages(
  { units, packageSize, unitAmount }: { units: string; packageSize: number | undefined; unitAmount: string },
  currency: string,
  locale: string,
): string {
  const format = chooseNumberFormat(locale);
  return fillText(findTexts(locale).packages, {
    count: format(units),
    size: format(String(packageSize)),
    price: writeUnitAmount(unitAmount, currency, locale),
  });
}
