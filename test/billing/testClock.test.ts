import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, short } from '../support/books.ts';
import { performer, type Scenario } from '../support/scenario.ts';

const advanceDocument = 'mutation ($to: DateTime!) { advanceClock(to: $to) { alias clock } }';
const updateDocument = `mutation ($input: UpdateTenantInput!) {
  updateTenant(input: $input) { name retryDays timezone test }
}`;
const tables = [
  ...(['customers', 'groups', 'products', 'prices', 'intents', 'subscriptions', 'paymentMethods'] as const),
  ...(['invoices', 'invoiceLines', 'payments', 'balanceEntries', 'traces', 'apiKeys'] as const),
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

describe('the clock of a test tenant', () => {
  it('moves forward, and stands there for every request', async () => {
    const books = await openBooks(app, '2026-01-31T10:00:00.000Z');
    const to = '2026-02-03T04:05:06.789Z';
    await books.perform({
      graphql: [advanceDocument, { to }],
      holds: { alias: books.alias, clock: to },
      traces: ['ClockEvent advanced'],
    });
    await books.perform({ graphql: [advanceDocument, { to }], holds: { clock: to } });
    expect((await books.client.graphql('{ tenant { clock } }')).tenant.clock).toBe(to);
    expect((await books.shop.customer()).createdAt).toBe(to);
  });

  it('takes a date alone for the beginning of that day where the tenant is', async () => {
    const books = await openBooks(app, '2026-01-31T10:00:00.000Z', 'America/New_York');
    expect(await books.advance('2026-02-01')).toBe('2026-02-01T05:00:00.000Z');
  });

  it('does not go back', async () => {
    const books = await openBooks(app, '2026-01-31T10:00:00.000Z');
    const refused: Pick<Scenario, 'reason' | 'paths'> = { reason: 'validation_failed', paths: ['to'] };
    for (const to of ['2026-01-31T09:59:59.999Z', '2026-01-31', '2020-01-01']) {
      await books.perform({ graphql: [advanceDocument, { to }], ...refused });
    }
    expect((await books.client.graphql('{ tenant { clock } }')).tenant.clock).toBe(
      '2026-01-31T10:00:00.000Z',
    );
  });

  it('is for test tenants alone, and not for keys that may only read', async () => {
    const live = await app.tenant({ alias: 'live' });
    const perform = performer(app, live, 'live');
    const to = '2200-01-01';
    await perform({ graphql: [advanceDocument, { to }], reason: 'validation_failed', paths: ['to'] });
    const books = await openBooks(app, '2026-01-31');
    const reader = performer(app, await app.key(books.alias, 'read'), books.alias);
    await reader({ graphql: [advanceDocument, { to: '2026-02-01' }], reason: 'insufficient_scope' });
  });

  it('moves one tenant, and no other', async () => {
    const [moved, left] = [await openBooks(app, '2026-01-31'), await openBooks(app, '2026-01-31')];
    const id = await left.subscribe(await left.shop.customer(), await left.plan(50));
    await moved.advance('2027-01-31');
    expect((await left.client.graphql('{ tenant { clock } }')).tenant.clock).toBe('2026-01-31T00:00:00.000Z');
    expect(await left.bills(id)).toHaveLength(1);
  });

  it('performs years of events in one call, each at its own time and in order', async () => {
    const books = await openBooks(app, '2031-01-31');
    const customer = await books.shop.customer();
    const monthly = await books.subscribe(customer, await books.plan(50));
    const weekly = { recurring: { frequency: 'Weekly', period: 3 } };
    const often = await books.subscribe(customer, await books.plan(5, weekly));
    const failing = await books.subscribe(customer, await books.plan(7), 'sandbox_ok_then_declined');
    const yearly = { recurring: { frequency: 'Yearly' } };
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(9, yearly));
    const ahead = await books.subscribe(await books.shop.customer(), await books.plan(9, yearly), undefined, {
      startDate: '2032-02-29',
    });
    await books.advance('2035-01-31');
    expect(await books.bills(monthly)).toHaveLength(49);
    expect(await books.bills(often)).toHaveLength(70);
    expect(await books.bills(ahead)).toEqual(['2032-02-29 paid 9', '2033-02-28 paid 9', '2034-02-28 paid 9']);
    expect(short((await books.subscription(failing)).cancelledAt)).toBe('2031-03-21');

    const traces = await app.service.store.committed.select('traces', {
      where: { tenantAlias: books.alias },
      orderBy: ['eventId'],
    });
    const times = traces.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted());
    const told = (resourceId: string) =>
      traces
        .filter(({ payload }) => payload['resourceId'] === resourceId)
        .map(({ createdAt }) => short(createdAt));
    expect(told(intentId)).toEqual(['2031-01-31', '2031-02-01']);
    expect(told(ahead).slice(1)).toEqual(['2032-02-29', '2033-02-28', '2034-02-28']);
    const moments = traces.filter(({ activityType }) => activityType === 'ClockEvent');
    expect(new Set(moments.map(({ createdAt }) => createdAt)).size).toBe(moments.length);
  });

  it('gives every timestamp of its tenant', async () => {
    const books = await openBooks(app, '2131-01-31');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const yearly = { recurring: { frequency: 'Yearly' } };
    await books.subscribe(customer, await books.plan(365, { groupId, ...yearly }));
    await books.subscribe(customer, await books.plan(100, { groupId }), 'sandbox_ok_then_declined');
    await books.shop.intent(customer, await books.plan(5));
    await books.advance('2132-01-31');
    for (const table of tables) {
      const rows = await app.service.store.committed.select(table, { where: { tenantAlias: books.alias } });
      expect(rows, table).not.toHaveLength(0);
      const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      const years = [...text.matchAll(/"(\d{4})-\d\d-\d\dT/g)].map(([, year]) => year);
      expect(years.length, table).toBeGreaterThan(0);
      expect(
        [...new Set(years)].every((year) => ['2131', '2132'].includes(year!)),
        table,
      ).toBe(true);
    }
  });

  it('moves once for two who move it at the same time, to the later', async () => {
    const books = await openBooks(app, '2026-01-31');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50));
    const moves = ['2026-06-30', '2026-04-30', '2026-06-30'].map((to) =>
      books.client.post(advanceDocument, { to }),
    );
    for (const { body } of await Promise.all(moves)) expect(body.errors).toBeUndefined();
    expect((await books.client.graphql('{ tenant { clock } }')).tenant.clock).toBe(
      '2026-06-30T00:00:00.000Z',
    );
    const starts = (await books.lines(id)).map((line) => line.split(' ')[2]!.split('/')[0]);
    expect(starts).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
      '2026-06-30',
    ]);
  });
});

