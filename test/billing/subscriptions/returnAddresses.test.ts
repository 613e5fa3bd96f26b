/** Addresses to which a payer's browser is sent: none with a user name or password. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createShop, type Shop } from '../../support/shop.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  shop = createShop(client, 'acme');
});
afterAll(() => app.close());

const refused = [
  'https://ada@shop.example/',
  'https://ada:secret@shop.example/',
  'https://:secret@shop.example/',
];

it.each(refused)('%s is refused by the name of its field', async (url) => {
  const customer = await shop.customer();
  const { price } = await shop.product();
  for (const field of ['receiptUrl', 'returnUrl']) {
    const answer = await client.rest(
      'POST',
      '/subscriptions/intent',
      shop.intentInput(customer, price, { [field]: url }),
    );
    expect([answer.status, answer.body.cause.issues]).toEqual([
      400,
      [{ path: field, message: 'must not contain a user name or password' }],
    ]);
  }
  const ofTenant = [
    ['portal: { returnUrl: $url }', 'portal.returnUrl'],
    ['branding: { supportUrl: $url }', 'branding.supportUrl'],
  ];
  for (const [input, path] of ofTenant) {
    const query = `mutation ($url: URL!) { updateTenant(input: { ${input} }) { alias } }`;
    const { body } = await client.post(query, { url });
    expect(body.errors?.[0]?.extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
  }
  const portal = `mutation ($customerId: ID!, $url: URL!) {
    createPortalSession(input: { customerId: $customerId, returnUrl: $url }) { url }
  }`;
  const { body } = await client.post(portal, { customerId: customer.id, url });
  expect(body.errors?.[0]?.extensions?.issues, JSON.stringify(body)).toMatchObject([
    { path: expect.stringContaining('returnUrl') },
  ]);
});

it('an @ in a path is none', async () => {
  const customer = await shop.customer();
  const { price } = await shop.product();
  const intent = await shop.intent(customer, price, { receiptUrl: 'https://shop.example/@ada?to=a@b' });
  expect(intent.intentId).toEqual(expect.any(String));
});
