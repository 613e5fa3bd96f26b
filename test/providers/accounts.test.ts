/** The tenant's own accounts at providers: configured, shown without secrets, used for its payments only, and watched. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../src/maintenance/doctor/doctor.ts';
import { readAccount } from '../../src/tenants/providerAccounts.ts';
import { findTenant } from '../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { stoppedClock, type TestClock } from '../support/clock.ts';
import { secretKey, startFakeStripe, webhookSecret, type FakeStripe } from '../support/fakeStripe.ts';
import { createShop } from '../support/shop.ts';
import { expectRestError, inject } from '../support/world.ts';

const configure = `mutation ($input: ConfigureAccountInput!) {
  configureAccount(input: $input) {
    provider settings { name value } configuredAt failedAt failure callbackUrl
  }
}`;
const remove =
  'mutation ($provider: AccountProvider!) { removeAccount(input: { provider: $provider }) { provider } }';
const tryOut =
  'mutation ($provider: AccountProvider!) { testAccount(input: { provider: $provider }) { failedAt failure } }';
const list = '{ tenant { paymentProviders accounts { provider failedAt failure settings { name value } } } }';
const stripeAccount = { secretKey, webhookSecret, publishableKey: 'pk_test_notreallyakey' };
const smtpAccount = { url: 'smtps://user:p%40ss@mail.example:465', fromAddress: 'billing@shop.example' };

let app: TestApp;
let stripe: FakeStripe;
let clock: TestClock;
beforeAll(async () => {
  stripe = await startFakeStripe();
  clock = stoppedClock('2026-01-01T00:00:00.000Z');
  const given = { stripeUrl: stripe.url, publicUrl: 'https://billing.example', rateLimitPerSecond: '10000' };
  app = await startApp(given, { clock });
});
afterAll(async () => {
  await app.close();
  stripe.close();
});

let count = 0;
const openTenant = async (test = false) => {
  const alias = `own-${++count}`;
  const client = await app.tenant({ alias, test });
  return { alias, client, shop: createShop(client, alias, 'pm_card_visa') };
};
const fetchAccounts = async (client: Client) => (await client.graphql(list)).tenant;
const listIssues = (answer: any) =>
  answer.body.errors?.map(({ extensions }: any) => [extensions.reason, extensions.issues?.[0]?.path]);

describe('an account', () => {
  it('is shown without its secrets, and stored encrypted', async () => {
    const { client, alias } = await openTenant();
    const answer = await client.post(configure, { input: { stripe: stripeAccount } });
    expect(answer.body.data.configureAccount).toEqual({
      provider: 'stripe',
      settings: [
        { name: 'publishableKey', value: 'pk_test_notreallyakey' },
        { name: 'secretKey', value: '…cret' },
        { name: 'webhookSecret', value: '…cret' },
      ],
      configuredAt: '2026-01-01T00:00:00.000Z',
      failedAt: null,
      failure: null,
      callbackUrl: `https://billing.example/callbacks/stripe/${alias}`,
    });
    await client.graphql(configure, { input: { smtp: smtpAccount } });
    const { accounts, paymentProviders } = await fetchAccounts(client);
    expect(paymentProviders).toEqual(['stripe', 'manual']);
    expect(accounts.map(({ provider }: any) => provider)).toEqual(['smtp', 'stripe']);
    expect(accounts[0].settings).toEqual([
      { name: 'url', value: 'smtps://user@mail.example:465' },
      { name: 'fromAddress', value: 'billing@shop.example' },
    ]);
    const dump = await app.backdoor.dump();
    expect(dump).toContain('mail.example');
    for (const secret of [secretKey, webhookSecret, 'p%40ss']) expect(dump).not.toContain(secret);
  });

  it('is read with its secrets by the server', async () => {
    const { client, alias } = await openTenant();
    const { service } = app;
    const record = (await findTenant(service, alias))!;
    expect(await readAccount(service, record, 'smtp')).toBeUndefined();
    await client.graphql(configure, { input: { smtp: smtpAccount } });
    expect(await readAccount(service, record, 'smtp')).toEqual({
      provider: 'smtp',
      settings: { url: 'smtps://user@mail.example:465', fromAddress: 'billing@shop.example' },
      secrets: { url: smtpAccount.url },
    });
  });

  it.each([
    ['without an account', {}, 'input'],
    ['with two', { stripe: stripeAccount, smtp: smtpAccount }, 'input'],
    [
      'with another key',
      { stripe: { ...stripeAccount, secretKey: 'pk_test_0123456789' } },
      'stripe.secretKey',
    ],
    [
      'with a line end in a key',
      { stripe: { ...stripeAccount, secretKey: `${secretKey}\n` } },
      'stripe.secretKey',
    ],
    [
      'with another secret',
      { stripe: { ...stripeAccount, webhookSecret: 'secret' } },
      'stripe.webhookSecret',
    ],
    [
      'with a huge key',
      { stripe: { ...stripeAccount, secretKey: secretKey.repeat(50) } },
      'stripe.secretKey',
    ],
    ['with a path', { smtp: { ...smtpAccount, url: 'smtps://mail.example/etc' } }, 'smtp.url'],
    ['of another protocol', { smtp: { ...smtpAccount, url: 'file://mail.example' } }, 'smtp.url'],
    ['with a broken password', { smtp: { ...smtpAccount, url: 'smtps://u:%E0@mail.example' } }, 'smtp.url'],
    [
      'with a line end in a name',
      { smtp: { ...smtpAccount, url: 'smtps://u%0d%0a:p@mail.example' } },
      'smtp.url',
    ],
    ['in the network of the server', { smtp: { ...smtpAccount, url: 'smtp://10.0.0.7:25' } }, 'smtp.url'],
    ['on the server itself', { smtp: { ...smtpAccount, url: 'smtp://localhost' } }, 'smtp.url'],
    [
      'on the server itself, by IPv6',
      { smtp: { ...smtpAccount, url: 'smtp://[::ffff:127.0.0.1]' } },
      'smtp.url',
    ],
    ['with metadata of a cloud', { smtp: { ...smtpAccount, url: 'smtp://169.254.169.254' } }, 'smtp.url'],
    [
      'with two addresses',
      { smtp: { ...smtpAccount, fromAddress: 'a@b.example\r\nBcc: c@d.example' } },
      'smtp.fromAddress',
    ],
  ])('%s is refused', async (_, input, path) => {
    const { client } = await openTenant();
    const answer = await client.post(configure, { input });
    expect(listIssues(answer)).toEqual([['validation_failed', path]]);
    expect((await fetchAccounts(client)).accounts).toEqual([]);
  });

  it('with a live key is refused for a test tenant', async () => {
    const { client } = await openTenant(true);
    const live = { ...stripeAccount, secretKey: secretKey.replace('test', 'live') };
    expect(listIssues(await client.post(configure, { input: { stripe: live } }))).toEqual([
      ['validation_failed', 'stripe.secretKey'],
    ]);
  });
});

describe('a test of an account', () => {
  const test = async (client: Client, provider: string) => {
    const answer = await client.post(tryOut, { provider });
    return answer.body.data?.testAccount ?? listIssues(answer);
  };

  it('says whether the provider accepts its key, and moves nothing', async () => {
    const { client, alias } = await openTenant();
    expect(await test(client, 'stripe')).toEqual([['account_not_found', undefined]]);
    const wrong = { ...stripeAccount, secretKey: 'sk_test_0123456789abcdef' };
    await client.graphql(configure, { input: { stripe: wrong } });
    const failure = 'StripeAuthenticationError 401';
    expect(await test(client, 'stripe')).toEqual({ failedAt: '2026-01-01T00:00:00.000Z', failure });
    await client.graphql(configure, { input: { stripe: stripeAccount } });
    const before = stripe.intents.size;
    expect(await test(client, 'stripe')).toEqual({ failedAt: null, failure: null });
    expect(stripe.intents.size).toBe(before);
    const reader = await app.key(alias, 'read');
    expect(await test(reader, 'stripe')).toEqual([['insufficient_scope', undefined]]);
    const stranger = await openTenant();
    expect(await test(stranger.client, 'stripe')).toEqual([['account_not_found', undefined]]);
  });

  it('does not connect to a mail server in the network of the server', async () => {
    const { client } = await openTenant();
    const url = 'smtps://user:p%40ss@localhost.example.com.';
    await client.graphql(configure, { input: { smtp: { ...smtpAccount, url } } });
    expect(await test(client, 'smtp')).toMatchObject({ failure: 'address_unusable' });
  });
});

describe('payments of a tenant with its own account', () => {
  const payDocument = `mutation ($id: ID!, $method: String!) {
    confirmIntent(id: $id, input: { paymentMethod: $method }) { status }
  }`;

  it('go through it, and those of other tenants do not', async () => {
    const [own, other] = [await openTenant(), await openTenant()];
    await own.client.graphql(configure, { input: { stripe: stripeAccount } });
    const subscribe = async ({ client, shop }: typeof own) => {
      const { intentId: id } = await shop.intent(await shop.customer(), (await shop.product()).price);
      return client.post(payDocument, { id, method: 'pm_card_visa' });
    };
    expect((await subscribe(own)).body.data.confirmIntent.status).toBe('succeeded');
    expect(listIssues(await subscribe(other))).toEqual([['validation_failed', 'paymentMethod']]);
    expect(stripe.customers.map(({ metadata }) => metadata.perennial_tenant)).toEqual([own.alias]);
  });

  it('are refused a removal of the account while subscriptions are charged through it', async () => {
    const { client, shop } = await openTenant();
    await client.graphql(configure, { input: { stripe: stripeAccount } });
    const { id } = await shop.subscribe(await shop.customer(), (await shop.product()).price);
    expect(listIssues(await client.post(remove, { provider: 'stripe' }))).toEqual([
      ['account_in_use', undefined],
    ]);
    await client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id });
    expect(await client.graphql(remove, { provider: 'stripe' })).toEqual({
      removeAccount: { provider: 'stripe' },
    });
    expect(listIssues(await client.post(remove, { provider: 'stripe' }))).toEqual([
      ['account_not_found', undefined],
    ]);
  });

  it('that fail are recorded once a minute, until one succeeds', async () => {
    const { client, shop } = await openTenant();
    const wrong = { ...stripeAccount, secretKey: 'sk_test_0123456789abcdef' };
    await client.graphql(configure, { input: { stripe: wrong } });
    const { intentId: id } = await shop.intent(await shop.customer(), (await shop.product()).price);
    const pay = () => client.post(payDocument, { id, method: 'pm_card_visa' });
    const resume = () => client.post('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id });
    const find = async () => (await fetchAccounts(client)).accounts[0];
    expect(listIssues(await pay())).toEqual([['unavailable', 'paymentMethod']]);
    const failed = await find();
    expect([failed.failedAt, failed.failure]).toEqual([
      '2026-01-01T00:00:00.000Z',
      'StripeAuthenticationError 401',
    ]);
    clock.advance(59_000);
    await Promise.all([resume(), resume(), resume()]);
    expect((await find()).failedAt).toBe(failed.failedAt);
    clock.advance(1_000);
    await Promise.all([resume(), resume(), resume()]);
    expect((await find()).failedAt).toBe('2026-01-01T00:01:00.000Z');
    await client.graphql(configure, { input: { stripe: stripeAccount } });
    expect((await find()).failedAt).toBeNull();
    expect((await resume()).body.data.resumeIntent.status).toBe('succeeded');
  });

  it('are unreachable, not declined, if the secrets cannot be decrypted', async () => {
    const { client, shop, alias } = await openTenant();
    await client.graphql(configure, { input: { stripe: stripeAccount } });
    await app.service.store.transact(alias, async (queries) => {
      await queries.update('accounts', { tenantAlias: alias }, { secrets: 'sealed:v1:AAAA' });
    });
    const { intentId: id } = await shop.intent(await shop.customer(), (await shop.product()).price);
    const answer = await client.post(payDocument, { id, method: 'pm_card_visa' });
    expect(listIssues(answer)).toEqual([['unavailable', 'paymentMethod']]);
    const [{ failure }] = (await fetchAccounts(client)).accounts;
    expect(failure).toContain('cannot be decrypted');
    const { findings } = await examine(app.service, () => undefined);
    expect(
      findings.filter(({ tenant }) => tenant === alias).map(({ check, found }) => [check, found]),
    ).toEqual([
      ['account', 'has secrets that the key of this server cannot decrypt'],
      ['account', expect.stringMatching(/^has failed at 2026-01-01.*cannot be decrypted/)],
    ]);
    expect(
      (await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status,
    ).toBe('processing');
  });
});

describe('a callback to the address of a tenant', () => {
  const deliver = (path: string, { body, signature }: { body: string; signature: string }) =>
    inject(app, {
      method: 'POST',
      url: `/callbacks/${path}`,
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      payload: body,
    });
  const waiting = async () => {
    const tenant = await openTenant();
    await tenant.client.graphql(configure, { input: { stripe: stripeAccount } });
    const { shop, client } = tenant;
    const { intentId: id } = await shop.intent(await shop.customer(), (await shop.product()).price);
    const document =
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "pm_card_authenticationRequired" }) { id } }';
    await client.graphql(document, { id });
    const made = [...stripe.intents.values()].find(({ key }) => key === `${id}_1`);
    const fetchStatus = async () =>
      (await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status;
    return { ...tenant, made, fetchStatus };
  };

  it('settles a payment of the tenant once', async () => {
    const { alias, made, fetchStatus } = await waiting();
    const signed = stripe.callback('payment_intent.succeeded', stripe.finish(made.id, true));
    const answers = await Promise.all([1, 2, 3].map(() => deliver(`stripe/${alias}`, signed)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await fetchStatus()).toBe('succeeded');
  });

  it('cannot settle a payment of another tenant', async () => {
    const [victim, attacker] = [await waiting(), await waiting()];
    const forged = { ...victim.made, status: 'succeeded' };
    const answer = await deliver(
      `stripe/${attacker.alias}`,
      stripe.callback('payment_intent.succeeded', forged),
    );
    expect(answer.status).toBe(200);
    expect(await victim.fetchStatus()).toBe('requires_action');
  });

  it.each([
    ['without an account', () => openTenant(), 'stripe'],
    ['with an account at a mail server', () => openTenant(), 'smtp'],
    ['that is not there', async () => ({ alias: 'nobody' }), 'stripe'],
  ])('%s is a 404', async (_, make, provider) => {
    const { alias } = await make();
    const signed = stripe.callback('payment_intent.succeeded', {});
    expectRestError(await deliver(`${provider}/${alias}`, signed), 'route_not_found');
    expectRestError(await deliver(provider, signed), 'route_not_found');
  });

  it('with another signature is refused, and does not count as a failure of the account', async () => {
    const { alias, client, made } = await waiting();
    const signed = stripe.callback('payment_intent.succeeded', made, { secret: 'whsec_0123456789' });
    expectRestError(await deliver(`stripe/${alias}`, signed), 'validation_failed');
    expect((await fetchAccounts(client)).accounts[0].failedAt).toBeNull();
  });
});
