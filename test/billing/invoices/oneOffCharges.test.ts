/** A charge of one-off charges whose answer is lost: it is asked about again, and nothing is charged twice. */
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import type { Charge, Outcome, PaymentProvider } from '../../../src/providers/provider.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, documents } from '../../support/oneOff.ts';
import { createShop } from '../../support/shop.ts';

const quiet = pino({ level: 'silent' });
const minutesMs = 5 * 60_000;

let clock: TestClock;
let app: TestApp;
let client: Client;
let customerId: string;
/** The amounts that the provider has moved, by key: each once. */
let moved: Map<string, bigint>;
let refunds: bigint[];
let asked: string[];
let answer: (charge: Charge) => Outcome;

const paid = ({ idempotencyKey: reference }: Charge): Outcome => ({
  status: 'succeeded',
  reference,
  methodReference: 'card',
});
const lost = (charge: Charge): Outcome => {
  moved.set(charge.idempotencyKey, charge.amountMinor);
  throw new Error('the answer was lost');
};
const decline = (): Outcome => ({ status: 'declined', reason: 'card_declined' });
const debit = ({ idempotencyKey: reference }: Charge): Outcome => ({
  status: 'pending',
  reference,
  methodReference: 'card',
});

const bank: PaymentProvider = {
  name: 'bank',
  start: async (charge) => paid(charge),
  resume: async (charge) => paid(charge),
  charge: async (charge) => {
    asked.push(`${charge.isRepeated ? 'again' : 'first'} ${charge.idempotencyKey.split('_').at(-1)}`);
    const outcome = answer(charge);
    if (outcome.status === 'succeeded') moved.set(charge.idempotencyKey, charge.amountMinor);
    return outcome;
  },
  refund: async ({ amountMinor, idempotencyKey }) => {
    refunds.push(amountMinor);
    return { status: 'succeeded', reference: idempotencyKey };
  },
};

beforeEach(async () => {
  [moved, refunds, asked, answer] = [new Map(), [], [], paid];
  clock = stoppedClock('2026-01-01T00:00:00.000Z');
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  app.service.payments.charging = [bank];
  client = await app.tenant({ alias: 'acme', test: false });
  const shop = createShop(client, 'acme', 'card');
  const customer = await shop.customer();
  await shop.subscribe(customer, (await shop.product({ recurring: { frequency: 'Yearly' } })).price);
  customerId = customer.id;
});
afterEach(async () => {
  expect(await findFaults(app, 'acme')).toEqual([]);
  await app.close();
});

const variables = () => ({ customerId, items: [{ amount: afn(20), description: 'Work' }] });
const create = async (key?: string) =>
  (await client.graphql(documents.createInvoice, variables(), key ? { 'idempotency-key': key } : {}))
    .createInvoice;
const statusOf = async (id: string) =>
  (await client.graphql('query ($id: ID!) { invoice(id: $id) { status } }', { id })).invoice.status;
const pass = async (ms = minutesMs) => {
  clock.advance(ms);
  await runDueWork(app.service, quiet);
};

it('leaves the invoice open, and the scheduler asks about the same attempt', async () => {
  answer = lost;
  const { id, status } = await create();
  expect(status).toBe('open');
  await pass();
  expect(await statusOf(id)).toBe('open');
  answer = paid;
  await pass();
  expect(await statusOf(id)).toBe('paid');
  expect(asked).toEqual(['first 1', 'again 1', 'again 1']);
  expect([...moved.values()]).toEqual([2000n]);
});

it('is asked about by payInvoice too, not charged anew', async () => {
  answer = lost;
  const { id } = await create();
  const { body } = await client.post(documents.payInvoice, { id });
  expect(body.errors[0].extensions.reason).toBe('unavailable');
  answer = paid;
  const { payInvoice } = await client.graphql(documents.payInvoice, { id });
  expect(payInvoice.status).toBe('paid');
  expect(asked).toEqual(['first 1', 'again 1', 'again 1']);
  await pass();
  expect(asked).toHaveLength(3);
});

it('gives the same invoice to a repeated request', async () => {
  answer = lost;
  const { id } = await create('key');
  answer = paid;
  expect((await create('key')).id).toBe(id);
  expect((await create('other')).id).not.toBe(id);
});

it('of a voided invoice is refunded once it turns out to have succeeded', async () => {
  answer = lost;
  const { id } = await create();
  await client.graphql(documents.voidInvoice, { id });
  answer = paid;
  await pass();
  await pass();
  expect(await statusOf(id)).toBe('void');
  expect(refunds).toEqual([2000n]);
});

it('of an invoice paid by transfer meanwhile is refunded', async () => {
  answer = lost;
  const { id } = await create();
  await client.graphql(documents.recordPayment, { id });
  answer = paid;
  await pass();
  expect([await statusOf(id), refunds]).toEqual(['paid', [2000n]]);
  await client.graphql(documents.refundInvoice, { id });
  expect(await statusOf(id)).toBe('paid');
});

it('that is declined after the crash leaves the invoice open for another attempt', async () => {
  answer = lost;
  const { id } = await create();
  moved.clear();
  answer = decline;
  await pass();
  expect(await statusOf(id)).toBe('open');
  await pass();
  expect(asked).toHaveLength(2);
  answer = paid;
  await client.graphql(documents.payInvoice, { id });
  expect(asked.at(-1)).toBe('first 2');
  expect(await statusOf(id)).toBe('paid');
});

it('on its way, such as a bank debit, is asked about until the money arrives', async () => {
  answer = debit;
  const { id, status } = await create();
  expect(status).toBe('open');
  await pass();
  expect(await statusOf(id)).toBe('open');
  answer = paid;
  await pass();
  expect(await statusOf(id)).toBe('paid');
  expect([...moved.values()]).toEqual([2000n]);
});
