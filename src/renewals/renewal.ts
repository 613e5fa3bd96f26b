import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Charge, Outcome } from '../providers/provider.ts';
import { addMs } from '../lib/time.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { availableBalance, useCredits } from '../invoicing/credits.ts';
import {
  agreementColumns,
  computeNextInvoice,
  type Billable,
  type NextInvoice,
} from '../pricing/nextInvoice.ts';
import { awaitTransfer, scheduleRetryOrCancel } from './dunning.ts';
import { endSubscription } from './termination.ts';
import { issueInvoice, settleInvoice, type InvoiceRow } from '../invoicing/invoices.ts';
import { dueAtFor } from '../invoicing/paymentTerms.ts';
import { getFailureReason, markChargePending, recordAttempt } from '../invoicing/payments.ts';
import type { DueRefund } from '../invoicing/refunds.ts';
import { settleUnowed } from './latePayments.ts';

type SubscriptionRow = Row<'subscriptions'>;

const askAgainMs = 86_400_000;

/** A charge that is to be made between two units of work, and the try that it is. */
export interface DueCharge {
  invoiceId: string;
  attempt: number;
  method: { provider: string; reference: string } | undefined;
  charge: Charge;
}

/**
 * The first half of billing a due subscription: invoices its next period, or takes up the open invoice of one that
 * was tried before, and answers the charge to make; undefined where there is none. Doing it again, after a crash,
 * answers the same charge.
 */
export async function beginRenewal(unit: UnitOfWork, subscriptionId: string): Promise<DueCharge | undefined> {
  const subscription = await unit.one('subscriptions', { id: subscriptionId });
  if (!subscription || !isDue(subscription, unit.now)) return undefined;
  const open = await findOpenInvoice(unit, subscription);
  if (open) return beginTry(unit, subscription, open);
  if (subscription.cancelAtPeriodEnd || hasReachedItsEnd(subscription)) {
    await endSubscription(unit, subscription);
    return undefined;
  }
  const invoice = await invoiceNextCycle(unit, subscription);
  return invoice.status === 'open' ? beginTry(unit, subscription, invoice) : undefined;
}

/** Whether all is billed up to the instant at which it is cancelled. */
const hasReachedItsEnd = ({ cancelAt, nextBillingDate }: SubscriptionRow): boolean =>
  cancelAt !== null && nextBillingDate !== null && nextBillingDate >= cancelAt;

async function findOpenInvoice(
  unit: UnitOfWork,
  { openInvoiceId }: SubscriptionRow,
): Promise<InvoiceRow | undefined> {
  if (openInvoiceId === null) return undefined;
  const invoice = await unit.one('invoices', { id: openInvoiceId });
  if (invoice?.status === 'open') return invoice;
  throw new Error(`Its open invoice ${openInvoiceId} is ${invoice?.status ?? 'missing'}.`);
}

function isDue({ dueAt, changingIntentId }: SubscriptionRow, now: string): boolean {
  return dueAt !== null && dueAt <= now && changingIntentId === null;
}

/** Invoices the period that begins at the next billing date; settles it at once where nothing is left to pay. */
async function invoiceNextCycle(unit: UnitOfWork, subscription: SubscriptionRow): Promise<InvoiceRow> {
  const { id, customerId, currentPeriodEnd } = subscription;
  const { current, next } = await findScheduledPlan(unit, subscription);
  const balanceMinor = await availableBalance(unit, customerId, next?.currency ?? subscription.currency);
  const cycle = computeNextInvoice(toBillable(current), next, balanceMinor, unit.tenant.timezone);
  const agreed = next ? await takeEffect(unit, current, next, cycle) : current;
  const invoice = await issueInvoice(
    unit,
    {
      customerId,
      subscriptionId: id,
      intentId: null,
      billingReason: currentPeriodEnd === null ? 'subscription_start' : 'cycle',
      productName: agreed.productName,
      currency: agreed.currency,
      period: cycle.period,
      lines: cycle.lines,
      dueAt: await dueAtFor(unit, subscription),
    },
    id,
  );
  if (cycle.balanceMinor > 0n) await useCredits(unit, invoice, cycle.balanceMinor);
  if (invoice.totalMinor > 0n) {
    await unit.change('subscriptions', agreed, { openInvoiceId: invoice.id });
    return invoice;
  }
  return payInvoice(unit, invoice, id);
}

/** A subscription that is due; one without a next billing date does not add up. */
function toBillable(subscription: SubscriptionRow): Billable {
  const { nextBillingDate, currentPeriodEnd, startsAt } = subscription;
  if (nextBillingDate === null) throw new Error('It is due without a next billing date.');
  if (nextBillingDate < (currentPeriodEnd ?? startsAt))
    throw new Error('Its next period lies in a paid one.');
  return { ...subscription, nextBillingDate };
}

/**
 * The plan that takes effect with the next period, where one was scheduled, in the group that its product is in now.
 * Where the customer has come to subscribe to it, or within its group, otherwise, it is dropped: nobody has two.
 */
