/** Metadata is bounded as text, in depth and in number of values, wherever it is taken. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Answer, type Client, type Method, type TestApp } from '../support/app.ts';
import { writeLiteral } from '../support/hostile.ts';
import { fillTenant, type World } from '../support/world.ts';

let app: TestApp;
let client: Client;
let world: World;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
});
afterAll(() => app.close());

const person = (associatedId: string) => ({
  email: 'a@example.org',
  firstName: 'A',
  lastName: 'B',
  associatedId,
});
let made = 0;

const routes: [method: Method, path: () => string, fields: () => object, isText?: true][] = [
  ['POST', () => '/customers', () => person(`rest-${made++}`), true],
  ['PATCH', () => `/customers/${world.customer}`, () => ({ associatedId: world.associatedId }), true],
  ['POST', () => '/groups', () => ({ name: 'A' })],
  ['PATCH', () => `/groups/${world.group}`, () => ({})],
  ['POST', () => '/products', () => ({ name: 'A', description: '' })],
  ['PATCH', () => `/products/${world.product}`, () => ({})],
];
const mutations: [
  name: string,
  type: string,
  id: () => string | undefined,
  fields: () => object,
  isText?: true,
][] = [
  ['createCustomer', 'CreateCustomerInput', () => undefined, () => person(`graphql-${made++}`), true],
  ['updateCustomer', 'UpdateCustomerInput', () => world.customer, () => ({}), true],
  ['createGroup', 'CreateGroupInput', () => undefined, () => ({ name: 'A' })],
  ['updateGroup', 'UpdateGroupInput', () => world.group, () => ({})],
  ['createProduct', 'CreateProductInput', () => undefined, () => ({ name: 'A', description: '' })],
  ['updateProduct', 'UpdateProductInput', () => world.product, () => ({})],
];

const texts = (length: number, last: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `k${String(index).padStart(2, '0')}`,
      'é'.repeat(index === length - 1 ? last : 250),
    ]),
  );
const countBytes = (metadata: object) => Buffer.byteLength(JSON.stringify(metadata));
const largestText = texts(32, 200);
const withMore = { ...largestText, more: '' };
const ofBytes = (bytes: number) => ({ ...withMore, more: 'a'.repeat(bytes - countBytes(withMore)) });
const deep = (levels: number) => JSON.parse(`{"a":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`);
const many = (values: number) => ({ a: Array.from({ length: values - 1 }, (_, index) => index) });

type Case = [what: string, metadata: object, path: string, message: string, isText: boolean];
const refused: Case[] = [
  ['16,385 bytes', ofBytes(16_385), 'metadata', 'must be at most 16384 bytes as JSON', true],
  ['9 levels', deep(9), 'metadata.a', 'must be nested at most 8 deep', false],
  ['501 values', many(501), 'metadata', 'must have at most 500 values in all', false],
  [
    '501 values in objects',
    { a: { b: many(499) } },
    'metadata',
    'must have at most 500 values in all',
    false,
  ],
  ['51 keys', texts(51, 1), 'metadata', 'must have at most 50 keys', true],
  [
    'a key of 41 characters',
    { ['k'.repeat(41)]: 'a' },
    `metadata.${'k'.repeat(40)}…`,
    'must be a key of at most 40 characters',
    true,
  ],
  [
    'text of 501 characters',
    { a: 'a'.repeat(501) },
    'metadata.a',
    'must be text of at most 500 characters',
    true,
  ],
  [
    'a long key within',
    { a: { ['k'.repeat(17_000)]: 1 } },
    'metadata',
    'must be at most 16384 bytes as JSON',
    false,
  ],
];
const kept: [what: string, metadata: object, isText: boolean][] = [
  ['16,384 bytes', ofBytes(16_384), true],
  ['8 levels', deep(8), false],
  ['500 values', many(500), false],
  [
    '50 keys',
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [String(index).padStart(40, 'k'), 'a'])),
    true,
  ],
];

const send = ([method, path, fields]: (typeof routes)[number], metadata: object) =>
  client.rest(method, path(), { tenantAlias: 'acme', ...fields(), metadata });
const ask = ([name, type, id, fields]: (typeof mutations)[number], metadata: object) => {
  const given = id() ? `id: "${id()}", ` : '';
  return client.post(`mutation ($input: ${type}!) { ${name}(${given}input: $input) { id metadata } }`, {
    input: { ...fields(), metadata },
  });
};
const write = ([name, , id, fields]: (typeof mutations)[number], metadata: object) => {
  const given = id() ? `id: "${id()}", ` : '';
  return client.post(
    `mutation { ${name}(${given}input: ${writeLiteral({ ...fields(), metadata })}) { id metadata } }`,
  );
};

async function unchanged<T>(attempt: () => Promise<T>): Promise<T> {
  const before = await app.backdoor.dump();
  const result = await attempt();
  expect(await app.backdoor.dump()).toBe(before);
  return result;
}

/** Their codes are for GraphQL alone. */
const listIssues = ({ body }: Answer) =>
  (body.cause?.issues ?? body.errors[0].extensions.issues).map(({ path, message }: any) => ({
    path,
    message,
  }));

