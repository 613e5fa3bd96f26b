import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { PaymentProvider } from '../../src/providers/provider.ts';
import { performDue } from '../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { dayMs, stoppedClock } from '../support/clock.ts';
import { shopOf } from '../support/shop.ts';

const clock = stoppedClock('2026-01-01T00:00:00.000Z');
let app: TestApp;
afterEach(() => app.close());

it('a method that is changed while the subscription is cancelled leaves it cancelled, and nothing due', async () => {
  app = await startApp({}, { clock });
  const client = await app.tenant({ alias: 'acme', test: false });
  const shop = shopOf(client, 'acme', 'card');
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
  app.service.payments = { standard: attentive };
  const { price } = await shop.product();
  const { id } = await shop.subscribe(await shop.customer(), price);
  clock.advance(31 * dayMs);
  await performDue(app.service, pino({ level: 'silent' }));

  const cancel = 'mutation ($id: ID!) { cancelSubscription(id: $id) { id cancelledAt pastDueSince } }';
  meanwhile = async () =>
    expect((await client.graphql(cancel, { id })).cancelSubscription.cancelledAt).toBeTruthy();
  const set = 'mutation ($id: ID!) { setPaymentMethod(subscriptionId: $id, paymentMethod: "other") { id } }';
  const { errors } = (await client.post(set, { id })).body;
  expect(errors).toMatchObject([{ extensions: { reason: 'subscription_not_active' } }]);

  const [kept] = await app.service.store.fresh.select('subscriptions', { where: { id } });
  expect(kept).toMatchObject({ dueAt: null, nextBillingDate: null, parkedReason: null });
  expect(await performDue(app.service, pino({ level: 'silent' }))).toBe(0);
});
