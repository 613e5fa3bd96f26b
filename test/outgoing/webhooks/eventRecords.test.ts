/** The records that an event leads to, also by way of others; and events that the release before has recorded. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from '../../../src/storage/migrate.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { root } from '../../sourceFiles.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { engine } from '../../support/engines.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const selection = `type payload
  event { type action customer { id: customerId } subscription { id: subscriptionId } product { id: productId }
    price { id: priceId } group { id: groupId } intent { id: intentId status } invoice { id: invoiceId } }`;
const listed = `query ($type: ActivityType, $after: String) {
  traces(activityType: $type, first: 50, order: ASC, after: $after) { nodes { ${selection.replace('type payload', 'payload')} } }
}`;

const fetchEvents = async ({ client }: Books, type: string): Promise<any[]> =>
  (await client.graphql(listed, { type })).traces.nodes;

describe('an event has', () => {
  /** A subscription that was started, upgraded, renewed, not paid, refunded. */
  async function busy() {
    const books = await openBooks(app, '2026-01-01');
    const { shop, client } = books;
    const { id: groupId } = await shop.group({ prorateUpgrades: true });
    const customer = await shop.customer();
    const [small, large] = [await books.plan(50, { groupId }), await books.plan(90, { groupId })];
    const id = await books.subscribe(customer, small);
    await books.advance('2026-01-16');
    await books.subscribe(customer, large, 'sandbox_ok_then_declined');
    await books.advance('2026-02-02');
    const [first] = await books.invoices(id);
    await client.graphql(
      'mutation ($id: ID!) { refundInvoice(id: $id, input: { amount: { amount: 1, currency: "afn" } }) { id } }',
      {
        id: first.id,
      },
    );
    return { books, id, customer, groupId, small, large };
  }

  it('the subscription of every payment: first payment, plan change, renewal, refund', async () => {
    const { books, id, customer, groupId } = await busy();
    const payments = await fetchEvents(books, 'PaymentEvent');
    expect(payments.map(({ payload }) => payload.action)).toEqual([
      'succeeded',
      'succeeded',
      'failed',
      'refund_pending',
      'refund_succeeded',
    ]);
    for (const { event } of payments) {
      expect(event).toMatchObject({
        subscription: { id },
        customer: { id: customer.id },
        group: { id: groupId },
      });
    }
  });

  it('the product and the price of every invoice, from the intent or the subscription', async () => {
    const { books, id, small, large } = await busy();
    const invoices = await fetchEvents(books, 'InvoiceEvent');
    const sold = invoices.map(({ payload, event }) => {
      expect(event).toMatchObject({ subscription: { id }, invoice: { id: payload.resourceId } });
      expect(event.price.id).toBe(event.product.id === small.productId ? small.id : large.id);
      return [payload.object.billingReason, event.product.id];
    });
    expect(sold.map(([reason]) => reason)).toEqual(
      expect.arrayContaining(['subscription_start', 'plan_change', 'cycle']),
    );
    for (const [reason, product] of sold) {
      expect(product).toBe(reason === 'subscription_start' ? small.productId : large.productId);
    }
  });

  it('a price of each model, and the quantities of its time, as the event left them', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { shop, client } = books;
    const usd = (decimal: string) => ({ decimal, currency: 'usd' });
    const tiers = [
      { upTo: '5', unitAmount: '7.00', flatAmount: '0.00' },
      { upTo: null, unitAmount: '6.50', flatAmount: '1.00' },
    ];
    const prices = [
      { details: usd('5.5') },
      { details: usd('0.000375'), model: 'per_unit', minQuantity: 2, maxQuantity: 9, nickname: 'Calls' },
      { details: usd('10'), model: 'package', packageSize: 5 },
      { details: usd('0'), model: 'graduated', tiers },
      { details: usd('0'), model: 'volume', tiers },
    ];
    const made = [];
    for (const price of prices) made.push((await shop.product({ price })).price);
    const changed = { tenantAlias: books.alias, details: usd('0.25') };
    const { productId, id: priceId } = made[1];
    const edited = await client.rest('PATCH', `/products/${productId}/prices/${priceId}`, changed);
    expect(edited.status).toBe(200);
    const fields = `model nickname packageSize minQuantity maxQuantity details { amount decimal currency }
      tiers { upTo unitAmount flatAmount }`;
    const { traces } = await client.graphql(
      `{ traces(activityType: PriceEvent, order: ASC) { nodes { event { action price { ${fields} } } } } }`,
    );
    const plain = { model: 'flat', nickname: null, packageSize: null, minQuantity: null, maxQuantity: null };
    const shown = (amount: number, decimal: string) => ({ amount, decimal, currency: 'usd' });
    const perUnit = {
      ...plain,
      model: 'per_unit',
      nickname: 'Calls',
      minQuantity: 2,
      maxQuantity: 9,
      tiers: [],
    };
    const firstTier = shown(7, '7.00');
    expect(traces.nodes.map(({ event }: any) => event)).toEqual([
      { action: 'created', price: { ...plain, tiers: [], details: shown(5.5, '5.50') } },
      { action: 'created', price: { ...perUnit, details: shown(0.000375, '0.000375') } },
      {
        action: 'created',
        price: { ...plain, model: 'package', packageSize: 5, tiers: [], details: shown(10, '10.00') },
      },
      { action: 'created', price: { ...plain, model: 'graduated', tiers, details: firstTier } },
      { action: 'created', price: { ...plain, model: 'volume', tiers, details: firstTier } },
      { action: 'updated', price: { ...perUnit, details: shown(0.25, '0.25') } },
    ]);

    const customer = await shop.customer();
    await books.subscribe(customer, made[3], undefined, { quantity: 5 });
    await books.subscribe(customer, made[3], undefined, { quantity: 6 });
    const agreed = `{ traces(activityType: SubscriptionEvent, order: ASC) { nodes {
      payload event { subscription { quantity agreedPrice { decimal } } intent { quantity price { decimal } } }
    } } }`;
    const events = (await client.graphql(agreed)).traces.nodes;
    expect(events.map(({ event }: any) => event)).toEqual([
      {
        subscription: { quantity: 5, agreedPrice: { decimal: '35.00' } },
        intent: { quantity: 5, price: { decimal: '35.00' } },
      },
      {
        subscription: { quantity: 6, agreedPrice: { decimal: '42.50' } },
        intent: { quantity: 6, price: { decimal: '42.50' } },
      },
    ]);
    expect(events[1].payload.changes).toMatchObject({
      quantity: [5, 6],
      price: [
        { amount: 35, currency: 'usd' },
        { amount: 42.5, currency: 'usd' },
      ],
    });
  });

  it('the add-ons, taxes and credited amounts of its time, and none before', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { shop, client } = books;
    await client.graphql(
      `mutation {
        updateTenant(input: { seller: { legalName: "Perennial AG", address: { country: "CH" } } }) { alias }
        createTaxRate(input: { country: "CH", percent: "10", name: "VAT" }) { id }
      }`,
    );
    const customer = await shop.customer();
    await client.graphql(
      'mutation ($id: ID!) { updateCustomer(id: $id, input: { address: { country: "CH" } }) { id } }',
      { id: customer.id },
    );
    const addOn = await shop.product({ amount: 20, price: { setupFee: { amount: 3, currency: 'afn' } } });
    const id = await books.subscribe(customer, await books.plan(50));
    const change =
      'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }';
    await client.graphql(change, { id, input: { addOns: [{ priceId: addOn.price.id }] } });
    await client.graphql(change, { id, input: { addOns: [], billing: 'none' } });
    const firstInvoice = '{ invoices(first: 1, order: ASC) { nodes { id } } }';
    const [first] = (await client.graphql(firstInvoice)).invoices.nodes;
    await client.graphql(
      `mutation ($id: ID!) {
        createCreditNote(input: { invoiceId: $id, kind: credit, amount: { amount: 1, currency: "afn" } }) { id }
      }`,
      { id: first.id },
    );
    const { traces } =
      await client.graphql(`{ traces(first: 100, order: ASC) { nodes { activityType event { resourceId
      subscription { items { isMain setupFee { decimal } agreedPrice { decimal } } }
      invoice { tax { decimal } taxes { tax { decimal } } credited { decimal } } } } } }`);
    const listEvents = (type: string, of: string) =>
      traces.nodes
        .filter(({ activityType, event }: any) => activityType === type && event.resourceId === of)
        .map(({ event }: any) => event);
    const items = listEvents('SubscriptionEvent', id).map(({ subscription }: any) =>
      subscription.items.map(({ agreedPrice }: any) => agreedPrice.decimal),
    );
    expect(items[0]).toEqual(['50.00']);
    expect(items).toContainEqual(['50.00', '20.00']);
    expect(items.at(-1)).toEqual(['50.00']);
    const invoices = listEvents('InvoiceEvent', first.id).map(({ invoice }: any) => invoice);
    const tax = invoices[0].tax;
    expect(Number(tax.decimal)).toBeGreaterThan(4);
    expect(invoices[0]).toEqual({ tax, taxes: [{ tax }], credited: { decimal: '0.00' } });
    expect(invoices.at(-1).credited).toEqual({ decimal: '1.00' });
  });

  it('nothing where there is none, or none any more', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { shop, client } = books;
    const { intentId } = await shop.intent(await shop.customer(), await books.plan(50));
    await client.post(
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_declined" }) { id } }',
      { id: intentId },
    );
    const [{ event }] = await fetchEvents(books, 'PaymentEvent');
    expect(event).toMatchObject({ subscription: null, invoice: null, intent: { id: intentId } });
    const [price] = await fetchEvents(books, 'PriceEvent');
    expect(price.event).toMatchObject({ group: null, customer: null, product: { id: expect.any(String) } });
  });

  it('the same records in a webhook and in a trace, and none of another tenant', async () => {
    const { books, id } = await busy();
    const { client } = await openBooks(app, '2026-01-01');
    const { traces } = await books.client.graphql(
      '{ traces(activityType: PaymentEvent, first: 1) { nodes { eventId } } }',
    );
    const document = 'query ($id: ID!) { event(id: $id) { subscription { id: subscriptionId } } }';
    const { eventId } = traces.nodes[0];
    expect(await books.client.graphql(document, { id: eventId })).toEqual({
      event: { subscription: { id } },
    });
    const { body } = await client.post(document, { id: eventId });
    expect(body.errors[0].extensions.reason).toBe('trace_not_found');
  });
});

