/** Events that the time causes: reminders of unpaid invoices and announcements of renewals, each exactly once. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { giveNotices } from '../../../src/billing/renewals/notices.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import type { MailSettings } from '../../../src/storage/model/common.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { createShop } from '../../support/shop.ts';

const failsLater = 'sandbox_ok_then_declined';
const yearly = { recurring: { frequency: 'Yearly' } };
const settingsDocument = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }';
const oneOffDocument = `mutation ($customerId: ID!) {
  createInvoice(input: { customerId: $customerId, items: [{ description: "Help", amount: { amount: 20, currency: "afn" } }] }) { id status }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const noticeActions = new Set([
  'payment_reminder',
  'renewal_upcoming',
  'payment_method_expiring',
  'access_ended',
]);

/** The notices of a tenant: `2026-02-04 payment_reminder inv_… {"daysOverdue":3}`. */
async function notices(at: TestApp, alias: string, resourceId?: string): Promise<string[]> {
  const traces = await at.service.store.committed.select('traces', {
    where: { tenantAlias: alias, resourceId },
    orderBy: ['eventId'],
  });
  return traces
    .map(({ createdAt, payload }) => ({ createdAt, ...(payload as { action: string; details: object }) }))
    .filter(({ action }) => noticeActions.has(action))
    .map(({ createdAt, action, details }) => `${short(createdAt)} ${action} ${JSON.stringify(details)}`);
}

const configure = (books: Books, input: object) => books.client.graphql(settingsDocument, { input });

async function failing(mailDays: number[]): Promise<[books: Books, id: string, customer: any]> {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  await configure(books, { retryDays: [3, 7], dunning: { finalAction: 'leave', mailDays } });
  const customer = await books.shop.customer();
  return [books, await books.subscribe(customer, await books.plan(31), failsLater), customer];
}

const reminder = (day: number) =>
  `2026-02-${String(day + 1).padStart(2, '0')} payment_reminder {"daysOverdue":${day}}`;

describe('a reminder', () => {
  it.each([
    [[], []],
    [[1], [1]],
    [
      [1, 3, 5, 7, 20],
      [1, 3, 5, 7, 20],
    ],
  ])('is given on the days %j while the invoice is open', async (mailDays, days) => {
    const [books] = await failing(mailDays);
    await books.advance('2026-05-01');
    expect(await notices(app, books.alias)).toEqual(days.map(reminder));
  });

  it('is not given once the invoice is paid, nor while the subscription is paused', async () => {
    const [books, id] = await failing([1, 2, 5, 9]);
    const paused = await books.subscribe(await books.shop.customer(), await books.plan(31), failsLater);
    await books.advance('2026-02-02T12:00:00Z');
    const set =
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { id } }';
    await books.client.graphql(set, { id });
    await app.service.store.transact(books.alias, (queries) =>
      queries.update(
        'subscriptions',
        { tenantAlias: books.alias, id: paused },
        { pausedAt: '2026-02-02T12:00:00.000Z', dueAt: null },
      ),
    );
    await books.advance('2026-02-10');
    expect(await notices(app, books.alias)).toEqual([reminder(1), reminder(1)]);
  });

  it('follows the policy that is in force', async () => {
    const [books] = await failing([2, 10]);
    await books.advance('2026-02-02');
    await configure(books, { dunning: { mailDays: [5, 10] } });
    await books.advance('2026-02-28');
    expect(await notices(app, books.alias)).toEqual([reminder(5), reminder(10)]);
  });

  it('is given of one-off invoices too, which are not retried', async () => {
    const [books, , customer] = await failing([2]);
    const { createInvoice } = await books.client.graphql(oneOffDocument, { customerId: customer.id });
    expect(createInvoice.status).toBe('open');
    await books.advance('2026-01-20');
    expect(await notices(app, books.alias, createInvoice.id)).toEqual([
      '2026-01-03 payment_reminder {"daysOverdue":2}',
    ]);
  });
});

const accessEnded = (day: string) => `${day} access_ended {"accessUntil":"${day}T00:00:00.000Z"}`;

