import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { BillingError } from '../../lib/errors.ts';

const maxTries = 200;
const pauseMs = 10;

/**
 * Copies the write-ahead log into the database file and truncates it, because it contains old versions of pages. Error:
 * `unavailable` if a long read, such as a backup, prevents it.
 */
export async function emptyLog(path: string): Promise<void> {
  const connection = new Database(path, { timeout: 0 });
  try {
    for (let tries = 1; ; tries++) {
      const [state] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      if (state!.busy === 0) return;
      if (tries === maxTries) throw new BillingError('unavailable', [], 1);
      await pause(pauseMs);
    }
  } finally {
    connection.close();
  }
}
