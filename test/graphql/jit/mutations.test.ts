/** Compiled mutations are performed once, and answer what graphql-js answers, byte for byte. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { sampledRunsInCore } from '../../support/sample.ts';
import { drawQuestion, type Question } from './compiled/documents.ts';
import {
  ask,
  chance,
  expectSame,
  openShop,
  unique,
  unwatchRoots,
  watchRoots,
  type Shop,
} from './compiled/shops.ts';

let walked: Shop;
let compiled: Shop;
beforeAll(async () => {
  watchRoots();
  [walked, compiled] = [await openShop(), await openShop()];
});
afterAll(async () => {
  unwatchRoots();
  await Promise.all([walked.app.close(), compiled.app.close()]);
});
afterEach(async () => {
  expect(await compiled.app.backdoor.dump()).toBe(await walked.app.backdoor.dump());
});

/** Asks both shops twice with all variables, one of them in ever new texts, and expects the same of both. */
async function askBoth(question: Question): Promise<{ fields: number; compiled: number }> {
  const query = unique(question.query);
  const count = { fields: 0, compiled: 0 };
  for (const each of [...question.variables, ...question.variables]) {
    const one = await ask(walked, unique(query), each, question.operationName);
    const other = await ask(compiled, query, each, question.operationName);
    expectSame(question, each, one, other);
    if (one.compiled > 0) expect.fail('compiled when it came first');
    if (one.walked !== other.walked + other.compiled) expect.fail(`${query}\nis not performed once`);
    count.fields += one.walked;
    count.compiled += other.compiled;
  }
  return count;
}

const group = { name: 'Shelf' };
it.each<[name: string, query: string, ...variables: Record<string, unknown>[]]>([
  [
    'one',
    'mutation ($group: CreateGroupInput!) { createGroup(input: $group) { name __typename } }',
    { group },
  ],
  [
    'one that fails before one that does not',
    'mutation ($id: ID!, $group: CreateGroupInput!) { deleteGroup(id: $id) { id } createGroup(input: $group) { id } }',
    { id: 'none', group },
  ],
  [
    'one whose variable must not be null before one that may be performed',
    'mutation ($id: ID = 1, $group: CreateGroupInput!) { deleteGroup(id: $id) { id } createGroup(input: $group) { id } }',
    { id: null, group },
  ],
  [
    'an empty list for an object that needs no field',
    'mutation ($id: ID!, $changes: UpdateGroupInput!) { updateGroup(id: $id, input: $changes) { id } }',
    { id: 'none', changes: [] },
  ],
  [
    'a variable within an object, left out',
    'mutation ($name: String!, $metadata: JSONObject) { createGroup(input: { name: $name, metadata: $metadata }) { metadata } }',
    { name: 'Shelf' },
    { name: 'Shelf', metadata: null },
    { name: 'Shelf', metadata: { a: 'b' } },
  ],
  [
    'all variables within an object, left out',
    'mutation ($id: ID!, $name: String, $metadata: JSONObject) { updateGroup(id: $id, input: { name: $name, metadata: $metadata }) { id name } }',
    { id: 'none' },
    { id: 'none', name: null },
    { id: 'none', name: null, metadata: null },
  ],
  [
    'a variable within an object, left out, that also stands in a condition',
    'mutation ($name: String!, $a: Boolean = false) { createGroup(input: { name: $name, prorateUpgrades: $a }) { name @skip(if: $a) prorateUpgrades } }',
    { name: 'Shelf' },
    { name: 'Shelf', a: false },
    { name: 'Shelf', a: true },
  ],
  [
    'a variable within an object and for an argument, left out',
    'mutation ($id: ID!, $name: String) { updateCustomer(id: $id, input: { associatedId: $name, firstName: $name, lastName: $name }) { id } }',
    { id: 'none' },
    { id: 'none', name: 'Ada' },
  ],
  [
    'a variable within an object of a scalar',
    'mutation ($name: String!) { createGroup(input: { name: $name, metadata: { label: $name } }) { metadata } }',
    { name: 'Shelf' },
  ],
  [
    'a variable within an object of a scalar, left out',
    'mutation ($name: String!, $label: String) { createGroup(input: { name: $name, metadata: { label: $label } }) { metadata } }',
    { name: 'Shelf' },
    { name: 'Shelf', label: 'b' },
  ],
])('%s', async (_, query, ...variables) => {
  await askBoth({ query, variables: variables.flatMap((each) => [each, each]) });
});

const prices = [{ details: { amount: 1, currency: 'usd' } }, { details: { amount: 2, currency: 'usd' } }];
const product = { name: 'Shelf', description: 'A shelf', prices };
const [createProduct, createPrices] = [
  'mutation ($product: CreateProductInput!) { createProduct(input: $product)',
  'mutation ($id: ID!, $prices: [CreatePriceInput!]!) { createPrices(input: { productId: $id, prices: $prices })',
];
it.each<[name: string, isCompiled: boolean, query: string]>([
  [
    'fields that read what they are of, however many',
    true,
    `${createPrices} { details { amount } recurring { period } } }`,
  ],
  ['one field that asks for more', true, `${createProduct} { prices { id details { amount } } } }`],
  [
    'one field that asks for more, and fails',
    true,
    'mutation ($until: DateTime!) { updateTenant(input: {}) { name forecast(until: $until) { total { amount } } } }',
  ],
  ['two fields that ask for more', false, `${createProduct} { prices { id } group { id } } }`],
  ['one within another', false, `${createProduct} { prices { product { id } } } }`],
  ['one within a list', false, `${createPrices} { product { id } } }`],
  ['one in a fragment', false, `${createProduct} { ...F } } fragment F on Product { prices { id } }`],
  [
    'one beside a second root field',
    false,
    `${createProduct} { prices { id } } other: createProduct(input: $product) { id } }`,
  ],
])('with %s', async (_, isCompiled, query) => {
  const variables = { id: walked.world.product, product, prices, until: '2199-01-01' };
  const { compiled: count } = await askBoth({ query, variables: [variables, variables] });
  expect(count > 0).toBe(isCompiled);
});

it('random mutations are performed once and return the same with graphql-jit and graphql-js', async () => {
  // Many draws ask for nothing that is answered.
  const runs = sampledRunsInCore(Math.max(40, chance.numRuns / 5), 2);
  const count = { fields: 0, compiled: 0 };
  const check = async (g: fc.GeneratorValue) => {
    const { fields, compiled: ofThem } = await askBoth(drawQuestion(g, schema, walked.values, 'mutation'));
    count.fields += fields;
    count.compiled += ofThem;
  };
  await fc.assert(fc.asyncProperty(fc.gen(), check), { ...chance, numRuns: runs });
  expect(count.fields).toBeGreaterThan(runs / 4);
  expect(count.compiled).toBeGreaterThan(0);
});
