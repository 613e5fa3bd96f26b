/** Refunds made at the provider, and disputes: counted once, whatever is reported how often and in which order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';
import type { FakeMollie } from '../support/fakeMollie.ts';
import type { FakeStripe } from '../support/fakeStripe.ts';
import { chargeOf } from '../support/fakeStripeReversals.ts';
import { findFaults } from '../support/faults.ts';
import { startMollieApp, type MollieApp } from '../support/mollieApp.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

let running: StripeApp;
let stripe: FakeStripe;
let withMollie: MollieApp;
let mollie: FakeMollie;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
  withMollie = await startMollieApp();
  mollie = withMollie.mollie;
});
afterAll(async () => {
  await running.close();
  await withMollie.close();
});

const stateDocument = `query ($id: ID!) { invoice(id: $id) {
  status refunded { decimal } withdrawn { decimal } refundable { decimal } credited { decimal }
  payments { kind status amount { decimal } dispute { status reason evidenceDueAt } }
  creditNotes { status reason total { decimal } }
} }`;
const refundDocument =
  'mutation ($id: ID!, $amount: MoneyInput) { refundInvoice(id: $id, input: { amount: $amount }) { id } }';

/** The books of an invoice in short: `refund succeeded 20`, `note 20`, `refunded 20`. */
async function read({ client }: Books, id: string): Promise<string[]> {
  const { invoice } = await client.graphql(stateDocument, { id });
  const short = ({ decimal }: any) => String(Number(decimal));
  return [
    ...invoice.payments
      .slice(1)
      .map((each: any) =>
        [each.kind, each.dispute?.status ?? each.status, short(each.amount)].join(' ').trim(),
      ),
    ...invoice.creditNotes.map((note: any) =>
      [note.status === 'void' ? 'void note' : 'note', short(note.total), note.reason ?? ''].join(' ').trim(),
    ),
    `${invoice.status} ${['refunded', 'withdrawn', 'refundable'].map((name) => short(invoice[name])).join(' ')}`,
  ];
}

/** A subscription of 50 whose first invoice Stripe has charged. */
async function paid() {
  const books = await openBooks(running.app, '2026-01-31');
  const customer = await books.shop.customer();
  const { intentId } = await books.shop.intent(customer, await books.plan(50));
  const { subscriptionId } = await books.shop.confirm(intentId, 'pm_card_visa');
  const [{ id }] = await books.invoices(subscriptionId);
  const made = [...stripe.intents.values()].find(({ key }) => key === `${intentId}_1`);
  return { books, customer, subscriptionId, id, made };
}

const deliver = async (type: string, object: any) => {
  const answer = await running.deliver(stripe.callback(type, object));
  expect(answer.status, answer.text).toBe(200);
};
const refundOf = (made: any, amount: number, status?: string) =>
  structuredClone(stripe.refundAtDashboard(made.id, amount, status));
const expectNoFaults = async (app: TestApp, { alias }: Books) =>
  expect(await findFaults(app, alias)).toEqual([]);

