// Creates as many traces as a busy tenant has after years: copies of a trace that the product has written, with
// earlier times.
import Database from 'better-sqlite3';
import { alias } from '../../peers/store.mjs';
import { withClient } from '../servers/postgres.mjs';

const rowsPerStatement = 500_000;
const dayMs = 86_400_000;
const years = 5;
const columns =
  'tenant_alias, event_id, trace_id, parent_id, is_root, executor_id, activity_type, payload, created_at';
const model =
  "(SELECT * FROM traces WHERE activity_type = 'CustomerEvent' ORDER BY event_id LIMIT 1) AS model";

/** Spreads the times in whole milliseconds, so that both databases compute the same ones. */
function spread(oldest, count) {
  const endMs = Date.parse(oldest) - dayMs;
  const beginMs = endMs - years * 365 * dayMs;
  return { beginMs, stepMs: Math.floor((endMs - beginMs) / count) };
}

function* parts(count) {
  for (let from = 0; from < count; from += rowsPerStatement) {
    yield { from, to: Math.min(from + rowsPerStatement, count) - 1 };
  }
}

/** Fills the seeded SQLite file. */
export function fillTracesOnSqlite(file, count) {
  const target = new Database(file);
  // The file has no readers yet, and is created again after a failure.
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -262144'])
    target.pragma(setting);
  const insert = target.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT @from UNION ALL SELECT n + 1 FROM numbers WHERE n < @to)
     INSERT INTO traces (${columns})
     SELECT '${alias}', printf('evt_%026d', n), printf('%032x', n), NULL, 1, executor_id, activity_type, payload,
       strftime('%Y-%m-%dT%H:%M:%fZ', (@beginMs + n * @stepMs) / 1000.0, 'unixepoch')
     FROM numbers, ${model}`,
  );
  const oldest = target.prepare('SELECT min(created_at) FROM traces').pluck().get();
  for (const part of parts(count)) insert.run({ ...part, ...spread(oldest, count) });
  target.pragma('journal_mode = WAL');
  target.close();
}

/** Fills the seeded PostgreSQL database at an address. */
export function fillTracesOnPostgres(address, count) {
  return withClient(address, async (client) => {
    // Disables the check of the foreign key to the tenant for each row.
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
    const { rows } = await client.query(
      'SELECT to_char(min(created_at) AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\') AS oldest FROM traces',
    );
    const { beginMs, stepMs } = spread(rows[0].oldest, count);
    for (const { from, to } of parts(count)) {
      await client.query(
        `INSERT INTO traces (${columns})
         SELECT '${alias}', 'evt_' || lpad(n::text, 26, '0'), lpad(to_hex(n), 32, '0'), NULL, true, executor_id,
           activity_type, payload, to_timestamp((${beginMs} + n * ${stepMs}::bigint) / 1000.0)
         FROM generate_series(${from}, ${to}) AS n, ${model}`,
      );
    }
    await client.query('VACUUM ANALYZE traces');
  });
}
