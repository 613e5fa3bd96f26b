/** Many subscriptions are billed by the same units of work, and yet each as if it were alone. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renewSubscription } from '../../../src/billing/renewals/renewSubscription.ts';
import { BillingError } from '../../../src/lib/errors.ts';
import type { Charge, PaymentProvider } from '../../../src/providers/provider.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { Queries } from '../../../src/storage/query/queries.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { completeRow } from '../../../src/storage/query/tableMeta.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import { dotPng } from '../../support/busyTenant.ts';
import { createShop, type Shop } from '../../support/shop.ts';

const quiet = pino({ level: 'silent' });
const monthMs = 31 * dayMs;

let clock: TestClock;
let app: TestApp;
let client: Client;
let shop: Shop;
/** What the provider was asked to charge since the first payments, and what else happens while it is asked. */
let charged: Charge[];
let meanwhile: (charge: Charge) => Promise<unknown> | undefined;

const attentive: PaymentProvider = {
  name: 'attentive',
  start: async () => ({ status: 'succeeded', reference: 'first', methodReference: 'card' }),
  resume: async () => ({ status: 'succeeded', reference: 'first', methodReference: 'card' }),
  charge: async (charge) => {
    charged.push(charge);
    await meanwhile(charge);
    return { status: 'succeeded', reference: charge.idempotencyKey, methodReference: 'card' };
  },
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: idempotencyKey }),
};

beforeEach(async () => {
  [charged, meanwhile] = [[], () => undefined];
  clock = stoppedClock('2026-01-01T00:00:00.000Z');
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  app.service.payments.charging = [attentive];
  client = await app.tenant({ alias: 'acme', test: false });
  shop = createShop(client, 'acme', 'card');
});
afterEach(() => app.close());

/** Subscriptions of a customer each, the ids of which are answered in the order in which they are billed. */
async function subscribe(count: number, terms?: object): Promise<string[]> {
  const { price } = await shop.product(terms && { price: terms });
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await shop.subscribe(await shop.customer(), price)).id);
  return ids;
}

const readRows = <Name extends 'subscriptions' | 'invoices' | 'payments' | 'balanceEntries'>(name: Name) =>
  app.service.store.fresh.select(name, { where: {}, orderBy: ['id'] });

/** By subscription: how its invoices stand, oldest first. */
async function invoicesBySubscription() {
  const invoices = await readRows('invoices');
  return (id: string) =>
    invoices.filter(({ subscriptionId }) => subscriptionId === id).map(({ status }) => status);
}

const billedCounts = async () =>
  Object.fromEntries((await readRows('subscriptions')).map(({ id, billedCount }) => [id, billedCount]));

/** What the traces tell of a resource, each with what it was caused by. */
async function listEvents(resourceId: string) {
  const traces = await app.service.store.fresh.select('traces', { where: {}, orderBy: ['eventId'] });
  const findAction = (eventId: string | null) =>
    traces.find((trace) => trace.eventId === eventId)?.payload['action'] ?? null;
  return traces
    .filter(({ payload }) => payload['resourceId'] === resourceId)
    .map(({ payload, parentId, isRoot }) => [payload['action'], findAction(parentId), isRoot]);
}

const each = <T>(ids: string[], value: T) => Object.fromEntries(ids.map((id) => [id, value]));

it('traces of a batch have the same fields in the same order as those of one renewal', async () => {
  const [alone, ...others] = await subscribe(3);
  const fetchFields = async (id: string) => {
    const traces = await app.service.store.fresh.select('traces', { where: {}, orderBy: ['eventId'] });
    const about = traces.filter(({ payload }) => JSON.stringify(payload).includes(id));
    return about.map(({ payload }) =>
      JSON.stringify(payload, (_, value) => (typeof value === 'object' ? value : '')),
    );
  };
  clock.advance(monthMs);
  const acme = (await findTenant(app.service, 'acme'))!;
  await renewSubscription(openScheduledTenant(app.service, acme), alone!);
  expect(await runDueWork(app.service, quiet)).toBe(2);
  expect(await fetchFields(others[0]!)).toEqual(await fetchFields(alone!));
});

