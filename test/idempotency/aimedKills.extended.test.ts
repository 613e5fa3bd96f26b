/**
 * The program is killed at named moments: between a charge and the credit that it buys, while usage that has reached a threshold is
 * billed, and while reservations are settled. Nothing is billed twice, and no grant is lost.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { afn } from '../support/oneOff.ts';
import type { Aim } from '../support/aimed/aim.ts';
import { openAimed, type Aimed, type AimedTenant } from '../support/aimed/aimed.ts';
import { repeat } from '../support/killable.ts';
import { createShop, type Shop } from '../support/shop.ts';

let aimed: Aimed;
let tenant: AimedTenant;
let shop: Shop;
beforeAll(async () => {
  aimed = await openAimed();
});
beforeEach(async () => {
  tenant = await aimed.openTenant('2026-01-01T00:00:00.000Z');
  shop = createShop(tenant.client, tenant.alias, 'card');
});
afterAll(async () => {
  expect(await aimed.examine()).toEqual([]);
  await aimed.close();
});

const root = (data: any): any => Object.values(data)[0];
const ask = async (document: string, variables: object = {}) =>
  root(await tenant.client.graphql(document, variables as any));
/** Sends a mutation, again with the same key until it is answered. Returns its root field. */
const askOnce = async (document: string, variables: object, key: string) => {
  const headers = { 'idempotency-key': key };
  const send = async () => (await tenant.client.post(document, variables as any, headers)).body;
  const { data, errors } = await repeat(send);
  if (errors) throw new Error(JSON.stringify(errors));
  return root(data);
};

/** A customer with a saved card. */
async function openPayer(): Promise<string> {
  const customer = await shop.customer();
  const { price } = await shop.product({ amount: 10, recurring: { frequency: 'Yearly' } });
  await shop.subscribe(customer, price);
  tenant.moved.clear();
  return customer.id;
}

/** The invoices of a customer but the first, oldest first: `paid 50`. */
const bills = async (customerId: string): Promise<string[]> => {
  const document = `query ($id: ID!) { invoices(customerId: $id, order: ASC, first: 50) {
    nodes { status total { amount } } } }`;
  const { nodes } = await ask(document, { id: customerId });
  return nodes.slice(1).map(({ status, total }: any) => `${status} ${total.amount}`);
};

/** The grants of a customer, oldest first, and their uses: `50, left 43, use 7`. */
const grants = async (): Promise<string[]> => {
  const { nodes } = await ask(`{ creditGrants(order: ASC) { nodes {
    amount { amount } remaining { amount } uses(order: ASC) { nodes { kind amount { amount } } } } } }`);
  return nodes.map(({ amount, remaining, uses }: any) =>
    [
      amount.amount,
      `left ${remaining.amount}`,
      ...uses.nodes.map((use: any) => `${use.kind} ${use.amount.amount}`),
    ].join(', '),
  );
};
/** What was charged. An order of nothing starts with a charge of 0, which may be reported after the list was emptied. */
const listMoved = () => [...tenant.moved.values()].map(Number).filter((amountMinor) => amountMinor > 0);

const grant = { table: 'balanceEntries', has: { kind: 'grant' } };
const use = { table: 'balanceEntries', has: { kind: 'use' } };

/** Moments of the sale of credit. */
const ofSales: [name: string, aim: Aim][] = [
  ['when the invoice is written', { when: 'at write', table: 'invoices' }],
  ['before the invoice is committed', { when: 'before commit', table: 'invoices' }],
  ['when the invoice is committed', { when: 'after commit', table: 'invoices' }],
  ['before the charge', { when: 'before charge' }],
  ['after the charge', { when: 'after charge' }],
  ['when the grant is written', { when: 'at write', ...grant }],
  ['before the grant is committed', { when: 'before commit', ...grant }],
  ['when the grant is committed', { when: 'after commit', ...grant }],
];

const topUpDocument = `mutation ($input: TopUpCreditInput!) { topUpCredit(input: $input) { id status total { amount } } }`;

test.each(ofSales)('credit that is bought is charged and granted once if it ends %s', async (_, aim) => {
  const customerId = await openPayer();
  const input = { customerId, name: 'Prepaid', amount: afn(50) };
  const buy = () => askOnce(topUpDocument, { input }, 'bought');
  await aimed.strike(aim, buy);
  const invoice = await buy();
  expect(invoice).toMatchObject({ status: 'paid', total: { amount: 50 } });
  await tenant.finishWork();
  expect(await buy()).toEqual(invoice);
  expect([await bills(customerId), await grants(), listMoved()]).toEqual([
    ['paid 50'],
    ['50, left 50'],
    [5000],
  ]);
});

