/** What no client should send: every field of every route, refused by the catalogue with nothing half done. */
import { engine } from '../support/engines.ts';
import fc from 'fast-check';
import { parse } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import type { Reason } from '../../src/lib/errors.ts';
import { describeFields } from '../../src/rest/adapter.ts';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import {
  listChanges,
  concernsDatabase,
  writeJson,
  oddTexts,
  placed,
  listPlaces,
  withProto,
  type Place,
} from '../support/hostile.ts';
import { isWrite, buildRequest, restOperations } from '../support/operations.ts';
import { isLong, sampled, sampledInCore } from '../support/sample.ts';
import { expectRestError, expectSound, fillTenant, inject, type World } from '../support/world.ts';

// What is refused before the database is asked is refused alike on both engines: PostgreSQL gets what could reach it.
const isWhole = isLong || engine === 'sqlite';
const thinning = isLong ? 1 : 30;
/** Every place gets some of the values that it refuses, and every value is sent to many places. */
const refusedIn = ({ refused, required }: Place, index: number): unknown[] =>
  isWhole
    ? sampled([...refused, ...(required ? [null] : [])], 8, index)
    : sampled(refused.filter(concernsDatabase), 2, index);
const pickOddTexts = (index: number) => sampled(oddTexts, 8, index);

let app: TestApp;
let client: Client;
let stranger: Client;
let world: World;

// Thousands of refusals are made here, and the stack of each would be traced back to its source.
const { stackTraceLimit } = Error;

beforeAll(async () => {
  Error.stackTraceLimit = 0;
  app = await startApp({ rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme' });
  world = await fillTenant(client, 'acme');
  stranger = await app.tenant({ alias: 'other' });
  await fillTenant(stranger, 'other');
});
afterAll(async () => {
  Error.stackTraceLimit = stackTraceLimit;
  await app.close();
});
afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(namesOfPrototype);
});
const namesOfPrototype = Object.getOwnPropertyNames(Object.prototype).toSorted();

const own = (fields: object = {}) => ({ tenantAlias: 'acme', ...fields });
const get = (path: string, fields: object = {}) => client.rest('GET', path, own(fields));
const post = (path: string, fields: object = {}) => client.rest('POST', path, writeJson(own(fields)));

async function unchanged<T>(attempt: () => Promise<T>): Promise<T> {
  const before = await app.backdoor.dump();
  const result = await attempt();
  expect(await app.backdoor.dump()).toBe(before);
  return result;
}

/** Sends fields to a route: in the path, then in the body as JSON or in the query as text. */
async function send({ route }: (typeof restOperations)[number], fields: Record<string, unknown>) {
  const request = buildRequest(route, fields, { 'api-key': client.apiKey });
  const answer = await inject(
    app,
    'payload' in request ? { ...request, payload: writeBody(route.path, fields) } : request,
  );
  if (answer.status >= 300) expectRestError(answer);
  expect(answer.status, answer.text).toBeLessThan(500);
  return answer;
}

const writeBody = (path: string, fields: Record<string, unknown>) =>
  writeJson(Object.fromEntries(Object.entries(fields).filter(([name]) => !path.includes(`{${name}}`))));

function expectRefused(answer: Answer, path: string[]) {
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  if (answer.body.body.reason !== 'validation_failed') return;
  const named = answer.body.cause.issues.map(({ path: each }: any) => [each, ...each.split('.')]);
  const field = path.filter((segment) => segment !== '0').at(-1)!;
  const first = path[0]!;
  expect(
    named.some((each: string[]) => each.includes(field) || each[1] === first || each[1] === 'body'),
    answer.text,
  ).toBe(true);
}

const placesIn = ({ route }: (typeof restOperations)[number]): Place[] =>
  [...describeFields(schema, route, parse(route.document)).values()].flatMap(({ name, type }) =>
    listPlaces(name, type),
  );

