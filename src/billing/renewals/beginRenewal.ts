import type { MaybePromise } from '../../lib/maybePromise.ts';
import { dropEmpty } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { buildCharge, startAttempt, type DueCharge } from '../invoices/charges.ts';
import { recordBalance } from '../invoices/credits.ts';
import { gatherBill } from '../invoices/gatherBill.ts';
import { beginWindow } from '../invoices/commitmentWindows.ts';
import { beginUsageTerms, recordUsageCharges, type UsageBill } from '../invoices/usagePeriods.ts';
import { markItemsBilled } from '../invoices/invoiceItems.ts';
import {
  pickAgreement,
  computeNextInvoice,
  toDraftLines,
  type Billable,
  type NextInvoice,
} from '../pricing/nextInvoice.ts';
import { hasPauseEnded } from '../pricing/pauses.ts';
import { isBeforeFirstPeriod } from '../pricing/trials.ts';
import { hasUsagePrice } from '../pricing/usageLines.ts';
import { continueWithoutRetry, hasStoppedRetries } from './dunning.ts';
import { resume } from './resumption.ts';
import { endSubscription } from './termination.ts';
import { endWithoutMethod, passTrial } from './trialSteps.ts';
import { finalizeInvoice } from '../invoices/finalization.ts';
import { issueInvoice, isUnpaid, type InvoiceRow } from '../invoices/invoices.ts';
import { dropPaidFees } from '../invoices/setupFees.ts';
import { findDueAt } from '../payments/paymentTerms.ts';
import { findCheckWait } from '../tax/vatIdChecks.ts';
import { payRenewalInvoice } from '../invoices/payOpenInvoice.ts';

type SubscriptionRow = Row<'subscriptions'>;

/**
 * The first half of a renewal: invoices the next period, or uses the open invoice of an earlier attempt, and returns the
 * charge to make; undefined if there is none. Repeated after a crash, it returns the same charge. `usage` is that until the next
 * period, if a batch has read it.
 */
export async function beginRenewal(
  unit: UnitOfWork,
  subscriptionId: string,
  usage?: UsageBill,
): Promise<DueCharge | undefined> {
  const found = await unit.one('subscriptions', { id: subscriptionId });
  if (!found || !isDue(found, unit.now)) return undefined;
  const subscription = await endPause(unit, found);
  if (!isDue(subscription, unit.now)) return undefined;
  const unpaid = await findUnpaidInvoice(unit, subscription);
  if (unpaid) return chargeUnpaid(unit, subscription, unpaid);
  const isEnding = subscription.cancelAtPeriodEnd || isFullyBilled(subscription);
  const due = isBeforeFirstPeriod(subscription)
    ? await passTrial(unit, subscription, isEnding)
    : subscription;
  if (!due) return undefined;
  if (isEnding) {
    await endSubscription(unit, due);
    return undefined;
  }
  // After a pause the next period begins later than where the batch has read to.
  const invoice = await invoiceNextCycle(unit, due, found.pausedAt === null ? usage : undefined);
  return invoice?.status === 'open' ? beginAttempt(unit, due, invoice) : undefined;
}

/** Resumes a subscription whose pause was to end by now, as of that instant. */
function endPause(unit: UnitOfWork, subscription: SubscriptionRow): MaybePromise<SubscriptionRow> {
  const { nextBillingDate } = subscription;
  if (nextBillingDate === null || !hasPauseEnded(subscription, unit.now)) return subscription;
  return resume(unit, { ...subscription, nextBillingDate }, subscription.resumesAt);
}