describe('a refund made in the dashboard of Stripe', () => {
  it.each([
    ['of the whole charge', [5000], ['refund succeeded 50', 'note 50', 'paid 50 0 0']],
    ['of a part', [2000], ['refund succeeded 20', 'note 20', 'paid 20 0 30']],
    [
      'in two parts',
      [2000, 1000],
      ['refund succeeded 20', 'refund succeeded 10', 'note 20', 'note 10', 'paid 30 0 20'],
    ],
    // Stripe would not make it; who has the signing secret could report it.
    ['beyond the charge', [9900], ['refund succeeded 50', 'note 50', 'paid 50 0 0']],
    [
      'beyond the rest',
      [4000, 4000],
      ['refund succeeded 40', 'refund succeeded 10', 'note 40', 'note 10', 'paid 50 0 0'],
    ],
    ['of nothing', [0], ['paid 0 0 50']],
    ['of less than nothing', [-100], ['paid 0 0 50']],
  ])('%s is counted', async (_, amounts, expected) => {
    const { books, id, made } = await paid();
    for (const amount of amounts) await deliver('refund.created', refundOf(made, amount));
    expect(await read(books, id)).toEqual(expected);
    await expectNoFaults(running.app, books);
  });

  it('leaves the rest to refunds made here', async () => {
    const { books, id, made } = await paid();
    await deliver('refund.created', refundOf(made, 2000));
    const { body } = await books.client.post(refundDocument, { id, amount: { amount: 31, currency: 'afn' } });
    expect(body.errors[0].extensions.reason).toBe('refund_too_large');
    await books.client.graphql(refundDocument, { id });
    expect(await read(books, id)).toEqual([
      'refund succeeded 20',
      'refund succeeded 30',
      'note 20',
      'note 30',
      'paid 50 0 0',
    ]);
  });

  const created = 'refund.created pending';
  it.each([
    [[created, 'refund.updated succeeded'], 'refund succeeded 20'],
    [['refund.updated succeeded', created], 'refund succeeded 20'],
    [['charge.refunded', created, 'refund.updated succeeded', 'charge.refunded'], 'refund succeeded 20'],
    [[created, 'refund.failed failed'], 'refund failed 20'],
    [['refund.failed failed', created], 'refund failed 20'],
    [['refund.updated succeeded', 'refund.failed failed', 'refund.updated succeeded'], 'refund failed 20'],
    [[created, 'refund.updated canceled'], 'refund failed 20'],
  ])('with the callbacks %j is counted once', async (events, expected) => {
    const { books, id, made } = await paid();
    const refund = stripe.refundAtDashboard(made.id, 2000);
    for (const event of events) {
      const [type = '', status] = event.split(' ');
      for (const _ of [1, 2]) await deliver(type, status ? { ...refund, status } : chargeOf(made));
    }
    const state = await read(books, id);
    expect(state[0]).toBe(expected);
    expect(state.at(-1)).toBe(expected.includes('failed') ? 'paid 0 0 50' : 'paid 20 0 30');
    await expectNoFaults(running.app, books);
  });

  it('reported 50 times at once is counted once', async () => {
    const { books, id, made } = await paid();
    const refund = refundOf(made, 2000);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        deliver(index % 3 ? 'refund.updated' : 'charge.refunded', index % 3 ? refund : chargeOf(made)),
      ),
    );
    expect(await read(books, id)).toEqual(['refund succeeded 20', 'note 20', 'paid 20 0 30']);
  });

  it('is counted before the charge itself was reported', async () => {
    const books = await openBooks(running.app, '2026-01-31');
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    stripe.fail('/v1/payment_intents', 'lose');
    const confirm =
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "pm_card_visa" }) { id } }';
    await books.client.post(confirm, { id: intentId });
    const made = [...stripe.intents.values()].find(({ key }) => key === `${intentId}_1`);
    await deliver('refund.created', refundOf(made, 2000));
    const [{ id }] = await books.invoices();
    expect(await read(books, id)).toEqual(['refund succeeded 20', 'note 20', 'paid 20 0 30']);
  });

  it('and one made here at the same time count once each; Stripe refuses the second', async () => {
    const { books, id, made } = await paid();
    const release = stripe.hold('/v1/refunds');
    const refunding = books.client.post(refundDocument, { id });
    await expect.poll(async () => (await read(books, id))[0]).toBe('refund pending 50');
    await deliver('refund.created', refundOf(made, 5000));
    expect((await read(books, id)).at(-1)).toBe('paid 50 50 0');
    release();
    await refunding;
    const state = await read(books, id);
    expect(state.filter((each) => each.startsWith('refund'))).toEqual([
      'refund failed 50',
      'refund succeeded 50',
    ]);
    expect(state.slice(-3)).toEqual(['void note 50', 'note 50', 'paid 50 0 0']);
    await expectNoFaults(running.app, books);
  });

  it('of a line that a plan change has credited is money, and not noted twice', async () => {
    const books = await openBooks(running.app, '2026-01-01');
    const customer = await books.shop.customer();
    const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
    const { intentId } = await books.shop.intent(customer, await books.plan(31, { groupId }));
    await books.shop.confirm(intentId, 'pm_card_visa');
    const made = [...stripe.intents.values()].find(({ key }) => key === `${intentId}_1`);
    await books.advance('2026-01-11');
    await books.subscribe(
      customer,
      await books.plan(365, { groupId, recurring: { frequency: 'Yearly' } }),
      'pm_card_visa',
    );
    const [{ id }] = await books.invoices();
    expect((await read(books, id)).at(-1)).toBe('paid 0 0 10');
    await deliver('refund.created', refundOf(made, 3100));
    expect(await read(books, id)).toEqual(['refund succeeded 31', 'note 10', 'paid 10 21 0']);
    await expectNoFaults(running.app, books);
    await deliver('refund.failed', { ...stripe.refunds.at(-1), status: 'failed' });
    expect(await read(books, id)).toEqual(['refund failed 31', 'void note 10', 'paid 0 0 10']);
    await expectNoFaults(running.app, books);
  });

  it.each<[string, (made: any, other: any) => any, object?]>([
    [
      'another tenant',
      (made: any, other: any) => ({
        ...made,
        metadata: { ...made.metadata, perennial_tenant: other.metadata.perennial_tenant },
      }),
    ],
    [
      'an unknown invoice',
      (made: any) => ({ ...made, metadata: { ...made.metadata, perennial_key: 'inv_x_1' } }),
    ],
    ['nobody', (made: any) => ({ ...made, metadata: {} })],
    ['another currency', (made: any) => made, { currency: 'usd' }],
    ['no valid reference', (made: any) => made, { id: 're_\0<script>' }],
  ])('of a charge whose metadata name %s changes nothing', async (_, forge, fields = {}) => {
    const [own, other] = [await paid(), await paid()];
    stripe.intents.set(own.made.id, forge(own.made, other.made));
    const before = await running.app.backdoor.dump();
    await deliver('refund.created', { ...refundOf(own.made, 2000), ...fields });
    expect(await running.app.backdoor.dump()).toBe(before);
    stripe.intents.set(own.made.id, own.made);
  });
});

