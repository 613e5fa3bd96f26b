/** A server that stops while a payment provider does not answer: it ends in time, and the next one completes the payment. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp } from '../../support/app.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { secretKey, startFakeStripe, webhookSecret, type FakeStripe } from '../../support/fakeStripe.ts';
import { createShop } from '../../support/shop.ts';

const chargePath = '/v1/payment_intents';
let scratch: Scratch;
let stripe: FakeStripe;
beforeEach(async () => {
  scratch = await scratchDatabase();
  stripe = await startFakeStripe();
});
afterEach(async () => {
  stripe.close();
  await scratch.drop();
});

it('a server stops while a renewal awaits its provider, and the next server charges once', async () => {
  const clock = stoppedClock('2026-01-31T10:00:00.000Z');
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
  const start = (scheduler: boolean) =>
    startApp(
      {
        database: scratch.url,
        payments: 'stripe',
        stripeUrl: stripe.url,
        stripeSecretKey: secretKey,
        stripeWebhookSecret: webhookSecret,
        publicUrl: 'https://billing.example',
      },
      { clock, scheduler, log, timing: { stopMs: 200 } },
    );
  const first = await start(true);
  const client = await first.tenant({ alias: 'acme', test: false });
  const shop = createShop(client, 'acme');
  const { price } = await shop.product();
  const { intentId } = await shop.intent(await shop.customer(), price);
  await shop.confirm(intentId, 'pm_card_visa');
  const charges = () => stripe.requests.filter((each) => each.split(' ')[1] === chargePath).length;
  const before = charges();

  const release = stripe.hold(chargePath);
  clock.advance(29 * dayMs);
  await expect.poll(charges).toBe(before + 1);
  // The provider has moved the money, and its answer never comes.
  await first.close();
  expect(logged.join()).toContain('the next server continues it');
  release();

  const second = await start(false);
  clock.advance(dayMs);
  await runDueWork(second.service, log);
  const invoices = await second
    .client(client.apiKey)
    .graphql('{ invoices(order: ASC) { nodes { status total { amount } } } }');
  const paid = { status: 'paid', total: { amount: 50 } };
  expect(invoices.invoices.nodes).toEqual([paid, paid]);
  expect(stripe.moved.map(({ kind }) => kind)).toEqual(['charge', 'charge']);
  await second.close();
});
