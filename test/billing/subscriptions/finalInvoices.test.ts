/** The end of a subscription, on every road: what waits for its next invoice is billed in a final one that stays owed. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { apply, createCoupon } from '../discounts/shop.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openItems, type Items } from '../../support/items.ts';
import { afn } from '../../support/oneOff.ts';
import { setPortal, signIn } from '../../support/portal.ts';

const publicUrl = 'https://billing.example';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000', publicUrl });
});
afterAll(() => app.close());

const silent = pino({ level: 'silent' });
const seat = { amount: '10', model: 'per_unit' };
const policy = { increase: 'next_invoice' };

/** A customer who raises 1 seat to 1,000 in the middle of June, to be billed with the next invoice. */
async function raise(method = 'sandbox_ok'): Promise<Items> {
  const items = await openItems(app, seat, { quantity: 1, policy, method });
  await items.advance('2026-06-16');
  expect(await items.change({ quantity: 1000 })).toEqual([]);
  return items;
}

const waited = ['proration_credit -5', 'proration_charge 5000'];

const run = ({ client }: Items, mutation: string, variables: object) =>
  client.graphql(mutation, variables as never);
const cancel = (items: Items, atPeriodEnd = false) =>
  items.books.run(`cancelSubscription(id: $id, input: { atPeriodEnd: ${atPeriodEnd} })`, items.id);

const finalDocument = `query ($id: ID!) { invoices(subscriptionId: $id, order: ASC, first: 100) { nodes {
  id status billingReason documentNumber total { amount } dueAt lines { kind amount { amount } }
} } }`;

/** The final invoices of a subscription, as text: `paid 4995: proration_credit -5, proration_charge 5000`. */
async function listFinals({ client, id }: Items): Promise<string[]> {
  const { nodes } = (await client.graphql(finalDocument, { id })).invoices;
  return nodes
    .filter(({ billingReason }: any) => billingReason === 'subscription_end')
    .map(
      ({ status, total, lines }: any) =>
        `${status} ${total.amount}: ${lines.map(({ kind, amount }: any) => `${kind} ${amount.amount}`).join(', ')}`,
    );
}

const countPaid = async ({ books, id }: Items, amount: number) =>
  (await books.tries(id)).filter((each) => each.endsWith(`charge succeeded ${amount}`)).length;

const expectSound = async ({ books }: Items) => expect(await findFaults(app, books.alias)).toEqual([]);

