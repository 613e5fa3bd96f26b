/** Automatic top-ups: when they sell, what limits them, what a failure tells, and that races and lost answers neither lose nor double. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Charge, Outcome, PaymentProvider } from '../../../src/providers/provider.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { afn, documents } from '../../support/oneOff.ts';
import { performer } from '../../support/scenario.ts';
import { createShop } from '../../support/shop.ts';
import { testSecretKey } from '../../support/app.ts';
import type { Reason } from '../../../src/lib/errors.ts';
import { dayMs, minuteMs } from '../../../src/lib/durations.ts';

const quiet = pino({ level: 'silent' });

let clock: TestClock;
let app: TestApp;
let client: Client;
let customerId: string;
let meterId: string;
/** The amounts that the provider has moved, by key: each once. */
let moved: Map<string, bigint>;
let answer: (charge: Charge) => Outcome;

const paid = ({ idempotencyKey: reference }: Charge): Outcome => ({
  status: 'succeeded',
  reference,
  methodReference: 'card',
});
const decline = (): Outcome => ({ status: 'declined', reason: 'card_declined' });
const lost = (charge: Charge): Outcome => {
  moved.set(charge.idempotencyKey, charge.amountMinor);
  throw new Error('the answer was lost');
};

const bank: PaymentProvider = {
  name: 'bank',
  start: async (charge) => paid(charge),
  resume: async (charge) => paid(charge),
  charge: async (charge) => {
    const outcome = answer(charge);
    if (outcome.status === 'succeeded') moved.set(charge.idempotencyKey, charge.amountMinor);
    return outcome;
  },
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: idempotencyKey }),
};

beforeEach(async () => {
  [moved, answer] = [new Map(), paid];
  clock = stoppedClock('2026-01-10T00:00:00.000Z');
  app = await startApp({ rateLimitPerSecond: '100000' }, { clock });
  app.service.payments.charging = [bank];
  client = await app.tenant({ alias: 'acme', test: false });
  const shop = createShop(client, 'acme', 'card');
  const customer = await shop.customer();
  await shop.subscribe(customer, (await shop.product({ recurring: { frequency: 'Yearly' } })).price);
  customerId = customer.id;
  const meter =
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }';
  meterId = (await client.graphql(meter)).createMeter.id;
  moved.clear();
});
afterEach(async () => {
  expect(await findFaults(app, 'acme')).toEqual([]);
  await app.close();
});

const fields = `id name currency costBasis monthlyLimit soldThisMonth expiresAfter { frequency period }
  threshold { amount } amount { amount } creditThreshold credits creditType { id } lastInvoice { id status total { amount } }`;
const setDocument = `mutation ($input: SetAutoTopUpInput!) { setAutoTopUp(input: $input) { ${fields} } }`;
const terms = () => ({ customerId, name: 'Credit', threshold: afn(20), amount: afn(50), monthlyLimit: 2 });
const set = async (input: object = {}) =>
  (await client.graphql(setDocument, { input: { ...terms(), ...input } })).setAutoTopUp;
const find = async (id: string) =>
  (await client.graphql(`query ($id: ID!) { autoTopUp(id: $id) { ${fields} } }`, { id })).autoTopUp;
/** Bills one-off charges, which the balance pays first. */
const bill = async (amount: number) =>
  (
    await client.graphql(documents.createInvoice, {
      customerId,
      items: [{ amount: afn(amount), description: 'Work' }],
      collect: 'send_invoice',
    })
  ).createInvoice;
const balance = async (): Promise<number> =>
  (await client.graphql('query ($id: ID!) { customer(id: $id) { balance { amount } } }', { id: customerId }))
    .customer.balance[0]?.amount ?? 0;
const work = () => runDueWork(app.service, quiet);
/** What has been told of top-ups: `credit_topped_up`, each with the figures that follow. */
const told = async () => {
  const { traces } = await client.graphql(
    '{ traces(activityType: CustomerEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
  );
  return traces.nodes
    .map(({ event }: any) => ({ ...event.details, type: event.type.replace('CustomerEvent.credit_', '') }))
    .filter(({ type }: any) => type.startsWith('top'));
};
const tellings = async () => (await told()).map(({ type }: any) => type);

