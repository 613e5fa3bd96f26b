// The floor of renewals: copies the rows that the product has written in one database to another, and prints the
// cost.
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { withClient } from '../parts/servers/postgres.mjs';
import { cpuMicros } from '../parts/servers/processes.mjs';
import { queryPostgres, querySqlite, findRenewals, renewOnPostgres, renewOnSqlite } from './renewals.mjs';
import { configureWriter } from './store.mjs';

// The largest commits of the product.
const unitsPerCommit = { sqlite: 100, postgres: 50 };

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    billed: { type: 'string' },
    unbilled: { type: 'string' },
    /** A database server whose CPU time is included. */
    'server-pid': { type: 'string' },
  },
});
const counted = [process.pid, ...(values['server-pid'] ? [Number(values['server-pid'])] : [])];

console.log(JSON.stringify(await (values.engine === 'postgres' ? onServer() : onFile())));

async function onFile() {
  const source = new Database(values.billed, { readonly: true });
  const target = new Database(values.unbilled);
  configureWriter(target);
  const renewals = await findRenewals(querySqlite(source), querySqlite(target));
  source.close();
  return measured(renewals.count, unitsPerCommit.sqlite, renewOnSqlite(target, renewals));
}

function onServer() {
  return withClient(values.unbilled, async (target) => {
    const renewals = await withClient(values.billed, (source) =>
      findRenewals(queryPostgres(source), queryPostgres(target)),
    );
    return measured(renewals.count, unitsPerCommit.postgres, renewOnPostgres(target, renewals));
  });
}

async function measured(count, perCommit, renew) {
  const [begunAt, before] = [performance.now(), cpuMicros(counted)];
  for (let from = 0; from < count; from += perCommit) await renew(from, Math.min(from + perCommit, count));
  const seconds = (performance.now() - begunAt) / 1000;
  return { count, seconds, cpuMicros: before === undefined ? undefined : cpuMicros(counted) - before };
}
