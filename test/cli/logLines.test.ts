/** The log on a terminal: records of the real server, each as one short line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createApp, type App } from '../../src/app/app.ts';
import { createLogLines } from '../../src/cli/logLines.ts';
import { readConfig } from '../../src/config/config.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../src/tenancy/tenants.ts';

const folder = mkdtempSync(join(tmpdir(), 'perennial-lines-'));
const formatLine = createLogLines(false);
let app: App;
let headers: Record<string, string>;
let lines: string[] = [];

const log = pino(
  {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  },
  { write: (line) => void lines.push(line) },
);

beforeAll(async () => {
  app = await createApp(readConfig({ database: `sqlite:${folder}/test.db` }, {}), { log });
  await createTenant(app.service, { alias: 'acme' });
  const { apiKey } = await createKey(app.service, { tenant: 'acme' });
  headers = { 'api-key': apiKey, 'content-type': 'application/json' };
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['GET', '/api/v1/customers', undefined, /^GET \/api\/v1\/customers 200 \d+(\.\d)? ms acme$/],
  ['GET', '/api/v1/customers/none', undefined, /^GET \/api\/v1\/customers\/:customerId 400 [\d.]+ ms acme$/],
  ['GET', '/nowhere', undefined, /^GET unknown 404 [\d.]+ ms$/],
  [
    'POST',
    '/graphql',
    { query: '{ customers { nodes { id } } }' },
    /^POST \/graphql query customers 200 [\d.]+ ms acme$/,
  ],
] as const)('%s %s', async (method, url, body, expected) => {
  await app.server.inject({ method, url, headers, ...(body && { payload: JSON.stringify(body) }) });
  await expect.poll(() => lines.length).toBe(1);
  const text = formatLine(lines[0]!);
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: .*\n$/);
  expect(text.slice('[00:00:00] INFO: '.length).trimEnd()).toMatch(expected);
});

it('shows level and reason and removes control characters', () => {
  log.warn({ failure: 'gone\u001b[2J\nagain', dropped: 3 }, 'spans could not be sent');
  log.error(
    { err: new TypeError('x is not a function'), tenant: 'acme' },
    'scheduled work of a tenant failed',
  );
  log.info({ tenant: 'acme', subscriptions: 2 }, 'billed');
  expect(lines.map((line) => formatLine(line).slice('[00:00:00] '.length))).toEqual([
    'WARN: spans could not be sent dropped 3 (gone [2J again)\n',
    'ERROR: scheduled work of a tenant failed acme (x is not a function)\n',
    'INFO: billed subscriptions 2 acme\n',
  ]);
});

it('uses colours if enabled', () => {
  log.info({ method: 'GET', route: '/livez', status: 503, durationMs: 12.34 }, 'request');
  expect(formatLine(lines[0]!)).not.toContain('\x1b');
  const coloured = createLogLines(true)(lines[0]!);
  expect(coloured).toContain('\x1b[31m503\x1b[');
  expect(coloured).toContain('\x1b[90m12 ms\x1b[');
});
