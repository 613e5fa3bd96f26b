/** Connections that stay open: who may open one, what may be said on it, and how it ends. */
import { connect, type Socket } from 'node:net';
import { createClient as createStream } from 'graphql-sse';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createKey, revokeKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { countWaiting, follow, listen, traceRecorded } from '../../support/follow.ts';

const hourMs = 3_600_000;
const timing = { slowReaderMs: 400, checkMs: 200, keepAliveMs: 1000 };

let app: TestApp;
let client: Client;
let url: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' }, { timing });
  client = await app.tenant({ alias: 'acme' });
  url = await listen(app);
});
afterAll(() => app.close());

const create = (name = 'a') =>
  client.graphql('mutation ($name: String!) { createGroup(input: { name: $name }) { id } }', { name });

interface Spoken {
  socket: WebSocket;
  messages: any[];
  say: (message: unknown) => void;
  closed: Promise<{ code: number; reason: string }>;
}

/** A WebSocket without a client around it. */
async function open(
  options: { path?: string; protocol?: string; headers?: Record<string, string>; at?: string } = {},
): Promise<Spoken> {
  const { path = '/graphql', protocol = 'graphql-transport-ws', headers = {}, at = url } = options;
  const socket = new WebSocket(`${at.replace('http', 'ws')}${path}`, protocol, { headers });
  const messages: any[] = [];
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString())));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const say = (message: unknown) =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  return { socket, messages, say, closed };
}

/** The same, let in. */
async function enter(apiKey = client.apiKey, at = url): Promise<Spoken> {
  const spoken = await open({ at });
  spoken.say({ type: 'connection_init', payload: { 'api-key': apiKey } });
  await expect.poll(() => spoken.messages).toEqual([{ type: 'connection_ack' }]);
  return spoken;
}

const subscribe = (query = traceRecorded, variables?: object) => ({
  id: '1',
  type: 'subscribe',
  payload: { query, variables },
});

