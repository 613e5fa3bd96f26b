/** Comparisons of a customer's usage with its alerts that have failed: tried again later, with growing delays. */
import { hourMs, minuteMs } from '../../lib/durations.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type LimitCheck = Row<'limitChecks'>;

type Retry = Pick<LimitCheck, 'failures' | 'dueAt'>;

/** The checks of a customer that have failed. */
export interface FailedChecks {
  customerId: string;
  checks: LimitCheck[];
  error: unknown;
}

/** Runs `work` for a customer; returns the failure unless it is a transient one. Error: `unavailable`. */
export async function isolate<T>(
  { customerId, checks }: Omit<FailedChecks, 'error'>,
  work: () => Promise<T>,
): Promise<T | FailedChecks> {
  try {
    return await work();
  } catch (error) {
    // A transient error of the database says nothing about the customer.
    if (error instanceof BillingError && isTransient(error.reason)) throw error;
    return { customerId, checks, error };
  }
}

/** Returns when checks that have failed are tried again: after a minute, then two, four, up to an hour. */
export function planRetry(checks: readonly LimitCheck[], now: string): Retry {
  const failures = 1 + Math.max(...checks.map((check) => check.failures ?? 0));
  return { failures, dueAt: addMs(now, Math.min(minuteMs * 2 ** (failures - 1), hourMs)) };
}

/** Finds the checks of customers that wait for another try, by customer. */
export async function findPostponed(
  reads: Reads,
  customerId: string[],
  now: string,
): Promise<Map<string, LimitCheck>> {
  const waiting = await reads.many('limitChecks', { where: { customerId, dueAt: { after: now } } });
  return new Map(waiting.map((check) => [check.customerId, check]));
}

/**
 * Replaces checks of a customer by one that is due later. It has an id of its own, so that a server that has read the earlier ones
 * does not remove it.
 */
export async function postponeChecks(
  unit: UnitOfWork,
  customerId: string,
  checks: readonly LimitCheck[],
  { failures, dueAt }: Retry,
): Promise<void> {
  await unit.removeUntraced('limitChecks', { id: checks.map(({ id }) => id) });
  await unit.insertUntraced('limitChecks', { id: unit.id('lic'), customerId, failures, dueAt });
}
