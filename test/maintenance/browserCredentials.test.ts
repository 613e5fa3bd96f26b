/** What becomes of the credentials of browsers when a tenant or a database moves: keys go along, sessions with the database alone. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, type App } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { page } from '../access/browsers/browserApp.ts';
import { startApp, testSecretKey, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { scratchDatabase, type Scratch } from '../support/engines.ts';
import { createShop } from '../support/shop.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-credentials-'));
let app: TestApp;
let token: string;
let publishable: string;
const moved: { app: App; scratch: Scratch }[] = [];

beforeAll(async () => {
  app = await startApp();
  const client = await app.tenant({ alias: 'acme' });
  const customer = await createShop(client, 'acme').customer();
  await client.graphql('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { alias } }', {
    input: { allowedOrigins: [page] },
  });
  const begun = await client.graphql(
    'mutation ($input: CreateCustomerSessionInput!) { createCustomerSession(input: $input) { token } }',
    { input: { customerId: customer.id } },
  );
  token = begun.createCustomerSession.token;
  publishable = (await createKey(app.service, { tenant: 'acme', kind: 'publishable', scope: 'read' })).apiKey;
});
afterAll(async () => {
  for (const each of moved) {
    await each.app.close();
    await each.scratch.drop();
  }
  await app.close();
  rmSync(folder, { recursive: true });
});

/** Moves the tenant by commands of the program, and serves the database that it came to. */
async function serveMoved(move: (database: string) => string[][]): Promise<App> {
  const scratch = await scratchDatabase();
  for (const command of move(scratch.url)) {
    const said = await perennial(app.database, command);
    expect(said, said.err).toMatchObject({ code: 0 });
  }
  const settings = { database: scratch.url, databaseConnections: '4', logLevel: 'silent' };
  const own = await createApp(readConfig({ ...settings, secretKey: testSecretKey }, {}), {
    scheduler: false,
  });
  moved.push({ app: own, scratch });
  const checked = await perennial(scratch.url, ['doctor', '--json']);
  expect(checked.json).toMatchObject({ findings: [] });
  return own;
}

async function ask({ server }: Pick<App, 'server'>, credential: string, query: string, origin = page) {
  const { body } = await server.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}`, origin },
    payload: JSON.stringify({ query }),
  });
  const { data, errors } = JSON.parse(body);
  return errors?.[0].extensions.reason ?? Object.keys(data)[0];
}

const file = path.join(folder, 'tenant.jsonl');
it.each<[name: string, move: (database: string) => string[][], session: string]>([
  [
    'an exported tenant',
    (database) => [
      ['export', '--tenant', 'acme', file],
      ['import', file, '--database', database],
    ],
    'api_key_invalid',
  ],
  ['a copied database', (database) => [['copy', '--from', app.database, '--to', database]], 'viewer'],
])('%s has its publishable keys and origins', async (_, move, session) => {
  const other = await serveMoved(move);
  expect(await ask(other, publishable, '{ products { nodes { id } } }')).toBe('products');
  expect(await ask(other, publishable, '{ customers { nodes { id } } }')).toBe('closed_to_browsers');
  expect(await ask(other, publishable, '{ products { nodes { id } } }', 'https://evil.example')).toBe(
    'origin_not_allowed',
  );
  expect(await ask(other, token, '{ viewer { allow } }')).toBe(session);
});

it('an export has neither tokens nor secrets', () => {
  const text = readFileSync(file, 'utf8');
  for (const credential of [token, publishable]) expect(text).not.toContain(credential.split('_').at(-1));
  expect(text).not.toContain('"customerSessions"');
});
