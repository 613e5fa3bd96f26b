// Writes renewals with SQL statements: the rows that the product has written while billing.

/** The copies made by `parts/data/due.mjs`; the product's own ids begin with a time. */
const isCopied = "substr(id, 5, 10) = '0000000000'";
const tables = { invoices: 'id', invoice_lines: 'id', payments: 'id', traces: 'event_id' };
const changed = [
  'billed_count',
  'current_period_start',
  'current_period_end',
  'next_billing_date',
  'due_at',
  'updated_at',
];
const marks = { sqlite: () => '?', postgres: (index) => `$${index + 1}` };

/**
 * Returns the rows that the billed database has in addition to the unbilled one, in the order of their insertion.
 * `billed` and `unbilled` run a query and return its `columns` and `rows` (arrays).
 */
export async function findRenewals(billed, unbilled) {
  const { rows: subscriptions } = await billed(
    `SELECT ${changed.join()}, tenant_alias, id FROM subscriptions WHERE ${isCopied} AND billed_count > 0 ORDER BY id`,
  );
  const count = subscriptions.length;
  const inserts = [];
  for (const [table, key] of Object.entries(tables)) {
    const { rows: before } = await unbilled(`SELECT max(${key}) FROM ${table}`);
    const { columns, rows } = await billed(
      `SELECT * FROM ${table} WHERE ${key} > '${before[0][0]}' ORDER BY ${key}`,
    );
    const perRenewal = rows.length / count;
    if (!Number.isInteger(perRenewal)) {
      throw new Error(`${rows.length} rows of ${table} are not those of ${count} renewals.`);
    }
    inserts.push({ table, columns, rows, perRenewal });
  }
  return { count, inserts, subscriptions };
}

/** Builds the statements, by table. */
function buildStatements({ inserts }, formatMark) {
  const statements = {};
  for (const { table, columns } of inserts) {
    const values = columns.map((_, index) => formatMark(index));
    statements[table] = `INSERT INTO ${table} (${columns.join()}) VALUES (${values.join()})`;
  }
  const set = changed.map((column, index) => `${column} = ${formatMark(index)}`);
  const [tenant, id] = [formatMark(changed.length), formatMark(changed.length + 1)];
  statements.subscriptions = `UPDATE subscriptions SET ${set.join()} WHERE tenant_alias = ${tenant} AND id = ${id}`;
  return statements;
}

/** Lists the writes of the renewals in a range of numbers: tables and values. */
function* listWrites({ inserts, subscriptions }, from, to) {
  for (let index = from; index < to; index++) {
    for (const { table, rows, perRenewal } of inserts) {
      for (let row = index * perRenewal; row < (index + 1) * perRenewal; row++) yield [table, rows[row]];
    }
    yield ['subscriptions', subscriptions[index]];
  }
}

/** Returns a function that queries a SQLite database. */
export const querySqlite = (database) => async (text) => {
  const statement = database.prepare(text);
  return { columns: statement.columns().map(({ name }) => name), rows: statement.raw().all() };
};

/** Returns a function that queries a PostgreSQL database. */
export const queryPostgres = (client) => async (text) => {
  const { fields, rows } = await client.query({ text, rowMode: 'array' });
  return { columns: fields.map(({ name }) => name), rows };
};

/** Returns a function that writes a range of renewals in one transaction. */
export function renewOnSqlite(writer, renewals) {
  const texts = buildStatements(renewals, marks.sqlite);
  const prepared = Object.fromEntries(
    Object.entries(texts).map(([table, text]) => [table, writer.prepare(text)]),
  );
  const [begin, commit] = [writer.prepare('BEGIN IMMEDIATE'), writer.prepare('COMMIT')];
  return (from, to) => {
    begin.run();
    for (const [table, values] of listWrites(renewals, from, to)) prepared[table].run(values);
    commit.run();
  };
}

/** The same on PostgreSQL, with one connection. */
export function renewOnPostgres(client, renewals) {
  const texts = buildStatements(renewals, marks.postgres);
  return async (from, to) => {
    await client.query('BEGIN');
    for (const [table, values] of listWrites(renewals, from, to)) {
      await client.query({ name: table, text: texts[table], values });
    }
    await client.query('COMMIT');
  };
}

/** Sets the times of payments to now. */
export function stampPayments({ inserts }, from, to) {
  const { rows, columns, perRenewal } = inserts.find(({ table }) => table === 'payments');
  const column = columns.indexOf('created_at');
  const now = new Date().toISOString();
  for (const row of rows.slice(from * perRenewal, to * perRenewal)) row[column] = now;
}