describe('a tenant changes', () => {
  const retryDays = [2, 7, 14, 21];
  it.each<[string, object, object]>([
    ['its name', { name: ' Acme ' }, { name: 'Acme', retryDays }],
    ['its retry days', { retryDays: [1, 60] }, { retryDays: [1, 60] }],
    ['to no retries', { retryDays: [] }, { retryDays: [] }],
    ['to ten', { retryDays: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, {}],
    ['nothing', {}, { retryDays }],
  ])('%s', async (_, input, holds) => {
    const books = await openBooks(app, '2026-01-31');
    const traces = Object.keys(input).length > 0 ? ['TenantEvent updated'] : [];
    await books.perform({ graphql: [updateDocument, { input }], holds, traces });
  });

  it.each<[string, object, string]>([
    ['an empty name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['a day that is none', { retryDays: [0] }, 'retryDays.0'],
    ['a day too late', { retryDays: [2, 61] }, 'retryDays.1'],
    ['days that do not rise', { retryDays: [2, 2] }, 'retryDays'],
    ['days that fall', { retryDays: [7, 2] }, 'retryDays'],
    ['too many days', { retryDays: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }, 'retryDays'],
    ['no list of days', { retryDays: null }, 'retryDays'],
  ])('not to %s', async (_, input, path) => {
    const books = await openBooks(app, '2026-01-31');
    await books.perform({ graphql: [updateDocument, { input }], reason: 'validation_failed', paths: [path] });
  });
});
