/** The reset of a test tenant: its business goes, its settings stay, others notice nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { signInOperator } from '../../support/operators.ts';
import { createShop } from '../../support/shop.ts';
import { fillTenant } from '../../support/world.ts';

const reset = `mutation ($confirmation: String!) {
  resetTenant(input: { confirmation: $confirmation }) { alias name defaultCurrency portal { productIds } } }`;
const counts = `{ customers(first: 1) { totalCount } products(first: 1) { totalCount } groups(first: 1) { totalCount }
  subscriptions(first: 1) { totalCount } invoices(first: 1) { totalCount } intents(first: 1) { totalCount }
  coupons(first: 1) { totalCount } mailDeliveries(first: 1) { totalCount } deliveries(first: 1) { totalCount } }`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000', testMails: 'on' });
});
afterAll(() => app.close());

const listIssues = ({ body }: Answer) =>
  body.errors?.map(({ extensions }: any) => [extensions.reason, extensions.issues?.[0]?.path]);

async function openFull(alias: string) {
  const client = await app.tenant({ alias, test: true });
  await fillTenant(client, alias);
  await client.graphql(`mutation { updateTenant(input: {
    name: "Kept", defaultCurrency: "eur", seller: { legalName: "Kept GmbH", address: { country: "DE" } }
  }) { alias } }`);
  return client;
}

/** Lets the shop sell once, and returns the numbers of its invoices. */
async function sellOnce(client: Awaited<ReturnType<typeof openFull>>, alias: string) {
  const shop = createShop(client, alias);
  const { price } = await shop.product();
  await shop.subscribe(await shop.customer(), price);
  return (await client.graphql('{ invoices { nodes { number documentNumber status } } }')).invoices.nodes;
}

it('removes all business records and their history, and keeps what is set up once', async () => {
  const client = await openFull('full');
  const other = await openFull('other');
  const [, before] = await Promise.all([sellOnce(client, 'full'), app.backdoor.dump('other')]);
  const { resetTenant } = await client.graphql(reset, { confirmation: 'full' });
  expect(resetTenant).toEqual({
    alias: 'full',
    name: 'Kept',
    defaultCurrency: 'eur',
    portal: { productIds: null },
  });
  const left = await client.graphql(counts);
  expect(Object.values(left).map((list: any) => list.totalCount)).toEqual(Array(9).fill(0));
  const { traces, webhookEndpoints } = await client.graphql(
    '{ traces(first: 100) { nodes { activityType payload } } webhookEndpoints { nodes { id } } }',
  );
  expect(webhookEndpoints.nodes.length).toBeGreaterThan(0);
  const [latest] = traces.nodes;
  expect([latest.activityType, latest.payload.action]).toEqual(['TenantEvent', 'reset']);
  const business = /^(Customer|Product|Price|Group|Intent|Subscription|Invoice|Payment|Coupon)/;
  expect(traces.nodes.filter(({ activityType }: any) => business.test(activityType))).toEqual([]);
  expect(await app.backdoor.dump('other')).toBe(before);
  expect((await other.graphql(counts)).customers.totalCount).toBeGreaterThan(0);
  // The numbers begin again, too.
  expect(await sellOnce(client, 'full')).toMatchObject([{ number: 1, status: 'paid' }]);
  const { findings } = await examine(app.service, () => undefined);
  expect(findings.filter(({ tenant }) => tenant === 'full')).toEqual([]);
  const { search } = await client.graphql('{ search(text: "ada") { nodes { __typename } } }').catch(() => ({
    search: { nodes: [] },
  }));
  expect(search.nodes.length).toBeLessThanOrEqual(2);
});

it('is safe 50 times at once, beside requests that write', async () => {
  const client = await openFull('busy');
  const shop = createShop(client, 'busy');
  const writes = Array.from({ length: 50 }, async (_, index) => {
    const { price } = await shop.product({ name: `Plan ${index}` });
    const customer = await shop.customer();
    // A reset may come between the product and the response that shows its prices.
    if (!price) return client.rest('GET', '/customers', { tenantAlias: 'busy' });
    return client.rest('POST', '/subscriptions/intent', shop.intentInput(customer, price));
  });
  const resets = Array.from({ length: 50 }, () => client.post(reset, { confirmation: 'busy' }));
  const answers = await Promise.all([...resets, ...writes]);
  for (const { status, text } of answers) expect([200, 201, 404], text).toContain(status);
  const { findings } = await examine(app.service, () => undefined);
  expect(findings.filter(({ tenant }) => tenant === 'busy')).toEqual([]);
  expect((await client.graphql(reset, { confirmation: 'busy' })).resetTenant.alias).toBe('busy');
});

