import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import type { PaymentProvider } from '../../src/providers/provider.ts';
import { sandbox } from '../../src/providers/sandbox.ts';
import { runDueWork } from '../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBooks, type Books } from '../support/books.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const open = () => openBooks(app, '2026-01-31');
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id status actionUrl subscriptionId }
}`;
const resumeDocument = 'mutation ($id: ID!) { resumeIntent(id: $id) { id status actionUrl subscriptionId } }';
const recordDocument = `mutation ($id: ID!, $reference: String!) {
  recordPayment(id: $id, input: { reference: $reference }) { id status }
}`;
const refundDocument = 'mutation ($id: ID!) { refundInvoice(id: $id) { status refunded { amount } } }';
const listPayments = async ({ alias }: Books) =>
  (
    await app.service.store.committed.select('payments', { where: { tenantAlias: alias }, orderBy: ['id'] })
  ).map(
    ({ kind, status, provider, reference, amountMinor }) =>
      `${kind} ${status} ${provider} ${kind === 'charge' ? reference : ''} ${amountMinor}`,
  );
const newIntent = async (books: Books, amount = 50, fields?: object) =>
  (await books.shop.intent(await books.shop.customer(), await books.plan(amount), fields)).intentId as string;
const started = [
  'IntentEvent succeeded',
  'PaymentMethodEvent created < IntentEvent succeeded',
  'SubscriptionEvent created < IntentEvent succeeded',
  'InvoiceEvent created < SubscriptionEvent created',
  'PaymentEvent succeeded < IntentEvent succeeded',
  'InvoiceEvent paid < PaymentEvent succeeded',
];

describe('the sandbox', () => {
  it.each([
    ['sandbox_declined', 'card_declined'],
    ['sandbox_nonsense', 'unknown_payment_method'],
    ['pm_card_visa', 'unknown_payment_method'],
  ])('declines %s with %s', async (method, reason) => {
    const books = await open();
    await books.perform({
      graphql: [confirmDocument, { id: await newIntent(books), method }],
      reason: 'payment_failed',
      has: [reason],
      traces: [
        'IntentEvent payment_started',
        'IntentEvent payment_failed',
        'PaymentEvent failed < IntentEvent payment_failed',
      ],
    });
  });

  it('pays now and declines later with sandbox_ok_then_declined, until another method is set', async () => {
    const books = await open();
    const id = await books.subscribe(
      await books.shop.customer(),
      await books.plan(50),
      'sandbox_ok_then_declined',
    );
    await books.advance('2026-03-01');
    expect((await books.subscription(id)).status).toBe('past_due');
    await books.run('setPaymentMethod(id: $id, input: { paymentMethod: "sandbox_ok" })', id);
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-02-28 charge failed 50',
      '2026-03-01 charge succeeded 50',
    ]);
    expect((await books.subscription(id)).status).toBe('active');
  });

  it('requires a confirmation with sandbox_requires_action, and pays when resumed', async () => {
    const books = await open();
    const id = await newIntent(books);
    await books.perform({
      graphql: [confirmDocument, { id, method: 'sandbox_requires_action' }],
      holds: { status: 'requires_action', actionUrl: expect.any(String), subscriptionId: null },
      traces: ['IntentEvent payment_started', 'IntentEvent action_required'],
    });
    await books.perform({
      graphql: [confirmDocument, { id, method: 'sandbox_ok' }],
      reason: 'intent_not_payable',
    });
    const resumed = await books.perform({
      graphql: [resumeDocument, { id }],
      holds: { status: 'succeeded', actionUrl: null },
      traces: started,
    });
    await books.perform({ graphql: [resumeDocument, { id }], holds: resumed });
    expect(await books.bills(resumed.subscriptionId)).toEqual(['2026-01-31 paid 50']);
  });

  it('allows to cancel an intent that requires a confirmation', async () => {
    const books = await open();
    const id = await newIntent(books);
    await books.client.graphql(confirmDocument, { id, method: 'sandbox_requires_action' });
    await books.perform({
      graphql: ['mutation ($id: ID!) { cancelIntent(id: $id) { status actionUrl } }', { id }],
      holds: { status: 'cancelled', actionUrl: null },
      traces: ['IntentEvent cancelled'],
    });
    await books.perform({
      graphql: [resumeDocument, { id }],
      holds: { status: 'cancelled', subscriptionId: null },
    });
  });
});

describe('resumeIntent', () => {
  it('returns an unpaid intent unchanged, and refuses read keys', async () => {
    const books = await open();
    const id = await newIntent(books);
    await books.perform({ graphql: [resumeDocument, { id }], holds: { status: 'requires_payment_method' } });
    await books.perform({ graphql: [resumeDocument, { id: 'int_none' }], reason: 'intent_not_found' });
    await books.client.graphql(confirmDocument, { id, method: 'sandbox_requires_action' });
    const reader = await app.key(books.alias, 'read');
    const { body } = await reader.post(resumeDocument, { id });
    expect(body.errors[0].extensions.reason).toBe('insufficient_scope');
    expect(await listPayments(books)).toEqual([]);
  });
});

describe('a manual payment', () => {
  const awaited = async (books: Books, id: string) => {
    await books.perform({
      graphql: [confirmDocument, { id, method: 'manual' }],
      holds: { status: 'processing', subscriptionId: null },
      traces: ['IntentEvent payment_started', 'InvoiceEvent created'],
    });
    const { invoices } = await books.client.graphql('{ invoices { nodes { id status total { amount } } } }');
    expect(invoices.nodes).toMatchObject([{ status: 'open', total: { amount: 50 } }]);
    return invoices.nodes[0].id as string;
  };

  it('starts the subscription when it is recorded, once', async () => {
    const books = await open();
    const intentId = await newIntent(books);
    const id = await awaited(books, intentId);
    expect(await runDueWork(app.service, pino({ level: 'silent' }))).toBe(0);
    await books.perform({ graphql: [resumeDocument, { id: intentId }], holds: { status: 'processing' } });
    await books.perform({
      graphql: [recordDocument, { id, reference: 'bank-1' }],
      holds: { status: 'paid' },
      traces: expect.arrayContaining(['SubscriptionEvent created < IntentEvent succeeded']) as never,
    });
    await books.perform({
      graphql: [recordDocument, { id, reference: 'bank-1' }],
      reason: 'invoice_not_open',
    });
    const { subscriptions } = await books.client.graphql('{ subscriptions { nodes { id status } } }');
    expect(subscriptions.nodes).toMatchObject([{ status: 'active' }]);
    expect(await listPayments(books)).toEqual(['charge succeeded manual bank-1 5000']);
  });

  it('is no longer awaited when the intent is cancelled', async () => {
    const books = await open();
    const intentId = await newIntent(books);
    const id = await awaited(books, intentId);
    await books.perform({
      graphql: ['mutation ($id: ID!) { cancelIntent(id: $id) { status } }', { id: intentId }],
      holds: { status: 'cancelled' },
      traces: ['IntentEvent cancelled', 'InvoiceEvent voided < IntentEvent cancelled'],
    });
    await books.perform({
      graphql: [recordDocument, { id, reference: 'bank-1' }],
      reason: 'invoice_not_open',
    });
  });

  it('is awaited for each renewal, which is active again when it is recorded', async () => {
    const books = await open();
    await books.client.graphql(recordDocument, {
      id: await awaited(books, await newIntent(books)),
      reference: 'bank-1',
    });
    const { subscriptions } = await books.client.graphql('{ subscriptions { nodes { id } } }');
    const { id } = subscriptions.nodes[0];
    await books.advance('2026-03-01');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 open 50']);
    const [, renewal] = await books.invoices(id);
    await books.perform({
      graphql: [recordDocument, { id: renewal.id, reference: 'bank-2' }],
      holds: { status: 'paid' },
      traces: [
        'PaymentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
        'SubscriptionEvent billed < PaymentEvent succeeded',
      ],
    });
    expect(await books.subscription(id)).toMatchObject({
      status: 'active',
      billedCount: 2,
      pastDueSince: null,
    });
    await books.advance('2026-03-31');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50', '2026-03-31 open 50']);
  });

  it('is refunded by hand', async () => {
    const books = await open();
    const id = await awaited(books, await newIntent(books));
    await books.client.graphql(recordDocument, { id, reference: 'bank-1' });
    const { refundInvoice } = await books.client.graphql(refundDocument, { id });
    expect(refundInvoice.refunded.amount).toBe(50);
    expect(await listPayments(books)).toEqual([
      'charge succeeded manual bank-1 5000',
      'refund succeeded manual  5000',
    ]);
  });
});

describe('a double payment', () => {
  /** A sandbox whose answers wait to be let go. */
  const slow = () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const chargeKeys: string[] = [];
    const refunded: string[] = [];
    const provider: PaymentProvider = {
      ...sandbox,
      charge: async (charge, method) => {
        chargeKeys.push(charge.idempotencyKey);
        await gate;
        return sandbox.charge(charge, method);
      },
      refund: async (refund) => {
        refunded.push(refund.chargeReference);
        return sandbox.refund(refund);
      },
    };
    return { provider, chargeKeys, refunded, release: () => release() };
  };

  it('recorded while the card is charged: the charge is refunded once', async () => {
    const books = await open();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50));
    const { provider, chargeKeys, refunded, release } = slow();
    const { payments } = app.service;
    payments.charging = [provider];
    try {
      const advancing = books.advance('2026-02-28');
      await expect.poll(() => chargeKeys).toHaveLength(1);
      const [, renewal] = await books.invoices(id);
      await books.client.graphql(recordDocument, { id: renewal.id, reference: 'bank-1' });
      release();
      await advancing;
      await runDueWork(app.service, pino({ level: 'silent' }));
      expect(refunded).toEqual([`sandbox_${renewal.id}_1`]);
      expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
      expect((await books.subscription(id)).billedCount).toBe(2);
      const { refundInvoice } = await books.client.graphql(refundDocument, { id: renewal.id });
      expect(refundInvoice.refunded.amount).toBe(50);
      expect((await listPayments(books)).filter((each) => each.startsWith('refund'))).toEqual([
        'refund succeeded sandbox  5000',
        'refund succeeded manual  5000',
      ]);
    } finally {
      payments.charging = [];
    }
  });
});
