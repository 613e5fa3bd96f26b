import { endSubscription } from '../renewals/termination.ts';
import { billSubscription } from '../renewals/renewalBatch.ts';
import { check } from '../lib/validation.ts';
import { refuse } from '../lib/errors.ts';
import { selectProvider } from '../providers/registry.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { chosenMethod, reach } from './confirmation.ts';
import { keepMethod } from './keptMethods.ts';
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

/**
 * Keeps another payment method for later charges; what is past due is charged to it at once. Errors:
 * `subscription_not_found`, `subscription_not_active`, `payment_failed` where the provider refuses the method,
 * `unavailable`.
 */
export async function setPaymentMethod(
  tenant: SteppedTenant,
  id: string,
  method: string,
): Promise<SubscriptionRow> {
  check(chosenMethod, { paymentMethod: method });
  // Read by way of a write: a key that may only read must not reach the provider.
  const { value: before, isRepeated } = await tenant.checkpoint((unit) => findSubscription(unit, id));
  if (before.cancelledAt) refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  const provider = selectProvider(tenant.payments, method, tenant.record);
  const { customerId, currency, productName: description } = before;
  const idempotencyKey = `${id}_${before.updatedAt}_${method}`;
  const charge = { idempotencyKey, isRepeated, tenantAlias: tenant.alias, amountMinor: 0n };
  const outcome = await reach(() => provider.start({ ...charge, currency, description, customerId }, method));
  if (outcome.status !== 'succeeded') {
    const message = outcome.status === 'declined' ? outcome.reason : outcome.status;
    return refuse('payment_failed', { path: 'paymentMethod', message });
  }
  const { value: isOwed } = await tenant.checkpoint((unit) =>
    changeMethod(unit, id, provider.name, outcome.methodReference),
  );
  if (isOwed) await billSubscription(tenant, id);
  return findSubscription(tenant.read, id);
}

/** Answers whether something is owed that the method is charged for now. */
async function changeMethod(
  unit: UnitOfWork,
  id: string,
  provider: string,
  reference: string,
): Promise<boolean> {
  const subscription = await findSubscription(unit, id);
  // It may have ended while the provider was asked.
  if (subscription.cancelledAt) refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  const paymentMethodId = await keepMethod(unit, subscription, provider, reference);
  const isOwed = subscription.pastDueSince !== null || (await awaitsTransfer(unit, subscription));
  const dueAt = isOwed && !subscription.parkedReason ? unit.now : subscription.dueAt;
  const kept = { paymentMethodId, dueAt };
  await unit.change('subscriptions', subscription, kept, { action: 'payment_method_changed' });
  return isOwed;
}

/** Whether an invoice waits for money by hand, and no charge for it is under way. */
async function awaitsTransfer(
  unit: UnitOfWork,
  { openInvoiceId, pausedAt }: SubscriptionRow,
): Promise<boolean> {
  if (openInvoiceId === null || pausedAt !== null) return false;
  const invoice = await unit.one('invoices', { id: openInvoiceId });
  return invoice !== undefined && invoice.dueAt !== null && invoice.chargeStartedAt === null;
}
