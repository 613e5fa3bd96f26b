/** The trial and the set-up fee of a price: what REST and GraphQL take, show and refuse. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';

let app: TestApp;
let books: Books;
let productId: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  books = await openBooks(app, '2026-01-01');
  productId = (await books.shop.product()).product.id;
});
afterAll(() => app.close());

const afn = (amount: number) => ({ amount, currency: 'afn' });
const createDocument = `mutation ($productId: ID!, $prices: [CreatePriceInput!]!) {
  createPrices(input: { productId: $productId, prices: $prices }) { trialDays setupFee { amount decimal currency } }
}`;
const plainKeys = 'id productId createdAt updatedAt recurring details';

const create = (fields: object) =>
  books.client.rest('POST', `/products/${productId}/prices`, {
    tenantAlias: books.alias,
    prices: [{ details: afn(50), ...fields }],
  });

describe('REST', () => {
  it('shows a flat price without them as before', async () => {
    for (const fields of [{}, { trialDays: null, setupFee: null }]) {
      const { body } = await create(fields);
      expect(Object.keys(body[0]).join(' ')).toBe(plainKeys);
    }
  });

  it('takes and shows them', async () => {
    const { body } = await create({ trialDays: 730, setupFee: afn(9.99) });
    expect(body[0]).toMatchObject({ trialDays: 730, setupFee: { amount: 9.99, currency: 'afn' } });
    expect(Object.keys(body[0]).join(' ')).toBe(`${plainKeys} trialDays setupFee`);
    const { body: shown } = await books.client.rest(
      'GET',
      `/products/${productId}/prices/${body[0].id}?tenantAlias=${books.alias}`,
    );
    expect(shown).toEqual(body[0]);
  });
});

const wrong: [fields: object, path: string, reason?: string][] = [
  ...[0, -1, 1.5, 731, 1e12, '', '7', true, [], {}].map((trialDays): [object, string] => [
    { trialDays },
    'prices.0.trialDays',
  ]),
  ...[afn(0), afn(-1), { currency: 'afn' }].map((setupFee): [object, string] => [
    { setupFee },
    'prices.0.setupFee',
  ]),
  [{ setupFee: afn(0.001) }, 'prices.0.setupFee', 'amount_precision'],
  [{ setupFee: { amount: 5, currency: 'usd' } }, 'prices.0.setupFee.currency'],
  [{ setupFee: { amount: 5, currency: 'ÅFN' } }, 'prices.0.setupFee.currency', 'currency_unsupported'],
  [{ setupFee: { amount: 5, currency: 'x'.repeat(1_000_000) } }, 'prices.0.setupFee.currency'],
  [{ setupFee: { amount: 5, decimal: '5', currency: 'afn' } }, 'prices.0.setupFee'],
  [{ setupFee: 5 }, 'prices.0.setupFee'],
  [{ trialDays: 0, setupFee: afn(0) }, 'prices.0.'],
];

it.each(wrong)('refuses %o', async (fields, path, reason) => {
  const before = await app.service.store.committed.count('prices', { tenantAlias: books.alias });
  const { status, body } = await create(fields);
  expect(status, JSON.stringify(body).slice(0, 500)).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  if (reason) expect(body.body.reason).toBe(reason);
  const paths: string[] = body.cause?.issues.map((issue: any) => issue.path) ?? [];
  if (status === 400 && body.body.reason !== 'request_too_large')
    expect(
      paths.some((each) => each.startsWith(path)),
      paths.join(),
    ).toBe(true);
  expect(await app.service.store.committed.count('prices', { tenantAlias: books.alias })).toBe(before);
});

it('keeps the currency of a price with a set-up fee', async () => {
  const { body } = await create({ setupFee: afn(5) });
  const update = (details: object) =>
    books.client.rest('PATCH', `/products/${productId}/prices/${body[0].id}`, {
      tenantAlias: books.alias,
      details,
    });
  expect((await update({ amount: 60, currency: 'jpy' })).body.cause.issues[0].path).toBe('details.currency');
  expect((await update({ amount: 60, currency: 'afn' })).body).toMatchObject({
    details: afn(60),
    setupFee: afn(5),
  });
});

it('takes an exact fee and a model over GraphQL', async () => {
  const prices = [
    { details: { decimal: '0.000375', currency: 'usd' }, model: 'per_unit', trialDays: 1 },
    { details: { amount: 1, currency: 'usd' }, setupFee: { decimal: '12.50', currency: 'USD' } },
  ];
  const { createPrices } = await books.client.graphql(createDocument, { productId, prices });
  expect(createPrices).toEqual([
    { trialDays: 1, setupFee: null },
    { trialDays: null, setupFee: { amount: 12.5, decimal: '12.50', currency: 'usd' } },
  ]);
});

const orders: [trialDays: unknown, status: number][] = [
  [-1, 200],
  [731, 200],
  [1e12, 400],
  [1.5, 400],
  ['', 400],
  ['7', 400],
];
it.each(orders)('refuses an order with a trial of %o days', async (trialDays, status) => {
  const { price } = await books.shop.product();
  const { tenantAlias: _, ...input } = books.shop.intentInput(await books.shop.customer(), price, {
    trialDays,
  }) as any;
  await books.perform({
    graphql: [
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
      { input },
    ],
    status,
    reason: 'validation_failed',
  });
});