// Nothing is left to be done of a sale that was not committed.
test.each(ofSales.slice(2))(
  'credit that is bought is charged and granted by the scheduler if it ends %s',
  async (_, aim) => {
    const customerId = await openPayer();
    const input = { customerId, name: 'Prepaid', amount: afn(50) };
    await aimed.strike(aim, () => askOnce(topUpDocument, { input }, 'bought'));
    await tenant.finishWork();
    expect([await bills(customerId), await grants(), listMoved()]).toEqual([
      ['paid 50'],
      ['50, left 50'],
      [5000],
    ]);
  },
);

const ofAutomaticSales: [name: string, aim: Aim][] = [
  ...ofSales,
  ['when the check is committed', { when: 'after commit', table: 'autoTopUps', has: { checkAt: null } }],
];

test.each(ofAutomaticSales)('an automatic top-up sells once if it ends %s', async (_, aim) => {
  const customerId = await openPayer();
  const rule = {
    customerId,
    name: 'Prepaid',
    amount: afn(50),
    threshold: afn(20),
    monthlyLimit: 5,
  };
  const document = 'mutation ($input: SetAutoTopUpInput!) { setAutoTopUp(input: $input) { id } }';
  await aimed.strike(aim, () => ask(document, { input: rule }));
  await tenant.finishWork();
  expect([await bills(customerId), await grants(), listMoved()]).toEqual([
    ['paid 50'],
    ['50, left 50'],
    [5000],
  ]);
  expect(await ask('{ autoTopUps { nodes { soldThisMonth lastInvoice { status } } } }')).toEqual({
    nodes: [{ soldThisMonth: 1, lastInvoice: { status: 'paid' } }],
  });
});

const createGrant = (input: object) =>
  ask('mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }', { input });

/** Moments of a payment that uses credit. */
const ofPayments: [name: string, aim: Aim][] = [
  ['when the payment has begun', { when: 'after commit', table: 'intents', has: { status: 'processing' } }],
  ['after the charge', { when: 'after charge' }],
  ['when the use of the grant is written', { when: 'at write', ...use }],
  ['before the use of the grant is committed', { when: 'before commit', ...use }],
  ['when the use of the grant is committed', { when: 'after commit', ...use }],
];

test.each(ofPayments)('an order uses the grants that it has reserved once if it ends %s', async (_, aim) => {
  const customer = await shop.customer();
  for (const category of ['promotional', 'paid'])
    await createGrant({ customerId: customer.id, name: 'Credit', category, amount: afn(6) });
  const { price } = await shop.product({ amount: 50, recurring: { frequency: 'Monthly' } });
  const { intentId } = await shop.intent(customer, price);
  await aimed.strike(aim, () => shop.confirm(intentId));
  await tenant.finishWork();
  const order = await ask('query ($id: ID!) { intent(id: $id) { status } }', { id: intentId });
  expect(order).toEqual({ status: 'succeeded' });
  expect([await grants(), listMoved()]).toEqual([['6, left 0, use 6', '6, left 0, use 6'], [3800]]);
  expect(await ask('{ invoices { nodes { status total { amount } } } }')).toEqual({
    nodes: [{ status: 'paid', total: { amount: 38 } }],
  });
});

const threshold = { table: 'invoices', has: { billingReason: 'usage_threshold' } };
const opened = { table: 'invoices', has: { status: 'open' } };
const paid = { table: 'invoices', has: { status: 'paid' } };

/** Moments of a bill of usage that has reached a threshold. */
const ofThresholds: [name: string, aim: Aim][] = [
  ['when the usage is written', { when: 'at write', table: 'usageChecks' }],
  ['before the usage is committed', { when: 'before commit', table: 'usageChecks' }],
  ['when the usage is committed', { when: 'after commit', table: 'usageEvents' }],
  ['when the draft is written', { when: 'at write', ...threshold }],
  ['before the draft is committed', { when: 'before commit', ...threshold }],
  ['when the draft is committed', { when: 'after commit', ...threshold }],
  ['when the use of a grant is written', { when: 'at write', ...use }],
  ['before the draft is opened', { when: 'before commit', ...opened }],
  ['when the draft is opened', { when: 'after commit', ...opened }],
  ['before the charge', { when: 'before charge' }],
  ['after the charge', { when: 'after charge' }],
  ['when the payment is written', { when: 'at write', table: 'payments' }],
  ['before the payment is committed', { when: 'before commit', ...paid }],
  ['when the payment is committed', { when: 'after commit', ...paid }],
];