/** In a path or a query everything is text; what has no text of its own there is left out. */
function asText(values: unknown[], type: string): string[] {
  const texts = values.flatMap((value) => {
    if (typeof value === 'string') return value.isWellFormed() && !value.startsWith('@@') ? [value] : [];
    return typeof value === 'number' && type !== 'String' && type !== 'ID' ? [String(value)] : [];
  });
  const numbers = type === 'Int' ? ['1e400', '-0', '0x10', '1e1', ' 5', '+5', 'NaN', '٥'] : [];
  const isNumber = (text: string) => type === 'Int' && /^[1-9]\d?(\.0+)?$/.test(text);
  const isBoolean = (text: string) => type === 'Boolean' && /^(true|false)$/.test(text);
  return [...texts, ...numbers].filter((text) => !isNumber(text) && !isBoolean(text));
}

// The fields share their scalars: what one operation refuses, the others refuse by the same code.
const tested = sampledInCore(sampled(restOperations, isWhole ? 2 : 12), 2);

describe.each(tested)('$name', (operation) => {
  const { route, row } = operation;
  const inBody = (name: string) =>
    (route.method === 'POST' || route.method === 'PATCH') && !route.path.includes(`{${name}}`);
  const valid = () => ({ tenantAlias: 'acme', ...row.call(world) });

  it('refuses invalid values of a field, names it, and changes nothing', () =>
    unchanged(async () => {
      for (const [index, place] of placesIn(operation).entries()) {
        const { path, type } = place;
        const refused = refusedIn(place, index);
        const values = inBody(path[0]!) ? refused : asText(refused, type);
        for (const value of values) expectRefused(await send(operation, placed(valid(), path, value)), path);
      }
    }));

  it.runIf(isWhole)('requires its required fields', () =>
    unchanged(async () => {
      for (const { path, required } of placesIn(operation)) {
        const name = path[0]!;
        if (!required || path.length > 1 || route.path.includes(`{${name}}`)) continue;
        const { [name]: _, ...rest } = valid() as Record<string, unknown>;
        expectRefused(await send(operation, rest), path);
      }
    }),
  );

  it.runIf(isWhole)('refuses unknown fields', () =>
    unchanged(async () => {
      for (const name of [
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        'id',
        '',
        'a.b',
        'tenantAlias ',
      ]) {
        if (placesIn(operation).some(({ path }) => path.join('.') === name)) continue;
        const extra = withProto(`{${JSON.stringify(name)}:"1"}`);
        const fields = Object.assign(Object.create(null), valid()) as Record<string, unknown>;
        Object.defineProperty(fields, name, { value: extra[name], enumerable: true });
        expectRefused(await send(operation, fields), [name]);
      }
    }),
  );

  const takesText = (path: string[], type: string) =>
    (type === 'String' || type === 'ID') && path[0] !== 'tenantAlias';
  const hasTexts = placesIn(operation).some(({ path, type }) => takesText(path, type));
  it.runIf(hasTexts)('accepts or refuses unusual texts without an internal error', async () => {
    for (const [index, { path, type }] of placesIn(operation).entries()) {
      if (!takesText(path, type)) continue;
      for (const text of pickOddTexts(index)) {
        if (text === '' && route.path.includes(`{${path[0]}}`)) continue;
        const { status } = await send(operation, placed(valid(), path, text));
        expect(status).toBeLessThan(500);
      }
    }
  });

  it.runIf(isWhole && !isWrite(route))('refuses a repeated parameter', () =>
    unchanged(async () => {
      for (const { path } of placesIn(operation)) {
        if (path.length > 1 || route.path.includes(`{${path[0]}}`)) continue;
        const { url, headers, method } = buildRequest(route, valid(), { 'api-key': client.apiKey });
        const answer = await inject(app, { method, headers, url: `${url}&${path[0]}=a&${path[0]}=a` });
        expectRestError(answer, 'validation_failed');
        expectRefused(answer, path);
      }
    }),
  );
});

