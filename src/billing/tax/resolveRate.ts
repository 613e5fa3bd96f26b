/**
 * Which tax rate applies to a sale, and in which place: the rules of Directive 2006/112/EC for sellers in the European Union, and
 * the tenant's own rates. Pure; all bills and previews resolve their rates with these functions.
 */
import { findVatCountry } from '../../lib/taxIds.ts';
import type { Address, ProductKind, TaxCategory, TaxReason, TaxTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { RenewedRates } from '../../storage/model/renewedRates.ts';
import { findStandardRate } from './standardRates.ts';
import { hasStandardRate, isExport, locate, northernIrelandCode, type VatPlace } from './vatPlaces.ts';

export type TaxRateRow = Row<'taxRates'>;

/** The fields of a customer that decide the tax. */
export type TaxedCustomer = Pick<
  Row<'customers'>,
  'address' | 'companyName' | 'taxIds' | 'taxExempt' | 'taxRateId' | 'vatIdCheck'
>;

/** A sale as far as it decides the tax. */
export interface Sale {
  seller: Address;
  /** Whether an exemption of the seller covers all of its sales. */
  isSellerExempt: boolean;
  /** Undefined if it is not known yet. */
  customer: TaxedCustomer | undefined;
  /** What is sold; null for an electronic service. */
  kind: ProductKind | null;
  /** Whether what is sold to other member states is taxed at the seller, because it is below the threshold. */
  isBelowThreshold: boolean;
  /** The tax code of the product; null for the rates of all products. */
  taxCode: string | null;
  /** Whether reverse charge needs an id that VIES has confirmed. */
  needsVatIdCheck: boolean;
  /** Whether an id counts until VIES has answered about it. */
  acceptsUnconfirmed?: boolean;
  /** The tenant's rates, at least those of the countries of both parties and the customer's own. */
  rates: TaxRateRow[];
  /** The standard rates that files renewed; null for those that are built in. */
  renewedRates: RenewedRates | null;
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
  const { customer, rates, taxCode } = sale;
  if (sale.isSellerExempt) return exemptSeller;
  if (customer?.taxExempt) return { category: 'E', percent: '0', reason: 'exempt_customer' };
  const isReverseCharge = isChargedInReverse(sale);
  const { from, place, terms } = findPlaceOfSupply(sale, isReverseCharge);
  const byCode = taxCode === null || isReverseCharge ? undefined : findPlaceRate(sale, place, taxCode);
  if (byCode) return { ...buildTerms(byCode), ...terms };
  const own = rates.find((rate) => rate.id === customer?.taxRateId && isInForce(rate, sale.at));
  if (own) return buildTerms(own);
  if (isReverseCharge)
    return { ...buildTerms(sale.kind === 'goods' ? withinUnion : reverseCharge), ...terms };
  return { ...resolvePlace(sale, from, place), ...terms };
}

const reverseCharge = { category: 'AE', percent: '0' } as const;
const withinUnion = { category: 'K', percent: '0' } as const;

/**
 * Returns the place whose tax applies, and what terms say of it if that is not the customer's: services to businesses and
 * electronic services are supplied at the customer (articles 44 and 58), others to private customers at the seller (45), and
 * what is done on the spot there, too (53 to 55). Goods are supplied where they arrive (33). Below the threshold the place is the
 * seller's (59c).
 */
function findPlaceOfSupply(
  sale: Sale,
  isReverseCharge: boolean,
): { from: VatPlace; place: VatPlace; terms: Pick<TaxTerms, 'country' | 'belowThreshold'> } {
  const address = sale.customer?.address ?? sale.seller;
  const [from, to] = [locate(sale.seller, sale.kind), locate(address, sale.kind)];
  const isBelow = !isReverseCharge && isUnderThreshold(sale, from, to);
  const place = isBelow || (!isReverseCharge && isSuppliedAtHome(sale, from, to)) ? from : to;
  // Documents have the country of the customer whatever is sold, which for goods in Northern Ireland is another one.
  if (place.country === locate(address).country) return { from, place, terms: {} };
  return { from, place, terms: { country: place.country, ...(isBelow && { belowThreshold: true }) } };
}

const isUnderThreshold = ({ kind, isBelowThreshold }: Sale, from: VatPlace, to: VatPlace): boolean =>
  isBelowThreshold &&
  (kind === null || kind === 'electronic_service' || kind === 'goods') &&
  from.isInUnion &&
  to.isInUnion &&
  from.country !== to.country;

function isSuppliedAtHome({ kind, customer }: Sale, from: VatPlace, to: VatPlace): boolean {
  if (kind === 'service_on_site') return true;
  return kind === 'service' && from.isInUnion && (to.isInUnion || !isForeignBusiness(customer));
}

/** Whether a customer outside of the Union is a business: it has no VAT id by which it could be known. */
const isForeignBusiness = (customer: TaxedCustomer | undefined): boolean =>
  Boolean(customer?.companyName || customer?.taxIds?.length);

/**
 * Whether the customer owes the tax: a business of another member state, known by its VAT id (articles 44 and 196). An id
 * that VIES must confirm counts only with its answer about this very id, or until there is one if that is accepted.
 */
function isChargedInReverse(sale: Sale): boolean {
  const { kind, seller, customer, needsVatIdCheck, acceptsUnconfirmed = false } = sale;
  if (kind === 'service_on_site') return false;
  const vatId = customer && findReverseChargeId(seller, customer, kind);
  if (vatId === undefined || !needsVatIdCheck) return vatId !== undefined;
  const check = customer?.vatIdCheck;
  const status = check?.value === vatId ? check.status : 'unavailable';
  return status === 'valid' || (acceptsUnconfirmed && status === 'unavailable');
}

/** Returns the VAT id by which a customer is a business of another member state of their address; undefined for others. */
export function findReverseChargeId(
  seller: Address,
  { address, taxIds }: Pick<TaxedCustomer, 'address' | 'taxIds'>,
  kind: ProductKind | null = null,
): string | undefined {
  if (!address || !taxIds) return undefined;
  const [from, to] = [locate(seller, kind), locate(address, kind)];
  if (!from.isInUnion || !to.isInUnion || from.country === to.country) return undefined;
  if (to.country === northernIrelandCode)
    return taxIds.find(({ type, value }) => type === 'gb_vat' && value.startsWith(northernIrelandCode))
      ?.value;
  return taxIds.find(({ type, value }) => type === 'eu_vat' && findVatCountry(value) === to.country)?.value;
}

function resolvePlace(sale: Sale, from: VatPlace, to: VatPlace): TaxTerms {
  const own = findPlaceRate(sale, to, null);
  // The rate of a part of a country precedes that of the whole.
  const isWholeCountry = own?.region === null && own.postcode === null;
  if (own && !(isWholeCountry && hasStandardRate(from) && to.territory)) return buildTerms(own);
  const isDomestic = from.country === to.country && hasStandardRate(from) && hasStandardRate(to);
  const isTaxed = isDomestic || (from.isInUnion && to.isInUnion);
  const isSentAbroad = sale.kind === 'goods' && hasStandardRate(from) && isExport(from, to);
  if (isTaxed && !isSentAbroad)
    return { category: 'S', percent: findStandardRate(to, sale.date, sale.renewedRates) };
  return buildTerms({ category: isSentAbroad ? 'G' : 'O', percent: '0' });
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
  (rate.country === place.ownCountry ||
    (rate.country === place.country && place.ownCountry !== place.country)) &&
  (rate.region === null || rate.region === place.region) &&
  (rate.postcode === null || place.postcode.startsWith(rate.postcode));

/** Returns the terms of a tax rate. */
export const buildTerms = ({ category, percent }: Pick<TaxRateRow, 'category' | 'percent'>): TaxTerms => {
  const reason = reasons[category];
  return reason ? { category, percent, reason } : { category, percent };
};
