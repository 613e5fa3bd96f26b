/**
 * Which tax rate applies to a sale of services: the rules of Directive 2006/112/EC for sellers in the European Union, and
 * the tenant's own rates. Pure; all bills and previews resolve their rates with these functions.
 */
import { findVatCountry } from '../../lib/taxIds.ts';
import type { Address, TaxCategory, TaxReason, TaxTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findStandardRate, locate, type VatPlace } from './vatPlaces.ts';

export type TaxRateRow = Row<'taxRates'>;

/** The fields of a customer that decide the tax. */
export type TaxedCustomer = Pick<
  Row<'customers'>,
  'address' | 'taxIds' | 'taxExempt' | 'taxRateId' | 'vatIdCheck'
>;

/** A sale as far as it decides the tax. */
export interface Sale {
  seller: Address;
  /** Whether an exemption of the seller covers all of its sales. */
  isSellerExempt: boolean;
  /** Undefined if it is not known yet. */
  customer: TaxedCustomer | undefined;
  /** The tax code of the product; null for the rates of all products. */
  taxCode: string | null;
  /** Whether reverse charge needs an id that VIES has confirmed. */
  needsVatIdCheck: boolean;
  /** The tenant's rates, at least those of the countries of both parties and the customer's own. */
  rates: TaxRateRow[];
  /** The instant of the sale, and its calendar date for the seller. */
  at: string;
  date: string;
}

const reasons: { [C in TaxCategory]?: TaxReason } = {
  Z: 'zero_rated',
  E: 'exempt',
  AE: 'reverse_charge',
  K: 'intra_community',
  G: 'export',
  O: 'outside_scope',
};

/** The terms of all sales of an exempt seller. */
const exemptSeller: TaxTerms = { category: 'E', percent: '0', reason: 'exempt_seller' };

/**
 * Returns the tax terms of a sale. In this order: an exempt seller, an exempt customer, the rate of the product's tax code in the customer's
 * place, the customer's own rate, reverse charge, then the place: region and postcode before country, the tenant's rates
 * before the standard rates. A customer without a country is taxed in the seller's place.
 */
export function resolveTerms(sale: Sale): TaxTerms {
  const { seller, customer, rates, taxCode } = sale;
  if (sale.isSellerExempt) return exemptSeller;
  if (customer?.taxExempt) return { category: 'E', percent: '0', reason: 'exempt_customer' };
  const from = locate(seller);
  const to = locate(customer?.address ?? seller);
  const isReverseCharge = isChargedInReverse(sale);
  const byCode = taxCode === null || isReverseCharge ? undefined : findPlaceRate(sale, to, taxCode);
  const own = byCode ?? rates.find((rate) => rate.id === customer?.taxRateId && isInForce(rate, sale.at));
  if (own) return buildTerms(own);
  if (isReverseCharge) return { category: 'AE', percent: '0', reason: 'reverse_charge' };
  return resolvePlace(sale, from, to);
}

/**
 * Whether the customer owes the tax: a business of another member state, known by its VAT id (articles 44 and 196). An id
 * that VIES must confirm counts only with its answer about this very id.
 */
function isChargedInReverse({ seller, customer, needsVatIdCheck }: Sale): boolean {
  const vatId = customer && findReverseChargeId(seller, customer);
  if (vatId === undefined || !needsVatIdCheck) return vatId !== undefined;
  const check = customer?.vatIdCheck;
  return check?.value === vatId && check.status === 'valid';
}

/** Returns the VAT id by which a customer is a business of another member state of their address; undefined for others. */
export function findReverseChargeId(
  seller: Address,
  { address, taxIds }: Pick<TaxedCustomer, 'address' | 'taxIds'>,
): string | undefined {
  if (!address || !taxIds) return undefined;
  const [from, to] = [locate(seller), locate(address)];
  if (!from.isInUnion || !to.isInUnion || from.country === to.country) return undefined;
  return taxIds.find(({ type, value }) => type === 'eu_vat' && findVatCountry(value) === to.country)?.value;
}

function resolvePlace(sale: Sale, from: VatPlace, to: VatPlace): TaxTerms {
  const own = findPlaceRate(sale, to, null);
  // The rate of a part of a country precedes that of the whole.
  const isWholeCountry = own?.region === null && own.postcode === null;
  if (own && !(isWholeCountry && from.isInUnion && to.territory)) return buildTerms(own);
  if (from.isInUnion && to.isInUnion) return { category: 'S', percent: findStandardRate(to, sale.date) };
  return { category: 'O', percent: '0', reason: 'outside_scope' };
}

/**
 * Returns the tenant's rate for a place: the longest postcode first, then the region, then the latest of those in force,
 * then the newest.
 */
function findPlaceRate(
  { rates, at }: Pick<Sale, 'rates' | 'at'>,
  place: VatPlace,
  taxCode: string | null,
): TaxRateRow | undefined {
  const matching = rates.filter(
    (rate) => rate.taxCode === taxCode && isInForce(rate, at) && covers(rate, place),
  );
  return matching.toSorted(
    (a, b) =>
      rankPlace(b) - rankPlace(a) || compareText(b.effectiveFrom, a.effectiveFrom) || compareText(b.id, a.id),
  )[0];
}

const compareText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const rankPlace = ({ postcode, region }: TaxRateRow) =>
  (postcode === null ? 0 : 2 * postcode.length) + (region === null ? 0 : 1);

/** Whether bills of an instant can have a rate. */
export const isInForce = ({ effectiveFrom, archivedAt }: TaxRateRow, at: string): boolean =>
  effectiveFrom <= at && (archivedAt === null || archivedAt > at);

const covers = (rate: TaxRateRow, place: VatPlace) =>
  rate.country === place.ownCountry &&
  (rate.region === null || rate.region === place.region) &&
  (rate.postcode === null || place.postcode.startsWith(rate.postcode));

/** Returns the terms of a tax rate. */
export const buildTerms = ({ category, percent }: Pick<TaxRateRow, 'category' | 'percent'>): TaxTerms => {
  const reason = reasons[category];
  return reason ? { category, percent, reason } : { category, percent };
};
