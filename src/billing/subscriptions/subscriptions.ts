import { beginWindow } from '../invoices/commitmentWindows.ts';
import { beginUsageTerms } from '../invoices/usagePeriods.ts';
import { pickAgreement } from '../pricing/nextInvoice.ts';
import { hasUsagePrice } from '../pricing/usageLines.ts';
import { isPeriodLine, periodKinds } from '../payments/returns.ts';
import { dropBilledFees } from '../pricing/addOnFees.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { computeTrialDueAt, computeTrialEnd, isTrialing } from '../pricing/trials.ts';
import { findCustomer } from '../customers/customers.ts';
import type { AddOn } from '../../storage/model/common.ts';
import type { Match } from '../../storage/query/queries.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refuse } from '../../lib/errors.ts';
import { parseInstant, parseLastInstant } from '../../lib/time.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import { buildListSearch } from '../../tenancy/searchedList.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type SubscriptionRow = Row<'subscriptions'>;
export type PaidPeriodRow = Row<'invoiceLines'>;

/** The plan that an intent is for. */
type PlanOfIntent = Pick<Row<'intents'>, 'productId' | 'priceId' | 'groupId' | 'quantity' | 'addOns'>;

/** The customer's subscription to a product, else to another of its group. */
export async function findSubscriptionOfPlan(
  reads: Reads,
  customerId: string,
  { id: productId, groupId }: Pick<Row<'products'>, 'id' | 'groupId'>,
): Promise<SubscriptionRow | undefined> {
  const same = await reads.one('subscriptions', { customerId, productId, cancelledAt: null });
  if (same || groupId === null) return same;
  return reads.one('subscriptions', { customerId, groupId, cancelledAt: null });
}

/** Whether a subscription is to that price and those add-ons, for those quantities. */
export const hasPlan = (
  subscription: Pick<SubscriptionRow, 'productId' | 'priceId' | 'quantity' | 'addOns'>,
  { productId, priceId, quantity, addOns }: Omit<PlanOfIntent, 'groupId'>,
): boolean =>
  subscription.productId === productId &&
  subscription.priceId === priceId &&
  subscription.quantity === quantity &&
  hasAddOns(subscription.addOns ?? [], addOns ?? []);

const hasAddOns = (own: AddOn[], others: AddOn[]): boolean =>
  own.length === others.length &&
  own.every(({ priceId, quantity }) =>
    others.some((other) => other.priceId === priceId && other.quantity === quantity),
  );

/**
 * Returns the subscription that an order would change: the customer's subscription to the product, or to another
 * product of its group. Error: `subscription_exists`.
 */
export async function findSubscriptionToChange(
  reads: Reads,
  customerId: string,
  plan: PlanOfIntent,
): Promise<SubscriptionRow | undefined> {
  const { productId: id, groupId } = plan;
  const present = await findSubscriptionOfPlan(reads, customerId, { id, groupId });
  if (present) refuseSamePlan(present, plan);
  return present;
}

/**
 * Refuses an order for the price that the customer already has, unless the order would cancel a scheduled plan change. Error:
 * `subscription_exists`.
 */
export function refuseSamePlan(present: SubscriptionRow, plan: PlanOfIntent): void {
  if (hasPlan(present, plan) && present.nextIntentId === null)
    refuse('subscription_exists', { path: 'productId', message: 'is already subscribed to' });
}

/**
 * Starts the subscription of a paid intent, in the unit of work that completes the intent. `lines` are those of its first
 * bill; without one for a period a trial comes first, or the start is in the future and billed then.
 */
export async function startSubscription(
  unit: UnitOfWork,
  intent: Row<'intents'>,
  lines: Line[],
  paymentMethodId: string | null,
): Promise<SubscriptionRow> {
  const start = intent.startDate ?? intent.paymentStartedAt!;
  const { trialDays } = intent;
  const paid = lines.find(isPeriodLine);
  const trialEndsAt = trialDays ? computeTrialEnd(start, trialDays, unit.tenant.timezone) : null;
  const firstBillingDate = trialEndsAt ?? start;
  const nextBillingDate = paid?.periodEnd ?? firstBillingDate;
  const hasBegun = trialEndsAt !== null && start <= unit.now;
  const trial = { startsAt: start, trialEndAnnouncedAt: null, cancelAt: null, cancelAtPeriodEnd: false };
  const currentPeriodEnd = hasBegun ? trialEndsAt : (paid?.periodEnd ?? null);
  const anchor = intent.executionDate ?? firstBillingDate;
  const started = await unit.create(
    'subscriptions',
    {
      id: intent.subscriptionId!,
      customerId: intent.customerId,
      ...pickAgreement(intent),
      addOns: dropBilledFees(intent.addOns, lines),
      anchor,
      paymentMethodId,
      ...trial,
      trialEndsAt,
      firstBillingDate,
      nextBillingDate,
      currentPeriodStart: hasBegun ? start : (paid?.periodStart ?? null),
      currentPeriodEnd,
      billedCount: paid ? 1 : 0,
      dueAt:
        trialEndsAt === null
          ? nextBillingDate
          : computeTrialDueAt({ ...trial, trialEndsAt, currentPeriodEnd }),
      metadata: intent.metadata ?? {},
      usageSince: hasUsagePrice(intent) ? unit.now : null,
      billingThresholdMinor: intent.billingThresholdMinor,
      commitment: intent.commitment,
      spendAlerts: intent.spendAlerts,
      createdAt: unit.now,
      updatedAt: unit.now,
    },
    { causedBy: intent.id },
  );
  await beginUsageTerms(unit, started, { terms: started, at: start, anchor, isNewPeriod: true }, []);
  await beginWindow(unit, started, { at: firstBillingDate, anchor });
  return started;
}

