import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../support/app.ts';
import { lineText, openBooks, short, type Books } from '../../../support/books.ts';

const previewDocument = `query ($id: ID!, $price: ID!, $at: DateTime) {
  previewSubscriptionChange(id: $id, input: { priceId: $price, at: $at }) {
    effectiveAt nextInvoice { date } total { amount currency }
    lines { kind description amount { amount currency } periodStart periodEnd explanation }
  }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

interface Upgrade {
  name: string;
  from: object & { amount: number };
  to: object & { amount: number };
  at: string;
  withoutProration?: true;
  lines: string[];
  total: number;
  next: string;
  billedCount: number;
  /** The line of the period after it. */
  following: string;
}

const yearly = { recurring: { frequency: 'Yearly' } };
const weekly = { recurring: { frequency: 'Weekly' } };

/** Each subscription has begun on 1 June 2026. */
const upgrades: Upgrade[] = [
  {
    name: '100 to 300 a month, half way',
    from: { amount: 100 },
    to: { amount: 300 },
    at: '2026-06-16',
    lines: ['proration_credit -50 2026-06-16/2026-07-01', 'proration_charge 150 2026-06-16/2026-07-01'],
    total: 100,
    next: '2026-07-01',
    billedCount: 1,
    following: 'cycle 300 2026-07-01/2026-08-01',
  },
  {
    name: '5 to 20 with one of thirty days used',
    from: { amount: 5 },
    to: { amount: 20 },
    at: '2026-06-02',
    lines: ['proration_credit -4.83 2026-06-02/2026-07-01', 'proration_charge 19.33 2026-06-02/2026-07-01'],
    total: 14.5,
    next: '2026-07-01',
    billedCount: 1,
    following: 'cycle 20 2026-07-01/2026-08-01',
  },
  {
    name: 'at the very moment of the start',
    from: { amount: 100 },
    to: { amount: 300 },
    at: '2026-06-01',
    lines: ['proration_credit -100 2026-06-01/2026-07-01', 'proration_charge 300 2026-06-01/2026-07-01'],
    total: 200,
    next: '2026-07-01',
    billedCount: 1,
    following: 'cycle 300 2026-07-01/2026-08-01',
  },
  {
    name: 'without prorateUpgrades: the full price, and the cycle restarts',
    from: { amount: 100 },
    to: { amount: 300 },
    at: '2026-06-16',
    withoutProration: true,
    lines: ['cycle 300 2026-06-16/2026-07-16'],
    total: 300,
    next: '2026-07-16',
    billedCount: 2,
    following: 'cycle 300 2026-07-16/2026-08-16',
  },
  {
    name: 'to a longer interval: a credit, the full price, and the anchor moves',
    from: { amount: 100 },
    to: { amount: 1200, ...yearly },
    at: '2026-06-16',
    lines: ['proration_credit -50 2026-06-16/2026-07-01', 'cycle 1200 2026-06-16/2027-06-16'],
    total: 1150,
    next: '2027-06-16',
    billedCount: 2,
    following: 'cycle 1200 2027-06-16/2028-06-16',
  },
  {
    name: 'from weeks to months',
    from: { amount: 7, ...weekly },
    to: { amount: 300 },
    at: '2026-06-05',
    lines: ['proration_credit -3 2026-06-05/2026-06-08', 'cycle 300 2026-06-05/2026-07-05'],
    total: 297,
    next: '2026-07-05',
    billedCount: 2,
    following: 'cycle 300 2026-07-05/2026-08-05',
  },
  {
    name: 'from nothing, which leaves nothing to credit',
    from: { amount: 0 },
    to: { amount: 30 },
    at: '2026-06-16',
    lines: ['proration_credit 0 2026-06-16/2026-07-01', 'proration_charge 15 2026-06-16/2026-07-01'],
    total: 15,
    next: '2026-07-01',
    billedCount: 1,
    following: 'cycle 30 2026-07-01/2026-08-01',
  },
  {
    name: '10 a month to 100 a year, which is less by the year, but longer',
    from: { amount: 10 },
    to: { amount: 100, ...yearly },
    at: '2026-06-16',
    lines: ['proration_credit -5 2026-06-16/2026-07-01', 'cycle 100 2026-06-16/2027-06-16'],
    total: 95,
    next: '2027-06-16',
    billedCount: 2,
    following: 'cycle 100 2027-06-16/2028-06-16',
  },
  {
    name: 'a year that becomes dearer months leaves a balance, which pays for the next',
    from: { amount: 1200, ...yearly },
    to: { amount: 200 },
    at: '2026-06-16',
    lines: [
      'proration_credit -1150.68 2026-06-16/2027-06-01',
      'cycle 200 2026-06-16/2026-07-16',
      'balance 950.68 2026-06-16/2026-07-16',
    ],
    total: 0,
    next: '2026-07-16',
    billedCount: 2,
    following: 'cycle 200 2026-07-16/2026-08-16',
  },
];

async function begun(
  terms: { from: any; to: any },
  prorateUpgrades = true,
  start = '2026-06-01',
): Promise<{ books: Books; customer: any; id: string; better: any }> {
  const books = await openBooks(app, start);
  const customer = await books.shop.customer();
  const group = await books.shop.group({ prorateUpgrades });
  const current = await books.plan(0, { name: 'Basic', groupId: group.id, ...terms.from });
  const better = await books.plan(0, { name: 'Better', groupId: group.id, ...terms.to });
  return { books, customer, better, id: await books.subscribe(customer, current) };
}

describe('an upgrade', () => {
  it.each(upgrades)('$name', async ({ from, to, at, withoutProration, ...expected }) => {
    const { books, customer, id, better } = await begun({ from, to }, !withoutProration);
    const early = await books.client.graphql(previewDocument, { id, price: better.id, at });
    await books.advance(at);
    const { previewSubscriptionChange: preview } = await books.client.graphql(previewDocument, {
      id,
      price: better.id,
    });
    expect(early.previewSubscriptionChange).toEqual(preview);
    expect(preview.lines.map(lineText)).toEqual(expected.lines);
    expect([short(preview.effectiveAt), preview.total.amount]).toEqual([at, expected.total]);

    expect(await books.subscribe(customer, better)).toBe(id);
    const [, invoice] = await books.invoices(id);
    expect(invoice.lines).toEqual(preview.lines);
    expect(invoice).toMatchObject({ status: 'paid', total: preview.total, billingReason: 'plan_change' });
    const after = await books.subscription(id);
    expect(after).toMatchObject({
      productName: 'Better',
      billedCount: expected.billedCount,
      status: 'active',
    });
    expect([after.nextBillingDate, after.currentPeriodEnd]).toEqual(Array(2).fill(preview.nextInvoice.date));
    expect(short(after.nextBillingDate)).toBe(expected.next);
    const charged = (await books.tries(id)).filter((each) => each.startsWith(at));
    expect(charged.includes(`${at} charge succeeded ${expected.total}`)).toBe(expected.total > 0);

    await books.advance(expected.next);
    expect((await books.invoices(id))[2].lines.map(lineText)[0]).toBe(expected.following);
  });

  it('inside a stub credits by the whole cycle', async () => {
    const anchored = { amount: 100, recurring: { executionDate: '2026-07-01' } };
    const { books, customer, id, better } = await begun(
      { from: anchored, to: { amount: 300 } },
      true,
      '2026-06-11',
    );
    await books.advance('2026-06-16');
    await books.subscribe(customer, better);
    await books.advance('2026-07-01');
    expect(await books.lines(id)).toEqual([
      'stub 66.67 2026-06-11/2026-07-01',
      'proration_credit -50 2026-06-16/2026-07-01',
      'proration_charge 150 2026-06-16/2026-07-01',
      'cycle 300 2026-07-01/2026-08-01',
    ]);
  });

  it('twice in one cycle credits what the first one charged', async () => {
    const { books, customer, id, better } = await begun({ from: { amount: 100 }, to: { amount: 300 } });
    const group = await books.client.graphql('{ groups { nodes { id } } }');
    const best = await books.plan(600, { groupId: group.groups.nodes[0].id });
    await books.advance('2026-06-16');
    await books.subscribe(customer, better);
    await books.advance('2026-06-21');
    await books.subscribe(customer, best);
    expect((await books.lines(id)).slice(3)).toEqual([
      'proration_credit -100 2026-06-21/2026-07-01',
      'proration_charge 200 2026-06-21/2026-07-01',
    ]);
  });

  it('keeps the local time if daylight saving makes a cycle an hour shorter', async () => {
    const books = await openBooks(app, '2026-03-01T05:00:00.000Z', 'America/New_York');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const id = await books.subscribe(customer, await books.plan(743, { groupId }));
    await books.advance('2026-03-31T04:00:00Z');
    await books.subscribe(customer, await books.plan(7430, { groupId }));
    expect((await books.lines(id)).slice(1)).toEqual([
      'proration_credit -24 2026-03-31T04:00/2026-04-01T04:00',
      'proration_charge 240 2026-03-31T04:00/2026-04-01T04:00',
    ]);
  });

  it('keeps a cancellation at the end of the period, which is the new period', async () => {
    for (const to of [{ amount: 300 }, { amount: 300, ...yearly }]) {
      const { books, customer, id, better } = await begun({ from: { amount: 100 }, to });
      await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
      await books.advance('2026-06-16');
      await books.subscribe(customer, better);
      const { cancelAtPeriodEnd, currentPeriodEnd } = await books.subscription(id);
      expect(cancelAtPeriodEnd).toBe(true);
      expect(await books.forecast(id, '2028-01-01')).toEqual([]);
      await books.advance('2028-01-01');
      const ended = await books.subscription(id);
      expect([ended.status, ended.cancelledAt]).toEqual(['cancelled', currentPeriodEnd]);
      expect(await books.bills(id)).toHaveLength(2);
    }
  });

  it('keeps the plan of each period in the history', async () => {
    const { books, customer, better } = await begun({ from: { amount: 100 }, to: { amount: 300 } });
    await books.advance('2026-06-16');
    await books.subscribe(customer, better);
    await books.advance('2026-07-01');
    const fields = { tenantAlias: books.alias, customer: customer.id, order: 'asc' };
    const { body } = await books.client.rest('GET', '/subscriptions', fields);
    const history = body.data.map(({ productName, billing: { price, startDate, endDate } }: any) =>
      [productName, price.amount, `${short(startDate)}/${short(endDate)}`].join(' '),
    );
    expect(history).toEqual([
      'Basic 100 2026-06-01/2026-07-01',
      'Better 150 2026-06-16/2026-07-01',
      'Better 300 2026-07-01/2026-08-01',
    ]);
  });

  it('records its traces, with the intent as the cause', async () => {
    const { books, customer, better } = await begun({ from: { amount: 100 }, to: { amount: 300 } });
    await books.advance('2026-06-16');
    const { intentId: id } = await books.shop.intent(customer, better);
    const document =
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }';
    await books.perform({
      graphql: [document, { id }],
      traces: [
        'IntentEvent payment_started',
        'InvoiceEvent refundable_changed < IntentEvent payment_started',
        'IntentEvent succeeded',
        'SubscriptionEvent upgraded < IntentEvent succeeded',
        'InvoiceEvent created < SubscriptionEvent upgraded',
        'PaymentEvent succeeded < IntentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
      ],
    });
  });
});

describe('a preview', () => {
  it('is refused at the end of the period that is paid', async () => {
    const { books, id, better } = await begun({ from: { amount: 100 }, to: { amount: 300 } });
    const at = '2026-07-01T00:00:00.000Z';
    await books.perform({
      graphql: [previewDocument, { id, price: better.id, at }],
      reason: 'subscription_not_active',
    });
  });

  it('is refused for a time before the period that is paid, naming the moment', async () => {
    const { books, id, better } = await begun({ from: { amount: 100 }, to: { amount: 300 } });
    await books.advance('2026-06-16');
    for (const at of ['2026-05-31', '2026-05-31T23:59:59.999Z', '0001-01-01']) {
      await books.perform({
        graphql: [previewDocument, { id, price: better.id, at }],
        reason: 'validation_failed',
        paths: ['at'],
      });
    }
    const now = '2026-06-16T00:00:00.000Z';
    const { previewSubscriptionChange } = await books.client.graphql(previewDocument, {
      id,
      price: better.id,
      at: now,
    });
    expect(previewSubscriptionChange.effectiveAt).toBe(now);
  });
});
