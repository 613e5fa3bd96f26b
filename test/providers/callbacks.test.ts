import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBooks, type Books } from '../support/books.ts';
import { secretKey, webhookSecret, type FakeStripe } from '../support/fakeStripe.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import { expectRestError } from '../support/world.ts';

const payments = '/v1/payment_intents';

let running: StripeApp;
let stripe: FakeStripe;
beforeAll(async () => {
  running = await startStripeApp();
  stripe = running.stripe;
});
afterAll(() => running.close());

const open = () => openBooks(running.app, '2026-01-31');
const confirmDocument = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { id status actionUrl subscriptionId }
}`;
const intentDocument = 'query ($id: ID!) { intent(id: $id) { status subscriptionId } }';
const listMoved = (key: string) =>
  stripe.moved.filter((each) => each.key.startsWith(key)).map(({ kind, amount }) => `${kind} ${amount}`);
const fetchIntent = async (books: Books, id: string) =>
  (await books.client.graphql(intentDocument, { id })).intent;
/** What Stripe made under a key. */
const madeFor = (key: string) => [...stripe.intents.values()].find((each) => each.key === key);
const deliverCallback = (made: any, type = `${made.object}.succeeded`) =>
  running.deliver(stripe.callback(type, made));
const listRefunds = async ({ alias }: Books) =>
  (
    await running.app.service.store.committed.select('payments', {
      where: { tenantAlias: alias, kind: 'refund' },
    })
  ).map(({ status, amountMinor }) => `${status} ${amountMinor}`);

/** An intent that waits for the payer to confirm, and what Stripe has made of it. */
async function waiting(books: Books) {
  const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
  await books.client.graphql(confirmDocument, { id, method: 'pm_card_authenticationRequired' });
  return { id, made: madeFor(`${id}_1`) };
}

describe('a signed callback', () => {
  it('starts the subscription once, also if repeated', async () => {
    const books = await open();
    const { id, made } = await waiting(books);
    const signed = stripe.callback('payment_intent.succeeded', stripe.finish(made.id, true));
    const answers = await Promise.all([1, 2, 3].map(() => running.deliver(signed)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      [1, 2, 3].map(() => [200, { received: true }]),
    );
    const { status, subscriptionId } = await fetchIntent(books, id);
    expect(status).toBe('succeeded');
    expect(await books.tries(subscriptionId)).toEqual(['2026-01-31 charge succeeded 50']);
    const { store } = running.app.service;
    const reported = await store.committed.select('traces', {
      where: { tenantAlias: books.alias, executorId: 'system:stripe' },
      orderBy: ['eventId'],
    });
    expect(
      reported.map(({ activityType, payload }) => `${activityType} ${String(payload['action'])}`),
    ).toEqual([
      'IntentEvent succeeded',
      'PaymentMethodEvent created',
      'SubscriptionEvent created',
      'InvoiceEvent created',
      'PaymentEvent succeeded',
      'InvoiceEvent paid',
    ]);
    const before = await running.app.backdoor.dump();
    await running.deliver(signed);
    await books.client.graphql('mutation ($id: ID!) { resumeIntent(id: $id) { status } }', { id });
    expect(await running.app.backdoor.dump()).toBe(before);
  });

  it('and the confirmation of the payer at the same time start one subscription', async () => {
    const books = await open();
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    const release = stripe.hold(payments);
    const confirming = books.shop.confirm(id, 'pm_card_visa');
    await expect.poll(() => madeFor(`${id}_1`)).toBeTruthy();
    await deliverCallback(madeFor(`${id}_1`));
    const { subscriptionId } = await fetchIntent(books, id);
    expect(subscriptionId).toMatch(/^sub_/);
    release();
    expect(await confirming).toMatchObject({ status: 'succeeded', subscriptionId });
    expect(await books.tries(subscriptionId)).toEqual(['2026-01-31 charge succeeded 50']);
    expect(listMoved(id)).toEqual(['charge 5000']);
  });

  it('reports the outcome of a lost confirmation, or that the payer must confirm', async () => {
    const books = await open();
    const { intentId: id } = await books.shop.intent(await books.shop.customer(), await books.plan(50));
    stripe.fail(payments, 'lose');
    await books.client.post(confirmDocument, { id, method: 'pm_card_authenticationRequired' });
    const made = madeFor(`${id}_1`);
    expect((await fetchIntent(books, id)).status).toBe('processing');
    await deliverCallback(made, 'payment_intent.requires_action');
    expect((await fetchIntent(books, id)).status).toBe('requires_action');
    await deliverCallback(stripe.finish(made.id, false), 'payment_intent.payment_failed');
    expect((await fetchIntent(books, id)).status).toBe('requires_payment_method');
  });

  it('of an earlier attempt does not affect the present one', async () => {
    const books = await open();
    const { id, made } = await waiting(books);
    const failed = stripe.callback('payment_intent.payment_failed', stripe.finish(made.id, false));
    await running.deliver(failed);
    await books.client.graphql(confirmDocument, { id, method: 'pm_card_authenticationRequired' });
    const before = await running.app.backdoor.dump();
    expect((await running.deliver(failed)).status).toBe(200);
    expect(await running.app.backdoor.dump()).toBe(before);
    await deliverCallback(stripe.finish(madeFor(`${id}_2`).id, true));
    expect((await fetchIntent(books, id)).status).toBe('succeeded');
  });

  it('reports that a method was saved for a future start', async () => {
    const books = await open();
    const fields = { startDate: '2026-03-01' };
    const { intentId: id } = await books.shop.intent(
      await books.shop.customer(),
      await books.plan(50),
      fields,
    );
    await books.client.graphql(confirmDocument, { id, method: 'pm_card_authenticationRequired' });
    await deliverCallback(stripe.finish(madeFor(`${id}_1`).id, true));
    expect((await fetchIntent(books, id)).status).toBe('succeeded');
  });

  it.each([
    [
      'given up',
      (books: Books, id: string) =>
        books.client.graphql('mutation ($id: ID!) { cancelIntent(id: $id) { id } }', { id }),
    ],
    ['expired', (books: Books) => books.advance('2026-02-02')],
  ])('of a payment for an intent that was %s refunds it once', async (_, end) => {
    const books = await open();
    const { id, made } = await waiting(books);
    await end(books, id);
    const signed = stripe.callback('payment_intent.succeeded', stripe.finish(made.id, true));
    for (let time = 0; time < 2; time++) expect((await running.deliver(signed)).status).toBe(200);
    expect((await fetchIntent(books, id)).subscriptionId).toBeNull();
    expect(await listRefunds(books)).toEqual(['succeeded 5000']);
  });
});

describe('a signed callback of a renewal', () => {
  const renewing = async (books: Books, method: string) => {
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), method);
    stripe.fail(payments, 'lose');
    await books.client.post('mutation { advanceClock(input: { to: "2026-02-28" }) { clock } }');
    const [, invoice] = await books.invoices(id);
    return { id, made: madeFor(`${invoice.id}_1`), invoice };
  };

  it('pays it once, and later callbacks change nothing', async () => {
    const books = await open();
    const { id, made } = await renewing(books, 'pm_card_visa');
    const signed = stripe.callback('payment_intent.succeeded', made);
    await Promise.all([running.deliver(signed), running.deliver(signed)]);
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
    await books.advance('2026-03-01');
    await running.deliver(signed);
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-02-28 charge succeeded 50',
    ]);
    expect((await books.subscription(id)).billedCount).toBe(2);
  });

  it('makes it past due once', async () => {
    const books = await open();
    const { id, made } = await renewing(books, 'pm_card_chargeCustomerFail');
    const signed = stripe.callback('payment_intent.payment_failed', made);
    await Promise.all([running.deliver(signed), running.deliver(signed)]);
    await books.advance('2026-03-01');
    expect((await books.subscription(id)).status).toBe('past_due');
    expect(await books.tries(id)).toEqual(['2026-01-31 charge succeeded 50', '2026-02-28 charge failed 50']);
  });

  it('that an operator has marked paid meanwhile refunds the charge', async () => {
    const books = await open();
    const { id, made, invoice } = await renewing(books, 'pm_card_visa');
    await books.client.graphql(
      'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "bank-1" }) { id } }',
      { id: invoice.id },
    );
    await deliverCallback(made);
    await deliverCallback(made);
    expect(await listRefunds(books)).toEqual(['succeeded 5000']);
    expect(await books.bills(id)).toEqual(['2026-01-31 paid 50', '2026-02-28 paid 50']);
  });
});

describe('a callback that changes nothing', () => {
  it.each([
    ['of a tenant that is not there', { perennial_tenant: 'nobody' }],
    ['without a tenant', { perennial_tenant: undefined }],
    ['of an intent that is not there', { perennial_key: 'int_01_1' }],
    ['of an invoice that is not there', { perennial_key: 'inv_01_1' }],
    ['of a change of method', { perennial_key: 'sub_01_2026-01-31T00:00:00.000Z_pm_card_visa' }],
    ["of another tenant's intent", { perennial_tenant: 'other' }],
  ])('%s', async (_, metadata: Record<string, string | undefined>) => {
    if (metadata['perennial_tenant'] === 'other') await running.app.tenant({ alias: 'other' });
    const books = await open();
    const { made } = await waiting(books);
    const before = await running.app.backdoor.dump();
    const reported = { ...made, status: 'succeeded', metadata: { ...made.metadata, ...metadata } };
    expect((await deliverCallback(reported, 'payment_intent.succeeded')).status).toBe(200);
    expect(await running.app.backdoor.dump()).toBe(before);
  });

  it('of a type without a charge', async () => {
    const before = await running.app.backdoor.dump();
    expect((await running.deliver(stripe.callback('customer.created', { id: 'cus_1' }))).status).toBe(200);
    expect(await running.app.backdoor.dump()).toBe(before);
  });

  it.each([
    ['signed with another secret', { secret: 'whsec_other' }, undefined],
    ['signed more than five minutes ago', { timestamp: Math.floor(Date.now() / 1000) - 301 }, undefined],
    ['whose body was changed', {}, (body: string) => body.replace('succeeded', 'succeedet')],
    ['without a body', {}, () => ''],
  ])('%s is refused', async (_, options, forge) => {
    const books = await open();
    const { made } = await waiting(books);
    const signed = stripe.callback('payment_intent.succeeded', stripe.finish(made.id, true), options);
    const before = await running.app.backdoor.dump();
    const answer = await running.deliver({ ...signed, body: forge?.(signed.body) ?? signed.body });
    expectRestError(answer, 'validation_failed');
    expect(answer.body.cause.issues).toEqual([{ path: 'stripe-signature', message: expect.any(String) }]);
    expect(answer.text).not.toMatch(new RegExp(`${webhookSecret}|${secretKey}|${signed.signature}`));
    expect(await running.app.backdoor.dump()).toBe(before);
  });

  it.each(['sandbox', 'manual', 'paypal'])('to %s, which has no callbacks, is a 404', async (provider) => {
    expectRestError(
      await running.deliver(stripe.callback('payment_intent.succeeded', {}), provider),
      'route_not_found',
    );
  });
});
