/** An API key that a client has put in the wrong place comes back nowhere, however it is written. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdsKey, redactKeys } from '../../src/lib/redaction.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { follow, listen, traceRecorded } from '../support/follow.ts';
import { sampled } from '../support/sample.ts';

let app: TestApp;
let url: string;
let apiKey: string;
const logged: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  app = await startApp({ rateLimitPerSecond: '1000000' }, { log });
  url = await listen(app);
  ({ apiKey } = await app.tenant({ alias: 'acme' }));
});
afterAll(() => app.close());

const hex = (text: string) => Buffer.from(text).toString('hex');
const everyByte = (text: string, write: (hex: string) => string) =>
  [...Buffer.from(text)].map((byte) => write(byte.toString(16).padStart(2, '0'))).join('');
const percent = (text: string) => everyByte(text, (byte) => `%${byte}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** How a key may be written, each in characters that an address, a header and JSON take. */
const writings: [name: string, write: (key: string) => string][] = [
  ['as it is', (key) => key],
  ['in upper case', (key) => key.toUpperCase()],
  ['without its last character', (key) => key.slice(0, -1)],
  ['with its underscores percent-encoded', (key) => key.replaceAll('_', '%5F')],
  ['percent-encoded', percent],
  ['percent-encoded twice', (key) => percent(key).replaceAll('%', '%25')],
  ['percent-encoded three times', (key) => percent(key).replaceAll('%', '%2525')],
  ['in escapes of JSON', (key) => everyByte(key, (byte) => `\\u00${byte}`)],
  ['in escapes of JavaScript', (key) => everyByte(key, (byte) => `\\x${byte}`)],
  ['in references of HTML', (key) => everyByte(key, (byte) => `&#x${byte};`)],
  ['in base64', base64],
  ['in base64url', (key) => Buffer.from(key).toString('base64url')],
  ['in base64 after one other byte', (key) => base64(`:${key}`)],
  ['in base64 after two other bytes', (key) => base64(`k:${key}`)],
  ['in base64 within a longer run', (key) => `xyz${base64(key)}`],
  ['in base64 twice', (key) => base64(base64(key))],
  ['in base64 and percent-encoded', (key) => percent(base64(key))],
  ['in hexadecimal', hex],
  ['in hexadecimal after one other digit', (key) => `f${hex(key)}`],
  ['in base64 of hexadecimal', (key) => base64(hex(key))],
];

/** No run of what was written may come back that holds eighteen of the secret's forty characters. */
function expectNotIn(text: string, written: string, key: string, place: string) {
  const secret = key.split('_').at(-1)!;
  // What is written last stands for the secret: a key has a prefix of 22 characters before it.
  const end = written.slice(-Math.floor(written.length * 0.4));
  const forms = [secret.slice(-18), secret.slice(-18).toUpperCase(), end, encodeURIComponent(end)];
  expect(
    forms.filter((form) => text.includes(form)),
    place,
  ).toEqual([]);
}

async function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const answer = await fetch(url + path, init);
  return [...answer.headers].flat().join('\n') + (await answer.text());
}

const type = { 'content-type': 'application/json' };
const places: [name: string, send: (written: string) => Promise<string>][] = [
  [
    'the path',
    (written) => send(`/api/v1/customers/${encodeURIComponent(written)}`, { headers: { 'api-key': apiKey } }),
  ],
  ['the path as it is', (written) => send(`/api/v1/nowhere/${written.replaceAll('\\', '')}`)],
  [
    'the query',
    (written) =>
      send(`/api/v1/customers?limit=${encodeURIComponent(written)}`, { headers: { 'api-key': apiKey } }),
  ],
  [
    'a name in the query',
    (written) =>
      send(`/api/v1/customers?${encodeURIComponent(written)}=1`, { headers: { 'api-key': apiKey } }),
  ],
  [
    'the body',
    (written) =>
      send('/api/v1/groups', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: `{"name": 1, "x": "${written}"}`,
      }),
  ],
  [
    'a name in the body',
    (written) =>
      send('/api/v1/groups', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: `{"name": "x", ${JSON.stringify(written)}: 1}`,
      }),
  ],
  [
    'a body that is no JSON',
    (written) =>
      send('/api/v1/groups', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: `{${written}`,
      }),
  ],
  [
    'the end of a long body',
    (written) =>
      send('/api/v1/groups', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: `{${' '.repeat(16_384 - 100)}${written}`,
      }),
  ],
  [
    'a header',
    (written) =>
      send('/api/v1/nowhere', {
        headers: {
          'x-request-id': written,
          'user-agent': written,
          'x-executor-id': written,
          authorization: `Basic ${written}`,
        },
      }),
  ],
  ['the key', (written) => send('/api/v1/groups', { headers: { 'api-key': written } })],
  [
    'the idempotency key',
    (written) =>
      send('/api/v1/groups', {
        method: 'POST',
        headers: { 'api-key': apiKey, 'idempotency-key': written.slice(0, 255), ...type },
        body: '{}',
      }),
  ],
  [
    'a document',
    (written) =>
      send('/graphql', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: JSON.stringify({ query: `{ ${written} }` }),
      }),
  ],
  [
    'a name in a document',
    (written) =>
      send('/graphql', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: JSON.stringify({ query: `{ x${written.replaceAll(/\W/g, '_')} }` }),
      }),
  ],
  [
    'a literal',
    (written) =>
      send('/graphql', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: JSON.stringify({ query: `{ customers(first: ${JSON.stringify(written)}) { nodes { id } } }` }),
      }),
  ],
  [
    'a variable',
    (written) =>
      send('/graphql', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: JSON.stringify({
          query: 'query ($n: Int) { customers(first: $n) { nodes { id } } }',
          variables: { n: written },
        }),
      }),
  ],
  [
    'a name of a variable',
    (written) =>
      send('/graphql', {
        method: 'POST',
        headers: { 'api-key': apiKey, ...type },
        body: JSON.stringify({
          query: 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }',
          variables: { input: { name: 'x', [written]: 1 } },
        }),
      }),
  ],
  [
    'the search of a document',
    (written) =>
      send(`/graphql?query=${encodeURIComponent(`{ customers(first: "${written}") { nodes { id } } }`)}`, {
        headers: { 'api-key': apiKey },
      }),
  ],
  [
    'the alias of the tenant',
    (written) => send('/api/v1/groups', { headers: { 'api-key': apiKey, 'perennial-tenant': written } }),
  ],
  ['the pay page', (written) => send(`/pay/${encodeURIComponent(written)}`)],
];