describe('an automatic top-up', () => {
  it('sells at once if little is left, and then whenever it falls below the threshold', async () => {
    const rule = await set();
    expect(rule).toMatchObject({
      name: 'Credit',
      currency: 'afn',
      costBasis: '1',
      monthlyLimit: 2,
      soldThisMonth: 0,
      expiresAfter: null,
      threshold: { amount: 20 },
      amount: { amount: 50 },
      creditThreshold: null,
      credits: null,
      creditType: null,
      lastInvoice: null,
    });
    await work();
    expect([await balance(), [...moved.values()]]).toEqual([50, [5000n]]);
    await bill(30);
    await work();
    expect([await balance(), moved.size]).toEqual([20, 1]);
    await bill(0.01);
    await work();
    expect([await balance(), moved.size]).toEqual([69.99, 2]);
    expect(await find(rule.id)).toMatchObject({ soldThisMonth: 2, lastInvoice: { status: 'paid' } });
    expect((await told()).at(-1)).toMatchObject({ autoTopUpId: rule.id, amount: 50, currency: 'afn' });
  });

  it('sells at most so often in a month, tells once that it may not, and goes on in the next', async () => {
    const rule = await set();
    await work();
    await bill(50);
    await work();
    await bill(50);
    await work();
    await bill(1);
    await work();
    expect([await balance(), moved.size]).toEqual([0, 2]);
    expect(await tellings()).toEqual(['topped_up', 'topped_up', 'top_up_limited']);
    clock.advance(21 * dayMs);
    await work();
    expect(moved.size).toBe(2);
    clock.advance(dayMs);
    await work();
    expect([await balance(), moved.size]).toEqual([50, 3]);
    expect(await find(rule.id)).toMatchObject({ soldThisMonth: 1 });
  });

  it('sells again at once while one sale is not enough', async () => {
    await set({ threshold: afn(80), monthlyLimit: 10 });
    await work();
    expect([await balance(), moved.size]).toEqual([100, 2]);
  });

  it('tells that its charge has failed, and sells nothing more until that is paid', async () => {
    answer = decline;
    const rule = await set();
    await work();
    await bill(1);
    await work();
    const [, failed, ...others] = await told();
    const { lastInvoice } = await find(rule.id);
    expect(others).toEqual([]);
    expect(failed).toMatchObject({
      type: 'top_up_failed',
      autoTopUpId: rule.id,
      invoiceId: lastInvoice.id,
      reason: 'card_declined',
    });
    expect([lastInvoice.status, await balance()]).toEqual(['open', 0]);
    await set({ threshold: afn(30) });
    await work();
    expect(await tellings()).toEqual(['topped_up', 'top_up_failed']);
    answer = paid;
    await client.graphql(documents.payInvoice, { id: lastInvoice.id });
    await work();
    expect([await balance(), moved.size]).toEqual([50, 1]);
  });

  it('sells again after its failed invoice is voided, at the next use', async () => {
    answer = decline;
    const rule = await set({ monthlyLimit: 3 });
    await work();
    const { lastInvoice } = await find(rule.id);
    await client.graphql(documents.voidInvoice, { id: lastInvoice.id });
    answer = paid;
    await client.graphql(documents.grantCredit, { customerId, amount: afn(5), reason: 'Sorry' });
    await bill(1);
    await work();
    expect([await balance(), moved.size]).toEqual([54, 1]);
  });

  it('sells credits of a type, which last as long as it says', async () => {
    const { createCreditType: type } = await client.graphql(
      'mutation ($input: CreateCreditTypeInput!) { createCreditType(input: $input) { id } }',
      { input: { name: 'Calls', rates: [{ meterId, credits: '1' }] } },
    );
    const credits = { creditTypeId: type.id, threshold: '100', amount: '1000', currency: 'afn' };
    const rule = await set({
      amount: null,
      threshold: null,
      credits,
      costBasis: '0.05',
      expiresAfter: { frequency: 'Monthly', period: 1 },
    });
    expect(rule).toMatchObject({
      threshold: null,
      amount: null,
      creditThreshold: '100',
      credits: '1000',
      creditType: { id: type.id },
      expiresAfter: { frequency: 'Monthly', period: 1 },
    });
    await work();
    expect([...moved.values()]).toEqual([5000n]);
    const { creditGrants } = await client.graphql(
      '{ creditGrants(usable: true) { nodes { credits expiresAt category } } }',
    );
    expect(creditGrants.nodes).toEqual([
      { credits: '1000', expiresAt: '2026-02-10T00:00:00.000Z', category: 'paid' },
    ]);
    // The expired credits are sold again.
    clock.advance(31 * dayMs);
    await work();
    expect(moved.size).toBe(2);
  });

  it('is changed, listed and removed', async () => {
    const first = await set();
    const { id } = await set({ threshold: afn(1), name: 'Other' });
    expect(id).toBe(first.id);
    const list =
      'query ($id: ID!) { autoTopUps { nodes { id } } customer(id: $id) { autoTopUps { id name } } }';
    const all = await client.graphql(list, { id: customerId });
    expect([all.autoTopUps.nodes, all.customer.autoTopUps]).toEqual([[{ id }], [{ id, name: 'Other' }]]);
    await client.graphql('mutation ($id: ID!) { removeAutoTopUp(id: $id) { id } }', { id });
    await work();
    expect(moved.size).toBe(0);
    expect((await client.graphql(list, { id: customerId })).autoTopUps.nodes).toEqual([]);
  });

  it('is gone with an erased customer, and so is its name in the history', async () => {
    const { id } = await createShop(client, 'acme').customer({ associatedId: 'user-erased' });
    await set({ customerId: id, name: 'For Ada' });
    await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
    expect((await client.graphql('{ autoTopUps { nodes { id } } }')).autoTopUps.nodes).toEqual([]);
    expect(await app.backdoor.dump('acme')).not.toContain('For Ada');
  });
});

