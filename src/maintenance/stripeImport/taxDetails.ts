/** The details of Stripe's customers for tax and documents. */
import type { Address, TaxId } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { address, locale, mostTaxIds, printedText } from '../../tenants/parties.ts';
import { taxIdParsers } from '../../lib/taxIds.ts';
import type { Loss } from './losses.ts';
import { describeValue, longestCode, parseList, parseObject, parseText, type Json } from './values.ts';

/** The columns of a customer that come from Stripe's fields for tax and invoices. */
export type TaxDetails = Partial<
  Pick<Row<'customers'>, 'address' | 'companyName' | 'locale' | 'taxExempt' | 'taxIds'>
>;

type ListLoss = (kind: Loss['kind'], field: string, why: string) => void;

/**
 * Reads the details of a customer in Stripe's API. Details that are not valid here are left out and listed as losses.
 * Throws an Error for a field it cannot read.
 */
export function parseTaxDetails(object: Json): { details: TaxDetails; losses: Loss[] } {
  const losses: Loss[] = [];
  const listLoss: ListLoss = (kind, field, why) => void losses.push({ kind, field, why });
  const details = {
    address: parseAddress(object, listLoss),
    companyName: parseCompanyName(object, listLoss),
    locale: parseLocale(object, listLoss),
    taxExempt: parseExemption(object, listLoss),
    taxIds: parseTaxIds(object, listLoss),
  };
  return { details, losses };
}

function parseAddress(object: Json, listLoss: ListLoss): Address | null {
  const given = parseObject(object['address'], 'address');
  const parse = (field: string) => parseText(given[field], `address.${field}`);
  const fields = {
    line1: parse('line1'),
    line2: parse('line2'),
    city: parse('city'),
    postalCode: parse('postal_code'),
    region: parse('state'),
    country: parse('country'),
  };
  if (Object.values(fields).every((text) => text.trim() === '')) return null;
  const { data, error } = address.safeParse(fields);
  if (data) return data;
  const [{ path, message }] = error.issues as [(typeof error.issues)[number]];
  listLoss('address', 'address', `has an address whose ${path.join('.')} ${message}`);
  return null;
}

const companyKeys = ['company_name', 'company'];

/** Reads the name of a business: `business_name`, or metadata. `name` may be that of a person. */
function parseCompanyName(object: Json, listLoss: ListLoss): string | null {
  const metadata = parseObject(object['metadata'], 'metadata');
  const names: [field: string, value: unknown][] = [
    ['business_name', parseText(object['business_name'], 'business_name')],
    ...companyKeys.map((key): [string, unknown] => [`metadata.${key}`, metadata[key]]),
  ];
  const [field, name] = names.find(([, value]) => typeof value === 'string' && value.trim() !== '') ?? [];
  if (field === undefined) return null;
  const { data, error } = printedText.safeParse(name);
  if (data !== undefined) return data;
  listLoss('company_name', field, `has a company name that ${error.issues[0]!.message}`);
  return null;
}

/** Reads the first of the customer's languages. */
function parseLocale(object: Json, listLoss: ListLoss): string | null {
  const list: unknown = object['preferred_locales'] ?? [];
  if (!Array.isArray(list)) throw new Error(`preferred_locales must be a list, not ${describeValue(list)}`);
  const tag = parseText(list[0], 'preferred_locales.0');
  if (tag === '') return null;
  const { data, error } = locale.safeParse(tag);
  if (data !== undefined) return data;
  listLoss('locale', 'preferred_locales', `has a language that ${error.issues[0]!.message}`);
  return null;
}

function parseExemption(object: Json, listLoss: ListLoss): true | null {
  const given = parseText(object['tax_exempt'], 'tax_exempt', longestCode) || 'none';
  if (given === 'exempt') return true;
  if (given === 'reverse')
    listLoss(
      'tax_exempt',
      'tax_exempt',
      'is set to reverse charge; here reverse charge follows from a VAT id of another member state',
    );
  else if (given !== 'none')
    throw new Error(`tax_exempt must be none, exempt or reverse, not ${describeValue(given)}`);
  return null;
}

/** Stripe has Norwegian VAT numbers without the code of the country: `123456789MVA`. */
const addNorway = (text: string) => (/^\d/.test(text) ? `NO${text}` : text);

/** Reads the tax ids. Types that are not known here become `other`. */
function parseTaxIds(object: Json, listLoss: ListLoss): TaxId[] | null {
  const list = parseObject(object['tax_ids'], 'tax_ids');
  const ids = new Map<string, TaxId>();
  const refuseId = (why: string) => listLoss('tax_id', 'tax_ids', why);
  for (const [index, each] of parseList(list['data'], 'tax_ids.data').entries()) {
    const given = parseText(each['type'], `tax_ids.data.${index}.type`, longestCode);
    const text = parseText(each['value'], `tax_ids.data.${index}.value`);
    const type = Object.hasOwn(taxIdParsers, given) ? (given as TaxId['type']) : 'other';
    const value = taxIdParsers[type](type === 'no_vat' ? addNorway(text) : text);
    const shown = `${describeValue(text)} (${given || 'without a type'})`;
    if (value === undefined) refuseId(`has the tax id ${shown}, whose form or check digits do not fit`);
    else if (ids.size < mostTaxIds || ids.has(`${type} ${value}`))
      ids.set(`${type} ${value}`, { type, value });
    else refuseId(`has more than ${mostTaxIds} tax ids: ${shown} is left out`);
  }
  if (list['has_more'] === true) refuseId('has more tax ids than the file');
  return ids.size === 0 ? null : [...ids.values()];
}