it('leaves no use of customers who are gone, by requests that have read them before', async () => {
  const client = await openFull('used');
  const create = async (name: string, input: object) => {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input!`;
    const document = `mutation ($input: ${type}) { ${name}(input: $input) { id } }`;
    return (await client.graphql(document, { input }))[name].id;
  };
  for (let round = 1; round <= 5; round++) {
    const meter = { name: 'Calls', event: 'call', aggregation: 'sum', value: 'units' };
    const meterId = await create('createMeter', meter);
    const feature = await create('createFeature', {
      key: 'calls',
      name: 'Calls',
      kind: 'limit',
      meterId,
    }).then(() => 'calls');
    const customers = await Promise.all(
      Array.from({ length: 20 }, async () => (await createShop(client, 'used').customer()).id),
    );
    for (const customerId of customers)
      await create('overrideEntitlement', { customerId, feature, value: '100' });
    const use = (customerId: string, index: number) => {
      const input = { customerId, feature, amount: '1' };
      return index % 2 === 0
        ? client.post(
            'mutation ($input: ReserveEntitlementInput!) { reserveEntitlement(input: $input) { id } }',
            { input },
          )
        : client.post(
            'mutation ($input: ConsumeEntitlementInput!) { consumeEntitlement(input: $input) { used } }',
            { input: { id: `${round}-${customerId}`, ...input } },
          );
    };
    await Promise.all([
      ...customers.slice(0, 10).map(use),
      client.post(reset, { confirmation: 'used' }),
      ...customers.slice(10).map(use),
    ]);
    for (const table of ['usage_events', 'usage_totals', 'reservations'])
      expect(
        await app.backdoor.all(
          `SELECT customer_id FROM ${table} WHERE tenant_alias = 'used' AND customer_id NOT IN (SELECT id FROM customers)`,
        ),
      ).toEqual([]);
    const { findings } = await examine(app.service, () => undefined);
    expect(findings.filter(({ tenant }) => tenant === 'used')).toEqual([]);
  }
});

it('happens once for a request that is repeated', async () => {
  const client = await openFull('again');
  const headers = { 'idempotency-key': 'reset-1' };
  await client.graphql(reset, { confirmation: 'again' }, headers);
  await sellOnce(client, 'again');
  await client.graphql(reset, { confirmation: 'again' }, headers);
  expect((await client.graphql(counts)).customers.totalCount).toBe(1);
});

it('is refused for a live tenant, another alias, and roles that change no settings', async () => {
  const live = await app.tenant({ alias: 'live', test: false });
  expect(listIssues(await live.post(reset, { confirmation: 'live' }))).toEqual([
    ['validation_failed', 'confirmation'],
  ]);
  const client = await app.tenant({ alias: 'mine', test: true });
  for (const confirmation of ['', 'Mine', 'live', 'mine ', "' or 1=1 --", '<b>mine</b>'])
    expect(listIssues(await client.post(reset, { confirmation }))).toEqual([
      ['validation_failed', 'confirmation'],
    ]);
  for (const role of ['finance', 'support', 'viewer'] as const) {
    const operator = await signInOperator(app, { role, tenant: 'mine' });
    expect(listIssues(await operator.post(reset, { confirmation: 'mine' }))).toEqual([
      ['permission_missing', 'permission'],
    ]);
  }
  const reader = await app.key('mine', 'read');
  expect(listIssues(await reader.post(reset, { confirmation: 'mine' }))![0]![0]).toBe('insufficient_scope');
  const owner = await signInOperator(app, { role: 'admin', tenant: 'mine' });
  expect((await owner.post(reset, { confirmation: 'mine' })).body.data.resetTenant.alias).toBe('mine');
});
