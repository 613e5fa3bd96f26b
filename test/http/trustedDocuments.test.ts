/** Documents by their hash: which requests are executed, over every channel, for every caller. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { consoleHeaders, signInOperator } from '../support/operators.ts';
import { expectGraphqlError, inject } from '../support/world.ts';
import { sampledInCore } from '../support/sample.ts';

const identify = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const documents = {
  alias: '{ tenant { alias } }',
  two: 'query A { tenant { alias } } query B { tenant { name } }',
  groups: 'query ($first: Int) { groups(first: $first) { nodes { name } } }',
  create: 'mutation ($name: String!) { createGroup(input: { name: $name }) { name } }',
  live: 'subscription ($after: ID) { traceRecorded(after: $after) { id } }',
  signIn: '{ signInOptions { password } }',
  // As test/support/operators.ts sends it.
  redeem: 'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id } }',
};
const known = identify(documents.alias);
const unknown = `sha256:${'0'.repeat(64)}`;

const folder = mkdtempSync(path.join(tmpdir(), 'documents-'));
let files = 0;
/** Writes a manifest; returns its path. */
function writeManifest(content: unknown): string {
  const file = path.join(folder, `${(files += 1)}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const list = (...texts: string[]) => Object.fromEntries(texts.map((text) => [identify(text), text]));

interface Server {
  app: TestApp;
  client: Client;
  url: string;
  operator: Record<string, string>;
}
let servers: Record<'on' | 'off', Server>;
beforeAll(async () => {
  const start = async (trustedDocumentsOnly: 'on' | 'off'): Promise<Server> => {
    const trustedDocuments = writeManifest(list(...Object.values(documents)));
    const app = await startApp({ trustedDocuments, trustedDocumentsOnly });
    const client = await app.tenant({ alias: 'acme' });
    const { headers } = await signInOperator(app, { tenant: 'acme' });
    return { app, client, url: await listen(app), operator: headers };
  };
  servers = { on: await start('on'), off: await start('off') };
});
afterAll(async () => {
  await servers.on.app.close();
  await servers.off.app.close();
  rmSync(folder, { recursive: true });
});

type Parameters = Record<string, unknown>;
type Caller = 'key' | 'operator' | 'nobody';

const jsonType = { 'content-type': 'application/json' };
const readHeaders = ({ client, operator }: Server, caller: Caller): Record<string, string> => {
  if (caller === 'operator') return operator;
  return caller === 'key' ? { ...jsonType, 'api-key': client.apiKey } : jsonType;
};

const encode = (parameters: Parameters) =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

/** The outcome of a request: `data`, or the reason of its error and its status. */
type Outcome = 'data' | { reason: string; status: number };
const readOutcome = (body: any): Outcome => {
  const error = body.errors?.[0];
  return error ? { reason: error.extensions.reason, status: error.extensions.status } : 'data';
};

type Channel = (server: Server, parameters: Parameters, caller: Caller) => Promise<Outcome>;

const post: Channel = async (server, parameters, caller) => {
  const headers = readHeaders(server, caller);
  const payload = JSON.stringify(parameters);
  const answer = await inject(server.app, { method: 'POST', url: '/graphql', headers, payload });
  if (answer.body.errors) expectGraphqlError(answer);
  return readOutcome(answer.body);
};

const get: Channel = async (server, parameters, caller) => {
  const { 'content-type': _, ...headers } = readHeaders(server, caller);
  const answer = await inject(server.app, { url: `/graphql?${encode(parameters)}`, headers });
  if (answer.body.errors) expectGraphqlError(answer);
  return readOutcome(answer.body);
};

/** Reads the first event; `trace_not_found` shows that a subscription was executed. */
const readEvents = async (response: Response): Promise<Outcome> => {
  const text = await response.text();
  const [, data = text] = /data: (.*)/.exec(text) ?? [];
  const outcome = readOutcome(JSON.parse(data));
  return outcome !== 'data' && outcome.reason === 'trace_not_found' ? 'data' : outcome;
};

const streamByPost: Channel = async (server, parameters, caller) =>
  readEvents(
    await fetch(`${server.url}/graphql/stream`, {
      method: 'POST',
      headers: readHeaders(server, caller),
      body: JSON.stringify(parameters),
    }),
  );

const streamByGet: Channel = async (server, parameters, caller) => {
  const { 'content-type': _, ...headers } = readHeaders(server, caller);
  return readEvents(await fetch(`${server.url}/graphql/stream?${encode(parameters)}`, { headers }));
};

const socket: Channel = (server, parameters, caller) =>
  new Promise((resolve, reject) => {
    const { 'content-type': _, ...headers } = readHeaders(server, caller);
    const isOperator = caller === 'operator';
    const opened = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { ...headers, ...(isOperator && { origin: 'http://localhost:4000' }) },
    });
    const say = (message: object) => opened.send(JSON.stringify(message));
    const credentials = { 'perennial-console': '1', 'perennial-tenant': 'acme' };
    opened.on('open', () => say({ type: 'connection_init', payload: isOperator ? credentials : {} }));
    opened.on('error', reject);
    opened.on('close', (code, reason) =>
      resolve({ reason: String(reason), status: code === 4401 ? 401 : code }),
    );
    opened.on('message', (data) => {
      const { type, payload } = JSON.parse((data as Buffer).toString());
      if (type === 'complete') return;
      if (type === 'connection_ack') return say({ id: '1', type: 'subscribe', payload: parameters });
      const outcome = readOutcome(type === 'error' ? { errors: payload } : payload);
      resolve(outcome !== 'data' && outcome.reason === 'trace_not_found' ? 'data' : outcome);
      opened.close();
    });
  });

const all: Caller[] = ['key', 'operator'];
// The console never sends a GET: any page could cause one.
const queries: [name: string, channel: Channel, callers: Caller[]][] = [
  ['POST', post, all],
  ['GET', get, ['key']],
];
const live: [name: string, channel: Channel, callers: Caller[]][] = [
  ['an event stream by POST', streamByPost, all],
  ['an event stream by GET', streamByGet, ['key']],
  ['a WebSocket', socket, all],
];

const invalid: Outcome = { reason: 'validation_failed', status: 400 };
const notFound: Outcome = { reason: 'document_not_found', status: 404 };
const notPersisted: Outcome = { reason: 'persisted_query_not_found', status: 404 };
const notTrusted: Outcome = { reason: 'document_not_trusted', status: 403 };

type Row = [name: string, parameters: Parameters, open: Outcome, only: Outcome];

/** Names a document as automatic persisted queries do; graphql-ws demands an empty query beside it. */
const persist = (id: string) => ({
  query: '',
  extensions: { persistedQuery: { version: 1, sha256Hash: id.slice('sha256:'.length) } },
});

/** What every channel does with a document that is known by its id, and with another. */
const listRows = (text: string, variables: object, other: string): Row[] => {
  const id = identify(text);
  return [
    ['a known id', { documentId: id, variables }, 'data', 'data'],
    ['the text of a known document', { query: text, variables }, 'data', 'data'],
    ['another text', { query: other, variables }, 'data', notTrusted],
    ['text that cannot be parsed', { query: '{' }, invalid, notTrusted],
    ['an unknown id', { documentId: unknown, variables }, notFound, notFound],
    ['a known id and its text', { documentId: id, query: text, variables }, invalid, invalid],
    ['a known id and another text', { documentId: id, query: other, variables }, invalid, invalid],
    ['an id without sha256', { documentId: id.slice(7) }, invalid, invalid],
    ['an id in capitals', { documentId: `sha256:${id.slice(7).toUpperCase()}` }, invalid, invalid],
    ['an id with another prefix', { documentId: `SHA256:${id.slice(7)}` }, invalid, invalid],
    ['an id with a space', { documentId: ` ${id}` }, invalid, invalid],
    ['a long id', { documentId: `sha256:${'0'.repeat(9000)}` }, invalid, invalid],
    ['an id that is a name of Object', { documentId: '__proto__' }, invalid, invalid],
    ['an id that is a list', { documentId: [id] }, invalid, invalid],
    ['an id that is a number', { documentId: 7 }, invalid, invalid],
    ['neither id nor text', { variables }, invalid, invalid],
    ['a known hash as a persisted query', { ...persist(id), variables }, 'data', 'data'],
    ['a known hash and its text', { ...persist(id), query: text, variables }, 'data', 'data'],
    ['a hash and another text', { ...persist(id), query: other, variables }, invalid, invalid],
    ['an unknown hash', { ...persist(unknown), variables }, notPersisted, notPersisted],
    [
      'the hash of another text with it',
      { ...persist(identify(other)), query: other, variables },
      'data',
      notTrusted,
    ],
  ];
};

describe.each(['off', 'on'] as const)('with --trusted-documents-only %s', (only) => {
  const pick = ([, , open, ofOnly]: Row) => (only === 'on' ? ofOnly : open);
  const queryRows = listRows(documents.groups, { first: 1 }, '{ tenant { name } }');
  const liveRows = listRows(
    documents.live,
    { after: 'none' },
    'subscription ($after: ID) { traceRecorded(after: $after) { eventId } }',
  );

  describe.each(queries)('%s', (_, channel, callers) => {
    const rows: Row[] = [
      ...queryRows,
      ['introspection', { query: getIntrospectionQuery() }, 'data', notTrusted],
      ['the name of a type', { query: '{ __typename }' }, 'data', notTrusted],
      ['a known document in other white space', { query: `${documents.alias} ` }, 'data', notTrusted],
      ['an operation by name', { documentId: identify(documents.two), operationName: 'B' }, 'data', 'data'],
      ['no operation by name', { documentId: identify(documents.two) }, invalid, invalid],
      ['an unknown operation', { documentId: known, operationName: 'C' }, invalid, invalid],
      [
        'wrong variables',
        { documentId: identify(documents.groups), variables: { first: 'x' } },
        invalid,
        invalid,
      ],
      ['a subscription', { documentId: identify(documents.live) }, invalid, invalid],
    ];
    it.each(sampledInCore(rows, 3))('%s', async (...row) => {
      for (const caller of callers) {
        expect(await channel(servers[only], row[1], caller), caller).toEqual(pick(row));
      }
      const refused = { reason: 'api_key_missing', status: 401 };
      expect(await channel(servers[only], row[1], 'nobody')).toEqual(refused);
    });
  });

  describe.each(live)('%s', (name, channel, callers) => {
    // graphql-ws closes a connection that sends neither.
    const rows = liveRows.filter(([row]) => name !== 'a WebSocket' || row !== 'neither id nor text');
    it.each(sampledInCore(rows, 3))('%s', async (...row) => {
      for (const caller of callers) {
        expect(await channel(servers[only], row[1], caller), caller).toEqual(pick(row));
      }
      const refused = { reason: 'api_key_missing', status: 401 };
      expect(await channel(servers[only], row[1], 'nobody')).toEqual(refused);
    });

    it('does not execute a query by its id', async () => {
      expect(await channel(servers[only], { documentId: known }, 'key')).toEqual(invalid);
    });
  });

  it('accepts an empty query beside an id, as graphql-ws demands it', async () => {
    const parameters = { query: '', documentId: identify(documents.live), variables: { after: 'none' } };
    expect(await socket(servers[only], parameters, 'key')).toBe('data');
  });

  it('executes a mutation by its id, but not by GET', async () => {
    const { app, client } = servers[only];
    const send = (method: 'GET' | 'POST', key: string) => {
      const parameters = { documentId: identify(documents.create), variables: { name: 'By id' } };
      const headers = { ...jsonType, 'api-key': client.apiKey, 'idempotency-key': key };
      return method === 'GET'
        ? inject(app, { url: `/graphql?${encode(parameters)}`, headers: { 'api-key': client.apiKey } })
        : inject(app, { method, url: '/graphql', headers, payload: JSON.stringify(parameters) });
    };
    expect(await send('GET', 'a')).toMatchObject({ status: 405 });
    const first = await send('POST', 'a');
    expect(first.body).toEqual({ data: { createGroup: { name: 'By id' } } });
    const repeated = await send('POST', 'a');
    expect(repeated.text).toBe(first.text);
    expect(repeated.headers['idempotent-replayed']).toBe('true');
  });

  it('keeps the scope of a key and the cost of an operation', async () => {
    const { app } = servers[only];
    const reader = await app.key('acme', 'read');
    const create = { documentId: identify(documents.create), variables: { name: 'A' } };
    const headers = { ...jsonType, 'api-key': reader.apiKey };
    const sent = { method: 'POST', url: '/graphql', headers } as const;
    const refused = await inject(app, { ...sent, payload: JSON.stringify(create) });
    expectGraphqlError(refused, 'insufficient_scope');
    const costly = { documentId: identify(documents.groups), variables: { first: 100 } };
    const answer = await inject(app, {
      ...sent,
      headers: { ...headers, 'x-graphql-cost': '1' },
      payload: JSON.stringify(costly),
    });
    const text = await inject(app, {
      ...sent,
      headers: { ...headers, 'x-graphql-cost': '1' },
      payload: JSON.stringify({ query: documents.groups, variables: { first: 100 } }),
    });
    expect(answer.body.extensions.cost.requested).toBeGreaterThan(0);
    expect(answer.body).toEqual(text.body);
  });

  it('executes a known document before the sign-in of an operator', async () => {
    const send = async (payload: object) =>
      readOutcome(
        (
          await inject(servers[only].app, {
            method: 'POST',
            url: '/graphql',
            headers: consoleHeaders,
            payload: JSON.stringify(payload),
          })
        ).body,
      );
    expect(await send({ documentId: identify(documents.signIn) })).toBe('data');
    expect(await send({ query: '{ signInOptions { oidc } }' })).toEqual(only === 'on' ? notTrusted : 'data');
  });

  it('serves REST and pages, which do not send documents', async () => {
    const { app, client } = servers[only];
    expect((await client.rest('GET', '/customers')).status).toBe(200);
    expect((await client.rest('POST', '/groups', { tenantAlias: 'acme', name: 'A' })).status).toBe(201);
    for (const page of ['/readyz', '/docs', '/console'])
      expect((await inject(app, { url: page })).status, page).toBe(200);
  });

  it('shows GraphiQL only where it can send its documents', async () => {
    const { app } = servers[only];
    const { status } = await inject(app, { url: '/graphql', headers: { accept: 'text/html' } });
    expect(status).toBe(only === 'on' ? 401 : 200);
  });

  it('refuses two ids, and lists', async () => {
    const { app, client } = servers[only];
    const headers = { 'api-key': client.apiKey };
    const twice = await inject(app, { url: `/graphql?documentId=${known}&documentId=${known}`, headers });
    expectGraphqlError(twice, 'validation_failed');
    const text = encodeURIComponent(documents.alias);
    const hidden = await inject(app, { url: `/graphql?query=${text}&query={__typename}`, headers });
    expectGraphqlError(hidden, 'validation_failed');
    const batch = JSON.stringify([{ documentId: known }, { query: '{ __typename }' }]);
    const sent = { method: 'POST', url: '/graphql', headers: { ...jsonType, ...headers } } as const;
    expectGraphqlError(await inject(app, { ...sent, payload: batch }), 'validation_failed');
  });
});

describe('a manifest', () => {
  const hash = known.slice(7);
  const start = (...contents: unknown[]) =>
    startApp({ trustedDocuments: contents.map(writeManifest).join(', '), trustedDocumentsOnly: 'on' });

  it.each<[string, unknown[]]>([
    ['by sha256: and the hash', [list(documents.alias)]],
    ['by the hash alone, as Relay writes it', [{ [hash]: documents.alias }]],
    [
      'as Apollo writes it',
      [
        {
          format: 'apollo-persisted-query-manifest',
          version: 1,
          operations: [{ id: hash, name: 'A', type: 'query', body: documents.alias }],
        },
      ],
    ],
    ['in several files', [list(documents.create), list(documents.alias)]],
  ])('may have documents %s', async (_, contents) => {
    const app = await start(...contents);
    const { apiKey } = await app.tenant({ alias: 'acme' });
    const headers = { ...jsonType, 'api-key': apiKey };
    const payload = JSON.stringify({ documentId: known });
    const answer = await inject(app, { method: 'POST', url: '/graphql', headers, payload });
    expect(answer.body).toEqual({ data: { tenant: { alias: 'acme' } } });
    await app.close();
  });

  it.each<[string, unknown, RegExp]>([
    ['is not JSON', '{', /^The trusted documents of .*\.json cannot be loaded: it is not JSON\.$/],
    ['is a list', [documents.alias], /it is not an object of documents by their id/],
    ['is null', 'null', /it is not an object of documents by their id/],
    [
      'has a wrong hash',
      { [unknown]: documents.alias },
      /the id "sha256:0+" is not the SHA-256 of its document/,
    ],
    ['has a name of Object', '{"__proto__":"{ a }"}', /the id "__proto__" is not the SHA-256/],
    ['has a document that is no text', { [unknown]: 5 }, /the document "sha256:0+" is not text/],
    ['has no operations', { format: 'apollo-persisted-query-manifest' }, /it has no list of operations/],
    [
      'has an operation that is none',
      { format: 'apollo-persisted-query-manifest', operations: [5] },
      /the document undefined is not text/,
    ],
    [
      'has a document that cannot be parsed',
      list('{'),
      /document sha256:\w+ of .* is not valid: Syntax Error/,
    ],
    ['has an unknown field', list('{ foo }'), /is not valid: Cannot query field "foo" on type "Query"\.$/],
    [
      'has fragments alone',
      list('fragment A on Tenant { alias }'),
      /is not valid: Fragment "A" is never used/,
    ],
    ['has a document that is too deep', list(`{ tenant ${'{ ...'.repeat(9000)}`), /is not valid: /],
    ['has a document of too many lines', list(`{ tenant ${'\n'.repeat(9000)} }`), /at most 5000 lines/],
  ])('that %s stops the start', async (_, content, message) => {
    await expect(start(content)).rejects.toThrow(message);
  });

  it('must exist', async () => {
    const file = path.join(folder, 'none.json');
    await expect(startApp({ trustedDocuments: file })).rejects.toThrow(
      /^The trusted documents of .*none\.json cannot be loaded: ENOENT/,
    );
  });
});
