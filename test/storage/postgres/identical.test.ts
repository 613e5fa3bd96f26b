/** The same requests on both engines, with the same time and the same chance: the answers must be the same bytes. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { testSecretKey, type Method } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { scratchDatabase, type Engine, type Scratch } from '../../support/engines.ts';

interface Side {
  scratch: Scratch;
  app: App;
  clock: TestClock;
  apiKey: string;
}

/** Bytes that look random and are the same for every generator. */
function seededBytes() {
  let count = 0;
  return (length: number) => {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 32) {
      createHash('sha256').update(`seed ${count++}`).digest().copy(bytes, at);
    }
    return bytes;
  };
}

async function open(engine: Engine): Promise<Side> {
  const scratch = await scratchDatabase(engine);
  const clock = stoppedClock('2026-01-31T10:20:30.405Z');
  // With a key of its own: that of a file takes bytes from the same source as ids, and only SQLite has a file.
  const settings = { databaseConnections: '4', logLevel: 'silent', secretKey: testSecretKey };
  const config = readConfig({ database: scratch.url, ...settings }, {});
  const app = await createApp(config, { scheduler: false, clock, randomBytes: seededBytes() });
  await createTenant(app.service, { alias: 'acme', timezone: 'Asia/Kabul', test: true, clock: clock.now() });
  const { apiKey } = await createKey(app.service, { tenant: 'acme' });
  return { scratch, app, clock, apiKey };
}

let sides: [Side, Side];
beforeAll(async () => {
  sides = [await open('sqlite'), await open('postgres')];
});
afterAll(async () => {
  for (const { app, scratch } of sides) {
    await app.close();
    await scratch.drop();
  }
});

