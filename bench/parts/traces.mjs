// A file with as many traces as a busy tenant has after years: copies of one that the product has written, spread
// over the time before it.
import { copyFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { alias } from '../peers/store.mjs';

const rowsPerCommit = 500_000;
const years = 5;

/** Copies the seeded file and fills the copy. */
export function fillTraces(seeded, file, count) {
  copyFileSync(seeded, file);
  const target = new Database(file);
  // Nobody else reads it yet, and a broken one is made anew.
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -262144'])
    target.pragma(setting);
  const insert = target.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT @from UNION ALL SELECT n + 1 FROM numbers WHERE n < @to)
     INSERT INTO traces
       (tenant_alias, event_id, trace_id, parent_id, is_root, executor_id, activity_type, payload, created_at)
     SELECT '${alias}', printf('evt_%026d', n), printf('%032x', n), NULL, 1, executor_id, activity_type, payload,
       strftime('%Y-%m-%dT%H:%M:%fZ', @begin + n * @step)
     FROM numbers, (SELECT * FROM traces WHERE activity_type = 'CustomerEvent' ORDER BY event_id LIMIT 1)`,
  );
  const end = target.prepare('SELECT julianday(min(created_at)) FROM traces').pluck().get() - 1;
  const begin = end - years * 365;
  for (let from = 0; from < count; from += rowsPerCommit) {
    const to = Math.min(from + rowsPerCommit, count) - 1;
    insert.run({ from, to, begin, step: (end - begin) / count });
  }
  target.pragma('journal_mode = WAL');
  target.close();
}
