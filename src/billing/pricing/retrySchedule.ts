import { addMs } from '../../lib/time.ts';
import { dayMs } from '../../lib/durations.ts';

/** The instants at which a failed charge is retried, and the final action if none of them succeeds. */
export interface RetrySchedule {
  /** In ascending order. */
  retries: string[];
  /** The last retry; the first failure if there is none. */
  finalAt: string;
}

/** Returns the schedule of a charge that first failed at an instant. `retryDays` ascend. */
export function computeRetries(retryDays: readonly number[], firstFailedAt: string): RetrySchedule {
  const retries = addDays(firstFailedAt, retryDays);
  return { retries, finalAt: retries.at(-1) ?? firstFailedAt };
}

/** Returns the first of the days after an instant that lies after `now`; undefined if none does. `days` ascend. */
export const findNextDay = (days: readonly number[], since: string, now: string): string | undefined =>
  addDays(since, days).find((instant) => instant > now);

const addDays = (since: string, days: readonly number[]): string[] =>
  days.map((day) => addMs(since, day * dayMs));
