import { isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { nodeTypes, sampleIds, sampleOperatorIds } from '../support/everyNode.ts';
import { signInOperator } from '../support/operators.ts';
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

const nodeDocument = 'query ($id: ID!) { node(id: $id) { __typename id } }';
const nodesDocument = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

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

  it('finds what lists still have after its removal', async () => {
    const ids = idOf;
    const shop = createShop(client, 'acme');
    const { product, price } = await shop.product({ groupId: ids['Group'] });
    await shop.confirm((await shop.intent(await shop.customer(), price)).intentId);
    await client.graphql(
      `mutation ($InvoiceItem: ID!, $Discount: ID!, $Coupon: ID!, $PromotionCode: ID!, $TaxRate: ID!, $Meter: ID!, $Price: ID!, $CustomerSession: ID!, $product: ID!) {
        deleteInvoiceItem(id: $InvoiceItem) { id }
        removeDiscount(id: $Discount) { id }
        updateCoupon(id: $Coupon, input: { active: false }) { id }
        updatePromotionCode(id: $PromotionCode, input: { active: false }) { id }
        archiveTaxRate(id: $TaxRate) { id }
        archiveMeter(id: $Meter) { id }
        archivePrice(id: $Price) { id }
        revokeCustomerSession(id: $CustomerSession) { id }
        deleteProduct(id: $product) { id }
      }`,
      { ...ids, product: product.id },
    );
    const listed = `query ($of: ID!) {
      invoiceItems { nodes { __typename id } } discounts { nodes { __typename id } } coupons { nodes { __typename id } }
      promotionCodes { nodes { __typename id } } taxRates { nodes { __typename id } } meters { nodes { __typename id } }
      products { nodes { prices { __typename id } } } groups { nodes { products { __typename id } } }
      subscriptions { nodes { __typename id price { __typename id } } }
      customerSessions(customerId: $of) { nodes { __typename id } }
    }`;
    const lists = Object.values<any>(await client.graphql(listed, { of: ids['Customer'] }));
    const objects = lists
      .flatMap(({ nodes }) => nodes)
      .flatMap(
        ({ prices, products, price: agreed, ...own }) => prices ?? products ?? (agreed ? [agreed, own] : own),
      );
    const { nodes } = await client.graphql(nodesDocument, { ids: objects.map(({ id }) => id) });
    expect(nodes).toEqual(objects);
    expect(objects.map(({ id }) => id)).toEqual(expect.arrayContaining([product.id, price.id]));
    expect(new Set(objects.map(({ __typename }) => __typename)).size).toBe(10);
    const { invoiceItem } = await client.graphql('query ($id: ID!) { invoiceItem(id: $id) { status } }', {
      id: ids['InvoiceItem'],
    });
    expect(invoiceItem).toEqual({ status: 'deleted' });
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
    // The id of a conflict is the client's, of an event that was not recorded.
    (type) => isObjectType(type) && 'id' in type.getFields() && type.name !== 'UsageConflict',
  );
  expect(withId.map(({ name }) => name).toSorted()).toEqual(nodeTypes().toSorted());
});

it('node and nodes take ids alone, so that every type can be refetched', () => {
  const { node, nodes } = schema.getQueryType()!.getFields();
  expect(
    [node, nodes].map((field) => field!.args.map(({ name, type }) => `${name}: ${String(type)}`)),
  ).toEqual([['id: ID!'], ['ids: [ID!]!']]);
});
