/** A keyed mutation of several steps, and two gateways: the living one keeps it, a silent one loses it and commits no more. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { PaymentProvider } from '../../../src/providers/provider.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { confirmDocument } from '../../support/shop.ts';

const log = pino({ level: 'silent' });
let scratch: Scratch;
let clock: TestClock;
let gateways: [App, App];
let apiKey: string;
/** Lets the charges go on that the first gateway has asked for. */
let release: () => void;
let charges: string[];

const provider = (name: string, held: Promise<void>): PaymentProvider => ({
  name: 'slow',
  start: async ({ idempotencyKey }) => {
    charges.push(`${name} ${idempotencyKey}`);
    await held;
    return { status: 'succeeded', reference: idempotencyKey, methodReference: 'm' };
  },
  resume: () => Promise.reject(new Error('not asked')),
  charge: () => Promise.reject(new Error('not asked')),
  refund: () => Promise.reject(new Error('not asked')),
});

beforeEach(async () => {
  charges = [];
  scratch = await scratchDatabase();
  clock = stoppedClock('2026-01-01T00:00:00.000Z');
  const config = readConfig(
    { database: scratch.url.replace(/lock_timeout=\d+/, 'lock_timeout=5000'), logLevel: 'silent' },
    {},
  );
  const open = () => createApp(config, { clock, log, scheduler: false });
  gateways = [await open(), await open()];
  const held = new Promise<void>((resolve) => (release = resolve));
  gateways[0].service.payments.charging = [provider('one', held)];
  gateways[1].service.payments.charging = [provider('two', Promise.resolve())];
  await createTenant(gateways[0].service, { alias: 'acme' });
  ({ apiKey } = await createKey(gateways[0].service, { tenant: 'acme' }));
});
afterEach(async () => {
  release();
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await scratch.drop();
});

const send = async (gateway: App, url: string, payload: object, key?: string) =>
  (
    await gateway.server.inject({
      method: 'POST',
      url,
      headers: { 'api-key': apiKey, ...(key && { 'idempotency-key': key }) },
      payload,
    })
  ).json();

async function intent(): Promise<string> {
  const own = { tenantAlias: 'acme' };
  const prices = [{ details: { amount: 50, currency: 'usd' } }];
  const rest = (path: string, fields: object) => send(gateways[0], `/api/v1${path}`, { ...own, ...fields });
  const { product, prices: made } = await rest('/products', { name: 'Pro', description: '', prices });
  const customer = await rest('/customers', {
    email: 'a@example.com',
    firstName: 'A',
    lastName: 'L',
    associatedId: 'c',
  });
  const { intentId } = await rest('/subscriptions/intent', {
    customerId: customer.id,
    associatedCustomerId: 'c',
    productId: product.id,
    priceId: made[0].id,
    receiptUrl: 'https://example.com/',
  });
  return intentId;
}

const confirm = (gateway: App, id: string) =>
  send(gateway, '/graphql', { query: confirmDocument, variables: { id, method: 'pm_any' } }, 'k');
const getOutcome = ({ data, errors }: any) => errors?.[0].extensions.reason ?? data.confirmIntent.status;
const count = async (query: string) => Number((await scratch.backdoor.all(query))[0]!['count']);

it('a gateway does not take over the claim of a live one, however long that works', async () => {
  const id = await intent();
  const first = confirm(gateways[0], id);
  await expect.poll(() => charges.length).toBe(1);
  for (let passed = 0; passed < 4; passed++) {
    clock.advance(5000);
    const until = () =>
      scratch.backdoor.all('SELECT claimed_until AS until FROM idempotency WHERE outcome IS NULL');
    // The claim is extended, at the moment that the clock shows.
    await expect
      .poll(async () => Number(new Date((await until())[0]!['until'] as string)) - clock.nowMs())
      .toBe(6000);
    expect(getOutcome(await confirm(gateways[1], id))).toBe('request_in_flight');
    await runDueWork(gateways[1].service, log);
  }
  release();
  expect(getOutcome(await first)).toBe('succeeded');
  expect(getOutcome(await confirm(gateways[1], id))).toBe('succeeded');
  expect(charges).toEqual([`one ${id}_1`]);
});

it('a gateway that was silent for too long loses its claim: another continues, and the first commits nothing', async () => {
  const id = await intent();
  const first = confirm(gateways[0], id);
  await expect.poll(() => charges.length).toBe(1);
  // Extended every two seconds of the machine; this takes less.
  clock.advance(6001);
  expect(getOutcome(await confirm(gateways[1], id))).toBe('succeeded');
  release();
  // It answers what the other has done.
  expect(getOutcome(await first)).toBe('succeeded');
  expect(charges).toEqual([`one ${id}_1`, `two ${id}_1`]);
  expect(await count('SELECT count(*) FROM subscriptions')).toBe(1);
  expect(await count("SELECT count(*) FROM payments WHERE kind = 'charge'")).toBe(1);
  expect(await count("SELECT count(*) FROM traces WHERE activity_type = 'PaymentEvent'")).toBe(1);
});

it.each([
  ['a minute is kept', 60_000, 'request_in_flight', 0],
  ['longer is not, because the clock has been set back since', 60_001, 'succeeded', 1],
])('the claim of a killed gateway that lasts %s', async (_, leftMs, outcome, subscriptions) => {
  const id = await intent();
  const first = confirm(gateways[0], id);
  await expect.poll(() => charges.length).toBe(1);
  const until = new Date(clock.nowMs() + leftMs).toISOString();
  await scratch.backdoor.execute(`UPDATE idempotency SET owner = 'killed', claimed_until = '${until}'`);
  expect(getOutcome(await confirm(gateways[1], id))).toBe(outcome);
  release();
  expect(getOutcome(await first)).toBe(outcome);
  expect(await count('SELECT count(*) FROM subscriptions')).toBe(subscriptions);
  expect(new Set(charges.map((charge) => charge.split(' ')[1])).size).toBe(1);
});

it('a gateway that stops releases its claim at once', async () => {
  const id = await intent();
  const first = confirm(gateways[0], id);
  await expect.poll(() => charges.length).toBe(1);
  await Promise.all([...gateways[0].service.underWay].map((end) => end()));
  expect(getOutcome(await confirm(gateways[1], id))).toBe('succeeded');
  release();
  // It answers what the other has done.
  expect(getOutcome(await first)).toBe('succeeded');
  expect(await count('SELECT count(*) FROM subscriptions')).toBe(1);
});
