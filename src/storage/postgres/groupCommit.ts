import type { MaybePromise } from '../../lib/maybePromise.ts';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { publishCommit } from '../../runtime/commitChannel.ts';
import { BillingError } from '../../lib/errors.ts';
import { isConflict, isIdleTooLong, isReadOnly, translate } from './errors.ts';
import { findOutcome, isUnanswered, UnansweredCommit } from './commitOutcome.ts';
import { watchConnection, type Pipeline } from './pipeline.ts';
import type { Queries } from '../query/queries.ts';
import type { Row } from '../model/rowTypes.ts';

const unitsPerCommit = 50;
const mostTries = 5;
const pauseMs = 10;

type UnitOfWork<T> = (
  queries: Queries,
  latestEvent: string | undefined,
  tenant: Row<'tenants'> | undefined,
) => MaybePromise<T>;

interface Waiting {
  unit: UnitOfWork<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { waiting: Waiting; value: unknown } | { waiting: Waiting; error: unknown };

/** Runs one unit; what it asked may still be under way then. */
type RunUnit = (waiting: Waiting) => Promise<Outcome>;

/** What the queues write with: a pool, how its connections are used, and how many of these they may use. */
interface Connections {
  pool: pg.Pool;
  createPipeline: (client: pg.PoolClient) => Pipeline;
  most: number;
}

/**
 * The queues of writes, one for each tenant. The units of a tenant that gathered while its last commit ran share the
 * next one, under a lock on the tenant's row: so they follow each other, also those of other processes, and a rule may
 * decide by what it reads. Tenants do not wait for each other.
 */
export function tenantQueues({ pool, createPipeline: wireOf, most }: Connections) {
  const queues = new Map<string, Waiting[]>();
  const running = new Map<string, Promise<void>>();
  const turns = limitConcurrency(most);

  async function drain(tenantAlias: string, queue: Waiting[]) {
    while (queue.length > 0) {
      // What arrives while it waits for its turn joins the batch.
      await turns.take();
      try {
        await commitBatch(pool, wireOf, tenantAlias, queue.splice(0, unitsPerCommit));
      } finally {
        turns.giveBack();
      }
    }
    queues.delete(tenantAlias);
    running.delete(tenantAlias);
  }

  return {
    /** Queues a unit; resolves with its value when it is durable, rejects with its error when it was undone. */
    run: <T>(tenantAlias: string, unit: UnitOfWork<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const waiting = { unit, resolve: resolve as (value: unknown) => void, reject };
        const queue = queues.get(tenantAlias);
        if (queue) {
          queue.push(waiting);
          return;
        }
        const begun = [waiting];
        queues.set(tenantAlias, begun);
        running.set(tenantAlias, drain(tenantAlias, begun));
      }),
    /** Resolves when nothing is queued or running. */
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

/** Lets so many go at a time, in the order they came. */
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

/** A unit in which nothing happened for so long that the server has ended its connection. */
class StalledUnit extends Error {
  constructor(readonly waiting: Waiting) {
    super('A unit of work awaited something other than its queries.');
  }
}

/** A unit of a batch has failed and left something behind that is to be undone without its neighbours. */
class BatchNeedsSavepoints extends Error {}

/**
 * Commits a batch of one tenant and answers each of its units; a batch that another was in the way of runs again. So
 * does one of which a unit fails that had changed something: then each has a savepoint, which few batches need.
 */
async function commitBatch(
  pool: pg.Pool,
  wireOf: Connections['createPipeline'],
  tenantAlias: string,
  batch: Waiting[],
): Promise<void> {
  let rest = batch;
  let run = runTogether;
  for (let tries = 1; rest.length > 0; tries++) {
    try {
      answer(await attempt(pool, wireOf, tenantAlias, rest, run));
      return;
    } catch (error) {
      if (error instanceof UnansweredCommit) {
        answer(await outcomesAfterAll(pool, error as UnansweredCommit<Outcome>));
        return;
      }
      if (error instanceof StalledUnit) {
        error.waiting.reject(error);
        rest = rest.filter((waiting) => waiting !== error.waiting);
      } else if (error instanceof BatchNeedsSavepoints) {
        run = runApart;
      } else if (isConflict(error) && tries < mostTries) {
        await setTimeout(pauseMs * tries);
      } else {
        for (const waiting of rest) waiting.reject(translate(error));
        return;
      }
    }
  }
}

function answer(outcomes: Outcome[]): void {
  for (const outcome of outcomes) {
    if ('error' in outcome) outcome.waiting.reject(outcome.error);
    else outcome.waiting.resolve(outcome.value);
  }
}

/** What became of units whose COMMIT was not answered: their outcomes, `unavailable`, or `outcome_unknown`. */
async function outcomesAfterAll(
  pool: pg.Pool,
  { evidence, outcomes, cause }: UnansweredCommit<Outcome>,
): Promise<Outcome[]> {
  const found = await findOutcome(pool, evidence);
  if (found === 'committed') return outcomes;
  const error = new BillingError(found === 'aborted' ? 'unavailable' : 'outcome_unknown', [], 1);
  error.cause = cause;
  return outcomes.map(({ waiting }) => ({ waiting, error }));
}

async function attempt(
  pool: pg.Pool,
  wireOf: Connections['createPipeline'],
  tenantAlias: string,
  batch: Waiting[],
  runSeveral: typeof runTogether,
): Promise<Outcome[]> {
  const client = await pool.connect();
  const wire = wireOf(client);
  const lost = watchConnection(client);
  const begunAtMs = performance.now();
  let broken: Error | undefined;
  try {
    const { latestEvent, tenant } = await wire.begin(tenantAlias);
    const runUnit: RunUnit = (waiting) =>
      awaitOutcome(waiting, lost.promise, (isOpen) =>
        waiting.unit(wire.queries.during(isOpen), latestEvent, tenant()),
      );
    const run = batch.length === 1 ? runAlone : runSeveral;
    const outcomes = await run(wire, batch, runUnit);
    publishCommit(batch.length, begunAtMs);
    return outcomes;
  } catch (error) {
    await wire.undo('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    // Where there are several servers, the next connection is to the one that takes writes.
    if (isReadOnly(error)) broken ??= error as Error;
    // A batch that fails because its connection is lost is not tried again.
    throw broken && error instanceof BatchNeedsSavepoints ? broken : error;
  } finally {
    lost.forget();
    // A connection that cannot even roll back is not given to another.
    client.release(broken);
  }
}

/** Runs one unit as a transaction: commits it, or undoes it where it failed. */
async function runAlone(wire: Pipeline, [waiting]: Waiting[], runUnit: RunUnit): Promise<Outcome[]> {
  const course = wire.beginUnit();
  const outcome = await runUnit(waiting!);
  if ('error' in outcome) {
    if (isConflict(outcome.error)) throw outcome.error;
    await wire.undo('ROLLBACK');
    return [failed(outcome, course.failure)];
  }
  if (await isCommitted(wire, [outcome])) return [outcome];
  const error = new Error('A unit of work went on after a query of it had failed.');
  return [failed({ waiting: waiting!, error }, course.failure)];
}

/**
 * Runs units one after the other and commits what they did. One that fails before it has changed anything does not
 * concern the others; what has been sent by then and fails later concerns them all.
 */
async function runTogether(wire: Pipeline, batch: Waiting[], runUnit: RunUnit): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const waiting of batch) {
    const course = wire.beginUnit();
    const outcome = await runUnit(waiting);
    outcomes.push(outcome);
    if ('error' in outcome && isConflict(outcome.error)) throw outcome.error;
    if ('error' in outcome && course.changes > 0) throw new BatchNeedsSavepoints();
  }
  if (!(await isCommitted(wire, outcomes))) throw new BatchNeedsSavepoints();
  return outcomes;
}

/** The same with a savepoint for each: whichever fails is undone, and the others go on. */
async function runApart(wire: Pipeline, batch: Waiting[], runUnit: RunUnit): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const waiting of batch) {
    await wire.query('SAVEPOINT unit');
    outcomes.push(await runSaved(wire, waiting, runUnit));
  }
  if (!(await isCommitted(wire, outcomes)))
    throw new Error('A savepoint was kept of a transaction that had failed.');
  return outcomes;
}

