/** Links to pay of tenants whose customers could not pay. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { payPath } from '../../../support/payLinks.ts';
import { createShop } from '../../../support/shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const order = (fields: string) =>
  `mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { ${fields} } }`;
const linked = order('id paymentUrl');
const fragment = `${order('...Link')} fragment Link on SubscriptionIntent { link: paymentUrl }`;
const bankAccount = { accountHolder: 'Acme', iban: 'DE89370400440532013000' };

it.each<
  [
    name: string,
    isTest: boolean,
    settings: object | undefined,
    document: string,
    trialDays: number | null,
    accepts: boolean,
  ]
>([
  ['live, without anything', false, undefined, linked, null, false],
  ['live, by a fragment and an alias', false, undefined, fragment, null, false],
  ['live, without the link', false, undefined, order('id status'), null, true],
  ['live, a trial, which starts without a method', false, undefined, linked, 14, true],
  ['live, with a bank account', false, { bankAccount }, linked, null, true],
  [
    'live, with an account and transfers switched off',
    false,
    { bankAccount, paymentProviders: [] },
    linked,
    null,
    false,
  ],
  ['a test tenant, which has test cards', true, { paymentProviders: [] }, linked, null, true],
])('%s', async (name, test, settings, document, trialDays, accepts) => {
  const alias = `t-${name.replaceAll(/[^a-z]+/g, '-')}`;
  const client = await app.tenant({ alias, test });
  const shop = createShop(client, alias);
  const customer = await shop.customer();
  const { price } = await shop.product();
  if (settings)
    await client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
      input: settings,
    });
  const input = { customerId: customer.id, productId: price.productId, priceId: price.id, trialDays };
  const { body } = await client.post(document, { input: { ...input, receiptUrl: 'https://acme.example' } });
  const counted = await client.graphql('{ intents(first: 1) { totalCount } tenant { canBePaid } }');
  if (accepts) {
    expect(body.errors).toBeUndefined();
    expect(counted.intents.totalCount).toBe(1);
    return;
  }
  expect(body.errors[0].extensions).toMatchObject({ reason: 'payments_not_set_up', status: 409 });
  expect(counted).toEqual({ intents: { totalCount: 0 }, tenant: { canBePaid: false } });
});

it('REST creates the order all the same, and its page asks nobody for a transfer to no account', async () => {
  const client = await app.tenant({ alias: 'rest', test: false });
  const shop = createShop(client, 'rest');
  const { price } = await shop.product();
  const { intentId } = await shop.intent(await shop.customer(), price);
  const page = async () =>
    (await app.server.inject({ method: 'GET', url: await payPath(app, intentId) })).body;
  expect(await page()).not.toContain('value="manual"');
  await client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: { bankAccount },
  });
  expect(await page()).toContain('value="manual"');
});
