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

type Outcome =
  | { waiting: Waiting; value: unknown }
  /** Whether what it did before is still there, and must be undone. */
  | { waiting: Waiting; error: unknown; hasChanged: boolean };

/** What the queue asks of the connection that writes. */
interface Writing {
  writer: Database.Database;
  afterBegin: () => void;
  afterCommit: () => void;
}

/**
 * The one queue of writes. All units that gathered while the last commit ran share the next one, and so its fsync,
 * and are answered only when all are durable. A unit may be run twice, but what it did is kept once.
 */
export function groupCommit({ writer, afterBegin, afterCommit }: Writing) {
  const queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  const statement = prepareStatements(writer);
  const { runTogether, runApart } = runnersOf(writer, statement);

  async function drain() {
    while (queue.length > 0) {
      // The pause lets requests that have arrived meanwhile join the batch.
      await new Promise(setImmediate);
      await commitBatch(queue.splice(0, unitsPerCommit));
    }
    running = undefined;
  }

  async function commitBatch(batch: Waiting[]) {
    let outcomes: Outcome[];
    const begunAtMs = performance.now();
    try {
      await begin();
      outcomes = await runTogether(batch);
      const last = outcomes.at(-1)!;
      if (mustBeUndone(last)) {
        statement.rollback.run();
        await begin();
        outcomes = [last, ...(await runApart(batch.filter((waiting) => waiting !== last.waiting)))];
      }
      statement.commit.run();
    } catch (error) {
      if (writer.inTransaction) statement.rollback.run();
      for (const waiting of batch) waiting.reject(translate(error));
      return;
    }
    afterCommit();
    tellCommit(batch.length, begunAtMs);
    for (const outcome of outcomes) answer(outcome);
  }

  async function begin() {
    await beginWhenFree(statement.begin);
    afterBegin();
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

/** The two ways to run a batch within a transaction. */
function runnersOf(writer: Database.Database, statement: Statements) {
  /** Runs units one after the other, up to one that fails when it has changed something: none of it may stay then. */
  async function runTogether(batch: Waiting[]): Promise<Outcome[]> {
    const turn = watchTurn();
    const outcomes: Outcome[] = [];
    for (const waiting of batch) {
      const outcome = await runUnit(waiting, turn);
      outcomes.push(outcome);
      if (mustBeUndone(outcome)) break;
    }
    turn.end();
    return outcomes;
  }

  /** Each in a savepoint of its own, which costs a tenth of a unit's time: what one did that fails is undone. */
  async function runApart(batch: Waiting[]): Promise<Outcome[]> {
    const turn = watchTurn();
    const outcomes: Outcome[] = [];
    for (const waiting of batch) {
      statement.save.run();
      const outcome = await runUnit(waiting, turn);
      if (mustBeUndone(outcome)) statement.undo.run();
      statement.keep.run();
      outcomes.push(outcome);
    }
    turn.end();
    return outcomes;
  }

  /** Runs one unit. Throws where the database has given up the transaction, with all that was done in it. */
  async function runUnit(waiting: Waiting, turn: Turn): Promise<Outcome> {
    let open = true;
    let outcome: Outcome;
    const before = statement.changes.get();
    try {
      outcome = { waiting, value: await turn.within(waiting.unit(() => open)) };
    } catch (error) {
      outcome = { waiting, error, hasChanged: statement.changes.get() !== before };
    } finally {
      open = false;
    }
    if (writer.inTransaction) return outcome;
    // A full disk does that. The unit may have caught the error.
    throw 'error' in outcome ? outcome.error : new BillingError('unavailable', [], 1);
  }

  return { runTogether, runApart };
}

const mustBeUndone = (outcome: Outcome) => 'error' in outcome && outcome.hasChanged;

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
  changes: writer.prepare<[], bigint>('SELECT total_changes()').pluck(),
});

type Turn = ReturnType<typeof watchTurn>;

/**
 * A unit that awaits only its queries ends within the event-loop turn it began in. One that is still at work when
 * the turn ends has awaited something else, a network perhaps, with the database locked: it fails.
 */
function watchTurn() {
  let timer: NodeJS.Immediate | undefined;
  let expire: ((error: Error) => void) | undefined;
  const endTurn = () => {
    timer = undefined;
    expire?.(new Error('A unit of work awaited something other than its queries.'));
  };
  return {
    within: <T>(work: Awaitable<T>): Awaitable<T> => {
      if (!(work instanceof Promise)) return work;
      timer ??= setImmediate(endTurn);
      return new Promise<T>((resolve, reject) => {
        expire = reject;
        work.then(resolve, reject);
      });
    },
    end: () => clearImmediate(timer),
  };
}
