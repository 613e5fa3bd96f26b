/** What a customer does in the portal, and what comes of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { openPortalBrowser, setPortal, signIn, wordsOf, type PortalBrowser } from '../../support/portal.ts';

let app: TestApp;
let books: Books;
let base: string;

beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test', rateLimitPerSecond: '10000' });
  books = await openBooks(app, '2026-01-31T09:00:00.000Z');
  base = `/portal/${books.alias}`;
});
afterAll(() => app.close());

const everything = {
  planChange: true,
  quantityChange: true,
  addOns: true,
  pause: true,
  promotionCodes: true,
  cancellation: 'both',
};

/** A customer with a subscription, signed in. */
async function visit(
  plan: any,
  fields: object = {},
): Promise<{ browser: PortalBrowser; id: string; customer: any }> {
  const customer = await books.shop.customer();
  const id = await books.subscribe(customer, plan, 'sandbox_ok', fields);
  const browser = await signIn(app, books.client, { customerId: customer.id });
  return { browser, id, customer };
}

const lastExecutor = async (id: string) => {
  const where = { tenantAlias: books.alias, resourceId: id };
  const traces = await app.service.store.fresh.select('traces', { where, orderBy: ['eventId'] });
  return traces.at(-1)!.executorId;
};

describe('the overview', () => {
  it('shows each subscription with its next invoice', async () => {
    const { browser } = await visit(await books.plan(50));
    const page = await browser.get(base);
    expect(page.status).toBe(200);
    const words = wordsOf(page.text);
    for (const each of ['Pro Active', 'AFN 50.00 per month', 'on 28 February 2026'])
      expect(words).toContain(each);
  });

  it('shows of a pause when the next invoice comes, if the pause has an end', async () => {
    const { browser, id } = await visit(await books.plan(50));
    const read = async () => wordsOf((await browser.get(base)).text);
    await books.run('pauseSubscription(id: $id)', id);
    const paused = await read();
    expect(paused).toContain('Paused since 31 January 2026. Nothing is charged.');
    expect(paused).not.toContain('ext invoice');
    await books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-03-11" })', id);
    expect(await read()).toMatch(
      /It continues on 11 March 2026, and is charged again from then on\. Next invoice: AFN \d+\.\d\d on 11 March 2026/,
    );
    await books.run('pauseSubscription(id: $id, input: { resumesAt: "2026-02-10" })', id);
    expect(await read()).toContain('Next invoice: AFN 50.00 on 28 February 2026');
  });

  it('shows the balance, and how much of it pays the next invoice', async () => {
    const { browser, customer } = await visit(await books.plan(50));
    const grant =
      'mutation ($id: ID!, $amount: MoneyInput!) { grantCredit(input: { customerId: $id, amount: $amount, reason: "Outage" }) { __typename } }';
    await books.client.graphql(grant, { id: customer.id, amount: { amount: 20, currency: 'afn' } });
    const words = wordsOf((await browser.get(base)).text);
    expect(words).toContain('Next invoice: AFN 30.00 on 28 February 2026 Paid from your balance: AFN 20.00');
    expect(words).toContain('Your balance AFN 20.00');
    await setPortal(books.client, { balance: false });
    expect(wordsOf((await browser.get(base)).text)).not.toContain('Your balance AFN');
    await setPortal(books.client, null);
  });

  it('shows credit before tax and the credits of a type, and what they take off the usage so far', async () => {
    const make = async (field: string, type: string, input: object): Promise<string> =>
      (
        await books.client.graphql(`mutation ($input: ${type}!) { ${field}(input: $input) { id } }`, {
          input,
        })
      )[field].id;
    const meterId = await make('createMeter', 'CreateMeterInput', {
      name: 'Images',
      event: 'image',
      aggregation: 'count',
    });
    const price = { model: 'per_unit', meterId, details: { amount: 2, currency: 'afn' } };
    const { browser, customer, id } = await visit(
      (await books.shop.product({ name: 'Images', price })).price,
    );
    const rates = [{ meterId, credits: '10' }];
    const creditTypeId = await make('createCreditType', 'CreateCreditTypeInput', { name: 'Coins', rates });
    const grant = { customerId: customer.id, category: 'promotional' };
    const credits = { creditTypeId, amount: '25', currency: 'afn' };
    await make('createCreditGrant', 'CreateCreditGrantInput', { ...grant, name: 'Coins', credits });
    const amount = { amount: 1, currency: 'afn' };
    await make('createCreditGrant', 'CreateCreditGrantInput', { ...grant, name: 'Welcome', amount });
    const events = Array.from({ length: 4 }, (_, index) => ({
      id: `image-${customer.id}-${index}`,
      event: 'image',
      customerId: customer.id,
      at: '2026-01-31T09:00:00.000Z',
    }));
    await books.client.graphql(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
      { events },
    );
    const words = wordsOf((await browser.get(base)).text);
    expect(words).toContain('Credit for your next invoices AFN 1.00 Coins 25');
    const usage = wordsOf((await browser.get(`${base}/subscriptions/${id}`)).text);
    expect(usage).toMatch(
      /Usage so far Images, usage 4 units .*AFN 8\.00 Coins −AFN 5\.00 Welcome −AFN 1\.00 Amount so far AFN 2\.00/,
    );
  });
});