const setTenant = (items: Items, input: object) =>
  run(items, 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', { input });

async function cancelInPortal(items: Items, when: string): Promise<string> {
  await setPortal(items.client, { cancellation: 'both' });
  const browser = await signIn(app, items.client, { customerId: items.customer.id }, publicUrl);
  await browser.get(`/portal/${items.books.alias}/subscriptions/${items.id}/cancel`);
  const shown = browser.text;
  await browser.submit('/cancel', { when });
  return shown;
}

type Road = [name: string, end: (items: Items) => Promise<unknown>, until?: string, method?: string];

const roads: Road[] = [
  ['cancelSubscription', (items) => cancel(items)],
  ['cancelSubscription at the end of the period', (items) => cancel(items, true), '2026-07-02'],
  [
    'DELETE /subscriptions/{id}',
    async ({ client, books, customer, id }) => {
      const answer = await client.rest('DELETE', `/subscriptions/${id}`, {
        tenantAlias: books.alias,
        customer: customer.id,
      });
      expect(answer.status, answer.text).toBe(200);
    },
  ],
  ['the portal', (items) => cancelInPortal(items, 'now')],
  ['the portal, at the end of the period', (items) => cancelInPortal(items, 'period_end'), '2026-07-02'],
  [
    'deleteGroup',
    async (items) => {
      const { subscription } = await items.client.graphql(
        'query ($id: ID!) { subscription(id: $id) { product { groupId } } }',
        { id: items.id },
      );
      const { groupId } = subscription.product;
      await run(items, 'mutation ($id: ID!) { deleteGroup(id: $id) { id } }', { id: groupId });
    },
  ],
];

describe('a charge with the next invoice is billed at the end by', () => {
  it.each(roads)('%s', async (_, end, until = '2026-06-17', method) => {
    const items = await raise(method);
    await end(items);
    await items.advance(until);
    expect(await listFinals(items)).toEqual([`paid 4995: ${waited.join(', ')}`]);
    expect(await countPaid(items, 4995)).toBe(1);
    // Nothing more is billed, at whatever time.
    await items.advance('2027-01-01');
    expect(await listFinals(items)).toHaveLength(1);
    await expectSound(items);
  });

  it('a tenant with a grace, after it', async () => {
    const items = await raise();
    await setTenant(items, { invoiceGraceHours: 24 });
    await cancel(items);
    await items.advance('2026-06-16T23:00:00.000Z');
    expect(await listFinals(items)).toEqual([`draft 4995: ${waited.join(', ')}`]);
    await items.advance('2026-06-18');
    expect(await listFinals(items)).toEqual([`paid 4995: ${waited.join(', ')}`]);
    await expectSound(items);
  });

  it('the scheduler, in its next round', async () => {
    const items = await raise();
    await cancel(items);
    await runDueWork(app.service, silent);
    expect(await listFinals(items)).toEqual([`paid 4995: ${waited.join(', ')}`]);
    await runDueWork(app.service, silent);
    expect(await countPaid(items, 4995)).toBe(1);
    await expectSound(items);
  });
});

describe('after a declined renewal', () => {
  it('a cancellation at once bills the items of the voided invoice, and the payer is reminded', async () => {
    const items = await raise('sandbox_ok_then_declined');
    await setTenant(items, { dunning: { mailDays: [3] } });
    await items.advance('2026-07-01');
    await cancel(items);
    await items.advance('2026-07-02');
    expect((await items.books.bills(items.id)).slice(1)).toEqual([
      '2026-07-01 void 14995',
      '2026-07-01 open 4995',
    ]);
    expect(await listFinals(items)).toEqual([`open 4995: ${waited.join(', ')}`]);
    await items.advance('2026-08-01');
    const { traces } = await items.client.graphql(
      '{ traces(activityType: InvoiceEvent, first: 100) { nodes { payload } } }',
    );
    const reminders = traces.nodes.filter(({ payload }: any) => payload.action === 'payment_reminder');
    expect(reminders.length).toBeGreaterThan(0);
    await expectSound(items);
  });

  it('the last retry cancels, and bills them', async () => {
    const items = await raise('sandbox_ok_then_declined');
    await items.advance('2026-08-01');
    expect(await listFinals(items)).toEqual([`open 4995: ${waited.join(', ')}`]);
    expect((await items.books.subscription(items.id)).status).toBe('cancelled');
    await expectSound(items);
  });

  it('the charge of the final invoice is retried on the retry days', async () => {
    const items = await raise('sandbox_ok_then_declined');
    await cancel(items);
    await items.advance('2026-08-01');
    expect((await items.books.tries(items.id)).filter((each) => each.endsWith('failed 4995'))).toEqual(
      ['06-16', '06-18', '06-23', '06-30', '07-07'].map((day) => `2026-${day} charge failed 4995`),
    );
    expect(await listFinals(items)).toEqual([`open 4995: ${waited.join(', ')}`]);
    await expectSound(items);
  });

  it('a hard decline of the final invoice is not retried', async () => {
    const items = await raise('sandbox_ok_then_lost');
    await cancel(items);
    await items.advance('2026-08-01');
    expect((await items.books.tries(items.id)).slice(1)).toEqual(['2026-06-16 charge failed 4995']);
  });

  it('another method that becomes the default pays the final invoice', async () => {
    const items = await raise('sandbox_ok_then_declined');
    await items.advance('2026-07-01');
    await cancel(items);
    await items.advance('2026-07-02');
    await run(items, 'mutation ($input: AddPaymentMethodInput!) { addPaymentMethod(input: $input) { id } }', {
      input: { customerId: items.customer.id, paymentMethod: 'sandbox_ok', makeDefault: true },
    });
    expect(await listFinals(items)).toEqual([`paid 4995: ${waited.join(', ')}`]);
    await expectSound(items);
  });
});

describe('a final invoice', () => {
  it('is transferred where the subscription is', async () => {
    const items = await raise('manual');
    await cancel(items);
    expect(await listFinals(items)).toEqual([`open 4995: ${waited.join(', ')}`]);
    await items.recordPayment();
    expect(await listFinals(items)).toEqual([`paid 4995: ${waited.join(', ')}`]);
    await expectSound(items);
  });

  it('of credits alone leaves them as balance, and never asks for less than 0', async () => {
    const items = await openItems(app, seat, { quantity: 10, policy: { decrease: 'next_invoice' } });
    await items.advance('2026-06-16');
    expect(await items.change({ quantity: 1 })).toEqual([]);
    await cancel(items);
    expect(await listFinals(items)).toEqual(['paid 0: proration_credit -50, proration_charge 5, balance 45']);
    expect(await items.books.credits(items.customer)).toEqual([4500n]);
    await expectSound(items);
  });

  it('uses the balance, and the discounts of one-off charges', async () => {
    const items = await raise();
    const { id: couponId } = await createCoupon(items.books, { percentOff: '50', duration: 'forever' });
    await apply(items.books, { subscriptionId: items.id, couponId });
    await run(
      items,
      `mutation ($customerId: ID!, $subscriptionId: ID!) {
        createInvoiceItem(input: { customerId: $customerId, subscriptionId: $subscriptionId, amount: { amount: 40, currency: "usd" }, description: "Work" }) { id }
        grantCredit(input: { customerId: $customerId, amount: { amount: 15, currency: "usd" }, reason: "Sorry" }) { id }
      }`,
      { customerId: items.customer.id, subscriptionId: items.id },
    );
    await cancel(items);
    await items.advance('2026-06-17');
    expect(await listFinals(items)).toEqual([`paid 5000: ${waited.join(', ')}, item 20, balance -15`]);
    await expectSound(items);
  });

  it('that is voided lets its items wait for the next invoice of the customer', async () => {
    const items = await raise('manual');
    await cancel(items);
    const { nodes } = (await items.client.graphql(finalDocument, { id: items.id })).invoices;
    const { id } = nodes.at(-1);
    await run(items, 'mutation ($id: ID!) { voidInvoice(id: $id) { status } }', { id });
    expect(await listFinals(items)).toEqual([`void 4995: ${waited.join(', ')}`]);
    await expectSound(items);
    const bill = await items.client.graphql(
      `mutation ($id: ID!) { createInvoice(input: { customerId: $id, collect: send_invoice, items: [
        { amount: { amount: 1, currency: "usd" }, description: "Work" }
      ] }) { total { amount } } }`,
      { id: items.customer.id },
    );
    expect(bill.createInvoice.total.amount).toBe(4996);
    await expectSound(items);
  });

  it('can be written off', async () => {
    const items = await raise('manual');
    await cancel(items);
    const { nodes } = (await items.client.graphql(finalDocument, { id: items.id })).invoices;
    const { id } = nodes.at(-1);
    await run(items, 'mutation ($id: ID!) { markInvoiceUncollectible(id: $id) { status } }', { id });
    expect(await listFinals(items)).toEqual([`uncollectible 4995: ${waited.join(', ')}`]);
    await expectSound(items);
  });

  it('is not made where nothing waits', async () => {
    const items = await openItems(app, seat, { quantity: 1 });
    await run(
      items,
      `mutation ($id: ID!) { createInvoiceItem(input: { customerId: $id, amount: { amount: 7, currency: "usd" }, description: "Work" }) { id } }`,
      { id: items.customer.id },
    );
    await cancel(items);
    await items.advance('2026-07-02');
    expect(await listFinals(items)).toEqual([]);
  });
});

describe('a deleted customer', () => {
  it.each(['deleteCustomer', 'eraseCustomer'])(
    '%s leaves the final invoice open, with its document',
    async (mutation) => {
      const items = await raise();
      if (mutation === 'eraseCustomer') await cancel(items);
      await run(items, `mutation ($id: ID!) { ${mutation}(id: $id) { id } }`, { id: items.customer.id });
      const { nodes } = (await items.client.graphql(finalDocument, { id: items.id })).invoices;
      expect(nodes.at(-1)).toMatchObject({
        status: 'open',
        billingReason: 'subscription_end',
        documentNumber: expect.stringMatching(/^INV-/),
        dueAt: expect.any(String),
      });
      await items.advance('2026-09-01');
      expect(await listFinals(items)).toEqual([`open 4995: ${waited.join(', ')}`]);
      await items.recordPayment();
      expect(await listFinals(items)).toEqual([`paid 4995: ${waited.join(', ')}`]);
      await expectSound(items);
    },
  );
});

const previewDocument = `query ($id: ID!, $atPeriodEnd: Boolean) {
  previewCancellation(subscriptionId: $id, atPeriodEnd: $atPeriodEnd) {
    effectiveAt total { amount } lines { kind amount { amount } } nextInvoice { date }
  }
}`;

async function preview({ client, id }: Items, atPeriodEnd: boolean) {
  const { previewCancellation: shown } = await client.graphql(previewDocument, { id, atPeriodEnd });
  const lines = shown.lines.map(({ kind, amount }: any) => `${kind} ${amount.amount}`).join(', ');
  return { at: shown.effectiveAt.slice(0, 10), bill: `${shown.total.amount}: ${lines}` };
}

describe('the preview of a cancellation', () => {
  it.each([
    [false, '2026-06-16'],
    [true, '2026-07-01'],
  ])('at the end of the period %s is what is billed, and so is the forecast', async (atPeriodEnd, at) => {
    const items = await raise();
    await run(
      items,
      'mutation ($id: ID!, $amount: MoneyInput!) { grantCredit(input: { customerId: $id, amount: $amount, reason: "Sorry" }) { id } }',
      { id: items.customer.id, amount: { ...afn(15), currency: 'usd' } },
    );
    const expected = await preview(items, atPeriodEnd);
    expect(expected).toEqual({ at, bill: `4980: ${waited.join(', ')}, balance -15` });
    await cancel(items, atPeriodEnd);
    if (atPeriodEnd) expect(await items.books.forecast(items.id, '2027-01-01')).toEqual(['2026-07-01 4980']);
    await items.advance('2026-07-02');
    expect(await listFinals(items)).toEqual([`paid ${expected.bill}`]);
  });

  it('has the items and the balance of the invoice that is voided', async () => {
    const items = await raise('sandbox_ok_then_declined');
    await run(
      items,
      'mutation ($id: ID!, $amount: MoneyInput!) { grantCredit(input: { customerId: $id, amount: $amount, reason: "Sorry" }) { id } }',
      { id: items.customer.id, amount: { ...afn(15), currency: 'usd' } },
    );
    await items.advance('2026-07-01');
    const expected = await preview(items, false);
    expect(expected.bill).toBe(`4980: ${waited.join(', ')}, balance -15`);
    await cancel(items);
    await items.advance('2026-07-02');
    expect(await listFinals(items)).toEqual([`open ${expected.bill}`]);
    await expectSound(items);
  });

  it('is empty where nothing waits, and refused after the end', async () => {
    const items = await openItems(app, seat, { quantity: 1 });
    expect(await preview(items, true)).toEqual({ at: '2026-07-01', bill: '0: ' });
    await cancel(items);
    const { body } = await items.client.post(previewDocument, { id: items.id });
    expect(body.errors[0].extensions.reason).toBe('subscription_not_active');
  });

  it('is on the page of the portal', async () => {
    const items = await raise();
    expect(await cancelInPortal(items, 'now')).toContain('4,995');
  });
});
