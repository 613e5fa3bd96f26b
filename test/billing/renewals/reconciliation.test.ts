/** The money moved and the answer was lost: whatever happens meanwhile, it is found, and given back where nobody owes it. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PaymentProvider } from '../../../src/providers/provider.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock, type TestClock } from '../../support/clock.ts';
import { createShop, type Shop } from '../../support/shop.ts';

const quiet = pino({ level: 'silent' });
const monthMs = 31 * dayMs;

let clock: TestClock;
let app: TestApp;
let client: Client;
let shop: Shop;
/** What the provider has moved, by key: each once. */
let moved: Map<string, string>;
let answersAreLost: boolean;

const deaf: PaymentProvider = {
  name: 'deaf',
  start: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `charge ${amountMinor}`),
  resume: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `charge ${amountMinor}`),
  charge: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `charge ${amountMinor}`),
  refund: async ({ idempotencyKey, amountMinor, chargeReference }) =>
    answer(idempotencyKey, `refund ${amountMinor} of ${chargeReference.split('_')[0]}`),
};

function answer(key: string, what: string) {
  moved.set(key, what);
  if (answersAreLost) throw new Error('the answer was lost');
  return { status: 'succeeded' as const, reference: key, methodReference: 'deaf' };
}

beforeEach(async () => {
  [moved, answersAreLost] = [new Map(), false];
  clock = stoppedClock('2026-01-01T00:00:00.000Z');
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  app.service.payments.charging = [deaf];
  client = await app.tenant({ alias: 'acme', test: false });
  shop = createShop(client, 'acme', 'card');
});
afterEach(() => app.close());

const subscribe = async () => {
  const { price } = await shop.product();
  return shop.subscribe(await shop.customer(), price);
};

/** The renewal is charged, and nobody learns of it. */
async function loseRenewal() {
  clock.advance(monthMs);
  answersAreLost = true;
  await runDueWork(app.service, quiet);
  answersAreLost = false;
}

/** A good while later the provider can be heard again. */
async function listen() {
  clock.advance(dayMs);
  await runDueWork(app.service, quiet);
  await runDueWork(app.service, quiet);
}

const run = (mutation: string, id: string) =>
  client.graphql(`mutation ($id: ID!) { ${mutation} { id } }`, { id });

/** Every payment, as `charge succeeded 5000`, and what the provider moved. */
async function books() {
  const payments = await app.service.store.committed.select('payments', {
    where: {},
    orderBy: ['createdAt', 'id'],
  });
  return {
    payments: payments.map(({ kind, status, provider }) => `${kind} ${status} ${provider}`),
    moved: [...moved.values()].filter((each) => !each.startsWith('charge 0')),
  };
}

it('a charge of a subscription cancelled meanwhile is refunded once', async () => {
  const { id } = await subscribe();
  await loseRenewal();
  await run('cancelSubscription(id: $id)', id);
  await listen();
  expect(await books()).toEqual({
    payments: ['charge succeeded deaf', 'charge succeeded deaf', 'refund succeeded deaf'],
    moved: ['charge 5000', 'charge 5000', 'refund 5000 of inv'],
  });
});

it('a charge of a customer deleted meanwhile is refunded once', async () => {
  const { customerId } = await subscribe();
  await loseRenewal();
  await run('deleteCustomer(id: $id)', customerId);
  await listen();
  expect((await books()).moved).toEqual(['charge 5000', 'charge 5000', 'refund 5000 of inv']);
});

it('a charge of an invoice paid by transfer meanwhile is refunded, and the transfer is not', async () => {
  const { id } = await subscribe();
  await loseRenewal();
  const [open] = await app.service.store.committed.select('invoices', {
    where: { subscriptionId: id, status: 'open' },
  });
  await run('recordPayment(id: $id, input: { reference: "transfer" })', open!.id);
  await listen();
  expect(await books()).toEqual({
    payments: [
      'charge succeeded deaf',
      'charge succeeded manual',
      'charge succeeded deaf',
      'refund succeeded deaf',
    ],
    moved: ['charge 5000', 'charge 5000', 'refund 5000 of inv'],
  });
  await run('refundInvoice(id: $id)', open!.id);
  expect((await books()).payments.at(-1)).toBe('refund succeeded manual');
});

it('a pause that begins meanwhile keeps the paid period and bills nothing while paused', async () => {
  const { id } = await subscribe();
  await loseRenewal();
  await run('pauseSubscription(id: $id)', id);
  await listen();
  clock.advance(6 * monthMs);
  await runDueWork(app.service, quiet);
  await run('resumeSubscription(id: $id)', id);
  await runDueWork(app.service, quiet);
  const lines = await app.service.store.committed.select('invoiceLines', { where: {}, orderBy: ['id'] });
  const resumed = clock.now();
  expect(
    lines.map(({ periodStart, periodEnd }) => `${periodStart.slice(0, 10)}/${periodEnd.slice(0, 10)}`),
  ).toEqual(['2026-01-01/2026-02-01', '2026-02-01/2026-03-01', `${resumed.slice(0, 10)}/2026-09-01`]);
});

it('the first payment of a customer deleted meanwhile is refunded', async () => {
  const { price } = await shop.product();
  const customer = await shop.customer();
  const { intentId } = await shop.intent(customer, price);
  answersAreLost = true;
  await expect(shop.confirm(intentId, 'card')).rejects.toThrow(/unavailable/i);
  answersAreLost = false;
  await run('deleteCustomer(id: $id)', customer.id);
  await listen();
  expect(await books()).toEqual({
    payments: ['charge succeeded deaf', 'refund succeeded deaf'],
    moved: ['charge 5000', 'refund 5000 of int'],
  });
});

it('the payment of a plan change is refunded if the subscription is cancelled meanwhile', async () => {
  const group = await shop.group();
  const basic = await shop.product({ groupId: group.id });
  const pro = await shop.product({ groupId: group.id, amount: 90 });
  const customer = await shop.customer();
  const { id } = await shop.subscribe(customer, basic.price);
  const { intentId } = await shop.intent(customer, pro.price);
  answersAreLost = true;
  await expect(shop.confirm(intentId, 'card')).rejects.toThrow(/unavailable/i);
  answersAreLost = false;
  await run('cancelSubscription(id: $id)', id);
  await listen();
  expect((await books()).moved).toEqual(['charge 5000', 'charge 9000', 'refund 9000 of int']);
});

it('a refund whose response was lost is repeated and made once', async () => {
  const { id } = await subscribe();
  const [paid] = await app.service.store.committed.select('invoices', { where: { subscriptionId: id } });
  answersAreLost = true;
  await expect(
    run('refundInvoice(id: $id, input: { amount: { amount: 20, currency: "afn" } })', paid!.id),
  ).rejects.toThrow(/unavailable/i);
  answersAreLost = false;
  expect((await books()).payments.at(-1)).toBe('refund pending deaf');
  await listen();
  expect(await books()).toEqual({
    payments: ['charge succeeded deaf', 'refund succeeded deaf'],
    moved: ['charge 5000', 'refund 2000 of int'],
  });
  await run('refundInvoice(id: $id)', paid!.id);
  expect((await books()).moved.at(-1)).toBe('refund 3000 of int');
});
