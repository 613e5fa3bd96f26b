import { issueInvoice } from '../billing/invoices.ts';
import { endSubscription } from '../billing/ending.ts';
import { periodLine } from '../billing/periods.ts';
import { customerOf } from '../customers/customers.ts';
import type { Row } from '../db/schema.ts';
import type { Reads } from '../db/store.ts';
import { refuse } from '../errors.ts';
import { instantOf, lastInstantOf } from '../instants.ts';
import { pageOf, type Page, type PageArgs } from '../tenants/paging.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';

export type SubscriptionRow = Row<'subscriptions'>;
export type PaidPeriodRow = Row<'invoiceLines'>;

/** The kinds of lines that are a period somebody paid for. */
const periodKinds = ['CYCLE', 'STUB', 'PRORATION_CHARGE'] as const;

/** Refuses what the customer has already. Error: `subscription_exists`. */
export async function refuseIfSubscribed(
  unit: Unit,
  customerId: string,
  product: Pick<Row<'products'>, 'id' | 'groupId'>,
): Promise<void> {
  const same = await unit.one('subscriptions', { customerId, productId: product.id, cancelledAt: null });
  if (same) refuse('subscription_exists', { path: 'productId', message: 'is subscribed to already' });
}

/**
 * Starts the subscription that an intent has paid for, in the unit that makes the intent succeed. A start that
 * lies ahead is billed then; otherwise the invoice of the first period is issued, for the caller to settle.
 */
export async function startSubscription(
  unit: Unit,
  intent: Row<'intents'>,
  paidAt: string,
  paymentMethodId: string | null,
): Promise<{ subscription: SubscriptionRow; invoice?: Row<'invoices'> }> {
  const start = intent.startDate ?? paidAt;
  const { line, anchor } = periodLine(intent, intent.executionDate, start, unit.tenant.timezone);
  const begins = start <= unit.now;
  const subscription = await unit.create(
    'subscriptions',
    {
      id: intent.subscriptionId!,
      paymentIntentId: intent.id,
      customerId: intent.customerId,
      groupId: intent.groupId,
      productId: intent.productId,
      priceId: intent.priceId,
      productName: intent.productName,
      amountMinor: intent.amountMinor,
      currency: intent.currency,
      frequency: intent.frequency,
      period: intent.period,
      anchor,
      paymentMethodId,
      startsAt: start,
      firstBillingDate: start,
      nextBillingDate: begins ? line.periodEnd : start,
      currentPeriodStart: begins ? line.periodStart : null,
      currentPeriodEnd: begins ? line.periodEnd : null,
      billedCount: begins ? 1 : 0,
      metadata: {},
      createdAt: unit.now,
      updatedAt: unit.now,
      cancelledAt: null,
    },
    { because: intent.id },
  );
  if (!begins) return { subscription };
  return { subscription, invoice: await issueInvoice(unit, subscription, line.periodStart, [line]) };
}

/** The subscription of that id, of that customer where one is named. Error: `subscription_not_found`. */
export async function findSubscription(
  reads: Reads,
  id: string,
  customerId?: string | null,
): Promise<SubscriptionRow> {
  const found = await reads.one('subscriptions', { id, customerId: customerId ?? undefined });
  return found ?? refuse('subscription_not_found');
}

/** Cancels a subscription now. Errors: `subscription_not_found`, `subscription_not_active`. */
export async function cancelSubscription(
  unit: Unit,
  id: string,
  customerId?: string | null,
): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id, customerId);
  if (subscription.cancelledAt) refuse('subscription_not_active');
  return endSubscription(unit, subscription);
}

/** What a customer subscribes to now: started and not cancelled, newest first. Error: `customer_not_found`. */
export async function activeSubscriptions(tenant: Tenant, customerId: string): Promise<SubscriptionRow[]> {
  await customerOf(tenant.read, customerId);
  return tenant.read.many('subscriptions', {
    where: { customerId, cancelledAt: null, startsAt: { to: tenant.now() } },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
  });
}

export type SubscriptionStatus = 'scheduled' | 'active' | 'cancelled';

/** Where a subscription stands at an instant. */
export function statusOf(subscription: SubscriptionRow, now: string): SubscriptionStatus {
  if (subscription.cancelledAt) return 'cancelled';
  return subscription.startsAt > now ? 'scheduled' : 'active';
}

/** The tenant's subscriptions, newest first unless ordered otherwise. Errors: `validation_failed`, `cursor_invalid`. */
export function listSubscriptions(
  tenant: Tenant,
  filter: { customerId?: string | null; status?: SubscriptionStatus | null },
  args: PageArgs,
): Promise<Page<SubscriptionRow>> {
  const now = tenant.now();
  const conditions = {
    scheduled: { cancelledAt: null, startsAt: { after: now } },
    active: { cancelledAt: null, startsAt: { to: now } },
    cancelled: { cancelledAt: { isSet: true } },
  } as const;
  const where = {
    customerId: filter.customerId ?? undefined,
    ...(filter.status && conditions[filter.status]),
  };
  return pageOf(
    tenant,
    { name: 'subscriptions', table: 'subscriptions', where, by: ['createdAt', 'id'] },
    args,
  );
}

/**
 * The periods that a customer has paid for, newest first unless ordered otherwise; `startDate` and `endDate` bound
 * their beginnings, both included. Errors: `customer_not_found`, `validation_failed`, `cursor_invalid`.
 */
export async function subscriptionHistory(
  tenant: Tenant,
  filter: { customerId: string; startDate?: string | null; endDate?: string | null },
  args: PageArgs,
): Promise<Page<PaidPeriodRow>> {
  await customerOf(tenant.read, filter.customerId);
  const { timezone } = tenant.record;
  const where = {
    customerId: filter.customerId,
    kind: periodKinds,
    paidAt: { isSet: true as const },
    periodStart: {
      from: filter.startDate ? instantOf(filter.startDate, timezone, 'startDate') : undefined,
      to: filter.endDate ? lastInstantOf(filter.endDate, timezone, 'endDate') : undefined,
    },
  };
  return pageOf(tenant, { name: 'history', table: 'invoiceLines', where, by: ['periodStart', 'id'] }, args);
}
