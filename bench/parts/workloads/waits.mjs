// Measures how long other requests wait during one request: the most expensive requests of an API key, and scans of
// many rows. `/livez` is requested all the time meanwhile.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import Database from 'better-sqlite3';
import { startServer } from '../servers/processes.mjs';
import { fillWorst, loadWorstRequests } from '../data/worst.mjs';

const until = new Date(Date.now() + 300 * 86_400_000).toISOString();
const turns = 3;

const scans = {
  'customers(email)': '{ customers(email: "nobody@example.com") { nodes { id } } }',
  'invoices(status)': '{ invoices(status: uncollectible) { nodes { id } } }',
  'products(name)': '{ products(name: "nothing") { nodes { id } } }',
  '9 × products(name)': `{ ${Array.from({ length: 9 }, (_, n) => `p${n}: products(name: "no ${n}") { nodes { id } }`).join(' ')} }`,
  'tenant { forecast }': `{ tenant { forecast(until: "${until}") { charges } } }`,
};

/** Calls `work` with a server of the program that has its own database and test tenant. */
async function withServer({ program, folder }, name, prepare, work) {
  const file = path.join(folder, `${name}.db`);
  const database = `sqlite:${file}`;
  const created = [program, 'tenant', 'create', 'acme', '--test', '--json', '--database', database];
  const { apiKey } = JSON.parse(execFileSync(process.execPath, created, { encoding: 'utf8' }));
  await prepare(file);
  const limits = ['--rate-limit', '1000000', '--log-level', 'error'];
  const command = ({ port }) => {
    const serve = [program, 'serve', '--port', String(port), '--database', database, ...limits];
    return [process.execPath, serve].flat();
  };
  const server = await startServer({ name: 'perennial', command }, {});
  const url = `http://127.0.0.1:${server.port}`;
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const send = (request) => measure(url, { ...request, headers: { ...headers, ...request.headers } });
  try {
    return await work(send, file);
  } finally {
    await server.stop();
  }
}

/** Returns the duration of a request, and the longest duration of `/livez` meanwhile. */
async function measure(url, { path: target, ...request }) {
  const begunAt = performance.now();
  let tookMs;
  const answered = fetch(`${url}${target}`, request).then(async (answer) => {
    const bytes = await answer.arrayBuffer();
    tookMs = performance.now() - begunAt;
    return { status: answer.status, text: () => Buffer.from(bytes).toString() };
  });
  let waitedMs = 0;
  while (tookMs === undefined) {
    const askedAt = performance.now();
    await (await fetch(`${url}/livez`)).arrayBuffer();
    waitedMs = Math.max(waitedMs, performance.now() - askedAt);
  }
  return { ...(await answered), tookMs, waitedMs };
}

/** Returns the longest of several durations. The first run is included, in which nothing is compiled yet. */
async function findWorst(send, name, request) {
  const rounds = [];
  for (let turn = 0; turn < turns; turn++) rounds.push(await send(request));
  const most = (key) => Math.round(Math.max(...rounds.map((round) => round[key])));
  return { name, status: rounds[0].status, tookMs: most('tookMs'), waitedMs: most('waitedMs') };
}

const graphql = (query) => ({ method: 'POST', path: '/graphql', body: JSON.stringify({ query }) });

async function measureWorst(world) {
  const name = 'worst-requests';
  if (!world.takesPart('perennial')) return { name, variants: [] };
  const worstRequests = await loadWorstRequests();
  const measured = await withServer(
    world,
    name,
    async () => {},
    async (send, file) => {
      const ids = await fillWorst(send, file);
      const variants = [];
      for (const { kind, request } of worstRequests(ids, 'cus_large'))
        variants.push(await findWorst(send, kind, request));
      return variants;
    },
  );
  const variants = measured.toSorted((a, b) => b.waitedMs - a.waitedMs);
  return { name, variants, note: `The longest wait of ${turns} times each.` };
}

async function measureScans(world) {
  const name = 'scans';
  if (!world.takesPart('perennial')) return { name, variants: [] };
  const { rows } = world.size;
  let filledMs = 0;
  const prepare = async (file) => {
    const begunAt = performance.now();
    fillScanned(file, rows);
    filledMs = performance.now() - begunAt;
  };
  const variants = await withServer(world, name, prepare, async (send) => {
    const measured = [];
    for (const [scan, query] of Object.entries(scans))
      measured.push(await findWorst(send, scan, graphql(query)));
    return measured;
  });
  const note = `${rows.toLocaleString('en')} customers and as many invoices, filled in ${Math.round(filledMs / 1000)} s.`;
  return { name, variants, note };
}

export const waits = [
  { name: 'worst-requests', variants: ['perennial'], measure: measureWorst },
  { name: 'scans', variants: ['perennial'], measure: measureScans },
];

/** Inserts rows by SQL, into columns that every release has. */
function fillScanned(file, rows) {
  const target = new Database(file);
  for (const setting of ['synchronous = OFF', 'foreign_keys = OFF', 'cache_size = -262144'])
    target.pragma(setting);
  const at = new Date(Date.now() - 86_400_000).toISOString();
  const dueAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const numbers = (count) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const subscriptions = Math.min(rows, 20_000);
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