/** Sends a request to both, and expects one answer, which it gives back. */
async function ask(
  method: Method,
  url: string,
  payload?: unknown,
  headers: Record<string, string> = {},
): Promise<any> {
  const answers: string[] = [];
  for (const { app, apiKey, clock } of sides) {
    clock.advance(7);
    const trace = createHash('md5')
      .update(`${method} ${url} ${JSON.stringify(payload)}`)
      .digest('hex');
    const answer = await app.server.inject({
      method,
      url,
      headers: {
        'api-key': apiKey,
        traceparent: `00-${trace}-00000000000000aa-01`,
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      payload: payload === undefined || typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    answers.push(`${answer.statusCode} ${answer.body}`);
  }
  expect(answers[1]).toBe(answers[0]);
  const [status, ...rest] = answers[0]!.split(' ');
  return { status: Number(status), body: JSON.parse(rest.join(' ')) };
}

const rest = (method: Method, path: string, fields: object = {}) => {
  const own = { tenantAlias: 'acme', ...fields };
  const isRead = method === 'GET' || method === 'DELETE';
  return isRead
    ? ask(method, `/api/v1${path}?${new URLSearchParams(own as never).toString()}`)
    : ask(method, `/api/v1${path}`, own);
};
const made = async (path: string, fields: object) => {
  const { status, body } = await rest('POST', path, fields);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const graphql = async (query: string, variables: object = {}) => {
  const { body } = await ask('POST', '/graphql', { query, variables });
  return body;
};

const names = [
  'École',
  'école',
  'ECOLE',
  'éCOLE',
  'İstanbul',
  'istanbul',
  'ISTANBUL',
  'ıstanbul',
  'straße',
  'STRASSE',
  'STRAẞE',
  'ΟΔΟΣ',
  'οδος',
  'Ǆungla',
  'ﬁne',
  'Ω',
  'Ω',
  'K',
  'k',
  '𝄞 clef',
  '𐐀',
  '𐐨',
  'a',
  'B',
  'A',
  'b',
  ' z',
  '_',
  '%',
  '50%',
  'a!b',
  '中文',
  'тест',
  'ТЕСТ',
  'é',
  '~',
  '\u{10FFFF}',
  '\u{FFFD}',
  '\u{E000}',
];

it('names: stored, ordered, and found in any case', async () => {
  for (const name of names) await made('/groups', { name });
  let found = 0;
  for (const name of [...names, 'É', 'İ', 'ß', 'i', 'σ', 'ς', 'OL', 'i̇', '']) {
    await rest('GET', '/groups', { name });
    const { data } = await graphql(
      'query ($name: String!) { groups(name: $name, first: 100) { nodes { id name } } }',
      { name },
    );
    found += data.groups.nodes.length;
  }
  expect(found).toBeGreaterThan(names.length);
  for (const wanted of ['É', 'école', 'ÉCOLE']) {
    const { data } = await graphql('query ($name: String!) { groups(name: $name) { nodes { name } } }', {
      name: wanted,
    });
    expect(data.groups.nodes.map(({ name }: any) => name)).toEqual(
      expect.arrayContaining(['École', 'école', 'éCOLE']),
    );
  }
});

it('pages: the same rows behind the same cursors, in both directions', async () => {
  for (const order of ['ASC', 'DESC']) {
    for (let after: string | null = null, pages = 0; pages < 20; pages++) {
      const document =
        'query ($after: String, $order: Order) { groups(first: 4, after: $after, order: $order) { nodes { id } nextCursor } }';
      const { data, errors } = await graphql(document, { after, order });
      expect(errors).toBeUndefined();
      after = data.groups.nextCursor;
      if (after === null) break;
    }
  }
  for (let cursor: string | undefined = '', pages = 0; pages < 20 && cursor !== undefined; pages++) {
    const { body } = await rest('GET', '/groups', { limit: '5', ...(cursor && { cursor }) });
    cursor = body.nextCursor ?? undefined;
  }
  await rest('GET', '/groups', { cursor: 'nonsense' });
});

it('JSON: key order, numbers and texts unchanged', async () => {
  for (const metadata of [
    { z: 1, a: { y: [1, null, 'x'], b: false }, 10: 'ten', 9: 'nine' },
    { small: 1e-7, large: 1e15, safe: 9007199254740991, minus: -0.5, zero: 0 },
    { text: '"\\/\b\f\n\r\t\u0001é𝄞', empty: '', nested: [[[]], {}] },
  ]) {
    const { id } = await made('/groups', { name: 'JSON', metadata });
    expect((await rest('GET', `/groups/${id}`)).body.metadata).toEqual(metadata);
    await rest('PATCH', `/groups/${id}`, { metadata: { replaced: true, ...metadata } });
  }
  await ask(
    'POST',
    '/api/v1/groups',
    '{"tenantAlias":"acme","name":"raw","metadata":{"b":1.50,"a":1E2,"b2":-0}}',
  );
});

it('money: exact above 2^53 minor units', async () => {
  const amounts = [
    0, 0.01, 90071992547409.91, 90071992547409.92, 92233720368547, 99999999999999.99, 1e15, 0.001,
  ];
  const kept: string[] = [];
  for (const amount of amounts) {
    const prices = [{ details: { amount, currency: 'usd' } }];
    const { body } = await rest('POST', '/products', { name: `Costs ${amount}`, description: '', prices });
    kept.push(JSON.stringify(body.prices));
    await rest('POST', '/products', {
      name: `Kuwait ${amount}`,
      description: '',
      prices: [{ details: { amount, currency: 'kwd' } }],
    });
  }
  await rest('GET', '/products', { limit: '100' });
  expect(kept.join('')).toContain(JSON.stringify({ amount: 90071992547409.91 }).slice(1, -1));
});

it('time: to the millisecond, from the year 1 to 9999', async () => {
  for (const expiresAt of [
    '2026-02-28T23:59:59.999Z',
    '2026-02-28T23:59:59.9999Z',
    '2026-03-01',
    '9999-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00.000Z',
    '1900-01-01T00:00:00+04:36',
    '2026-03-01T00:00:00.1Z',
  ]) {
    const prices = [{ details: { amount: 5, currency: 'afn' } }];
    await rest('POST', '/products', { name: 'Ends', description: '', prices, expiresAt });
  }
  for (const [from, to] of [
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31T10:20:30.405Z', '2026-01-31T10:20:31.000Z'],
  ]) {
    const found = await rest('GET', '/traces/timeframe', { startDate: from!, endDate: to!, limit: '100' });
    expect(found.status).toBe(200);
  }
});

it('errors: the same text for the same fault', async () => {
  for (const fields of [
    { name: 'NUL \u0000' },
    { name: '\ud800' },
    { name: '' },
    { name: 5 },
    { unknown: 1 },
    {},
    { name: 'x'.repeat(10_000) },
    { name: 'a', metadata: { '\u0000': 1 } },
    { name: 'a', metadata: { a: 'NUL \u0000' } },
    { name: 'a', metadata: [] },
  ]) {
    expect((await rest('POST', '/groups', fields)).status, JSON.stringify(fields)).toBe(400);
  }
  for (const path of ['/groups/none', '/customers/none', '/groups/%00', '/groups/a%27b', '/nowhere']) {
    expect((await rest('GET', path)).status).toBeGreaterThanOrEqual(400);
  }
  await graphql('{ nothing }');
  await graphql('{ group(id: "none") { id } }');
});

const people = [1, 2, 3].map((number) => ({
  email: `p${number}@example.org`,
  firstName: names[number]!,
  lastName: names[number + 10]!,
  associatedId: `Own-${number}`,
  metadata: { number: String(number) },
}));

it('a whole history: customers, plans, payments, a year of billing, and its traces', async () => {
  const customers = [];
  for (const person of people) customers.push(await made('/customers', person));
  expect((await rest('POST', '/customers', people[0])).status).toBe(409);
  const { id: groupId } = await made('/groups', { name: 'Plans', prorateUpgrades: true });
  const plans = [];
  for (const amount of [10, 29.99, 90071992547409]) {
    const prices = [{ details: { amount, currency: 'usd' }, recurring: { frequency: 'Monthly', period: 1 } }];
    plans.push(await made('/products', { name: `Plan ${amount}`, description: '', groupId, prices }));
  }
  const subscribe = async (customer: any, { product, prices }: any, method: string) => {
    const { intentId } = await made('/subscriptions/intent', {
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: product.id,
      priceId: prices[0].id,
      receiptUrl: 'https://example.org/thanks',
      orderNumber: `${customer.id}-${product.id}`,
    });
    return graphql(
      'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { status subscriptionId } }',
      { id: intentId, method },
    );
  };
  await subscribe(customers[0], plans[0], 'sandbox_ok');
  await subscribe(customers[1], plans[2], 'sandbox_ok');
  await subscribe(customers[2], plans[0], 'sandbox_decline_later');
  const advance = (to: string) =>
    graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
  await advance('2026-03-15T00:00:00Z');
  await subscribe(customers[0], plans[1], 'sandbox_ok');
  await advance('2027-02-01T00:00:00Z');
  for (const customer of customers) {
    const whose = { customerId: customer.id, associatedCustomerId: customer.associatedId };
    await rest('GET', '/subscriptions', whose);
    await rest('GET', '/subscriptions/active', whose);
  }
  const invoices = await graphql(`
    {
      invoices(first: 100, order: ASC) {
        nextCursor
        nodes {
          id
          number
          status
          total {
            amount
            currency
          }
          createdAt
          paidAt
          lines {
            kind
            amount {
              amount
            }
            periodStart
            periodEnd
            explanation
          }
        }
      }
    }
  `);
  expect(invoices.errors).toBeUndefined();
  expect(invoices.data.invoices.nodes.length).toBeGreaterThan(20);
  for (let cursor: string | undefined = '', pages = 0; cursor !== undefined; pages++) {
    const { status, body } = await rest('GET', '/traces/timeframe', {
      startDate: '2026-01-01',
      limit: '100',
      ...(cursor && { cursor }),
    });
    expect([status, pages < 50]).toEqual([200, true]);
    cursor = body.nextCursor ?? undefined;
  }
  await rest('DELETE', `/groups/${groupId}`);
  await rest('GET', '/products', { limit: '100' });
});
