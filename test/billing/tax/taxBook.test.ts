/** The tax terms of bills from stored rates: alone, for many, and preloaded for a batch of renewals. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Address } from '../../../src/storage/model/common.ts';
import type { Seller } from '../../../src/storage/model/parties.ts';
import type { Row } from '../../../src/storage/model/rowTypes.ts';
import { openStore } from '../../../src/storage/open.ts';
import { TenantReads, type Reads, type Store } from '../../../src/storage/store.ts';
import { WriteBatch } from '../../../src/storage/writeBatch.ts';
import {
  preloadTaxBook,
  readTaxBook,
  resolveTax,
  type TaxingTenant,
} from '../../../src/billing/tax/taxBook.ts';
import { addTenant } from '../../support/database.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { customerRow, productRow } from '../../support/rows.ts';

const findTax = async (reads: Reads, tenant: TaxingTenant, customerId: string, productIds: string[]) =>
  resolveTax(await readTaxBook(reads, tenant, [customerId], productIds), {
    customerId,
    productIds,
    currency: 'eur',
    at,
  });

const at = '2025-06-30T22:30:00.000Z';
const nowhere = { line1: null, line2: null, city: null, postalCode: null, region: null };
const inPlace = (country: string): Address => ({ ...nowhere, country });
const seller: Seller = {
  legalName: 'Acme',
  address: inPlace('EE'),
  taxIds: [],
  registration: null,
  footer: null,
  logoId: null,
};
const inTallinn = {
  seller,
  timezone: 'Europe/Tallinn',
  vatIdCheck: null,
  placeOfSupply: null,
  productKindsSince: null,
  renewedRates: null,
  clockAt: null,
};

const rateRow = (id: string, fields: Partial<Row<'taxRates'>>): Row<'taxRates'> => ({
  tenantAlias: 'acme',
  id,
  name: null,
  country: 'FR',
  region: null,
  postcode: null,
  taxCode: null,
  category: 'S',
  percent: '5.5',
  effectiveFrom: '2020-01-01T00:00:00.000Z',
  archivedAt: null,
  createdAt: at,
  updatedAt: at,
  ...fields,
});

const customers = {
  estonian: { ...customerRow('cus_1', 'estonian'), address: inPlace('EE') },
  french: { ...customerRow('cus_2', 'french'), address: inPlace('FR') },
  swiss: { ...customerRow('cus_3', 'swiss'), address: inPlace('CH'), taxRateId: 'txr_swiss' },
  unplaced: customerRow('cus_4', 'unplaced'),
};
const products = ['prod_book', 'prod_film'];

let store: Store;
let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchDatabase();
  store = await openStore({ database: scratch.url, databaseConnections: 2 }, 'drizzle', true, systemClock);
  await addTenant(store, 'acme');
  await addTenant(store, 'globex');
  await store.transact('acme', async (queries) => {
    const rates = [
      rateRow('txr_books', { taxCode: 'books' }),
      rateRow('txr_swiss', { country: 'LI', percent: '8.1' }),
      rateRow('txr_others', { tenantAlias: 'globex', percent: '1' }),
    ];
    for (const rate of rates) await queries.insert('taxRates', rate);
    for (const customer of Object.values(customers)) await queries.insert('customers', customer);
    await queries.insert('products', productRow('prod_book', { taxCode: 'books' }));
    await queries.insert('products', productRow('prod_film', { taxCode: 'films' }));
  });
});
afterAll(async () => {
  await store.close();
  await scratch.drop();
});

const expected = {
  // In Tallinn it is July already.
  estonian: { terms: { category: 'S', percent: '24' } },
  french: {
    terms: { category: 'S', percent: '20' },
    byProduct: { prod_book: { category: 'S', percent: '5.5' } },
  },
  swiss: { terms: { category: 'S', percent: '8.1' } },
  unplaced: { terms: { category: 'S', percent: '24' } },
};

it('finds the terms of each customer', async () => {
  const reads = new TenantReads(store.fresh, 'acme');
  for (const [name, customer] of Object.entries(customers)) {
    const found = await findTax(reads, inTallinn, customer.id, products);
    expect(found, name).toEqual(expected[name as keyof typeof expected]);
  }
  expect(await findTax(reads, inTallinn, 'cus_5', products)).toEqual(expected.unplaced);
  const inUtc = { ...inTallinn, timezone: 'UTC' };
  expect(await findTax(reads, inUtc, customers.estonian.id, [])).toEqual({
    terms: { category: 'S', percent: '22' },
  });
});

it('finds those of many customers with shared reads', async () => {
  const reads = new TenantReads(store.fresh, 'acme');
  const ids = Object.values(customers).map(({ id }) => id);
  const book = await readTaxBook(reads, inTallinn, ids, products);
  for (const [name, customer] of Object.entries(customers)) {
    const found = resolveTax(book, { customerId: customer.id, productIds: products, currency: 'eur', at });
    expect(found, name).toEqual(expected[name as keyof typeof expected]);
  }
});

it('reads nothing while the seller has no address', async () => {
  const refusing: Reads = {
    one: () => expect.unreachable(),
    many: () => expect.unreachable(),
    sumSpans: () => expect.unreachable(),
  };
  for (const without of [null, { ...seller, address: null }]) {
    const tenant = { ...inTallinn, seller: without, vatIdCheck: 'rate' as const };
    expect(await findTax(refusing, tenant, customers.french.id, products)).toBeUndefined();
    expect(await readTaxBook(refusing, tenant, [customers.french.id], products)).toBeUndefined();
  }
});

it('reads nothing more in a batch that preloaded them', async () => {
  await store.transact('acme', async (queries) => {
    const rows = new WriteBatch(queries, 'acme');
    const ids = Object.values(customers).map(({ id }) => id);
    await preloadTaxBook(rows, inTallinn, [...ids, ...ids], products);
    const selecting = vi.spyOn(queries, 'select');
    for (const [name, { id }] of Object.entries(customers)) {
      const found = await findTax(rows, inTallinn, id, products);
      expect(found, name).toEqual(expected[name as keyof typeof expected]);
    }
    expect(selecting).not.toHaveBeenCalled();
    selecting.mockRestore();
  });
});
