/** What decides the tax of bills, read once for the bills of one or many customers. */
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { Address, BillTax, ProductKind, TaxTerms } from '../../storage/model/common.ts';
import type { RenewedRates } from '../../storage/model/renewedRates.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { WriteBatch } from '../../storage/writeBatch.ts';
import { resolveTerms, type Sale, type TaxedCustomer, type TaxRateRow } from './resolveRate.ts';
import { findRate, readLatestRates, type RatesRow } from './exchangeRates.ts';
import { findUnionSales, thresholdCurrency, type UnionSalesRow } from './unionSales.ts';
import { locate } from './vatPlaces.ts';

/** The columns of a tenant that decide whether bills are taxed, and on which date. */
export type TaxingTenant = Pick<
  Row<'tenants'>,
  'seller' | 'timezone' | 'vatIdCheck' | 'placeOfSupply' | 'productKindsSince' | 'renewedRates' | 'clockAt'
>;

/** The data from which `resolveTax` finds the tax of a bill. */
export interface TaxBook {
  seller: Address;
  isSellerExempt: boolean;
  timezone: string;
  /** Whether reverse charge needs an id that VIES has confirmed. */
  needsVatIdCheck: boolean;
  /** Whether an id counts until VIES has answered about it. */
  acceptsUnconfirmed: boolean;
  /** By id. One that is not known is taxed in the seller's place. */
  customers: ReadonlyMap<string, TaxedCustomer>;
  rates: TaxRateRow[];
  /** The standard rates that files renewed. */
  renewedRates: RenewedRates | null;
  /** Products by id, if their tax may differ from that of others. */
  products: ReadonlyMap<string, TaxedProduct>;
  /** The sales of years that count towards the threshold; undefined if they are taxed at the customer in any case. */
  unionSales?: UnionSalesRow[];
  /** With them, the latest exchange rates; empty if all bills are beyond the threshold. */
  exchangeRates?: RatesRow[];
}

type TaxedProduct = Pick<Row<'products'>, 'taxCode' | 'kind'>;

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
  tenant: TaxingTenant,
  customerIds: string[],
  productIds: string[],
): Promise<TaxBook | undefined> {
  const { seller, timezone, vatIdCheck, renewedRates } = tenant;
  const address = seller?.address;
  if (!address) return undefined;
  const isSellerExempt = isExempt({ seller });
  const known = {
    seller: address,
    timezone,
    isSellerExempt,
    needsVatIdCheck: vatIdCheck !== null,
    renewedRates,
    acceptsUnconfirmed: vatIdCheck === 'accept',
  };
  if (isSellerExempt) return { ...known, customers: new Map(), rates: [], products: new Map() };
  const customers = await readCustomers(reads, customerIds);
  const rates = await readRates(reads, listCountries(address, customers), customers);
  const products = await readProducts(reads, mayDiffer(tenant, rates) ? productIds : []);
  const isCounted = tenant.placeOfSupply === 'seller';
  const unionSales = isCounted ? await reads.many('unionSales', { where: {} }) : undefined;
  const exchangeRates = unionSales && (await readLatestRates(reads, tenant));
  return {
    ...known,
    customers: new Map(customers.map((customer) => [customer.id, customer])),
    rates,
    products,
    ...(unionSales && { unionSales, exchangeRates }),
  };
}

/** Preloads what decides the tax of many bills, so that `readTaxBook` for one of them makes no query within the batch. */
export async function preloadTaxBook(
  rows: WriteBatch,
  tenant: TaxingTenant,
  customerIds: string[],
  productIds: string[],
): Promise<void> {
  const { seller } = tenant;
  if (!seller?.address || isExempt({ seller })) return;
  const customers = await rows.preload('customers', [...new Set(customerIds)]);
  const countries = listCountries(seller.address, customers);
  const rates = await rows.preloadLists('taxRates', 'country', countries);
  await rows.preload(
    'taxRates',
    customers.map(({ taxRateId }) => taxRateId),
  );
  if (mayDiffer(tenant, rates)) await rows.preload('products', [...new Set(productIds)]);
}

/** A bill as far as it decides its tax. */
interface TaxedBill {
  customerId: string;
  productIds: string[];
  /** The kinds of its charges without a product. */
  kinds?: ProductKind[] | undefined;
  currency: string;
  at: string;
}