it('invoice numbers are consecutive, and each trace is about its own subscription', async () => {
  const ids = await subscribe(8);
  clock.advance(monthMs);
  expect(await runDueWork(app.service, quiet)).toBe(8);
  expect(await billedCounts()).toEqual(each(ids, 2));
  expect((await readRows('invoices')).map(({ number }) => number)).toEqual(
    Array.from({ length: 16 }, (_, index) => index + 1),
  );
  for (const id of ids) {
    expect((await listEvents(id)).at(-1)).toEqual(['billed', 'succeeded', false]);
    const renewal = (await readRows('invoices')).findLast(({ subscriptionId }) => subscriptionId === id);
    expect(await listEvents(renewal!.id)).toEqual([
      ['created', null, true],
      ['paid', 'succeeded', false],
    ]);
  }
});

it('a subscription whose books do not add up is parked, and the others are billed once', async () => {
  const ids = await subscribe(9);
  const seventh = ids[6]!;
  const begun = clock.now();
  clock.advance(monthMs);
  // Its next period lies in one that it has paid.
  await app.service.store.transact('acme', (queries) =>
    queries.update(
      'subscriptions',
      { tenantAlias: 'acme', id: seventh },
      { nextBillingDate: begun, dueAt: begun },
    ),
  );
  expect(await runDueWork(app.service, quiet)).toBe(9);

  expect(await billedCounts()).toEqual({ ...each(ids, 2), [seventh]: 1 });
  expect(charged).toHaveLength(8);
  const invoices = await readRows('invoices');
  expect(invoices.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 17 }, (_, index) => index + 1),
  );
  const parked = (await readRows('subscriptions')).find(({ id }) => id === seventh);
  expect(parked).toMatchObject({ parkedReason: 'Its next period lies in a paid one.', dueAt: null });
  expect((await listEvents(seventh)).at(-1)).toEqual(['parked', null, true]);
  expect(await runDueWork(app.service, quiet)).toBe(0);
});

it('a subscription that breaks during its charge is parked, and the other outcomes are recorded once', async () => {
  const ids = await subscribe(5);
  clock.advance(monthMs);
  const [, , broken] = ids as [string, string, string];
  meanwhile = async ({ idempotencyKey }) => {
    const id = idempotencyKey.slice(0, idempotencyKey.lastIndexOf('_'));
    const [invoice] = await app.service.store.fresh.select('invoices', {
      where: { tenantAlias: 'acme', id },
    });
    if (invoice!.subscriptionId !== broken) return;
    await app.service.store.transact('acme', async (queries) => {
      await queries.remove('invoiceLines', { tenantAlias: 'acme', invoiceId: id });
      await queries.remove('invoices', { tenantAlias: 'acme', id });
    });
  };
  await runDueWork(app.service, quiet);

  expect(await billedCounts()).toEqual({ ...each(ids, 2), [broken]: 1 });
  expect((await readRows('subscriptions')).filter(({ parkedReason }) => parkedReason !== null)).toHaveLength(
    1,
  );
  expect((await readRows('payments')).filter(({ invoiceId }) => invoiceId !== null)).toHaveLength(5 + 4);
  expect(charged).toHaveLength(5);
});

it('after a crash between charge and second unit each outcome is recorded once', async () => {
  const ids = await subscribe(6);
  clock.advance(monthMs);
  const { store } = app.service;
  const dead = new BillingError('unavailable', [], 1);
  meanwhile = async () => {
    app.service.store = { ...store, transact: () => Promise.reject(dead) };
  };
  await expect(runDueWork(app.service, quiet)).rejects.toBe(dead);
  expect(await billedCounts()).toEqual(each(ids, 1));
  const left = await invoicesBySubscription();
  expect(ids.map(left)).toEqual(ids.map(() => ['paid', 'open']));

  [app.service.store, meanwhile] = [store, () => undefined];
  const before = charged.splice(0);
  // Where several share a database, what the dead one had claimed is free after a minute.
  clock.advance(2 * 60_000);
  await runDueWork(app.service, quiet);
  expect(charged.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    before.map(({ idempotencyKey }) => idempotencyKey),
  );
  expect(charged.every(({ isRepeated }) => isRepeated)).toBe(true);
  expect(await billedCounts()).toEqual(each(ids, 2));
  const settled = await invoicesBySubscription();
  expect(ids.map(settled)).toEqual(ids.map(() => ['paid', 'paid']));
  expect((await readRows('payments')).map(({ reference }) => reference)).toHaveLength(12);
});

