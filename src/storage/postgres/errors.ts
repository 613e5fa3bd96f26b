import { BillingError } from '../../lib/errors.ts';

/**
 * SQLSTATEs of transient errors: connection failures, a rejected user, password or database (28, 3D), too many
 * connections, a stopping server or failing disk, a canceled statement, a lock timeout, a standby that was the primary,
 * and repeated conflicts with other transactions.
 */
const passing = /^(08...|28...|3D...|53...|57...|58...|55P03|25006|40...)$/;
/** The message for `ALTER DATABASE … ALLOW_CONNECTIONS false`; its SQLSTATE, 55000, has other meanings too. */
const closedDatabase = /not currently accepting connections/;
/** The codes by which node-postgres and the operating system report a failed connection. */
const unconnected = /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/;
const lostConnection =
  /terminat|timeout exceeded|connection timeout|read timeout|not queryable|Cannot use a pool after/i;

/** How Citus reports that it has lost a worker; the SQLSTATE, XX000, has other meanings too. */
const lostWorker =
  /connection marked as essential|SSL SYSCALL error|server closed the connection|could not commit transaction for shard/;

/**
 * Conflicts with another transaction, after which the unit is run again: 40001 and 40P01 of the SQL standard's class
 * 40.
 */
const conflict = /^40(001|P01)$/;

const getCode = (error: unknown) => (error as { code?: string } | undefined)?.code ?? '';

/** Returns the driver's own error: Drizzle and `translatePostgresError` wrap it. */
function unwrapDriverError(error: unknown): unknown {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return getCode(error) === '' && cause !== undefined ? unwrapDriverError(cause) : error;
}

/** Whether the server ended a transaction because it was idle for too long. */
export const isIdleTooLong = (error: unknown): boolean => getCode(unwrapDriverError(error)) === '25P03';

/** Whether the server refuses writes, because it is a standby or a former primary. */
export const isReadOnly = (error: unknown): boolean => getCode(unwrapDriverError(error)) === '25006';

/** Whether the coordinator of a distributed database has lost a worker, which may have committed its part. */
export function isLostWorker(error: unknown): boolean {
  const own = unwrapDriverError(error);
  return getCode(own) === 'XX000' && own instanceof Error && lostWorker.test(own.message);
}

/** Converts a transient driver error to `unavailable` with a retry time; returns other errors unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof BillingError) return error;
  const own = unwrapDriverError(error);
  const code = getCode(own);
  const message = own instanceof Error ? own.message : '';
  const passes =
    passing.test(code) ||
    unconnected.test(code) ||
    (code === '55000' && closedDatabase.test(message)) ||
    isLostWorker(own) ||
    (code === '' && lostConnection.test(message));
  if (!passes) return own;
  const unavailable = new BillingError('unavailable', [], 1);
  unavailable.cause = own;
  return unavailable;
}

/** Returns whether a unit of work failed only because of a conflict with another transaction. */
export function isConflict(error: unknown): boolean {
  return conflict.test(getCode(unwrapDriverError(error)));
}
