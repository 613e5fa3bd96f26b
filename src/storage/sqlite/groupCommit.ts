import type { MaybePromise } from '../../lib/maybePromise.ts';
import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { BillingError } from '../../lib/errors.ts';
import { publishCommit } from '../../runtime/commitChannel.ts';
import { isLocked, translate } from './errors.ts';

const unitsPerCommit = 100;
/** A unit waits no longer for others that still come. */
const gatherMs = 2;
const lockTries = 20;
const lockPauseMs = 5;

/** A unit of work; it is told whether it is still its time. */
type UnitOfWork<T> = (isOpen: () => boolean) => MaybePromise<T>;

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
  beforeCommit: () => void;
  /** How many rows it has changed so far, those included whose change was undone. */
  changes: () => number;
}

/**
 * The one queue of writes. All units that gathered while the last commit ran share the next one, and so its fsync,
 * and are answered only when all are durable. A unit may be run twice, but what it did is kept once.
 */
export function groupCommit({ writer, afterBegin, beforeCommit, changes }: Writing) {
  const queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  const statement = prepareStatements(writer);
  const runAll = createRunner(writer, statement, changes);

  async function drain() {
    while (queue.length > 0) {
      await gather();
      await commitBatch(queue.splice(0, unitsPerCommit));
    }
    running = undefined;
  }

  /** Waits while each turn of the event loop brings more: a commit costs the same for one as for many. */
  async function gather() {
    const untilMs = performance.now() + gatherMs;
    let gathered;
    do {
      gathered = queue.length;
      await new Promise(setImmediate);
    } while (queue.length > gathered && queue.length < unitsPerCommit && performance.now() < untilMs);
  }

  async function commitBatch(batch: Waiting[]) {
    let outcomes: Outcome[];
    const begunAtMs = performance.now();
    try {
      await begin();
      outcomes = await runAll(batch, false);
      const last = outcomes.at(-1)!;
      if (mustBeUndone(last)) {
        statement.rollback.run();
        await begin();
        const others = batch.filter((waiting) => waiting !== last.waiting);
        outcomes = [last, ...(await runAll(others, true))];
      }
      beforeCommit();
      statement.commit.run();
    } catch (error) {
      if (writer.inTransaction) statement.rollback.run();
      for (const waiting of batch) waiting.reject(translate(error));
      return;
    }
    publishCommit(batch.length, begunAtMs);
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

/** Runs a batch within a transaction. */
function createRunner(writer: Database.Database, statement: Statements, changes: () => number) {
  /**
   * Runs units one after the other. One that fails when it has changed something ends the run, for none of it may
   * stay then; unless each is kept apart by a savepoint of its own, which costs a tenth of a unit's time.
   */
  async function runAll(batch: Waiting[], areApart: boolean): Promise<Outcome[]> {
    const turn = watchTurn();
    const outcomes: Outcome[] = [];
    for (const waiting of batch) {
      if (areApart) statement.save.run();
      const ran = runUnit(waiting, turn);
      const outcome = ran instanceof Promise ? await ran : ran;
      outcomes.push(outcome);
      const isSpoilt = mustBeUndone(outcome);
      if (isSpoilt && !areApart) break;
      if (isSpoilt) statement.undo.run();
      if (areApart) statement.keep.run();
    }
    turn.end();
    return outcomes;
  }

  /** Runs one unit. Throws where the database has given up the transaction, with all that was done in it. */
  function runUnit(waiting: Waiting, turn: Turn): MaybePromise<Outcome> {
    let open = true;
    const before = changes();
    const end = (outcome: Outcome) => {
      open = false;
      if (writer.inTransaction) return outcome;
      // A full disk does that. The unit may have caught the error.
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
    return value.then((come: unknown) => end({ waiting, value: come }), fail);
  }

  return runAll;
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
    within: <T>(work: MaybePromise<T>): MaybePromise<T> => {
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