describe.runIf(isWhole)('bodies', () => {
  const utf8 = (text: string) => Buffer.from(text, 'utf8');
  const bodies: [name: string, body: string | Buffer][] = [
    ['an array', '[]'],
    ['an array of requests', '[{"tenantAlias":"acme","name":"A"}]'],
    ['null', 'null'],
    ['text', '"a"'],
    ['a number', '5'],
    ['true', 'true'],
    ['nothing', ''],
    ['spaces', '  \n'],
    ['half an object', '{"tenantAlias":"acme"'],
    ['a comma too many', '{"tenantAlias":"acme","name":"A",}'],
    ['two objects', '{"tenantAlias":"acme","name":"A"}{}'],
    ['quotes that are none', "{'tenantAlias':'acme','name':'A'}"],
    ['a comment', '{"tenantAlias":"acme","name":"A"} // a'],
    ['NaN', '{"tenantAlias":"acme","name":NaN}'],
    ['a byte order mark', '\ufeff{"tenantAlias":"acme","name":"A"}'],
    ['UTF-16', Buffer.from('{"tenantAlias":"acme","name":"A"}', 'utf16le')],
    [
      'bytes that are no UTF-8',
      Buffer.concat([utf8('{"tenantAlias":"acme","name":"'), Buffer.from([0xff]), utf8('"}')]),
    ],
    [
      'an overlong encoding',
      Buffer.concat([utf8('{"tenantAlias":"acme","name":"'), Buffer.from([0xc0, 0xaf]), utf8('"}')]),
    ],
    [
      'an encoded surrogate',
      Buffer.concat([utf8('{"tenantAlias":"acme","name":"'), Buffer.from([0xed, 0xa0, 0x80]), utf8('"}')]),
    ],
    ['a raw NUL', '{"tenantAlias":"acme","name":"a\0"}'],
    ['an escaped NUL', '{"tenantAlias":"acme","name":"a\\u0000"}'],
    ['half a pair', '{"tenantAlias":"acme","name":"\\ud83d"}'],
    ['the wrong order of a pair', '{"tenantAlias":"acme","name":"\\ude00\\ud83d"}'],
    ['40,000 brackets', '['.repeat(40_000)],
    [
      'metadata 40,000 deep',
      `{"tenantAlias":"acme","name":"A","metadata":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_001)}`,
    ],
    [
      'metadata 40,000 deep in arrays',
      `{"tenantAlias":"acme","name":"A","metadata":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`,
    ],
    [
      'metadata of 10,000 keys',
      writeJson(
        own({
          name: 'A',
          metadata: Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [key, 1])),
        }),
      ),
    ],
    ['a million zeros', `{"tenantAlias":"acme","name":1${'0'.repeat(1_000_000)}}`],
    ['a form', 'tenantAlias=acme&name=A'],
  ];
  it.each(bodies)('%s', (_, body) =>
    unchanged(async () => {
      const answer = await client.rest('POST', '/groups', body);
      expectRestError(answer, 'validation_failed');
      expect(answer.body.cause.issues.length).toBeGreaterThan(0);
    }),
  );

  it('use the last of two fields of one name, as JSON does', async () => {
    const answer = await client.rest(
      'POST',
      '/groups',
      '{"tenantAlias":"other","tenantAlias":"acme","name":"A"}',
    );
    expect(answer.status).toBe(201);
  });

  it('belong to POST and PATCH, queries to GET and DELETE', () =>
    unchanged(async () => {
      const wrong = [
        await client.rest('POST', '/groups?tenantAlias=acme', own({ name: 'A' })),
        await client.rest('PATCH', `/groups/${world.group}?name=B`, own()),
        await inject(app, {
          method: 'DELETE',
          url: `/api/v1/groups/${world.group}?tenantAlias=acme`,
          headers: { 'api-key': client.apiKey, 'content-type': 'application/json' },
          payload: '{"name":"A"}',
        }),
      ];
      for (const answer of wrong) expectRestError(answer, 'validation_failed');
    }));
});