describe.each(writings)('an API key %s is never returned', (_, write) => {
  it.each(
    sampled(
      places,
      3,
      writings.findIndex(([, each]) => each === write),
    ),
  )('in %s', async (place, sendTo) => {
    const written = write(apiKey);
    expectNotIn(await sendTo(written), written, apiKey, place);
  });
});

/** What a client that follows may write in the wrong place: its variables, its document, and what it is told. */
const followed: [place: string, variables: (key: string) => object, document?: (key: string) => string][] = [
  ['a name in the document', () => ({}), (key) => `subscription { x${key.replaceAll(/\W/g, '_')} }`],
  [
    'a literal',
    () => ({}),
    (key) => `subscription { traceRecorded(filter: { activityType: ${JSON.stringify(key)} }) { id } }`,
  ],
  ['a broken document', () => ({}), (key) => `subscription { ${key}`],
  ['a variable', (key) => ({ filter: { activityType: key } })],
  ['a name of a variable', (key) => ({ filter: { [key]: 1 } })],
  ['the event that it goes on from', (key) => ({ after: key })],
];

describe.each(writings)('an API key %s is never sent to live connections', (_, write) => {
  it.each(
    sampled(
      followed,
      2,
      writings.findIndex(([, each]) => each === write),
    ),
  )('from %s', async (place, variables, document) => {
    const written = write(apiKey);
    const query = document?.(written);
    const sent = { query: query ?? traceRecorded, variables: variables(written) };
    const follower = await follow(url, { apiKey }, sent.variables as Record<string, unknown>, query);
    await expect.poll(() => follower.errors.length || follower.closed).toBeTruthy();
    await follower.stop();
    expectNotIn(JSON.stringify(follower), written, apiKey, `${place}, on a WebSocket`);
    const streamed = await send('/graphql/stream', {
      method: 'POST',
      headers: { 'api-key': apiKey, accept: 'text/event-stream', ...type },
      body: JSON.stringify(sent),
    });
    expect(streamed).toContain('"errors"');
    expectNotIn(streamed, written, apiKey, `${place}, on an event stream`);
  });

  it('when a WebSocket is opened with it', async () => {
    const written = write(apiKey);
    const follower = await follow(url, { apiKey: written });
    // After some wrong keys no more are tried for a while.
    if (written !== apiKey) expect([4401, 4429]).toContain(follower.closed?.code);
    await follower.stop();
    expectNotIn(JSON.stringify(follower), written, apiKey, 'the opening of a WebSocket');
    const misplaced = await follow(url, { apiKey }, {}, traceRecorded, written);
    expect(misplaced.closed).toBeTruthy();
    expectNotIn(JSON.stringify(misplaced), written, apiKey, 'the alias of the tenant, on a WebSocket');
  });
});

it('is in no log line and no row, also if sent as x-executor-id', async () => {
  const client = app.client(apiKey);
  for (const [, write] of writings.slice(0, 8)) {
    const executor = write(apiKey).slice(0, 255);
    await client.rest('POST', '/groups', { tenantAlias: 'acme', name: 'x' }, { 'x-executor-id': executor });
  }
  const rows = await app.backdoor.dump('acme');
  for (const [name, write] of writings.slice(0, 8)) {
    expectNotIn(rows, write(apiKey).slice(0, 255), apiKey, `the database (${name})`);
  }
  expect(logged.length).toBeGreaterThan(100);
  for (const line of logged) expectNotIn(line, apiKey, apiKey, 'the log');
});

it('the command line does not repeat it', async () => {
  const said = await perennial(app.database, ['key', 'revoke', apiKey]);
  expect(said.code).toBe(1);
  expectNotIn(said.out + said.err, apiKey, apiKey, 'the terminal');
});

it('other text is returned unchanged, and text too long to search is withheld', () => {
  for (const text of [
    '',
    'limit=5',
    '100 % of it',
    'prn_acme',
    base64('a'.repeat(60)),
    'f'.repeat(200),
    '\\u0041',
  ]) {
    expect(redactKeys(text)).toBe(text);
    expect(holdsKey(text)).toBe(false);
  }
  expect(redactKeys(`x ${apiKey} y`)).toMatch(/^x prn_acme_[0-9a-z]{12}_… y$/);
  let nested = 'a'.repeat(30_000);
  for (let depth = 0; depth < 6; depth++) nested = base64(nested);
  expect(redactKeys(nested)).toBe('[withheld: it holds an API key]');
});
