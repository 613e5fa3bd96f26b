/** Clients that are slow, hide what they send, or pretend to be elsewhere: on real connections. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';

let app: TestApp;
let client: Client;
let url: string;
let port: number;
beforeAll(async () => {
  app = await startApp({}, { timing: { headersMs: 300, requestMs: 600, checkMs: 50 } });
  client = await app.tenant({ alias: 'acme' });
  url = await listen(app);
  port = Number(new URL(url).port);
});
afterAll(() => app.close());

/** Sends the parts with a pause before each; resolves with what came back when the server has closed the connection. */
function dribble(parts: string[], pauseMs: number) {
  return new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (data) => (text += data.toString()));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve(text);
    });
    const rest = [...parts];
    const timer = setInterval(() => {
      const part = rest.shift();
      if (part !== undefined && socket.writable) socket.write(part);
    }, pauseMs);
  });
}

describe('a slow client', () => {
  const letters = (text: string) => Array.from(text);
  const head = `POST /graphql HTTP/1.1\r\nhost: a\r\napi-key: none\r\ncontent-type: application/json\r\n`;
  it.each([
    ['says nothing', []],
    ['sends its headers letter by letter', letters(head)],
    ['sends no end of headers', [head, ...Array.from({ length: 100 }, (_, index) => `x-${index}: a\r\n`)]],
    [
      'sends its body letter by letter',
      [`${head}content-length: 1000\r\n\r\n`, ...letters('{"query":"'.repeat(90))],
    ],
    [
      'sends its chunks one by one',
      [`${head}transfer-encoding: chunked\r\n\r\n`, ...Array.from({ length: 200 }, () => '1\r\n{\r\n')],
    ],
  ])('with %s is disconnected', async (_, parts) => {
    // Nothing else ends the connection: the client never does.
    const text = await dribble(parts, 20);
    if (text) {
      expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n/);
      expect(text).toContain('"message":"did not arrive in time"');
      expect(text).not.toContain('none');
    }
  });

  it('does not delay other clients', async () => {
    const slow = Array.from({ length: 50 }, () => dribble(letters(head), 20));
    const answer = await fetch(`${url}/api/v1/customers`, { headers: { 'api-key': client.apiKey } });
    expect(answer.status).toBe(200);
    await Promise.all(slow);
  });
});

describe('a body', () => {
  const query = '{"query":"{ tenant { alias } }"}';
  it.each([
    ['gzip', gzipSync(query)],
    ['deflate', Buffer.from(query)],
    ['br', Buffer.from(query)],
    ['gzip, gzip', gzipSync(gzipSync(query))],
    ['x-gzip', gzipSync(Buffer.alloc(10_000_000, ' '))],
    ['nonsense', Buffer.from(query)],
  ])('compressed as %s is refused before it is read', async (encoding, payload) => {
    for (const path of [
      '/graphql',
      '/api/v1/customers',
      '/callbacks/stripe',
      '/nowhere',
      '/graphql/stream',
    ]) {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: {
          'api-key': client.apiKey,
          'content-type': 'application/json',
          'content-encoding': encoding,
        },
        body: payload,
      });
      expect(answer.status, path).toBe(415);
      expect(await answer.text()).toContain('unsupported_media_type');
    }
  });

  it('with the content-encoding identity is accepted', async () => {
    const headers = { 'content-encoding': 'identity' };
    expect((await client.post('{ tenant { alias } }', undefined, headers)).status).toBe(200);
  });

  it('of more than 1 MiB is refused, with any transfer encoding', async () => {
    const large = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
    });
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'api-key': client.apiKey, 'content-type': 'application/json' },
      body: large,
      duplex: 'half',
    }).catch(() => undefined);
    if (answer) expect(answer.status).toBe(413);
    expect((await client.rest('POST', '/customers', 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('the address of a client', () => {
  const guess = (server: TestApp, forwarded: string) =>
    server.server.inject({
      url: '/api/v1/customers',
      headers: { 'api-key': 'x', 'x-forwarded-for': forwarded },
      remoteAddress: '10.0.0.1',
    });
  const statusOfMany = async (server: TestApp, address: (turn: number) => string) => {
    for (let turn = 0; turn < 20; turn++) await guess(server, address(turn));
    return (await guess(server, address(20))).statusCode;
  };

  it('is that of the connection, whatever its headers say', async () => {
    expect(await statusOfMany(app, (turn) => `192.0.2.${turn}`)).toBe(429);
  });

  it('is the one that the proxy adds, not the one that the client sent', async () => {
    const behind = await startApp({ trustProxy: '1' });
    expect(await statusOfMany(behind, (turn) => `192.0.2.${turn}`)).toBe(401);
    expect(await statusOfMany(behind, (turn) => `203.0.113.${turn}, 198.51.100.7`)).toBe(429);
    expect((await guess(behind, '198.51.100.8')).statusCode).toBe(401);
    await behind.close();
  });
});
