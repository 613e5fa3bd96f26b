// Reads and writes the product's SQLite file with plain SQL statements, for the floor and the other servers.
import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';

const checkpointPages = 10_000;
/** The data only has currencies with two decimals. */
const minorPerMajor = 100;

export const alias = 'bench';

/** Opens the file with one connection to read and one to write. Results have the format of the interface. */
export function openStore(file, { grouped = false } = {}) {
  const writer = new Database(file);
  configureWriter(writer);
  const reader = new Database(file, { readonly: true });
  const commit = grouped ? groupCommits(writer) : commitAtOnce(writer);
  return { reader, writer, commit, ...prepareReads(reader), ...prepareCustomerWrites(writer, commit) };
}

/** Sets the product's settings for writing. */
export function configureWriter(writer) {
  for (const setting of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    `wal_autocheckpoint = ${checkpointPages}`,
  ]) {
    writer.pragma(setting);
  }
}

function prepareReads(reader) {
  const page = (columns, table, key) => {
    const from = `SELECT ${columns} FROM ${table} WHERE tenant_alias = '${alias}'`;
    const prepareStatements = preparePerLimit((most) => {
      const order = `ORDER BY created_at DESC, ${key} DESC LIMIT ${most}`;
      return {
        first: reader.prepare(`${from} ${order}`),
        next: reader.prepare(`${from} AND (created_at, ${key}) < (?, ?) ${order}`),
      };
    });
    return (limit, cursor) => {
      const { first, next } = prepareStatements(limit + 1);
      const rows = cursor ? next.all(...readCursor(cursor)) : first.all();
      const isLast = rows.length <= limit;
      if (!isLast) rows.pop();
      return { rows, nextCursor: isLast ? null : writeCursor(rows.at(-1)) };
    };
  };
  const customerColumns =
    'id, first_name AS firstName, last_name AS lastName, email, associated_id AS associatedId';
  const customers = page(`${customerColumns}, created_at AS createdAt`, 'customers', 'id');
  const customer = reader.prepare(
    `SELECT ${customerColumns}, tenant_alias AS tenantAlias, metadata, created_at AS createdAt
     FROM customers WHERE tenant_alias = '${alias}' AND id = ?`,
  );
  const priceColumns = `id, product_id AS productId, created_at AS createdAt, updated_at AS updatedAt,
    amount_minor AS amountMinor, currency, frequency, period, execution_date AS executionDate`;
  const price = reader.prepare(
    `SELECT ${priceColumns} FROM prices WHERE tenant_alias = '${alias}' AND id = ? AND product_id = ?`,
  );
  const products = page(
    'id, group_id AS groupId, name, description, active, created_at AS createdAt',
    'products',
    'id',
  );
  const groups = reader.prepare(
    `SELECT id, name FROM groups WHERE tenant_alias = '${alias}' AND id IN (SELECT value FROM json_each(?))`,
  );
  const prices = reader.prepare(
    `SELECT ${priceColumns} FROM prices
     WHERE tenant_alias = '${alias}' AND product_id IN (SELECT value FROM json_each(?)) ORDER BY product_id, created_at, id`,
  );
  const traces = prepareTraces(reader);
  return {
    customers,
    customer: (id) => {
      const row = customer.get(id);
      return row && { ...row, metadata: JSON.parse(row.metadata) };
    },
    price: (productId, id) => {
      const row = price.get(id, productId);
      return row && formatPrice(row);
    },
    products: (first, after) => {
      const { rows, nextCursor } = products(first, after);
      const nodes = rows.map((row) => ({ ...row, active: row.active === 1 }));
      const endCursor = nodes.length ? writeCursor(nodes.at(-1)) : null;
      return { nodes, pageInfo: { hasNextPage: nextCursor !== null, endCursor } };
    },
    /** Returns the groups with these ids, by id. */
    groups: (ids) => new Map(groups.all(JSON.stringify(ids)).map((row) => [row.id, row])),
    /** Returns the prices of these products, by product. */
    prices: (ids) => {
      const found = new Map(ids.map((id) => [id, []]));
      for (const row of prices.all(JSON.stringify(ids))) found.get(row.productId).push(formatPrice(row));
      return found;
    },
    traces,
  };
}

/** Prepares a statement for each limit: SQLite plans a statement again whenever a parameter of its LIMIT is bound. */
function preparePerLimit(prepare) {
  const prepared = new Map();
  return (limit) => {
    const known = prepared.get(limit) ?? prepare(limit);
    prepared.set(limit, known);
    return known;
  };
}

