import { endSubscription } from '../renewals/termination.ts';
import { refuse } from '../lib/errors.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { findSubscription, computeStatus, type SubscriptionRow } from './subscriptions.ts';

/**
 * Cancels a subscription now, or at the end of its period. Where a renewal is owed, that is the period which it is for:
 * it stays owed and is tried again until it is paid or given up; no later period is billed. One of which nothing has
 * been paid yet is cancelled now in either case. Errors: `subscription_not_found`, `subscription_not_active`.
 */
export async function cancelSubscription(
  unit: UnitOfWork,
  id: string,
  customerId?: string | null,
  atPeriodEnd = false,
): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id, customerId);
  const status = computeStatus(subscription, unit.now);
  if (status === 'cancelled') refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  const dueAt = atPeriodEnd ? await findEndingDate(unit, subscription) : undefined;
  if (dueAt === undefined) return endSubscription(unit, subscription);
  const scheduled = { cancelAtPeriodEnd: true, dueAt };
  return unit.change('subscriptions', subscription, scheduled, { action: 'cancellation_scheduled' });
}

/** When billing has to look at a subscription that ends with its period; undefined where no period is under way. */
async function findEndingDate(unit: UnitOfWork, subscription: SubscriptionRow): Promise<string | undefined> {
  const { currentPeriodEnd: end, openInvoiceId, dueAt } = subscription;
  if (end === null) return undefined;
  const owed = openInvoiceId === null ? undefined : await unit.one('invoices', { id: openInvoiceId });
  // The next try comes first. During a pause there is none: one is made at the end of the period.
  if (owed) return dueAt ?? (owed.cycleEnd > unit.now ? owed.cycleEnd : unit.now);
  return end > unit.now ? end : undefined;
}

/** Takes back a cancellation at the end of the period. Errors: `subscription_not_found`, `subscription_not_active`. */
export async function uncancelSubscription(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  const { cancelledAt, pausedAt, parkedReason, cancelAt, nextBillingDate, openInvoiceId } = subscription;
  if (cancelledAt) refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  // An end in the middle of a paid period was due before the next one.
  const dueAt = cancelAt === null || openInvoiceId ? subscription.dueAt : nextBillingDate;
  return unit.change(
    'subscriptions',
    subscription,
    { cancelAtPeriodEnd: false, cancelAt: null, dueAt: pausedAt || parkedReason ? null : dueAt },
    { action: 'cancellation_undone' },
  );
}

/** Stops billing until it is resumed. Errors: `subscription_not_found`, `subscription_not_active`. */
export async function pauseSubscription(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  const status = computeStatus(subscription, unit.now);
  if (status !== 'active' && status !== 'scheduled') {
    refuse('subscription_not_active', { path: 'id', message: `is ${status}` });
  }
  if (subscription.changingIntentId) {
    refuse('subscription_not_active', {
      path: 'id',
      message: 'is changing its plan; the payment is under way',
    });
  }
  // A cancellation at the end of the period takes place all the same; a charge that is under way is settled.
  const { cancelAtPeriodEnd, openInvoiceId } = subscription;
  const dueAt = cancelAtPeriodEnd || openInvoiceId ? subscription.dueAt : null;
  return unit.change('subscriptions', subscription, { pausedAt: unit.now, dueAt }, { action: 'paused' });
}

/**
 * Goes on with a paused subscription, or with one that billing had put aside. The anchor stays: what was paid for
 * runs out first, and after that the rest of the running cycle is charged by time.
 * Errors: `subscription_not_found`, `subscription_not_active`.
 */
export async function resumeSubscription(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  const { nextBillingDate, pausedAt, parkedReason } = subscription;
  if (nextBillingDate === null || (!pausedAt && !parkedReason)) {
    return refuse('subscription_not_active', { path: 'id', message: 'is neither paused nor parked' });
  }
  const next = pausedAt && nextBillingDate < unit.now ? unit.now : nextBillingDate;
  const resumed = { pausedAt: null, parkedReason: null, nextBillingDate: next, dueAt: next };
  return unit.change('subscriptions', subscription, resumed, { action: 'resumed' });
}