describe.each(refused)('%s', (_, metadata, path, message, isText) => {
  it.each(routes.filter(([, , , ofText]) => isText || !ofText))('is refused by %s %s', (...route) =>
    unchanged(async () => {
      const answer = await send(route, metadata);
      expect(answer.status, answer.text).toBe(400);
      expect(listIssues(answer)).toEqual([{ path, message }]);
    }),
  );

  it.each(mutations.filter(([, , , , ofText]) => isText || !ofText))('is refused by %s', (...mutation) =>
    unchanged(async () => {
      for (const attempt of [ask, ask, ask, ask, write]) {
        const answer = await attempt(mutation, metadata);
        expect(listIssues(answer)).toEqual([{ path, message }]);
        expect(answer.body.data).toEqual({ [mutation[0]]: null });
      }
    }),
  );
});

describe.each(kept)('%s', (_, metadata, isText) => {
  it('is accepted and returned as sent', async () => {
    for (const route of routes.filter(([, , , ofText]) => isText || !ofText)) {
      const answer = await send(route, metadata);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect(answer.body.metadata ?? answer.body.product.metadata).toEqual(metadata);
    }
    for (const mutation of mutations.filter(([, , , , ofText]) => isText || !ofText)) {
      for (const attempt of [ask, write]) {
        const { data } = (await attempt(mutation, metadata)).body;
        expect(data[mutation[0]].metadata).toEqual(metadata);
      }
    }
  });
});

it('larger stored metadata is read unchanged, kept by other updates, and can be replaced', async () => {
  const stranger = await app.tenant({ alias: 'older' });
  const { createGroup } = await stranger.graphql('mutation { createGroup(input: { name: "A" }) { id } }');
  const older = { a: 'x'.repeat(200_000), b: deep(12) };
  await app.backdoor.execute(
    `update groups set metadata = '${JSON.stringify(older)}' where id = '${createGroup.id}'`,
  );
  const path = `/groups/${createGroup.id}`;
  const read = await stranger.rest('GET', path, { tenantAlias: 'older' });
  expect(read.body.metadata).toEqual(older);
  const listed = await stranger.graphql('{ groups { nodes { metadata } } }');
  expect(listed.groups.nodes).toEqual([{ metadata: older }]);
  const renamed = await stranger.rest('PATCH', path, { tenantAlias: 'older', name: 'B' });
  expect([renamed.status, renamed.body.metadata]).toEqual([200, older]);
  const replaced = await stranger.rest('PATCH', path, { tenantAlias: 'older', metadata: { a: 1 } });
  expect(replaced.body.metadata).toEqual({ a: 1 });
});
