import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Charge } from '../providers/provider.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { listGivenDiscounts } from '../discounts/use.ts';
import { computeAvailableBalance, useCredits } from '../invoicing/credits.ts';
import { selectDiscounts } from '../pricing/discounts.ts';
import {
  pickAgreement,
  computeNextInvoice,
  type Billable,
  type NextInvoice,
} from '../pricing/nextInvoice.ts';
import { endSubscription } from './termination.ts';
import { issueInvoice, type InvoiceRow } from '../invoicing/invoices.ts';
import { findDueAt } from '../invoicing/paymentTerms.ts';
import { payRenewalInvoice } from './payRenewalInvoice.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** A charge to make between two units of work, and the number of the attempt. */
export interface DueCharge {
  invoiceId: string;
  attempt: number;
  method: { provider: string; reference: string } | undefined;
  charge: Charge;
}

/**
 * The first half of a renewal: invoices the next period, or uses the open invoice of an earlier attempt, and returns the
 * charge to make; undefined if there is none. Repeated after a crash, it returns the same charge.
 */
export async function beginRenewal(unit: UnitOfWork, subscriptionId: string): Promise<DueCharge | undefined> {
  const subscription = await unit.one('subscriptions', { id: subscriptionId });
  if (!subscription || !isDue(subscription, unit.now)) return undefined;
  const open = await findOpenInvoice(unit, subscription);
  if (open) return beginAttempt(unit, subscription, open);
  if (subscription.cancelAtPeriodEnd || isFullyBilled(subscription)) {
    await endSubscription(unit, subscription);
    return undefined;
  }
  const invoice = await invoiceNextCycle(unit, subscription);
  return invoice.status === 'open' ? beginAttempt(unit, subscription, invoice) : undefined;
}

/** Whether all periods up to its scheduled cancellation are billed. */
const isFullyBilled = ({ cancelAt, nextBillingDate }: SubscriptionRow): boolean =>
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

/** Invoices the period that begins at the next billing date; marks the invoice paid if nothing is left to pay. */
async function invoiceNextCycle(unit: UnitOfWork, subscription: SubscriptionRow): Promise<InvoiceRow> {
  const { id, customerId, currentPeriodEnd } = subscription;
  const { current, next } = await findScheduledPlan(unit, subscription);
  const { currency } = next ?? subscription;
  const balanceMinor = await computeAvailableBalance(unit, customerId, currency);
  const billable = toBillable(current);
  const given =
    unit.tenant.discountsSince === null ? [] : await listGivenDiscounts(unit, unit.tenant, customerId);
  const at = billable.nextBillingDate;
  const discounts = selectDiscounts(given, { subscriptionId: id, currency, at });
  const cycle = computeNextInvoice(billable, next, { balanceMinor, discounts }, unit.tenant.timezone);
  const agreed = next ? await applyScheduledPlan(unit, current, next, cycle) : current;
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
      dueAt: await findDueAt(unit, subscription),
    },
    id,
  );
  if (cycle.balanceMinor > 0n) await useCredits(unit, invoice, cycle.balanceMinor);
  if (invoice.totalMinor > 0n) {
    await unit.change('subscriptions', agreed, { openInvoiceId: invoice.id });
    return invoice;
  }
  return payRenewalInvoice(unit, invoice, id);
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

function applyScheduledPlan(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  next: Row<'intents'>,
  { anchor }: NextInvoice,
): MaybePromise<SubscriptionRow> {
  const changes = { ...pickAgreement(next), anchor, nextIntentId: null };
  return unit.change('subscriptions', subscription, changes, { action: 'downgraded' });
}

/** Numbers the attempt before it is made: after a crash the same number asks the provider about the same attempt. */
async function beginAttempt(
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

/** Builds the charge of an invoice's latest attempt, with the payment method that the attempt began with. */
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
