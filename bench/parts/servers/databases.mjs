// The databases of the servers: copies of the seeded data, on SQLite or PostgreSQL.
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fillDueOnPostgres, fillDueOnSqlite } from '../data/due.mjs';
import { listRichStatements } from '../data/rich.mjs';
import { fillTracesOnPostgres, fillTracesOnSqlite } from '../workloads/traces.mjs';

const listedSubscriptions = 1000;
const notDue = '2100-01-01T00:00:00.000Z';
const onPostgres = new Set(['perennial-postgres', 'reference-postgres', 'floor-postgres', 'postgraphile']);

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
  const dueFills = { sqlite: fillDueOnSqlite, postgres: fillDueOnPostgres };
  const fill = {
    traces: (engine, database) => fills[engine](database, size.traces),
    subscriptions: (engine, database) =>
      dueFills[engine](database, listedSubscriptions, notDue, listRichStatements()),
  };
  const filled = {};
  const makeFilled = async (name, engine, owner) => {
    const database = await copies[engine](owner === engine ? name : `${name}-${owner}`);
    await fill[name](engine, database);
    return database;
  };
  return {
    /** Copies the seeded database, or another one (its name on PostgreSQL, its path on SQLite). */
    copy: (engine, name, from) => copies[engine](name, from),
    /** Returns the database for a workload's server; workloads that only read a filled database share it. */
    getFor: (workload, variant) => {
      const engine = getEngine(variant);
      const { filled: name } = workload;
      // One server has a SQLite file; a reference has its own.
      const owner = variant.startsWith('reference') ? variant : engine;
      if (name) return (filled[`${name} ${owner}`] ??= makeFilled(name, engine, owner));
      return copies[engine](`${workload.name}-${variant}`);
    },
  };
}
