import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

interface Schedule {
  name: string;
  recurring?: object;
  from: string;
  until: string;
  /** When it is billed; each period ends where the next begins, the last one at `next`. */
  dates: string[];
  next: string;
}

const schedules: Schedule[] = [
  {
    name: 'monthly from 31 January of a common year',
    from: '2026-01-31',
    until: '2026-07-30',
    dates: ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'],
    next: '2026-07-31',
  },
  {
    name: 'monthly from 31 January of a leap year',
    from: '2028-01-31',
    until: '2028-04-29',
    dates: ['2028-01-31', '2028-02-29', '2028-03-31'],
    next: '2028-04-30',
  },
  {
    name: 'monthly from 30 January, over February and the turn of the year',
    from: '2028-01-30',
    until: '2029-03-29',
    dates: (
      '2028-01-30 2028-02-29 2028-03-30 2028-04-30 2028-05-30 2028-06-30 2028-07-30 ' +
      '2028-08-30 2028-09-30 2028-10-30 2028-11-30 2028-12-30 2029-01-30 2029-02-28'
    ).split(' '),
    next: '2029-03-30',
  },
  {
    name: 'yearly from 29 February',
    recurring: { frequency: 'Yearly' },
    from: '2024-02-29',
    until: '2029-02-27',
    dates: ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29'],
    next: '2029-02-28',
  },
  {
    name: 'every two weeks',
    recurring: { frequency: 'Weekly', period: 2 },
    from: '2026-02-17',
    until: '2026-04-01',
    dates: ['2026-02-17', '2026-03-03', '2026-03-17', '2026-03-31'],
    next: '2026-04-14',
  },
  {
    name: 'daily over the end of February',
    recurring: { frequency: 'Daily' },
    from: '2026-02-26',
    until: '2026-03-02',
    dates: ['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'],
    next: '2026-03-03',
  },
  {
    name: 'every three years',
    recurring: { frequency: 'Yearly', period: 3 },
    from: '2026-05-05',
    until: '2032-05-05',
    dates: ['2026-05-05', '2029-05-05', '2032-05-05'],
    next: '2035-05-05',
  },
  {
    name: 'every quarter from 30 November',
    recurring: { frequency: 'Monthly', period: 3 },
    from: '2026-11-30',
    until: '2027-08-29',
    dates: ['2026-11-30', '2027-02-28', '2027-05-30'],
    next: '2027-08-30',
  },
];

describe('a subscription is billed', () => {
  it.each(schedules)('$name', async ({ recurring, from, until, dates, next }) => {
    const books = await openBooks(app, from);
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50, { recurring }));
    await books.advance(until);
    expect(await books.bills(id)).toEqual(dates.map((date) => `${date} paid 50`));
    expect(await books.lines(id)).toEqual(
      dates.map((date, index) => `cycle 50 ${date}/${dates[index + 1] ?? next}`),
    );
    const { nextBillingDate, billedCount, status, currentPeriodStart } = await books.subscription(id);
    expect([short(nextBillingDate), billedCount, status]).toEqual([next, dates.length, 'active']);
    expect(short(currentPeriodStart)).toBe(dates.at(-1));
  });

  it.each([
    ['31 January in the evening', '2026-02-01T02:00:00.000Z', 'America/New_York', '2026-05-01T01:00:00.000Z'],
    ['1 January, east of Greenwich', '2025-12-31T19:30:00.000Z', 'Asia/Kabul', '2026-03-31T19:30:00.000Z'],
  ])('by the calendar of its own tenant: %s', async (_, from, timezone, third) => {
    const books = await openBooks(app, from, timezone);
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50));
    await books.advance(third);
    expect((await books.invoices(id)).at(-1).createdAt).toBe(third);
    expect(await books.bills(id)).toHaveLength(4);
  });

  it('at the same local hour through both changes of daylight saving', async () => {
    const books = await openBooks(app, '2026-02-15T14:00:00.000Z', 'America/New_York');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50));
    await books.advance('2026-12-31');
    const utcHours = (await books.invoices(id)).map(({ createdAt }) => createdAt.slice(5, 16));
    const summer = [3, 4, 5, 6, 7, 8, 9, 10].map((month) => `${month < 10 ? '0' : ''}${month}-15T13:00`);
    expect(utcHours).toEqual(['02-15T14:00', ...summer, '11-15T14:00', '12-15T14:00']);
  });

  it.each([
    ['skips', '2026-03-07T07:30:00.000Z', '03-07T07:30 03-08T07:30 03-09T06:30 03-10T06:30'],
    ['has twice', '2026-10-30T05:30:00.000Z', '10-30T05:30 10-31T05:30 11-01T05:30 11-02T06:30'],
  ])('daily at an hour that one day %s', async (_, from, expected) => {
    const books = await openBooks(app, from, 'America/New_York');
    const recurring = { frequency: 'Daily' };
    const id = await books.subscribe(await books.shop.customer(), await books.plan(5, { recurring }));
    await books.advance(new Date(Date.parse(from) + 3.5 * 86_400_000).toISOString());
    const begun = (await books.invoices(id)).map(({ createdAt }) => createdAt.slice(5, 16));
    expect(begun.join(' ')).toBe(expected);
  });
});