/** How often each table is read while the due subscriptions are billed. */
async function countReads(): Promise<Record<string, number>> {
  const spies = [vi.spyOn(Queries.prototype, 'select'), vi.spyOn(Queries.prototype, 'sumSpans')];
  try {
    clock.advance(monthMs);
    await runDueWork(app.service, quiet);
    const names = spies.flatMap(({ mock }) => mock.calls.map(([name]) => name));
    return Object.fromEntries(
      [...new Set(names)].map((name) => [name, names.filter((n) => n === name).length]),
    );
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

it.each([
  ['without a seller', undefined],
  ['with a seller and a logo', { legalName: 'Acme', address: { country: 'AF' }, logo: dotPng }],
])('%s, the invoices of a batch are made from shared reads', async (_, seller) => {
  if (seller)
    await client.graphql(
      'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
      { seller },
    );
  await subscribe(2);
  const ofTwo = await countReads();
  await subscribe(6);
  const ofEight = await countReads();
  expect(ofTwo['customers']).toBe(1);
  for (const table of ['customers', 'logos', 'discounts', 'coupons', 'numberCounters', 'paymentMethods'])
    expect([table, ofEight[table]]).toEqual([table, ofTwo[table]]);
});

it('the usage of a batch is counted from shared reads, and none is read for other subscriptions', async () => {
  const tables = ['usagePeriods', 'meters', 'usageBuckets', 'usageEvents', 'usageValues'];
  const pick = (reads: Record<string, number>) => tables.map((table) => reads[table] ?? 0);
  await subscribe(2);
  expect(pick(await countReads())).toEqual([0, 0, 0, 0, 0]);
  const { createMeter } = await client.graphql(
    `mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }`,
  );
  const metered = { details: { amount: 1, currency: 'afn' }, meterId: createMeter.id };
  await subscribe(2, metered);
  expect(pick(await countReads())).toEqual([1, 1, 1, 0, 0]);
  await subscribe(6, metered);
  expect(pick(await countReads())).toEqual([1, 1, 1, 0, 0]);
});

it('a slow charge does not delay the other charges', async () => {
  const ids = await subscribe(4);
  clock.advance(monthMs);
  let answer!: () => void;
  const slow = new Promise<void>((resolve) => (answer = resolve));
  meanwhile = () => (charged.length === 2 ? slow : undefined);
  const billing = runDueWork(app.service, quiet);
  await expect
    .poll(async () => Object.values(await billedCounts()).filter((count) => count === 2))
    .toHaveLength(3);
  answer();
  await billing;
  expect(await billedCounts()).toEqual(each(ids, 2));
});

it('two subscriptions of a customer do not spend the same balance twice', async () => {
  const customer = await shop.customer();
  for (let made = 0; made < 2; made++) await shop.subscribe(customer, (await shop.product()).price);
  const [invoice] = await readRows('invoices');
  const credit = { kind: 'credit' as const, amountMinor: 7000n, remainingMinor: 7000n, creditId: null };
  await app.service.store.transact('acme', (queries) =>
    queries.insert(
      'balanceEntries',
      completeRow(
        'balanceEntries',
        {
          ...credit,
          id: 'bal_gift',
          customerId: customer.id,
          currency: 'afn',
          invoiceId: invoice!.id,
          createdAt: clock.now(),
        },
        'acme',
      ),
    ),
  );
  clock.advance(monthMs);
  await runDueWork(app.service, quiet);
  // 50 and 20 of 50 are paid from the balance of 70.
  expect(charged.map(({ amountMinor }) => amountMinor)).toEqual([3000n]);
  const entries = (await readRows('balanceEntries')).filter(({ kind }) => kind === 'use');
  expect(entries.map(({ amountMinor }) => amountMinor)).toEqual([5000n, 2000n]);
  expect(Object.values(await billedCounts())).toEqual([2, 2]);
});
