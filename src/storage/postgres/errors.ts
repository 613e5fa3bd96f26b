import { BillingError } from '../../lib/errors.ts';

/**
 * SQLSTATEs that pass: no connection, too many of them, a server that stops or whose disk fails, a statement cut
 * short, a lock not had in time, a standby that was the primary, and work that others were in the way of too often.
 */
const passing = /^(08...|53...|57...|58...|55P03|25006|40...)$/;
/** What node-postgres and the operating system call a connection that is not there. */
const unconnected = /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/;
const lostConnection =
  /terminat|timeout exceeded|connection timeout|read timeout|not queryable|Cannot use a pool after/i;

/** Another unit of work was in the way: this one is to be run again. 40001 and 40P01 of the SQL standard's class 40. */
const conflict = /^40(001|P01)$/;

const getCode = (error: unknown) => (error as { code?: string } | undefined)?.code ?? '';

/** The driver's own error: Drizzle wraps it, and so does `translate`. */
function driverError(error: unknown): unknown {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return getCode(error) === '' && cause !== undefined ? driverError(cause) : error;
}

/** Whether the server has ended a transaction in which nothing happened for too long. */
export const isIdleTooLong = (error: unknown): boolean => getCode(driverError(error)) === '25P03';

/** Whether the server takes no writes: it is a standby, or was the primary once. */
export const isReadOnly = (error: unknown): boolean => getCode(driverError(error)) === '25006';

/** Turns a driver's error that may pass into `unavailable` with a time to wait; leaves others as they are. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof BillingError) return error;
  const own = driverError(error);
  const code = getCode(own);
  const message = own instanceof Error ? own.message : '';
  const passes =
    passing.test(code) || unconnected.test(code) || (code === '' && lostConnection.test(message));
  if (!passes) return own;
  const unavailable = new BillingError('unavailable', [], 1);
  unavailable.cause = own;
  return unavailable;
}

/** Whether a unit of work failed only because another was in its way. */
export function isConflict(error: unknown): boolean {
  return conflict.test(getCode(driverError(error)));
}