describe('a dispute at Stripe', () => {
  const opened = 'charge.dispute.created needs_response';
  const closed = 'charge.dispute.closed';
  it.each([
    [[opened], ['dispute needs_response 50', 'paid 0 50 0'], ['opened']],
    [[opened, 'charge.dispute.funds_withdrawn'], ['dispute needs_response 50', 'paid 0 50 0'], ['opened']],
    [['charge.dispute.created warning_needs_response'], ['dispute inquiry 50', 'paid 0 0 50'], ['opened']],
    [
      ['charge.dispute.created warning_needs_response', 'charge.dispute.updated needs_response'],
      ['dispute needs_response 50', 'paid 0 50 0'],
      ['opened', 'updated'],
    ],
    [
      ['charge.dispute.created warning_needs_response', `${closed} warning_closed`],
      ['dispute inquiry_closed 50', 'paid 0 0 50'],
      ['opened', 'won'],
    ],
    [
      [opened, 'charge.dispute.updated under_review', `${closed} won`, 'charge.dispute.funds_reinstated'],
      ['dispute won 50', 'paid 0 0 50'],
      ['opened', 'updated', 'won'],
    ],
    [
      [opened, `${closed} lost`],
      ['dispute lost 50', 'note 50 chargeback', 'paid 50 0 0'],
      ['opened', 'lost'],
    ],
    [[`${closed} lost`], ['dispute lost 50', 'note 50 chargeback', 'paid 50 0 0'], ['lost']],
    [
      [opened, `${closed} lost`, 'charge.dispute.updated appeal_under_review', `${closed} won`],
      ['dispute won 50', 'void note 50 chargeback', 'paid 0 0 50'],
      ['opened', 'lost', 'won'],
    ],
    [['charge.dispute.created of_the_future'], ['paid 0 0 50'], []],
  ])('with the callbacks %j, each twice', async (events, expected, named) => {
    const { books, id, made } = await paid();
    for (const event of events) {
      const [type = '', status] = event.split(' ');
      const dispute = stripe.dispute(made.id, status ?? lastStatus(events, event));
      for (const _ of [1, 2]) await deliver(type, { ...dispute, status: 'needs_response' });
    }
    expect(await read(books, id)).toEqual(expected);
    await expectNoFaults(running.app, books);
    const traces = await running.app.service.store.committed.select('traces', {
      where: { tenantAlias: books.alias, activityType: 'PaymentEvent' },
      orderBy: ['eventId'],
    });
    const actions = traces.map(({ payload }) => String(payload['action']));
    expect(actions.filter((each) => each.startsWith('dispute_'))).toEqual(
      named.map((each) => `dispute_${each}`),
    );
  });

  /** The status that an event without one finds. */
  const lastStatus = (events: string[], event: string) =>
    events
      .slice(0, events.indexOf(event))
      .findLast((each) => each.includes(' '))!
      .split(' ')[1]!;

  it('shows its reason and the date of the evidence, and limits refunds while it is open', async () => {
    const { books, id, made } = await paid();
    await deliver('charge.dispute.created', stripe.dispute(made.id, 'needs_response', { amount: 3000 }));
    const { invoice } = await books.client.graphql(stateDocument, { id });
    expect(invoice.payments[1].dispute).toEqual({
      status: 'needs_response',
      reason: 'fraudulent',
      evidenceDueAt: '2026-02-14T00:00:00.000Z',
    });
    const { body } = await books.client.post(refundDocument, { id, amount: { amount: 21, currency: 'afn' } });
    expect(body.errors[0].extensions.reason).toBe('refund_too_large');
    await books.client.graphql(refundDocument, { id });
    await deliver('charge.dispute.closed', stripe.dispute(made.id, 'lost'));
    expect(await read(books, id)).toEqual([
      'dispute lost 30',
      'refund succeeded 20',
      'note 20',
      'note 30 chargeback',
      'paid 50 0 0',
    ]);
    await expectNoFaults(running.app, books);
  });

  it('of a charge that was refunded is shown, and counts nothing again', async () => {
    const { books, id, made } = await paid();
    await books.client.graphql(refundDocument, { id });
    for (const status of ['needs_response', 'lost'])
      await deliver('charge.dispute.updated', stripe.dispute(made.id, status));
    expect(await read(books, id)).toEqual([
      'refund succeeded 50',
      'dispute lost 0',
      'note 50',
      'paid 50 0 0',
    ]);
    await expectNoFaults(running.app, books);
  });

  it('takes its money from the net revenue, and gives it back when it is won', async () => {
    const { books, made } = await paid();
    const query = `{ revenue(from: "2026-01-31", until: "2026-02-01", by: day, currency: "afn") {
      points { netRevenue { decimal } }
    } }`;
    const revenue = async () =>
      (await books.client.graphql(query)).revenue.points.map(({ netRevenue }: any) => netRevenue.decimal);
    expect(await revenue()).toEqual(['50.00']);
    await deliver('charge.dispute.created', stripe.dispute(made.id, 'needs_response'));
    expect(await revenue()).toEqual(['0.00']);
    await deliver('charge.dispute.closed', stripe.dispute(made.id, 'won'));
    expect(await revenue()).toEqual(['50.00']);
  });
});

