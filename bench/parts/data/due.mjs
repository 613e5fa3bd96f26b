// Creates subscriptions that are all due at the same time, each for its own customer: copies of a subscription that
// the product has created, before its first renewal.
import Database from 'better-sqlite3';
import { withClient } from '../servers/postgres.mjs';

const dialects = {
  sqlite: {
    id: (prefix) => `printf('${prefix}_%026d', n)`,
    instant: (at) => `'${at}'`,
    numbers: (count) =>
      `(WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${count}) SELECT n FROM series)`,
  },
  postgres: {
    id: (prefix) => `'${prefix}_' || lpad(n::text, 26, '0')`,
    instant: (at) => `'${at}'::timestamptz`,
    numbers: (count) => `generate_series(1, ${count})`,
  },
};

/** Fills a seeded SQLite file, and runs further `statements`. */
export function fillDueOnSqlite(file, count, at, statements = []) {
  const target = new Database(file);
  target.transaction(() => {
    for (const table of Object.keys(copied)) {
      const columns = target.pragma(`table_info(${table})`).map(({ name }) => name);
      target.exec(buildInsert(dialects.sqlite, { table, columns, count, at }));
    }
    for (const statement of statements) target.exec(statement);
  })();
  target.pragma('wal_checkpoint(TRUNCATE)');
  target.close();
}

/** Fills a seeded PostgreSQL database, and runs further `statements`. */
export function fillDueOnPostgres(address, count, at, statements = []) {
  return withClient(address, async (client) => {
    for (const table of Object.keys(copied)) {
      const { fields } = await client.query(`SELECT * FROM ${table} LIMIT 0`);
      const columns = fields.map(({ name }) => name);
      await client.query(buildInsert(dialects.postgres, { table, columns, count, at }));
    }
    for (const statement of statements) await client.query(statement);
    await client.query('VACUUM ANALYZE');
  });
}

const subscriber = '(SELECT customer_id FROM subscriptions ORDER BY id DESC LIMIT 1)';

/** Columns that differ in each copy. */
const copied = {
  customers: { model: `id = ${subscriber}`, own: ({ id }) => ({ id: id('cus'), associated_id: id('own') }) },
  payment_methods: {
    model: `customer_id = ${subscriber}`,
    own: ({ id }) => ({ id: id('pm'), customer_id: id('cus') }),
  },
  subscriptions: {
    model: `customer_id = ${subscriber}`,
    own: ({ id, instant }, at) => ({
      id: id('sub'),
      customer_id: id('cus'),
      payment_intent_id: id('int'),
      payment_method_id: id('pm'),
      anchor: instant(at),
      starts_at: instant(at),
      first_billing_date: instant(at),
      next_billing_date: instant(at),
      due_at: instant(at),
      current_period_start: 'NULL',
      current_period_end: 'NULL',
      billed_count: '0',
    }),
  },
};

function buildInsert(dialect, { table, columns, count, at }) {
  const { model, own } = copied[table];
  const owned = own(dialect, at);
  const values = columns.map((column) => owned[column] ?? column);
  return `INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()}
    FROM ${dialect.numbers(count)} AS numbers${dialect === dialects.postgres ? '(n)' : ''},
      (SELECT * FROM ${table} WHERE ${model} LIMIT 1) AS model`;
}
