import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  buildSchema,
  parse,
  type FieldNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { eventTypes } from '../../src/tenancy/traces/eventTypes.ts';
import { findExample } from '../../src/outgoing/webhooks/eventExamples.ts';
import { catalogue } from '../../src/lib/errors.ts';
import { buildOpenapi } from '../../src/rest/openapi.ts';
import { buildResponseSchema, buildInputSchema, buildResponseSample } from '../../src/rest/openapiSchemas.ts';
import { routes } from '../../src/rest/routes.ts';
import { version } from '../../src/lib/version.ts';
import { dereference, misfits } from '../openapi/conformance.ts';
import { startApp, type Client, type Method, type TestApp } from '../support/app.ts';
import { isLong } from '../support/sample.ts';

const root = path.join(import.meta.dirname, '../..');
const tools = path.join(root, 'test/openapi');
const requireTool = createRequire(path.join(tools, 'package.json'));
const toolIn = (name: string, file: string) =>
  path.join(path.dirname(requireTool.resolve(`${name}/package.json`)), file);

const document: any = buildOpenapi(schema, { version: '1.2.3', publicUrl: 'https://billing.test/' });
const operations = Object.entries<any>(document.paths).flatMap(([at, { parameters: _, ...methods }]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({ at, method, ...operation })),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'openapi-'));
  writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(document));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a tool of Node to its end; answers its exit code and all that it said. */
function run(tool: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const child = spawn(process.execPath, [tool, ...args], { cwd: folder, env: { ...process.env, ...quiet } });
  let said = '';
  const listen = (chunk: Buffer) => (said += chunk.toString());
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, said }));
  });
}

