/** Pages that name their documents by a hash, as Apollo Client and urql do: a hash gives no more than its text. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { createShop } from '../../support/shop.ts';
import { page } from './browserApp.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const shown = '{ products { nodes { name } } }';
const own = '{ viewer { customer { firstName } } }';
const closed = '{ customers { nodes { id } } }';
const unlisted = '{ products { nodes { name description } } }';

const allow =
  'mutation ($origins: [String!]) { updateTenant(input: { allowedOrigins: $origins }) { allowedOrigins } }';
const begin =
  'mutation ($id: ID!) { createCustomerSession(input: { customerId: $id, allow: [pay_invoice] }) { token } }';

type Holder = 'Ada' | 'Grace' | 'publishable';
interface Server {
  app: TestApp;
  tokens: Record<Holder, string>;
}
const folder = mkdtempSync(path.join(tmpdir(), 'persisted-'));
let servers: Record<'on' | 'off', Server>;

beforeAll(async () => {
  const trustedDocuments = path.join(folder, 'documents.json');
  const texts = [shown, own, closed, allow, begin].map((text) => [hash(text), text]);
  writeFileSync(trustedDocuments, JSON.stringify(Object.fromEntries(texts)));
  const start = async (trustedDocumentsOnly: 'on' | 'off'): Promise<Server> => {
    const app = await startApp({ trustedDocuments, trustedDocumentsOnly });
    const client = await app.tenant({ alias: 'acme' });
    const shop = createShop(client, 'acme');
    await shop.product({ name: 'Basic' });
    await client.graphql(allow, { origins: [page] });
    const open = async (firstName: string): Promise<string> => {
      const { id } = await shop.customer({ firstName });
      return (await client.graphql(begin, { id })).createCustomerSession.token;
    };
    const { apiKey } = await createKey(app.service, { tenant: 'acme', kind: 'publishable', scope: 'read' });
    return { app, tokens: { Ada: await open('Ada'), Grace: await open('Grace'), publishable: apiKey } };
  };
  servers = { on: await start('on'), off: await start('off') };
});
afterAll(async () => {
  await servers.on.app.close();
  await servers.off.app.close();
  rmSync(folder, { recursive: true });
});

const persist = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });

/** Sends a request from the page by POST or GET; returns its data, or the reason of its error. */
async function send(
  { app, tokens }: Server,
  method: 'GET' | 'POST',
  holder: Holder,
  parameters: Record<string, unknown>,
) {
  const encoded = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const answer = await app.server.inject({
    method,
    url: method === 'GET' ? `/graphql?${new URLSearchParams(encoded).toString()}` : '/graphql',
    headers: {
      authorization: `Bearer ${tokens[holder]}`,
      origin: page,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    payload: method === 'POST' ? JSON.stringify(parameters) : undefined,
  });
  // The page has to read what is wrong, and nobody may keep what belongs to one customer.
  expect(answer.headers['access-control-allow-origin']).toBe(page);
  expect(answer.headers['cache-control']).toContain('no-store');
  const { data, errors } = answer.json();
  return errors ? errors[0].extensions : data;
}

const isRefused = (reason: string) => expect.objectContaining({ reason });
const basic = { products: { nodes: [{ name: 'Basic' }] } };
const isClosed = isRefused('closed_to_browsers');
const isInvalid = isRefused('validation_failed');
const isUnknown = expect.objectContaining({
  reason: 'persisted_query_not_found',
  // Apollo Client and urql send the text after this code.
  code: 'PERSISTED_QUERY_NOT_FOUND',
});

describe.each(['off', 'on'] as const)('with --trusted-documents-only %s', (only) => {
  const isOpen = only === 'off' ? { products: { nodes: [{ name: 'Basic', description: '' }] } } : undefined;
  it.each([
    ['a known hash', { extensions: persist(hash(shown)) }, basic],
    ['a known hash with its text', { query: shown, extensions: persist(hash(shown)) }, basic],
    ['the hash of a document that is closed to pages', { extensions: persist(hash(closed)) }, isClosed],
    ['an unknown hash', { extensions: persist(hash(unlisted)) }, isUnknown],
    [
      'an unknown hash with its text',
      { query: unlisted, extensions: persist(hash(unlisted)) },
      isOpen ?? isRefused('document_not_trusted'),
    ],
    ['an unknown hash again: no text was kept', { extensions: persist(hash(unlisted)) }, isUnknown],
    ['a known hash with another text', { query: unlisted, extensions: persist(hash(shown)) }, isInvalid],
    [
      'the hash of a closed document with an open text',
      { query: shown, extensions: persist(hash(closed)) },
      isInvalid,
    ],
    ['an open hash with a closed text', { query: closed, extensions: persist(hash(shown)) }, isInvalid],
    ['a hash in capitals', { extensions: persist(hash(shown).toUpperCase()) }, isInvalid],
    ['a hash that is a list', { extensions: persist([hash(shown)]) }, isInvalid],
    ['another version', { extensions: persist(hash(shown), 2) }, isInvalid],
    ['a persisted query that is text', { extensions: { persistedQuery: hash(shown) } }, isInvalid],
  ])('a page that sends %s gets what its text would give', async (_, parameters, expected) => {
    for (const holder of ['Ada', 'publishable'] as const)
      for (const method of ['POST', 'GET'] as const) {
        const answer = await send(servers[only], method, holder, parameters);
        expect(answer, `${holder} ${method}`).toEqual(expected);
      }
  });

  it('a page cannot name a mutation of the server by its hash', async () => {
    const named = { extensions: persist(hash(begin)), variables: { id: 'cus_1' } };
    for (const holder of ['Ada', 'publishable'] as const) {
      expect(await send(servers[only], 'POST', holder, named)).toEqual(isClosed);
      expect(await send(servers[only], 'GET', holder, named)).toEqual(isRefused('method_not_allowed'));
    }
  });

  it('one hash shows each customer what is their own, and no customer to a publishable key', async () => {
    for (const method of ['POST', 'GET', 'POST', 'POST'] as const) {
      const read = (holder: Holder) =>
        send(servers[only], method, holder, { extensions: persist(hash(own)) });
      expect(await read('Ada')).toEqual({ viewer: { customer: { firstName: 'Ada' } } });
      expect(await read('Grace')).toEqual({ viewer: { customer: { firstName: 'Grace' } } });
      expect(await read('publishable')).toEqual(isClosed);
    }
  });
});
