import type { Socket } from 'node:net';
import { eq, max, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { CommitEvidence } from './commitOutcome.ts';
import { Queries, type Driver } from '../query/queries.ts';
import type { Row, TableName } from '../model/rowTypes.ts';

/** What takes statements: a pool, or one of its connections. */
export interface Asked {
  query: (config: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;
  /** Answers how many rows changed. */
  write: (config: pg.QueryConfig) => Promise<number>;
}

/** What has become of the statements of a unit of work so far. */
export interface UnitProgress {
  /** How many have changed something; those that have yet to be answered, or to be sent, count as well. */
  changes: number;
  /** The error of the first that failed. */
  failure?: unknown;
}

/** What is known of a tenant whose row is locked. */
interface Locked {
  latestEvent: string | undefined;
  /** Its row, for as long as the transaction has not changed it. */
  tenant: () => Row<'tenants'> | undefined;
}

/** One connection, to which statements are sent however many have yet to be answered. */
export interface Pipeline {
  query: Asked['query'];
  queries: Queries;
  /** Begins a transaction with a lock on the tenant's row, so that whatever is read is what the last unit left. */
  begin: (tenantAlias: string) => Promise<Locked>;
  /** Begins a unit of work, to which statements belong until another begins. */
  beginUnit: () => UnitProgress;
  /** Ends a transaction or a savepoint, and keeps what was done; answers the command that was performed. */
  keep: (statement: string) => Promise<string>;
  /** Undoes what was done in a transaction, or since a savepoint. */
  undo: (statement: string) => Promise<unknown>;
  /** By what the present transaction is found again. */
  evidence: () => CommitEvidence;
}

/** Each change adds one of these, no rule reads them and no row refers to them: they are added together, and last. */
const heldTable = 'traces';
const mostHeld = 200;

/**
 * Makes a wire of a connection that pipelines. The server takes statements in order: where one fails, those after it
 * in its transaction fail as well. So a unit waits only for what it reads.
 */
export function wireOn(
  client: pg.PoolClient,
  driverOf: (asked: Asked) => Driver,
  serverRun: string | undefined,
): Pipeline {
  const pipe = getPipe(client);
  const driver = driverOf(pipe);
  const { locked, latest } = beginningWith(driver);
  const holding = holdingBack(driver, pipe);
  let tenant: Row<'tenants'> | undefined;
  const noting = notingEvidence(pipe, serverRun);

  const beforeWrite = (names: readonly TableName[]) => {
    holding.before(names);
    if (names.includes('tenants')) tenant = undefined;
  };
  const hold = (name: TableName, row: object) => {
    noting.written(name, [row]);
    return holding.hold(name, row);
  };
  const queries = new Queries({
    ...driver,
    unanswered: pipe.unanswered,
    hold,
    all: (statement, values) => {
      holding.before(statement.tables);
      return driver.all(statement, values);
    },
    run: (statement, values) => {
      beforeWrite(statement.tables);
      return driver.run(statement, values);
    },
    insertRows: (name, rows) => {
      beforeWrite([name]);
      noting.written(name, rows);
      return driver.insertRows(name, rows);
    },
    updateRows: (name, by, set, rows) => {
      beforeWrite([name]);
      return driver.updateRows(name, by, set, rows);
    },
  });

  return {
    query: pipe.query,
    queries,
    beginUnit: () => noting.beginUnit(pipe.beginUnit()),
    begin: async (alias) => {
      void pipe.unanswered(() => pipe.query('BEGIN'));
      noting.begin();
      const [[row], [event]] = await Promise.all([
        pipe.unanswered(() => driver.all(locked, { alias })),
        driver.all(latest, { alias }),
      ]);
      tenant = row;
      return { latestEvent: event.latest ?? undefined, tenant: () => tenant };
    },
    keep: async (statement) => {
      holding.send();
      return (await pipe.query(statement)).command;
    },
    undo: (statement) => {
      holding.forget();
      noting.undoUnit();
      return pipe.query(statement);
    },
    evidence: noting.evidence,
  };
}

const xidQuery = { name: 'xid', text: 'SELECT pg_current_xact_id()::text AS xid' };

/** Notes by what a transaction is found again: its id, and the last trace that it has written. */
function notingEvidence({ query, unanswered }: Pipe, serverRun: string | undefined) {
  let xid: string | undefined;
  let trace: CommitEvidence['trace'];
  let traceBefore: CommitEvidence['trace'];
  return {
    begin: () => {
      xid = trace = traceBefore = undefined;
      // Its answer comes before those that are awaited.
      if (serverRun) void unanswered(() => query(xidQuery).then(({ rows }) => (xid = rows[0].xid)));
    },
    beginUnit: (course: UnitProgress) => {
      traceBefore = trace;
      return course;
    },
    undoUnit: () => {
      trace = traceBefore;
    },
    written: (name: TableName, rows: readonly object[]) => {
      if (name === 'traces') trace = rows.at(-1) as Row<'traces'>;
    },
    evidence: (): CommitEvidence => ({ xid, serverRun, trace }),
  };
}

/** The statements that a transaction begins with. */
function beginningWith(driver: Driver) {
  const { tenants, traces } = driver.tables;
  const alias = sql.placeholder('alias');
  const locked = driver.builder.select().from(tenants).where(eq(tenants.alias, alias)).for('no key update');
  const latest = driver.builder
    .select({ latest: max(traces.eventId) })
    .from(traces)
    .where(eq(traces.tenantAlias, alias));
  return {
    locked: { prepared: driver.prepare(locked), tables: ['tenants'] as const },
    latest: { prepared: driver.prepare(latest), tables: ['traces'] as const },
  };
}

/** Holds rows back, to add them with one statement before the next that has to do with their table, or when told. */
function holdingBack(driver: Driver, { unanswered, course }: Pipe) {
  let held: object[] = [];
  const send = () => {
    const rows = held;
    held = [];
    if (rows.length > 0) void unanswered(() => driver.insertRows(heldTable, rows));
  };
  return {
    send,
    hold: (name: TableName, row: object): boolean => {
      if (name !== heldTable) return false;
      course().changes += 1;
      if (held.push(row) === mostHeld) send();
      return true;
    },
    before: (names: readonly TableName[]) => {
      if (held.length > 0 && names.includes(heldTable)) send();
    },
    forget: () => {
      held = [];
    },
  };
}

/** The socket of a connection: `pg` has no name of its own for it. */
export const getSocket = (client: pg.PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

type Pipe = ReturnType<typeof getPipe>;

/** Sends statements as they are made; those that nobody waits for go with the next that is awaited, in one packet. */
function getPipe(client: pg.PoolClient) {
  const stream = getSocket(client);
  let unit: UnitProgress = { changes: 0 };
  let isAwaited = true;

  const query: Asked['query'] = (config, values) => {
    const course = unit;
    let refused: Error | undefined;
    if (stream.writableCorked === 0) stream.cork();
    const answer = new Promise<pg.QueryResult>((resolve, reject) => {
      client.query(config as string, values as unknown[], (error: Error | null, result) => {
        if (!error) return resolve(result);
        course.failure ??= error;
        refused = error;
        reject(error);
      });
    });
    if (isAwaited) stream.uncork();
    if (refused === undefined) return answer;
    // It was not sent, so the server will not tell those who do not wait for the answer.
    answer.catch(() => {});
    throw refused;
  };

  const write: Asked['write'] = (config) => {
    const course = unit;
    const answer = query(config);
    course.changes += 1;
    return answer.then(({ rowCount }) => {
      if (rowCount === 0) course.changes -= 1;
      return rowCount ?? 0;
    });
  };

  const unanswered = <Answer>(work: () => Answer): Answer => {
    const wasAwaited = isAwaited;
    isAwaited = false;
    try {
      const answer = work();
      if (answer instanceof Promise) answer.catch(() => {});
      return answer;
    } finally {
      isAwaited = wasAwaited;
    }
  };
  const beginUnit = () => (unit = { changes: 0 });
  return { query, write, unanswered, beginUnit, course: () => unit };
}

/** A promise that is rejected when the connection is lost between two queries. */
export function watchConnection(client: pg.PoolClient) {
  let listener!: (error: Error) => void;
  const promise = new Promise<never>((_, reject) => {
    listener = reject;
    client.once('error', listener);
  });
  promise.catch(() => {});
  return { promise, forget: () => client.off('error', listener) };
}
