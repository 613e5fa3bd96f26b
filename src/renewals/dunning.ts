import type { Row } from '../storage/model/rowTypes.ts';
import { addMs } from '../lib/time.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { endSubscription } from './termination.ts';
import { voidInvoice, type InvoiceRow } from '../invoicing/invoices.ts';

const dayMs = 86_400_000;

/**
 * Handles a failed charge: the subscription becomes past due, and the charge is retried on the tenant's retry days
 * after the first attempt; after the last one the subscription is cancelled. Attempts between those days, with another
 * payment method, do not use up retries. `action` is the action of the invoice's trace.
 */
export async function scheduleRetryOrCancel(
  unit: UnitOfWork,
  subscription: Row<'subscriptions'>,
  invoice: InvoiceRow,
  causedBy: string,
  action: 'payment_failed' | 'payment_awaited' = 'payment_failed',
): Promise<void> {
  const firstTriedAt = invoice.firstTriedAt ?? unit.now;
  const tried = { firstTriedAt, chargeStartedAt: null };
  const retryAt = unit.tenant.retryDays
    .map((day) => addMs(firstTriedAt, day * dayMs))
    .find((instant) => instant > unit.now);
  const failed = await unit.change('invoices', invoice, tried, { action, causedBy });
  if (retryAt === undefined) {
    await voidInvoice(unit, failed, 'uncollectible', causedBy);
    await endSubscription(unit, subscription, causedBy);
    return;
  }
  // A pause suspends retries, but a cancellation at the end of the period still takes place.
  const dueAt = subscription.pausedAt && !subscription.cancelAtPeriodEnd ? null : retryAt;
  const pastDue = { pastDueSince: subscription.pastDueSince ?? unit.now, dueAt, claimedUntil: null };
  await unit.change('subscriptions', subscription, pastDue, { action: 'past_due', causedBy });
}

/**
 * Waits for a bank transfer. Until the invoice is due, nothing has failed. Then the subscription becomes past due and
 * the tenant's retry days count from the due date: each reminds the payer, and after the last one the subscription is
 * cancelled.
 */
export async function awaitTransfer(
  unit: UnitOfWork,
  subscription: Row<'subscriptions'>,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<void> {
  const { dueAt } = invoice;
  if (dueAt === null || dueAt <= unit.now) {
    // A reminder changes no visible field, but still emits an event.
    if (invoice.firstTriedAt !== null) await unit.recordEvent('invoices', invoice, 'payment_awaited');
    await scheduleRetryOrCancel(unit, subscription, invoice, causedBy, 'payment_awaited');
    return;
  }
  await unit.change('invoices', invoice, { chargeStartedAt: null });
  const waiting = { dueAt: subscription.pausedAt ? null : dueAt, claimedUntil: null };
  await unit.change('subscriptions', subscription, waiting, { action: 'payment_awaited', causedBy });
}
