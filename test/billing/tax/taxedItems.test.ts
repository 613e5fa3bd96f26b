/** One-off charges with a tax rate of their own, and prices that contain the tax. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;
let rate: string;
let archived: string;
const customers: Record<string, string> = {};

const seller = { legalName: 'Acme GmbH', address: { country: 'DE' } };
const charge = { amount: { amount: 100, currency: 'eur' }, description: 'Work' };

const createRate = async (input: object, by = client) =>
  (
    await by.graphql('mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }', {
      input,
    })
  ).createTaxRate.id;
const createCustomer = async (associatedId: string, details: object = {}, by = client) =>
  (
    await by.graphql('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
      input: { email: 'a@example.org', firstName: 'A', lastName: 'B', associatedId, ...details },
    })
  ).createCustomer.id;
const bill = async (customerId: string, items: object[], by = client) => {
  const { body } = await by.post(
    `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!) {
      createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice }) {
        total { decimal } taxes { category percent taxable { decimal } tax { decimal } reason }
      }
    }`,
    { customerId, items },
  );
  if (body.errors) return body.errors[0].extensions;
  const { total, taxes } = body.data.createInvoice;
  return {
    total: total.decimal,
    taxes: taxes.map(({ category, percent, taxable, tax, reason }: any) =>
      [category, percent, taxable.decimal, tax.decimal, ...(reason ? [reason] : [])].join(' '),
    ),
  };
};

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', clock: '2026-03-01T00:00:00.000Z' });
  await client.graphql(
    'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
    {
      seller,
    },
  );
  rate = await createRate({ country: 'DE', region: 'nowhere', percent: '7' });
  archived = await createRate({ country: 'DE', region: 'nowhere', percent: '8' });
  await client.graphql('mutation ($id: ID!) { archiveTaxRate(id: $id) { id } }', { id: archived });
  customers['german'] = await createCustomer('german', { address: { country: 'DE' } });
  customers['italian'] = await createCustomer('italian', { address: { country: 'IT' } });
  customers['french'] = await createCustomer('french', {
    address: { country: 'FR' },
    taxIds: [{ type: 'eu_vat', value: 'FR03784359069' }],
  });
  customers['american'] = await createCustomer('american', { address: { country: 'US' } });
  customers['exempt'] = await createCustomer('exempt', { address: { country: 'DE' }, taxExempt: true });
});
afterAll(() => app.close());

it.each<[string, object[], string, string[]]>([
  ['german', [{}], '119.00', ['S 19 100.00 19.00']],
  ['german', [{ taxBehavior: 'inclusive' }], '100.00', ['S 19 84.03 15.97']],
  ['german', [{ taxRateId: 'own' }], '107.00', ['S 7 100.00 7.00']],
  ['german', [{}, { taxRateId: 'own' }], '226.00', ['S 19 100.00 19.00', 'S 7 100.00 7.00']],
  ['german', [{ taxRateId: 'own', taxBehavior: 'inclusive' }], '100.00', ['S 7 93.46 6.54']],
  ['italian', [{}], '122.00', ['S 22 100.00 22.00']],
  ['french', [{}], '100.00', ['AE 0 100.00 0.00 reverse_charge']],
  ['french', [{ taxRateId: 'own' }], '107.00', ['S 7 100.00 7.00']],
  ['american', [{}], '100.00', ['O 0 100.00 0.00 outside_scope']],
  ['exempt', [{ taxRateId: 'own' }], '100.00', ['E 0 100.00 0.00 exempt_customer']],
])('%s with %j: %s', async (customer, items, total, taxes) => {
  const charges = items.map((item) => ({
    ...charge,
    ...item,
    ...('taxRateId' in item && { taxRateId: rate }),
  }));
  expect(await bill(customers[customer]!, charges)).toEqual({ total, taxes });
});

it('a waiting charge keeps its own rate', async () => {
  await client.graphql(
    `mutation ($id: ID!, $rate: ID!) {
      createInvoiceItem(
        input: { customerId: $id, amount: { amount: 10.70, currency: "eur" }, description: "Book", taxRateId: $rate, taxBehavior: inclusive }
      ) { id }
    }`,
    { id: customers['italian'], rate },
  );
  expect(await bill(customers['italian']!, [charge])).toEqual({
    total: '132.70',
    taxes: ['S 22 100.00 22.00', 'S 7 10.00 0.70'],
  });
});

it.each([
  ['an unknown rate', () => 'txr_none', 'tax_rate_not_found'],
  ['an archived rate', () => archived, 'validation_failed'],
])('%s is refused, and nothing is billed', async (_, find, reason) => {
  const count = async () =>
    (await client.graphql('{ invoices(first: 1) { totalCount } }')).invoices.totalCount;
  const before = await count();
  expect(await bill(customers['german']!, [charge, { ...charge, taxRateId: find() }])).toMatchObject({
    reason,
  });
  expect(await count()).toBe(before);
});

it('another tenant’s rate is not found, and without an address of the seller no tax is charged', async () => {
  const other = await app.tenant({ alias: 'globex' });
  const customer = await createCustomer('german', { address: { country: 'DE' } }, other);
  expect(await bill(customer, [{ ...charge, taxRateId: rate }], other)).toMatchObject({
    reason: 'tax_rate_not_found',
  });
  expect(await bill(customer, [charge], other)).toEqual({ total: '100.00', taxes: [] });
});

it('a rate is refused while the seller charges no tax, instead of being lost', async () => {
  const bare = await app.tenant({ alias: 'bare' });
  const customer = await createCustomer('bare', {}, bare);
  const own = await createRate({ country: 'DE', percent: '7' }, bare);
  expect(await bill(customer, [charge, { ...charge, taxRateId: own }], bare)).toMatchObject({
    reason: 'validation_failed',
    issues: [{ path: 'items.1.taxRateId' }],
  });
});
