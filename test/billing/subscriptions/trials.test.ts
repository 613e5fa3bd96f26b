/** Trials and set-up fees, from the order to the first charge, by real requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findBookFaults } from '../../support/faults.ts';
import {
  listActions,
  order,
  run,
  showTrial,
  startTrial,
  trial14,
  trialWithFee,
} from '../../support/trials.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

async function openShop() {
  const books = await openBooks(app, '2026-01-01');
  return { books, customer: await books.shop.customer() };
}

const events = (books: Books, id: string) => listActions(app, books, id);

const readNext = async ({ client }: Books, id: string): Promise<string | null> =>
  (await client.graphql('query ($id: ID!) { subscription(id: $id) { nextInvoiceAt } }', { id })).subscription
    .nextInvoiceAt;

const setting = (books: Books, trialEndWithoutMethod: string | null) =>
  books.client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: { trialEndWithoutMethod },
  });

describe('a trial with a saved method', () => {
  it('charges nothing, announces its end three days before, and bills the first cycle at its end', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(31, trial14));
    expect(await showTrial(books, id)).toMatchObject({
      status: 'trialing',
      trialEndsAt: '2026-01-15T00:00:00.000Z',
      currentPeriodStart: '2026-01-01T00:00:00.000Z',
      currentPeriodEnd: '2026-01-15T00:00:00.000Z',
      nextBillingDate: '2026-01-15T00:00:00.000Z',
      firstBillingDate: '2026-01-15T00:00:00.000Z',
      dueAt: '2026-01-12T00:00:00.000Z',
      billedCount: 0,
    });
    expect(await books.forecast(id, '2026-03-01')).toEqual(['2026-01-15 31', '2026-02-15 31']);
    await books.advance('2026-01-13');
    expect(await events(books, id)).toEqual(['2026-01-01 created', '2026-01-12 trial_will_end']);
    expect(await books.forecast(id, '2026-01-20')).toEqual(['2026-01-15 31']);
    await books.advance('2026-01-15');
    expect(await books.lines(id)).toEqual(['cycle 31 2026-01-15/2026-02-15']);
    expect(await showTrial(books, id)).toMatchObject({ status: 'active', billedCount: 1 });
    expect((await events(books, id)).slice(2)).toEqual(['2026-01-15 trial_ended', '2026-01-15 billed']);
    await books.advance('2026-02-15');
    expect((await events(books, id)).length).toBe(5);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('shorter than three days announces its end at once, and once', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(5, { price: { trialDays: 2 } }));
    for (const to of ['2026-01-01', '2026-01-01', '2026-01-02', '2026-01-03']) await books.advance(to);
    expect(await events(books, id)).toEqual([
      '2026-01-01 created',
      '2026-01-01 trial_will_end',
      '2026-01-03 trial_ended',
      '2026-01-03 billed',
    ]);
  });

  it('charges the set-up fee today, and refunds it', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(31, trialWithFee));
    expect(await books.lines(id)).toEqual(['setup_fee 10 2026-01-01/2026-01-15']);
    await books.advance('2026-01-15');
    expect((await books.lines(id)).slice(1)).toEqual(['cycle 31 2026-01-15/2026-02-15']);
    const [feeInvoice] = await books.invoices(id);
    const refunded = await books.client.graphql(
      'mutation ($id: ID!) { refundInvoice(id: $id) { refunded { amount } } }',
      { id: feeInvoice.id },
    );
    expect(refunded.refundInvoice.refunded.amount).toBe(10);
    const history = await books.client.rest(
      'GET',
      `/subscriptions?tenantAlias=${books.alias}&customer=${customer.id}`,
    );
    expect(history.body.data.map(({ billing }: any) => billing.price.amount)).toEqual([31]);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('goes to dunning when its first charge is declined', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(31, trial14), 'sandbox_ok_then_declined');
    await books.advance('2026-01-15');
    expect((await showTrial(books, id)).status).toBe('past_due');
    const document =
      'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }';
    expect((await books.client.graphql(document, { id })).setPaymentMethod.status).toBe('active');
    expect(await books.bills(id)).toEqual(['2026-01-15 paid 31']);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('keeps the anchor of the price, and bills a stub until it', async () => {
    const { books, customer } = await openShop();
    const recurring = { executionDate: '2026-01-01' };
    const id = await books.subscribe(customer, await books.plan(31, { recurring, ...trial14 }));
    await books.advance('2026-02-01');
    expect(await books.lines(id)).toEqual([
      'stub 17 2026-01-15/2026-02-01',
      'cycle 31 2026-02-01/2026-03-01',
    ]);
  });

  it('counts its days in the time zone of the tenant', async () => {
    const books = await openBooks(app, '2026-03-25T12:00:00Z', 'Europe/Paris');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(31, trial14));
    expect((await showTrial(books, id)).trialEndsAt).toBe('2026-04-08T11:00:00.000Z');
  });
});

describe('a trial without a method', () => {
  const states: [setting: string | null, status: string, actions: string[]][] = [
    [null, 'cancelled', ['trial_will_end', 'trial_ended', 'cancelled']],
    ['cancel', 'cancelled', ['trial_will_end', 'trial_ended', 'cancelled']],
    ['pause', 'paused', ['trial_will_end', 'trial_ended', 'paused']],
  ];
  it.each(states)('ends by the setting %s: %s', async (value, status, actions) => {
    const { books, customer } = await openShop();
    await setting(books, value);
    const { id: intentId } = await order(books, customer, await books.plan(31, trial14));
    const id = await startTrial(books, intentId);
    expect(await books.forecast(id, '2026-03-01')).toEqual([]);
    expect(await readNext(books, id)).toBeNull();
    await books.advance('2026-02-01');
    expect(await showTrial(books, id)).toMatchObject({ status, dueAt: null, billedCount: 0 });
    expect(await books.bills(id)).toEqual([]);
    expect((await events(books, id)).slice(1).map((event) => event.split(' ')[1])).toEqual(actions);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('that ends in a period for nothing is billed at its end, as its forecast says', async () => {
    const { books, customer } = await openShop();
    const { id: intentId } = await order(books, customer, await books.plan(0, trial14));
    const id = await startTrial(books, intentId);
    expect(await books.forecast(id, '2026-01-20')).toEqual(['2026-01-15 0']);
    expect(await readNext(books, id)).toBe('2026-01-15T00:00:00.000Z');
    await books.advance('2026-01-15');
    expect(await books.bills(id)).toEqual(['2026-01-15 paid 0']);
  });

  it('bills normally once a method is set', async () => {
    const { books, customer } = await openShop();
    const { id: intentId } = await order(books, customer, await books.plan(31, trial14));
    const id = await startTrial(books, intentId);
    expect(await readNext(books, id)).toBeNull();
    await run(books, 'setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" })', id);
    expect(await readNext(books, id)).toBe('2026-01-15T00:00:00.000Z');
    await books.advance('2026-01-15');
    expect(await books.bills(id)).toEqual(['2026-01-15 paid 31']);
  });

  it('that was paused is resumed with a method only, and bills a whole cycle from then', async () => {
    const { books, customer } = await openShop();
    await setting(books, 'pause');
    const { id: intentId } = await order(books, customer, await books.plan(31, trial14));
    const id = await startTrial(books, intentId);
    await books.advance('2026-01-15');
    const resume = 'mutation ($id: ID!) { resumeSubscription(id: $id) { id } }';
    await books.perform({ graphql: [resume, { id }], reason: 'subscription_not_active', paths: ['id'] });
    await run(books, 'setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" })', id);
    expect(await books.bills(id)).toEqual([]);
    await run(books, 'resumeSubscription(id: $id)', id);
    await books.advance('2026-01-15');
    expect(await books.lines(id)).toEqual(['cycle 31 2026-01-15/2026-02-15']);
    expect((await events(books, id)).filter((event) => event.endsWith('trial_ended')).length).toBe(1);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('that was paused is resumed with a method only, also where an add-on alone costs something', async () => {
    const { books, customer } = await openShop();
    await setting(books, 'pause');
    const addOns = [{ priceId: (await books.plan(12)).id }];
    const { id: intentId } = await order(books, customer, await books.plan(0, trial14), { addOns });
    const id = await startTrial(books, intentId);
    await books.advance('2026-01-15');
    const resume = 'mutation ($id: ID!) { resumeSubscription(id: $id) { id } }';
    await books.perform({ graphql: [resume, { id }], reason: 'subscription_not_active', paths: ['id'] });
    await run(books, 'setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" })', id);
    await run(books, 'resumeSubscription(id: $id)', id);
    await books.advance('2026-01-15');
    expect(await books.bills(id)).toEqual(['2026-01-15 paid 12']);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('continues when nothing is to be paid: a free price, or a balance that pays', async () => {
    const { books, customer } = await openShop();
    const { id: intentId } = await order(books, customer, await books.plan(0, trial14));
    const id = await startTrial(books, intentId);
    await books.advance('2026-01-15');
    expect(await showTrial(books, id)).toMatchObject({ status: 'active', billedCount: 1 });
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('is refused where something is due today, or there is no trial', async () => {
    const { books, customer } = await openShop();
    const document = 'mutation ($id: ID!) { startTrial(id: $id) { id } }';
    for (const fields of [trialWithFee, {}]) {
      const { id } = await order(books, customer, await books.plan(31, fields));
      await books.perform({ graphql: [document, { id }], reason: 'intent_not_payable', paths: ['id'] });
    }
    const other = await openShop();
    const { id } = await order(other.books, other.customer, await other.books.plan(31, trial14));
    await books.perform({ graphql: [document, { id }], reason: 'intent_not_found' });
    await startTrial(other.books, id);
    await other.books.perform({ graphql: [document, { id }], reason: 'intent_not_payable', paths: ['id'] });
  });
});

describe('a customer', () => {
  it('has one trial for each product group, unless the order says otherwise', async () => {
    const { books, customer } = await openShop();
    const { id: groupId } = await books.shop.group();
    const [first, second] = [
      await books.plan(31, { groupId, ...trial14 }),
      await books.plan(62, { groupId, ...trial14 }),
    ];
    const loose = await books.plan(5, trial14);
    const id = await books.subscribe(customer, first);
    await run(books, 'cancelSubscription(id: $id)', id);
    expect((await order(books, customer, second)).trialDays).toBeNull();
    expect((await order(books, customer, second, { trialDays: 0 })).trialDays).toBeNull();
    expect((await order(books, customer, second, { trialDays: 3 })).trialDays).toBe(3);
    expect((await order(books, customer, loose)).trialDays).toBe(14);
    expect((await order(books, await books.shop.customer(), second)).trialDays).toBe(14);
  });

  it('cannot collect trials with orders made before the first of them', async () => {
    const { books, customer } = await openShop();
    const price = await books.plan(31, trial14);
    const [one, two] = [await order(books, customer, price), await order(books, customer, price)];
    expect([one.trialDays, two.trialDays]).toEqual([14, 14]);
    await run(books, 'cancelSubscription(id: $id)', await startTrial(books, one.id));
    const document = 'mutation ($id: ID!) { startTrial(id: $id) { id } }';
    await books.perform({
      graphql: [document, { id: two.id }],
      reason: 'intent_not_payable',
      paths: ['id'],
    });
    const id = (await books.shop.confirm(two.id)).subscriptionId;
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 31']);
  });

  it('starts one of fifty parallel trials', async () => {
    const { books, customer } = await openShop();
    const price = await books.plan(31, trial14);
    const intents = await Promise.all(Array.from({ length: 50 }, () => order(books, customer, price)));
    const document = 'mutation ($id: ID!) { startTrial(id: $id) { status } }';
    const answers = await Promise.all(intents.map(({ id }) => books.client.post(document, { id })));
    expect(answers.filter(({ body }) => body.data?.startTrial?.status === 'succeeded').length).toBe(1);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });
});

describe('extending and ending', () => {
  it('moves every date, and announces the new end', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(31, trial14));
    await books.advance('2026-01-13');
    expect(await run(books, 'extendTrial(id: $id, input: { trialEndsAt: "2026-02-10" })', id)).toMatchObject({
      trialEndsAt: '2026-02-10T00:00:00.000Z',
      currentPeriodEnd: '2026-02-10T00:00:00.000Z',
      dueAt: '2026-02-07T00:00:00.000Z',
    });
    await books.advance('2026-02-10');
    expect(await books.lines(id)).toEqual(['cycle 31 2026-02-10/2026-03-10']);
    expect((await events(books, id)).filter((event) => event.includes('trial'))).toEqual([
      '2026-01-12 trial_will_end',
      '2026-02-07 trial_will_end',
      '2026-02-10 trial_ended',
    ]);
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('ends now and bills at once, with and without a fee', async () => {
    for (const fields of [trial14, trialWithFee]) {
      const { books, customer } = await openShop();
      const id = await books.subscribe(customer, await books.plan(31, fields));
      await books.advance('2026-01-05');
      expect(await run(books, 'endTrial(id: $id)', id)).toMatchObject({
        status: 'active',
        trialEndsAt: '2026-01-05T00:00:00.000Z',
        nextBillingDate: '2026-02-05T00:00:00.000Z',
      });
      expect((await books.lines(id)).at(-1)).toBe('cycle 31 2026-01-05/2026-02-05');
      await books.advance('2026-02-01');
      expect((await events(books, id)).filter((event) => event.includes('trial'))).toEqual([
        '2026-01-05 trial_ended',
      ]);
      expect(await findBookFaults(app, books.alias)).toEqual([]);
    }
  });

  it('ends at the instant of the start, but not with a fee that was charged then', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(31, trial14));
    expect((await run(books, 'endTrial(id: $id)', id)).status).toBe('active');
    expect(await findBookFaults(app, books.alias)).toEqual([]);
    const other = await books.subscribe(await books.shop.customer(), await books.plan(31, trialWithFee));
    await refuse(books, 'endTrial(id: $id)', other, 'subscription_not_active', ['id']);
    expect((await showTrial(books, other)).status).toBe('trialing');
  });

  it('without a method follows the setting', async () => {
    const { books, customer } = await openShop();
    const { id: intentId } = await order(books, customer, await books.plan(31, trial14));
    const id = await startTrial(books, intentId);
    await books.advance('2026-01-05');
    expect((await run(books, 'endTrial(id: $id)', id)).status).toBe('cancelled');
    expect(await findBookFaults(app, books.alias)).toEqual([]);
  });

  it('are refused for other times and states', async () => {
    const { books, customer } = await openShop();
    const id = await books.subscribe(customer, await books.plan(31, trial14));
    const extend =
      'mutation ($id: ID!, $to: DateTime!) { extendTrial(id: $id, input: { trialEndsAt: $to }) { id } }';
    for (const to of ['2026-01-15', '2026-01-10', '2025-12-01', '2028-06-01'])
      await books.perform({
        graphql: [extend, { id, to }],
        reason: 'validation_failed',
        paths: ['trialEndsAt'],
      });
    for (const to of ['', 'soon', '9'.repeat(1_000_000), '٢٠٢٦-٠٣-٠١', 1.5, null])
      await books.perform({ graphql: [extend, { id, to }], reason: 'validation_failed', status: 400 });
    const paying = await books.subscribe(customer, await books.plan(5));
    const other = await openShop();
    for (const mutation of [
      'endTrial(id: $id)',
      'extendTrial(id: $id, input: { trialEndsAt: "2026-03-01" })',
    ]) {
      await refuse(books, mutation, paying, 'subscription_not_active', ['id']);
      await refuse(other.books, mutation, id, 'subscription_not_found');
    }
  });
});

async function refuse(books: Books, mutation: string, id: string, reason: any, paths?: string[]) {
  const document = `mutation ($id: ID!) { ${mutation} { id } }`;
  await books.perform({ graphql: [document, { id }], reason, ...(paths && { paths }) });
}