test.each(ofThresholds)('usage that reaches a threshold is billed once if it ends %s', async (_, aim) => {
  const meter = await ask(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: sum, value: "units" }) { id } }',
  );
  const customer = await shop.customer();
  const { price } = await shop.product({
    amount: 1,
    recurring: { frequency: 'Monthly' },
    price: { meterId: meter.id },
  });
  const order = { customerId: customer.id, productId: price.productId, priceId: price.id };
  const intent = await ask(
    'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
    { input: { ...order, receiptUrl: 'https://example.com', billingThreshold: afn(100) } },
  );
  await shop.confirm(intent.id);
  tenant.moved.clear();
  for (const category of ['promotional', 'paid'])
    await createGrant({ customerId: customer.id, name: 'Credit', category, amount: afn(20) });
  const events = [{ id: 'e', event: 'call', customerId: customer.id, properties: { units: '130' } }];
  const document = `mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted duplicates } }`;
  const record = () => ask(document, { events });
  await aimed.strike(aim, record);
  const { accepted, duplicates } = await record();
  expect(accepted + duplicates).toBe(1);
  await expect.poll(() => bills(customer.id)).toHaveLength(1);
  await tenant.finishWork();
  const used = ['20, left 0, use 20', '20, left 0, use 20'];
  expect([await bills(customer.id), await grants(), listMoved()]).toEqual([['paid 90'], used, [9000]]);
  await ask('mutation { advanceClock(input: { to: "2026-02-01" }) { clock } }');
  expect([await bills(customer.id), await grants(), listMoved()]).toEqual([
    ['paid 90', 'paid 0'],
    used,
    [9000],
  ]);
});

/** Moments of what takes from a limit, by the table that it writes. */
const ofUse = (table: string): [name: string, aim: Aim][] => [
  ['when it is written', { when: 'at write', table }],
  ['before it is committed', { when: 'before commit', table }],
  ['when it is committed', { when: 'after commit', table }],
];

/** A customer with a limit of 100. */
async function openLimited() {
  const customer = await shop.customer();
  const meter = await ask(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: sum, value: "units" }) { id } }',
  );
  const feature = { key: 'calls', name: 'Calls', kind: 'limit', meterId: meter.id };
  await ask('mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }', {
    input: feature,
  });
  const override = { customerId: customer.id, feature: 'calls', value: 100 };
  await ask('mutation ($input: OverrideEntitlementInput!) { overrideEntitlement(input: $input) { id } }', {
    input: override,
  });
  const check = () =>
    ask(
      'query ($id: ID!) { checkEntitlement(customerId: $id, feature: "calls") { used reserved remaining } }',
      { id: customer.id },
    );
  const wanted = { customerId: customer.id, feature: 'calls' };
  const reserve = () =>
    ask('mutation ($input: ReserveEntitlementInput!) { reserveEntitlement(input: $input) { id status } }', {
      input: { id: 'reserved', ...wanted, amount: '60' },
    });
  return { check, reserve, wanted };
}

test.each(ofUse('usageEvents'))('a use is counted once if it ends %s', async (_, aim) => {
  const { check, wanted } = await openLimited();
  const input = { id: 'used', ...wanted, amount: '60' };
  const consume = () =>
    ask('mutation ($input: ConsumeEntitlementInput!) { consumeEntitlement(input: $input) { allowed } }', {
      input,
    });
  await aimed.strike(aim, consume);
  expect(await consume()).toEqual({ allowed: true });
  expect(await check()).toEqual({ used: '60', reserved: '0', remaining: '40' });
});

test.each(ofUse('reservations'))('a reservation is made once if it ends %s', async (_, aim) => {
  const { check, reserve } = await openLimited();
  await aimed.strike(aim, reserve);
  expect((await reserve()).status).toBe('open');
  expect(await check()).toEqual({ used: '0', reserved: '60', remaining: '40' });
});

const ofSettlements: [name: string, aim: Aim][] = [
  ['when its use is written', { when: 'at write', table: 'usageEvents' }],
  ['when its total is written', { when: 'at write', table: 'usageTotals' }],
  ...ofUse('reservations'),
];

test.each(ofSettlements)('a reservation is settled once if it ends %s', async (_, aim) => {
  const { check, reserve } = await openLimited();
  const { id } = await reserve();
  const settle = () =>
    ask('mutation ($id: ID!) { settleReservation(id: $id, input: { amount: "45" }) { status } }', { id });
  await aimed.strike(aim, settle);
  expect(await settle()).toEqual({ status: 'settled' });
  expect(await check()).toEqual({ used: '45', reserved: '0', remaining: '55' });
});

test.each(ofUse('reservations'))('a reservation is released once if it ends %s', async (_, aim) => {
  const { check, reserve } = await openLimited();
  const { id } = await reserve();
  const release = () => ask('mutation ($id: ID!) { releaseReservation(id: $id) { status } }', { id });
  await aimed.strike(aim, release);
  expect(await release()).toEqual({ status: 'released' });
  expect(await check()).toEqual({ used: '0', reserved: '0', remaining: '100' });
});