describe('the document', () => {
  test('has every route of the table and nothing more', () => {
    const wanted = routes.map(({ method, path: at }) => `${method.toLowerCase()} ${at}`);
    expect(operations.map(({ method, at }) => `${method} ${at}`).toSorted()).toEqual(wanted.toSorted());
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(routes.length);
    const extensions = operations.filter((operation) => operation['x-extension']);
    expect(extensions.length).toBe(routes.filter(({ extension }) => extension).length);
  });

  test('names every operation, the service, its version and its API key', () => {
    expect(document.info).toMatchObject({ title: 'Perennial', version: '1.2.3' });
    expect(document.servers).toEqual([{ url: 'https://billing.test/api/v1' }]);
    expect(document.security).toEqual([{ api_key: [] }]);
    expect(document.components.securitySchemes.api_key).toMatchObject({ in: 'header', name: 'api-key' });
    const tags = document.tags.map(({ name }: { name: string }) => name);
    for (const operation of operations) expect(tags).toContain(operation.tags[0]);
  });

  test('is the same text each time', () => {
    const again = buildOpenapi(schema, { version: '1.2.3', publicUrl: 'https://billing.test' });
    expect(JSON.stringify(again)).toBe(JSON.stringify(document));
  });

  test('has the required fields of the interface, and no unknown fields', () => {
    const { requestBody } = document.paths['/customers'].post;
    const body = requestBody.content['application/json'].schema;
    expect(requestBody.required).toBe(true);
    expect(body.required).toEqual(['tenantAlias', 'email', 'firstName', 'lastName', 'associatedId']);
    expect(Object.keys(body.properties)).toEqual([...body.required, 'metadata']);
    expect(body.additionalProperties).toBe(false);
    expect(body.properties.email).toMatchObject({
      type: 'string',
      format: 'idn-email',
      description: expect.any(String),
    });
    const { parameters } = document.paths['/customers/{customerId}'].patch;
    expect(parameters).toMatchObject([
      { name: 'customerId', in: 'path', required: true, schema: { type: 'string' } },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ]);
  });

  test('has limit and order of every list', () => {
    const lists = operations.filter(({ parameters }) =>
      parameters?.some((each: any) => each.name === 'cursor'),
    );
    expect(lists.length).toBeGreaterThan(0);
    for (const { parameters } of lists) {
      const findSchema = (name: string) => parameters.find((each: any) => each.name === name).schema;
      expect(findSchema('limit')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 10 });
      expect(findSchema('order')).toEqual({ type: 'string', enum: ['asc', 'desc'], default: 'desc' });
    }
  });

  test('has the reasons of the catalogue, each with a response of its status', () => {
    const { reason } = document.components.schemas.Error.properties.body.properties;
    expect(reason.enum).toEqual(Object.keys(catalogue));
    const { responses } = document.paths['/customers'].post;
    expect(Object.keys(responses)).toEqual([
      '201',
      '400',
      '401',
      '403',
      // A repeat whose customer was erased since.
      '404',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(responses[403].description).toContain('insufficient_scope');
    expect(responses[409].description).toContain('associated_id_exists');
    const reading = document.paths['/customers'].get.responses;
    expect(Object.keys(reading)).toEqual(['200', '400', '401', '403', '429', '500', '503']);
    expect(reading[403].description).not.toContain('insufficient_scope');
    expect(reading[400].description).toContain('cursor_invalid');
  });

  test('has a 404 for every id in a path', () => {
    const silent = operations.filter(({ at, responses }) => at.includes('{') && !responses[404]);
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('describes the message of every event, which the recorded examples fit', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes.map(({ name }) => name));
    const told = Object.entries<any>(document.webhooks).flatMap(([name, { post }]) => {
      const example = findExample(name);
      const { schema: message } = post.requestBody.content['application/json'];
      return example ? misfits(document, message, example, name) : [`${name}: no example`];
    });
    expect(told).toEqual([]);
    const { post } = document.webhooks['CustomerEvent.created'];
    expect(post.externalDocs.url).toBe('https://billing.test/docs/events#customereventcreated');
    expect(post.security).toEqual([]);
    const other = document.webhooks['CustomerEvent.deleted'].post.requestBody.content['application/json'];
    expect(misfits(document, other.schema, findExample('CustomerEvent.created'))).not.toEqual([]);
  });

  test('is served without an API key', async () => {
    const app = await startApp({ publicUrl: 'https://billing.test' });
    const answer = await app.server.inject({ method: 'GET', url: '/api/v1/openapi.json' });
    await app.close();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toEqual({ ...document, info: { ...document.info, version } });
    expect(version).toBe(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version);
  });
});

describe('schemas of types', () => {
  const shop = buildSchema(`
    scalar DateTime
    scalar JSONObject
    enum Frequency { Monthly Yearly }
    input PriceInput { amount: Float!, period: Int = 1, frequency: Frequency, tags: [String!] }
    "What is sold."
    type Product { id: ID!, name: String!, "When it ends." expiresAt: DateTime, prices: [Price!]!, group: Group }
    type Price { amount: Float!, frequency: Frequency, metadata: JSONObject! }
    type Group { id: ID!, active: Boolean!, best: [Price] }
    type Query { product(price: PriceInput): Product, products: [Product!]! }
  `);
  const getFields = (name: string) => (shop.getType(name) as GraphQLObjectType).getFields();

  function buildAnswerSchema(text: string, named: Map<string, any>, shape = (value: any) => value) {
    const { selectionSet, name } = parse(text).definitions[0] as OperationDefinitionNode;
    const field = selectionSet.selections[0] as FieldNode;
    const sample = buildResponseSample(getFields('Query')[field.name.value]!.type, field);
    return buildResponseSchema(shape(sample), name!.value, named);
  }

  test('a response has the selected fields by alias, nullable as in the schema', () => {
    const named = new Map<string, any>();
    const answer = buildAnswerSchema(
      'query one { product { key: id expiresAt group { active best { amount } } } }',
      named,
    );
    expect(answer).toEqual({ $ref: '#/components/schemas/Product' });
    expect(named.get('Product')).toEqual({
      description: 'What is sold.',
      type: 'object',
      properties: {
        key: { type: 'string' },
        expiresAt: { description: 'When it ends.', type: ['string', 'null'], format: 'date-time' },
        group: { anyOf: [{ $ref: '#/components/schemas/Group' }, { type: 'null' }] },
      },
      required: ['key', 'expiresAt', 'group'],
      additionalProperties: false,
    });
    expect(named.get('Group').properties.best).toEqual({
      type: ['array', 'null'],
      items: { anyOf: [{ $ref: '#/components/schemas/Price' }, { type: 'null' }] },
    });
  });

  test('a reshaped response keeps the types of moved fields', () => {
    const named = new Map<string, any>();
    const selection = '{ id name prices { amount frequency } }';
    const answer = buildAnswerSchema(
      `query make { product ${selection} }`,
      named,
      ({ prices, ...product }) => ({
        product,
        prices,
      }),
    );
    expect(answer).toEqual({
      type: 'object',
      properties: {
        product: { $ref: '#/components/schemas/Product' },
        prices: { type: 'array', items: { $ref: '#/components/schemas/Price' } },
      },
      required: ['product', 'prices'],
      additionalProperties: false,
    });
    expect(Object.keys(named.get('Product').properties)).toEqual(['id', 'name']);
    expect(named.get('Price').properties.frequency).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Frequency' }, { type: 'null' }],
    });
    expect(() => buildAnswerSchema('query made { product { id } }', named, () => ({ count: 1 }))).toThrow(
      'made: shape',
    );
  });

  test('equal selections share a name, others have their own', () => {
    const named = new Map<string, any>();
    buildAnswerSchema('query one { product { id } }', named);
    const list = buildAnswerSchema('query list { products { id } }', named);
    const wide = buildAnswerSchema('query wide { products { id name } }', named);
    expect(list).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Product' } });
    expect(wide).toEqual({ type: 'array', items: { $ref: '#/components/schemas/ProductInWide' } });
    expect([...named.keys()]).toEqual(['Product', 'ProductInWide']);
  });

  test('an input object is a schema of its own', () => {
    const named = new Map<string, any>();
    const schemaOfInput = buildInputSchema(getFields('Query')['product']!.args[0]!.type, named);
    expect(schemaOfInput).toEqual({ anyOf: [{ $ref: '#/components/schemas/PriceInput' }, { type: 'null' }] });
    expect(named.get('PriceInput')).toMatchObject({
      required: ['amount'],
      properties: {
        period: { type: ['integer', 'null'] },
        tags: { type: ['array', 'null'], items: { type: 'string' } },
      },
    });
    expect(named.get('Frequency')).toEqual({ type: 'string', enum: ['Monthly', 'Yearly'] });
  });
});

