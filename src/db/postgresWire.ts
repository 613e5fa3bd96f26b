import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Awaitable } from '../awaitable.ts';
import { Queries, type Driver } from './queries.ts';

/** What takes statements: a pool, or one of its connections. */
export interface Asked {
  query: (config: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;
  /** Answers how many rows changed. */
  write: (config: pg.QueryConfig) => Promise<number>;
}

/** What has become of the statements of a unit of work so far. */
interface Course {
  /** How many have changed something; those that have yet to be answered count as well. */
  changes: number;
  /** The error of the first that failed. */
  failure?: unknown;
}

/** One connection, to which statements are sent however many have yet to be answered. */
export interface Wire extends Asked {
  queries: Queries;
  /** Begins a unit of work, to which statements belong until another begins. */
  beginUnit: () => Course;
}

/** What follows a failure in a transaction: no statement is performed, and those prepared meanwhile are not known. */
const consequences = ['25P02', '26000'];

/**
 * Makes a wire of a connection that pipelines. The server takes statements in order: where one fails, those after it
 * in its transaction fail as well, and with its error. Those that nobody waits for go with the next that is awaited.
 */
export function wireOn(client: pg.PoolClient, driverOf: (asked: Asked) => Driver): Wire {
  let unit: Course = { changes: 0 };
  let lastFailure: Error | undefined;
  let isAwaited = true;
  const packet = packetOf(client);

  const query: Asked['query'] = (config, values) => {
    const course = unit;
    let refused: Error | undefined;
    const told = (error: Error & { code?: string }) => {
      if (lastFailure === undefined || !consequences.includes(error.code ?? '')) lastFailure = error;
      course.failure ??= lastFailure;
      return (refused = lastFailure);
    };
    packet.begin();
    const answer = new Promise<pg.QueryResult>((resolve, reject) => {
      client.query(config as string, values as unknown[], (error: Error | null, result) => {
        if (error) reject(told(error));
        else resolve(result);
      });
    });
    if (isAwaited) packet.end();
    if (refused === undefined) return answer;
    // It was not sent, so the server will not tell those who do not wait for the answer.
    answer.catch(() => {});
    throw refused;
  };

  const write: Asked['write'] = (config) => {
    const course = unit;
    const answer = query(config);
    course.changes += 1;
    return answer.then(({ rowCount }) => {
      if (rowCount === 0) course.changes -= 1;
      return rowCount ?? 0;
    });
  };

  const unanswered = (each: () => Awaitable<unknown>) => {
    isAwaited = false;
    try {
      Promise.resolve(each()).catch(() => {});
    } finally {
      isAwaited = true;
    }
  };

  const queries = new Queries({ ...driverOf({ query, write }), unanswered });
  return { query, write, queries, beginUnit: () => (unit = { changes: 0 }) };
}

/** Statements that go to the server in one piece: it is not woken for each. */
function packetOf(client: pg.PoolClient) {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  let isBegun = false;
  return {
    begin: () => {
      if (!isBegun) stream.cork();
      isBegun = true;
    },
    end: () => {
      isBegun = false;
      stream.uncork();
    },
  };
}
