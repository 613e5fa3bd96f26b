/** Past-due subscriptions by the policy of the tenant: the final action, hard declines, access, and payments on request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, short, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, ask } from '../../support/oneOff.ts';

const failsLater = 'sandbox_ok_then_declined';
const lostLater = 'sandbox_ok_then_lost';
const settingsDocument = `mutation ($input: UpdateTenantInput!) {
  updateTenant(input: $input) { dunning { retryDays finalAction accessGraceDays mailDays } }
}`;
const stateDocument = `query ($id: ID!) { subscription(id: $id) {
  status dueAt nextBillingDate pastDueSince
  access { granted until reason }
  dunning { firstFailedAt attempts nextRetryAt retriesStoppedReason finalAction finalAt }
} }`;
const methodDocument = `mutation ($id: ID!, $method: String!) {
  setPaymentMethod(id: $id, input: { paymentMethod: $method }) { status dueAt }
}`;
const payDocument = 'mutation ($id: ID!) { payInvoice(id: $id) { id status } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const configure = async (books: Books, input: object) =>
  (await books.client.graphql(settingsDocument, { input })).updateTenant.dunning;

/** A subscription from 1 January whose charges fail from 1 February on. */
async function failing(input: object, method = failsLater): Promise<[books: Books, id: string]> {
  const books = await openBooks(app, '2026-01-01T00:00:00.000Z');
  await configure(books, { retryDays: [3, 7], ...input });
  return [books, await books.subscribe(await books.shop.customer(), await books.plan(31), method)];
}

const state = async (books: Books, id: string) =>
  (await books.client.graphql(stateDocument, { id })).subscription;
const setMethod = (books: Books, id: string, method = 'sandbox_ok') =>
  books.client.graphql(methodDocument, { id, method });
const failures = async (books: Books, id: string) =>
  (await books.tries(id)).filter((each) => each.includes('failed')).map((each) => each.split(' ')[0]);
const openInvoice = async (books: Books, id: string) =>
  (await books.invoices(id)).find(({ status }) => status === 'open').id;

describe('the policy', () => {
  const defaults = { finalAction: 'cancel', accessGraceDays: null, mailDays: [] };

  it('keeps what is omitted, and resets what is null', async () => {
    const books = await openBooks(app, '2026-01-01');
    const retryDays = [2, 7, 14, 21];
    const { tenant } = await books.client.graphql(
      '{ tenant { dunning { retryDays finalAction accessGraceDays mailDays } } }',
    );
    expect(tenant.dunning).toEqual({ retryDays, ...defaults });
    const steps: [dunning: object | null, expected: object][] = [
      [
        { finalAction: 'pause', mailDays: [1, 3] },
        { finalAction: 'pause', mailDays: [1, 3] },
      ],
      [{ accessGraceDays: 0 }, { finalAction: 'pause', accessGraceDays: 0, mailDays: [1, 3] }],
      [{ accessGraceDays: null, mailDays: null }, { finalAction: 'pause' }],
      [{ accessGraceDays: 365 }, { finalAction: 'pause', accessGraceDays: 365 }],
      [{ finalAction: null }, { accessGraceDays: 365 }],
      [null, {}],
    ];
    for (const [dunning, expected] of steps)
      expect(await configure(books, { dunning })).toEqual({ retryDays, ...defaults, ...expected });
  });

  it.each([
    ['dunning.accessGraceDays', { accessGraceDays: -1 }],
    ['dunning.accessGraceDays', { accessGraceDays: 366 }],
    ['dunning.mailDays', { mailDays: [3, 2] }],
    ['dunning.mailDays', { mailDays: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }],
    ['dunning.mailDays.1', { mailDays: [1, 61] }],
    ['dunning.mailDays.0', { mailDays: [0] }],
  ])('refuses %s of %j', async (path, dunning) => {
    const books = await openBooks(app, '2026-01-01');
    await books.perform({
      graphql: [settingsDocument, { input: { dunning } }],
      reason: 'validation_failed',
      paths: [path],
    });
  });
});

