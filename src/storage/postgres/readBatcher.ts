import type pg from 'pg';
import { getSocket, type QueryExecutor } from './pipeline.ts';

interface Read {
  config: string | pg.QueryConfig;
  values: unknown[] | undefined;
  resolve: (response: pg.QueryResult) => void;
  reject: (error: unknown) => void;
}

/** More per packet would delay short reads behind long ones and leave the server's other cores idle. */
const maxPerPacket = 8;

/**
 * Sends the reads of an event-loop turn together, several over each connection of the pool: for both sides, a packet
 * costs as much as a short query.
 */
export function batchReads(pool: pg.Pool): QueryExecutor['query'] {
  const waiting: Read[] = [];
  let isScheduled = false;

  const sendWaiting = () => {
    pool.connect((error, client, release) => {
      const reads = waiting.splice(0, maxPerPacket);
      isScheduled = waiting.length > 0;
      if (isScheduled) sendWaiting();
      if (client) send(client, reads, release);
      else for (const { reject } of reads) reject(error);
    });
  };

  return (config, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ config, values, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(sendWaiting);
    });
}

/**
 * Sends reads in one packet and releases the connection when all have responses; the pool replaces it if any read
 * fails.
 */
function send(client: pg.PoolClient, reads: Read[], release: (failure?: Error) => void): void {
  let failure: Error | undefined;
  let awaited = reads.length;
  const stream = getSocket(client);
  stream.cork();
  for (const { config, values, resolve, reject } of reads) {
    client.query(config as string, values as unknown[], (error: Error | null, response) => {
      failure ??= error ?? undefined;
      awaited -= 1;
      if (awaited === 0) release(failure);
      if (error) reject(error);
      else resolve(response);
    });
  }
  stream.uncork();
}
