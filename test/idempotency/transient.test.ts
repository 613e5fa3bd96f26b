/** What fails in passing is never kept under an `Idempotency-Key`: the repeat is performed, and nothing twice. */
import { randomUUID } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentProvider } from '../../src/providers/provider.ts';
import { runDueWork } from '../../src/app/scheduler.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { dayMs, stoppedClock, type TestClock } from '../support/clock.ts';
import { confirmDocument, createShop, type Shop } from '../support/shop.ts';

const quiet = pino({ level: 'silent' });
const monthMs = 31 * dayMs;

let clock: TestClock;
let app: TestApp;
let client: Client;
let shop: Shop;
/** What the provider has moved: how often each key came, and what for. */
let moved: Map<string, string>;
let fault: 'none' | 'not reached' | 'answer lost' | 'declines';

const provider: PaymentProvider = {
  name: 'flaky',
  start: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `charge ${amountMinor}`),
  resume: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `charge ${amountMinor}`),
  charge: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `charge ${amountMinor}`),
  refund: async ({ idempotencyKey, amountMinor }) => answer(idempotencyKey, `refund ${amountMinor}`),
};

function answer(key: string, what: string) {
  if (fault === 'not reached') throw new Error('nobody there');
  if (fault === 'declines') return { status: 'declined' as const, reason: 'too_poor' };
  moved.set(key, what);
  if (fault === 'answer lost') throw new Error('the answer was lost');
  return { status: 'succeeded' as const, reference: key, methodReference: 'flaky' };
}

beforeEach(async () => {
  [moved, fault] = [new Map(), 'none'];
  clock = stoppedClock('2026-01-01T00:00:00.000Z');
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  app.service.payments.charging = [provider];
  client = await app.tenant({ alias: 'acme', test: false });
  shop = createShop(client, 'acme', 'pm_any');
});
afterEach(() => app.close());

const payments = async () =>
  (
    await app.service.store.fresh.select('payments', {
      where: { tenantAlias: 'acme' },
      orderBy: ['createdAt', 'id'],
    })
  ).map(({ kind, status }) => `${kind} ${status}`);
const money = () => [...moved.values()].filter((each) => !each.endsWith(' 0'));

async function intentId() {
  const { price } = await shop.product();
  return (await shop.intent(await shop.customer(), price)).intentId as string;
}

async function subscription() {
  const { price } = await shop.product();
  return shop.subscribe(await shop.customer(), price);
}

interface Sent {
  document: string;
  variables: Record<string, unknown>;
  /** What is in the books once it has been performed, once. */
  after: { payments: string[]; money: string[] };
}

const mutations: [name: string, prepare: () => Promise<Sent>][] = [
  [
    'confirmIntent',
    async () => ({
      document: confirmDocument,
      variables: { id: await intentId(), method: 'pm_any' },
      after: { payments: ['charge succeeded'], money: ['charge 5000'] },
    }),
  ],
  [
    'refundInvoice',
    async () => {
      await subscription();
      const [invoice] = await app.service.store.fresh.select('invoices', { where: { tenantAlias: 'acme' } });
      return {
        document:
          'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 20, currency: "afn" } }) { id status } }',
        variables: { id: invoice!.id },
        after: { payments: ['charge succeeded', 'refund succeeded'], money: ['charge 5000', 'refund 2000'] },
      };
    },
  ],
  [
    'setPaymentMethod, which charges what is past due',
    async () => {
      const { id } = await subscription();
      fault = 'declines';
      clock.advance(monthMs);
      await runDueWork(app.service, quiet);
      return {
        document:
          'mutation ($id: ID!) { setPaymentMethod(id: $id, input: { paymentMethod: "pm_any" }) { id } }',
        variables: { id },
        after: {
          payments: ['charge succeeded', 'charge failed', 'charge succeeded'],
          money: ['charge 5000', 'charge 5000'],
        },
      };
    },
  ],
];

describe.each(mutations)('%s', (_, prepare) => {
  it.each(['not reached', 'answer lost'] as const)(
    'is performed by the repeat, once, where the provider was: %s',
    async (what) => {
      const { document, variables, after } = await prepare();
      const headers = { 'idempotency-key': randomUUID() };
      fault = what;
      const first = await client.post(document, variables, headers);
      expect(first.body.errors[0].extensions.reason).toBe('unavailable');
      // It stays refused, and truly so, for as long as the fault lasts.
      const still = await client.post(document, variables, headers);
      expect(still.body.errors[0].extensions.reason).toBe('unavailable');
      expect(still.headers['idempotent-replayed']).toBeUndefined();

      fault = 'none';
      const second = await client.post(document, variables, headers);
      expect(second.body.errors, second.text).toBeUndefined();
      expect(second.headers['idempotent-replayed']).toBeUndefined();
      const third = await client.post(document, variables, headers);
      expect([third.text, third.headers['idempotent-replayed']]).toEqual([second.text, 'true']);
      expect({ payments: await payments(), money: money() }).toEqual(after);
    },
  );
});

