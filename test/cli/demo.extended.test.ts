/** The demo: two years of a business that look real and are right, the same for everybody, completely or not at all. */
import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDemo } from '../../src/cli/demo/build.ts';
import { createDemo, DemoStopped } from '../../src/cli/demo.ts';
import { examine } from '../../src/maintenance/doctor/doctor.ts';
import { exportTenant } from '../../src/maintenance/tenantFiles/exportTenant.ts';
import { listTenants } from '../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { dayMs, stoppedClock } from '../support/clock.ts';
import { engine } from '../support/engines.ts';

const end = '2026-11-23T15:30:00.000Z';
const options = { contents: 'history', isStopping: () => false } as const;
const shown: string[] = [];
const progress = { show: (text: string) => void shown.push(text), end: () => void shown.push('') };

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp({}, { clock: stoppedClock(end) });
  client = app.client((await createDemo(app.service, { ...options, progress }))!);
});
afterAll(() => app.close());

const count = async (sql: string): Promise<number> => {
  const [row] = await app.backdoor.all(`SELECT count(*) AS n FROM ${sql}`);
  return Number(row!['n']);
};

const event = (type: string, action: string) =>
  count(
    `traces WHERE tenant_alias = 'demo' AND activity_type = '${type}' AND payload ->> 'action' = '${action}'`,
  );

const rows: [what: string, type: string, action: string, least: number][] = [
  ['subscriptions', 'SubscriptionEvent', 'created', 480],
  ['renewals', 'SubscriptionEvent', 'billed', 1500],
  ['upgrades', 'SubscriptionEvent', 'upgraded', 50],
  ['downgrades', 'SubscriptionEvent', 'downgraded', 10],
  ['pauses', 'SubscriptionEvent', 'paused', 10],
  ['resumptions', 'SubscriptionEvent', 'resumed', 5],
  ['cancellations at the end of a period', 'SubscriptionEvent', 'cancellation_scheduled', 30],
  ['cancellations taken back', 'SubscriptionEvent', 'cancellation_undone', 1],
  ['ends', 'SubscriptionEvent', 'cancelled', 40],
  ['trials that end', 'SubscriptionEvent', 'trial_ended', 20],
  ['failures', 'SubscriptionEvent', 'past_due', 50],
  ['failures without recovery', 'InvoiceEvent', 'given_up', 3],
  ['declines at the checkout', 'IntentEvent', 'payment_failed', 5],
  ['checkouts that nobody finished', 'IntentEvent', 'expired', 5],
  ['refunds', 'PaymentEvent', 'refund_succeeded', 15],
  ['credit notes', 'CreditNoteEvent', 'created', 15],
  ['credits', 'CustomerEvent', 'credit_granted', 3],
  ['coupons redeemed', 'CouponEvent', 'redeemed', 20],
  ['charges for a next invoice', 'InvoiceItemEvent', 'billed', 3],
];

it('has the tax of every document in the currency of the seller', async () => {
  expect(await count("tax_conversions WHERE tenant_alias = 'demo'")).toBeGreaterThan(400);
  expect(await count("tax_conversions WHERE tenant_alias = 'demo' AND tax_minor IS NULL")).toBe(0);
});

it.runIf(engine === 'sqlite')('is not in the log of the database a second time', () => {
  const file = app.database.replace('sqlite:', '');
  expect(statSync(file).size).toBeGreaterThan(30e6);
  expect(statSync(`${file}-wal`).size).toBeLessThan(5e6);
});

it.each(rows)('has %s', async (_, type, action, least) => {
  expect(await event(type, action)).toBeGreaterThanOrEqual(least);
});

it('has plans of every model, add-ons, currencies, taxes, transfers and one-off invoices', async () => {
  const places = [
    ...['per_unit', 'package', 'graduated', 'volume'].map(
      (model) => `prices WHERE pricing ->> 'model' = '${model}'`,
    ),
    ...['usd', 'eur', 'gbp'].map((currency) => `invoices WHERE currency = '${currency}'`),
    "subscriptions WHERE frequency = 'Yearly'",
    'subscriptions WHERE add_ons IS NOT NULL',
    'subscriptions WHERE quantity > 100',
    "invoices WHERE billing_reason = 'one_off'",
    "payments WHERE provider = 'manual' AND status = 'succeeded'",
    'invoices WHERE taxes IS NOT NULL',
    'subscriptions WHERE cancellation_reason IS NOT NULL',
  ];
  const empty = [];
  for (const place of places) if ((await count(place)) === 0) empty.push(place);
  expect(empty).toEqual([]);
});

