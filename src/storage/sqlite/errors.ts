import Database from 'better-sqlite3';
import { BillingError } from '../../lib/errors.ts';

/** Driver errors that pass: the disk is full, the file is locked, the medium fails. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** Whether another process held the lock. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Turns a driver's error that may pass into `unavailable` with a time to wait; leaves others as they are. */
export function translateSqliteError(error: unknown): unknown {
  const passes = error instanceof Database.SqliteError && passing.test(error.code);
  if (!passes) return error;
  const unavailable = new BillingError('unavailable', [], 1);
  unavailable.cause = error;
  return unavailable;
}
