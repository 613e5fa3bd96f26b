/** Pauses that end at a date by themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { listActions, order, startTrial, trial14 } from '../../support/trials.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const pauseUntil = (day: string | null) =>
  `pauseSubscription(id: $id, input: { resumesAt: ${JSON.stringify(day)} })`;
const cancelAtEnd = 'cancelSubscription(id: $id, input: { atPeriodEnd: true })';

const readDocument =
  'query ($id: ID!) { subscription(id: $id) { status pausedAt resumesAt dueAt nextBillingDate } }';
/** Status, date of the end of the pause, and when the scheduler is due. */
async function read({ client }: Books, id: string) {
  const { status, resumesAt, dueAt } = (await client.graphql(readDocument, { id })).subscription;
  return [status, ...[resumesAt, dueAt].map((instant) => instant && short(instant))];
}

const readNextInvoice = async ({ client }: Books, id: string): Promise<string | null> => {
  const { subscription } = await client.graphql(
    'query ($id: ID!) { subscription(id: $id) { nextInvoiceAt } }',
    { id },
  );
  return subscription.nextInvoiceAt && short(subscription.nextInvoiceAt);
};

interface Case {
  mutations: string[];
  /** Status, end of the pause and due date after the mutations. */
  paused: unknown[];
  until: string;
  /** The bills after the first one, which are also the forecast. */
  bills: string[];
  ended: string;
}

/** Subscriptions at 31 a month from 1 January; the mutations are made on 10 January. */
const cases: Record<string, Case> = {
  'within the paid period moves no date': {
    mutations: [pauseUntil('2026-01-20')],
    paused: ['paused', '2026-01-20', '2026-01-20'],
    until: '2026-02-01',
    bills: ['2026-02-01 31'],
    ended: 'active',
  },
  'at the end of the period bills the next one whole': {
    mutations: [pauseUntil('2026-02-01')],
    paused: ['paused', '2026-02-01', '2026-02-01'],
    until: '2026-02-10',
    bills: ['2026-02-01 31'],
    ended: 'active',
  },
  'over the end of the period bills the rest of the cycle': {
    mutations: [pauseUntil('2026-03-11')],
    paused: ['paused', '2026-03-11', '2026-03-11'],
    until: '2026-04-01',
    bills: ['2026-03-11 21', '2026-04-01 31'],
    ended: 'active',
  },
  'is moved by the same request': {
    mutations: [pauseUntil('2026-03-11'), pauseUntil('2026-01-12')],
    paused: ['paused', '2026-01-12', '2026-01-12'],
    until: '2026-02-01',
    bills: ['2026-02-01 31'],
    ended: 'active',
  },
  'can be taken away': {
    mutations: [pauseUntil('2026-01-20'), pauseUntil(null)],
    paused: ['paused', null, null],
    until: '2026-06-01',
    bills: [],
    ended: 'paused',
  },
  'can be given later': {
    mutations: ['pauseSubscription(id: $id)', pauseUntil('2026-02-01')],
    paused: ['paused', '2026-02-01', '2026-02-01'],
    until: '2026-02-10',
    bills: ['2026-02-01 31'],
    ended: 'active',
  },
  'after the cancellation at the end of the period never comes': {
    mutations: [cancelAtEnd, pauseUntil('2026-03-11')],
    paused: ['paused', '2026-03-11', '2026-02-01'],
    until: '2026-06-01',
    bills: [],
    ended: 'cancelled',
  },
  'before the cancellation at the end of the period gives access again': {
    mutations: [pauseUntil('2026-01-20'), cancelAtEnd],
    paused: ['paused', '2026-01-20', '2026-01-20'],
    until: '2026-01-25',
    bills: [],
    ended: 'active',
  },
  'that was moved behind the cancellation leaves the cancellation': {
    mutations: [pauseUntil('2026-01-20'), cancelAtEnd, pauseUntil('2026-05-01')],
    paused: ['paused', '2026-05-01', '2026-02-01'],
    until: '2026-06-01',
    bills: [],
    ended: 'cancelled',
  },
  'stays when the cancellation is undone': {
    mutations: [cancelAtEnd, pauseUntil('2026-03-11'), 'uncancelSubscription(id: $id)'],
    paused: ['paused', '2026-03-11', '2026-03-11'],
    until: '2026-03-12',
    bills: ['2026-03-11 21'],
    ended: 'active',
  },
  'ends sooner on request': {
    mutations: [pauseUntil('2026-03-11'), 'resumeSubscription(id: $id)'],
    paused: ['active', null, '2026-02-01'],
    until: '2026-02-10',
    bills: ['2026-02-01 31'],
    ended: 'active',
  },
};