it('a repeat continues from the values that an earlier release recorded, without names', async () => {
  await subscription();
  const [invoice] = await app.service.store.fresh.select('invoices', { where: { tenantAlias: 'acme' } });
  const variables = { id: invoice!.id };
  const document =
    'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 20, currency: "afn" } }) { id } }';
  const headers = { 'idempotency-key': randomUUID() };
  fault = 'answer lost';
  await client.post(document, variables, headers);
  const where = { tenantAlias: 'acme', idempotencyKey: headers['idempotency-key'] };
  const [record] = await app.service.store.fresh.select('idempotency', { where });
  const values = [...(deserialize(Buffer.from(record!.progress!, 'base64')) as unknown[])];
  await app.service.store.transact('acme', (queries) =>
    queries.update('idempotency', where, { progress: serialize(values).toString('base64') }),
  );
  fault = 'none';
  const { body, text } = await client.post(document, variables, headers);
  expect(body.errors, text).toBeUndefined();
  expect({ payments: await payments(), money: money() }).toEqual({
    payments: ['charge succeeded', 'refund succeeded'],
    money: ['charge 5000', 'refund 2000'],
  });
});

it('a repeat returns the payment that the scheduler has resumed meanwhile', async () => {
  const variables = { id: await intentId(), method: 'pm_any' };
  const headers = { 'idempotency-key': randomUUID() };
  fault = 'answer lost';
  await client.post(confirmDocument, variables, headers);
  fault = 'none';
  clock.advance(121_000);
  await runDueWork(app.service, quiet);
  const { body } = await client.post(confirmDocument, variables, headers);
  expect(body.data.confirmIntent).toMatchObject({ status: 'succeeded', subscriptionId: expect.any(String) });
  expect({ payments: await payments(), money: money() }).toEqual({
    payments: ['charge succeeded'],
    money: ['charge 5000'],
  });
});

it('a decline after a fault is returned to the repeat and stored', async () => {
  const variables = { id: await intentId(), method: 'pm_any' };
  const headers = { 'idempotency-key': randomUUID() };
  fault = 'not reached';
  await client.post(confirmDocument, variables, headers);
  fault = 'declines';
  const declined = await client.post(confirmDocument, variables, headers);
  expect(declined.body.errors[0].extensions.reason).toBe('payment_failed');
  fault = 'none';
  const again = await client.post(confirmDocument, variables, headers);
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([declined.text, 'true']);
  expect(await payments()).toEqual(['charge failed']);
});

it('a response with an unreadable field is not stored; the mutation is not performed again', async () => {
  const group = await shop.group();
  const document = `mutation ($groupId: ID) {
    createProduct(input: { name: "Pro", description: "", prices: [], groupId: $groupId }) { id group { metadata } }
  }`;
  const send = () => client.post(document, { groupId: group.id }, { 'idempotency-key': 'read-after-commit' });
  await app.backdoor.poison('groups', group.id);
  const first = await send();
  expect(first.body.errors[0].extensions.reason).toBe('internal_error');
  await app.backdoor.execute(
    `update groups set metadata = '{"mended":true}', created_at = '2026-01-01T00:00:00.000Z' where id = '${group.id}'`,
  );
  const second = await send();
  expect(second.body.data.createProduct).toEqual({
    id: expect.any(String),
    group: { metadata: { mended: true } },
  });
  expect(second.headers['idempotent-replayed']).toBeUndefined();
  const products = await app.service.store.fresh.select('products', { where: { tenantAlias: 'acme' } });
  expect(products.map(({ id }) => id)).toEqual([second.body.data.createProduct.id]);
  expect((await send()).headers['idempotent-replayed']).toBe('true');
});

it('of 50 concurrent repeats after a fault one is performed, and all return its result', async () => {
  const variables = { id: await intentId(), method: 'pm_any' };
  const headers = { 'idempotency-key': randomUUID() };
  fault = 'answer lost';
  await client.post(confirmDocument, variables, headers);
  fault = 'none';
  const send = () => client.post(confirmDocument, variables, headers);
  for (const { body } of await Promise.all(Array.from({ length: 50 }, send))) {
    const reason = body.errors?.[0]?.extensions?.reason ?? body.body?.reason;
    expect(reason ?? body.data.confirmIntent.status).toMatch(/^(succeeded|request_in_flight)$/);
  }
  expect((await send()).body.data.confirmIntent.status).toBe('succeeded');
  expect({ payments: await payments(), money: money() }).toEqual({
    payments: ['charge succeeded'],
    money: ['charge 5000'],
  });
});
