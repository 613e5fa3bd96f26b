import { refuse, tooFarAhead } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { computeTrialDueAt, isTrialing, longestTrialDays } from '../pricing/trials.ts';
import { renewSubscription } from '../renewals/renewSubscription.ts';
import { findTrialAnchor } from '../renewals/trialSteps.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { addMs } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeStatus, findSubscription, type SubscriptionRow } from './subscriptions.ts';
import { dayMs } from '../../lib/durations.ts';

type Plan = Pick<Row<'products'>, 'id' | 'groupId'>;

/**
 * Returns the days of the trial of a new subscription; null for none. The requested number counts, 0 for none; without
 * one the price's, unless the customer had a trial of the product or its group before.
 */
export async function findTrialDays(
  reads: Reads,
  customerId: string,
  product: Plan,
  price: Pick<Row<'prices'>, 'trialDays'>,
  wanted: number | null | undefined,
): Promise<number | null> {
  const days = wanted ?? price.trialDays;
  if (!days) return null;
  if (wanted !== null && wanted !== undefined) return days;
  return (await hadTrial(reads, customerId, product)) ? null : days;
}

/** Whether a customer had a trial of a product or its group; with `since`, one that began at that instant or later. */
export async function hadTrial(
  reads: Reads,
  customerId: string,
  { id: productId, groupId }: Plan,
  since?: string,
): Promise<boolean> {
  const earlier = await reads.many('subscriptions', {
    where: { customerId, trialEndsAt: { isSet: true }, createdAt: since ? { from: since } : undefined },
  });
  return earlier.some(
    (each) => each.productId === productId || (groupId !== null && each.groupId === groupId),
  );
}

/**
 * Moves the end of a trial to a later instant, at most 730 days ahead. Its end is announced anew. Errors:
 * `subscription_not_found`, `subscription_not_active`, `validation_failed`.
 */
export async function extendTrial(unit: UnitOfWork, id: string, to: string): Promise<SubscriptionRow> {
  const end = parseInstant(to, unit.tenant.timezone, 'trialEndsAt');
  const subscription = await findTrial(unit, id);
  if (end <= subscription.trialEndsAt)
    refuse('validation_failed', {
      path: 'trialEndsAt',
      message: `must be after the present end, ${subscription.trialEndsAt}`,
      code: 'not_later',
    });
  if (end > addMs(unit.now, longestTrialDays * dayMs))
    refuse('validation_failed', {
      path: 'trialEndsAt',
      ...tooFarAhead(longestTrialDays),
    });
  const moved = { ...(await buildTrialEnd(unit, subscription, end)), trialEndAnnouncedAt: null };
  const dueAt = computeTrialDueAt({ ...subscription, ...moved });
  return unit.change('subscriptions', subscription, { ...moved, dueAt });
}

/**
 * Ends a trial now and bills the first period at once, as at any end of a trial. Errors: `subscription_not_found`,
 * `subscription_not_active`, `unavailable`.
 */
export async function endTrial(tenant: TenantScope, id: string): Promise<SubscriptionRow> {
  await tenant.checkpoint('trial ended', (unit) => moveTrialEnd(unit, id));
  await renewSubscription(tenant, id);
  return findSubscription(tenant.read, id);
}

async function moveTrialEnd(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findTrial(unit, id);
  // Its invoice of the set-up fee begins at this instant, and a subscription has one invoice for each start of a period.
  const billed = await unit.one('invoices', { subscriptionId: id, cycleStart: unit.now });
  if (billed) refuseTrial('has begun its trial at this instant');
  const ended = { ...(await buildTrialEnd(unit, subscription, unit.now)), dueAt: unit.now };
  return unit.change('subscriptions', subscription, ended);
}

const refuseTrial = (message: string): never => refuse('subscription_not_active', { path: 'id', message });

/** Finds a subscription in its trial, whose plan is not being changed. */
async function findTrial(unit: UnitOfWork, id: string): Promise<SubscriptionRow & { trialEndsAt: string }> {
  const subscription = await findSubscription(unit, id);
  const status = computeStatus(subscription, unit.now);
  if (status !== 'trialing' || !isTrialing(subscription, unit.now))
    return refuseTrial(`is ${status}, not in a trial`);
  if (subscription.changingIntentId !== null) refuseTrial('is changing its plan');
  if (subscription.parkedReason !== null) refuseTrial('is set aside until its books are put right');
  return subscription;
}

/** Returns the columns of a trial that ends at an instant. A billing anchor fixed by the price stays. */
async function buildTrialEnd(unit: UnitOfWork, subscription: SubscriptionRow, end: string) {
  return {
    trialEndsAt: end,
    firstBillingDate: end,
    nextBillingDate: end,
    currentPeriodStart: subscription.startsAt,
    currentPeriodEnd: end,
    anchor: await findTrialAnchor(unit, subscription, end),
  };
}
