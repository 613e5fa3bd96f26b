/** Reads of a real standby, whose arrival of changes the test holds up. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createKey, listKeys, revokeKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import type { Method } from '../../support/app.ts';
import { administer } from '../../support/administer.ts';
import { startEmbedded, startStandby, type EmbeddedServer } from '../../support/embedded.ts';

let primary: EmbeddedServer;
let standby: EmbeddedServer;
let app: App;
let apiKey: string;

beforeAll(async () => {
  primary = await startEmbedded(['fsync=off']);
  await administer(primary.address, `CREATE DATABASE billing TEMPLATE template0 ENCODING 'UTF8'`);
  standby = await startStandby(primary);
  const config = readConfig(
    {
      database: `${primary.address}/billing`,
      databaseReplica: `${standby.address}/billing`,
      logLevel: 'silent',
    },
    {},
  );
  app = await createApp(config, { scheduler: false, log: pino({ level: 'silent' }) });
  await createTenant(app.service, { alias: 'acme' });
  ({ apiKey } = await createKey(app.service, { tenant: 'acme' }));
  await post('Old');
  await vi.waitFor(async () => expect(await names()).toEqual(['Old']));
});
afterAll(async () => {
  await app.close();
  await standby.remove();
  await primary.remove();
});

const send = (method: Method, url: string, payload?: object, key = apiKey) =>
  app.server.inject({ method: method as 'GET', url, headers: { 'api-key': key }, payload });
const post = async (name: string) =>
  (await send('POST', '/api/v1/groups', { tenantAlias: 'acme', name })).statusCode;
const names = async () => {
  const answer = await send('GET', '/api/v1/groups?order=ASC');
  return answer.statusCode === 200
    ? answer.json().data.map(({ name }: { name: string }) => name)
    : answer.statusCode;
};

it('reads go to the replica; API keys and reads after a write go to the primary', async () => {
  await administer(standby.address, 'SELECT pg_wal_replay_pause()');
  const mutation = `mutation {
    createGroup(input: { name: "New" }) { id name }
    createProduct(input: { name: "Pro", description: "", prices: [] }) { name }
  }`;
  const { data, errors } = (await send('POST', '/graphql', { query: mutation })).json();
  expect([errors, data.createGroup.name]).toEqual([undefined, 'New']);
  const { id } = data.createGroup;
  // Its answer reads the group again, in the unit's wake.
  const inGroup = `mutation ($id: ID!) {
    createProduct(input: { name: "Pro", description: "", prices: [], groupId: $id }) { group { id name } }
  }`;
  const nested = (await send('POST', '/graphql', { query: inGroup, variables: { id } })).json();
  expect(nested.data.createProduct.group).toEqual({ id, name: 'New' });
  expect(await names()).toEqual(['Old']);

  const { apiKey: second } = await createKey(app.service, { tenant: 'acme' });
  expect((await send('GET', '/api/v1/groups', undefined, second)).statusCode).toBe(200);
  const keys = await listKeys(app.service, 'acme');
  await revokeKey(app.service, keys.at(-1)!.id);
  const status = async () => (await send('GET', '/api/v1/groups', undefined, second)).statusCode;
  await expect.poll(status, { interval: 150 }).toBe(401);

  await administer(standby.address, 'SELECT pg_wal_replay_resume()');
  await expect.poll(names).toEqual(['Old', 'New']);
});

it('an unreachable replica fails one request; reads then go to the primary', async () => {
  await standby.crash();
  const answers = [];
  for (let count = 0; count < 3; count++) answers.push(await names());
  expect(answers[0]).toBe(503);
  expect(answers.slice(1)).toEqual([
    ['Old', 'New'],
    ['Old', 'New'],
  ]);
  expect(await post('Newest')).toBe(201);
  expect(await names()).toEqual(['Old', 'New', 'Newest']);
  await standby.restart();
});
