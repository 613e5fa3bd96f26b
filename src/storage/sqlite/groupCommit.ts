import type { MaybePromise } from '../../lib/maybePromise.ts';
import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { BillingError } from '../../lib/errors.ts';
import { createCommitQueues, type UnitOutcome, type Transaction, type Waiting } from '../groupCommit.ts';
import { isLocked, translateSqliteError } from './errors.ts';

/** The longest time a unit waits for others to join its batch. */
const gatherMs = 2;
const unitsPerCommit = 100;
/** A unit that comes later waits for the whole transaction; a shorter one would write the same pages again more often. */
const longestMs = 50;
const lockTries = 20;
const lockPauseMs = 5;

/** A unit of work; `isOpen` returns false once it has ended. */
type Unit = (isOpen: () => boolean) => MaybePromise<unknown>;

/** The connection that writes, and the hooks around its transactions. */
interface WriteConnection {
  writer: Database.Database;
  afterBegin: () => void;
  beforeCommit: () => void;
  /** Returns the number of rows changed so far, including changes that were rolled back. */
  changes: () => number;
}

/** Creates the single write queue of a database file: each commit, with its fsync, serves all units in the queue. */
export function createSqliteGroupCommit(writing: WriteConnection) {
  const statements = prepareStatements(writing.writer);
  const queues = createCommitQueues<Unit>({
    unitsPerCommit,
    longestMs,
    failsAtOnce: true,
    beforeBatch: gather,
    afterBatch: () => {},
    open: async () => createTransaction(writing, statements),
    // `begin` waits for the locks of other processes; no conflict can occur within a transaction.
    isConflict: () => false,
    recoverOutcomes: () => undefined,
    translate: translateSqliteError,
  });
  return { run: <T>(unit: Unit) => queues.run<T>('', unit), idle: queues.idle };
}

/** Waits as long as each event-loop turn brings more units, because a commit costs the same for one as for many. */
async function gather(queue: { readonly length: number }) {
  const untilMs = performance.now() + gatherMs;
  let gathered;
  do {
    gathered = queue.length;
    await new Promise(setImmediate);
  } while (queue.length > gathered && queue.length < unitsPerCommit && performance.now() < untilMs);
}

function createTransaction(
  { writer, afterBegin, beforeCommit, changes }: WriteConnection,
  statements: Statements,
): Transaction<Unit> {
  const turn = watchTurn();
  return {
    begunAtMs: performance.now(),
    begin: async () => {
      await beginWhenFree(statements.begin);
      afterBegin();
    },
    run: (waiting) => runUnit(writer, changes, turn, waiting),
    // Readers see what was committed before. Whoever writes by another connection waits for `idle` first.
    pause: () => {
      turn.end();
      return new Promise((resolve) => void setImmediate(resolve));
    },
    savepoint: () => statements.savepoint.run(),
    releaseSavepoint: () => statements.release.run(),
    rollbackToSavepoint: () => {
      statements.rollbackTo.run();
      statements.release.run();
    },
    commit: () => {
      turn.end();
      beforeCommit();
      statements.commit.run();
      return true;
    },
    rollback: () => statements.rollback.run(),
    explain: (failure) => failure,
    abort: (error) => {
      if (writer.inTransaction) statements.rollback.run();
      return error;
    },
    end: turn.end,
  };
}

/** Runs one unit. Throws if the database has rolled back the whole transaction. */
function runUnit(
  writer: Database.Database,
  changes: () => number,
  turn: Turn,
  waiting: Waiting<Unit>,
): MaybePromise<UnitOutcome<Unit>> {
  let open = true;
  const before = changes();
  const end = (outcome: UnitOutcome<Unit>) => {
    open = false;
    if (writer.inTransaction) return outcome;
    // A full disk causes this; the unit may have caught the error.
    throw 'error' in outcome ? outcome.error : new BillingError('unavailable', [], 1);
  };
  const fail = (error: unknown) => end({ waiting, error, hasChanged: changes() > before });
  let value: unknown;
  try {
    value = turn.within(waiting.unit(() => open));
  } catch (error) {
    return fail(error);
  }
  if (!(value instanceof Promise)) return end({ waiting, value });
  return value.then((result: unknown) => end({ waiting, value: result }), fail);
}

/**
 * Begins a transaction; retries for a while if another process holds the lock. SQLite's own busy timeout would block
 * the event loop.
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
  savepoint: writer.prepare('SAVEPOINT unit'),
  release: writer.prepare('RELEASE unit'),
  rollbackTo: writer.prepare('ROLLBACK TO unit'),
});

type Turn = ReturnType<typeof watchTurn>;

/**
 * Watches for units that await more than their queries. A unit that awaits only its queries ends within the event-loop
 * turn it began in. One that is still running when the turn ends keeps the database locked while it awaits something
 * else, such as the network, so it fails.
 */
function watchTurn() {
  let timer: NodeJS.Immediate | undefined;
  let expire: ((error: Error) => void) | undefined;
  const endTurn = () => {
    timer = undefined;
    expire?.(new Error('A unit of work awaited something other than its queries.'));
  };
  return {
    within: <T>(work: MaybePromise<T>): MaybePromise<T> => {
      if (!(work instanceof Promise)) return work;
      timer ??= setImmediate(endTurn);
      return new Promise<T>((resolve, reject) => {
        expire = reject;
        work.then(resolve, reject);
      });
    },
    end: () => {
      clearImmediate(timer);
      timer = undefined;
    },
  };
}