async function runSaved(wire: Pipeline, waiting: Waiting, runUnit: RunUnit): Promise<Outcome> {
  const course = wire.beginUnit();
  const outcome = await runUnit(waiting);
  try {
    if ('error' in outcome) throw outcome.error;
    // Fails where a query of the unit has failed.
    await wire.keep('RELEASE SAVEPOINT unit');
    return outcome;
  } catch (error) {
    if (isConflict(error)) throw error;
    // Fails when the connection is lost, and then so has the whole batch.
    await wire.undo('ROLLBACK TO SAVEPOINT unit');
    return failed({ waiting, error }, course.failure);
  }
}

/** A unit that failed: by what the database told it, even where that came after it had failed otherwise. */
function failed(outcome: Outcome, failure: unknown): Outcome {
  if (isConflict(failure)) throw failure;
  if (failure !== undefined) return { waiting: outcome.waiting, error: translate(failure) };
  return outcome;
}

/** Runs a unit; one that is still at work when its connection is lost has failed. */
async function awaitOutcome(
  waiting: Waiting,
  lost: Promise<never>,
  run: (isOpen: () => boolean) => MaybePromise<unknown>,
): Promise<Outcome> {
  let open = true;
  try {
    return { waiting, value: await Promise.race([run(() => open), lost]) };
  } catch (error) {
    if (isIdleTooLong(error)) throw new StalledUnit(waiting);
    return { waiting, error };
  } finally {
    open = false;
  }
}

/**
 * Commits, unless a query of the transaction has failed: the server answers that with ROLLBACK, and no error. Error:
 * `UnansweredCommit`, with the outcomes of the units.
 */
async function isCommitted(wire: Pipeline, outcomes: Outcome[]): Promise<boolean> {
  try {
    return (await wire.keep('COMMIT')) === 'COMMIT';
  } catch (error) {
    throw isUnanswered(error) ? new UnansweredCommit(wire.evidence(), outcomes, error) : error;
  }
}
