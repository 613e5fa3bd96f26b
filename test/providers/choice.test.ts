/** Which provider takes which method: the sandbox for test tenants alone, the others as each tenant chooses. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listPaymentWarnings } from '../../src/maintenance/paymentWarnings.ts';
import { runDueWork } from '../../src/app/scheduler.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { dayMs, stoppedClock } from '../support/clock.ts';
import { performer, type Perform } from '../support/scenario.ts';
import { createShop, type Shop } from '../support/shop.ts';
import { secretKey } from '../support/fakeStripe.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import { payPath } from '../support/payLinks.ts';
import { inject } from '../support/world.ts';

const quiet = pino({ level: 'silent' });
const confirm =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status } }';
const setMethod =
  'mutation ($id: ID!, $method: String!) { setPaymentMethod(id: $id, input: { paymentMethod: $method }) { id } }';
const update = `mutation ($input: UpdateTenantInput!) {
  updateTenant(input: $input) { paymentProviders isTest ownsClock }
}`;
const record =
  'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "bank-1" }) { id status subscriptionId } }';

let lastAlias = 0;
/** A tenant of an app, its shop, and an intent that waits to be paid. */
async function open(app: TestApp, test: boolean) {
  const alias = `${test ? 'test' : 'live'}-${++lastAlias}`;
  const client = await app.tenant({ alias, test });
  const shop = createShop(client, alias);
  const newIntent = async () =>
    (await shop.intent(await shop.customer(), (await shop.product()).price)).intentId as string;
  return { alias, client, shop, perform: performer(app, client, alias), newIntent };
}
const fetchStatus = async (client: Client, id: string) =>
  (await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status;

/** Gives a tenant the account to which its payers transfer. */
const takeTransfers =
  'mutation { updateTenant(input: { bankAccount: { accountHolder: "Acme", iban: "DE89370400440532013000" } }) { alias } }';

/** A subscription of a live tenant, begun by bank transfer. */
async function subscribeByTransfer(client: Client, shop: Shop, id: string): Promise<string> {
  await shop.confirm(id, 'manual');
  const { invoices } = await client.graphql('{ invoices(status: open) { nodes { id } } }');
  return (await client.graphql(record, { id: invoices.nodes[0].id })).recordPayment.subscriptionId;
}

describe('without a provider that charges', () => {
  const clock = stoppedClock('2026-01-31T00:00:00.000Z');
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  });
  afterAll(() => app.close());

  it.each([
    ['sandbox_ok', 'sandbox methods are for test tenants only'],
    ['sandbox_declined', 'sandbox methods are for test tenants only'],
    ['sandbox_ok_then_declined', 'sandbox methods are for test tenants only'],
    ['sandbox_requires_action', 'sandbox methods are for test tenants only'],
    ['sandbox_', 'sandbox methods are for test tenants only'],
    ['pm_card_visa', 'no payment provider is configured; only manual is accepted'],
    ['sandbox', 'no payment provider is configured; only manual is accepted'],
    ['Manual', 'no payment provider is configured; only manual is accepted'],
    ['constructor', 'no payment provider is configured; only manual is accepted'],
  ])('a live tenant refuses %s, and nothing changes', async (method, message) => {
    const { client, shop, perform, newIntent } = await open(app, false);
    const id = await newIntent();
    const refused = { reason: 'validation_failed' as const, paths: ['paymentMethod'], has: [message] };
    await perform({ graphql: [confirm, { id, method }], ...refused });
    expect(await fetchStatus(client, id)).toBe('requires_payment_method');
    const subscriptionId = await subscribeByTransfer(client, shop, id);
    await perform({ graphql: [setMethod, { id: subscriptionId, method }], ...refused });
  });

  it('a sandbox method for a scheduled start is refused', async () => {
    const { shop, perform } = await open(app, false);
    const { price } = await shop.product();
    const { intentId } = await shop.intent(await shop.customer(), price, { startDate: '2027-01-01' });
    await perform({
      graphql: [confirm, { id: intentId, method: 'sandbox_ok' }],
      reason: 'validation_failed',
    });
  });

  it('its payment page offers only a transfer and refuses a forged choice', async () => {
    const { newIntent, client } = await open(app, false);
    await client.graphql(takeTransfers);
    const id = await newIntent();
    const page = await app.server.inject({ url: await payPath(app, id) });
    const choices = [...page.body.matchAll(/name="method"\s+value="([^"]+)"/g)].map(([, value]) => value);
    expect(choices).toEqual(['manual']);
    expect(page.body).not.toContain('No money moves');
    const token = /name="token" value="([^"]+)"/.exec(page.body)![1]!;
    const forged = await inject(app, {
      method: 'POST',
      url: await payPath(app, id),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token, method: 'sandbox_ok' }).toString(),
    });
    expect(forged.status).toBe(400);
    expect(await fetchStatus(client, id)).toBe('requires_payment_method');
  });

  it('fifty concurrent payers start no subscription without payment', async () => {
    const { client, newIntent, alias } = await open(app, false);
    const ids = await Promise.all(Array.from({ length: 50 }, newIntent));
    const answers = await Promise.all(ids.map((id) => client.post(confirm, { id, method: 'sandbox_ok' })));
    const reasons = answers.map(({ body }) => body.errors[0].extensions.reason);
    expect(new Set(reasons)).toEqual(new Set(['validation_failed']));
    for (const table of ['subscriptions', 'payments', 'paymentMethods'] as const) {
      expect(await app.service.store.committed.select(table, { where: { tenantAlias: alias } })).toEqual([]);
    }
  });

  it('an earlier sandbox method of a live tenant is declined, and doctor reports it', async () => {
    const { alias, client, shop, newIntent } = await open(app, false);
    const id = await subscribeByTransfer(client, shop, await newIntent());
    await app.backdoor.execute(
      `update payment_methods set provider = 'sandbox', reference = 'sandbox_ok' where tenant_alias = '${alias}'`,
    );
    const findings = async () =>
      (await perennial(app.database, ['doctor', '--json'])).json.findings.filter(
        ({ tenant, check }: any) => tenant === alias && check === 'sandbox_method',
      );
    expect(await findings()).toMatchObject([{ subject: id, repair: expect.stringContaining('another') }]);
    clock.advance(31 * dayMs);
    await runDueWork(app.service, quiet);
    const { subscription } = await client.graphql(
      'query ($id: ID!) { subscription(id: $id) { status billedCount } }',
      { id },
    );
    expect(subscription).toEqual({ status: 'past_due', billedCount: 1 });
    const payments = await app.service.store.committed.select('payments', {
      where: { tenantAlias: alias, status: 'failed' },
    });
    expect(payments).toMatchObject([{ failureReason: 'sandbox_method_on_live_tenant', amountMinor: 5000n }]);
    await client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id });
    expect(await findings()).toEqual([]);
  });

  it('a pending sandbox payment of a live tenant is declined', async () => {
    const { alias, client, perform, newIntent } = await open(app, false);
    const id = await newIntent();
    await app.backdoor.execute(
      `update intents set status = 'requires_action', provider = 'sandbox', attempts = 1, payment_method = 'sandbox_requires_action',
       payment_reference = 'sandbox_x', due_minor = 5000, payment_started_at = created_at where tenant_alias = '${alias}'`,
    );
    await perform({
      graphql: ['mutation ($id: ID!) { resumeIntent(id: $id) { id } }', { id }],
      reason: 'payment_failed',
      has: ['sandbox_method_on_live_tenant'],
      traces: ['IntentEvent payment_failed', 'PaymentEvent failed < IntentEvent payment_failed'],
    });
    expect(await fetchStatus(client, id)).toBe('requires_payment_method');
  });

  it('a test tenant pays with the sandbox', async () => {
    const { client, newIntent } = await open(app, true);
    const id = await newIntent();
    await client.graphql(confirm, { id, method: 'sandbox_ok' });
    expect(await fetchStatus(client, id)).toBe('succeeded');
    expect((await client.graphql('{ tenant { paymentProviders } }')).tenant.paymentProviders).toEqual([
      'sandbox',
      'manual',
    ]);
  });

  it('names the live tenants that cannot charge, or counts them if there are many', async () => {
    const own = await startApp();
    await own.tenant({ alias: 'acme', test: false });
    await own.tenant({ alias: 'closed', test: false });
    await own.tenant({ alias: 'trial', test: true });
    await own.service.store.transact('closed', async (queries) => {
      await queries.update('tenants', { alias: 'closed' }, { paymentProviders: [] });
    });
    expect(await listPaymentWarnings(own.service)).toEqual([
      'The live tenant acme has no payment provider: it accepts bank transfers only',
      'The live tenant closed has no payment provider: bank transfers are disabled too, so it accepts no payments',
    ]);
    for (let made = 0; made < 9; made++) await own.tenant({ alias: `more-${made}`, test: false });
    expect(await listPaymentWarnings(own.service)).toEqual([
      '11 live tenants have no payment provider: they accept bank transfers only, or no payments',
    ]);
    await own.close();
  });
});

