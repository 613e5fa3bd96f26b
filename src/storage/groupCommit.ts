import { setTimeout } from 'node:timers/promises';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { publishCommit } from '../runtime/commitChannel.ts';

/** A queued unit of work, and the callbacks that settle its caller's promise. */
export interface Waiting<Unit> {
  unit: Unit;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Failure<Unit> {
  waiting: Waiting<Unit>;
  error: unknown;
  /** Whether changes of the unit may remain in the transaction. */
  hasChanged: boolean;
}

/** The value of a unit, or the error it failed with. */
export type UnitOutcome<Unit> = { waiting: Waiting<Unit>; value: unknown } | Failure<Unit>;

/** One transaction on one connection, which runs a batch of units. */
export interface Transaction<Unit> {
  /** When the transaction began, by `performance.now()`. */
  readonly begunAtMs: number;
  begin(): Promise<void>;
  /** Runs one unit. Rejects if the whole transaction is lost, or with `StalledUnit`. */
  run(waiting: Waiting<Unit>): MaybePromise<UnitOutcome<Unit>>;
  /** Lets other work of the process run before the next unit; absent if units wait for the database anyway. */
  pause?(): Promise<void>;
  savepoint(): MaybePromise<unknown>;
  /** Rejects if a statement has failed since the savepoint. */
  releaseSavepoint(): MaybePromise<unknown>;
  rollbackToSavepoint(): MaybePromise<unknown>;
  /**
   * Returns whether the transaction was committed; false if the database rolled it back because a statement had failed.
   */
  commit(outcomes: UnitOutcome<Unit>[]): MaybePromise<boolean>;
  rollback(): MaybePromise<unknown>;
  /**
   * Returns the failure with the database's original error, which may be known only after the unit's changes are rolled
   * back.
   */
  explain(failure: Failure<Unit>): Failure<Unit>;
  /** Rolls back what remains of a failed transaction, and returns the error to report. */
  abort(error: unknown): MaybePromise<unknown>;
  /** Releases the connection. */
  end(): void;
}

/** The database-specific part of group commit. */
interface CommitAdapter<Unit> {
  unitsPerCommit: number;
  /** For how long a batch begins further units, in milliseconds; the others get a transaction of their own. */
  longestMs: number;
  /**
   * Whether an error during a unit is caused by that unit; false if it may be the late error of an earlier unit's
   * statement.
   */
  failsAtOnce: boolean;
  /** Delays a batch, so that further units can join it. */
  beforeBatch: (queue: { readonly length: number }) => Promise<void>;
  afterBatch: () => void;
  open: (key: string) => Promise<Transaction<Unit>>;
  /** Whether the error is a conflict with another transaction, so that the batch can be retried. */
  isConflict: (error: unknown) => boolean;
  /** Determines the outcomes of units whose COMMIT got no response; undefined if the error has another cause. */
  recoverOutcomes: (error: unknown) => Promise<UnitOutcome<Unit>[]> | undefined;
  translate: (error: unknown) => unknown;
}

/** A unit that awaited something other than its queries until the database ended its transaction. */
export class StalledUnit<Unit> extends Error {
  constructor(readonly waiting: Waiting<Unit>) {
    super('A unit of work awaited something other than its queries.');
  }
}

/** A unit of a batch has failed, and its changes must be rolled back without those of the other units. */
export class BatchNeedsSavepoints extends Error {
  constructor(readonly failure?: Failure<any>) {
    super('A unit of a batch has failed after it had changed something.');
  }
}

/** After this time of a turn of the event loop, other work runs before the next unit. */
const turnMs = 2;
const maxAttempts = 5;
const pauseMs = 10;

/**
 * Creates commit queues, one per key. Units that arrive during a queue's commit share the next commit, and their
 * promises resolve when it is durable. A unit may run more than once, but its changes are committed once.
 */
export function createCommitQueues<Unit>(adapter: CommitAdapter<Unit>) {
  const queues = new Map<string, Waiting<Unit>[]>();
  const running = new Map<string, Promise<void>>();

  async function drain(key: string, queue: Waiting<Unit>[]) {
    while (queue.length > 0) {
      await adapter.beforeBatch(queue);
      try {
        queue.unshift(...(await commitBatch(adapter, key, queue.splice(0, adapter.unitsPerCommit))));
      } finally {
        adapter.afterBatch();
      }
    }
    queues.delete(key);
    running.delete(key);
  }

  return {
    /** Queues a unit; resolves with its value when it is durable, rejects with its error if it was rolled back. */
    run: <T>(key: string, unit: Unit): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const waiting = { unit, resolve: resolve as (value: unknown) => void, reject };
        const queue = queues.get(key);
        if (queue) {
          queue.push(waiting);
          return;
        }
        const begun = [waiting];
        queues.set(key, begun);
        running.set(key, drain(key, begun));
      }),
    /** Resolves when nothing is queued or running. */
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

/**
 * Commits a batch, in several attempts if necessary, and settles the promise of each unit. Returns those for which there was no
 * time.
 */
async function commitBatch<Unit>(
  adapter: CommitAdapter<Unit>,
  key: string,
  batch: Waiting<Unit>[],
): Promise<Waiting<Unit>[]> {
  let rest = batch;
  let hasSavepoints = false;
  for (let attempts = 1; rest.length > 0; attempts++) {
    try {
      const outcomes = await attempt(adapter, key, rest, hasSavepoints);
      resolveOutcomes(outcomes);
      return rest.slice(outcomes.length);
    } catch (error) {
      const recovered = adapter.recoverOutcomes(error);
      if (recovered) {
        resolveOutcomes(await recovered);
        return [];
      }
      const failed = findFinalFailure(adapter, error);
      if (failed) {
        failed.waiting.reject(failed.error);
        rest = rest.filter((waiting) => waiting !== failed.waiting);
      }
      hasSavepoints ||= error instanceof BatchNeedsSavepoints;
      if (failed || error instanceof BatchNeedsSavepoints) continue;
      if (adapter.isConflict(error) && attempts < maxAttempts) {
        await setTimeout(pauseMs * attempts);
      } else {
        for (const waiting of rest) waiting.reject(adapter.translate(error));
        return [];
      }
    }
  }
  return [];
}

/** Returns the unit whose failure is final, so that it is not retried with the rest of its batch. */
function findFinalFailure<Unit>(adapter: CommitAdapter<Unit>, error: unknown) {
  if (error instanceof StalledUnit) return { waiting: error.waiting as Waiting<Unit>, error };
  if (error instanceof BatchNeedsSavepoints && adapter.failsAtOnce)
    return error.failure as Failure<Unit> | undefined;
  return undefined;
}

function resolveOutcomes<Unit>(outcomes: UnitOutcome<Unit>[]): void {
  for (const outcome of outcomes) {
    if ('error' in outcome) outcome.waiting.reject(outcome.error);
    else outcome.waiting.resolve(outcome.value);
  }
}

/** Runs a batch as one transaction. Few batches need savepoints, which cost a tenth of a unit's time. */
async function attempt<Unit>(
  adapter: CommitAdapter<Unit>,
  key: string,
  batch: Waiting<Unit>[],
  hasSavepoints: boolean,
): Promise<UnitOutcome<Unit>[]> {
  const transaction = await adapter.open(key);
  try {
    await transaction.begin();
    const runBatch = batch.length === 1 ? runAlone : hasSavepoints ? runWithSavepoints : runTogether;
    const outcomes = await runBatch(transaction, batch, adapter);
    publishCommit(outcomes.length, transaction.begunAtMs);
    return outcomes;
  } catch (error) {
    throw await transaction.abort(error);
  } finally {
    transaction.end();
  }
}

type RunBatch = <Unit>(
  transaction: Transaction<Unit>,
  batch: Waiting<Unit>[],
  adapter: Pick<CommitAdapter<Unit>, 'isConflict' | 'longestMs'>,
) => Promise<UnitOutcome<Unit>[]>;

/** Runs one unit and commits it, or rolls it back if it failed. */
const runAlone: RunBatch = async (transaction, [waiting], { isConflict }) => {
  const outcome = await transaction.run(waiting!);
  if ('error' in outcome) {
    if (isConflict(outcome.error)) throw outcome.error;
    await transaction.rollback();
    return [transaction.explain(outcome)];
  }
  if (await transaction.commit([outcome])) return [outcome];
  const error = new Error('A unit of work continued after one of its queries had failed.');
  return [transaction.explain({ waiting: waiting!, error, hasChanged: true })];
};

/**
 * Runs units one after another and commits their changes. A unit that fails before it has changed anything does not
 * affect the others. Returns the outcomes of the units that began in time.
 */
const runTogether: RunBatch = async (transaction, batch, { isConflict, longestMs }) => {
  const outcomes = [];
  const begunAtMs = performance.now();
  let turnAtMs = begunAtMs;
  for (const waiting of batch) {
    const nowMs = performance.now();
    if (nowMs - begunAtMs > longestMs) break;
    if (transaction.pause && nowMs - turnAtMs > turnMs) {
      await transaction.pause();
      turnAtMs = performance.now();
    }
    const ran = transaction.run(waiting);
    const outcome = ran instanceof Promise ? await ran : ran;
    outcomes.push(outcome);
    if (!('error' in outcome)) continue;
    if (isConflict(outcome.error)) throw outcome.error;
    if (outcome.hasChanged) throw new BatchNeedsSavepoints(outcome);
  }
  if (!(await transaction.commit(outcomes))) throw new BatchNeedsSavepoints();
  return outcomes;
};

/** Runs units one after another, each in a savepoint: a failed unit is rolled back, and the others continue. */
const runWithSavepoints: RunBatch = async (transaction, batch, { isConflict }) => {
  const outcomes = [];
  for (const waiting of batch) {
    await transaction.savepoint();
    outcomes.push(await runInSavepoint(transaction, waiting, isConflict));
  }
  if (!(await transaction.commit(outcomes)))
    throw new Error('A savepoint was released in a failed transaction.');
  return outcomes;
};

async function runInSavepoint<Unit>(
  transaction: Transaction<Unit>,
  waiting: Waiting<Unit>,
  isConflict: (error: unknown) => boolean,
): Promise<UnitOutcome<Unit>> {
  const outcome = await transaction.run(waiting);
  try {
    if ('error' in outcome) throw outcome.error;
    await transaction.releaseSavepoint();
    return outcome;
  } catch (error) {
    if (isConflict(error)) throw error;
    // Fails if the connection is lost; the whole batch has then failed.
    await transaction.rollbackToSavepoint();
    return transaction.explain({ waiting, error, hasChanged: false });
  }
}
