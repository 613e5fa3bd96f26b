/** What compiled queries answer is what graphql-js answers, byte for byte. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { drawQuestion } from './compiled/documents.ts';
import {
  ask,
  chance,
  expectSame,
  openShop,
  unique,
  unwatchRoots,
  watchRoots,
  type Asked,
  type Shop,
} from './compiled/shops.ts';

const yesAndNo = [{ a: true }, { a: false }];

let shop: Shop;
beforeAll(async () => {
  watchRoots();
  shop = await openShop();
});
afterAll(async () => {
  unwatchRoots();
  await shop.app.close();
});

it('random queries return the same with graphql-jit and graphql-js', async () => {
  const count = { good: 0, compiled: 0 };
  const check = async (g: fc.GeneratorValue) => {
    const question = drawQuestion(g, schema, shop.values, 'query');
    const { variables, operationName } = question;
    const query = unique(question.query);
    const first: Asked[] = [];
    for (const each of variables) first.push(await ask(shop, query, each, operationName));
    for (const [index, each] of variables.entries()) {
      const again = await ask(shop, query, each, operationName);
      expectSame(question, each, first[index]!, again);
      if (first[index]!.compiled > 0) expect.fail('compiled when it came first');
      if (first[index]!.walked === 0 || again.answer.includes('"errors"')) continue;
      count.good += 1;
      if (again.walked === 0) count.compiled += 1;
    }
  };
  await fc.assert(fc.asyncProperty(fc.gen(), check), chance);
  expect(count.good).toBeGreaterThan(chance.numRuns * 0.8);
  // About a half; a sample of few questions has a little less.
  expect(count.compiled / count.good).toBeGreaterThan(0.4);
});

it.each<[name: string, isCompiled: boolean, query: string, variables?: object[]]>([
  [
    'a field with a condition',
    true,
    'query ($a: Boolean!) { tenant { name @include(if: $a) alias } }',
    yesAndNo,
  ],
  [
    'a condition with a default',
    true,
    'query ($a: Boolean = true) { tenant { name @skip(if: $a) alias } }',
    [{}, ...yesAndNo, {}],
  ],
  [
    'a condition that is null',
    false,
    'query ($a: Boolean = true) { tenant { name @skip(if: $a) alias } }',
    [{ a: null }],
  ],
  [
    'a fragment that is left out here and not there',
    true,
    'query ($a: Boolean!) { x: tenant { ...F @include(if: $a) } y: tenant { ...F } } fragment F on Tenant { name }',
    yesAndNo,
  ],
  [
    'a fragment that is left out first and then not',
    true,
    '{ tenant { ...F @skip(if: true) alias ...F } } fragment F on Tenant { name }',
  ],
  [
    'a field that is left out first and then not',
    true,
    '{ x: tenant { name } tenant @skip(if: true) { ... { name } } y: tenant { name } tenant { alias } }',
  ],
  ['nothing at all', true, 'query ($a: Boolean!) { tenant { name @include(if: $a) } }', yesAndNo],
  [
    'operations that share a fragment under different conditions',
    true,
    'query A($a: Boolean!) { tenant { ...F @include(if: $a) alias } } query B { tenant { ...F } } fragment F on Tenant { name }',
    yesAndNo,
  ],
  ['a name that objects have', false, '{ tenant { __proto__: name constructor: alias toString: isTest } }'],
  [
    'a variable with such a name',
    false,
    'query ($constructor: Int! = 2) { products(first: $constructor) { nodes { id } } }',
    [{}, { constructor: null }, { constructor: 1 }],
  ],
  [
    'a variable named as the prototype',
    false,
    'query ($__proto__: Order) { products(order: $__proto__) { nodes { id } } }',
    [{}, JSON.parse('{"__proto__":"ASC"}')],
  ],
  [
    'an object of any type',
    true,
    'query ($id: ID!) { node(id: $id) { id ... on Customer { email } } }',
    [{ id: 'none' }, { id: 'cus_1' }],
  ],
  [
    'a variable within a list',
    false,
    'query ($a: ID) { nodes(ids: [$a]) { id } }',
    [{}, { a: null }, { a: 'none' }],
  ],
  [
    'a variable that must not be null where it stands',
    false,
    'query ($a: ID = 1) { product(id: $a) { id } }',
    [{}, { a: null }],
  ],
])('%s', async (_, isCompiled, query, variables = [{}]) => {
  const operationName = query.startsWith('query A') ? 'A' : undefined;
  const first: Asked[] = [];
  for (const each of variables) first.push(await ask(shop, unique(query), each, operationName));
  for (let times = 0; times < 2; times++) await ask(shop, query, variables[0]!, operationName);
  for (const [index, each] of variables.entries()) {
    const again = await ask(shop, query, each, operationName);
    expectSame({ query, operationName, variables: [] }, each, first[index]!, again);
    const isAsked = first[index]!.walked > 0;
    expect(again.compiled > 0, JSON.stringify(each)).toBe(isCompiled && isAsked);
  }
});

it.each([
  ['one error is executed once', 'query ($id: ID!) { customer(id: $id) { id } }', { compiled: 1, walked: 0 }],
  [
    'several errors is executed again, because graphql-js decides their order',
    'query ($id: ID!) { a: customer(id: $id) { id } b: product(id: $id) { id } }',
    { compiled: 2, walked: 2 },
  ],
])('a query that fails with %s', async (_, query, calls) => {
  const answers = [];
  for (let times = 0; times < 3; times++) answers.push(await ask(shop, query, { id: 'none' }));
  const [first, , again] = answers as [Asked, Asked, Asked];
  expect(first.answer).toContain('_not_found');
  expect(again).toEqual({ answer: first.answer, ...calls });
});

it('a query is compiled in at most eight forms', async () => {
  const query =
    'query ($a: Boolean!, $b: Boolean!, $c: Boolean!, $d: Boolean!) { tenant { alias @skip(if: $a) name @skip(if: $b) isTest @skip(if: $c) timeZone @skip(if: $d) } }';
  const forms = Array.from({ length: 16 }, (_, bits) =>
    Object.fromEntries(['a', 'b', 'c', 'd'].map((name, index) => [name, Boolean(bits & (1 << index))])),
  );
  for (let times = 0; times < 2; times++) await ask(shop, query, forms[0]!);
  let compiled = 0;
  for (const variables of [...forms, ...forms]) {
    const first = await ask(shop, unique(query), variables);
    const again = await ask(shop, query, variables);
    expectSame({ query, variables: [] }, variables, first, again);
    compiled += again.compiled;
  }
  expect(compiled).toBe(16);
});

it('no text of a query is executed as code', async () => {
  const code = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d), x: (globalThis.hasRun = true';
  const texts = [`"${code}"`, `"${code.replace('_', '\\u005f')}"`, `"""${code}"""`];
  for (const text of texts) {
    for (const query of [
      `{ products(name: ${text}) { nodes { id } } }`,
      `query ($name: String = ${text}) { products(name: $name) { nodes { id } } }`,
    ]) {
      for (let times = 0; times < 4; times++) {
        const { answer } = await ask(shop, query, {});
        expect(answer).toContain('{"data":{"products":{"nodes":[]}}}');
      }
    }
  }
  expect(globalThis).not.toHaveProperty('hasRun');
});

it('queries that repeat too many records are refused each time', async () => {
  const { client } = shop;
  const { createGroup } = await client.graphql('mutation { createGroup(input: { name: "many" }) { id } }');
  for (let index = 0; index < 30; index++) {
    const input = { name: `one of many ${index}`, description: '', groupId: createGroup.id };
    await client.graphql('mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }', {
      input,
    });
  }
  const query =
    'query ($id: ID!) { group(id: $id) { products { group { products { group { products { id } } } } } } }';
  const answers = [];
  for (let times = 0; times < 4; times++)
    answers.push((await ask(shop, query, { id: createGroup.id })).answer);
  expect(answers[0]).toContain('repeats more than 20000 records');
  expect(new Set(answers).size).toBe(1);
});