describe('at Mollie', () => {
  async function paidByMollie() {
    const books = await openBooks(withMollie.app, '2026-01-31');
    const price = await books.plan(50, { currency: 'eur' });
    const { intentId } = await books.shop.intent(await books.shop.customer(), price);
    await books.shop.confirm(intentId, 'mollie');
    const payment = mollie.find(`${intentId}_1`);
    mollie.finish(payment.id);
    await withMollie.deliver(payment.id);
    const [{ id }] = await books.invoices();
    return { books, id, payment };
  }
  const chargeback = (paymentId: string, value: string, reversedAt: string | null = null) => ({
    resource: 'chargeback',
    id: `chb_${paymentId}`,
    paymentId,
    amount: { currency: 'EUR', value },
    reason: null,
    reversedAt,
  });
  const refund = (paymentId: string, value: string, status: string) => ({
    resource: 'refund',
    id: `re_of_${paymentId}`,
    paymentId,
    amount: { currency: 'EUR', value },
    status,
    metadata: null,
  });

  it.each<[string, ((id: string) => void)[], string[]]>([
    [
      'a refund',
      [
        (id) => mollie.refunds.push(refund(id, '20.00', 'pending')),
        (id) => (mollie.refunds.find((each) => each.paymentId === id).status = 'refunded'),
      ],
      ['refund succeeded 20', 'note 20', 'paid 20 0 30'],
    ],
    [
      'a refund that is cancelled',
      [
        (id) => mollie.refunds.push(refund(id, '20.00', 'queued')),
        (id) => (mollie.refunds.find((each) => each.paymentId === id).status = 'canceled'),
      ],
      ['refund failed 20', 'void note 20', 'paid 0 0 50'],
    ],
    [
      'a chargeback',
      [(id) => mollie.chargebacks.push(chargeback(id, '50.00'))],
      ['dispute lost 50', 'note 50 chargeback', 'paid 50 0 0'],
    ],
    [
      'a chargeback that is reversed',
      [
        (id) => mollie.chargebacks.push(chargeback(id, '50.00')),
        (id) =>
          (mollie.chargebacks.find((each) => each.paymentId === id).reversedAt = '2026-02-10T00:00:00+00:00'),
      ],
      ['dispute won 50', 'void note 50 chargeback', 'paid 0 0 50'],
    ],
  ])('%s is counted once', async (_, steps, expected) => {
    const { books, id, payment } = await paidByMollie();
    for (const step of steps) {
      step(payment.id);
      const answers = await Promise.all(Array.from({ length: 5 }, () => withMollie.deliver(payment.id)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect(await read(books, id)).toEqual(expected);
    await expectNoFaults(withMollie.app, books);
  });
});

describe('at the sandbox', () => {
  const simulateRefund =
    'mutation ($id: ID!, $amount: MoneyInput) { simulateRefund(id: $id, input: { amount: $amount }) { id } }';
  const simulateDispute =
    'mutation ($id: ID!, $status: DisputeStatus!) { simulateDispute(id: $id, input: { status: $status }) { id } }';

  it('a refund and a dispute can be played, and are limited as real ones', async () => {
    const books = await openBooks(running.app, '2026-01-31');
    const subscriptionId = await books.subscribe(
      await books.shop.customer(),
      await books.plan(50),
      'sandbox_ok',
    );
    const [{ id }] = await books.invoices(subscriptionId);
    const { invoice } = await books.client.graphql(
      'query ($id: ID!) { invoice(id: $id) { payments { id } } }',
      { id },
    );
    const charge = invoice.payments[0].id;
    const refuse = async (document: string, variables: Record<string, unknown>) =>
      (await books.client.post(document, variables)).body.errors[0].extensions.reason;
    expect(await refuse(simulateRefund, { id: charge, amount: { amount: 50.01, currency: 'afn' } })).toBe(
      'refund_too_large',
    );
    expect(await refuse(simulateRefund, { id: charge, amount: { amount: 0, currency: 'afn' } })).toBe(
      'validation_failed',
    );
    expect(await refuse(simulateRefund, { id: 'pay_unknown' })).toBe('payment_not_found');
    await books.client.graphql(simulateRefund, { id: charge, amount: { amount: 20, currency: 'afn' } });
    for (const status of ['inquiry', 'needs_response', 'under_review', 'lost', 'needs_response'])
      await books.client.graphql(simulateDispute, { id: charge, status });
    expect(await read(books, id)).toEqual([
      'refund succeeded 20',
      'dispute lost 30',
      'note 20',
      'note 30 chargeback',
      'paid 50 0 0',
    ]);
    expect(await refuse(simulateRefund, { id: charge })).toBe('refund_too_large');
    await expectNoFaults(running.app, books);
  });

  it('charges of another provider cannot be played', async () => {
    const { books, id } = await paid();
    const { invoice } = await books.client.graphql(
      'query ($id: ID!) { invoice(id: $id) { payments { id } } }',
      { id },
    );
    const { body } = await books.client.post(simulateDispute, { id: invoice.payments[0].id, status: 'lost' });
    expect(body.errors[0].extensions.reason).toBe('validation_failed');
  });
});
