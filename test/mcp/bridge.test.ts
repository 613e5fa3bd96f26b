/** `perennial mcp`: what it says when it cannot connect, and how it passes messages on. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { listen } from '../support/mcp.ts';
import { readConfig } from '../../src/config/config.ts';

let app: TestApp;
let client: Client;
let url: string;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', name: 'Acme' });
  url = await listen(app);
});
afterAll(() => app.close());

const unusedPort = 'http://127.0.0.1:59999';

it('says what is wrong with its configuration, and never prints the key', async () => {
  const off = await startApp({ mcp: 'off' });
  const offUrl = await listen(off);
  const revoked = client.apiKey.replace(/.{4}$/, 'zzzz');
  const cases: [env: Record<string, string>, said: RegExp][] = [
    [{}, /^PERENNIAL_URL is missing/],
    [{ PERENNIAL_URL: 'localhost:4000', PERENNIAL_API_KEY: client.apiKey }, /^PERENNIAL_URL must be an http/],
    [
      { PERENNIAL_URL: 'ftp://x.example', PERENNIAL_API_KEY: client.apiKey },
      /^PERENNIAL_URL must be an http/,
    ],
    [{ PERENNIAL_URL: `${url}/?a=b`, PERENNIAL_API_KEY: client.apiKey }, /^PERENNIAL_URL must be a base URL/],
    [
      { PERENNIAL_URL: 'http://me:pw@x.example', PERENNIAL_API_KEY: client.apiKey },
      /^PERENNIAL_URL must be a/,
    ],
    [{ PERENNIAL_URL: url }, /^PERENNIAL_API_KEY is missing/],
    [{ PERENNIAL_URL: url, PERENNIAL_API_KEY: 'sk_live_1' }, /^PERENNIAL_API_KEY is not a secret API key/],
    [{ PERENNIAL_URL: url, PERENNIAL_API_KEY: revoked }, /refuses PERENNIAL_API_KEY: .*\(api_key_invalid\)/],
    [{ PERENNIAL_URL: unusedPort, PERENNIAL_API_KEY: client.apiKey }, /does not respond: ECONNREFUSED/],
    [{ PERENNIAL_URL: offUrl, PERENNIAL_API_KEY: client.apiKey }, /has no \/mcp \(status 404\)/],
  ];
  for (const [env, said] of cases) {
    const { code, out, err } = await perennial(undefined, ['mcp'], env);
    expect(err, JSON.stringify(env)).toMatch(said);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toMatch(/prn_acme|zzzz|pw@|sk_live/);
    expect(err.trim().split('\n')).toHaveLength(1);
  }
  await off.close();
});

it('leaves its variables to itself: a server starts beside them', () => {
  const env = { PERENNIAL_URL: url, PERENNIAL_API_KEY: client.apiKey };
  expect(readConfig({}, env).mcp).toBe(true);
});

/** Runs the command on lines of input; returns the messages of its output and its errors. */
async function exchange(lines: string[]) {
  const input = new PassThrough();
  let out = '';
  let err = '';
  for (const line of lines) input.write(`${line}\n`);
  input.end();
  const code = await run(['mcp'], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    openInput: () => input,
    env: { PERENNIAL_URL: `${url}/`, PERENNIAL_API_KEY: client.apiKey },
    isTerminal: false,
    program: 'perennial',
    runSelf: () => Promise.resolve(''),
    waitForStop: () => new Promise(() => {}),
  });
  const messages = out.trim().split('\n').filter(Boolean);
  return { code, err, messages: messages.map((line) => JSON.parse(line)) };
}

it('answers every message before it ends, survives lines that are none, and writes nothing else', async () => {
  const requests = Array.from({ length: 50 }, (_, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }),
  );
  const { code, err, messages } = await exchange([
    'hello',
    '[1, 2]',
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    ...requests,
    JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'tools/steal' }),
  ]);
  expect(code).toBe(0);
  expect(messages.map(({ id }) => String(id)).toSorted()).toEqual(
    [...requests.keys(), 'last'].map(String).toSorted(),
  );
  expect(messages.find(({ id }) => id === 'last').error.code).toBe(-32_601);
  expect(err).toContain('is not a message');
});

it('gives an answer with its id to a message that the server refuses', async () => {
  const large = 'x'.repeat(300_000);
  const { messages } = await exchange([
    JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'ping', params: { large } }),
  ]);
  expect(messages).toMatchObject([{ id: 5, error: { data: { reason: 'request_too_large' } } }]);
});
