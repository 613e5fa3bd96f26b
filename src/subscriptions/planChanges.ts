import { applyDiscounts, applyDiscountsToRest, selectDiscounts } from '../pricing/discounts.ts';
import { buildBalanceLine } from '../pricing/nextInvoice.ts';
import {
  describePeriod,
  explainQuantity,
  toInterval,
  sumLines,
  type Agreement,
  type Line,
} from '../pricing/invoiceLines.ts';
import { computePlanChange, refuseOtherCurrency, type PaidLine } from '../pricing/proration.ts';
import { isSameInterval } from '../pricing/schedule.ts';
import { isTrialing } from '../pricing/trials.ts';
import { listGivenDiscounts } from '../discounts/use.ts';
import { findPrice } from '../catalog/prices.ts';
import { findProduct, findSaleObstacle } from '../catalog/products.ts';
import type { DiscountTerms } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { refuse } from '../lib/errors.ts';
import { parseInstant } from '../lib/time.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { computeBalanceToUse, findCreditableLine, deductBalance } from './reservations.ts';
import { agreeToPrice } from './agreement.ts';
import { findSubscription, hasPlan, type SubscriptionRow } from './subscriptions.ts';

/** A plan to which a subscription may change. */
interface Plan extends Agreement {
  productId: string;
  priceId: string;
}

/** The effect of a plan change. */
export interface PlanChangeQuote {
  /** At once, at the end of the period, or not at all because the plan is the current one. */
  kind: 'upgrade' | 'downgrade' | 'unchanged';
  effectiveAt: string;
  lines: Line[];
  /** The amount charged now, in minor units; never negative. */
  totalMinor: bigint;
  currency: string;
  /** The amount added to the customer's balance, in minor units. */
  creditMinor: bigint;
  anchor: string;
  nextBillingDate: string;
}

/**
 * Computes the change of a subscription to another plan at an instant. Preview and commit both use this function. The
 * current plan costs nothing and cancels a scheduled change. `paidLine` is the line that billed the current period,
 * `discounts` are those of the new charges. Errors: `currency_mismatch`, `subscription_not_active`.
 */
export function buildPlanChange(
  subscription: SubscriptionRow,
  next: Plan,
  at: string,
  prorateUpgrades: boolean,
  timeZone: string,
  paidLine?: PaidLine,
  discounts: DiscountTerms[] = [],
): PlanChangeQuote {
  const paid = getPaidPeriod(subscription, at);
  if (hasPlan(subscription, next)) return buildUnchanged(subscription, at, paid.end);
  if (isTrialing(subscription, at)) return buildTrialChange(subscription, next, at);
  const change = computePlanChange({
    current: toPlan(subscription),
    next: toPlan(next),
    paid,
    anchor: subscription.anchor,
    timeZone,
    at,
    prorateUpgrades,
    paidLine,
  });
  const { kind, effectiveAt, anchor, nextBillingDate } = change;
  const gross = change.lines.map((line): Line => ({
    ...line,
    currency: next.currency,
    description: describeLine(line.kind, subscription, next),
    explanation: { ...line.explanation, ...(line.kind !== 'PRORATION_CREDIT' && explainQuantity(next)) },
    productId: next.productId,
  }));
  const lines = applyDiscounts(applyDiscountsToRest(gross, discounts), discounts);
  const netMinor = sumLines(lines);
  const creditMinor = netMinor < 0n ? -netMinor : 0n;
  if (creditMinor > 0n) lines.push(buildBalanceLine(lines.at(-1)!, creditMinor));
  const totalMinor = sumLines(lines);
  return {
    kind,
    effectiveAt,
    lines,
    totalMinor,
    currency: next.currency,
    creditMinor,
    anchor,
    nextBillingDate,
  };
}

function buildUnchanged(
  { anchor, currency }: SubscriptionRow,
  at: string,
  nextBillingDate: string,
): PlanChangeQuote {
  const nothing = { lines: [], totalMinor: 0n, creditMinor: 0n };
  return { kind: 'unchanged', effectiveAt: at, ...nothing, currency, anchor, nextBillingDate };
}