describe('a database of the previous release, which wrote `canceled`', () => {
  const statements = () =>
    readMigrations(path.join(root, 'drizzle', engine))
      .flatMap((migration) => migration.statements)
      .filter((statement) => /'canceled'|\.canceled|on Subscription|\)Subscription/.test(statement));
  const cancel = 'mutation ($id: ID!) { cancelIntent(id: $id) { id status } }';
  const query =
    '{ ...S } fragment S on Event { subscription { ... on Subscription { id } ...T } } fragment T on Subscription{ status }';

  it('is migrated to one spelling, is consistent, and keeps its traces unchanged', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { shop, client, alias } = books;
    const { intentId: id } = await shop.intent(await shop.customer(), await books.plan(50));
    const once = { 'idempotency-key': 'cancel-1' };
    const first = await client.post(cancel, { id }, once);
    expect(first.body.data.cancelIntent).toEqual({ id, status: 'cancelled' });
    const made = await client.graphql(`mutation {
      createWebhookEndpoint(input: { url: "https://shop.example/hooks", events: [] }) { endpoint { id } }
    }`);
    const endpoint = made.createWebhookEndpoint.endpoint.id;
    await client.graphql('mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id } }', { id: endpoint });

    const of = `tenant_alias = '${alias}'`;
    const castToText = (column: string) => (engine === 'postgres' ? `${column}::text` : column);
    const json = engine === 'postgres' ? '::json' : '';
    const execute = (statement: string) => app.backdoor.execute(statement);
    await execute(`update intents set status = 'canceled' where id = '${id}'`);
    await execute(
      `update webhook_deliveries set status = 'canceled', type = 'IntentEvent.canceled' where ${of}`,
    );
    const filter = `'["IntentEvent.canceled","SubscriptionEvent.canceled","InvoiceEvent"]'${json}`;
    await execute(`update webhook_endpoints set events = ${filter}, query = '${query}' where ${of}`);
    await execute(
      `update traces set payload = replace(${castToText('payload')}, 'cancelled', 'canceled')${json} where ${of} and activity_type = 'IntentEvent'`,
    );
    expect(statements()).toHaveLength(5);
    for (const statement of statements()) await execute(statement);

    expect(await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).toEqual({
      intent: { status: 'cancelled' },
    });
    const { webhookEndpoint } = await client.graphql(
      'query ($id: ID!) { webhookEndpoint(id: $id) { events query } }',
      { id: endpoint },
    );
    expect(webhookEndpoint.events).toEqual([
      'IntentEvent.cancelled',
      'SubscriptionEvent.cancelled',
      'InvoiceEvent',
    ]);
    expect(webhookEndpoint.query.match(/on \w+/g)).toEqual([
      'on Event',
      'on SubscriptionContract',
      'on SubscriptionContract',
    ]);
    const { deliveries } = await client.graphql('{ deliveries { nodes { status type } } }');
    expect(deliveries.nodes).toEqual([{ status: 'cancelled', type: 'IntentEvent.cancelled' }]);

    const trace = (await fetchEvents(books, 'IntentEvent')).at(-1);
    expect(trace.payload).toMatchObject({ action: 'canceled', object: { status: 'canceled' } });
    expect(trace.event).toMatchObject({
      type: 'IntentEvent.cancelled',
      action: 'cancelled',
      intent: { id, status: 'cancelled' },
    });
    const { findings } = await examine(app.service, () => {});
    // The query was put there past the program.
    expect(findings.filter(({ tenant, check }) => tenant === alias && check !== 'traces')).toEqual([]);
    const faults = findings.filter(({ tenant, subject }) => tenant === alias && subject !== endpoint);
    expect(faults).toEqual([]);
  });

  it('replays a stored response unchanged', async () => {
    const books = await openBooks(app, '2026-01-01');
    const { shop, client, alias } = books;
    const { intentId: id } = await shop.intent(await shop.customer(), await books.plan(50));
    const key = { 'idempotency-key': 'cancel-2' };
    await client.post(cancel, { id }, key);
    // The answer as a whole is forgotten, the mutation of the release before is not.
    const { execute, select } = await fetchRecords(alias);
    const [{ outcome }] = await select();
    const text = Buffer.from(outcome, 'base64').toString('latin1');
    const at = text.indexOf('\tcancelled');
    expect(at).toBeGreaterThan(0);
    const old = `${text.slice(0, at - 1)}"\bcanceled${text.slice(at + '\tcancelled'.length)}`;
    await execute(Buffer.from(old, 'latin1').toString('base64'));
    const again = await client.post(cancel, { id }, key);
    expect(again.body).toEqual({ data: { cancelIntent: { id, status: 'cancelled' } } });
  });

  async function fetchRecords(alias: string) {
    const where = { tenantAlias: alias, field: 'cancelIntent' };
    return {
      select: () => app.service.store.committed.select('idempotency', { where }) as Promise<any[]>,
      execute: async (outcome: string) => {
        await app.backdoor.execute(`delete from idempotency where tenant_alias = '${alias}' and field = ''`);
        await app.backdoor.execute(
          `update idempotency set outcome = '${outcome}' where tenant_alias = '${alias}'`,
        );
      },
    };
  }

  it('has its unknown filters reported by doctor', async () => {
    const { client, alias } = await openBooks(app, '2026-01-01');
    const made = await client.graphql(`mutation {
      createWebhookEndpoint(input: { url: "https://shop.example/hooks" }) { endpoint { id } }
    }`);
    const subject = made.createWebhookEndpoint.endpoint.id;
    const json = engine === 'postgres' ? '::json' : '';
    await app.backdoor.execute(
      `update webhook_endpoints set events = '["InvoiceEvent.payed"]'${json} where tenant_alias = '${alias}'`,
    );
    const { findings } = await examine(app.service, () => {});
    expect(findings.filter((each) => each.tenant === alias && each.check === 'webhook_filter')).toMatchObject(
      [
        {
          subject,
          found: expect.stringContaining('InvoiceEvent.payed'),
          repair: expect.stringContaining('eventTypes'),
        },
      ],
    );
  });
});

it('no page or schema has another spelling than `cancelled`', () => {
  for (const file of [
    'schema.graphql',
    'openapi.json',
    'README.md',
    'docs/events.md',
    'docs/guides/webhooks.md',
  ]) {
    expect(readFileSync(path.join(root, file), 'utf8')).not.toMatch(/\bcancel(ed|ing)\b/i);
  }
});
