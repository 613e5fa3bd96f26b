import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentProvider } from '../../../src/providers/provider.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { openBooks, type Books } from '../../support/books.ts';
import type { FakeStripe } from '../../support/fakeStripe.ts';
import { createShop } from '../../support/shop.ts';
import { startStripeApp, type StripeApp } from '../../support/stripeApp.ts';

const clock = stoppedClock('2026-01-01T00:00:00.000Z');
let app: TestApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

it('a method changed during a cancellation leaves the subscription cancelled, with nothing due', async () => {
  app = await startApp({}, { clock });
  const { service } = app;
  const client = await app.tenant({ alias: 'acme', test: false });
  const shop = createShop(client, 'acme', 'card');
  let meanwhile: () => Promise<unknown> = async () => undefined;
  const paid = { status: 'succeeded' as const, reference: 'r', methodReference: 'card' };
  const attentive: PaymentProvider = {
    name: 'attentive',
    start: async () => {
      await meanwhile();
      return paid;
    },
    resume: async () => paid,
    charge: async () => ({ status: 'declined', reason: 'card_declined' }),
    refund: async () => ({ status: 'succeeded', reference: 'r' }),
  };
  service.payments.charging = [attentive];
  const { price } = await shop.product();
  const { id } = await shop.subscribe(await shop.customer(), price);
  clock.advance(31 * dayMs);
  await runDueWork(service, pino({ level: 'silent' }));

  const cancel = 'mutation ($id: ID!) { cancelSubscription(id: $id) { id cancelledAt pastDueSince } }';
  meanwhile = async () =>
    expect((await client.graphql(cancel, { id })).cancelSubscription.cancelledAt).toBeTruthy();
  const set = 'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "other" }) { id } }';
  const { errors } = (await client.post(set, { id })).body;
  expect(errors).toMatchObject([{ extensions: { reason: 'subscription_not_active' } }]);

  const [kept] = await service.store.fresh.select('subscriptions', { where: { id } });
  expect(kept).toMatchObject({ dueAt: null, nextBillingDate: null, parkedReason: null });
  expect(await runDueWork(service, pino({ level: 'silent' }))).toBe(0);
});

describe('a method that the payer must confirm', () => {
  const must = 'pm_card_authenticationRequired';
  const set = `mutation ($id: ID!, $method: String!) {
    setPaymentMethod(id: $id, input: { paymentMethod: $method }) { id status }
  }`;
  let running: StripeApp;
  let stripe: FakeStripe;
  beforeAll(async () => {
    running = await startStripeApp();
    stripe = running.stripe;
  });
  afterAll(() => running.close());

  const report = (made: any, type = 'setup_intent.succeeded') => running.deliver(stripe.callback(type, made));
  const findMethod = async ({ alias: tenantAlias }: Books, id: string) => {
    const { committed } = running.app.service.store;
    const [subscription] = await committed.select('subscriptions', { where: { tenantAlias, id } });
    const where = { tenantAlias, id: subscription!.paymentMethodId! };
    return (await committed.select('paymentMethods', { where }))[0]!.reference;
  };
  /** A subscription, and the confirmation of a method that its payer is asked for. */
  const ask = async (method = 'pm_card_visa', until?: string) => {
    const books = await openBooks(running.app, '2026-01-31');
    const id = await books.subscribe(await books.shop.customer(), await books.plan(50), method);
    if (until) await books.advance(until);
    const before = await findMethod(books, id);
    const { body } = await books.client.post(set, { id, method: must });
    const made = [...stripe.intents.values()].at(-1);
    expect(body.errors).toMatchObject([
      {
        extensions: {
          reason: 'payment_action_required',
          status: 402,
          issues: [{ path: 'paymentMethod', actionUrl: made.next_action.redirect_to_url.url }],
        },
      },
    ]);
    expect(await findMethod(books, id)).toBe(before);
    return { books, id, made, before, confirmed: `${made.customer}/${made.payment_method}` };
  };

  it('is saved when the provider reports the confirmation, once', async () => {
    const { books, id, made, confirmed } = await ask();
    for (let time = 0; time < 2; time++) await report(stripe.finish(made.id, true));
    expect(await findMethod(books, id)).toBe(confirmed);
    const dump = await running.app.backdoor.dump();
    await report(made);
    expect(await running.app.backdoor.dump()).toBe(dump);
  });

  it('then pays a past-due invoice, once', async () => {
    const { books, id, made } = await ask('pm_card_chargeCustomerFail', '2026-02-28');
    expect((await books.subscription(id)).status).toBe('past_due');
    // Later charges of this method need the payer again: what counts is that one charge was made.
    await Promise.all([report(stripe.finish(made.id, true)), report(made)]);
    expect(await books.tries(id)).toEqual([
      '2026-01-31 charge succeeded 50',
      '2026-02-28 charge failed 50',
      '2026-02-28 charge failed 50',
    ]);
  });

  it('is saved by a repeated request without the callback', async () => {
    const { books, id, made, confirmed } = await ask();
    stripe.finish(made.id, true);
    await books.perform({
      graphql: [set, { id, method: must }],
      holds: { status: 'active' },
      traces: [
        'PaymentMethodEvent created',
        'CustomerEvent updated < PaymentMethodEvent created',
        'SubscriptionEvent payment_method_changed',
      ],
    });
    expect(await findMethod(books, id)).toBe(confirmed);
  });

  it('does not replace one that was set later', async () => {
    const { books, id, made } = await ask();
    await books.advance('2026-02-01');
    await books.run('setPaymentMethod(id: $id, input: { paymentMethod: "pm_sepa_kept" })', id);
    const later = await findMethod(books, id);
    await report(stripe.finish(made.id, true));
    expect(await findMethod(books, id)).toBe(later);
  });

  it.each([
    ['is not confirmed', async () => {}, 'setup_intent.setup_failed', false],
    [
      'is confirmed after the cancellation',
      (books: Books, id: string) => books.run('cancelSubscription(id: $id)', id),
      'setup_intent.succeeded',
      true,
    ],
  ])('that %s changes nothing', async (_, meanwhile, type, succeeds) => {
    const { books, id, made, before } = await ask();
    await meanwhile(books, id);
    const dump = await running.app.backdoor.dump();
    expect((await report(stripe.finish(made.id, succeeds), type)).status).toBe(200);
    expect(await findMethod(books, id)).toBe(before);
    expect(await running.app.backdoor.dump()).toBe(dump);
  });

  it('is requested once with an Idempotency-Key, and the repeat returns the same URL', async () => {
    const { books, id } = await ask();
    const send = () => books.client.post(set, { id, method: must }, { 'idempotency-key': `method-${id}` });
    const [first, second] = [await send(), await send()];
    expect(first.body.errors[0].extensions.issues[0].actionUrl).toMatch(/^https:/);
    expect(second.body).toEqual(first.body);
  });
});