describe('metadata is returned as sent', () => {
  const kept = [
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"a"}',
    '{"b":1,"a":2,"10":3,"2":4}',
    '{"a":{"__proto__":null,"b":[{"__proto__":[]}]}}',
    '{"":"empty"," ":"space","a.b":"dot","é😀":"text"}',
    '{"a":[null,true,false,0,-1,1.5,9007199254740991,"",{},[]],"hasOwnProperty":1}',
    `{"a":${'['.repeat(7)}${']'.repeat(7)}}`,
  ];
  it.each(kept)('%s', async (metadata) => {
    const made = await client.rest(
      'POST',
      '/groups',
      `{"tenantAlias":"acme","name":"A","metadata":${metadata}}`,
    );
    expect(made.status, made.text).toBe(201);
    const sent = JSON.stringify(JSON.parse(metadata));
    expect(JSON.stringify(made.body.metadata)).toBe(sent);
    const read = await get(`/groups/${made.body.id}`);
    expect(JSON.stringify(read.body.metadata)).toBe(sent);
    const changed = await client.rest(
      'PATCH',
      `/groups/${made.body.id}`,
      `{"tenantAlias":"acme","metadata":{"x":${metadata}}}`,
    );
    if (changed.status === 200) expect(JSON.stringify(changed.body.metadata)).toBe(`{"x":${sent}}`);
    else expectRestError(changed, 'validation_failed');
    const traces = await get('/traces/timeframe', { startDate: '2020-01-01', limit: '100' });
    const trace = traces.body.data.find(
      (each: any) => each.payload.resourceId === made.body.id && each.payload.action === 'created',
    );
    expect(JSON.stringify(trace.payload.object.metadata)).toBe(sent);
    expect(({} as any).polluted).toBeUndefined();
  });

  it('text to text for customers', async () => {
    const metadata = withProto('{"__proto__":"a","constructor":"b","toString":"c"}');
    const customer = {
      email: 'p@example.org',
      firstName: 'A',
      lastName: 'B',
      associatedId: 'proto',
      metadata,
    };
    const { body } = await post('/customers', customer);
    expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
    const refused = await post('/customers', {
      ...customer,
      associatedId: 'n',
      metadata: withProto('{"__proto__":1}'),
    });
    expectRestError(refused, 'validation_failed');
    expect(refused.body.cause.issues).toEqual([{ path: 'metadata.__proto__', message: 'must be text' }]);
  });
});

