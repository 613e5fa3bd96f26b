/** Sellers outside the European Union without tax rates: previews, doctor and the tenant say so until it is meant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const sellIn = async (books: Books, country: string, seller: object = {}) => {
  const input = { seller: { legalName: 'Acme', address: { country }, ...seller } };
  const { updateTenant } = await books.client.graphql(
    'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { untaxedCountry seller { chargesNoTax } } }',
    { input },
  );
  return updateTenant;
};

const addRate = ({ client }: Books, country: string, fields: object = {}) =>
  client.graphql('mutation ($input: CreateTaxRateInput!) { createTaxRate(input: $input) { id } }', {
    input: { country, percent: '20', ...fields },
  });

/** What the previews of a customer's orders, changes and invoices warn of. */
async function readWarnings(books: Books, country: string | null): Promise<string[][]> {
  const customer = await books.shop.customer();
  if (country !== null)
    await books.client.graphql(
      'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }',
      { id: customer.id, input: { address: { country } } },
    );
  const price = await books.plan(49, { price: { model: 'per_unit' } });
  const { previewSubscription, previewInvoice } = await books.client.graphql(
    `query ($order: PreviewSubscriptionInput!, $id: ID!, $items: [OneOffChargeInput!]!) {
      previewSubscription(input: $order) { warnings { code message } }
      previewInvoice(customerId: $id, items: $items) { warnings { code message } }
    }`,
    {
      order: { customerId: customer.id, productId: price.productId, priceId: price.id },
      id: customer.id,
      items: [{ amount: { amount: 5, currency: 'afn' }, description: 'Work' }],
    },
  );
  const subscribed = await books.subscribe(customer, price);
  const { previewSubscriptionChange } = await books.client.graphql(
    'query ($id: ID!) { previewSubscriptionChange(id: $id, input: { quantity: 2 }) { warnings { code message } } }',
    { id: subscribed },
  );
  await books.client.graphql(
    `mutation ($id: ID!, $subscriptionId: ID!, $amount: MoneyInput!) {
      createInvoiceItem(input: { customerId: $id, subscriptionId: $subscriptionId, amount: $amount, description: "Help" }) { id }
    }`,
    { id: customer.id, subscriptionId: subscribed, amount: { amount: 3, currency: 'afn' } },
  );
  const { previewCancellation } = await books.client.graphql(
    'query ($id: ID!) { previewCancellation(subscriptionId: $id) { warnings { code message } } }',
    { id: subscribed },
  );
  const previews = [previewSubscription, previewInvoice, previewSubscriptionChange, previewCancellation];
  // Bills in afghani lack a rate to euros, too.
  return previews.map(({ warnings }) =>
    warnings.filter(({ code }: { code: string }) => code !== 'exchange_rate_missing'),
  );
}

const readFindings = async ({ alias }: Books) => {
  const { findings } = await examine(app.service, () => {}, alias);
  return findings.map(({ check, subject, found }) => [check, subject, found]);
};

describe('a seller without a rate for its country', () => {
  it.each(['GB', 'CH', 'NO', 'US', 'AF'])('in %s is told everywhere until it says so', async (country) => {
    const books = await openBooks(app, '2026-01-10');
    expect(await sellIn(books, country)).toEqual({
      untaxedCountry: country,
      seller: { chargesNoTax: false },
    });
    const warning = [
      { code: 'tax_rate_missing', message: expect.stringContaining(`No tax is charged in ${country}`) },
    ];
    expect(await readWarnings(books, country)).toEqual(Array.from({ length: 4 }, () => warning));
    expect(await readWarnings(books, null)).toEqual(Array.from({ length: 4 }, () => warning));
    expect(await readWarnings(books, 'JP')).toEqual([[], [], [], []]);
    const found = `has no tax rate for ${country}, where its seller is: customers there are billed without tax`;
    expect(await readFindings(books)).toEqual([['untaxed', books.alias, found]]);
    expect(await sellIn(books, country, { chargesNoTax: true })).toEqual({
      untaxedCountry: null,
      seller: { chargesNoTax: true },
    });
    expect(await readWarnings(books, country)).toEqual([[], [], [], []]);
    expect(await readFindings(books)).toEqual([]);
  });

  it.each([
    ['a rate is enough', {}, true],
    ['a rate outside the scope says so', { category: 'O', percent: '0' }, true],
    ['a later rate is not enough yet', { effectiveFrom: '2027-01-01T00:00:00.000Z' }, false],
  ])('%s', async (_, rate, isEnough) => {
    const books = await openBooks(app, '2026-01-10');
    await sellIn(books, 'GB');
    await addRate(books, 'GB', rate);
    const { tenant } = await books.client.graphql('{ tenant { untaxedCountry } }');
    expect(tenant.untaxedCountry).toBe(isEnough ? null : 'GB');
    expect((await readWarnings(books, 'GB')).map(({ length }) => length)).toEqual(
      isEnough ? [0, 0, 0, 0] : [1, 1, 1, 1],
    );
    expect(await readFindings(books)).toHaveLength(isEnough ? 0 : 1);
  });

  it.each(['DE', 'MC'])('in %s has standard rates', async (country) => {
    const books = await openBooks(app, '2026-01-10');
    expect(await sellIn(books, country)).toMatchObject({ untaxedCountry: null });
    expect(await readWarnings(books, country)).toEqual([[], [], [], []]);
    expect(await readFindings(books)).toEqual([]);
  });

  it('without an address charges no tax and is told nothing', async () => {
    const books = await openBooks(app, '2026-01-10');
    expect(await sellIn(books, 'GB', { address: null })).toMatchObject({ untaxedCountry: null });
    expect(await readFindings(books)).toEqual([]);
  });
});
