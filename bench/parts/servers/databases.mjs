// The databases of the servers: copies of the seeded data, on SQLite or PostgreSQL.
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fillTracesOnPostgres, fillTracesOnSqlite } from '../workloads/traces.mjs';

const onPostgres = new Set(['perennial-postgres', 'floor-postgres', 'postgraphile']);

/** Returns the kind of database that a server needs. */
export function getEngine(name) {
  if (name === 'vendure') return 'vendure';
  return onPostgres.has(name) ? 'postgres' : 'sqlite';
}

/** Creates the access to databases. `services` are the servers started in addition to the file. */
export function createDatabases({ folder, seeded, size, services }) {
  const copies = {
    sqlite: async (name, from = seeded) => {
      const file = path.join(folder, `${name}.db`);
      copyFileSync(from, file);
      return file;
    },
    postgres: (name, from) => services.postgres.copy(name, from),
    vendure: async () => services.vendure.database,
  };
  const fills = { sqlite: fillTracesOnSqlite, postgres: fillTracesOnPostgres };
  const withTraces = {};
  const makeTraces = async (engine) => {
    const database = await copies[engine]('traces');
    await fills[engine](database, size.traces);
    return database;
  };
  return {
    /** Copies the seeded database, or another one (its name on PostgreSQL, its path on SQLite). */
    copy: (engine, name, from) => copies[engine](name, from),
    /** Returns the database for a workload's server; workloads that only read the large list of traces share it. */
    getFor: (workload, variant) => {
      const engine = getEngine(variant);
      if (workload.filled === 'traces') return (withTraces[engine] ??= makeTraces(engine));
      return copies[engine](`${workload.name}-${variant}`);
    },
  };
}
