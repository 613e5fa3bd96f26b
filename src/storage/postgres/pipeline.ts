import type { Socket } from 'node:net';
import { eq, max, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { CommitEvidence } from './commitOutcome.ts';
import { Queries, type Driver } from '../query/queries.ts';
import type { Row, TableName } from '../model/rowTypes.ts';

/** A pool, or one of its connections. */
export interface QueryExecutor {
  query: (config: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;
  /** Returns the number of changed rows. */
  write: (config: pg.QueryConfig) => Promise<number>;
}

/** The progress of a unit of work. */
export interface UnitProgress {
  /** The number of changing statements, including those without a response yet and those not sent yet. */
  changes: number;
  /** The error of the first statement that failed. */
  failure?: unknown;
}

/** A tenant whose row is locked, or whose usage. */
interface LockedTenant {
  /** The id of its latest trace, or of its latest usage event. */
  latestEvent: string | undefined;
  /** Returns the tenant's row, until the transaction changes it. */
  tenant: () => Row<'tenants'> | undefined;
}

/** One connection that sends statements without waiting for the responses to earlier ones. */
export interface Pipeline {
  query: QueryExecutor['query'];
  queries: Queries;
  /**
   * Begins a transaction and locks the tenant's row, so that its reads see the changes of the last unit. With `serverKey`
   * it takes the lock of the server's own tables instead, with `usageKey` that of the tenant's usage.
   */
  begin: (key: string) => Promise<LockedTenant>;
  /** Begins a unit of work: the following statements belong to it, until the next one begins. */
  beginUnit: () => UnitProgress;
  /** Ends a transaction or a savepoint and keeps its changes; returns the command that the server performed. */
  commit: (statement: string) => Promise<string>;
  /** Rolls back a transaction, or the changes since a savepoint. */
  rollback: (statement: string) => Promise<unknown>;
  /** Returns the evidence that identifies the current transaction. */
  evidence: () => CommitEvidence;
}

/** The key of the units that change the server's own tables; no tenant has it. */
export const serverKey = '';
/** Held until the transaction ends. The number is the lock's name: `prn` in ASCII. */
const lockServer = { name: 'lock server', text: 'SELECT pg_advisory_xact_lock(7369326)' };

const usagePrefix = 'usage:';

/** Returns the key of the recordings of usage of a tenant; no alias has a colon. */
export const usageKey = (tenantAlias: string): string => `${usagePrefix}${tenantAlias}`;

/** Two tenants with the same hash wait for each other, no more. */
const lockUsage = { name: 'lock usage', text: 'SELECT pg_advisory_xact_lock(7369326, hashtext($1))' };

const buildUsageLock = (tenantAlias: string): pg.QueryConfig => ({ ...lockUsage, values: [tenantAlias] });

/** Returns the tenant of a key of recordings; undefined for the key of units of work. */
const findUsageTenant = (key: string): string | undefined =>
  key.startsWith(usagePrefix) ? key.slice(usagePrefix.length) : undefined;

const noTenant: LockedTenant = { latestEvent: undefined, tenant: () => undefined };

/** Every change adds a trace, and no rule reads traces, so they are inserted together at the end. */
const deferredTable = 'traces';
const maxDeferred = 200;

/**
 * Pipelines the statements of a connection. The server performs them in order, and after a failed statement rejects the
 * rest of the transaction. So a unit needs to wait only for its reads.
 */
export function createPipeline(
  client: pg.PoolClient,
  createDriver: (executor: QueryExecutor) => Driver,
  serverRun: string | undefined,
): Pipeline {
  const pipe = createPipe(client);
  const driver = createDriver(pipe);
  const prepared = prepareBegin(driver);
  const deferred = deferInserts(driver, pipe);
  let tenant: Row<'tenants'> | undefined;
  const evidence = collectEvidence(pipe, serverRun);

  const beforeWrite = (names: readonly TableName[]) => {
    deferred.sendBefore(names);
    if (names.includes('tenants')) tenant = undefined;
  };
  const queries = createQueries({ driver, pipe, deferred, evidence, beforeWrite });

  return {
    query: pipe.query,
    queries,
    beginUnit: () => evidence.beginUnit(pipe.beginUnit()),
    begin: async (key) => {
      void pipe.fireAndForget(() => pipe.query('BEGIN'));
      evidence.begin();
      if (key === serverKey) return pipe.query(lockServer).then(() => noTenant);
      const ofUsage = findUsageTenant(key);
      const { row, latest } = ofUsage === undefined ? prepared.unit : prepared.recording;
      const alias = ofUsage ?? key;
      if (ofUsage !== undefined) void pipe.fireAndForget(() => pipe.query(buildUsageLock(alias)));
      const [[found], [last]] = await Promise.all([
        pipe.fireAndForget(() => driver.all(row, { alias })),
        driver.all(latest, { alias }),
      ]);
      tenant = found;
      return { latestEvent: last.latest ?? undefined, tenant: () => tenant };
    },
    commit: async (statement) => {
      deferred.send();
      return (await pipe.query(statement)).command;
    },
    rollback: (statement) => {
      deferred.forget();
      evidence.undoUnit();
      return pipe.query(statement);
    },
    evidence: evidence.get,
  };
}

interface PipelineParts {
  driver: Driver;
  pipe: Pipe;
  deferred: ReturnType<typeof deferInserts>;
  evidence: ReturnType<typeof collectEvidence>;
  beforeWrite: (names: readonly TableName[]) => void;
}

/** Creates the queries of a pipeline: inserts of traces wait until they are read, and what is written is noted. */
function createQueries({ driver, pipe, deferred, evidence, beforeWrite }: PipelineParts): Queries {
  const deferInsert = (name: TableName, row: object) => {
    evidence.written(name, [row]);
    return deferred.add(name, row);
  };
  return new Queries({
    ...driver,
    // Within a transaction, what is read decides which deferred rows are sent before.
    allOf: undefined,
    fireAndForget: pipe.fireAndForget,
    deferInsert,
    lockUsage: (alias) => pipe.query(buildUsageLock(alias)),
    all: (statement, values) => {
      deferred.sendBefore(statement.tables);
      return driver.all(statement, values);
    },
    run: (statement, values) => {
      beforeWrite(statement.tables);
      return driver.run(statement, values);
    },
    insertRows: (name, rows) => {
      beforeWrite([name]);
      evidence.written(name, rows);
      return driver.insertRows(name, rows);
    },
    updateRows: (name, by, set, rows) => {
      beforeWrite([name]);
      return driver.updateRows(name, by, set, rows);
    },
  });
}

const xidQuery = { name: 'xid', text: 'SELECT pg_current_xact_id()::text AS xid' };

/** Collects the evidence of a transaction: its id, and the last trace it has written. */
function collectEvidence({ query, fireAndForget }: Pipe, serverRun: string | undefined) {
  let xid: string | undefined;
  let trace: CommitEvidence['trace'];
  let traceBefore: CommitEvidence['trace'];
  return {
    begin: () => {
      xid = trace = traceBefore = undefined;
      // Its response arrives before those of the awaited statements.
      if (serverRun) void fireAndForget(() => query(xidQuery).then(({ rows }) => (xid = rows[0].xid)));
    },
    beginUnit: (progress: UnitProgress) => {
      traceBefore = trace;
      return progress;
    },
    undoUnit: () => {
      trace = traceBefore;
    },
    written: (name: TableName, rows: readonly object[]) => {
      if (name === 'traces') trace = rows.at(-1) as Row<'traces'>;
    },
    get: (): CommitEvidence => ({ xid, serverRun, trace }),
  };
}

/**
 * Prepares the statements that begin the transactions of units of work and of recordings: they read the tenant and what was
 * written last, after the lock. The units of a transaction came before it began, so the row serves all of them.
 */
function prepareBegin(driver: Driver) {
  const { builder } = driver;
  const { tenants, traces, usageEvents } = driver.tables;
  const alias = sql.placeholder('alias');
  const readTenant = () => builder.select().from(tenants).where(eq(tenants.alias, alias));
  const readLatest = (table: any, column: any) =>
    builder
      .select({ latest: max(column) })
      .from(table)
      .where(eq(table.tenantAlias, alias));
  const row = { table: 'tenants', leaveOut: [], isOne: true } as const;
  const ofTenants = (query: unknown) => ({ query, tables: ['tenants'] as const });
  return {
    unit: {
      row: driver.prepare('lock tenant', () => ofTenants(readTenant().for('no key update')), row),
      latest: driver.prepare('latest trace', () => ({
        query: readLatest(traces, traces.eventId),
        tables: ['traces'],
      })),
    },
    recording: {
      row: driver.prepare('read tenant', () => ofTenants(readTenant()), row),
      latest: driver.prepare('latest usage', () => ({
        query: readLatest(usageEvents, usageEvents.id),
        tables: ['usageEvents'],
      })),
    },
  };
}

/** Defers inserts and sends them as one statement, before the next statement on their table or on `send`. */
function deferInserts(driver: Driver, { fireAndForget, progress }: Pipe) {
  let deferred: object[] = [];
  const send = () => {
    const rows = deferred;
    deferred = [];
    if (rows.length > 0) void fireAndForget(() => driver.insertRows(deferredTable, rows));
  };
  return {
    send,
    add: (name: TableName, row: object): boolean => {
      if (name !== deferredTable) return false;
      progress().changes += 1;
      if (deferred.push(row) === maxDeferred) send();
      return true;
    },
    sendBefore: (names: readonly TableName[]) => {
      if (deferred.length > 0 && names.includes(deferredTable)) send();
    },
    forget: () => {
      deferred = [];
    },
  };
}

/** Returns the socket of a connection; `pg` has no public name for it. */
export const getSocket = (client: pg.PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

type Pipe = ReturnType<typeof createPipe>;

/** Sends the statements of a turn in one packet; those passed to `fireAndForget` wait for the next awaited one. */
function createPipe(client: pg.PoolClient) {
  const stream = getSocket(client);
  let unit: UnitProgress = { changes: 0 };
  let isAwaited = true;
  let isFlushing = false;

  /** Sends what is corked once the running code awaits: statements that are made at once share a packet. */
  const flushSoon = () => {
    if (isFlushing) return;
    isFlushing = true;
    queueMicrotask(() => {
      isFlushing = false;
      stream.uncork();
    });
  };

  const query: QueryExecutor['query'] = (config, values) => {
    const progress = unit;
    let refused: Error | undefined;
    if (stream.writableCorked === 0) stream.cork();
    const response = new Promise<pg.QueryResult>((resolve, reject) => {
      client.query(config as string, values as unknown[], (error: Error | null, result) => {
        if (!error) return resolve(result);
        progress.failure ??= error;
        refused = error;
        reject(error);
      });
    });
    if (isAwaited) flushSoon();
    if (refused === undefined) return response;
    // The statement was not sent, so the server cannot report its failure to a caller that does not await it.
    response.catch(() => {});
    throw refused;
  };

  const write: QueryExecutor['write'] = (config) => {
    const progress = unit;
    const response = query(config);
    progress.changes += 1;
    return response.then(({ rowCount }) => {
      if (rowCount === 0) progress.changes -= 1;
      return rowCount ?? 0;
    });
  };

  const fireAndForget = <Answer>(work: () => Answer): Answer => {
    const wasAwaited = isAwaited;
    isAwaited = false;
    try {
      const response = work();
      if (response instanceof Promise) response.catch(() => {});
      return response;
    } finally {
      isAwaited = wasAwaited;
    }
  };
  const beginUnit = () => (unit = { changes: 0 });
  return { query, write, fireAndForget, beginUnit, progress: () => unit };
}

/** Creates a promise that rejects if the connection is lost between two queries. */
export function watchConnection(client: pg.PoolClient) {
  let listener!: (error: Error) => void;
  const promise = new Promise<never>((_, reject) => {
    listener = reject;
    client.once('error', listener);
  });
  promise.catch(() => {});
  return { promise, forget: () => client.off('error', listener) };
}