describe('an anchor', () => {
  const anchored = (books: Books, executionDate: string, frequency = 'Monthly') =>
    books.plan(31, { recurring: { frequency, executionDate } });

  it.each([
    ['ahead: the first of next month', '2026-01-11', '2026-02-01', 'stub 21 2026-01-11/2026-02-01'],
    ['months ahead', '2026-01-11', '2026-05-01', 'stub 21 2026-01-11/2026-02-01'],
    ['in the past', '2026-01-11', '2020-07-01', 'stub 21 2026-01-11/2026-02-01'],
    ['on the last of a month', '2026-02-14', '2026-01-31', 'stub 15.5 2026-02-14/2026-02-28'],
    ['now', '2026-01-11', '2026-01-11', 'cycle 31 2026-01-11/2026-02-11'],
    ['that falls on the start', '2026-03-11', '2026-01-11', 'cycle 31 2026-03-11/2026-04-11'],
  ])('%s', async (_, start, executionDate, line) => {
    const books = await openBooks(app, start);
    const id = await books.subscribe(await books.shop.customer(), await anchored(books, executionDate));
    expect(await books.lines(id)).toEqual([line]);
    const end = line.slice(-10);
    await books.advance(end);
    expect((await books.lines(id))[1]).toMatch(new RegExp(`^cycle 31 ${end}/`));
    expect((await books.subscription(id)).billedCount).toBe(2);
  });

  it('keeps its month end', async () => {
    const books = await openBooks(app, '2026-02-14');
    const id = await books.subscribe(await books.shop.customer(), await anchored(books, '2026-01-31'));
    await books.advance('2026-05-01');
    const begun = (await books.lines(id)).map((line) => line.split(' ')[2]!.slice(0, 10));
    expect(begun).toEqual(['2026-02-14', '2026-02-28', '2026-03-31', '2026-04-30']);
  });

  it('is a day in the time zone of the tenant if it is a date', async () => {
    const books = await openBooks(app, '2026-01-11T12:00:00.000Z', 'America/New_York');
    const id = await books.subscribe(await books.shop.customer(), await anchored(books, '2026-02-01'));
    expect((await books.subscription(id)).nextBillingDate).toBe('2026-02-01T05:00:00.000Z');
  });
});

describe('a future start', () => {
  const startDate = '2026-02-10';

  it('is charged on its date, and active from then', async () => {
    const books = await openBooks(app, '2026-01-31T09:00:00.000Z');
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(50), undefined, { startDate });
    const active = async () =>
      (
        await books.client.rest('GET', '/subscriptions/active', {
          tenantAlias: books.alias,
          customer: customer.id,
        })
      ).body.length;
    await books.advance('2026-02-09T23:59:59.999Z');
    expect([await books.bills(id), await books.tries(id), await active()]).toEqual([[], [], 0]);
    expect((await books.subscription(id)).status).toBe('scheduled');
    expect(await books.forecast(id, '2026-03-15')).toEqual(['2026-02-10 50', '2026-03-10 50']);
    await books.advance(startDate);
    expect(await books.lines(id)).toEqual(['cycle 50 2026-02-10/2026-03-10']);
    expect((await books.invoices(id))[0].billingReason).toBe('subscription_start');
    const { status, billedCount, firstBillingDate } = await books.subscription(id);
    expect([status, billedCount, short(firstBillingDate), await active()]).toEqual([
      'active',
      1,
      startDate,
      1,
    ]);
    await books.advance('2026-03-10');
    expect((await books.invoices(id))[1].billingReason).toBe('cycle');
  });

  it('has a stub up to its anchor', async () => {
    const books = await openBooks(app, '2026-01-31');
    const price = await books.plan(28, { recurring: { executionDate: '2026-01-01' } });
    const id = await books.subscribe(await books.shop.customer(), price, undefined, {
      startDate: '2026-02-15',
    });
    await books.advance('2026-03-01');
    expect(await books.lines(id)).toEqual([
      'stub 14 2026-02-15/2026-03-01',
      'cycle 28 2026-03-01/2026-04-01',
    ]);
  });

  it('is incomplete when its first charge fails, and cancelled when all do', async () => {
    const books = await openBooks(app, '2026-01-31');
    const method = 'sandbox_ok_then_declined';
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), method, {
      startDate,
    });
    await books.advance(startDate);
    expect((await books.subscription(id)).status).toBe('incomplete');
    await books.advance('2026-03-03');
    expect(await books.bills(id)).toEqual(['2026-02-10 uncollectible 50']);
    expect(await books.subscription(id)).toMatchObject({ status: 'cancelled', billedCount: 0 });
  });

  it('begins a period on its date if it is paid later', async () => {
    const books = await openBooks(app, '2026-01-31');
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50), {
      startDate: '2026-01-31T06:00:00Z',
    });
    await books.advance('2026-01-31T07:00:00Z');
    const { subscriptionId } = await books.shop.confirm(intentId);
    expect(await books.lines(subscriptionId)).toEqual(['cycle 50 2026-01-31T06:00/2026-02-28T06:00']);
  });
});
