/** The program is killed at named moments while alerts of credit are told: each is told once, and queued once to an endpoint. */
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

const ask = async (document: string, variables: object = {}): Promise<any> =>
  Object.values(await tenant.client.graphql(document, variables as any))[0];

/** The events of alerts, and the deliveries that are queued for them. */
async function listTold(): Promise<{ told: string[]; queued: string[] }> {
  const isAlert = (type: string) => /[.](usage_alert|spend_alert|credit_low)$/.test(type);
  const { nodes } = await ask('{ traces(order: ASC, first: 100) { nodes { eventId event { type } } } }');
  const events = nodes.flatMap(({ eventId: id, event }: any) =>
    event && isAlert(event.type) ? [{ id, type: event.type }] : [],
  );
  const sent = await ask('{ deliveries(first: 50) { nodes { eventId type sequence } } }');
  const deliveries = sent.nodes
    .filter(({ type }: any) => isAlert(type))
    .toSorted((one: any, other: any) => one.sequence - other.sequence);
  expect(deliveries.map(({ eventId }: any) => eventId)).toEqual(events.map(({ id }: any) => id));
  return {
    told: events.map(({ type }: any) => type),
    queued: deliveries.map(({ type }: any) => type),
  };
}

const expectTold = async (...types: string[]) => {
  const { told, queued } = await listTold();
  expect(told.toSorted()).toEqual(types.toSorted());
  expect(queued.toSorted()).toEqual(types.toSorted());
};

const openEndpoint = () =>
  ask(
    'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id } } }',
    {
      input: {
        url: 'https://hooks.invalid/alerts',
        events: ['CustomerEvent.usage_alert', 'CustomerEvent.credit_low', 'SubscriptionEvent.spend_alert'],
      },
    },
  );

const ofGrants: [name: string, aim: Aim][] = [
  ['when the use is written', { when: 'at write', table: 'balanceEntries' }],
  ['when the delivery is written', { when: 'at write', table: 'webhookDeliveries' }],
  ['before it is committed', { when: 'before commit', table: 'balanceEntries' }],
  ['when it is committed', { when: 'after commit', table: 'balanceEntries' }],
];

test.each(ofGrants)('what is left of a grant is told once if it ends %s', async (_, aim) => {
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
  await expectTold('CustomerEvent.credit_low');
});
