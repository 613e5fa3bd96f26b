/** The steps of a trial that the scheduler performs: its scheduled start, the announcement of its end, and its end. */
import { computeTrialDueAt, isTrialing } from '../pricing/trials.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { endSubscription } from './termination.ts';

type SubscriptionRow = Row<'subscriptions'>;

/**
 * Performs the due step of a trial. Returns the subscription if the trial has ended or is cancelled, so that it is billed
 * or ended now; undefined if the trial continues.
 */
export async function passTrial(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  isEnding: boolean,
): Promise<SubscriptionRow | undefined> {
  if (!isTrialing(subscription, unit.now)) return recordTrialEnd(unit, subscription);
  if (isEnding) return subscription;
  const { startsAt, trialEndsAt, currentPeriodEnd } = subscription;
  const hasBegun = currentPeriodEnd !== null;
  const step = hasBegun
    ? { trialEndAnnouncedAt: unit.now }
    : { currentPeriodStart: startsAt, currentPeriodEnd: trialEndsAt };
  const dueAt = computeTrialDueAt({ ...subscription, ...step });
  const isAnnouncement = hasBegun && subscription.trialEndAnnouncedAt === null;
  await unit.change(
    'subscriptions',
    subscription,
    { ...step, dueAt, claimedUntil: null },
    { action: isAnnouncement ? 'trial_will_end' : 'updated' },
  );
  return undefined;
}

/** Records once that the trial has ended. */
async function recordTrialEnd(unit: UnitOfWork, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { startsAt, trialEndsAt, trialEndAnnouncedAt } = subscription;
  if (trialEndAnnouncedAt !== null && trialEndAnnouncedAt >= trialEndsAt!) return subscription;
  const ended = await unit.change('subscriptions', subscription, {
    trialEndAnnouncedAt: unit.now,
    currentPeriodStart: startsAt,
    currentPeriodEnd: trialEndsAt,
  });
  await unit.recordEvent('subscriptions', ended, 'trial_ended');
  return ended;
}

/** Cancels or pauses a subscription whose trial ended without a payment method, by the setting of the tenant. */
export async function endWithoutMethod(unit: UnitOfWork, subscription: SubscriptionRow): Promise<void> {
  if (unit.tenant.trialEndWithoutMethod !== 'pause') {
    await endSubscription(unit, subscription);
    return;
  }
  const paused = { pausedAt: unit.now, dueAt: null, claimedUntil: null };
  await unit.change('subscriptions', subscription, paused, { action: 'paused' });
}

/**
 * Returns the anchor of a subscription whose first period starts at `start` instead of the end of its trial. The intent
 * of a change does not name a fixed anchor, which the change has kept.
 */
export async function findTrialAnchor(
  reads: Reads,
  {
    anchor,
    trialEndsAt,
    paymentIntentId,
  }: Pick<SubscriptionRow, 'anchor' | 'trialEndsAt' | 'paymentIntentId'>,
  start: string,
): Promise<string> {
  if (anchor !== trialEndsAt) return anchor;
  const intent = await reads.one('intents', { id: paymentIntentId });
  return intent?.executionDate === anchor ? anchor : start;
}
