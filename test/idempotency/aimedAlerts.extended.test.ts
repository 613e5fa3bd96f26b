/**
 * The program is killed at named moments while alerts of limits, amounts and credit are noted, compared and told: each is told once,
 * and queued once to an endpoint and as a mail.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Aim } from '../support/aimed/aim.ts';
import { openAimed, type Aimed, type AimedTenant } from '../support/aimed/aimed.ts';
import { repeat } from '../support/killable.ts';
import { afn } from '../support/oneOff.ts';
import { createShop, type Shop } from '../support/shop.ts';

let aimed: Aimed;
let tenant: AimedTenant;
let shop: Shop;
beforeAll(async () => {
  aimed = await openAimed({ testMails: 'on' });
});
beforeEach(async () => {
  tenant = await aimed.openTenant('2026-01-01T00:00:00.000Z');
  shop = createShop(tenant.client, tenant.alias, 'card');
});
afterAll(async () => {
  expect(await aimed.examine()).toEqual([]);
  await aimed.close();
});

const ask = async (document: string, variables: object = {}): Promise<any> =>
  Object.values(await tenant.client.graphql(document, variables as any))[0];

const limitAlert = 'CustomerEvent.usage_alert';
const amountAlert = 'SubscriptionEvent.spend_alert';
const grantAlerts = ['CustomerEvent.credit_used', 'CustomerEvent.credit_low'];
const alerts = [limitAlert, amountAlert, ...grantAlerts];

const isAlert = (type: string) => alerts.includes(type);

/** The events of alerts, and the deliveries and the mails that are queued for them. */
async function listTold() {
  const { nodes } = await ask('{ traces(order: ASC, first: 100) { nodes { eventId event { type } } } }');
  const events = nodes.flatMap(({ eventId: id, event }: any) =>
    event && isAlert(event.type) ? [{ id, type: event.type }] : [],
  );
  const sent = await ask('{ deliveries(first: 50) { nodes { eventId type sequence } } }');
  const deliveries = sent.nodes
    .filter(({ type }: any) => isAlert(type))
    .toSorted((one: any, other: any) => one.sequence - other.sequence);
  expect(deliveries.map(({ eventId }: any) => eventId)).toEqual(events.map(({ id }: any) => id));
  const mails = await ask('{ mailDeliveries(first: 50) { nodes { kind } } }');
  return {
    told: events.map(({ type }: any) => type),
    mails: mails.nodes.map(({ kind }: any) => kind).filter((kind: string) => kind.endsWith('_alert')),
  };
}

/** Expects these events, and a mail of each kind. */
async function expectTold(expected: string[], kinds: string[]) {
  const { told, mails } = await listTold();
  expect(told.toSorted()).toEqual(expected.toSorted());
  expect(mails.toSorted()).toEqual(kinds.toSorted());
}

const openEndpoint = () =>
  ask(
    'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id } } }',
    { input: { url: 'https://hooks.invalid/alerts', events: alerts } },
  );

/** A customer who pays 1 a unit, with a limit of 100 and alerts at shares of it, and others at amounts. */
async function openAlerting(): Promise<string> {
  const customer = await shop.customer();
  const meter = await ask(
    'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: sum, value: "units" }) { id } }',
  );
  await ask('mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { id } }', {
    input: { key: 'calls', name: 'Calls', kind: 'limit', meterId: meter.id, alertPercents: [50, 90, 100] },
  });
  await ask('mutation ($input: OverrideEntitlementInput!) { overrideEntitlement(input: $input) { id } }', {
    input: { customerId: customer.id, feature: 'calls', value: 100 },
  });
  const { price } = await shop.product({
    amount: 1,
    recurring: { frequency: 'Monthly' },
    price: { meterId: meter.id },
  });
  const { intentId } = await shop.intent(customer, price);
  const { subscriptionId: id } = await shop.confirm(intentId);
  await ask(
    'mutation ($id: ID!, $input: UpdateSubscriptionInput!) { updateSubscription(id: $id, input: $input) { id } }',
    { id, input: { spendAlerts: [afn(40), afn(80), afn(120)] } },
  );
  await tenant.finishWork();
  await openEndpoint();
  return customer.id;
}

const aims: [name: string, aim: Aim][] = [
  ['when the usage is written', { when: 'at write', table: 'usageEvents' }],
  ['when the check is written', { when: 'at write', table: 'limitChecks' }],
  ['before the usage is committed', { when: 'before commit', table: 'usageEvents' }],
  ['when the usage is committed', { when: 'after commit', table: 'usageEvents' }],
  ['when what was told of a limit is written', { when: 'at write', table: 'limitAlerts' }],
  ['when what was told of a subscription is written', { when: 'at write', table: 'subscriptions' }],
  ['when a mail is written', { when: 'at write', table: 'mailDeliveries' }],
  ['when a delivery is written', { when: 'at write', table: 'webhookDeliveries' }],
  ['before what was told is committed', { when: 'before commit', table: 'limitAlerts' }],
  ['when what was told is committed', { when: 'after commit', table: 'limitAlerts' }],
];

test.each(aims)('shares of a limit and amounts are told once if it ends %s', async (_, aim) => {
  const customerId = await openAlerting();
  const record = async () => {
    const events = [{ id: 'e', event: 'call', customerId, properties: { units: '95' } }];
    const { accepted, duplicates } = await ask(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted duplicates } }',
      { events },
    );
    expect(accepted + duplicates).toBe(1);
  };
  await aimed.strike(aim, record);
  await record();
  await tenant.finishWork();
  await expectTold([limitAlert, limitAlert, amountAlert, amountAlert], ['usage_alert', 'spend_alert']);
});

const ofGrants: [name: string, aim: Aim][] = [
  ['when the use is written', { when: 'at write', table: 'balanceEntries' }],
  ['when the mail is written', { when: 'at write', table: 'mailDeliveries' }],
  ['when the delivery is written', { when: 'at write', table: 'webhookDeliveries' }],
  ['before it is committed', { when: 'before commit', table: 'balanceEntries' }],
  ['when it is committed', { when: 'after commit', table: 'balanceEntries' }],
];

test.each(ofGrants)('what is used and left of a grant is told once if it ends %s', async (_, aim) => {
  const customer = await shop.customer();
  const grant = { customerId: customer.id, name: 'Credit', category: 'promotional', amount: afn(10) };
  await ask('mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }', {
    input: { ...grant, alertBelow: afn(5) },
  });
  await openEndpoint();
  const input = {
    customerId: customer.id,
    items: [{ amount: afn(6), description: 'Work' }],
    collect: 'send_invoice',
  };
  const bill = async () => {
    const document = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';
    const send = async () =>
      (await tenant.client.post(document, { input }, { 'idempotency-key': 'billed' })).body;
    expect((await repeat(send)).errors).toBeUndefined();
  };
  await aimed.strike(aim, bill);
  await bill();
  await tenant.finishWork();
  await expectTold(grantAlerts, ['credit_alert']);
});
