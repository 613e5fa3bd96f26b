import Database from 'better-sqlite3';
import { BillingError } from '../../lib/errors.ts';

/** Transient driver errors: the disk is full, the file is locked, or I/O fails. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** Whether another process held the lock. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Converts a transient driver error to `unavailable` with a retry time; returns other errors unchanged. */
export function translateSqliteError(error: unknown): unknown {
  const passes = error instanceof Database.SqliteError && passing.test(error.code);
  if (!passes) return error;
  const unavailable = new BillingError('unavailable', [], 1);
  unavailable.cause = error;
  return unavailable;
}
