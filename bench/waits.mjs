// `node bench/scans.mjs`: what a tenant with a million rows keeps others waiting for. For each request it prints how long
// it took, and the longest that /livez waited meanwhile. `--program` takes another build, `--rows` another number of rows.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { ensureBuilt, program as ownProgram } from '../scripts/setup.mjs';
import { startServer } from './parts/servers/processes.mjs';

const { values } = parseArgs({
  options: { program: { type: 'string' }, rows: { type: 'string', default: '1000000' } },
});
if (!values.program) ensureBuilt();
const program = path.resolve(values.program ?? ownProgram);
const rows = Number(values.rows);
const subscriptions = Math.min(rows, 20_000);
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-scans-'));
const file = path.join(folder, 'scans.db');
const at = new Date(Date.now() - 86_400_000).toISOString();
const dueAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
const until = new Date(Date.now() + 300 * 86_400_000).toISOString();

const requests = {
  'customers(email)': '{ customers(email: "nobody@example.com") { nodes { id } } }',
  'invoices(status)': '{ invoices(status: uncollectible) { nodes { id } } }',
  'products(name)': '{ products(name: "nothing") { nodes { id } } }',
  '99 × products(name)': `{ ${Array.from({ length: 99 }, (_, n) => `p${n}: products(name: "no ${n}") { nodes { id } }`).join(' ')} }`,
  'tenant { forecast }': `{ tenant { forecast(until: "${until}") { charges } } }`,
};

try {
  const run = (...args) =>
    execFileSync(process.execPath, [program, ...args, '--database', `sqlite:${file}`], { encoding: 'utf8' });
  const { apiKey } = JSON.parse(run('tenant', 'create', 'acme', '--json'));
  fill();
  const command = ({ port }) => {
    const limits = ['--port', String(port), '--rate-limit', '1000000'];
    return [process.execPath, program, 'serve', '--database', `sqlite:${file}`, ...limits];
  };
  const server = await startServer({ name: 'perennial', command }, {});
  const url = `http://127.0.0.1:${server.port}`;
  console.log(`${rows.toLocaleString('en')} rows, ${subscriptions.toLocaleString('en')} subscriptions`);
  for (const [name, query] of Object.entries(requests)) {
    await measure(url, apiKey, '{ tenant { alias } }');
    const { tookMs, waitedMs, status } = await measure(url, apiKey, query);
    console.log(
      `${name.padEnd(22)} ${tookMs.toFixed(0).padStart(7)} ms   /livez ${waitedMs.toFixed(0).padStart(6)} ms   ${status}`,
    );
  }
  await server.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url, apiKey, query) {
  const begunAt = performance.now();
  let tookMs;
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const asked = fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) }).then(
    async (answer) => {
      const { errors } = await answer.json();
      tookMs = performance.now() - begunAt;
      return errors?.[0]?.extensions.reason ?? answer.status;
    },
  );
  let waitedMs = 0;
  while (tookMs === undefined) {
    const waitedSince = performance.now();
    await (await fetch(`${url}/livez`)).text();
    waitedMs = Math.max(waitedMs, performance.now() - waitedSince);
  }
  return { tookMs, waitedMs, status: await asked };
}

/** Rows by SQL, in columns that every release has. */
function fill() {
  const target = new Database(file);
  for (const setting of ['synchronous = OFF', 'foreign_keys = OFF', 'cache_size = -262144'])
    target.pragma(setting);
  const numbers = (count) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const hasLower = target.pragma('table_info(products)').some(({ name }) => name === 'name_lower');
  const products = Math.min(rows, 20_000);
  target.exec(`
    ${numbers(rows)} INSERT INTO customers (tenant_alias, id, associated_id, first_name, last_name, email, metadata, created_at, updated_at)
      SELECT 'acme', 'cus_' || i, 'own-' || i, 'Ada', 'Lovelace', 'ada' || i || '@example.com', '{}', '${at}', '${at}' FROM n;
    ${numbers(products)} INSERT INTO products (tenant_alias, id, name, description, active, metadata, created_at, updated_at ${hasLower ? ', name_lower' : ''})
      SELECT 'acme', 'prod_' || i, 'Plan ' || i, '', 1, '{}', '${at}', '${at}' ${hasLower ? ", 'plan ' || i" : ''} FROM n;
    ${numbers(subscriptions)} INSERT INTO subscriptions (tenant_alias, id, payment_intent_id, customer_id, product_id, price_id, product_name,
        amount_minor, currency, frequency, period, anchor, starts_at, first_billing_date, next_billing_date, billed_count, due_at,
        cancel_at_period_end, metadata, created_at, updated_at)
      SELECT 'acme', 'sub_' || i, 'int_' || i, 'cus_' || i, 'prod_1', 'price_1', 'Plan', 5000, 'usd', 'Monthly', 1, '${at}', '${at}', '${at}',
        '${dueAt}', 1, '${dueAt}', 0, '{}', '${at}', '${at}' FROM n;
    ${numbers(rows)} INSERT INTO invoices (tenant_alias, id, number, subscription_id, customer_id, billing_reason, status, currency, total_minor,
        refunded_minor, cycle_start, cycle_end, attempts, created_at, updated_at)
      SELECT 'acme', 'inv_' || i, i, 'none_' || i, 'cus_' || i, 'cycle', 'paid', 'usd', 5000, 0, '${at}', '${dueAt}', 1, '${at}', '${at}' FROM n;
    PRAGMA wal_checkpoint(TRUNCATE);
  `);
  target.close();
}