describe('a WebSocket', () => {
  it('accepts the API key in a header', async () => {
    const { say, messages, socket } = await open({ headers: { 'api-key': client.apiKey } });
    say({ type: 'connection_init' });
    await expect.poll(() => messages).toEqual([{ type: 'connection_ack' }]);
    socket.close();
  });

  const stranger = 'prn_acme_000000000000_0000000000000000000000000000000000000000';
  it.each([
    ['no key', {}, 'api_key_missing'],
    ['a wrong key', { 'api-key': stranger }, 'api_key_invalid'],
    ['what is no key', { 'api-key': { a: 1 } }, 'api_key_missing'],
    ['text that is no key', { 'api-key': 'x' }, 'api_key_invalid'],
  ])('is closed for %s', async (_, payload, reason) => {
    const { say, closed, messages } = await open();
    say({ type: 'connection_init', payload });
    expect(await closed).toEqual({ code: 4401, reason });
    expect(messages).toEqual([]);
  });

  it('is closed if it subscribes before it sends an API key', async () => {
    const { say, closed } = await open();
    say(subscribe());
    expect((await closed).code).toBe(4401);
  });

  it.each([
    ['no JSON', '{', 4400],
    ['no UTF-8', Buffer.from([0xff, 0xfe]), 4400],
    ['no object', '[]', 4400],
    ['an unknown type', { type: 'none' }, 4400],
    ['a document that is no text', { id: '1', type: 'subscribe', payload: { query: 5 } }, 4400],
    ['what is nested too deep', `{"type":"ping","payload":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`, 4400],
    ['half a pair', '{"type":"ping","payload":{"a":"\\ud800"}}', 4400],
    ['what is too large', { type: 'ping', payload: { a: 'x'.repeat(70_000) } }, 1009],
    ['a second init', { type: 'connection_init' }, 4429],
  ])('is closed for %s', async (_, message, code) => {
    const { say, closed } = await enter();
    say(message);
    expect((await closed).code).toBe(code);
  });

  it('is closed for an unsupported protocol', async () => {
    const { closed } = await open({ protocol: 'graphql-ws' }).catch(() => ({ closed: { code: 4406 } }));
    expect((await closed).code).toBe(4406);
  });

  it('responds to pings and sends pings', async () => {
    const { say, messages, socket } = await enter();
    const pinged = new Promise((resolve) => socket.once('ping', resolve));
    say({ type: 'ping', payload: { a: 1 } });
    await expect.poll(() => messages).toContainEqual({ type: 'pong', payload: { a: 1 } });
    await pinged;
    socket.close();
  });

  it.each([
    ['a query', '{ tenant { alias } }', /one subscription/],
    ['a mutation', 'mutation { createGroup(input: { name: "a" }) { id } }', /one subscription/],
    ['an unknown field', 'subscription { traceRecordet { id } }', /^Cannot query field "traceRecordet"/],
    ['two at once', 'subscription { a: traceRecorded { id } b: traceRecorded { id } }', /only one/],
    ['broken syntax', 'subscription {', /^Syntax Error/],
    ['too many words', `subscription { traceRecorded { ${'id '.repeat(5000)} } }`, /Document contains more/],
  ])('refuses %s and stays open', async (_, query, message) => {
    const { say, messages, socket } = await enter();
    say(subscribe(query));
    await expect.poll(() => messages.length).toBe(2);
    expect(messages[1]).toMatchObject({
      type: 'error',
      payload: [{ extensions: { reason: 'validation_failed' } }],
    });
    expect(messages[1].payload[0].message).toMatch(message);
    expect(JSON.stringify(messages)).not.toMatch(/Did you mean|node_modules|src\//);
    say({ type: 'ping' });
    await expect.poll(() => messages.at(-1)).toEqual({ type: 'pong' });
    socket.close();
  });

  it('has at most twenty subscriptions', async () => {
    const { say, messages, socket } = await enter();
    for (let id = 1; id <= 21; id++) say({ ...subscribe(), id: String(id) });
    await expect.poll(() => messages.length).toBe(2);
    expect(messages[1]).toMatchObject({ id: '21', payload: [{ extensions: { reason: 'rate_limited' } }] });
    socket.close();
  });

  it('sends nothing for a completed subscription and stays open', async () => {
    const { say, messages, socket } = await enter();
    say(subscribe());
    await create();
    await expect.poll(() => messages.length).toBe(2);
    say({ id: '1', type: 'complete' });
    await create();
    say({ type: 'ping' });
    await expect.poll(() => messages.at(-1)).toEqual({ type: 'pong' });
    expect(messages).toHaveLength(3);
    socket.close();
  });

  it('is closed when its API key is revoked', async () => {
    const { apiKey, key } = await createKey(app.service, { tenant: 'acme', scope: 'read' });
    const following = await follow(url, { apiKey });
    await create();
    await expect.poll(() => following.events.length).toBeGreaterThan(0);
    await revokeKey(app.service, key.id);
    await expect.poll(() => following.closed).toEqual({ code: 4401, reason: 'api_key_invalid' });
  });

  it('is refused beyond a hundred connections of one API key', async () => {
    const { apiKey } = await app.key('acme', 'read');
    const opened = await Promise.all(Array.from({ length: 100 }, () => enter(apiKey)));
    const { say, closed } = await open();
    say({ type: 'connection_init', payload: { 'api-key': apiKey } });
    expect(await closed).toEqual({ code: 4429, reason: 'rate_limited' });
    opened[0]!.socket.close();
    await opened[0]!.closed;
    await expect.poll(async () => (await enter(apiKey).catch(() => undefined))?.messages.length).toBe(1);
    for (const { socket } of opened) socket.terminate();
  });
});

/** Fills the buffers between server and client with events until `isDone`, and once more; returns the number of events. */
async function writeUntil(writer: Client, isDone: () => boolean): Promise<number> {
  const big = 'x'.repeat(500);
  const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, big]));
  const writeBatch = () =>
    Promise.all(
      Array.from({ length: 25 }, () =>
        writer.graphql(
          'mutation ($metadata: JSONObject) { createGroup(input: { name: "big", metadata: $metadata }) { id } }',
          { metadata },
        ),
      ),
    );
  let written = 0;
  while (!isDone()) written += (await writeBatch()).length;
  return written + (await writeBatch()).length;
}

