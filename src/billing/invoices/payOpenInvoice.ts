import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findDueInPause } from '../pricing/pauses.ts';
import { isCollectedAlone, markInvoicePaid, type InvoiceRow } from './invoices.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** Marks an open invoice paid: one that is collected alone, or one of a subscription, which moves past its period. */
export const payOpenInvoice = (
  unit: UnitOfWork,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<InvoiceRow> =>
  isCollectedAlone(invoice)
    ? markInvoicePaid(unit, invoice, causedBy)
    : payRenewalInvoice(unit, invoice, causedBy);

/** Marks a subscription's invoice paid and moves the subscription past the period that it bills. */
export async function payRenewalInvoice(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<InvoiceRow> {
  const subscription = (await unit.one('subscriptions', { id: invoice.subscriptionId! }))!;
  const paid = await markInvoicePaid(unit, invoice, causedBy);
  await moveToNextPeriod(unit, subscription, paid, causedBy);
  return paid;
}

function moveToNextPeriod(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  causedBy: string,
): MaybePromise<SubscriptionRow> {
  // A subscription that was paused and resumed in the meantime continues at its later date.
  const { nextBillingDate } = subscription;
  const next =
    nextBillingDate !== null && nextBillingDate > invoice.cycleEnd ? nextBillingDate : invoice.cycleEnd;
  const changes = {
    billedCount: subscription.billedCount + 1,
    currentPeriodStart: invoice.cycleStart,
    currentPeriodEnd: invoice.cycleEnd,
    nextBillingDate: next,
    dueAt: findDueInPause(subscription, next),
    claimedUntil: null,
    openInvoiceId: null,
    pastDueSince: null,
    ...buildRestartedRetries(subscription),
  };
  return unit.change('subscriptions', subscription, changes, { action: 'billed', causedBy });
}

/** Returns the columns of a subscription whose retries begin again, or are no longer needed. */
export function buildRestartedRetries({
  retriesStoppedReason,
  retriesEndedAt,
}: Pick<SubscriptionRow, 'retriesStoppedReason' | 'retriesEndedAt'>): Partial<SubscriptionRow> {
  const isStopped = retriesStoppedReason !== null || retriesEndedAt !== null;
  return isStopped ? { retriesStoppedReason: null, retriesEndedAt: null } : {};
}