/** Begins to charge the invoice of an earlier attempt, or a draft whose grace has ended. */
async function chargeUnpaid(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
): Promise<DueCharge | undefined> {
  if (invoice.status === 'open') return beginAttempt(unit, subscription, invoice);
  if (invoice.finalizeAt === null || invoice.finalizeAt > unit.now) {
    await unit.change('subscriptions', subscription, { dueAt: invoice.finalizeAt, claimedUntil: null });
    return undefined;
  }
  const checkWait = await findCheckWait(unit, invoice.customerId);
  if (checkWait) {
    await unit.change('invoices', invoice, { finalizeAt: checkWait });
    await unit.change('subscriptions', subscription, { dueAt: checkWait, claimedUntil: null });
    return undefined;
  }
  const final = await finalizeInvoice(unit, invoice);
  if (final.totalMinor > 0n) return beginAttempt(unit, subscription, final);
  await payRenewalInvoice(unit, final, subscription.id);
  return undefined;
}

/** Whether all periods up to its scheduled cancellation are billed. */
const isFullyBilled = ({ cancelAt, nextBillingDate }: SubscriptionRow): boolean =>
  cancelAt !== null && nextBillingDate !== null && nextBillingDate >= cancelAt;

async function findUnpaidInvoice(
  unit: UnitOfWork,
  { openInvoiceId }: SubscriptionRow,
): Promise<InvoiceRow | undefined> {
  if (openInvoiceId === null) return undefined;
  const invoice = await unit.one('invoices', { id: openInvoiceId });
  if (invoice && isUnpaid(invoice)) return invoice;
  throw new Error(`Its open invoice ${openInvoiceId} is ${invoice?.status ?? 'missing'}.`);
}

function isDue({ dueAt, changingIntentId }: SubscriptionRow, now: string): boolean {
  return dueAt !== null && dueAt <= now && changingIntentId === null;
}

/**
 * Invoices the period that begins at the next billing date; marks the invoice paid if nothing is left to pay. Returns
 * undefined if a trial ended without a payment method.
 */
async function invoiceNextCycle(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  usage: UsageBill | undefined,
): Promise<InvoiceRow | undefined> {
  const { id, customerId, currentPeriodEnd } = subscription;
  const { current, next } = await findScheduledPlan(unit, subscription);
  const billable = toBillable(current);
  const bill = { customerId, terms: next ?? current, at: billable.nextBillingDate, paidAt: unit.now };
  const extras = await gatherBill(unit, unit.tenant, subscription, bill, undefined, usage);
  const cycle = computeNextInvoice(billable, next, extras, unit.tenant.timezone);
  if (current.paymentMethodId === null && cycle.totalMinor > 0n && isBeforeFirstPeriod(current)) {
    await endWithoutMethod(unit, current);
    return undefined;
  }
  const { addOns } = cycle;
  const agreed = next
    ? await applyScheduledPlan(unit, current, next, cycle)
    : await unit.change('subscriptions', current, { addOns });
  const checkWait = await findCheckWait(unit, customerId);
  const isDraft = Boolean(unit.tenant.invoiceGraceHours) || checkWait !== undefined;
  const invoice = await issueInvoice(
    unit,
    {
      customerId,
      subscriptionId: id,
      billingReason: currentPeriodEnd === null ? 'subscription_start' : 'cycle',
      productName: agreed.productName,
      currency: agreed.currency,
      period: cycle.period,
      // Credits pay when a draft is finalized.
      lines: isDraft ? toDraftLines(cycle.unpaid) : cycle.lines,
      draft: checkWait ? { until: checkWait } : 'grace',
      dueAt: await findDueAt(unit, subscription),
      metadata: dropEmpty(agreed.metadata),
    },
    id,
  );
  await markItemsBilled(unit, extras.billed, invoice);
  await recordUsage(unit, agreed, { usage: extras.usage, invoice, anchor: cycle.anchor });
  if (isDraft) {
    const waiting = { openInvoiceId: invoice.id, dueAt: invoice.finalizeAt, claimedUntil: null };
    await unit.change('subscriptions', agreed, waiting);
    return invoice;
  }
  await recordBalance(unit, invoice, cycle);
  if (invoice.totalMinor > 0n) {
    await unit.change('subscriptions', agreed, { openInvoiceId: invoice.id });
    return invoice;
  }
  return payRenewalInvoice(unit, invoice, id);
}