/** A plan change during a trial takes effect at once and bills nothing; the trial ends as before. */
function buildTrialChange(
  subscription: SubscriptionRow & { trialEndsAt: string },
  next: Plan,
  at: string,
): PlanChangeQuote {
  refuseOtherCurrency(subscription, next);
  const { anchor, currency, trialEndsAt } = subscription;
  const keepsAnchor = isSameInterval(toInterval(subscription), toInterval(next));
  return {
    kind: 'upgrade',
    effectiveAt: at,
    lines: [],
    totalMinor: 0n,
    creditMinor: 0n,
    currency,
    anchor: keepsAnchor ? anchor : trialEndsAt,
    nextBillingDate: trialEndsAt,
  };
}

const toPlan = (agreement: Agreement) => ({
  amountMinor: agreement.amountMinor,
  currency: agreement.currency,
  interval: toInterval(agreement),
});

function describeLine(kind: Line['kind'], current: Agreement, next: Agreement): string {
  if (kind === 'PRORATION_CREDIT') return `${current.productName}, unused time`;
  if (kind === 'PRORATION_CHARGE') return `${next.productName}, remaining time`;
  return describePeriod(next, kind);
}

/** Returns the paid period at an instant; only within one can the plan change. */
function getPaidPeriod(subscription: SubscriptionRow, at: string): { start: string; end: string } {
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  const obstacle = findChangeObstacle(subscription, at);
  if (obstacle || start === null || end === null) {
    return refuse('subscription_not_active', { path: 'subscription', message: obstacle ?? 'has not begun' });
  }
  return { start, end };
}

function findChangeObstacle(subscription: SubscriptionRow, at: string): string | undefined {
  const { currentPeriodStart, currentPeriodEnd } = subscription;
  if (subscription.cancelledAt) return 'is cancelled';
  if (subscription.parkedReason) return 'is set aside until its books are put right';
  if (subscription.pastDueSince) return 'is past due: what is open must be paid first';
  if (subscription.pausedAt) return 'is paused';
  if (!currentPeriodStart || !currentPeriodEnd) return 'has not begun: nothing has been paid';
  if (at < currentPeriodStart) return 'has not begun';
  return at >= currentPeriodEnd ? 'is about to be billed' : undefined;
}

/**
 * Previews a change to a price, now or `at` a later instant of the current period, with the lines that the change would
 * write. Errors: `subscription_not_found`, `price_not_found`, `subscription_not_active`, `currency_mismatch`,
 * `subscription_exists`, `validation_failed`.
 */
export async function previewPlanChange(
  tenant: TenantScope,
  subscriptionId: string,
  priceId: string,
  { at, quantity }: { at?: string | null; quantity?: number | null } = {},
): Promise<PlanChangeQuote> {
  const { read, record } = tenant;
  const subscription = await findSubscription(read, subscriptionId);
  const now = tenant.now();
  const instant = at ? parseInstant(at, record.timezone, 'at') : now;
  if (instant < now) refuse('validation_failed', { path: 'at', message: 'is in the past' });
  const price = await findPrice(read, undefined, priceId);
  const product = await findProduct(read, price.productId);
  const next = agreeToPrice(product, price, quantity, subscription);
  if (hasPlan(subscription, next) && subscription.nextIntentId === null) {
    refuse('subscription_exists', { path: 'priceId', message: 'is the current price of the subscription' });
  }
  const present = await read.one('products', { id: subscription.productId });
  const groupId = present ? present.groupId : subscription.groupId;
  const isInGroup = product.groupId !== null && product.groupId === groupId;
  if (product.id !== subscription.productId && !isInGroup) {
    refuse('validation_failed', { path: 'priceId', message: 'belongs to another group' });
  }
  const obstacle = findSaleObstacle(product, instant);
  if (obstacle) refuse('validation_failed', { path: 'priceId', message: `is of a product that ${obstacle}` });
  const prorated = await isProrated(read, product);
  const paidLine = await findCreditableLine(read, subscription);
  const { customerId } = subscription;
  const given = await listGivenDiscounts(read, record, customerId);
  const { currency } = next;
  const discounts = selectDiscounts(given, { subscriptionId, currency, at: instant });
  const change = buildPlanChange(subscription, next, instant, prorated, record.timezone, paidLine, discounts);
  return deductBalance(change, await computeBalanceToUse(read, { customerId, currency }, change, instant));
}

/** Whether plan changes to the product are prorated: by the setting of its group; always without a group. */
export async function isProrated(
  reads: Reads,
  { groupId }: Pick<Row<'products'>, 'groupId'>,
): Promise<boolean> {
  if (groupId === null) return true;
  const group = await reads.one('groups', { id: groupId });
  return group?.prorateUpgrades ?? false;
}
