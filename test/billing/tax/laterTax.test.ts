/** Drafts that were made before the seller charged tax: their lines still know whether they contain it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { afn } from '../../support/oneOff.ts';
import { billText, openTaxed, parties, readInvoices, taxDocuments, type Taxed } from '../../support/taxes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const setGrace = ({ client }: Taxed, invoiceGraceHours: number | null) =>
  client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: { invoiceGraceHours },
  });
const finalize = ({ client }: Taxed, id: string) =>
  client.graphql('mutation ($id: ID!) { finalizeInvoice(id: $id) { id } }', { id });
const bills = async (books: Taxed, customer: { id: string }) =>
  (await readInvoices(books, customer)).map((invoice) => `${invoice.status} ${billText(invoice)}`);
const open = async () => {
  const books = await openTaxed(app, '2026-06-01', '');
  const customer = await books.shop.customer();
  await books.move(customer, parties['german']!);
  return { books, customer };
};

type Charge = { amount?: number; taxBehavior?: 'inclusive' | 'exclusive' };
const inclusive: Charge = { taxBehavior: 'inclusive' };

describe('a draft of one-off charges', () => {
  it.each<[Charge[], string, string]>([
    [[{}], 'draft 100: item 100', 'open 119: item 100 +19'],
    [[inclusive], 'draft 100: item 100', 'open 100: item 100 (15.97)'],
    [[{ taxBehavior: 'exclusive' }], 'draft 100: item 100', 'open 119: item 100 +19'],
    [
      [inclusive, { amount: 50 }],
      'draft 150: item 100, item 50',
      'open 159.5: item 100 (15.97), item 50 +9.5',
    ],
  ])('%j', async (charges, before, after) => {
    const { books, customer } = await open();
    const items = charges.map(({ amount = 100, ...charge }) => ({
      amount: afn(amount),
      description: 'Work',
      ...charge,
    }));
    const { createInvoice } = await books.client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: true }) { id }
      }`,
      { customerId: customer.id, items },
    );
    expect(await bills(books, customer)).toEqual([before]);
    await books.sellIn('DE');
    await finalize(books, createInvoice.id);
    expect(await bills(books, customer)).toEqual([after]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('keeps the terms while the tax goes on and off', async () => {
    const { books, customer } = await open();
    const { createInvoice } = await books.client.graphql(
      `mutation ($customerId: ID!, $items: [OneOffChargeInput!]!) {
        createInvoice(input: { customerId: $customerId, items: $items, collect: send_invoice, draft: true }) { id }
      }`,
      { customerId: customer.id, items: [{ amount: afn(100), description: 'Work', ...inclusive }] },
    );
    await books.move(customer, { taxExempt: true });
    await books.sellIn('DE');
    await books.move(customer, { taxExempt: false });
    await finalize(books, createInvoice.id);
    expect(await bills(books, customer)).toEqual(['open 100: item 100 (15.97)']);
  });
});

describe('a renewal in its grace', () => {
  it.each<[string, boolean, string, string]>([
    ['exclusive', false, 'draft 100: cycle 100', 'paid 119: cycle 100 +19'],
    ['inclusive', true, 'draft 100: cycle 100', 'paid 100: cycle 100 (15.97)'],
  ])('of an %s price', async (_, isIncluded, before, after) => {
    const { books, customer } = await open();
    const price = await books.plan(100);
    if (isIncluded) await books.include(price);
    const id = await books.subscribe(customer, price);
    await setGrace(books, 24);
    await books.advance('2026-07-01T01:00:00Z');
    expect((await bills(books, customer)).at(-1)).toBe(before);
    await books.sellIn('DE');
    await books.advance('2026-07-03');
    expect((await bills(books, customer)).at(-1)).toBe(after);
    const { forecast } = await books.client.graphql(taxDocuments.forecast, {
      id,
      until: '2026-08-02T00:00:00Z',
    });
    expect(forecast.map(billText)).toEqual([after.replace('paid ', '')]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });
});
