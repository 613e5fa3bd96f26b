import { computeRetries } from '../pricing/retrySchedule.ts';
import { findDunningPolicy } from '../../tenants/dunningPolicy.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { addMs, findEarlier } from '../../lib/time.ts';
import { computeStatus, type SubscriptionRow, type SubscriptionStatus } from './subscriptions.ts';
import { dayMs } from '../../lib/durations.ts';

/** Whether a customer may use what a subscription is for. */
export interface Access {
  granted: boolean;
  /** When it ends as things are, or ended; null for no end. */
  until: string | null;
  /** The status that decides. */
  reason: SubscriptionStatus;
}

/** Computes the access at an instant by the status of the subscription and the tenant's dunning policy. */
export function computeAccess(
  subscription: SubscriptionRow,
  tenant: Pick<Row<'tenants'>, 'retryDays' | 'dunning'>,
  now: string,
): Access {
  const { cancelledAt, pausedAt, cancelAt, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const reason = computeStatus(subscription, now);
  if (reason === 'scheduled' || reason === 'incomplete') return { granted: false, until: null, reason };
  if (reason === 'cancelled' || reason === 'paused')
    return { granted: false, until: cancelledAt ?? pausedAt, reason };
  const endsAt = cancelAtPeriodEnd && reason !== 'past_due' ? currentPeriodEnd : cancelAt;
  const until = findEarlier(endsAt, reason === 'past_due' ? findGraceEnd(subscription, tenant) : null);
  return { granted: until === null || until > now, until, reason };
}

/** Returns when the access of a past-due subscription ends; null if it is left past due without an end. */
function findGraceEnd(
  { pastDueSince, cancelAtPeriodEnd }: SubscriptionRow,
  tenant: Pick<Row<'tenants'>, 'retryDays' | 'dunning'>,
): string | null {
  const { finalAction, accessGraceDays } = findDunningPolicy(tenant);
  if (accessGraceDays !== null) return addMs(pastDueSince!, accessGraceDays * dayMs);
  if (finalAction === 'leave' && !cancelAtPeriodEnd) return null;
  return computeRetries(tenant.retryDays, pastDueSince!).finalAt;
}
