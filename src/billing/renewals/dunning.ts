import type { Row } from '../../storage/model/rowTypes.ts';
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { findDeclineCode, isHardDecline } from '../../providers/declines.ts';
import { findDunningPolicy } from '../../tenants/dunningPolicy.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findDueInPause } from '../pricing/pauses.ts';
import { computeRetries } from '../pricing/retrySchedule.ts';
import { endSubscription } from './termination.ts';
import { voidInvoice, type InvoiceRow } from '../invoices/invoices.ts';
import { buildRestartedRetries } from '../invoices/payOpenInvoice.ts';
import { findFirstReminder } from '../invoices/reminders.ts';
import type { DunningPolicy } from '../../storage/model/common.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** A charge that failed, or money that has not arrived. */
interface Failure {
  /** The id of the record that caused it. */
  causedBy: string;
  /** The action of the invoice's trace. */
  action: 'payment_failed' | 'payment_awaited';
  /** The decline that stops the retries; null if they go on. */
  stoppedReason: string | null;
}

/**
 * Handles a failed charge: the subscription becomes past due, and the charge is retried on the tenant's retry days
 * after the first attempt; after the last one the final action is taken. Attempts between those days, with another
 * payment method, do not use up retries. After a hard decline the payment method is not charged again, and the final
 * action is taken at the time of the last retry.
 */
export function recordFailedCharge(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  payment: Pick<Row<'payments'>, 'id' | 'provider' | 'failureReason'>,
): Promise<void> {
  const { id: causedBy, provider, failureReason } = payment;
  const isHard = failureReason !== null && isHardDecline(provider, failureReason);
  const stoppedReason = isHard ? failureReason : null;
  return scheduleRetry(unit, subscription, invoice, { causedBy, action: 'payment_failed', stoppedReason });
}

async function scheduleRetry(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  failure: Failure,
): Promise<void> {
  const { causedBy, action, stoppedReason } = failure;
  const firstTriedAt = invoice.firstTriedAt ?? unit.now;
  const tried = { ...findFirstReminder(unit, invoice, firstTriedAt), firstTriedAt, chargeStartedAt: null };
  const failed = await unit.change('invoices', invoice, tried, { action, causedBy });
  const { retries, finalAt } = computeRetries(unit.tenant.retryDays, firstTriedAt);
  if (finalAt <= unit.now) {
    await takeFinalAction(unit, subscription, failed, failure);
    return;
  }
  const stepAt = stoppedReason === null ? retries.find((instant) => instant > unit.now)! : finalAt;
  // A pause suspends retries, but a cancellation at the end of the period still takes place.
  await markPastDue(unit, subscription, findDueInPause(subscription, stepAt), failure);
}

const markPastDue = (
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  dueAt: string | null,
  { causedBy, stoppedReason: retriesStoppedReason }: Pick<Failure, 'causedBy' | 'stoppedReason'>,
  retriesEndedAt: string | null = null,
) =>
  unit.change(
    'subscriptions',
    subscription,
    {
      pastDueSince: subscription.pastDueSince ?? unit.now,
      dueAt,
      claimedUntil: null,
      retriesEndedAt,
      ...(subscription.retriesStoppedReason !== retriesStoppedReason && { retriesStoppedReason }),
    },
    { action: 'past_due', causedBy },
  );

/**
 * Ends the retries of a subscription's invoice by the tenant's policy: cancels or pauses the subscription and gives the
 * invoice up, or leaves both open until there is another payment method. A subscription that ends with its period is
 * cancelled by any policy.
 */
async function takeFinalAction(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  failure: Pick<Failure, 'causedBy' | 'stoppedReason'>,
): Promise<void> {
  const { causedBy } = failure;
  const action = subscription.cancelAtPeriodEnd ? 'cancel' : findDunningPolicy(unit.tenant).finalAction;
  if (action === 'leave') {
    await markPastDue(unit, subscription, null, failure, unit.now);
    return;
  }
  await voidInvoice(unit, invoice, 'uncollectible', causedBy);
  if (action === 'pause') await pauseUnpaid(unit, subscription, causedBy);
  else await endSubscription(unit, subscription, { causedBy });
}

/**
 * Pauses a subscription whose invoice was given up, until it is resumed on request. `nextBillingDate` stays; a resumption
 * moves it to its own instant.
 */
