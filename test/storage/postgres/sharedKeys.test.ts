/** Keyed requests at two gateways of one database: each repeat gets the result, or hears that the first is under way. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Outcome, PaymentProvider } from '../../../src/providers/provider.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { stoppedClock } from '../../support/clock.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';

const log = pino({ level: 'silent' });
let scratch: Scratch;
let gateways: [App, App];
let apiKey: string;
/** The keys of the charges that the provider was asked for. */
let asked: string[];
let answer: (key: string) => Outcome | Promise<Outcome>;

const succeed = (key: string): Outcome => ({
  status: 'succeeded',
  reference: key,
  methodReference: 'pm_any',
});
const decline = (): Outcome => ({ status: 'declined', reason: 'too_poor' });

const provider: PaymentProvider = {
  name: 'slow',
  start: async ({ idempotencyKey }) => succeed(idempotencyKey),
  resume: () => Promise.reject(new Error('not asked')),
  charge: async ({ idempotencyKey }) => {
    asked.push(idempotencyKey);
    return answer(idempotencyKey);
  },
  refund: () => Promise.reject(new Error('not asked')),
};

beforeEach(async () => {
  [asked, answer] = [[], succeed];
  scratch = await scratchDatabase();
  const clock = stoppedClock('2026-01-01T00:00:00.000Z');
  const config = readConfig(
    { database: scratch.url.replace(/lock_timeout=\d+/, 'lock_timeout=5000'), logLevel: 'silent' },
    {},
  );
  const open = () => createApp(config, { clock, log, scheduler: false });
  gateways = [await open(), await open()];
  for (const gateway of gateways) gateway.service.payments.charging = [provider];
  await createTenant(gateways[0].service, { alias: 'acme' });
  await createTenant(gateways[0].service, { alias: 'trial', test: true, clock: '2026-01-01T00:00:00.000Z' });
  ({ apiKey } = await createKey(gateways[0].service, { tenant: 'acme' }));
});
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await scratch.drop();
});

async function send(
  at: 0 | 1,
  query: string,
  variables: object,
  key?: string,
  sender = apiKey,
): Promise<any> {
  const headers = { 'api-key': sender, ...(key && { 'idempotency-key': key }) };
  const payload = { query, variables };
  return (await gateways[at].server.inject({ method: 'POST', url: '/graphql', headers, payload })).json();
}

/** The reason of a response, or the status of the record in it. */
const read = ({ data, errors, body }: any): string =>
  errors?.[0].extensions.reason ?? body?.reason ?? Object.values<any>(data)[0].status;

/** Opens an invoice of one-off charges whose first charge was declined. */
async function openInvoice(): Promise<string> {
  const { data } = await send(
    0,
    'mutation { createCustomer(input: { email: "a@example.com", firstName: "A", lastName: "L", associatedId: "c" }) { id } }',
    {},
  );
  const { id: customerId } = data.createCustomer;
  const addMethod =
    'mutation ($customerId: ID!) { addPaymentMethod(input: { customerId: $customerId, paymentMethod: "pm_any" }) { id } }';
  await send(0, addMethod, { customerId });
  answer = decline;
  const bill = `mutation ($customerId: ID!) {
    createInvoice(input: { customerId: $customerId, items: [{ amount: { amount: 20, currency: "usd" }, description: "Work" }] }) { id status }
  }`;
  const made = await send(0, bill, { customerId });
  expect(made.data.createInvoice.status).toBe('open');
  asked.length = 0;
  return made.data.createInvoice.id;
}

const payDocument = 'mutation ($id: ID!) { payInvoice(id: $id) { status } }';

it('each of two keyed payments of an invoice, both sent to both gateways at once, ends with the same result', async () => {
  const id = await openInvoice();
  const pay = (at: 0 | 1, key: string) => send(at, payDocument, { id }, key);
  let release!: (outcome: Outcome) => void;
  answer = () => new Promise((resolve) => (release = resolve));
  const first = pay(0, 'one');
  await expect.poll(() => asked.length).toBe(1);
  answer = succeed;
  const [refused, second] = [pay(1, 'one'), pay(1, 'two')];
  expect(read(await refused)).toBe('request_in_flight');
  expect(read(await second)).toBe('paid');
  release(succeed(asked[0]!));
  expect(read(await first)).toBe('paid');
  for (const key of ['one', 'two'])
    for (const at of [0, 1] as const) expect([key, read(await pay(at, key))]).toEqual([key, 'paid']);
  // Both requests ask for the same attempt.
  expect(new Set(asked)).toEqual(new Set([`${id}_2`]));
});

it('a repeat of a payment that found an attempt just ended gets the outcome of that attempt', async () => {
  const id = await openInvoice();
  answer = decline;
  const answers = await Promise.all(
    (['a', 'b', 'c', 'd'] as const).flatMap((key) =>
      ([0, 1] as const).map((at) => send(at, payDocument, { id }, key)),
    ),
  );
  expect(answers.map(read)).not.toContain('internal_error');
  for (const key of ['a', 'b', 'c', 'd'])
    for (const at of [0, 1] as const)
      expect(read(await send(at, payDocument, { id }, key))).toBe('payment_failed');
});

it('a key refused at one gateway because the other has changed the state gets the result or is in flight', async () => {
  const { apiKey: tester } = await createKey(gateways[0].service, { tenant: 'trial' });
  const advance = (at: 0 | 1, key: string, to: string) =>
    send(
      at,
      'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { status: clock } }',
      { to },
      key,
      tester,
    );
  for (let day = 2; day < 12; day++) {
    const to = `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
    const answers = await Promise.all(
      [0, 1, 0, 1].map((at) => advance(at as 0 | 1, `to ${day}`.replace(' ', '-'), to)),
    );
    for (const each of answers.map(read)) expect([to, 'request_in_flight']).toContain(each);
    // The clock is later now: what was refused before is still answered with the result.
    expect(read(await advance(1, `to-${day}`, to))).toBe(to);
  }
});
