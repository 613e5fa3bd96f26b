/** Live events of operators: over server-sent events and WebSockets, until the session or the role ends. */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';

const query = 'subscription { traceRecorded { activityType executorId } }';
const newCustomer = `mutation ($id: String!) {
  createCustomer(input: { email: "ada@example.com", firstName: "Ada", lastName: "L", associatedId: $id }) { id } }`;

let app: TestApp;
let key: Client;
let url: string;

beforeAll(async () => {
  app = await startApp({}, { timing: { checkMs: 50 } });
  key = await app.tenant({ alias: 'acme' });
  await app.tenant({ alias: 'other' });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

const stream = (headers: Record<string, string>) =>
  fetch(`${url}/graphql/stream`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  });

/** Reads a stream until its text has `wanted`, or until it ends. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  return text;
}

const ends: [
  name: string,
  end: (operator: TestOperator, owner: TestOperator) => Promise<unknown>,
  reason: string,
][] = [
  ['signs out', (operator) => operator.post('mutation { signOut }'), 'sign_in_required'],
  [
    'revokes the session',
    async (operator) => {
      const { body } = await operator.post('{ operator { sessions { id } } }');
      const [{ id }] = body.data.operator.sessions;
      return operator.post('mutation ($id: ID!) { revokeOperatorSession(id: $id) { id } }', { id });
    },
    'sign_in_required',
  ],
  [
    'is removed from the tenant',
    (operator, owner) =>
      owner.post('mutation ($id: ID!) { removeOperator(id: $id) { operatorId } }', {
        id: operator.id,
      }),
    'tenant_mismatch',
  ],
];

describe('server-sent events', () => {
  it.each(ends)('arrive until the operator %s', async (_, end, reason) => {
    const operator = await signInOperator(app, { role: 'viewer', tenant: 'acme' });
    const owner = await signInOperator(app, { tenant: 'acme' });
    const response = await stream(operator.headers);
    const reader = response.body!.getReader();
    await readUntil(reader, ':');
    await key.graphql(newCustomer, { id: operator.id });
    expect(await readUntil(reader, 'CustomerEvent')).toContain('"traceRecorded"');
    await end(operator, owner);
    const text = await readUntil(reader, 'event: complete');
    expect(text).toContain(`"reason":"${reason}"`);
  });

  it.each<[name: string, headers: Record<string, string>, status: number, reason: string]>([
    ['another tenant', { 'perennial-tenant': 'other' }, 403, 'tenant_mismatch'],
    ['no session', { cookie: '' }, 401, 'sign_in_required'],
    ['another origin', { origin: 'https://evil.example' }, 403, 'csrf_refused'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403, 'csrf_refused'],
  ])('are refused to %s', async (_, headers, status, reason) => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const response = await stream({ ...operator.headers, ...headers });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(reason)]);
  });
});

/** Opens a WebSocket; resolves with its messages and the code that it was closed with. */
function openSocket(cookie: string, origin: string | undefined, payload: object) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { cookie, ...(origin !== undefined && { origin }) },
  });
  const messages: string[] = [];
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  let onMessage = () => {};
  socket.on('message', (data) => {
    messages.push((data as Buffer).toString());
    onMessage();
  });
  socket.on('error', () => {});
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
  const receive = async (wanted: string) => {
    while (!messages.join().includes(wanted)) await new Promise<void>((resolve) => (onMessage = resolve));
  };
  return { socket, closed, receive };
}

const init = { 'perennial-console': '1', 'perennial-tenant': 'acme' };

describe('a WebSocket', () => {
  it('has events until the session is revoked', async () => {
    const operator = await signInOperator(app, { role: 'viewer', tenant: 'acme' });
    const { socket, closed, receive } = openSocket(operator.cookie, url, init);
    await receive('connection_ack');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
    // A ping is answered after the subscription has begun.
    socket.send(JSON.stringify({ type: 'ping' }));
    await receive('pong');
    await key.graphql(newCustomer, { id: `socket ${operator.id}` });
    await receive('CustomerEvent');
    await operator.post('mutation { signOut }');
    expect(await closed).toBe(4401);
  });

  it.each<[name: string, origin: () => string | undefined, payload: object, code: number]>([
    ['another origin', () => 'https://evil.example', init, 4401],
    ['no origin', () => undefined, init, 4401],
    ['no header of the console', () => url, {}, 4401],
    ['another tenant', () => url, { ...init, 'perennial-tenant': 'other' }, 4401],
  ])('is refused with %s', async (_, getOrigin, payload, code) => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    expect(await openSocket(operator.cookie, getOrigin(), payload).closed).toBe(code);
  });
});