describe('after the last retry', () => {
  it.each(['cancel', null])('by %s the subscription is cancelled', async (finalAction) => {
    const [books, id] = await failing({ dunning: finalAction && { finalAction } });
    await books.advance('2026-03-10');
    expect(await books.subscription(id)).toMatchObject({
      status: 'cancelled',
      cancelledAt: '2026-02-08T00:00:00.000Z',
    });
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 31', '2026-02-01 uncollectible 31']);
    expect(await state(books, id)).toMatchObject({
      access: { granted: false, until: '2026-02-08T00:00:00.000Z', reason: 'cancelled' },
      dunning: null,
    });
  });

  it('by `pause` it is paused, and once resumed the rest of the cycle is billed', async () => {
    const [books, id] = await failing({ dunning: { finalAction: 'pause' } });
    await books.advance('2026-03-10');
    expect(await books.subscription(id)).toMatchObject({
      status: 'paused',
      pausedAt: '2026-02-08T00:00:00.000Z',
      pastDueSince: null,
      dueAt: null,
      nextBillingDate: '2026-02-01T00:00:00.000Z',
    });
    expect(await books.forecast(id, '2026-06-01')).toEqual([]);
    const resume = 'resumeSubscription(id: $id)';
    await setMethod(books, id);
    expect(await books.run(resume, id)).toMatchObject({
      status: 'active',
      dueAt: '2026-03-10T00:00:00.000Z',
    });
    await books.advance('2026-04-01');
    expect(await books.bills(id)).toEqual([
      '2026-01-01 paid 31',
      '2026-02-01 uncollectible 31',
      '2026-03-10 paid 22',
      '2026-04-01 paid 31',
    ]);
    expect((await books.subscription(id)).currentPeriodEnd).toBe('2026-05-01T00:00:00.000Z');
  });

  it('by `pause` a further failure after the resumption pauses it again', async () => {
    const [books, id] = await failing({ retryDays: [], dunning: { finalAction: 'pause' } });
    const resume = 'mutation ($id: ID!) { resumeSubscription(id: $id) { id } }';
    const statuses: string[] = [];
    const pass = async (at: string) => {
      await books.advance(at);
      const { status } = await books.subscription(id);
      statuses.push(`${at} ${status}, ${(await books.bills(id)).at(-1)}`);
    };
    await pass('2026-02-01');
    // In the same instant the period would be billed a second time.
    await books.perform({ graphql: [resume, { id }], reason: 'subscription_not_active', paths: ['id'] });
    for (const [resumedAt, failedAt] of [
      ['2026-02-10', '2026-02-15'],
      ['2026-02-15', '2026-02-20'],
    ] as const) {
      await books.advance(resumedAt);
      await books.client.graphql(resume, { id });
      await pass(failedAt);
    }
    expect(statuses).toEqual([
      '2026-02-01 paused, 2026-02-01 uncollectible 31',
      '2026-02-15 paused, 2026-02-10 uncollectible 21.04',
      '2026-02-20 paused, 2026-02-15 uncollectible 15.5',
    ]);
  });

  it('by `leave` it stays past due until there is another payment method', async () => {
    const [books, id] = await failing({ dunning: { finalAction: 'leave' } });
    await books.advance('2026-04-10');
    expect(await failures(books, id)).toEqual(['2026-02-01', '2026-02-04', '2026-02-08']);
    expect(await state(books, id)).toMatchObject({
      status: 'past_due',
      dueAt: null,
      access: { granted: true, until: null, reason: 'past_due' },
      dunning: { attempts: 3, nextRetryAt: null, finalAction: 'leave', finalAt: '2026-02-08T00:00:00.000Z' },
    });
    expect(await books.bills(id)).toEqual(['2026-01-01 paid 31', '2026-02-01 open 31']);
    expect(await books.forecast(id, '2026-06-01')).toEqual([]);
    await setMethod(books, id);
    await books.advance('2026-04-11');
    expect(await books.bills(id)).toEqual([
      '2026-01-01 paid 31',
      '2026-02-01 paid 31',
      '2026-04-10 paid 31',
      '2026-04-10 paid 31',
    ]);
  });

  it.each(['pause', 'leave'])(
    'by %s a subscription that ends with its period is cancelled',
    async (finalAction) => {
      const [books, id] = await failing({ dunning: { finalAction } });
      await books.advance('2026-02-02');
      await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
      expect((await state(books, id)).dunning.finalAction).toBe('cancel');
      await books.advance('2026-03-10');
      expect((await books.subscription(id)).cancelledAt).toBe('2026-02-08T00:00:00.000Z');
    },
  );
});

