/** Pauses of billing, which end on request or at an instant. */
import { findEarlier } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

type Pausing = Pick<Row<'subscriptions'>, 'pausedAt' | 'resumesAt'>;

/** Whether a pause was to end by an instant. */
export const hasPauseEnded = <T extends Pausing>(
  subscription: T,
  now: string,
): subscription is T & { resumesAt: string } =>
  subscription.pausedAt !== null && subscription.resumesAt !== null && subscription.resumesAt <= now;

/**
 * Returns when the scheduler processes a subscription that would be processed at `dueAt` without a pause; null for never.
 * A pause suspends everything but its own end and a cancellation at the end of the period.
 */
export const findDueInPause = (
  { pausedAt, resumesAt, cancelAtPeriodEnd }: Pausing & Pick<Row<'subscriptions'>, 'cancelAtPeriodEnd'>,
  dueAt: string | null,
): string | null => (pausedAt === null ? dueAt : findEarlier(cancelAtPeriodEnd ? dueAt : null, resumesAt));

/** Returns when the next period begins after a pause that ends at `end`: the paid period is used up first. */
export const findNextAfterPause = (nextBillingDate: string, end: string): string =>
  nextBillingDate < end ? end : nextBillingDate;
