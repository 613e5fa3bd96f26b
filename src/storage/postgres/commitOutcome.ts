import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isLostWorker } from './errors.ts';

/** Identifies a transaction, to determine its outcome if the response to its COMMIT is lost. */
export interface CommitEvidence {
  /** Its id on the server, and the server run that assigned it; undefined if the connection could not read them. */
  xid?: string;
  serverRun?: string;
  /** The last trace written: it exists exactly if the transaction was committed. */
  trace?: { tenantAlias: string; eventId: string };
}

/** The response to a COMMIT was lost; `outcomes` are those of its units if it was performed. */
export class UnansweredCommit<Outcome> extends Error {
  constructor(
    readonly evidence: CommitEvidence,
    readonly outcomes: Outcome[],
    cause: unknown,
  ) {
    super('The response to a COMMIT was lost.', { cause });
  }
}

/**
 * Returns whether the server may have committed although its COMMIT failed: it did not respond, or announced its
 * shutdown. An ERROR response means that it did not commit, unless the coordinator of a distributed database has lost the worker
 * that commits.
 */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.severity !== 'ERROR' || isLostWorker(error) || Boolean(error.code?.startsWith('08'));
  // The driver's error for a connection that was lost earlier: nothing was sent.
  return error instanceof Error && !/not queryable/.test(error.message);
}

/**
 * Identifies a run of a server, from its start or promotion to its end. Transaction ids of another run may belong to
 * other transactions: after a crash, ids that were not written to disk are assigned again, and so they are by a
 * promoted standby.
 */
const serverRunQuery = `SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_postmaster_start_time(),
  left(pg_current_xact_id_if_assigned()::text, 0)) AS run`;

/** How long the server is queried; clients wait meanwhile. */
const searchLimitMs = 5000;
const pauseMs = 100;

/**
 * Determines whether a transaction with a lost COMMIT response was committed, as soon as the database can be reached;
 * undefined if that cannot be determined within `searchLimitMs`.
 */
export async function findOutcome(
  pool: pg.Pool,
  evidence: CommitEvidence,
): Promise<'committed' | 'aborted' | undefined> {
  const untilMs = performance.now() + searchLimitMs;
  do {
    const outcome = await queryOutcome(pool, evidence).catch(() => undefined);
    if (outcome) return outcome;
    await pause(pauseMs);
  } while (performance.now() < untilMs);
  return undefined;
}

interface ServerState {
  isStandby: boolean;
  isDistributed: boolean;
}

const serverStateQuery = `SELECT pg_is_in_recovery() AS "isStandby",
  EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isDistributed"`;

/** Returns the outcome; undefined, or an error, if it cannot be determined yet. */
async function queryOutcome(
  pool: pg.Pool,
  { xid, serverRun, trace }: CommitEvidence,
): Promise<'committed' | 'aborted' | undefined> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const { rows } = await client.query<ServerState>(serverStateQuery);
    const { isStandby, isDistributed } = rows[0]!;
    // The standby may receive the transaction later.
    if (isStandby) return undefined;
    const run = await readServerRun(client);
    const isSameRun = run !== undefined && run === serverRun && xid !== undefined;
    const status = isSameRun ? await readTransactionStatus(client, xid) : undefined;
    if (status === 'in progress') return undefined;
    if (trace && (await hasTrace(client, trace))) return 'committed';
    // Once no server process works on a transaction, it is either completely visible or not at all. The shards of a
    // distributed transaction may be committed even after its coordinator has ended.
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

/**
 * Returns the server run of a connection; undefined if the server does not permit reading it, and then it does not
 * permit reading transaction statuses either.
 */
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
