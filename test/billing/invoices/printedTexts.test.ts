/** Texts that documents print: one line, without control characters and marks of direction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createShop } from '../../support/shop.ts';

let app: TestApp;
let client: Client;
let customerId: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme', test: true, clock: '2026-06-01T00:00:00.000Z' });
  customerId = (await createShop(client, 'acme').customer()).id;
});
afterAll(() => app.close());

const amount = { amount: 10, currency: 'afn' };
/** The field of the error, and the mutation that takes a text. */
const places: [string, string, (text: string) => Record<string, unknown>][] = [
  [
    'name',
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }',
    (name) => ({ input: { name, description: '' } }),
  ],
  [
    'name',
    'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }',
    (name) => ({ input: { name } }),
  ],
  [
    'name',
    'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }',
    (name) => ({ input: { name, percentOff: '10', duration: 'once' } }),
  ],
  [
    'prices.0.nickname',
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }',
    (nickname) => ({
      input: {
        name: 'Tea',
        description: '',
        prices: [{ details: amount, recurring: { frequency: 'Monthly' }, nickname }],
      },
    }),
  ],
  [
    'items.0.description',
    `mutation ($id: ID!, $items: [OneOffChargeInput!]!) {
      createInvoice(input: { customerId: $id, items: $items, collect: send_invoice, draft: true }) { id }
    }`,
    (description) => ({ id: customerId, items: [{ amount, description }] }),
  ],
  [
    'description',
    `mutation ($id: ID!, $amount: MoneyInput!, $text: String!) {
      createInvoiceItem(input: { customerId: $id, amount: $amount, description: $text }) { id }
    }`,
    (text) => ({ id: customerId, amount, text }),
  ],
  [
    'reason',
    `mutation ($id: ID!, $amount: MoneyInput!, $text: String!) {
      grantCredit(input: { customerId: $id, amount: $amount, reason: $text }) { id }
    }`,
    (text) => ({ id: customerId, amount, text }),
  ],
];
const refused = ['\u061C', '\u200E', '\u200F', '\u202A', '\u202E', '\u2066', '\u2069', '\n', '\t', '\u0007'];
const message = 'must be one line, without control characters';

describe.each(places)('%s of %s', (path, document, fill) => {
  it.each(refused)('does not contain %j', async (mark) => {
    const { body } = await client.post(document, fill(`Tea ${mark}100 AFN`));
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: expect.stringMatching(new RegExp(`${path}$`)), message }],
    });
  });

  it.each(['چای سبز', 'می‌خواهم', 'תה', '茶', 'Tea 👩‍👩‍👧', 'é'])('may be %j', async (text) => {
    const { body } = await client.post(document, fill(text));
    expect(body.errors).toBeUndefined();
  });
});
