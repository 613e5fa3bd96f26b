import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** What of a transaction is found again when the answer to its COMMIT is lost. */
export interface CommitEvidence {
  /** Its id on the server, and the run of the server that gave it; unknown where the connection could not tell. */
  xid?: string;
  serverRun?: string;
  /** The last trace that it wrote: it is there exactly when the transaction was committed. */
  trace?: { tenantAlias: string; eventId: string };
}

/** The answer to a COMMIT has not come; `outcomes` are those of its units, should it have been performed. */
export class UnansweredCommit<Outcome> extends Error {
  constructor(
    readonly evidence: CommitEvidence,
    readonly outcomes: Outcome[],
    cause: unknown,
  ) {
    super('The answer to a COMMIT was lost.', { cause });
  }
}

/**
 * Whether the server may have committed although its COMMIT has failed: it did not answer, or its last words were that it
 * ends. An ERROR is its answer that it has not.
 */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.severity !== 'ERROR';
  // The driver says so of a connection that was lost before: nothing was sent.
  return error instanceof Error && !/not queryable/.test(error.message);
}

/**
 * Names a run of a server from its start, or its promotion, to its end. Transaction ids of another run may be those of
 * other transactions: a crash forgets ids that were never written down, and a promoted standby gives the same again.
 */
const serverRunQuery = `SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_postmaster_start_time(),
  left(pg_current_xact_id_if_assigned()::text, 0)) AS run`;

/** For how long the server is asked: its clients wait meanwhile. */
const patienceMs = 5000;
const pauseMs = 100;

/**
 * Finds out whether a transaction was committed whose COMMIT was not answered, as soon as the database can be reached;
 * undefined where that cannot be found out in some seconds.
 */
export async function findOutcome(
  pool: pg.Pool,
  evidence: CommitEvidence,
): Promise<'committed' | 'aborted' | undefined> {
  const untilMs = performance.now() + patienceMs;
  do {
    const outcome = await askOnce(pool, evidence).catch(() => undefined);
    if (outcome) return outcome;
    await pause(pauseMs);
  } while (performance.now() < untilMs);
  return undefined;
}

interface Standing {
  isStandby: boolean;
  isDistributed: boolean;
}

const standingQuery = `SELECT pg_is_in_recovery() AS "isStandby",
  EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isDistributed"`;

/** Undefined, or an error, where it cannot be told yet. */
async function askOnce(
  pool: pg.Pool,
  { xid, serverRun, trace }: CommitEvidence,
): Promise<'committed' | 'aborted' | undefined> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const { rows } = await client.query<Standing>(standingQuery);
    const { isStandby, isDistributed } = rows[0]!;
    // What a standby does not have yet may come.
    if (isStandby) return undefined;
    const run = await readServerRun(client);
    const isSameRun = run !== undefined && run === serverRun && xid !== undefined;
    const status = isSameRun ? await readTransactionStatus(client, xid) : undefined;
    if (status === 'in progress') return undefined;
    if (trace && (await hasTrace(client, trace))) return 'committed';
    // Of a transaction that no server is at work on any more, everything is there or nothing. The shards of a distributed
    // one may yet be committed after its coordinator has ended.
    const isOver = isSameRun || (run !== undefined && serverRun !== undefined && !isDistributed);
    if (trace) return isOver ? 'aborted' : undefined;
    return isDistributed ? undefined : status;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

/** The run of the server that a connection is to; undefined where it does not tell, and then of no transaction either. */
export async function readServerRun(client: pg.ClientBase): Promise<string | undefined> {
  try {
    const { rows } = await client.query<{ run: string }>(serverRunQuery);
    return rows[0]?.run;
  } catch {
    return undefined;
  }
}

type Status = 'in progress' | 'committed' | 'aborted';

async function readTransactionStatus(client: pg.ClientBase, xid: string): Promise<Status | undefined> {
  const { rows } = await client.query<{ status: Status | null }>(
    'SELECT pg_xact_status($1::xid8) AS status',
    [xid],
  );
  return rows[0]?.status ?? undefined;
}

async function hasTrace(
  client: pg.ClientBase,
  { tenantAlias, eventId }: NonNullable<CommitEvidence['trace']>,
): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM traces WHERE tenant_alias = $1 AND event_id = $2', [
    tenantAlias,
    eventId,
  ]);
  return rowCount === 1;
}
