import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { signInOperator, type TestOperator } from '../support/operators.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
/** One id of each type. */
let idOf: Record<string, string>;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  idOf = await sampleIds(client, 'acme');
});
afterAll(() => app.close());

async function sampleIds(of: Client, alias: string): Promise<Record<string, string>> {
  const shop = createShop(of, alias);
  const [customer, group] = [await shop.customer(), await shop.group()];
  const { product, price } = await shop.product({ groupId: group.id });
  const { intentId } = await shop.intent(customer, price);
  const { subscriptionId } = await shop.confirm(intentId);
  const { invoices, subscriptions, traces } = await of.graphql(
    `{
      invoices { nodes { id payments { id } lines { id } } }
      subscriptions { nodes { items { id } } }
      traces(first: 1) { nodes { id } }
    }`,
  );
  const { createWebhookEndpoint } = await of.graphql(
    'mutation { createWebhookEndpoint(input: { url: "https://shop.example" }) { endpoint { id } } }',
  );
  const endpoint = createWebhookEndpoint.endpoint.id;
  const { testWebhookEndpoint: delivery } = await of.graphql(
    'mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id } }',
    { id: endpoint },
  );
  const credit = await of.graphql(
    `mutation ($id: ID!) { grantCredit(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, reason: "Sorry" }) { id } }`,
    { id: customer.id },
  );
  const item = await of.graphql(
    `mutation ($id: ID!) {
      createInvoiceItem(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, description: "Work" }) { id }
    }`,
    { id: customer.id },
  );
  const { createCoupon: coupon } = await of.graphql(
    'mutation { createCoupon(input: { name: "Sale", percentOff: "10", duration: once }) { id } }',
  );
  const { createPromotionCode, applyDiscount } = await of.graphql(
    `mutation ($id: ID!, $customerId: ID!) {
      createPromotionCode(input: { couponId: $id, code: "SALE" }) { id }
      applyDiscount(input: { customerId: $customerId, couponId: $id }) { id }
    }`,
    { id: coupon.id, customerId: customer.id },
  );
  const { createTaxRate: rate } = await of.graphql(
    'mutation { createTaxRate(input: { country: "DE", percent: "7" }) { id } }',
  );
  const { createCreditNote: note } = await of.graphql(
    'mutation ($id: ID!) { createCreditNote(input: { invoiceId: $id, kind: credit }) { id } }',
    { id: invoices.nodes[0].id },
  );
  const mails = await of.graphql(`mutation {
    sendTestMail(input: { to: "dev@example.com" }) { id }
    updateMailTemplate(input: { kind: receipt, language: en, subject: "Thanks" }) { id }
  }`);
  const { customer: payer } = await of.graphql(
    'query ($id: ID!) { customer(id: $id) { defaultPaymentMethod { id } } }',
    { id: customer.id },
  );
  const { createPortalSession: visit } = await of.graphql(
    'mutation ($id: ID!) { createPortalSession(input: { customerId: $id }) { session { id } } }',
    { id: customer.id },
  );
  const { createCustomerSession: begun } = await of.graphql(
    'mutation ($id: ID!) { createCustomerSession(input: { customerId: $id }) { session { id } } }',
    { id: customer.id },
  );
  const { mrrMovements } = await of.graphql('{ mrrMovements(first: 1) { nodes { id } } }');
  return {
    MrrMovement: mrrMovements.nodes[0].id,
    Customer: customer.id,
    PaymentMethod: payer.defaultPaymentMethod.id,
    PortalSession: visit.session.id,
    CustomerSession: begun.session.id,
    CreditNote: note.id,
    Payment: invoices.nodes[0].payments[0].id,
    InvoiceLine: invoices.nodes[0].lines[0].id,
    SubscriptionItem: subscriptions.nodes[0].items[0].id,
    TaxRate: rate.id,
    Coupon: coupon.id,
    PromotionCode: createPromotionCode.id,
    Discount: applyDiscount.id,
    Credit: credit.grantCredit.id,
    InvoiceItem: item.createInvoiceItem.id,
    Group: group.id,
    Product: product.id,
    Price: price.id,
    SubscriptionIntent: intentId,
    SubscriptionContract: subscriptionId,
    Invoice: invoices.nodes[0].id,
    Trace: traces.nodes[0].id,
    WebhookEndpoint: endpoint,
    WebhookDelivery: delivery.id,
    MailDelivery: mails.sendTestMail.id,
    MailTemplate: mails.updateMailTemplate.id,
  };
}

const nodeDocument = 'query ($id: ID!) { node(id: $id) { __typename id } }';
const nodesDocument = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

const nodeTypes = () => {
  const node = schema.getType('Node');
  return isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
};

/** The ids of what only operators find: the keys of the tenant, and what is their own. */
async function sampleOperatorIds(operator: TestOperator): Promise<Record<string, string>> {
  const run = async (document: string, variables?: object) =>
    (await operator.post(document, variables)).body.data;
  const { createApiKey } = await run('mutation { createApiKey(input: { scope: read }) { key { id } } }');
  const { startPasskeyRegistration } = await run(
    'mutation { startPasskeyRegistration { challengeId options } }',
  );
  const { challengeId, options } = startPasskeyRegistration;
  const response = createAuthenticator('http://localhost:4000').create(options);
  const { finishPasskeyRegistration } = await run(
    `mutation ($input: FinishPasskeyRegistrationInput!) {
      finishPasskeyRegistration(input: $input) { id sessions { id } passkeys { id } }
    }`,
    { input: { challengeId, response } },
  );
  const { id, sessions, passkeys } = finishPasskeyRegistration;
  return {
    ApiKey: createApiKey.key.id,
    Operator: id,
    OperatorSession: sessions[0].id,
    OperatorPasskey: passkeys[0].id,
  };
}