it('has an AI product with a meter, usage until now, credit that was used and a limit', async () => {
  const { meters } = await client.graphql('{ meters(first: 1) { nodes { id name } } }');
  const [meter] = meters.nodes;
  const from = new Date(Date.parse(end) - 30 * dayMs).toISOString().replace('15:30', '00:00');
  const until = end.replace('15:30', '16:00');
  const { usage, creditGrants } = await client.graphql(
    `query ($id: ID!, $from: DateTime!, $until: DateTime!) {
      usage(meterId: $id, from: $from, until: $until, by: day) { windows { value } }
      creditGrants(first: 50) { nodes { name customerId amount { amount } remaining { amount } } }
    }`,
    { id: meter.id, from, until },
  );
  expect(meter.name).toBe('Tokens');
  expect(usage.windows.filter(({ value }: { value: string }) => Number(value) > 0).length).toBeGreaterThan(
    25,
  );
  type Grant = { name: string; amount: { amount: number }; remaining: { amount: number } };
  const used = (creditGrants.nodes as Grant[]).filter((each) => each.remaining.amount < each.amount.amount);
  expect([...new Set(used.map(({ name }) => name))].toSorted()).toEqual(['Prepaid', 'Welcome']);
  const { subscriptions } = await client.graphql(
    'query ($customerId: ID!) { subscriptions(customerId: $customerId) { nodes { id customerId productName } } }',
    { customerId: creditGrants.nodes[0].customerId },
  );
  const [subscription] = subscriptions.nodes;
  expect(subscription.productName).toBe('Assistant');
  const { checkEntitlement, currentUsage } = await client.graphql(
    `query ($customerId: ID!, $id: ID!) {
      checkEntitlement(customerId: $customerId, feature: "assistant_tokens") { used limit }
      currentUsage(subscriptionId: $id) { lines { usage } }
    }`,
    { customerId: subscription.customerId, id: subscription.id },
  );
  expect(checkEntitlement).toMatchObject({ limit: '8000000' });
  expect(Number(checkEntitlement.used)).toBeGreaterThan(0);
  expect(currentUsage.lines).toContainEqual({ usage: checkEntitlement.used });
});

it('ends now, after two years', async () => {
  const { traces } = await client.graphql('{ traces(first: 1, order: ASC) { nodes { createdAt } } }');
  expect(traces.nodes[0].createdAt).toBe(new Date(Date.parse(end) - 730 * dayMs).toISOString());
  expect(await count(`traces WHERE created_at > '${end}'`)).toBe(0);
  const lastWeek = new Date(Date.parse(end) - 7 * dayMs).toISOString();
  expect(
    await count(`subscriptions WHERE tenant_alias = 'demo' AND created_at > '${lastWeek}'`),
  ).toBeGreaterThan(2);
});

it('grows, and loses a few percent of its customers a month', async () => {
  const at = (days: number) => `'${new Date(Date.parse(end) - days * dayMs).toISOString()}'`;
  const active = (days: number) =>
    count(
      `subscriptions WHERE tenant_alias = 'demo' AND created_at <= ${at(days)} AND (cancelled_at IS NULL OR cancelled_at > ${at(days)})`,
    );
  const sizes = await Promise.all([600, 400, 200, 0].map(active));
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  const lost = await count(`subscriptions WHERE tenant_alias = 'demo' AND cancelled_at > ${at(360)}`);
  const monthly = lost / 12 / ((await active(360)) / 2 + (await active(0)) / 2);
  expect(monthly).toBeGreaterThan(0.01);
  expect(monthly).toBeLessThan(0.06);
});

it('has clean books', async () => {
  const { findings, examined } = await examine(app.service, () => {});
  expect(findings).toEqual([]);
  expect(examined.tenants).toBe(2);
});

it('begins with the products of the guides and ends with their customers', async () => {
  const { products, customers } = await client.graphql(`{
    products(order: ASC, first: 2) { nodes { name prices { details { amount currency } } } }
    customers(first: 2) { nodes { firstName associatedId createdAt } }
  }`);
  const price = (amount: number) => ({ details: { amount, currency: 'usd' } });
  expect(products.nodes).toEqual([
    { name: 'Basic', prices: [price(9), price(90)] },
    { name: 'Pro', prices: [price(29), price(290)] },
  ]);
  expect(customers.nodes).toEqual([
    { firstName: 'Grace', associatedId: 'user-2', createdAt: end },
    { firstName: 'Ada', associatedId: 'user-1', createdAt: end },
  ]);
});

it('has a second tenant with a clock that can be moved on', async () => {
  const clocked = await app.key('demo-clock', 'write');
  const { me } = await clocked.graphql('{ me { tenant { clock isTest } } }');
  expect(me.tenant).toEqual({ clock: end, isTest: true });
  const before = await count("invoices WHERE tenant_alias = 'demo-clock'");
  const to = new Date(Date.parse(end) + 40 * dayMs).toISOString();
  await clocked.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
  expect(await count("invoices WHERE tenant_alias = 'demo-clock'")).toBeGreaterThan(before);
});

it('says how far it is, and is made once', async () => {
  expect(shown).toContain('Making the demo: day 365 of 730');
  expect(shown.at(-1)).toBe('');
  const before = await count('traces');
  expect(await createDemo(app.service, { ...options, progress })).toBeUndefined();
  expect(await count('traces')).toBe(before);
});

const small = [{ tenant: { alias: 'demo', test: true }, days: 120, customers: 25 }];

it('is the same for the same seed', async () => {
  const sums = [];
  for (const seed of [1, 1, 2]) {
    const own = await startApp();
    await buildDemo(own.service, small, { nowMs: Date.parse(end), seed });
    const { tables } = await exportTenant(
      own.service,
      'demo',
      async () => {},
      () => {},
    );
    // The secret of cursors is the tenant's own.
    sums.push({ ...tables, tenants: undefined });
    await own.close();
  }
  expect(sums[1]).toEqual(sums[0]);
  expect(sums[2]).not.toEqual(sums[0]);
});

it('leaves no tenant half-made when it is stopped, and completes at the next start', async () => {
  const own = await startApp();
  const list = async () => (await listTenants(own.service)).map(({ alias }) => alias);
  let moments = 0;
  const isStopping = () => ++moments > 1000;
  await expect(createDemo(own.service, { ...options, progress, isStopping })).rejects.toThrow(DemoStopped);
  expect(await list()).toEqual(['demo-clock']);
  expect(await createDemo(own.service, { ...options, contents: 'catalog', progress })).toMatch(/^prn_demo_/);
  expect(await list()).toEqual(['demo', 'demo-clock']);
  await own.close();
});
