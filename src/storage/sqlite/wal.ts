import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { BillingError } from '../../lib/errors.ts';

const mostTries = 200;
const pauseMs = 10;

/**
 * Takes the write-ahead log over into the database file and cuts it off: it holds pages as they were. Error:
 * `unavailable` where somebody reads for long, such as a backup.
 */
export async function emptyLog(path: string): Promise<void> {
  const connection = new Database(path, { timeout: 0 });
  try {
    for (let tries = 1; ; tries++) {
      const [state] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      if (state!.busy === 0) return;
      if (tries === mostTries) throw new BillingError('unavailable', [], 1);
      await pause(pauseMs);
    }
  } finally {
    connection.close();
  }
}