async function findScheduledPlan(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
): Promise<{ current: SubscriptionRow; next?: Row<'intents'> }> {
  const { id, customerId, nextIntentId } = subscription;
  const intent = nextIntentId === null ? undefined : await unit.one('intents', { id: nextIntentId });
  if (!intent) return { current: subscription };
  const product = await unit.one('products', { id: intent.productId });
  const next = { ...intent, groupId: product ? product.groupId : intent.groupId };
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

function takeEffect(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  next: Row<'intents'>,
  { anchor }: NextInvoice,
): MaybePromise<SubscriptionRow> {
  const changes = { ...agreementColumns(next), anchor, nextIntentId: null };
  return unit.change('subscriptions', subscription, changes, { action: 'downgraded' });
}

/** Numbers the try before it is made: after a crash the same number asks the provider about the same try. */
async function beginTry(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
): Promise<DueCharge> {
  if (invoice.chargeStartedAt !== null) return buildCharge(invoice, subscription, true);
  const { paymentMethodId } = subscription;
  const method = paymentMethodId ? await unit.one('paymentMethods', { id: paymentMethodId }) : undefined;
  const begun = {
    attempts: invoice.attempts + 1,
    chargeStartedAt: unit.now,
    chargeProvider: method?.provider ?? null,
    chargeMethod: method?.reference ?? null,
  };
  return buildCharge(await unit.change('invoices', invoice, begun), subscription, false);
}

/** The latest try of an invoice, as it was begun: its method is that of then, whatever the subscription has now. */
export function buildCharge(
  invoice: InvoiceRow,
  subscription: SubscriptionRow,
  isRepeated: boolean,
): DueCharge {
  const { chargeProvider: provider, chargeMethod: reference, customerId, tenantAlias } = invoice;
  return {
    invoiceId: invoice.id,
    attempt: invoice.attempts,
    method: provider !== null && reference !== null ? { provider, reference } : undefined,
    charge: {
      idempotencyKey: `${invoice.id}_${invoice.attempts}`,
      isRepeated,
      tenantAlias,
      amountMinor: invoice.totalMinor,
      currency: invoice.currency,
      description: `${subscription.productName}, invoice ${invoice.number}`,
      customerId,
    },
  };
}

/**
 * The second half: keeps what became of the charge, and moves the subscription on. An outcome that is known
 * already changes nothing. Answers the refund to make, where the invoice was closed meanwhile.
 */
export async function recordChargeOutcome(
  unit: UnitOfWork,
  { invoiceId, attempt, method }: Pick<DueCharge, 'invoiceId' | 'attempt' | 'method'>,
  outcome: Outcome,
): Promise<DueRefund | undefined> {
  const invoice = (await unit.one('invoices', { id: invoiceId }))!;
  const told = {
    kind: 'charge' as const,
    customerId: invoice.customerId,
    provider: method?.provider ?? 'none',
    amountMinor: invoice.totalMinor,
    currency: invoice.currency,
    invoiceId,
  };
  if (invoice.status !== 'open') return settleUnowed(unit, told, outcome, invoiceId);
  const isKnown = invoice.attempts !== attempt || invoice.chargeStartedAt === null;
  if (outcome.status === 'succeeded') {
    // Another try is under way, and this one was told late.
    if (isKnown) await markChargePending(unit, invoice);
    const paid = { status: 'succeeded' as const, reference: outcome.reference };
    const payment = await recordAttempt(unit, Object.assign({}, told, paid), invoiceId);
    await payInvoice(unit, invoice, payment.id);
    return undefined;
  }
  if (isKnown) return undefined;
  const subscription = (await unit.one('subscriptions', { id: invoice.subscriptionId! }))!;
  if (outcome.status === 'pending' && outcome.reference !== null) {
    // On its way, such as a bank debit: the try is not over, and is asked about again. A second would take twice.
    const { pausedAt, cancelAtPeriodEnd } = subscription;
    const dueAt = pausedAt && !cancelAtPeriodEnd ? null : addMs(unit.now, askAgainMs);
    await unit.change('subscriptions', subscription, { dueAt });
    return undefined;
  }
  if (outcome.status === 'pending') {
    await awaitTransfer(unit, subscription, invoice, invoiceId);
    return undefined;
  }
  const failed = { ...told, status: 'failed' as const, failureReason: getFailureReason(outcome) };
  const payment = await recordAttempt(unit, failed, invoiceId);
  await scheduleRetryOrCancel(unit, subscription, invoice, payment.id);
  return undefined;
}

/** Marks a subscription's invoice paid and moves the subscription on. */
export async function payInvoice(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<InvoiceRow> {
  const subscription = (await unit.one('subscriptions', { id: invoice.subscriptionId! }))!;
  const settled = await settleInvoice(unit, invoice, causedBy);
  await advance(unit, subscription, settled, causedBy);
  return settled;
}

/** Moves a subscription past the period that an invoice has paid. */
function advance(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  invoice: InvoiceRow,
  causedBy: string,
): MaybePromise<SubscriptionRow> {
  // Where it was paused meanwhile, it goes on from where it was resumed.
  const { nextBillingDate } = subscription;
  const next =
    nextBillingDate !== null && nextBillingDate > invoice.cycleEnd ? nextBillingDate : invoice.cycleEnd;
  const changes = {
    billedCount: subscription.billedCount + 1,
    currentPeriodStart: invoice.cycleStart,
    currentPeriodEnd: invoice.cycleEnd,
    nextBillingDate: next,
    dueAt: subscription.pausedAt && !subscription.cancelAtPeriodEnd ? null : next,
    claimedUntil: null,
    openInvoiceId: null,
    pastDueSince: null,
  };
  return unit.change('subscriptions', subscription, changes, { action: 'billed', causedBy });
}
