import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advanceClock } from '../../../src/app/testClock.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short } from '../../support/books.ts';
import { listen } from '../../support/follow.ts';
import { freePort } from '../../support/ports.ts';
import { performer, type Scenario } from '../../support/scenario.ts';
import { createEndpoint, openReceiver } from '../../outgoing/webhooks/receiver.ts';

const advanceDocument = 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { alias clock } }';
const updateDocument = `mutation ($input: UpdateTenantInput!) {
  updateTenant(input: $input) { name retryDays timeZone isTest }
}`;
const tables = [
  ...(['customers', 'groups', 'products', 'prices', 'intents', 'subscriptions', 'paymentMethods'] as const),
  ...(['invoices', 'invoiceLines', 'payments', 'balanceEntries', 'traces', 'apiKeys'] as const),
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000', webhookAllowPrivate: 'on' });
});
afterAll(() => app.close());

describe('the clock of a test tenant', () => {
  it('moves forward, and stays there for every request', async () => {
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

  it('reads a date as the start of that day in the time zone of the tenant', async () => {
    const books = await openBooks(app, '2026-01-31T10:00:00.000Z', 'America/New_York');
    expect(await books.advance('2026-02-01')).toBe('2026-02-01T05:00:00.000Z');
  });

  it('follows what an earlier mutation of the same request set', async () => {
    const books = await openBooks(app, '2026-01-31T10:00:00.000Z');
    const twice = `mutation {
      first: advanceClock(input: { to: "2026-02-03" }) { clock }
      second: advanceClock(input: { to: "2026-02-02" }) { clock }
    }`;
    await books.perform({
      graphql: [twice, {}],
      reason: 'validation_failed',
      paths: ['to'],
      traces: ['ClockEvent advanced'],
    });
    expect((await books.client.graphql('{ tenant { clock } }')).tenant.clock).toBe(
      '2026-02-03T00:00:00.000Z',
    );
  });

  it('does not move back', async () => {
    const books = await openBooks(app, '2026-01-31T10:00:00.000Z');
    const refused: Pick<Scenario, 'reason' | 'paths'> = { reason: 'validation_failed', paths: ['to'] };
    for (const to of ['2026-01-31T09:59:59.999Z', '2026-01-31', '2020-01-01']) {
      await books.perform({ graphql: [advanceDocument, { to }], ...refused });
    }
    expect((await books.client.graphql('{ tenant { clock } }')).tenant.clock).toBe(
      '2026-01-31T10:00:00.000Z',
    );
  });

  it('is for test tenants only, and refused for read keys', async () => {
    const live = await app.tenant({ alias: 'live' });
    const perform = performer(app, live, 'live');
    const to = '2200-01-01';
    await perform({ graphql: [advanceDocument, { to }], reason: 'validation_failed', paths: ['to'] });
    const books = await openBooks(app, '2026-01-31');
    const reader = performer(app, await app.key(books.alias, 'read'), books.alias);
    await reader({ graphql: [advanceDocument, { to: '2026-02-01' }], reason: 'insufficient_scope' });
  });

  it('belongs to one tenant', async () => {
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
    const listDates = (resourceId: string) =>
      traces
        .filter(({ payload }) => payload['resourceId'] === resourceId)
        .map(({ createdAt }) => short(createdAt));
    expect(listDates(intentId)).toEqual(['2031-01-31', '2031-02-01']);
    // With the announcements of the renewals.
    const dates = ['2032-02-29', '2033-01-29', '2033-02-28', '2034-01-29', '2034-02-28', '2035-01-29'];
    expect(listDates(ahead).slice(1)).toEqual(dates);
    const moments = traces.filter(({ activityType }) => activityType === 'ClockEvent');
    expect(new Set(moments.map(({ createdAt }) => createdAt)).size).toBe(moments.length);
  });

  it('is the source of every timestamp of its tenant', async () => {
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
      // The sandbox's cards expire at the start of 2035.
      expect(
        [...new Set(years)].every((year) => ['2035', '2131', '2132'].includes(year!)),
        table,
      ).toBe(true);
    }
  });

  it('moves to the later instant of two concurrent calls', async () => {
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

describe('a long advance', () => {
  const document = `mutation ($to: DateTime!) {
    advanceClock(input: { to: $to }) { alias clock clockAdvance { reached remaining } }
  }`;
  const start = '2026-01-31T00:00:00.000Z';

  /** A tenant with subscriptions that are billed on the same days, and all that its months come to. */
  async function monthly(subscribers: number) {
    const books = await openBooks(app, start);
    const price = await books.plan(50);
    for (let count = 0; count < subscribers; count++)
      await books.subscribe(await books.shop.customer(), price);
    const tenant = async () =>
      openScheduledTenant(app.service, (await findTenant(app.service, books.alias))!, 'tester');
    return { books, tenant };
  }

  it('reports that it has reached its target', async () => {
    const { books } = await monthly(1);
    const { advanceClock: answer } = await books.client.graphql(document, { to: '2026-04-01' });
    expect(answer).toEqual({
      alias: books.alias,
      clock: '2026-04-01T00:00:00.000Z',
      clockAdvance: { reached: true, remaining: 0 },
    });
    expect(
      (await books.client.graphql('{ tenant { clockAdvance { reached } } }')).tenant.clockAdvance,
    ).toBeNull();
  });

  it('ends after a number of renewals and continues: nothing is billed twice or left out', async () => {
    const { books, tenant } = await monthly(3);
    const to = '2027-01-31';
    const steps: [string, boolean, number][] = [];
    while (!steps.at(-1)?.[1] && steps.length < 20) {
      const { clockAt, clockAdvance } = await advanceClock(await tenant(), to, 7);
      steps.push([clockAt!.slice(0, 10), clockAdvance.reached, clockAdvance.remaining]);
    }
    // Three renewals a month: the third month exceeds seven.
    expect(steps).toEqual([
      ['2026-04-30', false, 3],
      ['2026-07-31', false, 3],
      ['2026-10-31', false, 3],
      ['2027-01-31', true, 0],
    ]);
    const whole = await monthly(3);
    await whole.books.advance(to);
    expect((await books.bills()).toSorted()).toEqual((await whole.books.bills()).toSorted());
    expect(await books.bills()).toHaveLength(3 * 13);
  });

  it('counts expired intents as well, and an instant with only webhook retries as one', async () => {
    const { books, tenant } = await monthly(0);
    const price = await books.plan(50);
    const openIntent = async () => books.shop.intent(await books.shop.customer(), price);
    await openIntent();
    await openIntent();
    await books.advance('2026-01-31T01:00:00.000Z');
    await openIntent();
    const advance = async (to: string, most: number) => {
      const { clockAt, clockAdvance } = await advanceClock(await tenant(), to, most);
      return [clockAt, clockAdvance.reached];
    };
    expect(await advance('2026-02-03', 2)).toEqual(['2026-02-01T00:00:00.000Z', false]);
    expect(await advance('2026-02-03', 2)).toEqual(['2026-02-03T00:00:00.000Z', true]);

    // A port without a server: the first attempt is made at once, the next after five seconds and about a minute.
    const url = `http://127.0.0.1:${await freePort()}`;
    await createEndpoint(books.client, { url, events: ['GroupEvent'] });
    await books.client.graphql('mutation { createGroup(input: { name: "A" }) { id } }');
    const reached: unknown[] = [];
    for (let call = 0; call < 3; call++) reached.push((await advance('2026-02-03T00:02:00.000Z', 1))[1]);
    expect(reached).toEqual([false, false, true]);
  });

  it('does not wait for endpoints that never respond', async () => {
    const { books } = await monthly(2);
    const receiver = await openReceiver();
    receiver.answer(() => {});
    await createEndpoint(books.client, { url: receiver.url });
    const beganMs = performance.now();
    const { advanceClock: answer } = await books.client.graphql(document, { to: '2026-06-01' });
    // Each of the attempts would wait 20 seconds for the response.
    expect(performance.now() - beganMs).toBeLessThan(15_000);
    expect(answer.clockAdvance.reached).toBe(true);
    expect(await books.bills()).toHaveLength(2 * 5);
    expect(receiver.received.length).toBeGreaterThan(0);
    await receiver.close();
  });

  it('ends soon after its client has disconnected', async () => {
    const { books } = await monthly(5);
    const url = await listening();
    const leaving = new AbortController();
    const advancing = fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'api-key': books.client.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query: document, variables: { to: '2046-01-01' } }),
      signal: leaving.signal,
    });
    const clock = async () => (await books.client.graphql('{ tenant { clock } }')).tenant.clock;
    await expect.poll(clock, { interval: 1 }).not.toBe(start);
    leaving.abort();
    await expect(advancing).rejects.toThrow(/abort/);
    let stood = '';
    await expect
      .poll(
        async () => {
          const before = stood;
          stood = await clock();
          await new Promise((resolve) => setTimeout(resolve, 300));
          return stood === before && stood === (await clock());
        },
        { interval: 1 },
      )
      .toBe(true);
    expect(stood < '2046').toBe(true);
  });
});

let url: Promise<string> | undefined;
const listening = () => (url ??= listen(app));
