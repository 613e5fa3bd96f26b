/** What decides the tax of bills, read once for the bills of one or many customers. */
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { Address, BillTax, TaxTerms } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { WriteBatch } from '../../storage/writeBatch.ts';
import { resolveTerms, type TaxedCustomer, type TaxRateRow } from './resolveRate.ts';

/** The columns of a tenant that decide whether bills are taxed, and on which date. */
export type TaxingTenant = Pick<Row<'tenants'>, 'seller' | 'timezone' | 'vatIdCheck'>;

/** The data from which `resolveTax` finds the tax of a bill. */
export interface TaxBook {
  seller: Address;
  isSellerExempt: boolean;
  timezone: string;
  /** Whether reverse charge needs an id that VIES has confirmed. */
  needsVatIdCheck: boolean;
  /** By id. One that is not known is taxed in the seller's place. */
  customers: ReadonlyMap<string, TaxedCustomer>;
  rates: TaxRateRow[];
  /** The tax codes by product; products without one are left out. */
  taxCodes: ReadonlyMap<string, string>;
}

/** Whether a seller charges tax; without an address it charges none. */
export const chargesTax = ({ seller }: Pick<TaxingTenant, 'seller'>): boolean => Boolean(seller?.address);

/** Whether an exemption of the seller covers all of its sales. */
export const isExempt = ({ seller }: Pick<TaxingTenant, 'seller'>): boolean => Boolean(seller?.taxExemption);

/**
 * Reads what decides the tax of the bills of these customers for these products; undefined, without a query, if the seller
 * charges no tax.
 */
export async function readTaxBook(
  reads: Reads,
  { seller, timezone, vatIdCheck }: TaxingTenant,
  customerIds: string[],
  productIds: string[],
): Promise<TaxBook | undefined> {
  const address = seller?.address;
  if (!address) return undefined;
  const isSellerExempt = isExempt({ seller });
  const known = { seller: address, timezone, isSellerExempt, needsVatIdCheck: vatIdCheck !== null };
  if (isSellerExempt) return { ...known, customers: new Map(), rates: [], taxCodes: new Map() };
  const customers = await readCustomers(reads, customerIds);
  const rates = await readRates(reads, listCountries(address, customers), customers);
  const taxCodes = await readTaxCodes(reads, rates, productIds);
  return {
    ...known,
    customers: new Map(customers.map((customer) => [customer.id, customer])),
    rates,
    taxCodes,
  };
}

/** Preloads what decides the tax of many bills, so that `readTaxBook` for one of them makes no query within the batch. */
export async function preloadTaxBook(
  rows: WriteBatch,
  { seller }: TaxingTenant,
  customerIds: string[],
  productIds: string[],
): Promise<void> {
  if (!seller?.address || isExempt({ seller })) return;
  const customers = await rows.preload('customers', [...new Set(customerIds)]);
  const countries = listCountries(seller.address, customers);
  const rates = await rows.preloadLists('taxRates', 'country', countries);
  await rows.preload(
    'taxRates',
    customers.map(({ taxRateId }) => taxRateId),
  );
  if (hasTaxCodes(rates)) await rows.preload('products', [...new Set(productIds)]);
}

/** Returns the tax of a bill of a customer for these products at an instant; undefined if the seller charges none. */
export function resolveTax(
  book: TaxBook | undefined,
  customerId: string,
  productIds: string[],
  at: string,
): BillTax | undefined {
  if (!book) return undefined;
  const { seller, isSellerExempt, timezone, needsVatIdCheck, customers, rates, taxCodes } = book;
  const customer = customers.get(customerId);
  const date = toLocalDate(at, timezone);
  const resolve = (taxCode: string | null) =>
    resolveTerms({ seller, isSellerExempt, customer, taxCode, needsVatIdCheck, rates, at, date });
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

type CustomerRow = Row<'customers'>;

/** Reads customers; a single one by its id, as a batch has preloaded it. */
async function readCustomers(reads: Reads, ids: string[]): Promise<CustomerRow[]> {
  if (ids.length > 1) return reads.many('customers', { where: { id: [...new Set(ids)] } });
  const customer = ids.length === 1 ? await reads.one('customers', { id: ids[0]! }) : undefined;
  return customer ? [customer] : [];
}

const listCountries = (seller: Address, customers: TaxedCustomer[]): string[] => [
  ...new Set([seller.country, ...customers.flatMap(({ address }) => address?.country ?? [])]),
];

/** Reads the rates of the countries, one by one as `preloadTaxBook` has them, and the customers' own. */
async function readRates(
  reads: Reads,
  countries: string[],
  customers: TaxedCustomer[],
): Promise<TaxRateRow[]> {
  const lists = countries.map((country) => reads.many('taxRates', { where: { country }, orderBy: ['id'] }));
  const ids = new Set(customers.flatMap(({ taxRateId }) => taxRateId ?? []));
  const own = [...ids].map((id) => reads.one('taxRates', { id }));
  const [found, rates] = [await all(lists), await all(own)];
  // A rate may belong to one of the countries as well.
  return [
    ...found.flat(),
    ...rates.flatMap((rate) => (rate && !countries.includes(rate.country) ? rate : [])),
  ];
}

const hasTaxCodes = (rates: TaxRateRow[]) => rates.some(({ taxCode }) => taxCode !== null);

/** Reads the tax codes of products, if a rate has one. */
async function readTaxCodes(
  reads: Reads,
  rates: TaxRateRow[],
  productIds: string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = hasTaxCodes(rates) ? [...new Set(productIds)] : [];
  const products = await all(ids.map((id) => reads.one('products', { id })));
  return new Map(products.flatMap((product) => (product?.taxCode ? [[product.id, product.taxCode]] : [])));
}

/** Waits only if a value is not available at once. */
const all = <T>(values: MaybePromise<T>[]): MaybePromise<T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[]);
