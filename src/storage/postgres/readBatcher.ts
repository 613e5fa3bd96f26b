import type pg from 'pg';
import { getSocket, type QueryExecutor } from './pipeline.ts';

interface Read {
  config: string | pg.QueryConfig;
  values: unknown[] | undefined;
  resolve: (answer: pg.QueryResult) => void;
  reject: (error: unknown) => void;
}

/** More would keep a short read waiting for long ones, and the server's other processors idle. */
const mostTogether = 8;

/**
 * Sends the reads that a turn of the event loop asks for together, some over each connection of the pool: a packet
 * costs both sides as much as a short query does.
 */
export function batchReads(pool: pg.Pool): QueryExecutor['query'] {
  const waiting: Read[] = [];
  let isAsking = false;

  const ask = () => {
    pool.connect((error, client, release) => {
      const reads = waiting.splice(0, mostTogether);
      isAsking = waiting.length > 0;
      if (isAsking) ask();
      if (client) send(client, reads, release);
      else for (const { reject } of reads) reject(error);
    });
  };

  return (config, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ config, values, resolve, reject });
      if (isAsking) return;
      isAsking = true;
      setImmediate(ask);
    });
}

/** Sends reads in one packet, and gives the connection back when all are answered; a new one takes its place if any fails. */
function send(client: pg.PoolClient, reads: Read[], release: (failure?: Error) => void): void {
  let failure: Error | undefined;
  let awaited = reads.length;
  const stream = getSocket(client);
  stream.cork();
  for (const { config, values, resolve, reject } of reads) {
    client.query(config as string, values as unknown[], (error: Error | null, answer) => {
      failure ??= error ?? undefined;
      awaited -= 1;
      if (awaited === 0) release(failure);
      if (error) reject(error);
      else resolve(answer);
    });
  }
  stream.uncork();
}
