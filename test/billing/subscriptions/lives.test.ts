/** Whole lives of subscriptions that change their plan: what is previewed is what is billed, and what is forecast too. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';
import { engine } from '../../support/engines.ts';
import { sampled, sampledInCore } from '../../support/sample.ts';

const previewDocument = `query ($id: ID!, $price: ID!, $at: DateTime) {
  previewSubscriptionChange(id: $id, input: { priceId: $price, at: $at }) {
    effectiveAt nextInvoice { date } total { amount currency }
    lines { kind description amount { amount currency } periodStart periodEnd explanation }
  }
}`;
const scheduledDocument =
  'query ($id: ID!) { subscription(id: $id) { scheduledChange { priceId effectiveAt agreedPrice { amount } } } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

type Terms = [amount: number, frequency: string, period?: number];

/** From which price to which, and whether it takes effect now or at the end of the period. */
const changes: [from: Terms, to: Terms, effect: 'now' | 'later'][] = [
  [[100, 'Monthly'], [300, 'Monthly'], 'now'],
  [[300, 'Monthly'], [100, 'Monthly'], 'later'],
  [[100, 'Monthly'], [100, 'Monthly'], 'later'],
  [[10, 'Monthly'], [100, 'Yearly'], 'now'],
  [[100, 'Monthly'], [1200, 'Yearly'], 'now'],
  [[100, 'Monthly'], [2400, 'Yearly'], 'now'],
  [[1200, 'Yearly'], [100, 'Monthly'], 'later'],
  [[1200, 'Yearly'], [100.01, 'Monthly'], 'now'],
  [[1200, 'Yearly'], [50, 'Monthly'], 'later'],
  [[7, 'Weekly'], [30, 'Monthly'], 'now'],
  [[30, 'Monthly'], [6, 'Weekly'], 'later'],
  [[30, 'Monthly'], [29, 'Daily', 30], 'later'],
  [[30, 'Monthly'], [29, 'Daily', 31], 'now'],
  [[0, 'Monthly'], [0, 'Yearly'], 'now'],
  [[50, 'Monthly'], [0, 'Monthly'], 'later'],
];

/** Where it begins: plainly, on a day that few months have, and where the clocks change within the month. */
const begins: [timezone: string, clock: string][] = [
  ['UTC', '2026-06-01T00:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-30T18:15:00.000Z'],
  ['America/New_York', '2026-03-01T05:00:00.000Z'],
];

/** Where within the period it changes: at its first instant, somewhere, and at its last. */
const moments = [0, 0.3719, 1];

interface Life {
  title: string;
  from: Terms;
  to: Terms;
  effect: 'now' | 'later';
  /** Of the group; null for two prices of one product outside any. */
  prorated: boolean | null;
  timezone: string;
  clock: string;
  moment: number;
  ends: boolean;
}

const lives: Life[] = changes.flatMap(([from, to, effect], row) =>
  [true, false, null].flatMap((prorated, column) =>
    begins.map(([timezone, clock], place) => {
      const moment = moments[(row + column + place) % moments.length]!;
      const ends = (row + place) % 2 === 1;
      const group = prorated === null ? 'one product' : prorated ? 'prorated' : 'not prorated';
      const title = `${from.join(' ')} to ${to.join(' ')}, ${group}, ${timezone}, at ${moment}${ends ? ', ending' : ''}`;
      return { title, from, to, effect, prorated, timezone, clock, moment, ends };
    }),
  ),
);

interface Begun {
  books: Books;
  customer: any;
  id: string;
  to: any;
}

const buildPrice = ([amount, frequency, period = 1]: Terms) => ({
  details: { amount, currency: 'afn' },
  recurring: { frequency, period },
});

/** A customer who subscribes, and the price that they are to change to. */
async function begin(
  { from, to, prorated, timezone, clock }: Pick<Life, 'from' | 'to' | 'prorated' | 'timezone' | 'clock'>,
  method?: string,
  fields?: object,
): Promise<Begun> {
  const books = await openBooks(app, clock, timezone);
  const customer = await books.shop.customer();
  const groupId = prorated === null ? null : (await books.shop.group({ prorateUpgrades: prorated })).id;
  const make = async (name: string, ...prices: Terms[]) => {
    const body = { tenantAlias: books.alias, name, description: '', groupId, prices: prices.map(buildPrice) };
    return (await books.client.rest('POST', '/products', body)).body.prices;
  };
  const [current, other] =
    prorated === null
      ? await make('Only', from, to)
      : [...(await make('From', from)), ...(await make('To', to))];
  return { books, customer, to: other, id: await books.subscribe(customer, current, method, fields) };
}

const preview = async ({ books, id, to }: Begun, at?: string) =>
  (await books.client.graphql(previewDocument, { id, price: to.id, at })).previewSubscriptionChange;

/** The instant that lies so far within a period; its last millisecond for 1. */
function instantIn(start: string, end: string, moment: number): string {
  const [startMs, endMs] = [Date.parse(start), Date.parse(end)];
  return new Date(Math.min(startMs + Math.floor((endMs - startMs) * moment), endMs - 1)).toISOString();
}