describe('the end of the access grace', () => {
  const grace = async (dunning: object) => {
    const [books, id] = await failing([]);
    await configure(books, { dunning });
    return { books, id };
  };

  it.each<[days: number | null, finalAction: string, expected: string[]]>([
    [5, 'leave', [accessEnded('2026-02-06')]],
    [0, 'leave', [accessEnded('2026-02-01')]],
    [30, 'leave', [accessEnded('2026-03-03')]],
    [null, 'leave', []],
    [3, 'cancel', [accessEnded('2026-02-04')]],
    // The retries end before the grace, and the subscription with them.
    [10, 'cancel', []],
    [10, 'pause', []],
    [null, 'cancel', []],
  ])(
    'of %j days is reported once, unless the subscription ended before: %s',
    async (days, finalAction, expected) => {
      const { books, id } = await grace({ finalAction, accessGraceDays: days });
      await books.advance('2026-03-20');
      expect(await notices(app, books.alias, id)).toEqual(expected);
    },
  );

  it('is not reported for an invoice that was paid in time, and again for the next one', async () => {
    const { books, id } = await grace({ finalAction: 'leave', accessGraceDays: 5 });
    const pay = (method: string) =>
      books.client.graphql(
        'mutation ($id: ID!, $method: String!) { setPaymentMethod(id: $id, input: { paymentMethod: $method }) { status } }',
        { id, method },
      );
    await books.advance('2026-02-04');
    await pay('sandbox_ok');
    await pay(failsLater);
    await books.advance('2026-03-10');
    await pay('sandbox_ok');
    await pay(failsLater);
    await books.advance('2026-04-20');
    expect(await notices(app, books.alias, id)).toEqual([
      accessEnded('2026-03-06'),
      accessEnded('2026-04-06'),
    ]);
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { access { granted until } } }',
      { id },
    );
    expect(subscription.access).toEqual({ granted: false, until: '2026-04-06T00:00:00.000Z' });
  });
});

const upcoming = (at: string, renewsAt: string, amount: number) =>
  `${at} renewal_upcoming {"renewsAt":"${renewsAt}T00:00:00.000Z","amount":${amount},"currency":"afn"}`;

describe('the renewal of a long period', () => {
  it.each([
    [
      'a year',
      yearly,
      [upcoming('2026-12-02', '2027-01-01', 100), upcoming('2027-12-02', '2028-01-01', 100)],
    ],
    [
      'six months',
      { recurring: { frequency: 'Monthly', period: 6 } },
      [
        '2026-06-01,2026-07-01',
        '2026-12-02,2027-01-01',
        '2027-06-01,2027-07-01',
        '2027-12-02,2028-01-01',
      ].map((each) => upcoming(...(each.split(',') as [string, string]), 100)),
    ],
    ['five months', { recurring: { frequency: 'Monthly', period: 5 } }, []],
    ['a month', {}, []],
  ])('is announced 30 days before: %s', async (_, fields, expected) => {
    const books = await openBooks(app, '2026-01-01');
    await books.subscribe(await books.shop.customer(), await books.plan(100, fields));
    await books.advance('2028-01-05');
    expect(await notices(app, books.alias)).toEqual(expected);
  });

  it.each<[days: number, expected: string[]]>([
    [0, []],
    [7, [upcoming('2026-12-25', '2027-01-01', 100)]],
    [45, [upcoming('2026-11-17', '2027-01-01', 100)]],
  ])('is announced %i days before by the settings of mails', async (renewalNoticeDays, expected) => {
    const books = await openBooks(app, '2026-01-01');
    const mail: MailSettings = {
      ownServer: false,
      fromName: null,
      replyTo: null,
      testRecipient: null,
      disabledKinds: [],
      enabledKinds: [],
      renewalNoticeDays,
    };
    await app.service.store.transact(books.alias, (queries) =>
      queries.update('tenants', { alias: books.alias }, { mail }),
    );
    app.service.apiKeyCache.clear();
    await books.subscribe(await books.shop.customer(), await books.plan(100, yearly));
    await books.advance('2027-02-01');
    expect(await notices(app, books.alias)).toEqual(expected);
  });

  it('is not announced if it does not come, and is once it comes again', async () => {
    const books = await openBooks(app, '2026-01-01');
    const [ending, paused, undone] = [
      await books.subscribe(await books.shop.customer(), await books.plan(1, yearly)),
      await books.subscribe(await books.shop.customer(), await books.plan(2, yearly)),
      await books.subscribe(await books.shop.customer(), await books.plan(3, yearly)),
    ];
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', ending);
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', undone);
    await books.run('pauseSubscription(id: $id)', paused);
    await books.advance('2026-12-20');
    expect(await notices(app, books.alias)).toEqual([]);
    await books.run('uncancelSubscription(id: $id)', undone);
    await books.run('resumeSubscription(id: $id)', paused);
    await books.advance('2026-12-21');
    await books.advance('2027-03-01');
    expect((await notices(app, books.alias)).toSorted()).toEqual([
      upcoming('2026-12-20', '2027-01-01', 2),
      upcoming('2026-12-20', '2027-01-01', 3),
    ]);
    expect((await books.subscription(ending)).status).toBe('cancelled');
  });

  it('is announced with the amount that is billed: discounts included', async () => {
    const books = await openBooks(app, '2026-01-01');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(100, yearly));
    const { createCoupon } = await books.client.graphql(
      'mutation { createCoupon(input: { name: "Half", percentOff: "50", duration: forever }) { id } }',
    );
    await books.client.graphql(
      'mutation ($id: ID!, $couponId: ID!) { applyDiscount(input: { subscriptionId: $id, couponId: $couponId }) { id } }',
      { id, couponId: createCoupon.id },
    );
    await books.advance('2027-01-01');
    expect(await notices(app, books.alias)).toEqual([upcoming('2026-12-02', '2027-01-01', 50)]);
    expect((await books.bills(id)).at(-1)).toBe('2027-01-01 paid 50');
  });
});