describe('a slow reader', () => {
  // A client that does not read also misses pings and the close frame: the limits for these are long here.
  let patient: TestApp;
  const logged: string[] = [];
  let writer: Client;
  let at: string;
  beforeAll(async () => {
    patient = await startApp(
      { rateLimitPerSecond: '100000' },
      {
        log: pino({}, { write: (line) => void logged.push(line) }),
        timing: { ...timing, slowReaderMs: 100, keepAliveMs: hourMs, closeMs: hourMs },
      },
    );
    writer = await patient.tenant({ alias: 'acme' });
    at = await listen(patient);
  });
  afterAll(() => patient.close());

  it('of a WebSocket is disconnected with code 4420', async () => {
    const slow = await enter(writer.apiKey, at);
    slow.say(subscribe());
    const raw = (slow.socket as unknown as { _socket: Socket })._socket;
    raw.pause();
    // The client's own socket closes later, so the first call is the server's.
    const close = vi.spyOn(WebSocket.prototype, 'close');
    const written = await writeUntil(writer, () => close.mock.calls.length > 0);
    expect(close.mock.calls).toEqual([[4420, 'too slow']]);
    close.mockRestore();
    raw.resume();
    expect(await slow.closed).toEqual({ code: 4420, reason: 'too slow' });
    expect(slow.messages.length).toBeLessThan(written);
  });

  it('of an event stream is cut off', async () => {
    const { port } = new URL(at);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    const body = JSON.stringify({ query: traceRecorded });
    socket.write(
      `POST /graphql/stream HTTP/1.1\r\nhost: a\r\napi-key: ${writer.apiKey}\r\naccept: text/event-stream\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    await writeUntil(writer, () => logged.join('').includes('closed a stream whose reader was too slow'));
    socket.resume();
    await ended;
    expect(logged.join('')).toContain('closed a stream whose reader was too slow');
  });
});

describe('an event stream', () => {
  const streamUrl = () => `${url}/graphql/stream`;
  const buildHeaders = ({ apiKey }: Pick<Client, 'apiKey'>) => ({ 'api-key': apiKey });

  it('sends the same events as a WebSocket, to graphql-sse', async () => {
    const stream = createStream({ url: streamUrl(), headers: buildHeaders(client), retryAttempts: 0 });
    const events = stream.iterate<any>({ query: traceRecorded });
    const before = countWaiting(url);
    const next = events.next();
    await expect.poll(() => countWaiting(url)).toBeGreaterThan(before);
    const following = await follow(url, client);
    await create('streamed');
    expect((await next).value.data.traceRecorded.payload.object.name).toBe('streamed');
    await expect.poll(() => following.events.length).toBe(1);
    const more = stream.iterate<any>({ query: traceRecorded, variables: { after: following.events[0].id } });
    await create('after');
    expect((await more.next()).value.data.traceRecorded.payload.object.name).toBe('after');
    await more.return?.();
    await events.return?.();
    await following.stop();
  });

  it('can be opened by GET', async () => {
    const query = encodeURIComponent('subscription ($after: ID) { traceRecorded(after: $after) { id } }');
    const variables = encodeURIComponent(JSON.stringify({ after: 'none' }));
    const answer = await fetch(`${streamUrl()}?query=${query}&variables=${variables}`, {
      headers: buildHeaders(client),
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await answer.text()).toMatch(/event: next\ndata: .*"trace_not_found".*\n\nevent: complete\n/);
  });

  it.each([
    ['no key', {}, 401, 'api_key_missing'],
    ['a wrong key', { 'api-key': 'x' }, 401, 'api_key_invalid'],
    ['another type of answer', { 'api-key': '-', accept: 'application/json' }, 400, 'validation_failed'],
  ])('is refused for %s', async (_, headers, status, reason) => {
    const answer = await fetch(`${streamUrl()}?query={x}`, { headers });
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as any).errors[0].extensions.reason).toBe(reason);
  });

  it('ends with the reason when its API key is revoked', async () => {
    const { apiKey, key } = await createKey(app.service, { tenant: 'acme', scope: 'read' });
    const query = encodeURIComponent(traceRecorded);
    const answer = await fetch(`${streamUrl()}?query=${query}`, { headers: buildHeaders({ apiKey }) });
    await revokeKey(app.service, key.id);
    expect(await answer.text()).toMatch(/event: next\ndata: .*"api_key_invalid".*\n\nevent: complete/);
  });
});

describe('a request to upgrade to another protocol', () => {
  /** What a raw request is answered with. */
  const exchange = (request: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
      let text = '';
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });

  it('is served without the upgrade, with its body', async () => {
    const body = JSON.stringify({ query: '{ tenant { alias } }' });
    const answer = await exchange(
      `POST /graphql HTTP/1.1\r\nhost: a\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\n` +
        `http2-settings: AAMAAABkAAQAAP__\r\ncontent-type: application/json\r\napi-key: ${client.apiKey}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}` +
        `GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toContain('{"data":{"tenant":{"alias":"acme"}}}');
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it('is refused for a WebSocket at another path', async () => {
    const answer = await exchange(
      'GET /api/v1/customers HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found/);
    expect(answer).toContain('"reason":"route_not_found"');
  });
});

it('a server that stops closes all live connections without delay', async () => {
  const other = await startApp({}, { timing });
  const own = await other.tenant({ alias: 'acme' });
  const at = await listen(other);
  const spoken = await enter(own.apiKey, at);
  spoken.say(subscribe());
  const stream = await fetch(`${at}/graphql/stream?query=${encodeURIComponent(traceRecorded)}`, {
    headers: { 'api-key': own.apiKey },
  });
  const [, { code }, text] = await Promise.all([other.close(), spoken.closed, stream.text()]);
  expect(code).toBe(1001);
  expect(text).not.toContain('complete');
});
