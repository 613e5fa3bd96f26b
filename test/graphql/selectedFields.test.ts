/** A query leaves out the columns that its operation does not show: each field alone is what the record has. */
import { isLeafType, getNamedType, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
const ids: Record<string, string[]> = {};

const tier = { unitAmount: '0.125', flatAmount: '3' };
const prices = [
  {
    details: { amount: 0, currency: 'usd' },
    model: 'graduated',
    tiers: [{ upTo: '5', ...tier }, tier],
    minQuantity: 2,
    maxQuantity: 50,
    nickname: 'Gold',
    trialDays: 14,
    setupFee: { amount: 5, currency: 'usd' },
    taxBehavior: 'inclusive',
    recurring: { executionDate: '2030-05-01T00:00:00.000Z', period: 3, frequency: 'Monthly' },
  },
  { details: { decimal: '0.0125', currency: 'usd' }, model: 'per_unit', recurring: { frequency: 'Yearly' } },
  { details: { amount: 7, currency: 'usd' }, model: 'package', packageSize: 12 },
];

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
  const { createGroup } = await client.graphql(
    'mutation { createGroup(input: { name: "Plans", metadata: { b: 2 }, prorateUpgrades: true }) { id } }',
  );
  const { createProduct } = await client.graphql(
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
    {
      input: {
        groupId: createGroup.id,
        name: 'Everything',
        description: 'All of it',
        metadata: { a: 1 },
        expiresAt: '2040-01-01T00:00:00.000Z',
        taxCode: 'books',
        prices,
      },
    },
  );
  ids['Customer'] = [createCustomer.id];
  ids['Product'] = [createProduct.id];
  ids['Group'] = [createGroup.id];
  ids['Price'] = createProduct.prices.map(({ id }: { id: string }) => id);
});
afterAll(() => app.close());

/** The arguments of the fields that need one. */
const neededArguments: Record<string, string> = {
  quote: '(quantity: 3)',
  eInvoiceReadiness: '(format: xrechnung)',
};

/** The fields of a type; those of an object without an id one by one. */
const listSelections = (type: string): string[] =>
  Object.values((schema.getType(type) as GraphQLObjectType).getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    const called = field.name + (neededArguments[field.name] ?? '');
    if (isLeafType(named)) return called;
    const fields = 'getFields' in named ? Object.values(named.getFields()) : [];
    if (fields.some(({ name }) => name === 'id')) return `${called} { id }`;
    const shown = [
      '__typename',
      ...fields.filter(({ type: of }) => isLeafType(getNamedType(of))).map(({ name }) => name),
    ];
    return shown.map((name) => `${called} { ${name} }`);
  });

const reads: [type: string, name: string, document: string, pick?: (data: any) => unknown][] = [
  ['Customer', 'list', '{ customers(first: 1) { nodes { FIELD } } }', ({ customers }) => customers.nodes],
  ['Customer', 'look-up', 'query ($id: ID!) { found: customer(id: $id) { FIELD } }'],
  ['Product', 'list', '{ products(first: 1) { nodes { FIELD } } }', ({ products }) => products.nodes],
  ['Product', 'look-up', 'query ($id: ID!) { found: product(id: $id) { FIELD } }'],
  [
    'Group',
    'of products',
    '{ products(first: 1) { nodes { group { FIELD } } } }',
    ({ products: { nodes } }) => [nodes[0].group],
  ],
  [
    'Price',
    'of products',
    '{ products(first: 1) { nodes { prices { FIELD } } } }',
    ({ products: { nodes } }) => nodes[0].prices,
  ],
  ['Price', 'look-up', 'query ($id: ID!) { found: price(id: $id) { FIELD } }'],
];

describe.each(reads)('%s, %s', (type, _, document, pick) => {
  it.each(listSelections(type))('%s', async (selection) => {
    const read = async (text: string) => {
      const query = text.replace('FIELD', selection);
      if (pick && !query.includes('$id')) return pick(await client.graphql(query));
      return Promise.all(ids[type]!.map(async (id) => (await client.graphql(query, { id })).found));
    };
    // This reads the whole record.
    const whole = await read(`query ($id: ID!) { found: node(id: $id) { ... on ${type} { FIELD } } }`);
    expect(await read(document)).toEqual(whole);
  });
});