describe('node', () => {
  it('finds an object of every type that is a Node', async () => {
    for (const [type, id] of Object.entries(idOf)) {
      expect((await client.graphql(nodeDocument, { id })).node).toEqual({ __typename: type, id });
    }
    const operator = await signInOperator(app, { tenant: 'acme' });
    const other = await signInOperator(app, { tenant: 'acme' });
    const ofOperators = await sampleOperatorIds(operator);
    for (const [type, id] of Object.entries(ofOperators)) {
      const { body } = await operator.post(nodeDocument, { id });
      expect(body.data.node).toEqual({ __typename: type, id });
      const found = type === 'ApiKey' ? { __typename: type, id } : null;
      expect((await other.post(nodeDocument, { id })).body.data.node).toEqual(found);
      expect((await client.graphql(nodeDocument, { id })).node).toBeNull();
    }
    expect(Object.keys({ ...idOf, ...ofOperators }).toSorted()).toEqual(nodeTypes().toSorted());
  });

  it('returns the fields of its type', async () => {
    const document = `query ($id: ID!) { node(id: $id) { id ... on Customer { associatedId activeSubscriptions { id } } } }`;
    const { node } = await client.graphql(document, { id: idOf['Customer'] });
    expect(node).toEqual({
      id: idOf['Customer'],
      associatedId: expect.any(String),
      activeSubscriptions: [{ id: idOf['SubscriptionContract'] }],
    });
  });

  const wrong = ['', 'cus_', 'cus_unknown', 'nonsense', 'toString_1', '__proto___1', 'grp', "cus_' OR 1=1"];
  it.each(wrong)('is null for "%s"', async (id) => {
    expect(await client.graphql(nodeDocument, { id })).toEqual({ node: null });
  });

  it('is null for objects of another tenant', async () => {
    const stranger = await app.tenant({ alias: 'other' });
    for (const id of Object.values(idOf)) {
      expect(await stranger.graphql(nodeDocument, { id })).toEqual({ node: null });
    }
  });

  it('is null for deleted objects', async () => {
    const shop = createShop(client, 'acme');
    const { id, associatedId } = await shop.customer();
    await client.rest('DELETE', `/customers/${id}`, { tenantAlias: 'acme', associatedId });
    expect(await client.graphql(nodeDocument, { id })).toEqual({ node: null });
  });
});

describe('nodes', () => {
  it('returns objects in the requested order, repeated ids twice, null for unknown ids', async () => {
    const { Customer: customer, Product: product, Trace: trace } = idOf;
    const ids = [trace, 'nothing', customer, product, customer, 'prod_gone'];
    const { nodes } = await client.graphql(nodesDocument, { ids });
    expect(nodes.map((node: any) => node && node.id)).toEqual([
      trace,
      null,
      customer,
      product,
      customer,
      null,
    ]);
    expect(nodes.map((node: any) => node && node.__typename)).toEqual([
      'Trace',
      null,
      'Customer',
      'Product',
      'Customer',
      null,
    ]);
  });

  it('accepts no ids and at most a hundred', async () => {
    expect(await client.graphql(nodesDocument, { ids: [] })).toEqual({ nodes: [] });
    const hundred = Array<string>(100).fill(idOf['Customer']!);
    expect((await client.graphql(nodesDocument, { ids: hundred })).nodes).toHaveLength(100);
    const refused = await client.post(nodesDocument, { ids: [...hundred, 'x'] });
    expect(refused.body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'ids' }],
    });
    expect(refused.body.data).toBeUndefined();
  });
});

it('every type, field and argument has a description', () => {
  const undescribed: string[] = [];
  const expectText = (place: string, { description }: { description?: string | null }) => {
    if (!description) undescribed.push(place);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    expectText(type.name, type);
    if (isEnumType(type) || !('getFields' in type)) continue;
    for (const field of Object.values(type.getFields())) {
      expectText(`${type.name}.${field.name}`, field);
      if (isInputObjectType(type) || !('args' in field)) continue;
      for (const argument of field.args) expectText(`${type.name}.${field.name}(${argument.name})`, argument);
    }
  }
  expect(undescribed.filter((place) => !/^(Query|Mutation|Subscription)$/.test(place))).toEqual([]);
});

it('every object with an id is a Node', () => {
  const withId = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && 'id' in type.getFields(),
  );
  expect(withId.map(({ name }) => name).toSorted()).toEqual(nodeTypes().toSorted());
});

it('node and nodes take ids alone, so that every type can be refetched', () => {
  const { node, nodes } = schema.getQueryType()!.getFields();
  expect(
    [node, nodes].map((field) => field!.args.map(({ name, type }) => `${name}: ${String(type)}`)),
  ).toEqual([['id: ID!'], ['ids: [ID!]!']]);
});