function prepareTraces(reader) {
  const columns = `tenant_alias AS tenantAlias, trace_id AS traceId, event_id AS eventId, executor_id AS executorId,
    parent_id AS parentId, is_root AS isRoot, activity_type AS activityType, payload, created_at AS createdAt`;
  const from = `SELECT ${columns} FROM traces WHERE tenant_alias = '${alias}' AND created_at >= ?`;
  const sortRows = (direction, beyond) =>
    preparePerLimit((most) => {
      const order = `ORDER BY created_at ${direction}, event_id ${direction} LIMIT ${most}`;
      return {
        first: reader.prepare(`${from} ${order}`),
        next: reader.prepare(`${from} AND (created_at, event_id) ${beyond} (?, ?) ${order}`),
      };
    });
  const ordered = { asc: sortRows('ASC', '>'), desc: sortRows('DESC', '<') };
  return (startDate, limit, cursor, order) => {
    const { first, next } = ordered[order](limit + 1);
    const rows = cursor ? next.all(startDate, ...readCursor(cursor)) : first.all(startDate);
    const isLast = rows.length <= limit;
    if (!isLast) rows.pop();
    const data = rows.map((row) => ({ ...row, isRoot: row.isRoot === 1, payload: JSON.parse(row.payload) }));
    const last = data.at(-1);
    return { data, nextCursor: isLast ? null : writeCursor({ createdAt: last.createdAt, id: last.eventId }) };
  };
}

const formatPrice = ({ amountMinor, currency, frequency, period, executionDate, ...price }) => ({
  ...price,
  recurring: { executionDate, period, frequency },
  details: { amount: amountMinor / minorPerMajor, currency },
});

const writeCursor = ({ createdAt, id }) => Buffer.from(`${createdAt}|${id}`).toString('base64url');
const readCursor = (cursor) => Buffer.from(cursor, 'base64url').toString().split('|');

/** Prepares the insertion of a customer and its trace, as the product writes them. */
function prepareCustomerWrites(writer, commit) {
  const insert = writer.prepare(
    `INSERT INTO customers (tenant_alias, id, associated_id, first_name, last_name, email, metadata, created_at, updated_at)
     VALUES ('${alias}', ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant_alias, associated_id) DO NOTHING`,
  );
  const insertTrace = prepareTraceInsert(writer);
  const create = ({ associatedId, firstName, lastName, email, metadata = {} }) => {
    const createdAt = new Date().toISOString();
    const id = createId('cus');
    const { changes } = insert.run(
      id,
      associatedId,
      firstName,
      lastName,
      email,
      JSON.stringify(metadata),
      createdAt,
      createdAt,
    );
    if (changes === 0) return null;
    const customer = {
      id,
      firstName,
      lastName,
      email,
      associatedId,
      tenantAlias: alias,
      metadata,
      createdAt,
    };
    insertTrace('CustomerEvent', createdAt, {
      action: 'created',
      resourceId: id,
      object: customer,
      changes: {},
    });
    return customer;
  };
  return {
    /** Resolves after the commit; null if the associated id exists. */
    createCustomer: (input) => commit(() => create(input)),
  };
}

/** Prepares the insertion of traces. */
export function prepareTraceInsert(writer) {
  const insert = writer.prepare(
    `INSERT INTO traces (tenant_alias, event_id, trace_id, parent_id, is_root, executor_id, activity_type, payload, created_at)
     VALUES ('${alias}', ?, ?, NULL, 1, 'bench', ?, ?, ?)`,
  );
  return (activityType, createdAt, payload) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    insert.run(createId('evt'), randomBytes(16).toString('hex'), activityType, text, createdAt);
  };
}

let counter = 0;

/** Creates an id in the product's format; new ids are at the end of every index. */
export const createId = (prefix) =>
  `${prefix}_${Date.now().toString(36).padStart(10, '0')}${(counter++).toString(36).padStart(16, '0')}`;

function commitAtOnce(writer) {
  const transaction = writer.transaction((work) => work());
  return (work) => transaction.immediate(work);
}

/** Commits all writes of one event-loop turn together. */
function groupCommits(writer) {
  const [begin, end] = [writer.prepare('BEGIN IMMEDIATE'), writer.prepare('COMMIT')];
  let waiting = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    begin.run();
    const values = batch.map(({ work }) => work());
    end.run();
    for (const [index, { resolve }] of batch.entries()) resolve(values[index]);
  };
  return (work) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ work, resolve });
    });
}
