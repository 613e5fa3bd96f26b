/** The texts of the lines of documents: what was sold, and how the amount was computed, in the customer's language. */
import { compareDecimals, multiplyDecimals, readDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { decimalFromMinor, decimalText, unitAmountText } from '../../lib/money.ts';
import type { QuantityExplanation } from '../pricing/invoiceLines.ts';
import type { Explanation } from '../pricing/proration.ts';
import type { LineDiscount, LineTax } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { dayMs } from '../../lib/durations.ts';
import { fillText } from '../../lib/texts.ts';
import { chooseNumberFormat } from '../../documents/language.ts';
import { describeUsage, describeUsageLine, type UsageFigures } from './usageDetails.ts';
import { describePackages, describeTiers, findTexts, writeMoney } from './lineFigures.ts';

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

/** Describes what a line charges, in the language of a locale. */
export function describeLine(
  { kind, productName, description, explanation }: BilledLine,
  locale: string,
): string {
  const { credit, charge, setupFee } = findTexts(locale);
  if (kind === 'ITEM' || !productName) return description;
  if (kind === 'USAGE') return describeUsageLine(explanation as UsageFigures, productName, locale);
  if (kind === 'PRORATION_CREDIT') return fillText(credit, { of: productName });
  if (kind === 'PRORATION_CHARGE') return fillText(charge, { of: productName });
  return kind === 'SETUP_FEE' ? fillText(setupFee, { of: productName }) : productName;
}

/** Explains why a part of a first period is credited, in the language of a locale. */
export const describeLateStart = (locale: string): string => findTexts(locale).lateStart;

type Figures = Partial<Explanation> & QuantityExplanation;

/**
 * Describes how the amount of a line was computed: the units, packages or tiers, and the share of the period; and when a
 * period without dates begins.
 */
export function describeDetails(
  { kind, explanation }: BilledLine,
  currency: string,
  locale: string,
  isFromPayment: boolean,
): string[] {
  if (kind === 'USAGE') return describeUsage(explanation as UsageFigures, currency, locale);
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
  if (model === 'package' && unitAmount !== undefined)
    return [describePackages({ units: String(quantity), packageSize, unitAmount }, currency, locale)];
  return describeTiers(tiers, currency, locale);
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
  const format = chooseNumberFormat(locale);
  const price = writeMoney(format(decimalText(BigInt(priceMinor), currency)), currency);
  const { share } = findTexts(locale);
  return [fillText(share, { days: format(toDays(remainingMs)), total: format(toDays(totalMs)), price })];
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
