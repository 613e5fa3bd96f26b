/** What no client should send: every argument of every root field, as a variable and within the document. */
import { engine } from '../support/engines.ts';
import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import {
  badAddresses,
  badDates,
  listChanges,
  concernsDatabase,
  writeJson,
  writeLiteralOf,
  oddTexts,
  placed,
  listPlaces,
  withProto,
  type Place,
} from '../support/hostile.ts';
import { writeDocument, graphqlRows, listRootFields } from '../support/operations.ts';
import { isLong, sampled, sampledInCore } from '../support/sample.ts';
import { expectGraphqlError, expectSound, fillTenant, inject, type World } from '../support/world.ts';

// What is refused before the database is asked is refused alike on both engines: PostgreSQL gets what could reach it.
const isWhole = isLong || engine === 'sqlite';
const thinning = isLong ? 1 : 30;
/** Every place gets some of the values that it refuses, and every value is sent to many places. */
const refusedIn = ({ refused, required }: Place, index: number): unknown[] =>
  isWhole
    ? sampled([...refused, ...(required ? [null] : [])], 8, index)
    : sampled(refused.filter(concernsDatabase), 2, index);
const pickOddTexts = (index: number) => sampled(oddTexts, 8, index);

const operations = listRootFields(schema).flatMap((root) => {
  const row = graphqlRows[root.name];
  return row ? [{ ...root, row, document: writeDocument(schema, root, 0) }] : [];
});
type Operation = (typeof operations)[number];
// The inputs share their scalars: what one operation refuses, the others refuse by the same code.
const tested = sampledInCore(sampled(operations, isWhole ? 2 : 12), 4);

let app: TestApp;
let client: Client;
let world: World;

// Thousands of refusals are made here, and the stack of each would be traced back to its source.
const { stackTraceLimit } = Error;

beforeAll(async () => {
  Error.stackTraceLimit = 0;
  app = await startApp({ rateLimitPerSecond: '1000000' }, { webhooks: { lookupStepMs: 1 } });
  client = await app.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
  world = await fillTenant(client, 'acme');
});
afterAll(async () => {
  Error.stackTraceLimit = stackTraceLimit;
  await app.close();
});
const namesOfPrototype = Object.getOwnPropertyNames(Object.prototype).toSorted();
afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(namesOfPrototype);
});

/** Posts a body as it is; whatever it is, the answer is well formed, and not the server's fault. */
async function send(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await inject(app, {
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': client.apiKey, 'content-type': 'application/json', ...headers },
    payload: body,
  });
  if (answer.status !== 200 || answer.body.errors) expectGraphqlError(answer);
  const isOurFault = (error: any) => error.extensions.reason === 'internal_error';
  expect(answer.body.errors?.some(isOurFault) ?? false, answer.text).toBe(false);
  return answer;
}

const ask = (query: string, variables: unknown = {}) => send(writeJson({ query, variables }));

async function unchanged<T>(attempt: () => Promise<T>): Promise<T> {
  const before = await app.backdoor.dump();
  const result = await attempt();
  expect(await app.backdoor.dump()).toBe(before);
  return result;
}

function expectRefused(answer: Answer, path: string[], value: unknown) {
  // Of many events each is refused by itself.
  const { recordUsage, backfillUsage } = answer.body.data ?? {};
  if ((recordUsage ?? backfillUsage)?.accepted === 0) return;
  if (!answer.body.errors)
    expect.fail(`${path.join('.')} of ${writeJson(value)} was accepted: ${answer.text}`);
  const errors = answer.body.errors.map(({ extensions }: any) => extensions);
  if (errors.some(({ reason }: any) => reason !== 'validation_failed')) return;
  const named = errors.flatMap(({ issues }: any) => issues.map((issue: any) => issue.path));
  // The place itself, what it is a part of, or what is within it.
  const isNamed = (at: string) =>
    at.split('.').some((segment) => segment !== '0' && path.includes(segment)) ||
    /^(query|body)/.test(at) ||
    (typeof value === 'object' && value !== null && Object.hasOwn(value, at.split('.')[0]!));
  if (!named.some(isNamed)) expect.fail(answer.text);
}

const placesIn = ({ field }: Operation): Place[] =>
  field.args.flatMap(({ name, type }) => listPlaces(name, type));

