import type { Awaitable } from '../awaitable.ts';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { tellCommit } from '../commits.ts';
import { isConflict, isIdleTooLong, translate } from './postgresErrors.ts';
import type { Queries } from './queries.ts';

const unitsPerCommit = 50;
const mostTries = 5;
const pauseMs = 10;

type UnitOfWork<T> = (queries: Queries, latestEvent: string | undefined) => Awaitable<T>;

interface Waiting {
  unit: UnitOfWork<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { waiting: Waiting; value: unknown } | { waiting: Waiting; error: unknown };

/** What the queues write with: a pool, the queries of each of its connections, and how many of these they may use. */
interface Connections {
  pool: pg.Pool;
  queriesOf: (client: pg.PoolClient) => Queries;
  most: number;
}

/**
 * The queues of writes, one for each tenant. The units of a tenant that gathered while its last commit ran share the
 * next one, each in a savepoint (none when it is alone), under a lock on the tenant's row: so they follow each other,
 * also those of other processes, and a rule may decide by what it reads. Tenants do not wait for each other.
 */
export function tenantQueues({ pool, queriesOf, most }: Connections) {
  const queues = new Map<string, Waiting[]>();
  const running = new Map<string, Promise<void>>();
  const turns = turnsOf(most);

  async function drain(tenantAlias: string, queue: Waiting[]) {
    while (queue.length > 0) {
      // What arrives while it waits for its turn joins the batch.
      await turns.take();
      try {
        await commitBatch(pool, queriesOf, tenantAlias, queue.splice(0, unitsPerCommit));
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
function turnsOf(most: number) {
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

/** Commits a batch of one tenant and answers each of its units; a batch that another was in the way of runs again. */
async function commitBatch(
  pool: pg.Pool,
  queriesOf: Connections['queriesOf'],
  tenantAlias: string,
  batch: Waiting[],
): Promise<void> {
  let rest = batch;
  for (let tries = 1; rest.length > 0; tries++) {
    try {
      for (const outcome of await attempt(pool, queriesOf, tenantAlias, rest)) {
        if ('error' in outcome) outcome.waiting.reject(outcome.error);
        else outcome.waiting.resolve(outcome.value);
      }
      return;
    } catch (error) {
      if (error instanceof StalledUnit) {
        error.waiting.reject(error);
        rest = rest.filter((waiting) => waiting !== error.waiting);
      } else if (isConflict(error) && tries < mostTries) {
        await setTimeout(pauseMs * tries);
      } else {
        for (const waiting of rest) waiting.reject(translate(error));
        return;
      }
    }
  }
}

async function attempt(
  pool: pg.Pool,
  queriesOf: Connections['queriesOf'],
  tenantAlias: string,
  batch: Waiting[],
): Promise<Outcome[]> {
  const client = await pool.connect();
  const lost = lossOf(client);
  const begunAtMs = performance.now();
  let broken: Error | undefined;
  try {
    // One round trip; the lock comes before any read, so that what is read is what the last unit left.
    const alias = pg.escapeLiteral(tenantAlias);
    const answers = (await client.query(
      `BEGIN; SELECT 1 FROM tenants WHERE alias = ${alias} FOR NO KEY UPDATE;
      SELECT max(event_id) AS latest FROM traces WHERE tenant_alias = ${alias}`,
    )) as unknown as pg.QueryResult<{ latest: string | null }>[];
    const latestEvent = answers[2]!.rows[0]!.latest ?? undefined;
    const runUnit = (waiting: Waiting) => outcomeOf(queriesOf(client), waiting, latestEvent, lost.promise);
    if (batch.length === 1) {
      const outcome = await runAlone(client, await runUnit(batch[0]!));
      tellCommit(1, begunAtMs);
      return [outcome];
    }
    const outcomes: Outcome[] = [];
    for (const waiting of batch) {
      await client.query('SAVEPOINT unit');
      outcomes.push(await runSaved(client, await runUnit(waiting)));
    }
    await commit(client);
    tellCommit(batch.length, begunAtMs);
    return outcomes;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    lost.forget();
    // A connection that cannot even roll back is not given to another.
    client.release(broken);
  }
}

/** Ends the transaction of one unit: commits it, or undoes it where the unit failed. */
async function runAlone(client: pg.PoolClient, outcome: Outcome): Promise<Outcome> {
  if ('error' in outcome) {
    if (isConflict(outcome.error)) throw outcome.error;
    await client.query('ROLLBACK');
  } else {
    await commit(client);
  }
  return outcome;
}

/** Ends the savepoint of one unit of several: where it failed it is undone, and the others go on. */
async function runSaved(client: pg.PoolClient, outcome: Outcome): Promise<Outcome> {
  try {
    if ('error' in outcome) throw outcome.error;
    // Fails where the unit overlooked that a query had failed.
    await client.query('RELEASE SAVEPOINT unit');
    return outcome;
  } catch (error) {
    if (isConflict(error)) throw error;
    // Fails when the connection is lost, and then so has the whole batch.
    await client.query('ROLLBACK TO SAVEPOINT unit');
    return { waiting: outcome.waiting, error };
  }
}

/** Runs a unit; one that is still at work when its connection is lost has failed. */
async function outcomeOf(
  queries: Queries,
  waiting: Waiting,
  latestEvent: string | undefined,
  lost: Promise<never>,
): Promise<Outcome> {
  let open = true;
  try {
    return {
      waiting,
      value: await Promise.race([
        waiting.unit(
          queries.during(() => open),
          latestEvent,
        ),
        lost,
      ]),
    };
  } catch (error) {
    if (isIdleTooLong(error)) throw new StalledUnit(waiting);
    return { waiting, error };
  } finally {
    open = false;
  }
}

/** A promise that is rejected when the connection is lost between two queries. */
function lossOf(client: pg.PoolClient) {
  let listener!: (error: Error) => void;
  const promise = new Promise<never>((_, reject) => {
    listener = reject;
    client.once('error', listener);
  });
  promise.catch(() => {});
  return { promise, forget: () => client.off('error', listener) };
}

/** The server answers the COMMIT of a transaction that has failed with ROLLBACK, and no error. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new Error('A unit of work went on after a query of it had failed.');
}
