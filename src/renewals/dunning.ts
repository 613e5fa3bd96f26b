import type { Row } from '../storage/model/rowTypes.ts';
import { addMs } from '../lib/time.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { endSubscription } from './termination.ts';
import { voidInvoice, type InvoiceRow } from '../invoicing/invoices.ts';

const dayMs = 86_400_000;

/**
 * What follows a charge that failed: the subscription is past due and the charge is tried again
 * on the tenant's retry days after the first try; once they are over, the subscription is cancelled. Tries between
 * those days, of another payment method, use up none of them. `action` tells it in the invoice's trace.
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
  // A pause suspends the tries, but what ends with its period must come to its end.
  const dueAt = subscription.pausedAt && !subscription.cancelAtPeriodEnd ? null : retryAt;
  const pastDue = { pastDueSince: subscription.pastDueSince ?? unit.now, dueAt, claimedUntil: null };
  await unit.change('subscriptions', subscription, pastDue, { action: 'past_due', causedBy });
}

/**
 * Waits for money that comes by hand. Until the invoice is due nothing has failed; then its subscription is past due,
 * and the tenant's retry days count from there: on each the payer may be reminded, and after the last it is given up.
 */
export async function awaitTransfer(
  unit: UnitOfWork,
  subscription: Row<'subscriptions'>,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<void> {
  const { dueAt } = invoice;
  if (dueAt === null || dueAt <= unit.now) {
    // A reminder changes nothing that is shown, and is to be told of all the same.
    if (invoice.firstTriedAt !== null) await unit.recordEvent('invoices', invoice, 'payment_awaited');
    await scheduleRetryOrCancel(unit, subscription, invoice, causedBy, 'payment_awaited');
    return;
  }
  await unit.change('invoices', invoice, { chargeStartedAt: null });
  const waiting = { dueAt: subscription.pausedAt ? null : dueAt, claimedUntil: null };
  await unit.change('subscriptions', subscription, waiting, { action: 'payment_awaited', causedBy });
}
