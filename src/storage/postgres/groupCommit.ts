import type { MaybePromise } from '../../lib/maybePromise.ts';
import type pg from 'pg';
import { BillingError } from '../../lib/errors.ts';
import {
  BatchNeedsSavepoints,
  createCommitQueues,
  StalledUnit,
  type UnitOutcome,
  type Transaction,
  type Waiting,
} from '../groupCommit.ts';
import { isConflict, isIdleTooLong, isReadOnly, translatePostgresError } from './errors.ts';
import { findOutcome, isUnanswered, UnansweredCommit } from './commitOutcome.ts';
import { watchConnection, type Pipeline, type UnitProgress } from './pipeline.ts';
import type { Queries } from '../query/queries.ts';
import type { Row } from '../model/rowTypes.ts';

const unitsPerCommit = 50;

type Unit = (
  queries: Queries,
  latestEvent: string | undefined,
  tenant: Row<'tenants'> | undefined,
) => MaybePromise<unknown>;

/** The connections used for writes. */
interface Connections {
  pool: pg.Pool;
  getPipeline: (client: pg.PoolClient) => Pipeline;
  /** The maximum number of the pool's connections in use for writes. */
  most: number;
}

/**
 * Creates the write queues, one for each tenant. A batch locks the tenant's row, so the units of a tenant run one after
 * another, also across processes, and a rule may decide by the data it reads. Different tenants do not wait for each
 * other.
 */
export function createPostgresGroupCommit({ pool, getPipeline, most }: Connections) {
  const slots = limitConcurrency(most);
  return createCommitQueues<Unit>({
    unitsPerCommit,
    // A unit waits for the database most of the time, and meanwhile requests are answered.
    longestMs: Number.POSITIVE_INFINITY,
    failsAtOnce: false,
    beforeBatch: slots.take,
    afterBatch: slots.giveBack,
    open: async (tenantAlias) => {
      const client = await pool.connect();
      return createTransaction(client, getPipeline(client), tenantAlias);
    },
    isConflict,
    recoverOutcomes: (error) =>
      error instanceof UnansweredCommit
        ? recoverOutcomes(pool, error as UnansweredCommit<UnitOutcome<Unit>>)
        : undefined,
    translate: translatePostgresError,
  });
}

/** Limits how many callers run at a time, in order of arrival. */
function limitConcurrency(most: number) {
  const queue: (() => void)[] = [];
  let free = most;
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => void queue.push(resolve));
    },
    giveBack: () => {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    },
  };
}

/** Returns the outcomes of units whose COMMIT got no response: their own, `unavailable`, or `outcome_unknown`. */
async function recoverOutcomes(
  pool: pg.Pool,
  { evidence, outcomes, cause }: UnansweredCommit<UnitOutcome<Unit>>,
): Promise<UnitOutcome<Unit>[]> {
  const found = await findOutcome(pool, evidence);
  if (found === 'committed') return outcomes;
  const error = new BillingError(found === 'aborted' ? 'unavailable' : 'outcome_unknown', [], 1);
  error.cause = cause;
  return outcomes.map(({ waiting }) => ({ waiting, error, hasChanged: false }));
}

function createTransaction(
  client: pg.PoolClient,
  pipeline: Pipeline,
  tenantAlias: string,
): Transaction<Unit> {
  const lost = watchConnection(client);
  let locked: Awaited<ReturnType<Pipeline['begin']>>;
  let progress: UnitProgress;
  let broken: Error | undefined;
  return {
    begunAtMs: performance.now(),
    begin: async () => {
      locked = await pipeline.begin(tenantAlias);
    },
    run: async (waiting) => {
      progress = pipeline.beginUnit();
      const { latestEvent, tenant } = locked;
      const outcome = await awaitOutcome(waiting, lost.promise, (isOpen) =>
        waiting.unit(pipeline.queries.restrictTo(isOpen), latestEvent, tenant()),
      );
      if ('error' in outcome) outcome.hasChanged = progress.changes > 0;
      return outcome;
    },
    savepoint: () => pipeline.query('SAVEPOINT unit'),
    releaseSavepoint: () => pipeline.commit('RELEASE SAVEPOINT unit'),
    rollbackToSavepoint: () => pipeline.rollback('ROLLBACK TO SAVEPOINT unit'),
    commit: (outcomes) => commit(pipeline, outcomes),
    rollback: () => pipeline.rollback('ROLLBACK'),
    explain: (failure) => {
      if (isConflict(progress.failure)) throw progress.failure;
      return progress.failure === undefined
        ? failure
        : { ...failure, error: translatePostgresError(progress.failure) };
    },
    abort: async (error) => {
      try {
        await pipeline.rollback('ROLLBACK');
      } catch (failure) {
        broken = failure as Error;
      }
      // Closes the connection: with several servers, the next connection goes to one that accepts writes.
      if (isReadOnly(error)) broken ??= error as Error;
      // A batch that failed because its connection was lost is not retried.
      return broken && error instanceof BatchNeedsSavepoints ? broken : error;
    },
    end: () => {
      lost.forget();
      // A connection that cannot be rolled back must not be reused.
      client.release(broken);
    },
  };
}

/** Runs a unit; it fails if its connection is lost while it runs. */
async function awaitOutcome(
  waiting: Waiting<Unit>,
  lost: Promise<never>,
  run: (isOpen: () => boolean) => MaybePromise<unknown>,
): Promise<UnitOutcome<Unit>> {
  let open = true;
  try {
    return { waiting, value: await Promise.race([run(() => open), lost]) };
  } catch (error) {
    if (isIdleTooLong(error)) throw new StalledUnit(waiting);
    return { waiting, error, hasChanged: false };
  } finally {
    open = false;
  }
}

/**
 * Commits, unless a query of the transaction has failed: the server then responds with ROLLBACK, without an error.
 * Error: `UnansweredCommit`, with the outcomes of the units.
 */
async function commit(pipeline: Pipeline, outcomes: UnitOutcome<Unit>[]): Promise<boolean> {
  try {
    return (await pipeline.commit('COMMIT')) === 'COMMIT';
  } catch (error) {
    throw isUnanswered(error) ? new UnansweredCommit(pipeline.evidence(), outcomes, error) : error;
  }
}
