/** Credits that expire: each remainder leaves one event, whoever finds it first; what a payment has reserved stays. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask, documents } from '../../support/oneOff.ts';

let app: TestApp;
const clock = stoppedClock('2026-01-01T00:00:00.000Z');
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' }, { clock });
});
afterAll(() => app.close());

const quiet = pino({ level: 'silent' });

async function openCustomer() {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const grant = (amount: number, expiresAt?: string) =>
    ask(books, 'grantCredit', { customerId: customer.id, amount: afn(amount), reason: 'Sorry', expiresAt });
  return { books, customer, grant };
}

/** The events of expiry of a tenant: `2026-01-10 6 afn`. */
async function listExpiries({ alias: tenantAlias }: Pick<Books, 'alias'>): Promise<string[]> {
  const where = { tenantAlias, activityType: 'CustomerEvent' as const };
  const traces = await app.service.store.committed.select('traces', { where, orderBy: ['eventId'] });
  return traces
    .filter(({ payload }) => payload['action'] === 'credit_expired')
    .map(({ createdAt, payload }) => {
      const { amount, currency } = payload['details'] as Record<string, unknown>;
      return `${short(createdAt)} ${String(amount)} ${String(currency)}`;
    });
}

const expectSound = async ({ alias }: Books) => expect(await findFaults(app, alias)).toEqual([]);

describe('the clock of a test tenant', () => {
  it('stops at each expiry and records what was left, once', async () => {
    const { books, customer, grant } = await openCustomer();
    await grant(10, '2026-01-10');
    await grant(3, '2026-01-20T12:00:00Z');
    await grant(2);
    const items = [{ amount: afn(4), description: 'Work' }];
    await ask(books, 'createInvoice', { customerId: customer.id, items });
    for (const to of ['2026-01-09', '2026-01-10', '2026-01-10', '2026-02-01']) await books.advance(to);
    expect(await listExpiries(books)).toEqual(['2026-01-10 6 afn', '2026-01-20T12:00 3 afn']);
    const { balance, credits } = await ask(books, 'customer', { id: customer.id });
    expect([balance, credits.length]).toEqual([[afn(2)], 1]);
    await expectSound(books);
  });

  it('leaves what a payment has reserved until the payment ends', async () => {
    for (const [end, expected] of [
      ['resumeIntent', []],
      ['cancelIntent', ['2026-01-01T20:00 6 afn']],
    ] as const) {
      const { books, customer, grant } = await openCustomer();
      await grant(6, '2026-01-01T12:00:00Z');
      const { intentId } = await books.shop.intent(customer, await books.plan(20));
      await books.shop.confirm(intentId, 'sandbox_requires_action');
      await books.advance('2026-01-01T20:00:00Z');
      expect(await listExpiries(books)).toEqual([]);
      await books.client.graphql(`mutation ($id: ID!) { ${end}(id: $id) { id } }`, { id: intentId });
      await books.advance('2026-01-01T20:00:00Z');
      expect(await listExpiries(books)).toEqual(expected);
      await expectSound(books);
    }
  });

  it('records what a voided invoice returns to an expired credit', async () => {
    const { books, customer, grant } = await openCustomer();
    await grant(10, '2026-01-10');
    const items = [
      { amount: afn(4), description: 'Work' },
      { amount: afn(90), description: 'More' },
    ];
    const used = await ask(books, 'createInvoice', {
      customerId: customer.id,
      items,
      collect: 'send_invoice',
    });
    await books.advance('2026-01-15');
    expect(await listExpiries(books)).toEqual([]);
    await ask(books, 'voidInvoice', { id: used.id });
    await books.advance('2026-01-15');
    await books.advance('2026-01-16');
    expect(await listExpiries(books)).toEqual(['2026-01-15 10 afn']);
    await expectSound(books);
  });

  it('shows the amount to queries of webhook payloads', async () => {
    const { books, grant } = await openCustomer();
    const { id } = await grant(1.5, '2026-01-02');
    await books.advance('2026-01-03');
    const { traces } = await books.client.graphql(
      '{ traces(activityType: CustomerEvent, first: 2) { nodes { event { type details customer { customerId } } } } }',
    );
    expect(traces.nodes.map(({ event }: any) => [event.type, event.details])).toEqual([
      ['CustomerEvent.credit_expired', { creditId: id, amount: 1.5, currency: 'afn' }],
      [
        'CustomerEvent.credit_granted',
        { creditId: id, amount: 1.5, currency: 'afn', expiresAt: '2026-01-02T00:00:00.000Z' },
      ],
    ]);
  });
});

describe('the scheduler', () => {
  it('ends the credits of all tenants that follow real time, each once, also of deleted customers', async () => {
    const [client, other] = [await app.tenant({ alias: 'real' }), await app.tenant({ alias: 'other' })];
    const grant = (by: typeof client, customerId: string, amount: number, expiresAt: string) =>
      by.graphql(documents.grantCredit, { customerId, amount: afn(amount), reason: 'Sorry', expiresAt });
    const create = async (by: typeof client, tenantAlias: string, associatedId: string): Promise<string> => {
      const names = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
      return (await by.rest('POST', '/customers', { tenantAlias, associatedId, ...names })).body.id;
    };
    const ids = await Promise.all(['a', 'b', 'c'].map((id) => create(client, 'real', id)));
    const elsewhere = await create(other, 'other', 'a');
    const early = '2026-01-05';
    await Promise.all(
      ids.flatMap((id) => Array.from({ length: 50 }, (_, index) => grant(client, id, index + 1, early))),
    );
    await grant(client, ids[0]!, 7, '2026-03-01');
    await grant(other, elsewhere, 9, early);
    await client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: ids[2] });

    clock.advance(5 * dayMs);
    await Promise.all([runDueWork(app.service, quiet), runDueWork(app.service, quiet)]);
    await runDueWork(app.service, quiet);
    const expiries = await listExpiries({ alias: 'real' });
    const amounts = expiries.map((text) => Number(text.split(' ')[1]));
    expect([expiries.length, amounts.reduce((sum, amount) => sum + amount, 0)]).toEqual([100, 2 * 1275]);
    expect(await listExpiries({ alias: 'other' })).toEqual(['2026-01-06 9 afn']);
    const left = await app.service.store.committed.select('balanceEntries', {
      where: { tenantAlias: 'real', remainingMinor: { isPositive: true } },
    });
    expect(left.map(({ remainingMinor }) => remainingMinor)).toEqual([700n]);
    expect(await findFaults(app, 'real')).toEqual([]);
  });
});

it('doctor finds an expiry before the end, and a credit whose end nobody noticed', async () => {
  const { books, grant } = await openCustomer();
  const { id } = await grant(3, '2026-01-02');
  await books.advance('2026-01-10');
  const { id: forgotten } = await grant(4, '2026-01-11');
  const set = (credit: string, instant: string) =>
    app.backdoor.execute(`UPDATE balance_entries SET expires_at = '${instant}' WHERE id = '${credit}'`);
  await set(forgotten, '2026-01-08T00:00:00.000Z');
  expect(await findFaults(app, books.alias)).toEqual([
    `overdue: ${forgotten} expired at 2026-01-08T00:00:00.000Z, but has a remainder`,
  ]);
  await books.advance('2026-01-10');
  expect(await findFaults(app, books.alias)).toEqual([]);
  await set(id, '2026-01-05T00:00:00.000Z');
  expect(await findFaults(app, books.alias)).toEqual([
    `balance: ${id} expired at 2026-01-02T00:00:00.000Z, but its end is 2026-01-05T00:00:00.000Z`,
  ]);
});