/** Records the usage that an invoice charges, and begins the next period of each price of usage. */
async function recordUsage(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  { usage, invoice, anchor }: { usage: UsageBill | undefined; invoice: InvoiceRow; anchor: string },
): Promise<void> {
  if (subscription.usageSince === null) return;
  const begun = { terms: subscription, at: invoice.cycleStart, anchor, isNewPeriod: true };
  const periods = usage && (await recordUsageCharges(unit, usage, invoice.id));
  await beginUsageTerms(unit, subscription, begun, periods);
  await beginWindow(unit, subscription, begun);
}

/** Checks a due subscription: it has a next billing date, which is not before the end of the paid period. */
function toBillable(subscription: SubscriptionRow): Billable {
  const { nextBillingDate, currentPeriodEnd, startsAt } = subscription;
  if (nextBillingDate === null) throw new Error('It is due without a next billing date.');
  if (nextBillingDate < (currentPeriodEnd ?? startsAt))
    throw new Error('Its next period lies in a paid one.');
  return { ...subscription, nextBillingDate };
}

/**
 * Finds the scheduled plan that takes effect with the next period, with the current group of its product. Drops it if
 * the customer has meanwhile another subscription to the product or within the group.
 */
async function findScheduledPlan(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
): Promise<{ current: SubscriptionRow; next?: Row<'intents'> }> {
  const { id, customerId, nextIntentId } = subscription;
  const intent = nextIntentId === null ? undefined : await unit.one('intents', { id: nextIntentId });
  if (!intent) return { current: subscription };
  const product = await unit.one('products', { id: intent.productId });
  const addOns = intent.addOns && (await dropPaidFees(unit, id, intent.addOns));
  const next = { ...intent, addOns, groupId: product ? product.groupId : intent.groupId };
  const others = await unit.many('subscriptions', { where: { customerId, cancelledAt: null } });
  const isTaken = others.some(
    (other) =>
      other.id !== id &&
      (other.productId === next.productId || (next.groupId !== null && other.groupId === next.groupId)),
  );
  if (!isTaken) return { current: subscription, next };
  const dropped = { action: 'scheduled_change_undone' as const };
  return { current: await unit.change('subscriptions', subscription, { nextIntentId: null }, dropped) };
}

function applyScheduledPlan(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  next: Row<'intents'>,
  { anchor, addOns }: NextInvoice,
): MaybePromise<SubscriptionRow> {
  const metadata = next.metadata ?? subscription.metadata;
  const usageSince = subscription.usageSince ?? (hasUsagePrice(next) ? unit.now : null);
  // The threshold and the alerts are amounts of the earlier currency.
  const ofCurrency =
    next.currency === subscription.currency ? {} : { billingThresholdMinor: null, spendAlerts: null };
  const agreement = { ...pickAgreement(next), ...ofCurrency };
  const changes = { ...agreement, addOns, anchor, nextIntentId: null, metadata, usageSince };
  return unit.change('subscriptions', subscription, changes, { action: 'downgraded' });
}

/**
 * Starts an attempt to charge the subscription's payment method, or returns the charge of the one in progress. Returns
 * undefined if the method was declined for good.
 */
async function beginAttempt(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
): Promise<DueCharge | undefined> {
  const { productName, paymentMethodId } = subscription;
  if (invoice.chargeStartedAt !== null) return buildCharge(invoice, productName, true);
  const method = paymentMethodId ? await unit.one('paymentMethods', { id: paymentMethodId }) : undefined;
  if (hasStoppedRetries(subscription, invoice, method)) {
    await continueWithoutRetry(unit, subscription, invoice);
    return undefined;
  }
  return buildCharge(await startAttempt(unit, invoice, method), productName, false);
}