describe('a hard decline', () => {
  it('stops the retries; the final action comes on the last day', async () => {
    const [books, id] = await failing({ dunning: { finalAction: 'pause' } }, lostLater);
    await books.advance('2026-02-07');
    const dunning = {
      firstFailedAt: '2026-02-01T00:00:00.000Z',
      attempts: 1,
      nextRetryAt: null,
      retriesStoppedReason: 'lost_card',
      finalAction: 'pause',
      finalAt: '2026-02-08T00:00:00.000Z',
    };
    const access = { granted: true, until: '2026-02-08T00:00:00.000Z', reason: 'past_due' };
    expect(await state(books, id)).toMatchObject({ status: 'past_due', dunning, access });
    expect(await books.forecast(id, '2026-06-01')).toEqual([]);
    await books.advance('2026-02-08');
    expect(await failures(books, id)).toEqual(['2026-02-01']);
    expect(await state(books, id)).toMatchObject({ status: 'paused', dunning: null });
  });

  it('ends at once without retry days', async () => {
    const [books, id] = await failing({ retryDays: [] }, lostLater);
    await books.advance('2026-02-01');
    expect((await books.subscription(id)).status).toBe('cancelled');
  });

  it('waits longer for the final action if the tenant extends its retry days', async () => {
    const [books, id] = await failing({}, lostLater);
    await books.advance('2026-02-02');
    await configure(books, { retryDays: [3, 20] });
    await books.advance('2026-02-20T23:59:59Z');
    expect((await books.subscription(id)).status).toBe('past_due');
    await books.advance('2026-02-21');
    expect((await books.subscription(id)).status).toBe('cancelled');
    expect(await failures(books, id)).toEqual(['2026-02-01']);
  });

  it('no longer counts with another payment method, which is charged at once and retried', async () => {
    const [books, id] = await failing({}, lostLater);
    await books.advance('2026-02-02');
    await setMethod(books, id, failsLater);
    expect(await state(books, id)).toMatchObject({
      dunning: { attempts: 2, retriesStoppedReason: null, nextRetryAt: '2026-02-04T00:00:00.000Z' },
    });
    await books.advance('2026-02-05');
    await setMethod(books, id);
    expect((await books.tries(id)).slice(1)).toEqual([
      '2026-02-01 charge failed 31',
      '2026-02-02 charge failed 31',
      '2026-02-04 charge failed 31',
      '2026-02-05 charge succeeded 31',
    ]);
  });
});

describe('access of a past-due subscription', () => {
  it.each([
    [{ accessGraceDays: 0 }, '2026-02-01', false],
    [{ accessGraceDays: 2 }, '2026-02-03', true],
    [{ accessGraceDays: 30 }, '2026-03-03', true],
    [{}, '2026-02-08', true],
    [{ finalAction: 'leave' }, null, true],
    [{ finalAction: 'leave', accessGraceDays: 1 }, '2026-02-02', false],
  ])('with %j lasts until %s', async (dunning, until, granted) => {
    const [books, id] = await failing({ dunning });
    await books.advance('2026-02-02');
    const { access } = await state(books, id);
    expect({ ...access, until: access.until && short(access.until) }).toEqual({
      granted,
      until,
      reason: 'past_due',
    });
  });

  it('follows the status otherwise', async () => {
    const books = await openBooks(app, '2026-01-01');
    const price = await books.plan(31);
    const scheduled = await books.subscribe(await books.shop.customer(), price, 'sandbox_ok', {
      startDate: '2026-03-01',
    });
    const id = await books.subscribe(await books.shop.customer(), await books.plan(31));
    const access = async (of = id) => {
      const { granted, until, reason } = (await state(books, of)).access;
      return `${reason} ${granted} ${until && short(until)}`;
    };
    expect(await access(scheduled)).toBe('scheduled false null');
    expect(await access()).toBe('active true null');
    await books.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
    expect(await access()).toBe('active true 2026-02-01');
    await books.run('uncancelSubscription(id: $id)', id);
    await books.run('pauseSubscription(id: $id)', id);
    expect(await access()).toBe('paused false 2026-01-01');
    await books.run('resumeSubscription(id: $id)', id);
    await books.run('cancelSubscription(id: $id)', id);
    expect(await access()).toBe('cancelled false 2026-01-01');
  });
});

