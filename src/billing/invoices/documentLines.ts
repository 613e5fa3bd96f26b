/** The texts of the lines of documents: what was sold, and how the amount was computed, in the customer's language. */
import { compareDecimals, multiplyDecimals, readDecimal, wholeDecimal } from '../../lib/decimal.ts';
import {
  decimalFromMinor,
  decimalText,
  formatMoney,
  formatUnitAmount,
  unitAmountText,
} from '../../lib/money.ts';
import type { QuantityExplanation } from '../pricing/invoiceLines.ts';
import type { Explanation } from '../pricing/proration.ts';
import type { LineDiscount, LineTax } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { dayMs } from '../../lib/durations.ts';

/** What a document reads of an invoice line, written or not. */
export interface BilledLine {
  kind: Row<'invoiceLines'>['kind'];
  productName?: string;
  description: string;
  amountMinor: bigint;
  periodStart: string;
  periodEnd: string;
  explanation: object;
  discounts?: LineDiscount[] | null;
  tax?: LineTax | null;
  /** On a credit: the line that it credits. */
  creditedLineId?: string | null;
}

/** `of` is the product; `days` and `total` are numbers of days. */
interface LineTexts {
  credit: (of: string) => string;
  charge: (of: string) => string;
  setupFee: (of: string) => string;
  share: (days: string, total: string, price: string) => string;
  units: (count: string, price: string) => string;
  packages: (count: string, size: string, price: string) => string;
  flat: (amount: string) => string;
  /** Instead of the dates of a period that is not fixed yet. */
  fromPayment: string;
  /** Why a part of a first period is credited. */
  lateStart: string;
}

const texts: Record<string, LineTexts> = {
  en: {
    credit: (of) => `Unused time on ${of}`,
    charge: (of) => `Remaining time on ${of}`,
    setupFee: (of) => `${of}, set-up fee`,
    share: (days, total, price) => `${days} of ${total} days of ${price}`,
    units: (count, price) => `${count} × ${price}`,
    packages: (count, size, price) => `${count} units in packages of ${size} at ${price}`,
    flat: (amount) => `flat ${amount}`,
    fromPayment: 'The period begins when the payment is received',
    lateStart: 'The subscription started after the first day of the billed period',
  },
  de: {
    credit: (of) => `Nicht genutzte Zeit: ${of}`,
    charge: (of) => `Verbleibende Zeit: ${of}`,
    setupFee: (of) => `${of}, Einrichtungsgebühr`,
    share: (days, total, price) => `${days} von ${total} Tagen zu ${price}`,
    units: (count, price) => `${count} × ${price}`,
    packages: (count, size, price) => `${count} Einheiten in Paketen zu ${size} für je ${price}`,
    flat: (amount) => `pauschal ${amount}`,
    fromPayment: 'Der Zeitraum beginnt mit dem Eingang der Zahlung',
    lateStart: 'Das Abonnement begann nach dem ersten Tag des berechneten Zeitraums',
  },
  fr: {
    credit: (of) => `Temps non utilisé : ${of}`,
    charge: (of) => `Temps restant : ${of}`,
    setupFee: (of) => `${of}, frais de mise en service`,
    share: (days, total, price) => `${days} jours sur ${total}, à ${price}`,
    units: (count, price) => `${count} × ${price}`,
    packages: (count, size, price) => `${count} unités par lots de ${size} à ${price}`,
    flat: (amount) => `forfait de ${amount}`,
    fromPayment: 'La période commence à la réception du paiement',
    lateStart: 'L’abonnement a commencé après le premier jour de la période facturée',
  },
  fa: {
    credit: (of) => `زمان استفاده‌نشده: ${of}`,
    charge: (of) => `زمان باقی‌مانده: ${of}`,
    setupFee: (of) => `${of}، هزینهٔ راه‌اندازی`,
    share: (days, total, price) => `${days} از ${total} روز، ${price}`,
    units: (count, price) => `${count} × ${price}`,
    packages: (count, size, price) => `${count} واحد در بسته‌های ${size}تایی، هر بسته ${price}`,
    flat: (amount) => `مبلغ ثابت ${amount}`,
    fromPayment: 'دوره با دریافت پرداخت آغاز می‌شود',
    lateStart: 'اشتراک پس از نخستین روز دورهٔ صورت‌حساب آغاز شد',
  },
};

/** Returns the texts of a language; English for languages without texts. */
const findTexts = (locale: string): LineTexts => texts[locale.split('-')[0]!] ?? texts['en']!;

/** Describes what a line charges, in the language of a locale. */
export function describeLine({ kind, productName, description }: BilledLine, locale: string): string {
  const { credit, charge, setupFee } = findTexts(locale);
  if (kind === 'ITEM' || !productName) return description;
  if (kind === 'PRORATION_CREDIT') return credit(productName);
  if (kind === 'PRORATION_CHARGE') return charge(productName);
  return kind === 'SETUP_FEE' ? setupFee(productName) : productName;
}

/** Explains why a part of a first period is credited, in the language of a locale. */
export const describeLateStart = (locale: string): string => findTexts(locale).lateStart;

type Figures = Partial<Explanation> & QuantityExplanation;

/**
 * Describes how the amount of a line was computed: the units, packages or tiers, and the share of the period; and when a
 * period without dates begins.
 */
export function describeDetails(
  { explanation }: BilledLine,
  currency: string,
  locale: string,
  isFromPayment: boolean,
): string[] {
  const figures = explanation as Figures;
  return [
    ...(isFromPayment ? [findTexts(locale).fromPayment] : []),
    ...describeUnits(figures, currency, locale),
    ...describeShare(figures, currency, locale),
  ];
}

function describeUnits(
  { model, quantity = 1, unitAmount, packageSize, tiers = [] }: Figures,
  currency: string,
  locale: string,
): string[] {
  const { units, packages, flat } = findTexts(locale);
  if (model === 'package' && unitAmount !== undefined)
    return [packages(String(quantity), String(packageSize), formatUnitAmount(unitAmount, currency))];
  return tiers.map((tier) => {
    const price = units(tier.quantity, formatUnitAmount(tier.unitAmount, currency));
    return Number(tier.flatAmount) === 0
      ? price
      : `${price} + ${flat(formatUnitAmount(tier.flatAmount, currency))}`;
  });
}

/** Returns a number of days with at most one decimal. */
const toDays = (ms: number): string => String(Math.round((ms / dayMs) * 10) / 10);

function describeShare(
  { priceMinor, remainingMs, totalMs }: Figures,
  currency: string,
  locale: string,
): string[] {
  if (priceMinor === undefined || remainingMs === undefined || totalMs === undefined) return [];
  if (remainingMs === totalMs) return [];
  const price = formatMoney(BigInt(priceMinor), currency);
  return [findTexts(locale).share(toDays(remainingMs), toDays(totalMs), price)];
}

/**
 * Returns the quantity and the unit price of a line whose list amount (minor units) is their product; otherwise one unit
 * at the list amount.
 */
export function findUnits(
  explanation: object,
  listMinor: bigint,
  currency: string,
): { quantity: string; unitPrice: string } {
  const { quantity, unitAmount, packageSize } = explanation as Figures;
  const whole = { quantity: '1', unitPrice: decimalText(listMinor, currency) };
  if (quantity === undefined || unitAmount === undefined || packageSize !== undefined) return whole;
  const product = multiplyDecimals(wholeDecimal(quantity), readDecimal(unitAmount));
  const isExact = compareDecimals(product, decimalFromMinor(listMinor, currency)) === 0;
  return isExact ? { quantity: String(quantity), unitPrice: unitAmountText(unitAmount, currency) } : whole;
}
