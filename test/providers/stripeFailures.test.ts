import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { runDueWork } from '../../src/app/scheduler.ts';
import { openBooks, type Books } from '../support/books.ts';
import { findBookFaults } from '../support/faults.ts';
import { type FakeStripe } from '../support/fakeStripe.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';

const payments = '/v1/payment_intents';
const refunds = '/v1/refunds';
const silent = pino({ level: 'silent' });

let running: StripeApp;
let stripe: FakeStripe;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
});
afterAll(() => running.close());

const open = () => openBooks(running.app, '2026-01-31');
const listMoved = (key: string) =>
  stripe.moved
    .filter((each) => each.key.startsWith(key))
    .map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`);
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id status subscriptionId }
}`;
const resumeDocument = 'mutation ($id: ID!) { resumeIntent(id: $id) { id status subscriptionId } }';
const statusDocument = 'query ($id: ID!) { intent(id: $id) { status } }';
const fetchStatus = async (books: Books, id: string) =>
  (await books.client.graphql(statusDocument, { id })).intent.status;

/** An intent whose confirmation could not be answered. */
async function inDoubt(books: Books): Promise<string> {
  const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
  await books.perform({
    graphql: [confirmDocument, { id: intentId, method: 'pm_card_visa' }],
    reason: 'unavailable',
    paths: ['paymentMethod'],
    traces: ['IntentEvent payment_started'],
  });
  expect(await fetchStatus(books, intentId)).toBe('processing');
  return intentId;
}

describe('an intent whose charge was made and whose response was lost', () => {
  it('is paid by the retry of the SDK, and charged once', async () => {
    const books = await open();
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    stripe.fail(payments, 'drop');
    expect((await books.shop.confirm(intentId, 'pm_card_visa')).status).toBe('succeeded');
    expect(listMoved(intentId)).toEqual(['charge 5000 afn']);
    expect(stripe.requests.filter((each) => each === `POST ${payments} ${intentId}_1`)).toHaveLength(2);
  });

  it('is charged once when the payer and the scheduler repeat the request', async () => {
    const books = await open();
    stripe.fail(payments, 'drop', 'drop');
    const id = await inDoubt(books);
    await books.perform({
      graphql: [resumeDocument, { id }],
      holds: { status: 'succeeded' },
      traces: [
        'IntentEvent succeeded',
        'PaymentMethodEvent created < IntentEvent succeeded',
        'SubscriptionEvent created < IntentEvent succeeded',
        'InvoiceEvent created < SubscriptionEvent created',
        'PaymentEvent succeeded < IntentEvent succeeded',
        'InvoiceEvent paid < PaymentEvent succeeded',
      ],
    });
    await runDueWork(running.app.service, silent);
    expect(listMoved(id)).toEqual(['charge 5000 afn']);
  });

  it('is found even when Stripe has forgotten the key', async () => {
    const books = await open();
    stripe.fail(payments, 'lose');
    const id = await inDoubt(books);
    stripe.forgetKeys();
    await runDueWork(running.app.service, silent);
    expect(await fetchStatus(books, id)).toBe('succeeded');
    expect(listMoved(id)).toEqual(['charge 5000 afn']);
  });
});

it.each(['error', 'limit'] as const)(
  'an intent whose charge was never made (%s) is charged later, once',
  async (fault) => {
    const books = await open();
    stripe.fail(payments, fault);
    const id = await inDoubt(books);
    expect(listMoved(id)).toEqual([]);
    await runDueWork(running.app.service, silent);
    expect(await fetchStatus(books, id)).toBe('succeeded');
    expect(listMoved(id)).toEqual(['charge 5000 afn']);
  },
);

