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

type Billed = Pick<
  Row<'subscriptions'>,
  'nextBillingDate' | 'pausedAt' | 'resumesAt' | 'parkedReason' | 'cancelAt' | 'cancelAtPeriodEnd'
>;

/**
 * Returns when the next period of a subscription is billed; null if none is: it ends before, is parked, or is paused until it
 * is resumed on request. `invoicedUntil` is the end of the period of its open invoice, if it has one.
 */
export function findNextInvoiceAt(subscription: Billed, invoicedUntil: string | undefined): string | null {
  const { nextBillingDate, pausedAt, resumesAt, parkedReason, cancelAt, cancelAtPeriodEnd } = subscription;
  if (nextBillingDate === null || parkedReason !== null || cancelAtPeriodEnd) return null;
  if (pausedAt !== null && resumesAt === null) return null;
  const start = invoicedUntil ?? nextBillingDate;
  const at = resumesAt === null ? start : findNextAfterPause(start, resumesAt);
  return cancelAt !== null && at >= cancelAt ? null : at;
}