describe('the way back from the payment page', () => {
  it('says that the order is complete, to a payer who has signed in and to one who has not', async () => {
    const { browser } = await visit(await books.plan(50));
    for (const each of [browser, openPortalBrowser(app, 'http://pay.test')]) {
      const back = await each.get(`${base}?intentId=int_any&status=succeeded`);
      expect([back.status, back.headers['location']]).toEqual([303, `${base}?done=ordered`]);
      expect(wordsOf((await each.follow(back)).text)).toContain('Thank you. Your order is complete.');
    }
    const cancelled = await browser.get(`${base}?intentId=int_any&status=cancelled`);
    expect(wordsOf(cancelled.text)).not.toContain('Thank you');
  });
});

describe('a plan change', () => {
  it('charges what the preview showed, once, as the customer', async () => {
    await setPortal(books.client, everything);
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const low = await books.plan(50, { groupId });
    const high = await books.plan(80, { groupId, name: 'Team' });
    const { browser, id, customer } = await visit(low);
    const form = await browser.get(`${base}/subscriptions/${id}/plan`);
    expect(wordsOf(form.text)).toContain('Team');
    const preview = await browser.get(`${base}/subscriptions/${id}/plan/preview?plan=${high.id}`);
    expect(wordsOf(preview.text)).toContain('Charged now AFN 30.00');
    const sent = browser.fields(`/plan`);
    const done = await browser.submit('/plan');
    expect([done.status, done.headers['location']]).toEqual([
      303,
      `${base}/subscriptions/${id}?done=changed`,
    ]);
    expect((await books.subscription(id)).productName).toBe('Team');
    expect((await books.bills(id)).slice(1)).toEqual(['2026-01-31T09:00 paid 30']);
    expect(await lastExecutor(id)).toBe(`customer:${customer.id}`);
    // The same form again changes and charges nothing.
    const again = await browser.post(`${base}/subscriptions/${id}/plan`, sent);
    expect(again.headers['location']).toBe(done.headers['location']);
    expect(await books.bills(id)).toHaveLength(2);
  });
});

describe('a cancellation', () => {
  it('takes a reason, ends with the period, and can be undone', async () => {
    await setPortal(books.client, null);
    const { browser, id, customer } = await visit(await books.plan(50));
    await browser.get(`${base}/subscriptions/${id}/cancel`);
    const done = await browser.submit('/cancel', {
      when: 'period_end',
      reason: 'too_expensive',
      comment: 'Too much.',
    });
    expect(done.status).toBe(303);
    const page = await browser.follow(done);
    expect(wordsOf(page.text)).toContain('Ends on 28 February 2026.');
    const { subscription } = await books.client.graphql(
      'query ($id: ID!) { subscription(id: $id) { cancelAtPeriodEnd cancellationReason cancellationComment } }',
      { id },
    );
    expect(subscription).toEqual({
      cancelAtPeriodEnd: true,
      cancellationReason: 'too_expensive',
      cancellationComment: 'Too much.',
    });
    expect(await lastExecutor(id)).toBe(`customer:${customer.id}`);
    await browser.submit('/undo-cancel');
    expect((await books.subscription(id)).cancelAtPeriodEnd).toBe(false);
  });
});

describe('payment methods', () => {
  it('are added, made the default and removed; a new one pays what is open', async () => {
    const customer = await books.shop.customer();
    const id = await books.subscribe(customer, await books.plan(50), 'sandbox_ok_then_declined');
    await books.advance('2026-03-01');
    expect((await books.subscription(id)).status).toBe('past_due');
    const browser = await signIn(app, books.client, {
      customerId: customer.id,
      flow: { type: 'payment_method' },
    });
    expect(wordsOf(browser.text)).toContain('Payment methods');
    const inUse = await browser.submit('/remove');
    expect([inUse.status, wordsOf(inUse.text)]).toEqual([
      409,
      expect.stringContaining('A subscription is paid with it.'),
    ]);
    const refused = await browser.submit('/payment-methods', { method: 'sandbox_declined' });
    expect([refused.status, wordsOf(refused.text)]).toEqual([409, expect.stringContaining('was refused')]);
    const added = await browser.follow(await browser.submit('/payment-methods', { method: 'sandbox_ok' }));
    expect(wordsOf(added.text)).toContain('The payment method is saved.');
    expect((await books.subscription(id)).status).toBe('active');
    const set = await browser.follow(await browser.submit('/default'));
    expect(wordsOf(set.text)).toContain('The payment method is used from now on.');
    const other = await books.shop.customer();
    const stranger = await signIn(app, books.client, {
      customerId: other.id,
      flow: { type: 'payment_method' },
    });
    const { token } = stranger.fields('/payment-methods');
    const own = /payment-methods\/(pm_\w+)\/remove/.exec(browser.text)![1]!;
    const answer = await stranger.post(`${base}/payment-methods/${own}/remove`, { token: token! });
    expect(answer.status).toBe(403);
  });
});