describe('the audit of a past-due subscription', () => {
  const loseDate = (books: Books, id: string) =>
    app.service.store.transact(books.alias, (queries) =>
      queries.update('subscriptions', { tenantAlias: books.alias, id }, { dueAt: null }),
    );
  const lost = expect.arrayContaining([expect.stringContaining('due_date: ')]);

  it.each(['cancel', 'pause', 'leave'])('finds a lost retry under %s', async (finalAction) => {
    const [books, id] = await failing({ dunning: { finalAction } });
    await books.advance('2026-02-02');
    expect(await findFaults(app, books.alias)).toEqual([]);
    await loseDate(books, id);
    expect(await findFaults(app, books.alias)).toEqual(lost);
  });

  it('accepts one that was left, also after a change of the policy, until it is charged again', async () => {
    const [books, id] = await failing({ dunning: { finalAction: 'leave' } });
    await books.advance('2026-03-01');
    await configure(books, { retryDays: [3, 60], dunning: { finalAction: 'cancel' } });
    expect(await state(books, id)).toMatchObject({ status: 'past_due', dueAt: null });
    expect(await findFaults(app, books.alias)).toEqual([]);
    await books.client.post(payDocument, { id: await openInvoice(books, id) });
    expect(await state(books, id)).toMatchObject({ dueAt: '2026-04-02T00:00:00.000Z' });
    await loseDate(books, id);
    expect(await findFaults(app, books.alias)).toEqual(lost);
  });
});

describe("payInvoice of a subscription's invoice", () => {
  it('charges it at once, without using up a retry', async () => {
    const [books, id] = await failing({ dunning: { finalAction: 'leave' } }, lostLater);
    await books.advance('2026-02-02');
    const invoice = await openInvoice(books, id);
    await books.perform({
      graphql: [payDocument, { id: invoice }],
      reason: 'payment_failed',
      paths: ['id'],
      traces: [
        'SubscriptionEvent updated',
        'PaymentEvent failed',
        'SubscriptionEvent past_due < PaymentEvent failed',
      ],
    });
    expect(await state(books, id)).toMatchObject({
      dunning: { attempts: 2, retriesStoppedReason: 'lost_card', finalAt: '2026-02-08T00:00:00.000Z' },
    });
    await books.advance('2026-03-01');
    await setMethod(books, id);
    await books.perform({ graphql: [payDocument, { id: invoice }], reason: 'invoice_not_open' });
  });

  it('charges one that was left, once for 50 requests', async () => {
    const [books, id] = await failing({ dunning: { finalAction: 'leave' } });
    await books.advance('2026-03-01');
    const invoice = await openInvoice(books, id);
    const { committed } = app.service.store;
    // The card works again.
    const [method] = await committed.select('paymentMethods', { where: { tenantAlias: books.alias } });
    await app.service.store.transact(books.alias, (queries) =>
      queries.update(
        'paymentMethods',
        { tenantAlias: books.alias, id: method!.id },
        { reference: 'sandbox_ok' },
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => books.client.post(payDocument, { id: invoice })),
    );
    const said = answers.map(({ body }) => body.data?.payInvoice?.status ?? body.errors[0].extensions.reason);
    expect(new Set(said)).toEqual(
      new Set(['paid', 'invoice_not_open'].filter((each) => said.includes(each))),
    );
    expect(said).toContain('paid');
    const paid = (await books.tries(id)).filter((each) => each.includes('succeeded'));
    expect(paid.slice(1)).toEqual(['2026-03-01 charge succeeded 31']);
  });

  it.each([2, 20])('tells each of %i requests at once that the card declines', async (requests) => {
    const [books, id] = await failing({ dunning: { finalAction: 'leave' } });
    const items = [{ amount: afn(20), description: 'Work' }];
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { customer { id } } }',
      { id },
    );
    await books.advance('2026-02-02');
    const { id: oneOff } = await ask(books, 'createInvoice', { customerId: subscription.customer.id, items });
    for (const invoice of [await openInvoice(books, id), oneOff]) {
      const count = async () =>
        (
          await app.service.store.fresh.select('payments', {
            where: { tenantAlias: books.alias, invoiceId: invoice },
          })
        ).length;
      const before = await count();
      const answers = await Promise.all(
        Array.from({ length: requests }, () => books.client.post(payDocument, { id: invoice })),
      );
      const reasons = answers.map(({ body }) => body.errors[0].extensions.reason);
      expect(new Set(reasons)).toEqual(new Set(['payment_failed']));
      // Requests that are read after the outcome make an attempt of their own.
      const made = await count();
      expect(made).toBeGreaterThan(before);
      // A later request makes another.
      await books.client.post(payDocument, { id: invoice });
      expect(await count()).toBe(made + 1);
    }
  });

  it("refuses another tenant's invoice", async () => {
    const [books, id] = await failing({});
    await books.advance('2026-02-02');
    const other = await openBooks(app, '2026-01-01');
    await other.perform({
      graphql: [payDocument, { id: await openInvoice(books, id) }],
      reason: 'invoice_not_found',
    });
  });
});
