import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { isLong } from '../../support/sample.ts';

const dayMs = 86_400_000;
const forecastDocument = `query ($id: ID!, $until: DateTime!) { forecast(subscriptionId: $id, until: $until) {
  date total { amount currency } lines { kind description amount { amount } periodStart periodEnd explanation }
} }`;
const tenantDocument = `query ($until: DateTime!) {
  tenant { forecast(until: $until) { date charges total { amount currency } } }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const later = (instant: string, days: number) => new Date(Date.parse(instant) + days * dayMs).toISOString();

/** What a subscriber does after a number of days. */
interface Step {
  afterDays: number;
  plan: number;
  does: 'nothing' | 'change' | 'cancel' | 'keep' | 'pause' | 'pauseUntil' | 'resume';
}
interface Life {
  startsInDays: number;
  plan: number;
  steps: Step[];
}

const plans = [
  { amount: 100, recurring: { frequency: 'Monthly' } },
  { amount: 35, recurring: { frequency: 'Monthly', executionDate: '2025-08-31' } },
  { amount: 999.99, recurring: { frequency: 'Yearly' } },
  { amount: 7.77, recurring: { frequency: 'Weekly', period: 2 } },
  { amount: 0, recurring: { frequency: 'Monthly', period: 2 } },
];
const plan = fc.nat({ max: plans.length - 1 });
const deed = fc.constantFrom(
  ...(['nothing', 'change', 'change', 'change', 'cancel', 'keep', 'pause', 'pauseUntil', 'resume'] as const),
);
const step: fc.Arbitrary<Step> = fc.record({ afterDays: fc.nat({ max: 50 }), plan, does: deed });
const life: fc.Arbitrary<Life> = fc.record({
  startsInDays: fc.constantFrom(0, 0, 0, 12),
  plan,
  steps: fc.array(step, { maxLength: 4 }),
});
const world = fc.record({
  timezone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kabul'),
  day: fc.nat({ max: 730 }),
  lives: fc.array(life, { minLength: 1, maxLength: 3 }),
  horizonDays: fc.integer({ min: 1, max: 365 }),
});

/**
 * Does what the step says; what the subscription's state does not allow is refused, which is no matter here. Answers
 * the subscription's id: another one where a change of plan came after its end.
 */
async function perform(
  books: Books,
  customer: any,
  id: string,
  { does, afterDays }: Step,
  { price, now }: { price: any; now: string },
): Promise<string> {
  const resumesAt = later(now, 1 + 2 * afterDays);
  const mutation = {
    nothing: undefined,
    change: undefined,
    cancel: 'cancelSubscription(id: $id, input: { atPeriodEnd: true })',
    keep: 'uncancelSubscription(id: $id)',
    pause: 'pauseSubscription(id: $id)',
    pauseUntil: `pauseSubscription(id: $id, input: { resumesAt: "${resumesAt}" })`,
    resume: 'resumeSubscription(id: $id)',
  }[does];
  if (mutation) await books.client.post(`mutation ($id: ID!) { ${mutation} { id } }`, { id });
  if (does !== 'change') return id;
  const { status, body } = await books.client.rest(
    'POST',
    '/subscriptions/intent',
    books.shop.intentInput(customer, price),
  );
  return status === 201 ? (await books.shop.confirm(body.intentId)).subscriptionId : id;
}

/** Lives the lives of one customer's subscriptions; answers their ids and the tenant's time then. */
async function live(books: Books, start: string, lives: Life[]) {
  const customer = await books.shop.customer();
  const ids = new Set<string>();
  const steps: { at: number; id: string; step: Step; price: any }[] = [];
  for (const { startsInDays, plan: first, steps: own } of lives) {
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const prices = await Promise.all(
      plans.map(({ amount, ...terms }) => books.plan(amount, { groupId, ...terms })),
    );
    const startDate = new Date(Date.parse(start) + startsInDays * dayMs).toISOString();
    const fields = startsInDays > 0 ? { startDate } : {};
    const id = await books.subscribe(customer, prices[first], undefined, fields);
    ids.add(id);
    let at = 0;
    for (const each of own)
      steps.push({ at: (at += each.afterDays), id, step: each, price: prices[each.plan] });
  }
  let now = start;
  for (const { at, id, step: each, price } of steps.toSorted((a, b) => a.at - b.at)) {
    now = await books.advance(later(start, at));
    ids.add(await perform(books, customer, id, each, { price, now }));
  }
  return { ids: [...ids], now };
}

const readNextInvoice = async ({ client }: Books, id: string): Promise<string | null> =>
  (await client.graphql('query ($id: ID!) { subscription(id: $id) { nextInvoiceAt } }', { id })).subscription
    .nextInvoiceAt;

describe('a forecast', () => {
  it('equals the later invoices, line by line', async () => {
    let charges = 0;
    await fc.assert(
      fc.asyncProperty(world, async ({ timezone, day, lives, horizonDays }) => {
        const start = later('2026-01-30T21:30:00.000Z', day);
        const books = await openBooks(app, start, timezone);
        const { ids, now } = await live(books, start, lives);
        await books.advance(now);
        const until = later(now, horizonDays);
        const foretold = await Promise.all(
          ids.map(async (id) => (await books.client.graphql(forecastDocument, { id, until })).forecast),
        );
        const { forecast: sums } = (await books.client.graphql(tenantDocument, { until })).tenant;
        const next = await Promise.all(ids.map((id) => readNextInvoice(books, id)));
        expect(next.map((at) => (at !== null && at <= until ? at : undefined))).toEqual(
          foretold.map(([first]) => first?.date),
        );
        const before = (await books.invoices()).length;
        await books.advance(until);
        const billed = await Promise.all(
          ids.map(async (id) =>
            (await books.invoices(id))
              .filter(({ number }) => number > before)
              .map(({ createdAt, total, lines }) => ({
                date: createdAt,
                total,
                lines: lines.map(withoutCurrency),
              })),
          ),
        );
        expect(foretold).toEqual(billed);
        expect(sums).toEqual(sumCharges(billed.flat()));
        charges += billed.flat().length;
      }),
      { numRuns: isLong ? 25 : 10, seed: 7 },
    );
    expect(charges).toBeGreaterThan(isLong ? 100 : 40);
  });

  it('includes open invoices, and assumes their payment', async () => {
    const books = await openBooks(app, '2026-01-31');
    const id = await books.subscribe(
      await books.shop.customer(),
      await books.plan(50),
      'sandbox_ok_then_declined',
    );
    await books.advance('2026-03-01');
    expect(await books.forecast(id, '2026-04-30')).toEqual([
      '2026-03-02 50',
      '2026-03-31 50',
      '2026-04-30 50',
    ]);
    expect(await readNextInvoice(books, id)).toBe('2026-03-31T00:00:00.000Z');
    expect(await books.forecast(id, '2026-03-01')).toEqual([]);
  });

  it('has no charges for cancelled subscriptions or past dates', async () => {
    const books = await openBooks(app, '2026-01-31');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50));
    expect(await books.forecast(id, '2020-01-01')).toEqual([]);
    await books.run('cancelSubscription(id: $id)', id);
    expect(await books.forecast(id, '2030-01-01')).toEqual([]);
  });

  it('is bounded, and refuses unknown ids', async () => {
    const books = await openBooks(app, '2026-01-31');
    const price = await books.plan(1, { recurring: { frequency: 'Daily' } });
    const id = await books.subscribe(await books.shop.customer(), price);
    const ask = (document: string, fields: object, expected: object) =>
      books.perform({ graphql: [document, { id, ...fields }], ...expected });
    const invalid = { reason: 'validation_failed', paths: ['until'] };
    expect(await books.forecast(id, '2028-10-27')).toHaveLength(1000);
    await ask(forecastDocument, { until: '2028-10-28' }, invalid);
    await ask(tenantDocument, { until: '2027-02-02' }, invalid);
    await ask(
      forecastDocument,
      { id: 'sub_unknown', until: '2027-02-01' },
      { reason: 'subscription_not_found' },
    );
  });
});

describe('the forecast of a tenant', () => {
  it('sums by instant and currency', async () => {
    const books = await openBooks(app, '2026-01-31');
    const monthly = await books.plan(50);
    for (let count = 0; count < 3; count++) await books.subscribe(await books.shop.customer(), monthly);
    await books.subscribe(await books.shop.customer(), await books.plan(9.99, { currency: 'usd' }));
    const weekly = await books.plan(1, { recurring: { frequency: 'Weekly', period: 4 } });
    await books.subscribe(await books.shop.customer(), weekly);
    const { tenant } = await books.client.graphql(tenantDocument, { until: '2026-03-31' });
    expect(
      tenant.forecast.map(({ date, charges, total }: any) =>
        [date.slice(0, 10), charges, total.amount, total.currency].join(' '),
      ),
    ).toEqual([
      '2026-02-28 4 151 afn',
      '2026-02-28 1 9.99 usd',
      '2026-03-28 1 1 afn',
      '2026-03-31 3 150 afn',
      '2026-03-31 1 9.99 usd',
    ]);
  });
});

const withoutCurrency = ({ amount: { amount }, ...line }: any) => ({ ...line, amount: { amount } });

/** The same sums, of what was billed. */
function sumCharges(charges: { date: string; total: { amount: number; currency: string } }[]) {
  const dates = [...new Set(charges.map(({ date }) => date))].toSorted();
  return dates.map((date) => {
    const due = charges.filter((each) => each.date === date);
    const amount = due.reduce((sum, { total }) => sum + Math.round(total.amount * 100), 0) / 100;
    return { date, charges: due.length, total: { amount, currency: 'afn' } };
  });
}