describe('the date on which a pause ends', () => {
  it.each(Object.entries(cases))('%s', async (_, { mutations, paused, until, bills, ended }) => {
    const books = await openBooks(app, '2026-01-01');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(31));
    await books.advance('2026-01-10');
    for (const mutation of mutations) await books.run(mutation, id);
    expect(await read(books, id)).toEqual(paused);
    expect(await books.forecast(id, until)).toEqual(bills);
    expect(await readNextInvoice(books, id)).toBe(bills[0]?.split(' ')[0] ?? null);
    const { tenant } = await books.client.graphql(
      'query ($until: DateTime!) { tenant { forecast(until: $until) { date total { amount } } } }',
      { until },
    );
    expect(tenant.forecast.map(({ date, total }: any) => `${short(date)} ${total.amount}`)).toEqual(bills);
    await books.advance(until);
    expect((await books.bills(id)).slice(1)).toEqual(bills.map((bill) => bill.replace(' ', ' paid ')));
    expect((await read(books, id))[0]).toBe(ended);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it('holds although the scheduler comes later: the period begins on it, and the trace says so', async () => {
    const books = await openBooks(app, '2026-01-01');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(31));
    await books.run(pauseUntil('2026-03-11'), id);
    // The clock of the tenant jumps, as the time of a server that was down.
    await app.service.store.transact(books.alias, (queries) =>
      queries.update('tenants', { alias: books.alias }, { clockAt: '2026-03-20T12:00:00.000Z' }),
    );
    app.service.apiKeyCache.clear();
    await books.advance('2026-03-20T12:00:00.000Z');
    expect((await books.lines(id)).slice(1)).toEqual(['stub 21 2026-03-11/2026-04-01']);
    // Only the jump of the clock has no trace.
    expect(await findFaults(app, books.alias)).toEqual([
      `traces: ${books.alias} differs from its last trace`,
    ]);
    expect((await listActions(app, books, id)).slice(1)).toEqual([
      '2026-01-01 paused',
      '2026-03-20T12:00 resumed',
      '2026-03-20T12:00 billed',
    ]);
  });

  it.each([
    ['pause', 'paused', '2026-02-01'],
    ['cancel', 'cancelled', '2026-02-01'],
  ])(
    'after the end of a trial without a payment method follows the setting %s',
    async (setting, status, day) => {
      const books = await openBooks(app, '2026-01-01');
      await books.client.graphql(
        `mutation { updateTenant(input: { trialEndWithoutMethod: ${setting} }) { alias } }`,
      );
      const price = await books.plan(31, trial14);
      const id = await startTrial(books, (await order(books, await books.shop.customer(), price)).id);
      await books.run(pauseUntil(day), id);
      expect(await books.forecast(id, '2026-06-01')).toEqual([]);
      await books.advance('2026-03-01');
      expect([await read(books, id), await books.bills(id)]).toEqual([[status, null, null], []]);
      expect(await findFaults(app, books.alias)).toEqual([]);
    },
  );

  it('within a trial lets it go on, and after it begins the first whole period', async () => {
    for (const [day, bills] of [
      ['2026-01-05', ['2026-01-15 31']],
      ['2026-02-03', ['2026-02-03 31']],
    ] as const) {
      const books = await openBooks(app, '2026-01-01');
      const id = await books.subscribe(await books.shop.customer(), await books.plan(31, trial14));
      await books.run(pauseUntil(day), id);
      expect(await books.forecast(id, '2026-02-10')).toEqual(bills);
      await books.advance('2026-02-10');
      expect(await books.bills(id)).toEqual(bills.map((bill) => bill.replace(' ', ' paid ')));
      expect(await findFaults(app, books.alias)).toEqual([]);
    }
  });

  it('is gone once the last retry of an unpaid period pauses the subscription', async () => {
    const books = await openBooks(app, '2026-01-01');
    await books.client.graphql(
      'mutation { updateTenant(input: { retryDays: [2], dunning: { finalAction: pause } }) { alias } }',
    );
    const id = await books.subscribe(
      await books.shop.customer(),
      await books.plan(31),
      'sandbox_ok_then_declined',
    );
    await books.run(pauseUntil('2026-03-01'), id);
    await books.advance('2026-03-08');
    expect(await read(books, id)).toEqual(['paused', null, null]);
    expect(await findFaults(app, books.alias)).toEqual([]);
  });

  it.each([
    ['2026-01-01', 'must be in the future'],
    ['2025-12-31T23:59:59Z', 'must be in the future'],
    ['2032-01-01', 'must be at most 1830 days ahead'],
    ['9999-12-31', 'must be at most 1830 days ahead'],
    ['tomorrow', expect.stringContaining('ISO 8601')],
    ['', expect.stringContaining('ISO 8601')],
    ['2026-02-30', expect.any(String)],
  ])('is refused as %j', async (resumesAt, message) => {
    const books = await openBooks(app, '2026-01-01');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(31));
    const document =
      'mutation ($id: ID!, $input: PauseSubscriptionInput) { pauseSubscription(id: $id, input: $input) { id } }';
    const { body } = await books.client.post(document, { id, input: { resumesAt } });
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: expect.stringMatching(/\bresumesAt$/), message }],
    });
    expect(await read(books, id)).toEqual(['active', null, '2026-02-01']);
  });
});
