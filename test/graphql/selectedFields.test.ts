/** A query leaves out the columns that its operation does not show: each field alone is what the record has. */
import { isLeafType, getNamedType, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
const ids: Record<string, string> = {};

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  const { createTaxRate } = await client.graphql(
    'mutation { createTaxRate(input: { country: "DE", percent: "7" }) { id } }',
  );
  const { createCustomer } = await client.graphql(
    'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
    {
      input: {
        email: 'ada@example.com',
        firstName: 'Ada',
        lastName: 'Lovelace',
        associatedId: 'user-1',
        metadata: { plan: 'trial' },
        companyName: 'Engines',
        address: { line1: 'Way 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
        taxIds: [{ type: 'eu_vat', value: 'DE136695976' }],
        locale: 'de',
        taxExempt: true,
        taxRateId: createTaxRate.id,
      },
    },
  );
  const { price } = await shop.product({ description: 'All of it', metadata: { a: 1 } });
  await shop.subscribe({ id: createCustomer.id, associatedId: 'user-1' }, price);
  ids['Customer'] = createCustomer.id;
  ids['Product'] = price.productId;
});
afterAll(() => app.close());

/** The fields of a type that need no argument, with a selection. */
const listSelections = (type: string): string[] =>
  Object.values((schema.getType(type) as GraphQLObjectType).getFields()).map((field) => {
    const named = getNamedType(field.type);
    if (isLeafType(named)) return field.name;
    return `${field.name} { ${'getFields' in named && 'id' in named.getFields() ? 'id' : '__typename'} }`;
  });

describe.each([
  ['Customer', 'customers', 'customer'],
  ['Product', 'products', 'product'],
])('%s', (type, list, one) => {
  it.each(listSelections(type))('%s', async (selection) => {
    const listed = await client.graphql(`{ ${list}(first: 1) { nodes { ${selection} } } }`);
    const variables = { id: ids[type] };
    const found = await client.graphql(`query ($id: ID!) { ${one}(id: $id) { ${selection} } }`, variables);
    // This reads the whole record.
    const { node } = await client.graphql(
      `query ($id: ID!) { node(id: $id) { ... on ${type} { ${selection} } } }`,
      variables,
    );
    expect([listed[list].nodes[0], found[one]]).toEqual([node, node]);
  });
});