describe('a renewal', () => {
  it.each([
    ['made, and whose answer was lost', ['drop', 'drop'], false],
    ['made, lost, and whose key was forgotten', ['lose'], true],
    ['never made', ['error'], false],
  ] as const)('whose charge was %s is charged once', async (_, faults, forgets) => {
    const books = await open();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), 'pm_card_visa');
    stripe.fail(payments, ...faults);
    await books.perform({
      graphql: ['mutation { advanceClock(input: { to: "2026-02-28" }) { clock } }'],
      reason: 'unavailable',
      traces: ['ClockEvent advanced', 'InvoiceEvent created'],
    });
    expect((await books.subscription(id)).status).toBe('active');
    if (forgets) stripe.forgetKeys();
    await books.advance('2026-02-28');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
    const [, invoice] = await books.invoices(id);
    expect(listMoved(invoice.id)).toEqual(['charge 5000 afn']);
  });

  it('with a processing payment is not charged again, and is paid when the payment succeeds', async () => {
    const books = await open();
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), 'pm_card_visa');
    await books.run('setPaymentMethod(id: $id, input: { paymentMethod: "pm_sepa_kept" })', id);
    await books.advance('2026-03-05');
    expect((await books.subscription(id)).status).toBe('active');
    const [, invoice] = await books.invoices(id);
    expect(stripe.requests.filter((each) => each === `POST ${payments} ${invoice.id}_1`)).toHaveLength(1);
    const [underWay] = [...stripe.intents.values()].filter(({ key }) => key === `${invoice.id}_1`);
    expect([invoice.status, underWay.status]).toEqual(['open', 'processing']);
    stripe.finish(underWay.id, true);
    await books.advance('2026-03-06');
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
    expect(listMoved(invoice.id)).toEqual(['charge 5000 afn']);
  });
});

describe('an intent with a processing payment', () => {
  it.each([
    [true, 'succeeded', 'paid', ['charge 5000 afn']],
    [false, 'requires_payment_method', 'void', []],
  ])('gets the outcome that Stripe reports later (%s)', async (comes, status, invoiceStatus, moved) => {
    const books = await open();
    const customer = await books.shop.customer();
    const { intentId: id } = await books.shop.intent(customer, await books.plan(50));
    const confirmed = await books.client.graphql(confirmDocument, { id, method: 'pm_sepa' });
    expect(confirmed.confirmIntent.status).toBe('processing');
    await runDueWork(running.app.service, silent);
    expect(await fetchStatus(books, id)).toBe('processing');
    stripe.finish([...stripe.intents.values()].at(-1).id, comes);
    await runDueWork(running.app.service, silent);
    expect(await fetchStatus(books, id)).toBe(status);
    const { invoices } = await books.client.graphql('{ invoices { nodes { status } } }');
    expect(invoices.nodes).toEqual([{ status: invoiceStatus }]);
    expect(listMoved(id)).toEqual(moved);
  });
});

