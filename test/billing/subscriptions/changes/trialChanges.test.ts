/** What can happen to a subscription in its trial besides its end, and set-up fees without a trial. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../../src/app/scheduler.ts';
import { pino } from 'pino';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks, openScope, type Books } from '../../../support/books.ts';
import { findBookFaults } from '../../../support/faults.ts';
import {
  listActions,
  order,
  run,
  showTrial,
  startTrial,
  trial14,
  trialWithFee,
  withFee,
} from '../../../support/trials.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription in a trial of 14 days from 1 January; with `fields`, of another product. */
async function begin(fields: object = trial14) {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const price = await books.plan(31, fields);
  return { books, customer, price, id: await books.subscribe(customer, price) };
}

const sound = async (books: Books) => expect(await findBookFaults(app, books.alias)).toEqual([]);

describe('during a trial', () => {
  it('a pause that ends in time changes nothing', async () => {
    const { books, id } = await begin();
    expect(await run(books, 'pauseSubscription(id: $id)', id)).toMatchObject({
      status: 'paused',
      dueAt: null,
    });
    await books.advance('2026-01-05');
    expect(await run(books, 'resumeSubscription(id: $id)', id)).toMatchObject({
      status: 'trialing',
      dueAt: '2026-01-12T00:00:00.000Z',
    });
    await books.advance('2026-01-15');
    expect(await books.lines(id)).toEqual(['cycle 31 2026-01-15/2026-02-15']);
    await sound(books);
  });

  it('a pause over its end bills a whole cycle from the resumption, and the end is recorded once', async () => {
    const { books, id } = await begin();
    await run(books, 'pauseSubscription(id: $id)', id);
    await books.advance('2026-02-10');
    await run(books, 'resumeSubscription(id: $id)', id);
    await books.advance('2026-03-10');
    expect(await books.lines(id)).toEqual([
      'cycle 31 2026-02-10/2026-03-10',
      'cycle 31 2026-03-10/2026-04-10',
    ]);
    expect((await listActions(app, books, id)).filter((each) => each.includes('trial'))).toEqual([
      '2026-02-10 trial_ended',
    ]);
    await sound(books);
  });

  it('a cancellation at the period end takes place at its end; nothing is billed', async () => {
    const { books, id } = await begin();
    expect(await run(books, 'cancelSubscription(id: $id, input: { atPeriodEnd: true })', id)).toMatchObject({
      status: 'trialing',
      dueAt: '2026-01-15T00:00:00.000Z',
    });
    expect(await books.forecast(id, '2026-06-01')).toEqual([]);
    await books.advance('2026-01-20');
    expect((await showTrial(books, id)).status).toBe('cancelled');
    expect(await books.bills(id)).toEqual([]);
    expect(await listActions(app, books, id)).toEqual([
      '2026-01-01 created',
      '2026-01-01 cancellation_scheduled',
      '2026-01-15 trial_ended',
      '2026-01-15 cancelled',
    ]);
    await sound(books);
  });

  it('a cancellation taken back is announced and billed as before', async () => {
    const { books, id } = await begin();
    await run(books, 'cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    expect((await run(books, 'uncancelSubscription(id: $id)', id)).dueAt).toBe('2026-01-12T00:00:00.000Z');
    await books.advance('2026-01-15');
    expect(await books.bills(id)).toEqual(['2026-01-15 paid 31']);
    expect(await listActions(app, books, id)).toContain('2026-01-12 trial_will_end');
    await sound(books);
  });

  it('a cancellation ends it at once and keeps the fee, which can be refunded', async () => {
    const { books, id } = await begin(trialWithFee);
    expect((await run(books, 'cancelSubscription(id: $id)', id)).status).toBe('cancelled');
    const [invoice] = await books.invoices(id);
    const refund =
      'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 4, currency: "afn" } }) { refunded { amount } } }';
    await books.client.graphql(refund, { id: invoice.id });
    await books.perform({
      graphql: [
        'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 7, currency: "afn" } }) { id } }',
        { id: invoice.id },
      ],
      reason: 'refund_too_large',
    });
    await books.advance('2026-03-01');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 10']);
    await sound(books);
  });

  it('an order of another plan applies at once, bills nothing and keeps the end, with a method or without', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const price = await books.plan(31, { groupId, ...trial14 });
    const changes: [amount: number, fields: object][] = [
      [62, trialWithFee],
      [10, {}],
      [365, { recurring: { frequency: 'Yearly' } }],
    ];
    for (const [amount, fields] of changes) {
      const customer = await books.shop.customer();
      const id = await books.subscribe(customer, price);
      await books.advance(await books.advance((await showTrial(books, id)).currentPeriodStart));
      const { trialEndsAt, dueAt } = await showTrial(books, id);
      const next = await books.plan(amount, { groupId, ...fields });
      const preview = await books.client.graphql(
        'query ($id: ID!, $to: ID!) { previewSubscriptionChange(id: $id, input: { priceId: $to }) { total { amount } lines { kind } nextInvoice { date } } }',
        { id, to: next.id },
      );
      expect(preview.previewSubscriptionChange).toEqual({
        total: { amount: 0 },
        lines: [],
        nextInvoice: { date: trialEndsAt },
      });
      const intent = await order(books, customer, next, { trialDays: 90 });
      expect(intent).toMatchObject({ trialDays: null, setupFee: null });
      if (amount === 62) await startTrial(books, intent.id);
      else await books.shop.confirm(intent.id);
      expect(await showTrial(books, id)).toMatchObject({
        status: 'trialing',
        trialEndsAt,
        dueAt,
        agreedPrice: { amount },
      });
      expect(await books.bills(id)).toEqual([]);
      const total = (await books.forecast(id, trialEndsAt)).at(0);
      await run(books, 'endTrial(id: $id)', id);
      expect((await books.bills(id)).map((bill) => bill.split(' ')[2])).toEqual([String(amount)]);
      expect(total?.split(' ')[1]).toBe(String(amount));
    }
    await sound(books);
  });

  it('an order in another currency is refused', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { id: groupId } = await books.shop.group();
    const customer = await books.shop.customer();
    await books.subscribe(customer, await books.plan(31, { groupId, ...trial14 }));
    const other = await books.plan(31, { groupId, currency: 'usd' });
    const answer = await books.client.rest(
      'POST',
      '/subscriptions/intent',
      books.shop.intentInput(customer, other),
    );
    expect(answer.body.body.reason).toBe('currency_mismatch');
  });

  it('deletion and erasure of the customer end it', async () => {
    const { books, customer, id } = await begin(trialWithFee);
    await books.client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id: customer.id });
    expect((await showTrial(books, id)).status).toBe('cancelled');
    await books.client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id: customer.id });
    await books.advance('2026-03-01');
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 10']);
    await sound(books);
  });

  it('is listed as trialing and among the active subscriptions, and not as active', async () => {
    const { books, customer, id } = await begin();
    const paid = await books.subscribe(customer, await books.plan(5));
    const scheduled = await books.subscribe(customer, await books.plan(6, trial14), undefined, {
      startDate: '2026-01-03',
    });
    const list = async () => {
      const lists = await books.client.graphql(
        `query ($customer: ID!) {
          trialing: subscriptions(status: trialing) { nodes { id } }
          active: subscriptions(status: active) { nodes { id } }
          incomplete: subscriptions(status: incomplete) { nodes { id } }
          scheduled: subscriptions(status: scheduled) { nodes { id } }
          own: subscriptions(status: trialing, customerId: $customer) { nodes { id } }
          all: activeSubscriptions(customerId: $customer) { id status }
        }`,
        { customer: customer.id },
      );
      const { all, ...connections } = lists;
      const named = Object.entries<any>(connections).map(([name, { nodes }]) => [
        name,
        nodes.map((node: any) => node.id),
      ]);
      return { ...Object.fromEntries(named), all: all.map((each: any) => each.id).toSorted() };
    };
    expect(await list()).toEqual({
      trialing: [id],
      active: [paid],
      incomplete: [],
      scheduled: [scheduled],
      own: [id],
      all: [id, paid].toSorted(),
    });
    await books.advance('2026-01-04');
    expect(await list()).toMatchObject({ trialing: [scheduled, id], incomplete: [], scheduled: [] });
    expect((await list()).all).toEqual([id, paid, scheduled].toSorted());
    const { body } = await books.client.rest(
      'GET',
      `/subscriptions/active?tenantAlias=${books.alias}&customer=${customer.id}`,
    );
    expect(body.map((each: any) => each.id).toSorted()).toEqual([id, paid, scheduled].toSorted());
    await books.advance('2026-01-20');
    expect(await list()).toMatchObject({ trialing: [], active: [scheduled, paid, id] });
    await sound(books);
  });
});

