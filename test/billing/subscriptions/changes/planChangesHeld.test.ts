import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resumeIntent } from '../../../../src/billing/subscriptions/intents/confirmation.ts';
import { startApp, type TestApp } from '../../../support/app.ts';
import { openBooks, openScope, type Books } from '../../../support/books.ts';

const needsAction = 'sandbox_requires_action';
const confirmDocument =
  'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status } }';
const cancelDocument = 'mutation ($id: ID!) { cancelIntent(id: $id) { status } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

/** A subscription at 100 from 1 June, and an intent for 300 on 30 June at noon. */
async function begun(): Promise<{ books: Books; customer: any; id: string; better: any; intentId: string }> {
  const books = await openBooks(app, '2026-06-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const id = await books.subscribe(customer, await books.plan(100, { groupId }));
  await books.advance('2026-06-30T12:00:00Z');
  const better = await books.plan(300, { groupId });
  const { intentId } = await books.shop.intent(customer, better);
  return { books, customer, id, better, intentId };
}

const confirm = (books: Books, id: string, method: string) =>
  books.client.post(confirmDocument, { id, method });
const fetchStatus = async (books: Books, id: string) =>
  (await books.client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status;

const onlyFirst = ['2026-06-01 paid 100'];
const billedOn = '2026-07-01';

describe('a plan change with a declined payment', () => {
  it('changes nothing, and billing continues', async () => {
    const { books, id, intentId, customer } = await begun();
    const before = await books.subscription(id);
    const { body } = await confirm(books, intentId, 'sandbox_declined');
    expect(body.errors[0].extensions.reason).toBe('payment_failed');
    expect(await books.subscription(id)).toEqual(before);
    expect([await books.bills(id), await books.credits(customer)]).toEqual([onlyFirst, []]);
    expect(await fetchStatus(books, intentId)).toBe('requires_payment_method');
    await books.advance(billedOn);
    expect(await books.bills(id)).toEqual([...onlyFirst, '2026-07-01 paid 100']);
  });

  it('can be paid later, computed for that time', async () => {
    const { books, id, intentId } = await begun();
    await confirm(books, intentId, 'sandbox_declined');
    await books.advance('2026-07-01T09:36:00Z');
    await confirm(books, intentId, 'sandbox_ok');
    expect((await books.lines(id)).slice(1)).toEqual([
      'cycle 100 2026-07-01/2026-08-01',
      'proration_credit -98.71 2026-07-01T09:36/2026-08-01',
      'proration_charge 296.13 2026-07-01T09:36/2026-08-01',
    ]);
  });
});

describe('a plan change with a pending payment', () => {
  async function waiting() {
    const begunWith = await begun();
    const { books, id, intentId } = begunWith;
    const { body } = await confirm(books, intentId, needsAction);
    expect(body.data.confirmIntent.status).toBe('requires_action');
    await books.advance('2026-07-01T06:00:00Z');
    expect(await books.bills(id)).toEqual(onlyFirst);
    return begunWith;
  }
  const late = [...onlyFirst, '2026-07-01T06:00 paid 100'];

  it('delays the renewal until it is cancelled', async () => {
    const { books, id, intentId } = await waiting();
    await books.client.graphql(cancelDocument, { id: intentId });
    await books.advance('2026-07-01T06:00:00Z');
    expect(await books.bills(id)).toEqual(late);
    expect((await books.lines(id))[1]).toBe('cycle 100 2026-07-01/2026-08-01');
  });

  it('delays the renewal until it expires', async () => {
    const { books, id, intentId } = await waiting();
    await books.advance('2026-07-31');
    expect(await fetchStatus(books, intentId)).toBe('expired');
    expect(await books.bills(id)).toEqual([...onlyFirst, '2026-07-01T12:00 paid 100']);
    expect((await books.lines(id))[1]).toBe('cycle 100 2026-07-01/2026-08-01');
  });

  it('delays the renewal until it is paid, with the amounts shown when it began', async () => {
    const { books, id, intentId } = await waiting();
    await resumeIntent(await openScope(app, books), intentId);
    await books.advance('2026-07-01T06:00:00Z');
    expect((await books.lines(id)).slice(1)).toEqual([
      'proration_credit -1.67 2026-06-30T12:00/2026-07-01',
      'proration_charge 5 2026-06-30T12:00/2026-07-01',
      'cycle 300 2026-07-01/2026-08-01',
    ]);
  });

  it('is paid once, however often it is resumed', async () => {
    const { books, id, intentId } = await waiting();
    const tenant = await openScope(app, books);
    await Promise.all([1, 2, 3].map(() => resumeIntent(tenant, intentId)));
    await resumeIntent(tenant, intentId);
    expect((await books.tries(id)).slice(1)).toEqual(['2026-07-01T06:00 charge succeeded 3.33']);
    expect((await books.invoices(id)).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('blocks the payment of another plan change until it is cancelled', async () => {
    const { books, customer, intentId } = await begun();
    await confirm(books, intentId, needsAction);
    const { groups } = await books.client.graphql('{ groups { nodes { id } } }');
    const best = await books.plan(900, { groupId: groups.nodes[0].id });
    const other = await books.shop.intent(customer, best);
    const { body } = await confirm(books, other.intentId, 'sandbox_ok');
    expect(body.errors[0].extensions.reason).toBe('intent_not_payable');
    await books.client.graphql(cancelDocument, { id: intentId });
    expect((await confirm(books, other.intentId, 'sandbox_ok')).body.errors).toBeUndefined();
  });

  it('ends with the subscription', async () => {
    const { books, id, intentId } = await waiting();
    await books.run('cancelSubscription(id: $id)', id);
    expect(await fetchStatus(books, intentId)).toBe('cancelled');
    await resumeIntent(await openScope(app, books), intentId);
    await books.advance('2026-12-31');
    expect(await books.bills(id)).toEqual(onlyFirst);
    expect((await books.subscription(id)).status).toBe('cancelled');
  });

  it('blocks a pause', async () => {
    const { books, id } = await waiting();
    const document = 'mutation ($id: ID!) { pauseSubscription(id: $id) { id } }';
    await books.perform({ graphql: [document, { id }], reason: 'subscription_not_active', paths: ['id'] });
  });

  it('ends with the customer, and with the group', async () => {
    const { books, customer, intentId } = await waiting();
    const document = 'mutation ($id: ID!) { deleteCustomer(id: $id) { id } }';
    await books.client.graphql(document, { id: customer.id });
    expect(await fetchStatus(books, intentId)).toBe('cancelled');
    const other = await waiting();
    const { groups } = await other.books.client.graphql('{ groups { nodes { id } } }');
    const remove = 'mutation ($id: ID!) { deleteGroup(id: $id) { id } }';
    await other.books.client.graphql(remove, { id: groups.nodes[0].id });
    expect(await fetchStatus(other.books, other.intentId)).toBe('cancelled');
    expect((await other.books.subscription(other.id)).status).toBe('cancelled');
  });
});

describe('a plan change that awaits a manual payment', () => {
  const record = (books: Books, invoiceId: string) =>
    books.client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "till 7" }) { status total { amount } } }',
      { id: invoiceId },
    );

  it('takes effect when the money is recorded', async () => {
    const { books, id, intentId } = await begun();
    await confirm(books, intentId, 'manual');
    const [, invoice] = await books.invoices(id);
    expect(invoice).toMatchObject({ status: 'open', billingReason: 'plan_change', total: { amount: 3.33 } });
    expect((await books.subscription(id)).agreedPrice.amount).toBe(100);
    await record(books, invoice.id);
    expect((await books.subscription(id)).agreedPrice.amount).toBe(300);
    expect((await books.bills(id))[1]).toBe('2026-06-30T12:00 paid 3.33');
  });

  it('expires with the period it was computed for, but not within a day: billing continues', async () => {
    const { books, id, intentId } = await begun();
    await confirm(books, intentId, 'manual');
    await books.advance('2026-07-01T11:59:59.999Z');
    expect(await fetchStatus(books, intentId)).toBe('processing');
    await books.advance('2026-08-01');
    expect(await fetchStatus(books, intentId)).toBe('expired');
    expect(await books.bills(id)).toEqual([
      ...onlyFirst,
      '2026-06-30T12:00 void 3.33',
      '2026-07-01T12:00 paid 100',
      '2026-08-01 paid 100',
    ]);
  });

  it('does not expire before the period ends', async () => {
    const { books: others, id: other, customer } = await begun();
    await others.advance('2026-07-02');
    const { groups } = await others.client.graphql('{ groups { nodes { id } } }');
    const best = await others.plan(900, { groupId: groups.nodes[0].id });
    const later = await others.shop.intent(customer, best);
    await confirm(others, later.intentId, 'manual');
    await others.advance('2026-07-31');
    expect(await fetchStatus(others, later.intentId)).toBe('processing');
    await others.advance('2026-08-01');
    expect(await fetchStatus(others, later.intentId)).toBe('expired');
    expect((await others.bills(other)).slice(1)).toEqual([
      '2026-07-01 paid 100',
      '2026-07-02 void 774.2',
      '2026-08-01 paid 100',
    ]);
  });

  it('is void when cancelled, and billing continues', async () => {
    const { books, id, intentId } = await begun();
    await confirm(books, intentId, 'manual');
    await books.client.graphql(cancelDocument, { id: intentId });
    await books.advance(billedOn);
    expect(await books.bills(id)).toEqual([
      ...onlyFirst,
      '2026-06-30T12:00 void 3.33',
      '2026-07-01 paid 100',
    ]);
  });
});
