/** The tax terms of bills: reads the data that decide them, and resolves them. */
import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { Address, BillTax, TaxTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { WriteBatch } from '../../storage/writeBatch.ts';
import { resolveTerms, type TaxedCustomer, type TaxRateRow } from './resolveRate.ts';

type TaxingTenant = Pick<Row<'tenants'>, 'seller' | 'timezone' | 'vatIdCheck'>;

/** The data that decide the tax of bills, besides the customer. */
interface TaxData {
  seller: Address;
  timezone: string;
  /** Whether reverse charge needs an id that VIES has confirmed. */
  needsVatIdCheck: boolean;
  rates: TaxRateRow[];
  /** The tax codes by product; products without one are left out. */
  taxCodes: Map<string, string>;
}

/**
 * Returns the tax terms of a bill at an instant; undefined, without a query, if the seller has no address and therefore
 * charges no tax. `customer` is undefined if it is not known yet.
 */
export function findBillTax(
  reads: Reads,
  tenant: TaxingTenant,
  customer: TaxedCustomer | undefined,
  productIds: string[],
  at: string,
): MaybePromise<BillTax | undefined> {
  if (!tenant.seller?.address) return undefined;
  const data = readTaxData(reads, tenant, customer ? [customer] : [], productIds);
  return mapMaybe(data, (found) => found && resolveBillTax(found, customer, productIds, at));
}

/**
 * Reads the data for the tax of many bills; undefined, without a query, if the seller has no address. `resolveBillTax`
 * resolves the terms of each bill.
 */
export function readTaxData(
  reads: Reads,
  { seller, timezone, vatIdCheck }: TaxingTenant,
  customers: TaxedCustomer[],
  productIds: string[],
): MaybePromise<TaxData | undefined> {
  const address = seller?.address;
  if (!address) return undefined;
  return mapMaybe(readRates(reads, listCountries(address, customers), customers), (rates) =>
    mapMaybe(readTaxCodes(reads, rates, productIds), (taxCodes) => ({
      seller: address,
      timezone,
      needsVatIdCheck: vatIdCheck !== null,
      rates,
      taxCodes,
    })),
  );
}

/**
 * Preloads the data for the tax of many bills, so that `findBillTax` within the batch makes no query. Does nothing if the
 * seller has no address.
 */
export async function preloadBillTax(
  rows: WriteBatch,
  { seller }: TaxingTenant,
  customerIds: string[],
  productIds: string[],
): Promise<void> {
  if (!seller?.address) return;
  const customers = await rows.preload('customers', [...new Set(customerIds)]);
  const countries = listCountries(seller.address, customers);
  const rates = await rows.preloadLists('taxRates', 'country', countries);
  await rows.preload(
    'taxRates',
    customers.map(({ taxRateId }) => taxRateId),
  );
  if (hasTaxCodes(rates)) await rows.preload('products', [...new Set(productIds)]);
}

/** Resolves the tax terms of a bill of a customer at an instant. */
export function resolveBillTax(
  { seller, timezone, needsVatIdCheck, rates, taxCodes }: TaxData,
  customer: TaxedCustomer | undefined,
  productIds: string[],
  at: string,
): BillTax {
  const date = toLocalDate(at, timezone);
  const resolve = (taxCode: string | null) =>
    resolveTerms({ seller, customer, taxCode, needsVatIdCheck, rates, at, date });
  const terms = resolve(null);
  const byProduct: Record<string, TaxTerms> = {};
  for (const productId of productIds) {
    const taxCode = taxCodes.get(productId);
    const own = taxCode === undefined ? terms : resolve(taxCode);
    if (!isSameTerms(own, terms)) byProduct[productId] = own;
  }
  return Object.keys(byProduct).length === 0 ? { terms } : { terms, byProduct };
}

const isSameTerms = (a: TaxTerms, b: TaxTerms) =>
  a.category === b.category && a.percent === b.percent && a.reason === b.reason;

const listCountries = (seller: Address, customers: TaxedCustomer[]): string[] => [
  ...new Set([seller.country, ...customers.flatMap(({ address }) => address?.country ?? [])]),
];

/** Reads the rates of the countries, one by one as `preloadBillTax` has them, and the customers' own. */
function readRates(
  reads: Reads,
  countries: string[],
  customers: TaxedCustomer[],
): MaybePromise<TaxRateRow[]> {
  const lists = countries.map((country) => reads.many('taxRates', { where: { country }, orderBy: ['id'] }));
  const ids = new Set(customers.flatMap(({ taxRateId }) => taxRateId ?? []));
  const own = [...ids].map((id) => reads.one('taxRates', { id }));
  return mapMaybe(all(lists), (found) =>
    mapMaybe(all(own), (rates) => [
      ...found.flat(),
      // A rate may belong to one of the countries as well.
      ...rates.filter((rate) => rate !== undefined && !countries.includes(rate.country)),
    ]),
  ) as MaybePromise<TaxRateRow[]>;
}

const hasTaxCodes = (rates: TaxRateRow[]) => rates.some(({ taxCode }) => taxCode !== null);

/** Reads the tax codes of products, if a rate has one. */
function readTaxCodes(
  reads: Reads,
  rates: TaxRateRow[],
  productIds: string[],
): MaybePromise<Map<string, string>> {
  const ids = hasTaxCodes(rates) ? [...new Set(productIds)] : [];
  const products = all(ids.map((id) => reads.one('products', { id })));
  return mapMaybe(
    products,
    (rows) => new Map(rows.flatMap((product) => (product?.taxCode ? [[product.id, product.taxCode]] : []))),
  );
}

/** Waits only if a value is not available at once. */
const all = <T>(values: MaybePromise<T>[]): MaybePromise<T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[]);