describe('a later start', () => {
  it('begins the trial then, and its first invoice charges the fee', async () => {
    const books = await openBooks(app, '2026-01-01');
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(31, trialWithFee), undefined, {
      startDate: '2026-02-01',
    });
    expect(await showTrial(books, id)).toMatchObject({
      status: 'scheduled',
      trialEndsAt: '2026-02-15T00:00:00.000Z',
      currentPeriodEnd: null,
      dueAt: '2026-02-01T00:00:00.000Z',
    });
    expect(await books.forecast(id, '2026-04-01')).toEqual(['2026-02-15 41', '2026-03-15 31']);
    await sound(books);
    await books.advance('2026-02-02');
    expect(await showTrial(books, id)).toMatchObject({
      status: 'trialing',
      currentPeriodEnd: '2026-02-15T00:00:00.000Z',
      dueAt: '2026-02-12T00:00:00.000Z',
    });
    await sound(books);
    await books.advance('2026-03-15');
    expect(await books.lines(id)).toEqual([
      'cycle 31 2026-02-15/2026-03-15',
      'setup_fee 10 2026-02-15/2026-03-15',
      'cycle 31 2026-03-15/2026-04-15',
    ]);
    await sound(books);
  });

  it('keeps an unbilled fee through a change of plan in the trial', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { id: groupId } = await books.shop.group();
    const customer = await books.shop.customer();
    const price = await books.plan(31, { groupId, ...trialWithFee });
    const id = await books.subscribe(customer, price, undefined, { startDate: '2026-02-01' });
    await books.advance('2026-02-02');
    await books.subscribe(customer, await books.plan(62, { groupId }));
    await books.advance('2026-02-15');
    expect(await books.bills(id)).toEqual(['2026-02-15 paid 72']);
    await sound(books);
  });

  it('without a trial charges the fee with the first period, once', async () => {
    const books = await openBooks(app, '2026-01-01');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(31, withFee), undefined, {
      startDate: '2026-02-01',
    });
    expect(await books.forecast(id, '2026-03-01')).toEqual(['2026-02-01 41', '2026-03-01 31']);
    await books.advance('2026-03-01');
    expect(await books.bills(id)).toEqual(['2026-02-01 paid 41', '2026-03-01 paid 31']);
    await sound(books);
  });
});

