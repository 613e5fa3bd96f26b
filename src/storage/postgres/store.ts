import type { MaybePromise } from '../../lib/maybePromise.ts';
import { createHash } from 'node:crypto';
import { fillPlaceholders, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { BillingError } from '../../lib/errors.ts';
import { toInstant } from '../../lib/time.ts';
import type { Clock } from '../../lib/clock.ts';
import { parsePostgresAddress, type SessionAttribute } from '../../lib/postgresAddress.ts';
import { distributeTables, readUndistributedTables, type Distribution } from './distribute.ts';
import { isMigratedPostgres, migratePostgres, type Migration } from '../migrate.ts';
import { translatePostgresError } from './errors.ts';
import { isUnanswered, readServerRun } from './commitOutcome.ts';
import { batchReads } from './readBatcher.ts';
import { watchGrowth } from './growth.ts';
import { createPostgresBulkWrites } from './bulkWrites.ts';
import { createClientClass, computeConnectTimeout } from './servers.ts';
import { createPostgresTextIndex } from './textIndex.ts';
import { createMergedSelects } from './mergedSelect.ts';
import { prepareStatement } from './preparedSelect.ts';
import { createPipeline, serverKey, usageKey, type QueryExecutor, type Pipeline } from './pipeline.ts';
import { createPostgresGroupCommit } from './groupCommit.ts';
import { createScanner } from '../scan.ts';
import type { Row } from '../model/rowTypes.ts';
import { Queries, type Driver } from '../query/queries.ts';
import { withoutIds, type Store } from '../store.ts';
import { postgres, measurePostgresJson, postgresHints } from './tables.ts';

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;
const lockTimeoutMs = 5_000;
/** A unit that awaits more than its queries holds a lock; after this time the server ends its transaction. */
const idleInUnitTimeoutMs = 10_000;
/** For a server that vanished without closing the connection; longer than the timeouts of the server itself. */
const responseTimeoutMs = 15_000;
const claimMs = 60_000;
/** Scans have their own connections, so that other requests do not wait for them; a step takes milliseconds. */
const [scanConnections, scanTimeoutMs] = [2, 5000];
const mistrustMs = 10_000;
/** The rest is reserved for reads, however many tenants write. */
const shareOfWrites = 0.75;
/** The number of statements that a connection keeps prepared; further ones are parsed at each call. */
const maxNamed = 500;

export interface PostgresOptions {
  url: string;
  /** The address for reads that may be slightly stale. */
  replicaUrl?: string;
  migrations: Migration[];
  /** The number of connections to each server. */
  connections: number;
  clock: Clock;
}

/** Connects to the database and performs pending migrations. Throws an Error with a plain message if it cannot. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  await migratePostgresAt(options.url, options.migrations);
  const primary = createPool(options.url, options.connections, 'read-write');
  const scanning = createPool(options.url, scanConnections, 'read-write', scanTimeoutMs);
  const replica = options.replicaUrl ? createPool(options.replicaUrl, options.connections, 'any') : undefined;
  try {
    await refuseOtherEncodings(primary);
    return createStore({ primary, replica, scanning }, options);
  } catch (error) {
    await Promise.all([primary.end(), replica?.end(), scanning.end()]);
    throw error;
  }
}

/** Performs the pending migrations on the database at an address; returns their tags. */
export const migratePostgresAt = (url: string, migrations: Migration[]): Promise<string[]> =>
  withClient(url, (client) => migratePostgres(client, migrations));

/** Performs the pending migrations, and distributes the tables by tenant. Throws an Error without Citus. */
export const distributePostgresAt = (url: string, migrations: Migration[]): Promise<Distribution> =>
  withClient(url, async (client) => {
    await migratePostgres(client, migrations);
    return distributeTables(client);
  });

/** Whether this release or another one has migrated the database at an address. */
export const hasOurTables = (url: string): Promise<boolean> => withClient(url, isMigratedPostgres);

/** Returns the tables of a distributed database that are not distributed. */
export const readUndistributedTablesAt = (url: string): Promise<string[]> =>
  withClient(url, readUndistributedTables);

/** Runs work on a separate connection without timeouts: building an index on a large table takes minutes. */
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { address, settings } = buildSettings(url, 'read-write');
  const Client = createClientClass(address);
  const client = new Client(settings);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SET lock_timeout = 0; SET statement_timeout = 0');
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Builds connection settings; `unset` is the role required of several servers if the address sets none. */
function buildSettings(url: string, unset: SessionAttribute) {
  const address = parsePostgresAddress(url, unset);
  const connectionTimeoutMillis = computeConnectTimeout(address, connectTimeoutMs);
  return { address, settings: { connectionString: address.servers[0]!.url, connectionTimeoutMillis } };
}

/** Creates a pool. The address may override the limits: `postgres://…?statement_timeout=2000`. */
function createPool(
  url: string,
  connections: number,
  unset: SessionAttribute,
  longestMs = statementTimeoutMs,
): pg.Pool {
  const { address, settings } = buildSettings(url, unset);
  const pool = new pg.Pool({
    ...settings,
    Client: createClientClass(address),
    application_name: 'perennial',
    max: connections,
    statement_timeout: longestMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInUnitTimeoutMs,
    query_timeout: responseTimeoutMs,
    keepAlive: true,
    pipeline: true,
    onConnect: prepareConnection as unknown as (client: pg.ClientBase) => void,
  });
  // The pool replaces a connection closed by the server when it is needed. Without a listener the error would end the
  // process, and the pool itself listens only on idle connections.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** A connection, which keeps the run of the server to which it was made. */
interface PreparedClient extends pg.ClientBase {
  serverRun?: string | undefined;
}

async function prepareConnection(client: PreparedClient): Promise<void> {
  // The format in which the tables of `postgres/tables.ts` parse instants.
  await client.query("SET timezone = 'UTC'; SET datestyle = 'ISO'");
  client.serverRun = await readServerRun(client);
}

async function refuseOtherEncodings(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]!.server_encoding;
  if (encoding !== 'UTF8')
    throw new Error(`The encoding of the database is ${encoding}; create the database with UTF8.`);
}

interface Pools {
  primary: pg.Pool;
  replica: pg.Pool | undefined;
  /** For reads that no index bounds. */
  scanning: pg.Pool;
}

function createStore({ primary, replica, scanning }: Pools, { clock, connections }: PostgresOptions): Store {
  const nameStatement = createStatementNames();
  const growth = watchGrowth();
  const createDriver = (executor: QueryExecutor, onFailure?: () => void) =>
    growth.watch(buildDriver(executor, nameStatement, onFailure));
  const createQueries = (connection: pg.Pool | pg.PoolClient, onFailure?: () => void) =>
    new Queries(createDriver(toExecutor(connection), onFailure));
  const fresh = createQueries(primary);
  const readable = replica ? createReads(replica, createQueries, fresh, clock) : () => fresh;
  const byConnection = new WeakMap<pg.PoolClient, Pipeline>();
  const getPipeline = (client: pg.PoolClient & PreparedClient) => {
    const pipeline = byConnection.get(client) ?? createPipeline(client, createDriver, client.serverRun);
    byConnection.set(client, pipeline);
    return pipeline;
  };
  const most = Math.floor(connections * shareOfWrites);
  const units = createPostgresGroupCommit({ pool: primary, getPipeline, most });
  return {
    isShared: true,
    get committed() {
      return readable();
    },
    fresh,
    transact: units.run,
    record: async <T>(tenantAlias: string, recording: Recording<T>): Promise<T> => {
      const result = await units.run<T>(usageKey(tenantAlias), recording);
      await growth.renewStatistics((text) => primary.query(text));
      return result;
    },
    transactServer: (unit) => units.run(serverKey, unit),
    scanner: createScanner(createQueries(scanning)),
    textIndex: createPostgresTextIndex(toExecutor(primary)),
    claim: async (tenantAlias, name, selection, passOver) => {
      const nowMs = clock.nowMs();
      const own = { ...selection, where: { ...selection.where, tenantAlias } };
      const claimed = await fresh.claim(name, own, toInstant(nowMs), toInstant(nowMs + claimMs));
      return withoutIds(claimed, passOver);
    },
    snapshot: (work) =>
      runAlone(primary, 'ISOLATION LEVEL REPEATABLE READ READ ONLY', (client) => work(createQueries(client))),
    load: (work) =>
      runAlone(primary, '', (client) =>
        work({ queries: createQueries(client), attempt: (part) => runInSavepoint(client, part) }),
      ),
    // PostgreSQL's own VACUUM removes old row versions.
    purgeOldData: async () => {},
    ping: async () => {
      await primary.query('SELECT 1').catch((error: unknown) => {
        throw translatePostgresError(error);
      });
    },
    close: async () => {
      await units.idle();
      await Promise.all([primary.end(), replica?.end(), scanning.end()]);
    },
  };
}

type Recording<T> = (
  queries: Queries,
  latestUsage: string | undefined,
  tenant: Row<'tenants'> | undefined,
) => MaybePromise<T>;

/** Creates the reads from the replica; they go to the primary for a while after the replica has failed. */
function createReads(
  replica: pg.Pool,
  createQueries: (pool: pg.Pool, onFailure: () => void) => Queries,
  fresh: Queries,
  clock: Clock,
): () => Queries {
  let mistrustedUntilMs = 0;
  const reads = createQueries(replica, () => {
    mistrustedUntilMs = clock.nowMs() + mistrustMs;
  });
  return () => (clock.nowMs() < mistrustedUntilMs ? fresh : reads);
}

/** Runs one transaction on a connection of its own, which may be idle between its queries for any time. */
async function runAlone<T>(
  pool: pg.Pool,
  mode: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`BEGIN ${mode}; SET LOCAL idle_in_transaction_session_timeout = 0`);
    const value = await work(client);
    await client.query('COMMIT').catch((error: unknown) => {
      throw isUnanswered(error) ? new BillingError('outcome_unknown', [], 1) : error;
    });
    return value;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function runInSavepoint(client: pg.PoolClient, part: () => MaybePromise<unknown>): Promise<void> {
  await client.query('SAVEPOINT part');
  try {
    await part();
    await client.query('RELEASE SAVEPOINT part');
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT part');
    throw error;
  }
}

const toExecutor = (client: pg.Pool | pg.PoolClient): QueryExecutor => ({
  query: client instanceof pg.Pool ? batchReads(client) : (config, values) => client.query(config, values),
  write: async (config) => (await client.query(config)).rowCount ?? 0,
});

function buildDriver(
  executor: QueryExecutor,
  nameStatement: (text: string) => string,
  onFailure: () => void = () => {},
): Driver {
  const throwTranslated = (error: unknown): never => {
    const translated = translatePostgresError(error);
    if (translated instanceof BillingError) onFailure();
    throw translated;
  };
  const mergedSelects = createMergedSelects(executor, nameStatement);
  return {
    tables: postgres,
    builder: drizzle({ client: executor as unknown as pg.Pool }),
    prepare: (...statement) => prepareStatement(executor, nameStatement, ...statement),
    limitsInText: false,
    lateralRanges: true,
    hints: postgresHints,
    measureJson: measurePostgresJson,
    sumDecimals: (column) => sql`cast(sum(cast(${column} as numeric)) as text)`,
    all: ({ prepared: { select } }, values) => select.execute(values).catch(throwTranslated),
    allOf: (selections) => mergedSelects(selections).catch(throwTranslated),
    run: ({ prepared: { name, text, params } }, values) =>
      executor.write({ name, text, values: fillPlaceholders(params, values) }).catch(throwTranslated),
    ...createPostgresBulkWrites(executor, nameStatement),
  };
}

/** Names the first `maxNamed` statements; further statements have no name and are parsed each time. */
function createStatementNames() {
  const names = new Map<string, string>();
  return (text: string): string => {
    const known = names.get(text);
    if (known !== undefined || names.size === maxNamed) return known ?? '';
    // The server truncates longer names, and would confuse two statements.
    const made = createHash('sha1').update(text).digest('hex');
    names.set(text, made);
    return made;
  };
}
