import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { toInstant } from '../instants.ts';
import type { Clock } from '../clock.ts';
import { migratePostgres, type Migration } from './migrate.ts';
import { translate } from './postgresErrors.ts';
import { tenantQueues } from './postgresUnits.ts';
import { Queries, type Driver } from './queries.ts';
import type { Store } from './store.ts';
import { postgres } from './tables.postgres.ts';

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;
/** A rule that awaits something other than its queries holds a lock: the server ends it. */
const idleInUnitTimeoutMs = 10_000;
const claimMs = 60_000;

export interface PostgresOptions {
  url: string;
  /** Where reads go that may be a moment old. */
  replicaUrl?: string;
  migrations: Migration[];
  /** How many connections to each server. */
  connections: number;
  clock: Clock;
}

/** Connects to the database and brings it to this release's tables. Fails with a plain message when it cannot. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const primary = poolOf(options.url, options.connections);
  const replica = options.replicaUrl ? poolOf(options.replicaUrl, options.connections) : undefined;
  try {
    await migratePostgres(primary, options.migrations);
    const collation = await foldingCollation(primary);
    return storeOf(primary, replica, collation, options.clock);
  } catch (error) {
    await Promise.all([primary.end(), replica?.end()]);
    throw error;
  }
}

/** Brings the database at an address to the newest step; answers the tags it performed. */
export async function migratePostgresAt(url: string, migrations: Migration[]): Promise<string[]> {
  const pool = poolOf(url, 1);
  try {
    return await migratePostgres(pool, migrations);
  } finally {
    await pool.end();
  }
}

function poolOf(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInUnitTimeoutMs,
    keepAlive: true,
    options: '-c timezone=UTC',
  });
  // An idle connection that the server closes is replaced when it is needed; without a listener it ends the process.
  pool.on('error', () => {});
  return pool;
}

/** A collation that knows upper and lower case in every alphabet; which one a server has depends on its build. */
async function foldingCollation(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ collname: string }>(
    `SELECT collname FROM pg_collation WHERE collname IN ('und-x-icu', 'pg_c_utf8') ORDER BY collname DESC`,
  );
  return rows[0]?.collname ?? 'default';
}

function storeOf(primary: pg.Pool, replica: pg.Pool | undefined, collation: string, clock: Clock): Store {
  const fresh = new Queries(driver(primary, collation));
  const committed = replica ? new Queries(driver(replica, collation)) : fresh;
  const byConnection = new WeakMap<pg.PoolClient, Queries>();
  const queriesOf = (client: pg.PoolClient) => {
    const known = byConnection.get(client);
    if (known) return known;
    const made = new Queries(driver(client, collation));
    byConnection.set(client, made);
    return made;
  };
  const units = tenantQueues(primary, queriesOf);
  return {
    committed,
    fresh,
    transact: units.run,
    claim: async (tenantAlias, name, selection) => {
      const nowMs = clock.nowMs();
      const own = { ...selection, where: { ...selection.where, tenantAlias } };
      return fresh.claim(name, own, toInstant(nowMs), toInstant(nowMs + claimMs));
    },
    ping: async () => {
      await primary.query('SELECT 1').catch((error: unknown) => {
        throw translate(error);
      });
    },
    close: async () => {
      await units.idle();
      await Promise.all([primary.end(), replica?.end()]);
    },
  };
}

function driver(client: pg.Pool | pg.PoolClient, collation: string): Driver {
  const run = async (prepared: any, values: Record<string, unknown>) => {
    try {
      return await prepared.execute(values);
    } catch (error) {
      throw translate(error);
    }
  };
  return {
    tables: postgres,
    builder: drizzle(client),
    prepare: (built, shape) => built.prepare(nameOf(shape)),
    lower: (column) => sql`lower(${column} collate ${sql.identifier(collation)})`,
    all: run,
    run: async (prepared, values) => (await run(prepared, values)).rowCount ?? 0,
  };
}

/** The server cuts longer names, and would take two statements for one. */
const nameOf = (shape: string) => createHash('sha1').update(shape).digest('hex');