const pauseUnpaid = (unit: UnitOfWork, subscription: SubscriptionRow, causedBy: string) =>
  unit.change(
    'subscriptions',
    subscription,
    {
      pausedAt: subscription.pausedAt ?? unit.now,
      resumesAt: null,
      pastDueSince: null,
      openInvoiceId: null,
      dueAt: null,
      claimedUntil: null,
      ...buildRestartedRetries(subscription),
    },
    { action: 'paused', causedBy },
  );

/**
 * Continues after a hard decline without a charge: takes the final action if its time has come, and waits for it
 * otherwise.
 */
export async function continueWithoutRetry(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
): Promise<void> {
  const { finalAt } = computeRetries(unit.tenant.retryDays, invoice.firstTriedAt ?? unit.now);
  if (finalAt > unit.now)
    await unit.change('subscriptions', subscription, { dueAt: finalAt, claimedUntil: null });
  else
    await takeFinalAction(unit, subscription, invoice, {
      causedBy: subscription.id,
      stoppedReason: subscription.retriesStoppedReason,
    });
}

/** Whether a hard decline has stopped the retries, and the subscription still has the payment method that was declined. */
export const hasStoppedRetries = (
  { retriesStoppedReason }: Pick<SubscriptionRow, 'retriesStoppedReason'>,
  { chargeProvider, chargeMethod }: Pick<InvoiceRow, 'chargeProvider' | 'chargeMethod'>,
  method: Pick<Row<'paymentMethods'>, 'provider' | 'reference'> | undefined,
): boolean =>
  retriesStoppedReason !== null && method?.provider === chargeProvider && method?.reference === chargeMethod;

/**
 * Waits for a bank transfer. Until the invoice is due, nothing has failed. Then the subscription becomes past due and
 * the tenant's retry days count from the due date: each reminds the payer, and after the last one the final action is
 * taken.
 */
export async function awaitTransfer(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<void> {
  const { dueAt } = invoice;
  if (dueAt === null || dueAt <= unit.now) {
    // A reminder changes no visible field, but still emits an event.
    if (invoice.firstTriedAt !== null) await unit.recordEvent('invoices', invoice, 'payment_awaited');
    const failure = { causedBy, action: 'payment_awaited' as const, stoppedReason: null };
    await scheduleRetry(unit, subscription, invoice, failure);
    return;
  }
  await unit.change('invoices', invoice, { chargeStartedAt: null });
  const waiting = { dueAt: findDueInPause(subscription, dueAt), claimedUntil: null };
  await unit.change('subscriptions', subscription, waiting, { action: 'payment_awaited', causedBy });
}

/** How an unpaid invoice is collected. */
export interface DunningState {
  firstFailedAt: string;
  attempts: number;
  /** Null if no retry is scheduled. */
  nextRetryAt: string | null;
  retriesStoppedReason: string | null;
  retriesStoppedCode: DeclineCode | null;
  finalAction: DunningPolicy['finalAction'];
  finalAt: string;
}

type PastDue = Pick<Row<'subscriptions'>, 'dueAt' | 'cancelAtPeriodEnd' | 'retriesStoppedReason'> & {
  pastDueSince: string;
};

/** Describes the dunning of a past-due subscription and its unpaid invoice. */
export function describeDunning(
  { pastDueSince, dueAt, cancelAtPeriodEnd, retriesStoppedReason }: PastDue,
  invoice: Pick<InvoiceRow, 'attempts' | 'chargeProvider'> | null,
  tenant: Pick<Row<'tenants'>, 'retryDays' | 'dunning'>,
): DunningState {
  const { finalAt } = computeRetries(tenant.retryDays, pastDueSince);
  return {
    firstFailedAt: pastDueSince,
    attempts: invoice?.attempts ?? 0,
    nextRetryAt: retriesStoppedReason === null ? dueAt : null,
    retriesStoppedReason,
    retriesStoppedCode:
      retriesStoppedReason === null
        ? null
        : findDeclineCode(invoice?.chargeProvider ?? 'none', retriesStoppedReason),
    finalAction: cancelAtPeriodEnd ? 'cancel' : findDunningPolicy(tenant).finalAction,
    finalAt,
  };
}
