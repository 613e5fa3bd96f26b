/** A COMMIT whose answer is lost: the client is told what became of it, or honestly that nobody knows. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { TenantWrites } from '../../../src/storage/store.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { groupRow } from '../../support/rows.ts';
import { startCommitProxy, type CommitProxy } from './commitProxy.ts';

let scratch: Scratch;
let proxy: CommitProxy;
let app: App;
let apiKey: string;

beforeAll(async () => {
  scratch = await scratchDatabase();
  const url = new URL(scratch.url);
  const port = Number(url.port);
  proxy = await startCommitProxy(() => port);
  url.port = String(proxy.port);
  url.searchParams.set('lock_timeout', '5000');
  const config = readConfig({ database: url.href, databaseConnections: '4', logLevel: 'silent' }, {});
  app = await createApp(config, { scheduler: false, log: pino({ level: 'silent' }) });
  await createTenant(app.service, { alias: 'acme' });
  ({ apiKey } = await createKey(app.service, { tenant: 'acme' }));
});
afterAll(async () => {
  await app.close();
  await proxy.close();
  await scratch.drop();
});
beforeEach(() => scratch.backdoor.execute('DELETE FROM groups; DELETE FROM traces; DELETE FROM idempotency'));

const post = async (name: string, key?: string) => {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/groups',
    headers: { 'api-key': apiKey, ...(key && { 'idempotency-key': key }) },
    payload: { tenantAlias: 'acme', name },
  });
  const { statusCode: status, headers } = answer;
  const { body } = answer.json();
  return { status, reason: body?.reason, retryAfter: headers['retry-after'], text: answer.body };
};
const names = async () =>
  (await scratch.backdoor.all('SELECT name FROM groups ORDER BY name')).map(({ name }) => name);
const cutOnce = async <T>(fate: Parameters<CommitProxy['next']>[0], work: () => Promise<T>): Promise<T> => {
  const before = proxy.cuts();
  proxy.next(fate);
  const value = await work();
  expect(proxy.cuts()).toBe(before + 1);
  return value;
};

describe.each([
  ['without a key', undefined],
  ['with a key', 'k'],
])('a change %s', (_, key) => {
  it('is acknowledged if it was committed and only the response was lost', async () => {
    const { status } = await cutOnce('answer is lost', () => post('made', key));
    expect([status, await names()]).toEqual([201, ['made']]);
  });

  it('is refused if the COMMIT was lost, and changed nothing', async () => {
    const answer = await cutOnce('is lost', () => post('lost', key));
    expect([answer.status, answer.reason, answer.retryAfter]).toEqual([503, 'unavailable', '1']);
    expect(await names()).toEqual([]);
    expect((await post('lost', key)).status).toBe(201);
    expect(await names()).toEqual(['lost']);
  });

  it('is outcome_unknown if the database stays unreachable', async () => {
    const answer = await cutOnce('answer is lost for long', () => post('unknown', key));
    expect([answer.status, answer.reason, answer.retryAfter]).toEqual([503, 'outcome_unknown', '1']);
    expect(answer.text).not.toMatch(/nothing was changed/);
    proxy.mend();
    expect(await names()).toEqual(['unknown']);
    if (key === undefined) return;
    // Under its key the repeat is the way to learn of it.
    expect((await post('unknown', key)).status).toBe(201);
    expect(await names()).toEqual(['unknown']);
  });
});

it('GraphQL returns the reason and retryAfterSeconds', async () => {
  const query = 'mutation { createGroup(input: { name: "told" }) { id } }';
  const send = () =>
    app.server.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'api-key': apiKey, 'idempotency-key': 'told' },
      payload: { query },
    });
  const answer = await cutOnce('answer is lost for long', send);
  expect(answer.json().errors[0].extensions).toMatchObject({
    reason: 'outcome_unknown',
    status: 503,
    retryAfterSeconds: 1,
  });
  proxy.mend();
  expect((await send()).json().errors).toBeUndefined();
  expect(await names()).toEqual(['told']);
});

it('each of 50 requests in shared commits gets its own outcome', async () => {
  for (const fate of ['answer is lost', 'is lost', 'answer is lost'] as const) {
    const before = await names();
    const answers = await cutOnce(fate, () =>
      Promise.all(Array.from({ length: 50 }, () => post(randomUUID()))),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status, reason }) => status !== 201 && reason !== 'unavailable')).toEqual([]);
    expect(await names()).toHaveLength(before.length + made.length);
    if (fate === 'answer is lost') expect(made).toHaveLength(50);
  }
});

it('the outcome of one tenant is not used for another', async () => {
  await createTenant(app.service, { alias: 'globex' });
  const { apiKey: other } = await createKey(app.service, { tenant: 'globex' });
  const theirs = { 'api-key': other };
  const payload = { tenantAlias: 'globex', name: 'theirs' };
  const send = () => app.server.inject({ method: 'POST', url: '/api/v1/groups', headers: theirs, payload });
  const [own, others] = await cutOnce('is lost', () => Promise.all([post('own'), send()]));
  const rows = await scratch.backdoor.all('SELECT tenant_alias FROM groups ORDER BY 1');
  const made = [own.status === 201 && 'acme', others.statusCode === 201 && 'globex'].filter(Boolean);
  expect(rows.map(({ tenant_alias: alias }) => alias)).toEqual(made);
  expect(made).toHaveLength(1);
});

/** What leaves no trace is found by the transaction's id. */
it.each([
  ['answer is lost', 'fulfilled', 1],
  ['is lost', 'rejected', 0],
] as const)('a unit without a trace, of which the %s, is %s', async (fate, status, count) => {
  const write = app.service.store.transact('acme', async (queries) =>
    new TenantWrites(queries, 'acme').insert('groups', groupRow('g')),
  );
  const [outcome] = await cutOnce(fate, () => Promise.allSettled([write]));
  expect(outcome.status).toBe(status);
  if (outcome.status === 'rejected') expect(outcome.reason.reason).toBe('unavailable');
  expect(await names()).toHaveLength(count);
});