describe('a plan change is billed as previewed', () => {
  // Every change, kind of group, place and moment is in the sample: its step has no factor in common with their counts.
  it.each(sampledInCore(sampled(lives, engine === 'postgres' ? 13 : 4), 8))('$title', async (life) => {
    const begun = await begin(life);
    const { books, customer, id, to } = begun;
    const before = await books.subscription(id);
    const at = instantIn(before.currentPeriodStart, before.currentPeriodEnd, life.moment);
    const early = await preview(begun, at);
    await books.advance(at);
    if (life.ends) await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    const { nextInvoice, ...shown } = await preview(begun);
    expect(shown).toEqual({ effectiveAt: early.effectiveAt, total: early.total, lines: early.lines });
    expect(await books.subscribe(customer, to)).toBe(id);

    const after = await books.subscription(id);
    expect([after.status, after.cancelAtPeriodEnd]).toEqual(['active', life.ends]);
    expect(nextInvoice?.date).toBe(life.ends ? undefined : after.nextBillingDate);
    expect(after.nextBillingDate).toBe(early.nextInvoice.date);
    const [, ...billed] = await books.invoices(id);
    const { scheduledChange } = (await books.client.graphql(scheduledDocument, { id })).subscription;
    if (life.effect === 'now') {
      expect([shown.effectiveAt, scheduledChange]).toEqual([at, null]);
      expect(billed.map(({ lines, total }: any) => ({ lines, total }))).toEqual([
        { lines: shown.lines, total: shown.total },
      ]);
      const charged = (await books.tries(id)).slice(life.from[0] > 0 ? 1 : 0);
      const { amount } = shown.total;
      expect(charged).toEqual(amount > 0 ? [`${short(at)} charge succeeded ${amount}`] : []);
      expect(after.agreedPrice.amount).toBe(life.to[0]);
    } else {
      expect(shown.effectiveAt).toBe(before.currentPeriodEnd);
      expect([shown.lines, shown.total.amount, billed]).toEqual([[], 0, []]);
      expect(scheduledChange).toEqual({
        priceId: to.id,
        effectiveAt: shown.effectiveAt,
        agreedPrice: { amount: life.to[0] },
      });
      expect(after.agreedPrice.amount).toBe(life.from[0]);
    }
    await followTo(begun, after.nextBillingDate, life, billed.length + 1);
  });

  /** What comes next is what was forecast: a period at the new price, or the end. */
  async function followTo({ books, id, to }: Begun, next: string, { ends, to: terms }: Life, billed: number) {
    const forecast = await books.forecast(id, next);
    await books.advance(next);
    const bills = (await books.invoices(id)).slice(billed);
    expect(bills.map(({ createdAt, total }: any) => `${short(createdAt)} ${total.amount}`)).toEqual(forecast);
    const last = await books.subscription(id);
    if (ends) {
      expect([last.status, last.cancelledAt, bills]).toEqual(['cancelled', next, []]);
      return;
    }
    const [period] = bills[0].lines;
    expect([bills.length, period.kind, period.amount.amount, period.periodStart]).toEqual([
      1,
      'cycle',
      terms[0],
      next,
    ]);
    expect([last.status, last.agreedPrice.amount, last.currentPeriodEnd]).toEqual([
      'active',
      terms[0],
      period.periodEnd,
    ]);
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { priceId } }',
      {
        id,
      },
    );
    expect(subscription.priceId).toBe(to.id);
  }
});

describe('preview and intent refuse the same plan changes', () => {
  const failsLater = 'sandbox_ok_then_declined';
  const states: [state: string, method: string, fields: object, reach: (begun: Begun) => Promise<unknown>][] =
    [
      ['paused', 'sandbox_ok', {}, ({ books, id }) => books.run('pauseSubscription(id: $id)', id)],
      ['past_due', failsLater, {}, ({ books }) => books.advance('2026-07-02')],
      ['scheduled', 'sandbox_ok', { startDate: '2026-06-20' }, async () => {}],
      ['incomplete', failsLater, { startDate: '2026-06-20' }, ({ books }) => books.advance('2026-06-21')],
    ];
  const orders = changes.filter(([from]) => from[0] > 0 && from[1] === 'Monthly').slice(0, 4);
  const rows = states.flatMap(([state, method, fields, reach]) =>
    orders.map(([from, to]) => ({ state, method, fields, reach, from, to })),
  );

  it.each(rows)('while $state: $from to $to', async ({ state, method, fields, reach, from, to }) => {
    const start = { prorated: true, timezone: 'UTC', clock: '2026-06-01T00:00:00.000Z' };
    const begun = await begin({ from, to, ...start }, method, fields);
    const { books, customer, id } = begun;
    await reach(begun);
    const before = await books.subscription(id);
    expect(before.status).toBe(state);
    const reason = 'subscription_not_active';
    await books.perform({ graphql: [previewDocument, { id, price: begun.to.id }], reason });
    const order = books.shop.intentInput(customer, begun.to);
    await books.perform({ rest: ['POST', '/subscriptions/intent', order], status: 409, reason });
    expect(await books.subscription(id)).toEqual(before);
  });
});