/** Returns the subscription with this id, of the customer if one is given. Error: `subscription_not_found`. */
export async function findSubscription(
  reads: Reads,
  id: string,
  customerId?: string | null,
): Promise<SubscriptionRow> {
  const found = await reads.one('subscriptions', { id, customerId: customerId ?? undefined });
  return found ?? refuse('subscription_not_found');
}

/** Returns the conditions of an active subscription: started, in its trial or paid, not cancelled. */
export const buildActiveConditions = (now: string) => ({
  cancelledAt: null,
  startsAt: { to: now },
  currentPeriodEnd: { isSet: true as const },
});

/** Lists a customer's active subscriptions: paid or in a trial, and not cancelled; newest first. Error: `customer_not_found`. */
export async function listActiveSubscriptions(
  tenant: TenantScope,
  customerId: string,
): Promise<SubscriptionRow[]> {
  await findCustomer(tenant.read, customerId);
  return tenant.read.many('subscriptions', {
    where: { customerId, ...buildActiveConditions(tenant.now()) },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
  });
}

export const subscriptionStatuses = [
  'scheduled',
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'paused',
  'cancelled',
] as const;

export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** Returns the status of a subscription at an instant. */
export function computeStatus(subscription: SubscriptionRow, now: string): SubscriptionStatus {
  if (subscription.cancelledAt) return 'cancelled';
  if (subscription.pausedAt) return 'paused';
  if (subscription.startsAt > now) return 'scheduled';
  if (isTrialing(subscription, now)) return 'trialing';
  if (subscription.currentPeriodEnd === null) return 'incomplete';
  return subscription.pastDueSince ? 'past_due' : 'active';
}

/**
 * Returns the conditions of a status that an index covers; whether a subscription has started is filtered separately.
 */
function buildStatusConditions(status: SubscriptionStatus): Match<'subscriptions'> {
  const running = { cancelledAt: null, pausedAt: null };
  const paid = { ...running, currentPeriodEnd: { isSet: true as const } };
  return {
    scheduled: { ...running, currentPeriodEnd: null },
    incomplete: { ...running, currentPeriodEnd: null },
    trialing: { ...running, trialEndsAt: { isSet: true as const } },
    active: { ...paid, pastDueSince: null },
    past_due: { ...paid, pastDueSince: { isSet: true as const } },
    paused: { cancelledAt: null, pausedAt: { isSet: true as const } },
    cancelled: { cancelledAt: { isSet: true as const } },
  }[status];
}

const buildStartConditions = (status: SubscriptionStatus, now: string): Match<'subscriptions'> => {
  if (status === 'scheduled') return { startsAt: { after: now } };
  if (status === 'trialing') return { startsAt: { to: now }, trialEndsAt: { after: now } };
  if (status !== 'active' && status !== 'incomplete') return {};
  return { startsAt: { to: now }, trialEndsAt: { unlessAfter: now } };
};

/**
 * Lists the tenant's subscriptions; newest first by default. Errors: `validation_failed`, `cursor_invalid`,
 * `query_timeout`.
 */
export function listSubscriptions(
  tenant: TenantScope,
  filter: {
    customerId?: string | null;
    productId?: string | null;
    status?: SubscriptionStatus | null;
    search?: string | null;
  },
  args: PageArgs,
): Promise<Page<SubscriptionRow>> {
  const status = filter.status ?? undefined;
  const customerId = filter.customerId ?? undefined;
  const started = status ? buildStartConditions(status, tenant.now()) : {};
  const byStatus = status ? buildStatusConditions(status) : {};
  // A customer has few subscriptions, so the customer's index is more selective than the status index.
  const productId = filter.productId ?? undefined;
  const conditions =
    customerId !== undefined
      ? { where: { customerId }, filter: { productId, ...byStatus, ...started } }
      : productId !== undefined
        ? { where: { productId }, filter: { ...byStatus, ...started }, isScan: status !== undefined }
        : { where: byStatus, filter: started, isScan: 'startsAt' in started };
  const search = buildListSearch(filter.search, 'subscription');
  const list = { name: 'subscriptions', table: 'subscriptions', search, by: ['createdAt', 'id'] } as const;
  return readPage(tenant, { ...list, ...conditions, request: { customerId, productId, status } }, args);
}

/**
 * Lists the paid periods of a customer; newest first by default. `startDate` and `endDate` bound the start of the
 * periods, both inclusive. Errors: `customer_not_found`, `validation_failed`, `cursor_invalid`.
 */
export async function listSubscriptionHistory(
  tenant: TenantScope,
  filter: { customerId: string; startDate?: string | null; endDate?: string | null },
  args: PageArgs,
): Promise<Page<PaidPeriodRow>> {
  await findCustomer(tenant.read, filter.customerId);
  const { timezone } = tenant.record;
  const where = {
    customerId: filter.customerId,
    kind: periodKinds,
    paidAt: { isSet: true as const },
    periodStart: {
      from: filter.startDate ? parseInstant(filter.startDate, timezone, 'startDate') : undefined,
      to: filter.endDate ? parseLastInstant(filter.endDate, timezone, 'endDate') : undefined,
    },
  };
  return readPage(tenant, { name: 'history', table: 'invoiceLines', where, by: ['periodStart', 'id'] }, args);
}