describe('amounts', () => {
  const money: [amount: string, currency: string, reason: Reason][] = [
    ['19.999', 'afn', 'amount_precision'],
    ['1.5', 'jpy', 'amount_precision'],
    ['0.001', 'usd', 'amount_precision'],
    ['1.0005', 'kwd', 'amount_precision'],
    ['0.1e-20', 'afn', 'amount_precision'],
    ['1234567890123456', 'jpy', 'amount_precision'],
    ['1e400', 'afn', 'validation_failed'],
    ['1e30', 'afn', 'validation_failed'],
    ['-1', 'afn', 'validation_failed'],
    ['-1e400', 'afn', 'validation_failed'],
    ['"12"', 'afn', 'validation_failed'],
    ['null', 'afn', 'validation_failed'],
    ['[12]', 'afn', 'validation_failed'],
    ['true', 'afn', 'validation_failed'],
    ['12', 'zzz', 'currency_unsupported'],
    ['12', '', 'currency_unsupported'],
    ['12', 'xau', 'currency_unsupported'],
    ['12', '__proto__', 'currency_unsupported'],
    ['12', 'constructor', 'currency_unsupported'],
  ];
  const price = (amount: string, currency: string) =>
    `{"details":{"amount":${amount},"currency":${JSON.stringify(currency)}}}`;

  it.each(money)(
    '%s %s: %s, and a product with it as its second price is not made',
    (amount, currency, reason) =>
      unchanged(async () => {
        const prices = `[${price('5', 'afn')},${price(amount, currency)}]`;
        const product = `{"tenantAlias":"acme","name":"P","description":"","prices":${prices}}`;
        for (const [path, body] of [
          ['/products', product],
          [`/products/${world.product}/prices`, `{"tenantAlias":"acme","prices":${prices}}`],
        ] as const) {
          const answer = await client.rest('POST', path, body);
          expectRestError(answer, reason);
          expect(answer.body.cause.issues[0].path).toMatch(/^prices\.1\.details\.(amount|currency)$/);
        }
        const changed = await client.rest(
          'PATCH',
          `/products/${world.product}/prices/${world.price}`,
          `{"tenantAlias":"acme",${price(amount, currency).slice(1)}`,
        );
        expectRestError(changed, reason);
      }),
  );

  it.each([
    ['-0', 'afn', 0],
    ['0', 'jpy', 0],
    ['5.0', 'jpy', 5],
    ['0.01', 'AFN', 0.01],
    ['9999999999999.99', 'usd', 9999999999999.99],
    ['1e3', 'afn', 1000],
  ])('%s %s is %d', async (amount, currency, kept) => {
    const answer = await client.rest(
      'POST',
      `/products/${world.product}/prices`,
      `{"tenantAlias":"acme","prices":[${price(amount, currency)}]}`,
    );
    expect(answer.status, answer.text).toBe(201);
    expect(JSON.stringify(answer.body[0].details)).toBe(
      JSON.stringify({ amount: kept, currency: currency.toLowerCase() }),
    );
  });
});

describe('pages', () => {
  it.each([
    '0',
    '-1',
    '101',
    '1.5',
    'a',
    '',
    ' ',
    '1e1',
    '1e400',
    '-0',
    '0.5',
    '5,0',
    '٥',
    'null',
    '9'.repeat(400),
  ])('of %j items are refused', async (limit) => {
    for (const path of ['/customers', '/products', '/groups']) {
      const answer = await get(path, { limit });
      expectRestError(answer, 'validation_failed');
      expect(answer.body.cause.issues[0].path).toBe('limit');
    }
  });

  it.each(['5.0', '1', '100', '5', '007'])('of %s items are accepted', async (limit) => {
    expect((await get('/customers', { limit })).status).toBe(200);
  });

  it('refuse an altered cursor and one of another list', async () => {
    const page = await get('/groups', { limit: '1' });
    const cursor: string = page.body.nextCursor;
    const foreign = (await stranger.rest('GET', '/products', { limit: '1' })).body.nextCursor;
    const list = (await get('/products', { limit: '1' })).body.nextCursor;
    const flipped = Array.from(cursor, (_, index) => {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      return cursor.slice(0, index) + other + cursor.slice(index + 1);
    });
    const text = Buffer.from(cursor, 'base64').toString();
    const encoded = (changed: string) => Buffer.from(changed).toString('base64');
    const wrong = [
      ...flipped,
      cursor.slice(0, -1),
      cursor.slice(0, -4),
      cursor.slice(4),
      `${cursor}A`,
      `${cursor}====`,
      `${cursor} `,
      ` ${cursor}`,
      `${cursor}\n`,
      `${cursor.slice(0, 8)}!${cursor.slice(8)}`,
      `${cursor.slice(0, 8)}\u{1f600}${cursor.slice(8)}`,
      cursor.toLowerCase(),
      cursor + cursor,
      foreign,
      list,
      encoded(`${text}   `),
      encoded(text.replace('grp_', 'Grp_')),
      encoded(text.replace(/grp_\w+/, "x' OR 1=1 --")),
      encoded('groups|2026-01-01T00:00:00.000Z|grp_0|'),
      encoded('||'),
      encoded('{"id":1}'),
      '',
      ' ',
      '|',
      'null',
      '__proto__',
      'A'.repeat(5000),
    ];
    for (const each of wrong) {
      const answer = await get('/groups', { limit: '1', cursor: each });
      expectRestError(answer, 'cursor_invalid');
      expect(answer.body.cause.issues[0].path).toBe('cursor');
    }
    expect((await get('/groups', { limit: '1', cursor })).status).toBe(200);
  });
});

