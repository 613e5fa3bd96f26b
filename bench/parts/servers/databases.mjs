// The data that each server is started on: a copy of what was seeded, in its own kind of database.
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fillTracesOnPostgres, fillTracesOnSqlite } from '../workloads/traces.mjs';

const onPostgres = new Set(['perennial-postgres', 'floor-postgres', 'postgraphile']);

/** The kind of database that a server needs. */
export function engineOf(name) {
  if (name === 'vendure') return 'vendure';
  return onPostgres.has(name) ? 'postgres' : 'sqlite';
}

/** `services` has what was started beside the file. */
export function databasesOf({ folder, seeded, size, services }) {
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
    /** A new copy of what was seeded, or of another database (by its name on PostgreSQL, its path on SQLite). */
    copy: (engine, name, from) => copies[engine](name, from),
    /** The one to start a workload's server on; those that only read the many traces share them. */
    of: (workload, variant) => {
      const engine = engineOf(variant);
      if (workload.filled === 'traces') return (withTraces[engine] ??= makeTraces(engine));
      return copies[engine](`${workload.name}-${variant}`);
    },
  };
}