describe('a set-up fee', () => {
  it('is a line of the first invoice, is not charged by a plan change, and is refunded with it', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(31, { groupId, ...withFee }));
    expect(await books.lines(id)).toEqual([
      'cycle 31 2026-01-01/2026-02-01',
      'setup_fee 10 2026-01-01/2026-02-01',
    ]);
    await books.subscribe(customer, await books.plan(62, { groupId, ...withFee }));
    expect((await books.lines(id)).slice(2)).toEqual([
      'proration_credit -31 2026-01-01/2026-02-01',
      'proration_charge 62 2026-01-01/2026-02-01',
    ]);
    const [first] = await books.invoices(id);
    const document = 'mutation ($id: ID!) { refundInvoice(id: $id) { refunded { amount } } }';
    const { refundInvoice } = await books.client.graphql(document, { id: first.id });
    expect(refundInvoice.refunded.amount).toBe(10);
    await sound(books);
  });

  it('paid by transfer starts the trial when the money was received', async () => {
    const books = await openBooks(app, '2026-01-01');
    const intent = await order(books, await books.shop.customer(), await books.plan(31, trialWithFee));
    await books.shop.confirm(intent.id, 'manual');
    await books.advance('2026-01-20');
    const [invoice] = await books.invoices();
    const record =
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "17", receivedAt: "2026-01-18" }) { subscriptionId } }';
    const { recordPayment } = await books.client.graphql(record, { id: invoice.id });
    expect(await showTrial(books, recordPayment.subscriptionId)).toMatchObject({
      status: 'trialing',
      currentPeriodStart: '2026-01-18T00:00:00.000Z',
      trialEndsAt: '2026-02-01T00:00:00.000Z',
    });
    await books.advance('2026-02-01');
    expect((await books.lines(recordPayment.subscriptionId)).map((line) => line.slice(0, 20))).toEqual([
      'setup_fee 10 2026-01',
      'cycle 31 2026-02-01/',
    ]);
    await sound(books);
  });
});

it('announces and ends trials on real time, through the scheduler, once', async () => {
  const books = await openBooks(app, '2026-01-01');
  const intent = await order(
    books,
    await books.shop.customer(),
    await books.plan(31, { price: { trialDays: 1 } }),
  );
  const id = (await books.shop.confirm(intent.id)).subscriptionId;
  const quiet = pino({ level: 'silent' });
  await Promise.all(Array.from({ length: 5 }, () => runDueWork(app.service, quiet)));
  await runDueWork(app.service, quiet);
  expect((await listActions(app, books, id)).filter((each) => each.includes('trial'))).toEqual([
    '2026-01-01 trial_will_end',
  ]);
  const { read } = await openScope(app, books);
  expect((await read.one('subscriptions', { id }))?.trialEndAnnouncedAt).toBe('2026-01-01T00:00:00.000Z');
});

const faults: [column: string, value: string][] = [
  ['trial_ends_at', "'2025-12-01T00:00:00.000Z'"],
  ['first_billing_date', "'2026-01-01T00:00:00.000Z'"],
  ['trial_ends_at', 'null'],
];
it.each(faults)('doctor finds a wrong %s: %s', async (column, value) => {
  const { books, id } = await begin(trialWithFee);
  await books.advance('2026-01-12');
  await sound(books);
  await app.backdoor.execute(`update subscriptions set ${column} = ${value} where id = '${id}'`);
  expect((await findBookFaults(app, books.alias)).join()).toMatch(/(trial|periods): sub_/);
});

it('doctor finds a fee that nobody agreed to', async () => {
  const { books } = await begin(trialWithFee);
  const fee = `update intents set setup_fee_minor = 999 where tenant_alias = '${books.alias}'`;
  await app.backdoor.execute(fee);
  expect((await findBookFaults(app, books.alias)).join()).toContain('nobody agreed to a set-up fee of 1000');
});
