import type { Awaitable } from '../awaitable.ts';
import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { BillingError } from '../errors.ts';
import { tellCommit } from '../commits.ts';
import { isLocked, translate } from './sqliteErrors.ts';

const unitsPerCommit = 100;
const lockTries = 20;
const lockPauseMs = 5;

/** A unit of work; it is told whether it is still its time. */
type UnitOfWork<T> = (isOpen: () => boolean) => Awaitable<T>;

interface Waiting {
  unit: UnitOfWork<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { waiting: Waiting; value: unknown } | { waiting: Waiting; error: unknown };

/**
 * The one queue of writes. All units that gathered while the last commit ran share the next one, and so its fsync:
 * each in a savepoint of its own (none when it is alone), answered only when all are durable.
 */
export function groupCommit(writer: Database.Database, afterCommit: () => void) {
  const queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  const statement = prepareStatements(writer);

  async function drain() {
    while (queue.length > 0) {
      // The pause lets requests that have arrived meanwhile join the batch.
      await new Promise(setImmediate);
      await commitBatch(queue.splice(0, unitsPerCommit));
    }
    running = undefined;
  }

  async function commitBatch(batch: Waiting[]) {
    const outcomes: Outcome[] = [];
    const begunAtMs = performance.now();
    try {
      await beginWhenFree(statement.begin);
      for (const waiting of batch) {
        outcomes.push(await runUnit(writer, statement, waiting, batch.length === 1));
      }
      if (writer.inTransaction) statement.commit.run();
    } catch (error) {
      if (writer.inTransaction) statement.rollback.run();
      for (const waiting of batch) waiting.reject(translate(error));
      return;
    }
    afterCommit();
    tellCommit(batch.length, begunAtMs);
    for (const outcome of outcomes) answer(outcome);
  }

  return {
    /** Queues a unit; resolves with its value when it is on disk, rejects with its error when it was undone. */
    run: <T>(unit: UnitOfWork<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        queue.push({ unit, resolve: resolve as (value: unknown) => void, reject });
        running ??= drain();
      }),
    /** Resolves when nothing is queued or running. */
    idle: async () => {
      while (running) await running;
    },
  };
}

/** Runs one unit of a batch; one that fails is undone, and the others stay. */
async function runUnit(
  writer: Database.Database,
  statement: Statements,
  waiting: Waiting,
  alone: boolean,
): Promise<Outcome> {
  let open = true;
  if (!alone) statement.save.run();
  try {
    const value = await withinTurn(waiting.unit(() => open));
    // The unit may have caught the error by which the database gave up the transaction.
    if (!writer.inTransaction) throw new BillingError('unavailable', [], 1);
    if (!alone) statement.keep.run();
    return { waiting, value };
  } catch (error) {
    // A full disk undoes the whole transaction: then none of the batch may be answered as done.
    if (!writer.inTransaction) throw error;
    if (alone) statement.rollback.run();
    else {
      statement.undo.run();
      statement.keep.run();
    }
    return { waiting, error };
  } finally {
    open = false;
  }
}

function answer(outcome: Outcome): void {
  if ('error' in outcome) outcome.waiting.reject(outcome.error);
  else outcome.waiting.resolve(outcome.value);
}

/**
 * Begins a transaction; where another process holds the lock, it tries again for a while. SQLite itself would wait
 * with the whole event loop.
 */
async function beginWhenFree(begin: Database.Statement): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      begin.run();
      return;
    } catch (error) {
      if (!isLocked(error) || tries === lockTries) throw error;
      await setTimeout(lockPauseMs);
    }
  }
}

type Statements = ReturnType<typeof prepareStatements>;

const prepareStatements = (writer: Database.Database) => ({
  begin: writer.prepare('BEGIN IMMEDIATE'),
  commit: writer.prepare('COMMIT'),
  rollback: writer.prepare('ROLLBACK'),
  save: writer.prepare('SAVEPOINT unit'),
  keep: writer.prepare('RELEASE unit'),
  undo: writer.prepare('ROLLBACK TO unit'),
});

/**
 * A unit that awaits only its queries ends within the event-loop turn it began in. One that is still at work when
 * the turn ends has awaited something else, a network perhaps, with the database locked: it is undone.
 */
async function withinTurn<T>(work: Awaitable<T>): Promise<T> {
  if (!(work instanceof Promise)) return work;
  let timer!: NodeJS.Immediate;
  const turnEnd = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error('A unit of work awaited something other than its queries.'));
    timer = setImmediate(expire);
  });
  try {
    return await Promise.race([work, turnEnd]);
  } finally {
    clearImmediate(timer);
  }
}
