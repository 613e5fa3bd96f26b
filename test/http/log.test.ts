import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { pino } from 'pino';
import { createApp, type App } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../src/tenancy/tenants.ts';

const folder = mkdtempSync(join(tmpdir(), 'perennial-log-'));
let app: App;
let apiKey: string;
let lines: string[] = [];

beforeAll(async () => {
  const config = readConfig({ database: `sqlite:${folder}/test.db` }, {});
  app = await createApp(config, {
    log: pino({ level: 'trace', base: null }, { write: (line) => void lines.push(line) }),
  });
  await createTenant(app.service, { alias: 'acme' });
  ({ apiKey } = await createKey(app.service, { tenant: 'acme' }));
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const secret = 'ada.lovelace';

it.each([
  ['GET', `/api/v1/customers?tenantAlias=acme&limit=1&cursor=${secret}`, '/api/v1/customers', 400, 'acme'],
  ['GET', `/api/v1/customers/${secret}?tenantAlias=acme`, '/api/v1/customers/:customerId', 404, 'acme'],
  ['GET', `/nowhere/${secret}`, null, 404, undefined],
  ['POST', '/graphql', '/graphql', 200, 'acme'],
  ['GET', '/livez', '/livez', 200, undefined],
  ['GET', `/api/v1/customers/${secret}%E0%A4%A`, null, 400, undefined],
] as const)('%s %s is logged by its pattern', async (method, url, route, status, tenant) => {
  const body = { query: `mutation { createCustomer(input: { email: "${secret}" }) { id } }` };
  const answer = await app.server.inject({
    method,
    url,
    headers: {
      'api-key': apiKey,
      'x-executor-id': secret,
      cookie: secret,
      'content-type': 'application/json',
    },
    ...(method === 'POST' && { payload: JSON.stringify(body) }),
  });
  await expect.poll(() => lines.length).toBe(1);
  const line = JSON.parse(lines[0]!);
  expect(line).toMatchObject({ msg: 'request', method, route, status: answer.statusCode });
  expect(line.reqId).toMatch(/^[0-9a-f]{32}$/);
  if (status !== 400 || route) expect(line.durationMs).toBeGreaterThan(0);
  expect(line.tenant).toBe(tenant);
  if (method === 'GET') expect(answer.statusCode).toBe(status);
  expect(lines[0]).not.toContain(secret);
  expect(lines[0]).not.toContain('prn_');
});

it('a trace begins with the id of the request', async () => {
  const query = `mutation { createCustomer(input: {
    email: "a@b.co", firstName: "A", lastName: "B", associatedId: "1" }) { id } }`;
  await app.server.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': apiKey, 'content-type': 'application/json' },
    payload: JSON.stringify({ query }),
  });
  const [trace] = await app.service.store.committed.select('traces', {
    where: { tenantAlias: 'acme', activityType: 'CustomerEvent' },
  });
  await expect.poll(() => lines.length).toBe(1);
  expect(JSON.parse(lines[0]!).reqId).toBe(trace!.traceId);
});

it('requests are not logged above their level, and errors are', async () => {
  const config = readConfig({ database: `sqlite:${folder}/few.db` }, {});
  const logged: string[] = [];
  const few = await createApp(config, {
    log: pino({ level: 'error' }, { write: (line) => void logged.push(line) }),
  });
  expect((await few.server.inject({ url: '/livez' })).statusCode).toBe(200);
  few.service.store.ping = () => {
    throw new TypeError('not foreseen');
  };
  expect((await few.server.inject({ url: '/readyz' })).statusCode).toBe(500);
  await few.close();
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'internal error', err: { message: 'not foreseen' } },
  ]);
});
