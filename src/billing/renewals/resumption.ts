import { findNextAfterPause } from '../pricing/pauses.ts';
import { computeTrialDueAt, isBeforeFirstPeriod, isTrialing } from '../pricing/trials.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findTrialAnchor } from './trialSteps.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** Whether a pause that ends at an instant has lasted over the end of the trial: the first whole period begins then. */
export const beginsAfterPause = (subscription: SubscriptionRow, end: string): boolean =>
  subscription.pausedAt !== null && !isTrialing(subscription, end) && isBeforeFirstPeriod(subscription);

/** Returns the anchor of a subscription whose pause ends at an instant. */
export const findAnchorAfterPause = async (
  reads: Reads,
  subscription: SubscriptionRow,
  end: string,
): Promise<string> =>
  beginsAfterPause(subscription, end) ? findTrialAnchor(reads, subscription, end) : subscription.anchor;

/**
 * Ends a pause as of an instant, or goes on with a parked subscription. The anchor stays: the paid period is used up
 * first, then the rest of the current cycle is charged by time.
 */
export async function resume(
  unit: UnitOfWork,
  subscription: SubscriptionRow & { nextBillingDate: string },
  end: string,
): Promise<SubscriptionRow> {
  const { pausedAt, nextBillingDate } = subscription;
  const next = pausedAt === null ? nextBillingDate : findNextAfterPause(nextBillingDate, end);
  const resumed = {
    pausedAt: null,
    resumesAt: null,
    parkedReason: null,
    anchor: await findAnchorAfterPause(unit, subscription, end),
    nextBillingDate: next,
    dueAt: isTrialing(subscription, end) ? computeTrialDueAt(subscription) : next,
    claimedUntil: null,
  };
  return unit.change('subscriptions', subscription, resumed, { action: 'resumed' });
}