/** Returns the tax of a bill; undefined if the seller charges none. */
export function resolveTax(
  book: TaxBook | undefined,
  { customerId, productIds, kinds = [], currency, at }: TaxedBill,
): BillTax | undefined {
  if (!book) return undefined;
  const date = toLocalDate(at, book.timezone);
  const { unionSales } = book;
  const union = unionSales && findUnionSales(unionSales, Number(date.slice(0, 4)));
  const find = (isBelowThreshold: boolean) =>
    resolveProducts(book, { customerId, productIds, kinds }, { at, date, isBelowThreshold });
  if (!union || union.isExceeded) return find(false);
  const tax = find(true);
  const all = [tax.terms, ...Object.values(tax.byProduct ?? {}), ...Object.values(tax.byKind ?? {})];
  const isBelow = all.some((each) => each.belowThreshold);
  if (!isBelow) return tax;
  const rate =
    currency === thresholdCurrency ? undefined : findRate(book.exchangeRates ?? [], currency, date);
  return { ...tax, beyond: { ...find(false), roomMinor: String(union.roomMinor), ...(rate && { rate }) } };
}

/** Returns the terms of a customer's bill, and those of the products and kinds whose terms differ. */
function resolveProducts(
  { customers, products, ...book }: TaxBook,
  { customerId, productIds, kinds }: { customerId: string; productIds: string[]; kinds: ProductKind[] },
  sale: Pick<Sale, 'at' | 'date' | 'isBelowThreshold'>,
): BillTax {
  const customer = customers.get(customerId);
  const resolve = ({ taxCode, kind }: TaxedProduct) =>
    resolveTerms({ ...book, ...sale, customer, taxCode, kind });
  const terms = resolve({ taxCode: null, kind: null });
  const pickOthers = (all: [key: string, own: TaxTerms][]) => {
    const others = all.filter(([, own]) => !isSameTerms(own, terms));
    return others.length === 0 ? undefined : Object.fromEntries(others);
  };
  const known = productIds.flatMap((id) => {
    const product = products.get(id);
    return product ? [[id, resolve(product)] as [string, TaxTerms]] : [];
  });
  const byProduct = pickOthers(known);
  const byKind = pickOthers(kinds.map((kind) => [kind, resolve({ taxCode: null, kind })]));
  return { terms, ...(byProduct && { byProduct }), ...(byKind && { byKind }) };
}

/** Lists the kinds of charges without a product, once each. */
export const listKinds = (lines: { productKind?: ProductKind }[]): ProductKind[] => [
  ...new Set(lines.flatMap(({ productKind }) => productKind ?? [])),
];

const isSameTerms = (a: TaxTerms, b: TaxTerms) =>
  a.category === b.category &&
  a.percent === b.percent &&
  a.reason === b.reason &&
  a.country === b.country &&
  a.belowThreshold === b.belowThreshold;

type CustomerRow = Row<'customers'>;

/** Reads customers; a single one by its id, as a batch has preloaded it. */
async function readCustomers(reads: Reads, ids: string[]): Promise<CustomerRow[]> {
  if (ids.length > 1) return reads.many('customers', { where: { id: [...new Set(ids)] } });
  const customer = ids.length === 1 ? await reads.one('customers', { id: ids[0]! }) : undefined;
  return customer ? [customer] : [];
}

const listCountries = (seller: Address, customers: TaxedCustomer[]): string[] => [
  ...new Set(
    [seller, ...customers.flatMap(({ address }) => address ?? [])].flatMap((address) =>
      listRatedCountries(address),
    ),
  ),
];

/** Lists the countries whose rates can apply to an address: its own, and the one to whose VAT it belongs. */
function listRatedCountries(address: Address): string[] {
  const { country, ownCountry } = locate(address);
  return [address.country, ownCountry, country];
}

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

/** Whether the tax of products may differ: by the tax code of a rate, or by what they are. */
const mayDiffer = ({ productKindsSince }: TaxingTenant, rates: TaxRateRow[]): boolean =>
  productKindsSince !== null || rates.some(({ taxCode }) => taxCode !== null);

/** Reads products with a tax code or a kind. */
async function readProducts(reads: Reads, productIds: string[]): Promise<ReadonlyMap<string, TaxedProduct>> {
  const products = await all([...new Set(productIds)].map((id) => reads.one('products', { id })));
  return new Map(
    products.flatMap((product) => (product?.taxCode || product?.kind ? [[product.id, product]] : [])),
  );
}

/** Waits only if a value is not available at once. */
const all = <T>(values: MaybePromise<T>[]): MaybePromise<T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[]);
