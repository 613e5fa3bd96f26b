/** `/mcp` as the specification of the Model Context Protocol has it, and what it refuses. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { largestMessageBytes } from '../../src/mcp/routes.ts';
import { largestResultBytes } from '../../src/mcp/tool.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { connectAgent } from '../support/mcp.ts';

let app: TestApp;
let owner: Client;

beforeAll(async () => {
  app = await startApp();
  owner = await app.tenant({ alias: 'acme', name: 'Acme' });
});
afterAll(() => app.close());

const accept = 'application/json, text/event-stream';
const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };

async function post(payload: unknown, headers: Record<string, string | undefined> = {}) {
  const sent = { accept, 'content-type': 'application/json', 'api-key': owner.apiKey, ...headers };
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  const answer = await app.server.inject({
    method: 'POST',
    url: '/mcp',
    headers: Object.fromEntries(given) as Record<string, string>,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  const text = answer.body;
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  };
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

it.each([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  // The server answers an unknown version with its own, and the client decides.
  ['1999-01-01', '2025-11-25'],
])('answers initialize with the version %s by %s', async (wanted, agreed) => {
  const { status, body } = await post(initialize(wanted));
  expect(status).toBe(200);
  expect(body.result).toMatchObject({
    protocolVersion: agreed,
    serverInfo: { name: 'perennial' },
    capabilities: { tools: {}, resources: {}, prompts: {} },
  });
});

it('takes a key in its header and as a bearer, and works without a session', async () => {
  expect(await post(ping)).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 7, result: {} } });
  const bearer = { 'api-key': undefined, authorization: `Bearer ${owner.apiKey}` };
  expect(await post(ping, bearer)).toMatchObject({ status: 200, body: { id: 7 } });
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await post(notification)).toMatchObject({ status: 202, text: '' });
});

const refusals: [string, unknown, Record<string, string | undefined>, number, string | undefined][] = [
  ['no key', ping, { 'api-key': undefined }, 401, 'api_key_missing'],
  ['an unknown key', ping, { 'api-key': 'prn_acme_000000000000_x' }, 401, 'api_key_invalid'],
  ['a page of another site', ping, { origin: 'https://evil.example' }, 403, 'origin_not_allowed'],
  [
    'a page whose name was led here',
    ping,
    { origin: 'http://evil.example:4000', host: 'evil.example:4000' },
    403,
    'origin_not_allowed',
  ],
  ['a page without an origin', ping, { origin: 'null' }, 403, 'origin_not_allowed'],
  ['a batch', [ping, ping], {}, 400, 'validation_failed'],
  ['an empty batch', [], {}, 400, 'validation_failed'],
  ['text that is not JSON', '{"jsonrpc":', {}, 400, 'validation_failed'],
  ['no body', '', {}, 400, 'validation_failed'],
  ['JSON that is no object', '"ping"', {}, 400, 'validation_failed'],
  ['deep nesting', '['.repeat(100) + ']'.repeat(100), {}, 400, 'validation_failed'],
  [
    'an oversized body',
    { ...ping, params: { text: 'x'.repeat(largestMessageBytes) } },
    {},
    413,
    'request_too_large',
  ],
  ['another media type', ping, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ['a compressed body', ping, { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
  ['an unknown version', ping, { 'mcp-protocol-version': '1999-01-01' }, 400, undefined],
  ['a client that takes no events', ping, { accept: 'application/json' }, 406, undefined],
  ['an object that is no message', { hello: 1 }, {}, 400, undefined],
  ['another tenant', ping, { 'perennial-tenant': 'other' }, 403, 'tenant_mismatch'],
];

it.each(refusals)('refuses %s', async (_, payload, headers, status, reason) => {
  const answer = await post(payload, headers);
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.any(String) } });
  expect(answer.body.error.data?.reason).toBe(reason);
  expect(answer.text).not.toMatch(/\bat .*\.ts|stack/);
  if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="Perennial"/);
});

it('names an invalid token only if there was one', async () => {
  const missing = await post(ping, { 'api-key': undefined });
  expect(missing.headers['www-authenticate']).toBe('Bearer realm="Perennial"');
  const wrong = await post(ping, { 'api-key': undefined, authorization: 'Bearer prn_acme_0_0' });
  expect(wrong.headers['www-authenticate']).toBe('Bearer realm="Perennial", error="invalid_token"');
});

it('refuses the credentials of browsers', async () => {
  const { apiKey } = await createKey(app.service, { tenant: 'acme', kind: 'publishable' });
  for (const headers of [{ 'api-key': apiKey }, { 'api-key': undefined, authorization: `Bearer ${apiKey}` }])
    expect(await post(ping, headers)).toMatchObject({
      status: 403,
      body: { error: { data: { reason: 'closed_to_browsers' } } },
    });
});

it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'] as const)('has no %s', async (method) => {
  const { statusCode, headers } = await app.server.inject({
    method,
    url: '/mcp',
    headers: { 'api-key': owner.apiKey },
  });
  expect([statusCode, headers['allow']]).toEqual([405, 'POST']);
});

it('refuses unknown methods, tools, resources and prompts as the protocol has it', async () => {
  const send = async (method: string, params: object) =>
    (await post({ jsonrpc: '2.0', id: 1, method, params })).body.error?.code;
  expect(await send('tools/steal', {})).toBe(-32_601);
  expect(await send('tools/call', { name: 'drop_tables' })).toBe(-32_602);
  expect(await send('tools/call', {})).toBeLessThan(-32_600);
  expect(await send('resources/read', { uri: 'perennial://docs/../../etc/passwd' })).toBe(-32_002);
  expect(await send('resources/read', { uri: 'file:///etc/passwd' })).toBe(-32_002);
  expect(await send('prompts/get', { name: 'nothing' })).toBe(-32_602);
  expect(await send('prompts/get', { name: 'explain_charge' })).toBe(-32_602);
});

it('lists at most 20 tools, each with typed input and output and its annotations', async () => {
  const { client, close } = await connectAgent(app, owner.apiKey);
  const { tools } = await client.listTools();
  await close();
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.length).toBeLessThanOrEqual(20);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(title?.length, name).toBeGreaterThan(5);
    expect(description?.length, name).toBeGreaterThan(40);
    expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
    expect(outputSchema, name).toMatchObject({ type: 'object' });
    expect(Object.keys(annotations!).toSorted(), name).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
      'title',
    ]);
  }
  const writers = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
  expect(writers.filter((name) => !name.startsWith('propose_'))).toEqual(['create_catalog', 'simulate']);
});

it('has a result of a limited size, and says how to ask for less', async () => {
  const { call, close } = await connectAgent(app, owner.apiKey);
  const many = Array.from(
    { length: 120 },
    (_, index) => `a${index}: __type(name: "Mutation") { description name fields { name } }`,
  );
  const { error } = await call('run_query', { query: `{ ${many.slice(0, 12).join(' ')} }` });
  await close();
  expect(error).toMatchObject({ reason: 'result_too_large' });
  expect(error!.issues![0]!.message).toContain(String(largestResultBytes));
});

it('can be switched off', async () => {
  const off = await startApp({ mcp: 'off' });
  const { statusCode } = await off.server.inject({ method: 'POST', url: '/mcp', payload: '{}' });
  await off.close();
  expect(statusCode).toBe(404);
});
