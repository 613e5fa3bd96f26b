/**
 * What may be shown of the payment methods in Stripe's files: their type, brand, last digits and expiry. Fingerprints are
 * not imported: one of two methods of the same card would be detached, and a subscription at Stripe may be charged to it.
 */
import type { MethodDetails } from '../../providers/provider.ts';
import { computeExpiry } from '../../providers/stripe/methods.ts';
import {
  describeValue,
  isObject,
  longestCode,
  parseObject,
  parseText,
  parseWhole,
  type Json,
} from './values.ts';

/** A payment method, a card or a source of Stripe's API, with what may be shown of it. */
export interface StripeMethod {
  id: string;
  details: MethodDetails;
}

const longestText = 100;
const lastMonth = 12;
const lastYear = 9999;

/** Reads a payment method, or a card of the older API. Throws an Error for a field it cannot read. */
export function parseMethod(object: Json): StripeMethod {
  const type = object['object'] === 'card' ? 'card' : parseText(object['type'], 'type', longestCode);
  const own = object['object'] === 'card' ? object : parseObject(object[type], type);
  const readText = (field: string) => parseText(own[field], `${type}.${field}`, longestText) || null;
  return {
    id: parseText(object['id'], 'id', longestText),
    details: {
      type: type || null,
      brand: toBrand(readText('brand')) ?? readText('bank_name'),
      last4: readText('last4'),
      expiresAt: parseExpiry(own['exp_year'], own['exp_month'], type),
      fingerprint: null,
    },
  };
}

/** Lists the methods that are expanded in fields of an object. Throws an Error for a field it cannot read. */
export const listExpandedMethods = (...fields: unknown[]): StripeMethod[] =>
  fields.filter(isObject).map(parseMethod);

/** Reads the card of a customer's row; none if the row lacks it. Throws an Error for a field it cannot read. */
export function parseCardColumns(row: Record<string, string>): StripeMethod[] {
  const id = row['Card ID'];
  if (!id) return [];
  const [month, year] = [row['Card Exp Month'], row['Card Exp Year']];
  const details = {
    type: 'card',
    brand: toBrand(row['Card Brand'] || null),
    last4: row['Card Last4'] || null,
    expiresAt: month && year ? parseExpiry(year, month, 'Card') : null,
    fingerprint: null,
  };
  return [{ id, details }];
}

/** Cards of the older API have names such as `American Express`, payment methods codes such as `amex`. */
function toBrand(brand: string | null): string | null {
  if (brand === null) return null;
  const lower = brand.toLowerCase();
  return codes[lower] ?? lower.replaceAll(' ', '_');
}

const codes: Record<string, string> = { 'american express': 'amex', 'diners club': 'diners' };

function parseExpiry(year: unknown, month: unknown, type: string): string | null {
  const isGiven = [year, month].every((each) => each !== null && each !== undefined);
  if (!isGiven) return null;
  const [wholeYear, wholeMonth] = [
    parseWhole(year, `${type}.exp_year`),
    parseWhole(month, `${type}.exp_month`),
  ];
  if (wholeMonth < 1 || wholeMonth > lastMonth)
    throw new Error(`${type}.exp_month must be 1 to 12, not ${describeValue(month)}`);
  if (wholeYear < 1 || wholeYear >= lastYear)
    throw new Error(`${type}.exp_year must be a year, not ${describeValue(year)}`);
  return computeExpiry(wholeYear, wholeMonth);
}