describe('a refund', () => {
  const refundDocument = `mutation ($id: ID!, $amount: MoneyInput) {
    refundInvoice(id: $id, input: { amount: $amount }) { id status refunded { amount currency } }
  }`;
  const paidInvoice = async (books: Books) => {
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), 'pm_card_visa');
    return (await books.invoices(id))[0].id as string;
  };
  const refundsSince = (count: number) =>
    stripe.moved.slice(count).map(({ kind, amount }) => `${kind} ${amount}`);

  it('returns a part, the rest, and no more', async () => {
    const books = await open();
    const id = await paidInvoice(books);
    const before = stripe.moved.length;
    const refund = (amount: number | null, expected: object) =>
      books.perform({
        graphql: [refundDocument, { id, amount: amount === null ? null : { amount, currency: 'afn' } }],
        ...expected,
      });
    const recorded = [
      'InvoiceEvent refund_started',
      'PaymentEvent refund_pending',
      'CreditNoteEvent created < InvoiceEvent refund_started',
      'PaymentEvent refund_succeeded',
    ];
    await refund(20, { holds: { refunded: { amount: 20, currency: 'afn' } }, traces: recorded });
    await refund(30.01, { reason: 'refund_too_large', paths: ['amount'] });
    await refund(null, { holds: { refunded: { amount: 50, currency: 'afn' } }, traces: recorded });
    await refund(0.01, { reason: 'refund_too_large', paths: ['amount'] });
    expect(refundsSince(before)).toEqual(['refund 2000', 'refund 3000']);
  });

  it('of the whole amount, requested twice at once, is made once', async () => {
    const books = await open();
    const id = await paidInvoice(books);
    const before = stripe.moved.length;
    const answers = await Promise.all([1, 2].map(() => books.client.post(refundDocument, { id })));
    const refused = answers.filter(({ body }) => body.errors?.[0].extensions.reason === 'refund_too_large');
    expect(refused).toHaveLength(1);
    expect(refundsSince(before)).toEqual(['refund 5000']);
  });

  it.each([
    ['made', ['drop', 'drop'], false],
    ['made, and whose key was forgotten', ['lose'], true],
    ['never made', ['error'], false],
  ] as const)('that was %s when the line broke is made once', async (_, faults, forgets) => {
    const books = await open();
    const id = await paidInvoice(books);
    const before = stripe.moved.length;
    stripe.fail(refunds, ...faults);
    await books.perform({
      graphql: [refundDocument, { id }],
      reason: 'unavailable',
      traces: [
        'InvoiceEvent refund_started',
        'PaymentEvent refund_pending',
        'CreditNoteEvent created < InvoiceEvent refund_started',
      ],
    });
    if (forgets) stripe.forgetKeys();
    await runDueWork(running.app.service, silent);
    const { invoice } = await books.client.graphql(
      'query ($id: ID!) { invoice(id: $id) { refunded { amount } } }',
      { id },
    );
    expect(invoice.refunded.amount).toBe(50);
    expect(refundsSince(before)).toEqual(['refund 5000']);
    const kept = await running.app.service.store.committed.select('payments', {
      where: { tenantAlias: books.alias, kind: 'refund' },
    });
    expect(kept.map(({ status }) => status)).toEqual(['succeeded']);
  });

  describe('that Stripe has not paid out', () => {
    const statuses = async (books: Books) =>
      (
        await running.app.service.store.committed.select('payments', {
          where: { tenantAlias: books.alias, kind: 'refund' },
          orderBy: ['id'],
        })
      ).map(({ status }) => status);
    const refundable = async (books: Books, id: string) => {
      const document = 'query ($id: ID!) { invoice(id: $id) { refundable { amount } } }';
      return (await books.client.graphql(document, { id })).invoice.refundable.amount;
    };
    const begin = async (amount: number | null = null) => {
      const books = await open();
      const id = await paidInvoice(books);
      stripe.refundStatus = 'pending';
      await books.perform({
        graphql: [refundDocument, { id, amount: amount === null ? null : { amount, currency: 'afn' } }],
        holds: { refunded: { amount: amount ?? 50, currency: 'afn' } },
        traces: [
          'InvoiceEvent refund_started',
          'PaymentEvent refund_pending',
          'CreditNoteEvent created < InvoiceEvent refund_started',
        ],
      });
      stripe.refundStatus = 'succeeded';
      return { books, id, made: stripe.refunds.at(-1) };
    };
    const report = (type: string, made: object) => running.deliver(stripe.callback(type, made));

    it.each([
      ['refund.updated', 'succeeded', 'succeeded', 0],
      ['charge.refund.updated', 'succeeded', 'succeeded', 0],
      ['refund.updated', 'failed', 'failed', 50],
      ['refund.failed', 'failed', 'failed', 50],
      ['refund.updated', 'canceled', 'failed', 50],
      ['refund.updated', 'requires_action', 'pending', 0],
    ])('is pending until %s reports that it %s', async (type, status, kept, left) => {
      const { books, id, made } = await begin();
      expect([await statuses(books), await refundable(books, id)]).toEqual([['pending'], 0]);
      const finished = stripe.finishRefund(made.id, status);
      for (let time = 0; time < 2; time++) expect((await report(type, finished)).status).toBe(200);
      expect([await statuses(books), await refundable(books, id)]).toEqual([[kept], left]);
    });

    it('of a release without credit notes can fail', async () => {
      const { books, id, made } = await begin(20);
      const { alias } = books;
      await running.app.backdoor.execute(
        `delete from credit_notes where tenant_alias = '${alias}';
        delete from number_counters where tenant_alias = '${alias}' and id like 'credit_note%';
        delete from traces where tenant_alias = '${alias}' and activity_type = 'CreditNoteEvent';
        update invoices set credited_minor = null where tenant_alias = '${alias}'`,
      );
      await report('refund.failed', stripe.finishRefund(made.id, 'failed'));
      const document = 'query ($id: ID!) { invoice(id: $id) { refunded { amount } credited { amount } } }';
      const { invoice } = await books.client.graphql(document, { id });
      expect(invoice).toEqual({ refunded: { amount: 0 }, credited: { amount: 0 } });
      expect(await refundable(books, id)).toBe(50);
    });

    it('is polled without a callback', async () => {
      const { books, made } = await begin(20);
      await runDueWork(running.app.service, silent);
      expect(await statuses(books)).toEqual(['pending']);
      stripe.finishRefund(made.id, 'succeeded');
      await runDueWork(running.app.service, silent);
      expect(await statuses(books)).toEqual(['succeeded']);
      expect(
        stripe.refunds.filter(({ metadata }) => metadata.perennial_key === made.metadata.perennial_key),
      ).toHaveLength(1);
    });

    it('can fail after it succeeded, and is then refunded again', async () => {
      const { books, id, made } = await begin(20);
      await report('refund.updated', stripe.finishRefund(made.id, 'succeeded'));
      await report('refund.failed', stripe.finishRefund(made.id, 'failed'));
      expect([await statuses(books), await refundable(books, id)]).toEqual([['failed'], 50]);
      await report('refund.updated', { ...made, status: 'succeeded' });
      expect(await statuses(books)).toEqual(['failed']);
      await books.client.graphql(refundDocument, { id });
      expect([await statuses(books), await refundable(books, id)]).toEqual([['failed', 'succeeded'], 0]);
      expect(await findBookFaults(running.app, books.alias)).toEqual([]);
    });

    it.each([
      ['of another tenant', { perennial_tenant: 'nobody' }],
      ['of an unknown payment', { perennial_key: 'pay_0' }],
      ['of another system', {}],
    ])('is not touched by a callback %s', async (_, metadata: object) => {
      const { books, made } = await begin();
      const before = await running.app.backdoor.dump();
      const isOther = Object.keys(metadata).length === 0;
      const other = isOther
        ? { metadata, payment_intent: 'pi_other' }
        : { metadata: { ...made.metadata, ...metadata } };
      expect((await report('refund.failed', { ...made, status: 'failed', ...other })).status).toBe(200);
      expect(await running.app.backdoor.dump()).toBe(before);
      expect(await statuses(books)).toEqual(['pending']);
    });

    it('is not affected by a callback about a charge', async () => {
      const { books, made } = await begin();
      const [charge] = await running.app.service.store.committed.select('payments', {
        where: { tenantAlias: books.alias, kind: 'charge' },
      });
      const before = await running.app.backdoor.dump();
      const metadata = { ...made.metadata, perennial_key: charge!.id };
      await report('refund.failed', { ...made, status: 'failed', metadata });
      expect(await running.app.backdoor.dump()).toBe(before);
    });
  });

  it('that Stripe refuses is not counted', async () => {
    const books = await open();
    const id = await paidInvoice(books);
    stripe.intents.get([...stripe.intents.keys()].at(-1)!).amount = 1000;
    await books.perform({
      graphql: [refundDocument, { id }],
      reason: 'payment_failed',
      has: ['amount_too_large'],
      traces: [
        'InvoiceEvent refund_started',
        'PaymentEvent refund_pending',
        'CreditNoteEvent created < InvoiceEvent refund_started',
        'PaymentEvent refund_failed',
        'CreditNoteEvent voided < PaymentEvent refund_failed',
        'InvoiceEvent refund_failed < PaymentEvent refund_failed',
      ],
    });
    await books.perform({
      graphql: [refundDocument, { id, amount: { amount: 10, currency: 'afn' } }],
      holds: { refunded: { amount: 10, currency: 'afn' } },
      traces: [
        'InvoiceEvent refund_started',
        'PaymentEvent refund_pending',
        'CreditNoteEvent created < InvoiceEvent refund_started',
        'PaymentEvent refund_succeeded',
      ],
    });
  });
});

it('no failure reveals a secret to the log or to clients', async () => {
  const wrongKey = 'sk_test_anothersecret';
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const other = await startStripeApp({ stripeSecretKey: wrongKey }, { log });
  try {
    const books = await openBooks(other.app, '2026-01-31');
    const { intentId } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    const { text } = await books.client.post(confirmDocument, { id: intentId, method: 'pm_card_visa' });
    expect(text).toContain('unavailable');
    const forged = other.stripe.callback('payment_intent.succeeded', {}, { secret: 'whsec_another' });
    const { text: refusal } = await other.deliver(forged);
    await runDueWork(other.app.service, log);
    expect(lines.length).toBeGreaterThan(2);
    expect([...lines, text, refusal].join('')).not.toMatch(/anothersecret|notreallyasecret|whsec_/);
  } finally {
    await other.close();
  }
});