describe('with Stripe', () => {
  const clock = stoppedClock('2026-01-31T00:00:00.000Z');
  let running: StripeApp;
  let app: TestApp;
  let live: Awaited<ReturnType<typeof open>>;
  let perform: Perform;
  beforeAll(async () => {
    running = await startStripeApp({}, { clock });
    app = running.app;
  });
  afterAll(() => running.close());
  beforeEach(async () => {
    live = await open(app, false);
    perform = live.perform;
  });
  const choose = (paymentProviders: unknown, holds: object, traces = ['TenantEvent updated']) =>
    perform({ graphql: [update, { input: { paymentProviders } }], holds, traces });

  it('a live tenant has Stripe by default, and never the sandbox', async () => {
    const { client, newIntent } = live;
    expect((await client.graphql('{ tenant { paymentProviders } }')).tenant.paymentProviders).toEqual([
      'stripe',
      'manual',
    ]);
    const id = await newIntent();
    await perform({ graphql: [confirm, { id, method: 'sandbox_ok' }], reason: 'validation_failed' });
    await client.graphql(confirm, { id, method: 'pm_card_visa' });
    expect(await fetchStatus(client, id)).toBe('succeeded');
  });

  it('a tenant that disables Stripe refuses new cards and charges saved ones', async () => {
    const { shop, newIntent, alias } = live;
    const { subscriptionId } = await shop.confirm(await newIntent(), 'pm_card_visa');
    await choose(['manual'], { paymentProviders: ['manual'] });
    const refused = {
      reason: 'validation_failed' as const,
      paths: ['paymentMethod'],
      has: ['stripe is switched off for this tenant'],
    };
    await perform({ graphql: [confirm, { id: await newIntent(), method: 'pm_card_visa' }], ...refused });
    await perform({ graphql: [setMethod, { id: subscriptionId, method: 'pm_card_visa' }], ...refused });
    clock.advance(31 * dayMs);
    await runDueWork(app.service, quiet);
    const charges = await app.service.store.committed.select('payments', {
      where: { tenantAlias: alias, status: 'succeeded' },
    });
    expect(charges.map(({ provider }) => provider)).toEqual(['stripe', 'stripe']);
    expect(await listPaymentWarnings(app.service)).toContain(
      `The live tenant ${alias} has no payment provider: it accepts bank transfers only`,
    );
    await choose(null, { paymentProviders: ['stripe', 'manual'] });
  });

  it('a tenant that disables transfers offers none; others do', async () => {
    const other = await open(app, false);
    await Promise.all([other, live].map(({ client }) => client.graphql(takeTransfers)));
    await choose(['stripe'], { paymentProviders: ['stripe'] });
    const id = await live.newIntent();
    await perform({
      graphql: [confirm, { id, method: 'manual' }],
      reason: 'validation_failed',
      paths: ['paymentMethod'],
      has: ['manual is switched off for this tenant'],
    });
    const page = async (intentId: string) =>
      (await app.server.inject({ url: await payPath(app, intentId) })).body;
    expect(await page(id)).toContain('Card and other methods');
    expect(await page(id)).not.toContain('value="manual"');
    expect(await page(await other.newIntent())).toContain('value="manual"');
    await choose([], { paymentProviders: [] });
    expect(await page(id)).toContain('the seller does not accept payments on this page');
    const nobody = await app.server.inject({ url: await payPath(app, id) });
    expect(nobody.statusCode).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ['the sandbox', ['sandbox'], 'paymentProviders.0'],
    ['one twice', ['manual', 'manual'], 'paymentProviders'],
  ])('a tenant cannot choose %s', async (_, paymentProviders, path) => {
    await perform({
      graphql: [update, { input: { paymentProviders } }],
      reason: 'validation_failed',
      paths: [path],
    });
  });

  it('a test tenant with a test key of Stripe has all three', async () => {
    const trial = await open(app, true);
    const answer = await trial.client.graphql(update, { input: { paymentProviders: null } });
    expect(answer.updateTenant).toEqual({
      paymentProviders: ['sandbox', 'stripe', 'manual'],
      isTest: true,
      ownsClock: false,
    });
  });
});

describe.each([
  ['a test key', secretKey, 'The live tenant live-one: the key of stripe is a test one, so no money moves'],
  [
    'a live key',
    secretKey.replace('_test_', '_live_'),
    'The test tenant test-one: the key of stripe is a live one, so test tenants cannot use stripe; they have the sandbox',
  ],
])('%s of Stripe', (_, stripeSecretKey, warning) => {
  it('is warned of for tenants of the other kind only, in one line for many', async () => {
    const own = await startStripeApp({ stripeSecretKey });
    const isLive = stripeSecretKey.includes('_live_');
    await own.app.tenant({ alias: 'live-one', test: false });
    await own.app.tenant({ alias: 'test-one', test: true });
    expect(await listPaymentWarnings(own.app.service)).toEqual([warning]);
    for (let made = 0; made < 10; made++) await own.app.tenant({ alias: `more-${made}`, test: isLive });
    expect(await listPaymentWarnings(own.app.service)).toEqual([
      warning.replace(/^The (\w+) tenant [\w-]+/, '11 $1 tenants'),
    ]);
    await own.close();
  });
});
