import { BillingError } from '../errors.ts';

/** Classes of SQLSTATE that pass: no connection, too many of them, a server that stops, a statement cut short. */
const passing = /^(08|53|57)/;
/** What node-postgres and the operating system call a connection that is not there. */
const unconnected = /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/;
const lostConnection = /terminat|timeout exceeded|connection timeout|not queryable|Cannot use a pool after/i;

/** Another unit of work was in the way: this one is to be run again. 40001 and 40P01 of the SQL standard's class 40. */
const conflict = /^40(001|P01)$/;

const codeOf = (error: unknown) => String((error as { code?: unknown } | undefined)?.code ?? '');

/** The driver's own error: Drizzle wraps it. */
function driverError(error: unknown): unknown {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return codeOf(error) === '' && cause !== undefined ? driverError(cause) : error;
}

/** Turns a driver's error that may pass into `unavailable` with a time to wait; leaves others as they are. */
export function translate(error: unknown): unknown {
  if (error instanceof BillingError) return error;
  const own = driverError(error);
  const code = codeOf(own);
  const message = own instanceof Error ? own.message : '';
  const passes =
    passing.test(code) || unconnected.test(code) || (code === '' && lostConnection.test(message));
  return passes ? new BillingError('unavailable', [], 1) : own;
}

/** Whether a unit of work failed only because another was in its way. */
export function isConflict(error: unknown): boolean {
  return conflict.test(codeOf(driverError(error)));
}
