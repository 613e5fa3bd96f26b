// Renewals by hand-written statements: the very rows that the product has left when it has billed, once more.

/** The subscriptions of `parts/due.mjs`: the product's own ids begin with a moment. */
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
 * What the billed database has more than the unbilled one, in the order in which it was written. Each is asked by a
 * function that answers the `columns` and `rows` (arrays) of a query.
 */
export async function renewalsIn(billed, unbilled) {
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

/** The statements, by table. */
function statementsOf({ inserts }, markOf) {
  const statements = {};
  for (const { table, columns } of inserts) {
    const values = columns.map((_, index) => markOf(index));
    statements[table] = `INSERT INTO ${table} (${columns.join()}) VALUES (${values.join()})`;
  }
  const set = changed.map((column, index) => `${column} = ${markOf(index)}`);
  const [tenant, id] = [markOf(changed.length), markOf(changed.length + 1)];
  statements.subscriptions = `UPDATE subscriptions SET ${set.join()} WHERE tenant_alias = ${tenant} AND id = ${id}`;
  return statements;
}

/** What the renewals from one number up to another write: tables and values. */
function* writesOf({ inserts, subscriptions }, from, to) {
  for (let index = from; index < to; index++) {
    for (const { table, rows, perRenewal } of inserts) {
      for (let row = index * perRenewal; row < (index + 1) * perRenewal; row++) yield [table, rows[row]];
    }
    yield ['subscriptions', subscriptions[index]];
  }
}

/** Asks a file of SQLite. */
export const askSqlite = (database) => async (text) => {
  const statement = database.prepare(text);
  return { columns: statement.columns().map(({ name }) => name), rows: statement.raw().all() };
};

/** Asks a database of PostgreSQL. */
export const askPostgres = (client) => async (text) => {
  const { fields, rows } = await client.query({ text, rowMode: 'array' });
  return { columns: fields.map(({ name }) => name), rows };
};

/** Answers how to write the renewals from one number up to another, in one transaction. */
export function renewOnSqlite(writer, renewals) {
  const texts = statementsOf(renewals, marks.sqlite);
  const prepared = Object.fromEntries(
    Object.entries(texts).map(([table, text]) => [table, writer.prepare(text)]),
  );
  const [begin, commit] = [writer.prepare('BEGIN IMMEDIATE'), writer.prepare('COMMIT')];
  return (from, to) => {
    begin.run();
    for (const [table, values] of writesOf(renewals, from, to)) prepared[table].run(values);
    commit.run();
  };
}

/** The same on PostgreSQL, by one connection. */
export function renewOnPostgres(client, renewals) {
  const texts = statementsOf(renewals, marks.postgres);
  return async (from, to) => {
    await client.query('BEGIN');
    for (const [table, values] of writesOf(renewals, from, to)) {
      await client.query({ name: table, text: texts[table], values });
    }
    await client.query('COMMIT');
  };
}

/** Payments say when they were made: they are made now. */
export function stampPayments({ inserts }, from, to) {
  const { rows, columns, perRenewal } = inserts.find(({ table }) => table === 'payments');
  const column = columns.indexOf('created_at');
  const now = new Date().toISOString();
  for (const row of rows.slice(from * perRenewal, to * perRenewal)) row[column] = now;
}