describe('far away dates', () => {
  const intent = (price: string, product: string, startDate?: string) => ({
    customerId: world.customer,
    associatedCustomerId: world.associatedId,
    productId: product,
    priceId: price,
    receiptUrl: 'https://shop.example/r',
    startDate,
  });
  const cases = ['0001-01-01', '0001-01-01T00:00:00.001Z', '9999-12-31', '9999-12-31T23:59:59.999Z'].flatMap(
    (date) =>
      (['Daily', 'Weekly', 'Monthly', 'Yearly'] as const).map((frequency) => [date, frequency] as const),
  );

  it.each(cases)('as the anchor of a price: %s %s', async (executionDate, frequency) => {
    const prices = [{ details: { amount: 5, currency: 'afn' }, recurring: { executionDate, frequency } }];
    const made = await post('/products', { name: 'P', description: '', prices });
    if (made.status >= 400) return expectRestError(made);
    const answer = await post('/subscriptions/intent', intent(made.body.prices[0].id, made.body.product.id));
    expect(answer.status, answer.text).toBeLessThan(500);
    const paid = await client.post(
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }',
      { id: answer.body.intentId },
    );
    expect(paid.text).not.toContain('internal_error');
  });

  it.each(['9999-12-31', '9999-12-31T23:59:59.999Z', '9998-12-31'])(
    'as the start of a subscription: %s',
    async (startDate) => {
      const made = await post('/products', {
        name: 'P',
        description: '',
        prices: [{ details: { amount: 5, currency: 'afn' } }],
      });
      const answer = await post(
        '/subscriptions/intent',
        intent(made.body.prices[0].id, made.body.product.id, startDate),
      );
      expect(answer.status, answer.text).toBeLessThan(500);
      if (answer.status >= 400) return expectRestError(answer);
      const paid = await client.post(
        'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { status } }',
        { id: answer.body.intentId },
      );
      expect(paid.text).not.toContain('internal_error');
    },
  );
});

describe('random requests', () => {
  const wellFormed = (value: unknown) =>
    (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();

  // Some of what is sent is valid, and does what it says: each write has records of its own to do it to.
  const [writes, reads] = [true, false].map((isOne) =>
    tested.filter(({ route }) => isWrite(route) === isOne),
  );
  const chosen = [...reads!, ...sampled(writes!, 3)];

  it.each(chosen)('$name never fails with an internal error', async (operation) => {
    const { route, row } = operation;
    let alias = 'acme';
    if (isWrite(route)) {
      alias = `fuzz-${restOperations.indexOf(operation)}`;
      client = await app.tenant({ alias });
      world = await fillTenant(client, alias);
    }
    const places = placesIn(operation);
    const valid: Record<string, unknown> = { tenantAlias: alias, ...row.call(world) };
    const inPath = (name: string) => route.path.includes(`{${name}}`);
    const isText = route.method === 'GET' || route.method === 'DELETE';
    const bare = Object.fromEntries(Object.entries(valid).filter(([name]) => inPath(name)));
    await fc.assert(
      fc.asyncProperty(listChanges(places, world), fc.boolean(), async (changes, whole) => {
        const fields = changes.reduce(
          (made, { place, value }) => placed(made, place.path, value),
          whole ? valid : bare,
        );
        const sent = Object.entries(fields).map(([name, value]) => [
          name,
          isText || inPath(name) ? wellFormed(value) : value,
        ]);
        await send(operation, Object.fromEntries(sent));
      }),
      { numRuns: Math.ceil((isWrite(operation.route) ? 300 : 100) / thinning), seed: 20_260_131 },
    );
  });
});

test('the database is intact afterwards', () => expectSound(app));
