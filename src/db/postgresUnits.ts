import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { isConflict, translate } from './postgresErrors.ts';
import type { Awaitable, Queries } from './queries.ts';

const unitsPerCommit = 50;
const mostTries = 5;
const pauseMs = 10;

interface Waiting {
  unit: (queries: Queries) => Awaitable<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { waiting: Waiting; value: unknown } | { waiting: Waiting; error: unknown };

/**
 * The queues of writes, one for each tenant. The units of a tenant that gathered while its last commit ran share the
 * next one, each in a savepoint, under a lock on the tenant's row: so they follow each other, also those of other
 * processes, and a rule may decide by what it reads. Tenants do not wait for each other.
 */
export function tenantQueues(pool: pg.Pool, queriesOf: (client: pg.PoolClient) => Queries) {
  const queues = new Map<string, Waiting[]>();
  const running = new Map<string, Promise<void>>();

  async function drain(tenantAlias: string, queue: Waiting[]) {
    while (queue.length > 0) {
      await commitBatch(tenantAlias, queue.splice(0, unitsPerCommit));
    }
    queues.delete(tenantAlias);
    running.delete(tenantAlias);
  }

  async function commitBatch(tenantAlias: string, batch: Waiting[]) {
    for (let tries = 1; ; tries++) {
      try {
        const outcomes = await attempt(tenantAlias, batch);
        for (const outcome of outcomes) {
          if ('error' in outcome) outcome.waiting.reject(outcome.error);
          else outcome.waiting.resolve(outcome.value);
        }
        return;
      } catch (error) {
        if (!isConflict(error) || tries === mostTries) {
          for (const waiting of batch) waiting.reject(translate(error));
          return;
        }
        await setTimeout(pauseMs * tries);
      }
    }
  }

  async function attempt(tenantAlias: string, batch: Waiting[]): Promise<Outcome[]> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM tenants WHERE alias = $1 FOR NO KEY UPDATE', [tenantAlias]);
      const outcomes: Outcome[] = [];
      for (const waiting of batch) outcomes.push(await runUnit(client, waiting));
      await client.query('COMMIT');
      return outcomes;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      // A connection that cannot even roll back is not given to another.
      client.release(broken);
    }
  }

  async function runUnit(client: pg.PoolClient, waiting: Waiting): Promise<Outcome> {
    let open = true;
    await client.query('SAVEPOINT unit');
    try {
      const value = await waiting.unit(queriesOf(client).during(() => open));
      await client.query('RELEASE SAVEPOINT unit');
      return { waiting, value };
    } catch (error) {
      if (isConflict(error)) throw error;
      // Fails when the connection is lost, and then so has the whole batch.
      await client.query('ROLLBACK TO SAVEPOINT unit');
      return { waiting, error };
    } finally {
      open = false;
    }
  }

  return {
    /** Queues a unit; resolves with its value when it is durable, rejects with its error when it was undone. */
    run: <T>(tenantAlias: string, unit: (queries: Queries) => Awaitable<T>): Promise<T> =>
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