/** The document with its arguments written into it. */
function inlined({ field, kind, name, document }: Operation, values: Record<string, unknown>) {
  const selection = document.slice(document.indexOf('{', document.indexOf('{') + 1));
  const given = field.args
    .filter((argument) => values[argument.name] !== undefined)
    .map(({ name: argument, type }) => `${argument}: ${writeLiteralOf(type, values[argument])}`);
  const isLeaf = !selection.trimEnd().endsWith('} }');
  const list = given.length ? `(${given.join(', ')})` : '';
  return isLeaf ? `${kind} { ${name}${list} }` : `${kind} { ${name}${list} ${selection}`;
}

/** What a document cannot say is left out: an object whose keys are no names. */
const isWritable = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every(isWritable);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => /^[A-Za-z_]\w*$/.test(key) && isWritable(member));
};

const inlinedBefore = new Set<string>();

describe.each(tested)('$kind $name', (operation) => {
  const { row, kind, document } = operation;

  it('refuses invalid values of a variable, names it, and changes nothing', () =>
    unchanged(async () => {
      for (const [index, place] of placesIn(operation).entries()) {
        for (const value of refusedIn(place, index)) {
          const { path } = place;
          expectRefused(await ask(document, placed(row.call(world), path, value)), path, value);
        }
      }
    }));

  it.runIf(isWhole)('refuses the same values as literals', () =>
    unchanged(async () => {
      for (const [index, place] of placesIn(operation).entries()) {
        const { path, required, type } = place;
        // `first`, `after` and their like are read alike everywhere: once in a document is enough.
        const kindOfPlace = `${path.at(-1)} ${type} ${required}`;
        if (inlinedBefore.has(kindOfPlace) && !isLong) continue;
        inlinedBefore.add(kindOfPlace);
        for (const value of refusedIn(place, index)) {
          if (!isWritable(value)) continue;
          const query = inlined(operation, placed(row.call(world), path, value));
          expectRefused(await ask(query), path, value);
        }
      }
    }),
  );

  // Twice the same mutation is another one: it has nothing to be compared with. A token says when it was signed.
  it.runIf(kind === 'query' && operation.name !== 'entitlementToken')(
    'is answered the same with its arguments written into the document',
    async () => {
      const inDocument = await ask(inlined(operation, row.call(world)));
      expect(inDocument.body).toEqual((await ask(document, row.call(world))).body);
    },
  );

  const takesText = (type: string) => type === 'String' || type === 'ID';
  const hasTexts = placesIn(operation).some(({ type }) => takesText(type));
  it.runIf(hasTexts)('accepts or refuses unusual texts without an internal error', async () => {
    for (const [index, { path, type }] of placesIn(operation).entries()) {
      if (!takesText(type)) continue;
      for (const text of pickOddTexts(index)) {
        const { status } = await ask(document, placed(row.call(world), path, text));
        expect([200, 400]).toContain(status);
      }
    }
  });
});