describe('a payment method that expires', () => {
  const expire = (books: Books, expiresAt: string) =>
    app.service.store.transact(books.alias, (queries) =>
      queries.update('paymentMethods', { tenantAlias: books.alias }, { expiresAt, expiryAnnouncedAt: null }),
    );
  const expiring = (at: string, subscriptionIds: string[]) =>
    `${at} payment_method_expiring ${JSON.stringify({ subscriptionIds })}`;

  it('is announced 30 days before, once for each expiry', async () => {
    const books = await openBooks(app, '2026-01-01');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(1));
    await expire(books, '2026-05-01T00:00:00.000Z');
    await books.advance('2026-05-10');
    expect(await notices(app, books.alias)).toEqual([expiring('2026-04-01', [id])]);
    await expire(books, '2026-06-01T00:00:00.000Z');
    await books.advance('2026-05-11');
    await books.advance('2026-07-01');
    expect((await notices(app, books.alias)).slice(1)).toEqual([expiring('2026-05-10', [id])]);
  });

  it.each(['cancelSubscription(id: $id)', 'cancelSubscription(id: $id, input: { atPeriodEnd: true })'])(
    'is not announced after %s',
    async (mutation) => {
      const books = await openBooks(app, '2026-01-01');
      const id = await books.subscribe(await books.shop.customer(), await books.plan(1));
      await expire(books, '2026-02-20T00:00:00.000Z');
      await books.run(mutation, id);
      await books.advance('2026-03-01');
      expect(await notices(app, books.alias)).toEqual([]);
    },
  );
});

describe('in real time', () => {
  it('notices are given once, however many servers look for them', async () => {
    const clock = stoppedClock('2026-01-01T00:00:00.000Z');
    const own = await startApp({ rateLimitPerSecond: '10000' }, { clock });
    try {
      const client = await own.tenant({ alias: 'acme', test: true });
      const shop = createShop(client, 'acme');
      await client.graphql(settingsDocument, { input: { dunning: { finalAction: 'leave', mailDays: [2] } } });
      const prices = [];
      for (const amount of [1, 2, 3]) prices.push((await shop.product({ amount, ...yearly })).price);
      const { price: monthly } = await shop.product({ amount: 5 });
      for (const price of prices)
        await shop.confirm((await shop.intent(await shop.customer(), price)).intentId);
      await shop.confirm((await shop.intent(await shop.customer(), monthly)).intentId, failsLater);
      clock.advance(31 * dayMs);
      await runDueWork(own.service, pino({ level: 'silent' }));
      clock.advance(2 * dayMs);
      const look = async () => {
        const tenant = openScheduledTenant(own.service, (await findTenant(own.service, 'acme'))!);
        return giveNotices(tenant, tenant.now());
      };
      await Promise.all(Array.from({ length: 10 }, look));
      clock.advance(303 * dayMs);
      await Promise.all(Array.from({ length: 10 }, look));
      await runDueWork(own.service, pino({ level: 'silent' }));
      expect(await look()).toBe(0);
      expect((await notices(own, 'acme')).map((each) => each.split(' ')[1])).toEqual([
        'payment_reminder',
        ...prices.map(() => 'renewal_upcoming'),
      ]);
    } finally {
      await own.close();
    }
  });
});