describe('external tools', () => {
  test('redocly reports no problems', async () => {
    const lint = toolIn('@redocly/cli', 'bin/cli.js');
    const rules = path.join(tools, 'redocly.yaml');
    const { code, said } = await run(lint, 'lint', 'openapi.json', '--config', rules, '--format', 'stylish');
    expect(said).not.toMatch(/\d+ (error|warning)/);
    expect(code, said).toBe(0);
  });

  test.runIf(isLong)('a client over the types of openapi-typescript compiles', async () => {
    const types = await run(
      toolIn('openapi-typescript', 'bin/cli.js'),
      'openapi.json',
      '--output',
      path.join(folder, 'perennial.ts'),
    );
    expect(types.code, types.said).toBe(0);
    const client = path.join(tools, 'client.ts');
    copyFileSync(client, path.join(folder, 'client.ts'));
    const wrong = readFileSync(client, 'utf8').replace('lastName:', 'surname:');
    writeFileSync(path.join(folder, 'wrong.ts'), wrong);

    const [right, misspelt] = await Promise.all([compile('client.ts'), compile('wrong.ts')]);
    expect(right.code, right.said).toBe(0);
    expect(misspelt.said).toContain("'surname' does not exist");
  });

  function compile(file: string) {
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--noEmit', '--noUncheckedIndexedAccess', '--allowImportingTsExtensions'];
    const target = [
      '--target',
      'es2023',
      '--lib',
      'es2023,dom',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    return run(compiler, ...strict, ...target, '--types', '', file);
  }
});

describe('real responses', () => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startApp();
    client = await app.tenant({ alias: 'acme' });
  });
  afterAll(() => app.close());

  const person = { tenantAlias: 'acme', email: 'ada@example.org', firstName: 'Ada', lastName: 'Byron' };
  const ask = async (method: Method, route: string, fields: object, names: Record<string, string> = {}) => {
    const at = route.replace(/\{(\w+)\}/g, (_, name) => names[name]!);
    const { status, body, text } = await client.rest(method, at, fields);
    const described = document.paths[route][method.toLowerCase()].responses[status];
    expect(described, `${method} ${route} answered ${status}: ${text}`).toBeDefined();
    const response = described.$ref ? dereference(document, described.$ref) : described;
    expect(misfits(document, response.content['application/json'].schema, body)).toEqual([]);
    return { status, body, text };
  };
  type Row = [status: number, method: Method, route: string, fields: object, names?: Record<string, string>];
  const expectAll = async (rows: Row[]) => {
    for (const [wanted, ...request] of rows) {
      const { status, text } = await ask(...request);
      expect(status, `${request[0]} ${request[1]}: ${text}`).toBe(wanted);
    }
  };

  test('customers and errors fit the document', async () => {
    const created = await ask('POST', '/customers', {
      ...person,
      associatedId: 'a0',
      metadata: { vip: 'yes' },
    });
    expect(created.status).toBe(201);
    const names = { customerId: created.body.id };
    const changes = { tenantAlias: 'acme', associatedId: 'a0', lastName: 'King' };
    await expectAll([
      [200, 'PATCH', '/customers/{customerId}', changes, names],
      [404, 'PATCH', '/customers/{customerId}', changes, { customerId: 'cus_none' }],
      [403, 'PATCH', '/customers/{customerId}', { ...changes, associatedId: 'b' }, names],
      [403, 'POST', '/customers', { ...person, tenantAlias: 'other', associatedId: 'a1' }],
      [409, 'POST', '/customers', { ...person, associatedId: 'a0' }],
      [400, 'POST', '/customers', { ...person, firstName: 5, nickname: 'A' }],
      [400, 'GET', '/customers', { cursor: 'bm9uZQ==' }],
      [400, 'GET', '/customers', { order: 'up' }],
      [200, 'DELETE', '/customers/{customerId}', { tenantAlias: 'acme', associatedId: 'a0' }, names],
    ]);
  });

  test('catalogue, subscriptions and traces fit the document', async () => {
    const tenant = { tenantAlias: 'acme' };
    const group = (await ask('POST', '/groups', { ...tenant, name: 'Plans' })).body;
    const { product, prices } = (
      await ask('POST', '/products', {
        ...tenant,
        name: 'Gold',
        description: 'All of it.',
        groupId: group.id,
        metadata: { seats: 3, tags: ['a', null] },
        prices: [{ details: { amount: 12.5, currency: 'usd' } }],
      })
    ).body;
    const customer = (await ask('POST', '/customers', { ...person, associatedId: 'payer' })).body;
    const names = { groupId: group.id, productId: product.id, priceId: prices[0].id };
    const ofCustomer = { ...tenant, customer: customer.id };
    const price = { details: { amount: 5, currency: 'usd' }, recurring: { frequency: 'Yearly', period: 1 } };
    const intent = {
      ...tenant,
      customerId: customer.id,
      associatedCustomerId: 'payer',
      productId: product.id,
      priceId: prices[0].id,
      receiptUrl: 'https://shop.example.org/thanks',
    };
    await expectAll([
      [200, 'PATCH', '/products/{productId}', { ...tenant, expiresAt: '2100-01-31T00:00:00Z' }, names],
      [200, 'GET', '/products', tenant],
      [201, 'POST', '/products/{productId}/prices', { ...tenant, prices: [price] }, names],
      [200, 'GET', '/products/{productId}/prices/{priceId}', tenant, names],
      [200, 'PATCH', '/products/{productId}/prices/{priceId}', { ...tenant, details: { amount: 7 } }, names],
      [200, 'PATCH', '/groups/{groupId}', { ...tenant, prorateUpgrades: true }, names],
      [200, 'GET', '/groups/{groupId}', tenant, names],
      [200, 'GET', '/groups', tenant],
      [201, 'POST', '/subscriptions/intent', intent],
      [200, 'GET', '/subscriptions', ofCustomer],
      [200, 'GET', '/subscriptions/active', ofCustomer],
      [404, 'DELETE', '/subscriptions/{subscriptionId}', ofCustomer, { subscriptionId: 'sub_none' }],
    ]);
    const traces = await ask('GET', '/traces/timeframe', {
      ...tenant,
      startDate: '2000-01-01',
      order: 'asc',
    });
    const { traceId, eventId, executorId, createdAt } = traces.body.data[0];
    await expectAll([
      [200, 'GET', '/traces/event', { ...tenant, traceId, eventId, timestamp: createdAt }],
      [200, 'GET', '/traces/user', { ...tenant, executorId }],
      [200, 'DELETE', '/groups/{groupId}', tenant, names],
    ]);
  });

  test('a list has the documented default length', async () => {
    const { parameters } = document.paths['/customers'].get;
    const limit = parameters.find((each: any) => each.name === 'limit').schema;
    for (let number = 1; number <= limit.default; number++) {
      await ask('POST', '/customers', { ...person, associatedId: `list-${number}` });
    }
    await ask('POST', '/customers', { ...person, associatedId: 'one more' });
    const first = await ask('GET', '/customers', {});
    expect(first.body.data.length).toBe(limit.default);
    const last = await ask('GET', '/customers', { limit: limit.maximum });
    expect(last.body.nextCursor).toBeNull();
    expect((await ask('GET', '/customers', { limit: limit.maximum + 1 })).status).toBe(400);
    expect((await ask('GET', '/customers', { limit: limit.minimum - 1 })).status).toBe(400);
  });
});
