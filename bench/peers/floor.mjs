// The floor: node:http and prepared statements only, the least that a Node server can cost.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { prepareIntentWrites } from './intents.mjs';
import { confirmMutation, createMutation, nestedQuery, pointQuery } from './queries.mjs';
import { openStore } from './store.mjs';
import { prepareUsage } from './usage.mjs';

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    port: { type: 'string' },
    /** Whether concurrent writes share a commit. */
    grouped: { type: 'boolean', default: false },
    /** Whether the API key is verified. */
    checked: { type: 'boolean', default: false },
    intents: { type: 'boolean', default: false },
    /**
     * A database in which the product has billed the due subscriptions. The floor writes the same rows to its own
     * database, beginning at this time.
     */
    billed: { type: 'string' },
    'renew-at': { type: 'string' },
  },
});
const store = openStore(values.database, values);
const intents = values.intents ? prepareIntentWrites(store) : undefined;
const usage = prepareUsage(store);
const prefix = '/api/v1';
// The batch size of the product.
const renewalsPerCommit = 50;
if (values.billed) await renewBesideRequests(values.billed, Date.parse(values['renew-at']));

/** Documents are identified by their text: a server without GraphQL would have a route for each. */
const operations = new Map([
  [pointQuery, ({ id }) => ({ customer: store.customer(id) })],
  [nestedQuery, ({ first, after }) => ({ products: nested(first, after) })],
  [createMutation, async ({ input }) => ({ createCustomer: await store.createCustomer(input) })],
  [confirmMutation, async ({ id }) => ({ confirmIntent: await intents.confirmIntent(id) })],
]);

const writes = {
  [`${prefix}/customers`]: (body) => store.createCustomer(body),
  [`${prefix}/subscriptions/intent`]: (body) => intents.createIntent(body),
  [`${prefix}/usage`]: (body) => usage.recordUsage(body),
  [`${prefix}/reservations`]: (body) => usage.reserve(body),
};

const isAllowed = values.checked ? keyCheck() : () => true;

createServer((request, response) => {
  if (!isAllowed(request.headers['api-key'])) return send(response, 401, '');
  if (request.method === 'GET') return send(response, 200, JSON.stringify(read(request.url)));
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => void write(request, response, JSON.parse(Buffer.concat(chunks).toString())));
}).listen(Number(values.port), '127.0.0.1');

async function write(request, response, body) {
  if (request.url === '/graphql') {
    const data = await operations.get(body.query)(body.variables);
    return send(response, 200, JSON.stringify({ data }));
  }
  const made = await writes[request.url](body);
  return send(response, 201, JSON.stringify(made));
}

function read(url) {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const limit = Number(searchParams.get('limit') ?? 10);
  const cursor = searchParams.get('cursor');
  if (pathname === `${prefix}/customers`) {
    const { rows, nextCursor } = store.customers(limit, cursor);
    return { data: rows, nextCursor };
  }
  if (pathname === `${prefix}/traces/timeframe`) {
    return store.traces(searchParams.get('startDate'), limit, cursor, searchParams.get('order') ?? 'desc');
  }
  const [, , , , productId, kind, priceId] = pathname.split('/');
  if (kind === 'entitlements') return usage.check(productId, priceId, searchParams.get('amount'));
  return priceId === undefined ? {} : store.price(productId, priceId);
}

function nested(first, after) {
  const { nodes, pageInfo } = store.products(first, after);
  const groups = store.groups(nodes.map(({ groupId }) => groupId));
  const prices = store.prices(nodes.map(({ id }) => id));
  const shown = nodes.map(({ groupId, ...product }) => ({
    ...product,
    group: groups.get(groupId) ?? null,
    prices: prices.get(product.id).map(({ id, details, recurring: { period, frequency } }) => ({
      id,
      details,
      recurring: { period, frequency },
    })),
  }));
  return { nodes: shown, pageInfo };
}

function send(response, status, text) {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  };
  response.writeHead(status, headers).end(text);
}

/** Writes renewals between requests. */
async function renewBesideRequests(file, atMs) {
  const { querySqlite, findRenewals, renewOnSqlite, stampPayments } = await import('./renewals.mjs');
  const billed = new Database(file, { readonly: true });
  const renewals = await findRenewals(querySqlite(billed), querySqlite(store.reader));
  billed.close();
  const renew = renewOnSqlite(store.writer, renewals);
  let from = 0;
  const step = () => {
    const to = Math.min(from + renewalsPerCommit, renewals.count);
    stampPayments(renewals, from, to);
    renew(from, to);
    from = to;
    if (from < renewals.count) setImmediate(step);
  };
  setTimeout(step, Math.max(0, atMs - Date.now()));
}

function keyCheck() {
  const find = store.reader.prepare(
    'SELECT secret_hash, expires_at, revoked_at FROM api_keys WHERE tenant_alias = ? AND id = ?',
  );
  return (key) => {
    const [, alias, id, secret] = /^prn_([a-z0-9-]+)_([0-9a-z]{12})_([0-9a-z]{40})$/.exec(key ?? '') ?? [];
    const known = id && find.get(alias, id);
    if (!known || known.revoked_at !== null) return false;
    if (known.expires_at !== null && known.expires_at <= new Date().toISOString()) return false;
    const hash = createHash('sha256').update(secret).digest();
    return timingSafeEqual(hash, Buffer.from(known.secret_hash, 'hex'));
  };
}