describe('of many uses at once', () => {
  const useOften = async () => {
    await set({ threshold: afn(60), amount: afn(100), monthlyLimit: 50 });
    await work();
    expect([await balance(), moved.size]).toEqual([100, 1]);
    await Promise.all(Array.from({ length: 50 }, () => bill(1)));
    expect(await balance()).toBe(50);
  };

  it('one sale is made, by several schedulers in one process', async () => {
    await useOften();
    await Promise.all(Array.from({ length: 5 }, work));
    expect([await balance(), moved.size]).toEqual([150, 2]);
    expect(await tellings()).toEqual(['topped_up', 'topped_up']);
  });

  it.runIf(engine === 'postgres')('one sale is made by two gateways', async () => {
    await useOften();
    const settings = {
      database: app.database,
      logLevel: 'silent',
      secretKey: testSecretKey,
      testMails: 'off',
    };
    const other = await createApp(readConfig(settings, {}), { scheduler: false, clock });
    other.service.payments.charging = [bank];
    const workThere = () => runDueWork(other.service, quiet);
    // A scheduler that waits for a lock for too long continues in its next round.
    await Promise.allSettled([work(), workThere(), work(), workThere()]);
    await work();
    await workThere();
    await other.close();
    expect([await balance(), moved.size]).toEqual([150, 2]);
  });
});

it('a charge whose answer is lost in a crash is asked about again: credit comes once, for one charge', async () => {
  answer = lost;
  const rule = await set();
  await work();
  expect([await balance(), moved.size]).toEqual([0, 1]);
  answer = paid;
  for (let round = 0; round < 3; round += 1) {
    clock.advance(5 * minuteMs);
    await work();
  }
  expect([await balance(), [...moved.values()]]).toEqual([50, [5000n]]);
  expect(await find(rule.id)).toMatchObject({ soldThisMonth: 1 });
});

test.each<[string, object, Reason, string?]>([
  ['no threshold', { threshold: null }, 'validation_failed', 'threshold'],
  ['a threshold of 0', { threshold: afn(0) }, 'validation_failed', 'threshold'],
  [
    'another currency',
    { threshold: { amount: 1, currency: 'eur' } },
    'currency_mismatch',
    'threshold.currency',
  ],
  ['an amount of 0', { amount: afn(0) }, 'validation_failed', 'amount.amount'],
  ['fractions of a minor unit', { amount: afn(0.001) }, 'amount_precision', 'amount.amount'],
  ['a price of 0', { costBasis: '0' }, 'validation_failed', 'costBasis'],
  ['a price that rounds to 0', { amount: afn(0.01), costBasis: '0.1' }, 'validation_failed', 'costBasis'],
  ['a price too large', { costBasis: '999999999999999999' }, 'validation_failed', 'costBasis'],
  ['no limit', { monthlyLimit: 0 }, 'validation_failed', 'monthlyLimit'],
  ['too high a limit', { monthlyLimit: 101 }, 'validation_failed', 'monthlyLimit'],
  [
    'an endless period',
    { expiresAfter: { frequency: 'Yearly', period: 4 } },
    'validation_failed',
    'expiresAfter.period',
  ],
  ['another customer', { customerId: 'cus_0' }, 'customer_not_found'],
])('%s is refused', async (_name, input, reason, path) => {
  const perform = performer(app, client, 'acme');
  await perform({
    graphql: [setDocument, { input: { ...terms(), ...input } }],
    reason,
    paths: path ? [path] : [],
  });
});