describe.runIf(isWhole)('bodies', () => {
  const query = '{ tenant { alias } }';
  const bodies: [name: string, body: string | Buffer][] = [
    ['a batch', writeJson([{ query }, { query }])],
    ['an empty batch', '[]'],
    ['null', 'null'],
    ['text', '"{ tenant { alias } }"'],
    ['a number', '5'],
    ['an empty object', '{}'],
    ['nothing', ''],
    ['broken JSON', '{"query":"{ tenant { alias } }"'],
    ['the document alone', query],
    ['a query that is no text', writeJson({ query: { a: 1 } })],
    ['a query of a list', writeJson({ query: [query] })],
    ['a query of null', writeJson({ query: null })],
    ['a document as data', writeJson({ query: { kind: 'Document', definitions: [] } })],
    ['variables as text', writeJson({ query, variables: '{}' })],
    ['variables as a list', writeJson({ query, variables: [] })],
    ['variables as a number', writeJson({ query, variables: 5 })],
    ['extensions as a list', writeJson({ query, extensions: [] })],
    ['extensions as text', writeJson({ query, extensions: 'a' })],
    ['an operation name that is a number', writeJson({ query, operationName: 5 })],
    ['an operation name that is a list', writeJson({ query, operationName: ['a'] })],
    ['an unknown operation name', writeJson({ query: 'query a { tenant { alias } }', operationName: 'b' })],
    [
      'no operation name among two',
      writeJson({ query: 'query a { tenant { alias } } query b { tenant { alias } }' }),
    ],
    [
      'an operation name of Object',
      writeJson({ query: 'query a { tenant { alias } }', operationName: '__proto__' }),
    ],
    ['a document id of Object', '{"documentId":"__proto__"}'],
    ['a document id that is a constructor', writeJson({ documentId: 'constructor' })],
    ['a document id that is a number', writeJson({ documentId: 5 })],
    ['a document id that is a list', writeJson({ documentId: [`sha256:${'0'.repeat(64)}`] })],
    ['a document id that is an object', writeJson({ documentId: { toString: 'sha256:' } })],
    ['a document id of nothing', writeJson({ documentId: '' })],
    ['a document id of a million characters', writeJson({ documentId: `sha256:${'0'.repeat(1_000_000)}` })],
    ['a document id in capitals', writeJson({ documentId: `sha256:${'A'.repeat(64)}` })],
    ['a document id with a line end', writeJson({ documentId: `sha256:${'0'.repeat(64)}\n` })],
    ['a document id and a document', writeJson({ query, documentId: `sha256:${'0'.repeat(64)}` })],
    ['a batch of document ids', writeJson([{ documentId: `sha256:${'0'.repeat(64)}` }])],
    [
      'bytes that are no UTF-8',
      Buffer.concat([
        Buffer.from('{"query":"{ tenant { alias } } #'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
    ],
    ['NUL in the document', writeJson({ query: '{ tenant { alias } } #\0' })],
    [
      'half a pair in a variable',
      '{"query":"query ($a: ID!) { node(id: $a) { id } }","variables":{"a":"\\ud800"}}',
    ],
    ['half a pair in the name of a variable', '{"query":"{ tenant { alias } }","variables":{"\\ud800":1}}'],
    [
      'variables 40,000 deep',
      `{"query":"{ tenant { alias } }","variables":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_001)}`,
    ],
    ['a list 40,000 deep', '['.repeat(40_000)],
  ];
  it.each(bodies)('%s', (_, body) =>
    unchanged(async () => {
      const answer = await send(body);
      expectGraphqlError(answer, 'validation_failed');
      expect(answer.status).toBe(400);
    }),
  );

  it.each([
    ['that is no SHA-256, alone', { extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } }],
    [
      'of another document',
      { query, extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    ],
    ['that is a number', { query, extensions: { persistedQuery: 5 } }],
  ])('a hash of a persisted query %s', (_, body) =>
    unchanged(async () => {
      const answer = await send(writeJson(body));
      expectGraphqlError(answer, 'validation_failed');
      expect(answer.body.data).toBeUndefined();
    }),
  );

  it('unknown members of a body are ignored', async () => {
    const body =
      '{"query":"{ tenant { alias } }","variables":{"__proto__":{"a":1},"constructor":1},"__proto__":{"x":1}}';
    expect((await send(body)).body).toEqual({ data: { tenant: { alias: 'acme' } } });
  });
});

describe.runIf(isWhole)('addresses', () => {
  const get = async (search: string) => {
    const url = `/graphql?${search}`;
    const headers = { 'api-key': client.apiKey, 'apollo-require-preflight': '1' };
    const answer = await inject(app, { url, headers });
    expect(answer.status, answer.text).toBeLessThan(500);
    return answer;
  };
  const query = `query=${encodeURIComponent('query ($name: String) { groups(name: $name) { nodes { name } } }')}`;

  it.each([
    ['nothing', ''],
    ['an empty query', 'query='],
    ['two queries', `${query}&${query}`],
    ['broken variables', `${query}&variables={`],
    ['variables that are a list', `${query}&variables=[]`],
    ['empty variables', `${query}&variables=`],
    ['variables twice', `${query}&variables={}&variables={}`],
    ['deep variables', `${query}&variables=${'['.repeat(4000)}`],
    ['NUL in a variable', `${query}&variables=${encodeURIComponent('{"name":"a\\u0000"}')}`],
    ['half a pair in a variable', `${query}&variables=${encodeURIComponent('{"name":"\\ud800"}')}`],
    ['NUL in the query', 'query=%7Btenant%7Balias%7D%7D%00'],
    ['bytes that are no UTF-8', `${query}&variables=%ff`],
    ['bad encoding', 'query=%zz'],
    ['broken extensions', `${query}&extensions={`],
    ['an unknown operation', `${query}&operationName=b`],
  ])('with %s are refused', async (_, search) => {
    expectGraphqlError(await get(search), 'validation_failed');
  });

  it('need the API key header, which pages of another origin cannot send', async () => {
    const answer = await inject(app, { url: `/graphql?${query}`, headers: { 'api-key': client.apiKey } });
    expect(answer.status).toBe(200);
    expectGraphqlError(await inject(app, { url: `/graphql?${query}` }), 'api_key_missing');
    const cookie = await inject(app, {
      url: `/graphql?${query}`,
      headers: { cookie: `api-key=${client.apiKey}` },
    });
    expectGraphqlError(cookie, 'api_key_missing');
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=a',
    ]) {
      const headers = { 'api-key': client.apiKey, 'content-type': type };
      const form = await inject(app, {
        method: 'POST',
        url: '/graphql',
        headers,
        payload: '{"query":"{a}"}',
      });
      expectGraphqlError(form, 'unsupported_media_type');
    }
  });

  it('may contain a query with its variables', async () => {
    await ask('mutation { createGroup(input: { name: "Asked by GET" }) { id } }');
    const answer = await get(`${query}&variables=${encodeURIComponent('{"name":"by get"}')}`);
    expect(answer.body.data.groups.nodes).toEqual([{ name: 'Asked by GET' }]);
  });
});

describe.runIf(isWhole)('documents above the limits', () => {
  const aliases = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
  const nested = (levels: number, open: string, inner: string) =>
    `${open.repeat(levels)} ${inner} ${'}'.repeat(levels)}`;
  const fragments = (count: number, width: number) =>
    Array.from({ length: count }, (_, index) => {
      const inner = index === count - 1 ? 'id' : aliases(width, `group { products { ...f${index + 1} } }`);
      return `fragment f${index} on Product { ${inner} }`;
    }).join(' ');
  const huge: [name: string, query: string][] = [
    ['5,000 aliases', `{ ${aliases(5000, '__typename')} }`],
    ['5,000 names of types', `{ ${'__typename '.repeat(5000)} }`],
    ['300 root fields', `{ ${aliases(300, 'tenant { alias }')} }`],
    ['300 mutations', `mutation { ${aliases(300, 'createGroup(input: { name: "A" }) { id }')} }`],
    ['root fields in fragments', `{ ...a } fragment a on Query { ${aliases(150, 'tenant { alias }')} }`],
    ['a document of 1,000,000 characters', `{ tenant { alias } } ${'{ a } '.repeat(150_000)}`],
    ['a name of 900,000 characters', `{ ${'a'.repeat(900_000)} }`],
    ['a string of 900,000 characters', `{ customer(id: "${'a'.repeat(900_000)}") { foo } }`],
    ['1,900 brackets', `{ customer(id: ${'['.repeat(1900)}${']'.repeat(1900)}) { id } }`],
    ['1,900 braces', `{ customer(id: ${'{a:'.repeat(1200)}1${'}'.repeat(1200)}) { id } }`],
    ['1,900 selections', nested(1900, '{ a ', 'a')],
    ['1,900 lists in a type', `query ($a: ${'['.repeat(1900)}ID${']'.repeat(1900)}) { tenant { alias } }`],
    [
      'a group in a product in a group',
      `{ groups { nodes { ${nested(20, 'products { group { ', 'id')} ${'}'.repeat(20)} } } }`,
    ],
    [
      'subscriptions of customers of subscriptions',
      `{ subscriptions { nodes { ${nested(40, 'customer { activeSubscriptions { ', 'id')} ${'}'.repeat(40)} } } }`,
    ],
    ['fragments that multiply', `{ products { nodes { ...f0 } } } ${fragments(6, 8)}`],
    ['fragments that multiply without end', `{ products { nodes { ...f0 } } } ${fragments(40, 4)}`],
    [
      'fragments in a circle',
      '{ tenant { ...a } } fragment a on Tenant { ...b } fragment b on Tenant { ...a }',
    ],
    [
      '500 fragments in a circle',
      `{ tenant { ...f0 } } ${Array.from({ length: 500 }, (_, index) => `fragment f${index} on Tenant { ...f${(index + 1) % 500} }`).join(' ')}`,
    ],
    ['500 directives', `{ tenant { alias ${'@include(if: true) '.repeat(400)} } }`],
    [
      '1,000 variables',
      `query (${Array.from({ length: 900 }, (_, index) => `$v${index}: ID`).join(' ')}) { tenant { alias } }`,
    ],
    [
      'a schema in a schema',
      `{ __schema { types { ${nested(8, 'fields { type { ', 'name')} ${'}'.repeat(8)} } } }`,
    ],
    [
      'fields that conflict',
      `{ ${Array.from({ length: 300 }, (_, index) => `customers(first: ${index + 1}) { nodes { id } }`).join(' ')} }`,
    ],
    ['only open braces', '{'.repeat(3900)],
    ['only quotes', '"'.repeat(3900)],
    ['a block string without end', `{ customer(id: """${'a'.repeat(100_000)}`],
    [
      'a thousand operations',
      Array.from({ length: 600 }, (_, index) => `query q${index} { tenant { alias } }`).join(' '),
    ],
  ];
  it.each(huge)('%s', (_, query) =>
    unchanged(async () => {
      const answer = await ask(query);
      expectGraphqlError(answer, 'validation_failed');
      expect(answer.text.length).toBeLessThan(100_000);
    }),
  );

  it('are executed up to the limits', async () => {
    const folded = await ask(`{ ${nested(1200, '... { ', 'tenant { alias }')} }`);
    expect(folded.body.data).toEqual({ tenant: { alias: 'acme' } });
    const answer = await ask(`{ ${aliases(100, 'tenant { alias }')} }`);
    expect(answer.body.errors).toBeUndefined();
    expect((await ask(getIntrospectionQuery())).body.errors).toBeUndefined();
  });

  it('are refused if records repeat without bound', async () => {
    const many = await app.tenant({ alias: 'many' });
    const { createGroup: group } = await many.graphql(
      'mutation { createGroup(input: { name: "A" }) { id } }',
    );
    const create = aliases(
      80,
      `createProduct(input: { name: "P", description: "", groupId: "${group.id}" }) { id }`,
    );
    await many.graphql(`mutation { ${create} }`);
    const query = `{ groups { nodes { ${nested(6, 'products { group { ', 'id')} ${'}'.repeat(6)} } } }`;
    const answer = await many.post(query);
    expectGraphqlError(answer, 'cost_exceeded');
    expect(answer.body.errors.length).toBeLessThan(10);
    const modest = await many.post(
      `{ groups { nodes { ${nested(2, 'products { group { ', 'id')} ${'}'.repeat(2)} } } }`,
    );
    expect(modest.body.errors).toBeUndefined();
  });
});

describe('input in a document', () => {
  it('keeps metadata keys such as __proto__', () =>
    Promise.all(
      [
        '__proto__: { polluted: true }, constructor: 1',
        'toString: "a", hasOwnProperty: null',
        'a: { __proto__: [1] }',
      ].map(async (fields) => {
        const { body } = await ask(
          `mutation { createGroup(input: { name: "A", metadata: { ${fields} } }) { id metadata } }`,
        );
        const names = [...fields.matchAll(/(\w+): /g)].map(([, name]) => name!);
        for (const name of names)
          expect(JSON.stringify(body.data.createGroup.metadata)).toContain(`"${name}":`);
        const read = await ask('query ($id: ID!) { group(id: $id) { metadata } }', {
          id: body.data.createGroup.id,
        });
        expect(read.body.data.group.metadata).toEqual(body.data.createGroup.metadata);
        expect(({} as any).polluted).toBeUndefined();
      }),
    ));

  it('keeps all metadata keys of a variable', async () => {
    const metadata = withProto(
      '{"__proto__":{"polluted":true},"b":1,"a":{"__proto__":[1]},"constructor":null}',
    );
    const query =
      'mutation ($metadata: JSONObject) { createGroup(input: { name: "A", metadata: $metadata }) { metadata } }';
    const { text } = await ask(query, { metadata });
    expect(text).toContain(JSON.stringify(metadata));
  });

  it('must not be a date that does not exist', () =>
    unchanged(async () => {
      for (const date of badDates) {
        for (const query of [
          `{ traces(startDate: ${JSON.stringify(date)}) { nodes { id } } }`,
          `{ trace(eventId: "a", timestamp: ${JSON.stringify(date)}) { id } }`,
          `mutation { createProduct(input: { name: "P", description: "", expiresAt: ${JSON.stringify(date)} }) { id } }`,
        ]) {
          expectGraphqlError(await ask(query), 'validation_failed');
        }
      }
    }));

  it('must not be a URL that is unsafe to redirect to', () =>
    unchanged(async () => {
      const { customer: customerId, spareProduct: productId, sparePrice: priceId } = world;
      const query =
        'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }';
      for (const bad of badAddresses) {
        const input = { customerId, productId, priceId, receiptUrl: 'https://shop.example/' };
        for (const field of ['receiptUrl', 'returnUrl']) {
          const answer = await ask(query, { input: { ...input, [field]: bad } });
          expectGraphqlError(answer, 'validation_failed');
          expect(answer.body.errors[0].extensions.issues[0].path).toBe(field);
        }
      }
    }));

  it('must not be a cursor of another list or tenant, or a forged one', async () => {
    const other = await app.tenant({ alias: 'other' });
    await fillTenant(other, 'other');
    const fetchCursor = async (by: Client, list: string) =>
      (await by.graphql(`{ ${list}(first: 1) { pageInfo { endCursor } } }`))[list].pageInfo.endCursor;
    const cursor: string = await fetchCursor(client, 'groups');
    const wrong = [
      await fetchCursor(client, 'products'),
      await fetchCursor(other, 'groups'),
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor.slice(0, 5)}!${cursor.slice(5)}`,
      Buffer.from(`${Buffer.from(cursor, 'base64').toString()}   `).toString('base64'),
      '',
      'null',
      'x'.repeat(5000),
    ];
    for (const each of wrong) {
      for (const argument of ['after', 'before']) {
        const query = `query ($at: String) { groups(${argument}: $at) { nodes { id } } }`;
        expectGraphqlError(await ask(query, { at: each }), 'cursor_invalid');
      }
    }
  });

  it('may page from one end of a list only', async () => {
    for (const both of [
      'first: 1, last: 1',
      'first: 1, before: "a"',
      'last: 1, after: "a"',
      'after: "a", before: "a"',
    ]) {
      expectGraphqlError(await ask(`{ groups(${both}) { nodes { id } } }`), 'validation_failed');
    }
  });

  it('may have at most 100 ids', async () => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    expect((await ask(query, { ids: Array(100).fill('a') })).body.data.nodes).toHaveLength(100);
    expectGraphqlError(await ask(query, { ids: Array(101).fill('a') }), 'validation_failed');
    expect(
      (await ask(query, { ids: ['__proto___a', 'constructor_a', '_', '', 'cus', 'cus_'] })).body.data.nodes,
    ).toEqual([null, null, null, null, null, null]);
  });
});

describe('random requests', () => {
  // Some of what is sent is valid, and does what it says: each mutation has records of its own to do it to.
  const [mutations, queries] = [true, false].map((isMutation) =>
    tested.filter((each) => (each.kind === 'mutation') === isMutation && each.field.args.length > 0),
  );
  const chosen = [...queries!, ...sampled(mutations!, 3)];

  it.each(sampledInCore(chosen, 2))('$name never fails with an internal error', async (operation) => {
    if (operation.kind === 'mutation') {
      const alias = `fuzz-${operations.indexOf(operation)}`;
      client = await app.tenant({ alias, test: true, clock: new Date().toISOString() });
      world = await fillTenant(client, alias);
    }
    const valid = operation.row.call(world);
    await fc.assert(
      fc.asyncProperty(listChanges(placesIn(operation), world), fc.boolean(), async (changes, whole) => {
        const variables = changes.reduce(
          (made, { place, value }) => placed(made, place.path, value),
          whole ? valid : {},
        );
        await ask(operation.document, variables);
      }),
      { numRuns: Math.ceil((operation.kind === 'mutation' ? 300 : 30) / thinning), seed: 20_260_131 },
    );
  });
});

test('the database is intact afterwards', () => expectSound(app));
