import { balanceLine } from '../billing/cycles.ts';
import { totalOf } from '../billing/invoices.ts';
import { intervalOf, type Agreement, type Line } from '../billing/periods.ts';
import { planChangeLines, type PaidLine } from '../billing/proration.ts';
import { describeInterval } from '../billing/schedule.ts';
import { findPrice } from '../catalog/prices.ts';
import { findProduct } from '../catalog/products.ts';
import type { Row } from '../db/schema.ts';
import type { Reads } from '../db/store.ts';
import { refuse } from '../errors.ts';
import { instantOf } from '../instants.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { balanceToUse, creditableLine, payFromBalance } from './reservations.ts';
import { findSubscription, type SubscriptionRow } from './subscriptions.ts';

/** What a change of plan comes to. */
export interface PlanChange {
  kind: 'upgrade' | 'downgrade';
  effectiveAt: string;
  lines: Line[];
  /** What is charged now; never negative. */
  totalMinor: bigint;
  currency: string;
  /** What is left in the customer's hand. */
  creditMinor: bigint;
  anchor: string;
  nextBillingDate: string;
}

/**
 * What changing a subscription to another agreement at an instant comes to: the one function behind preview and
 * commit (DESIGN, "Changing plan"). `paidLine` is the line that billed the present period. Errors: `currency_mismatch`, `subscription_not_active`.
 */
export function planChangeOf(
  subscription: SubscriptionRow,
  next: Agreement,
  at: string,
  prorateUpgrades: boolean,
  timeZone: string,
  paidLine?: PaidLine,
): PlanChange {
  const paid = paidPeriodAt(subscription, at);
  const change = planChangeLines({
    current: planOf(subscription),
    next: planOf(next),
    paid,
    anchor: subscription.anchor,
    timeZone,
    at,
    prorateUpgrades,
    paidLine,
  });
  const { kind, effectiveAt, anchor, nextBillingDate } = change;
  const lines = change.lines.map((line): Line => ({
    ...line,
    currency: next.currency,
    description: describe(line.kind, subscription, next),
  }));
  const creditMinor = change.totalMinor < 0n ? -change.totalMinor : 0n;
  if (creditMinor > 0n) lines.push(balanceLine(lines.at(-1)!, creditMinor));
  const totalMinor = totalOf(lines);
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

const planOf = (agreement: Agreement) => ({
  amountMinor: agreement.amountMinor,
  currency: agreement.currency,
  interval: intervalOf(agreement),
});

function describe(kind: Line['kind'], current: Agreement, next: Agreement): string {
  if (kind === 'PRORATION_CREDIT') return `${current.productName}, unused time`;
  if (kind === 'PRORATION_CHARGE') return `${next.productName}, remaining time`;
  return `${next.productName}, ${describeInterval(intervalOf(next))}`;
}

/** Only a subscription whose present period is paid can change its plan. */
function paidPeriodAt(subscription: SubscriptionRow, at: string): { start: string; end: string } {
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription;
  const hindrance = hindranceOf(subscription, at);
  if (hindrance || start === null || end === null) {
    return refuse('subscription_not_active', { path: 'subscription', message: hindrance ?? 'has not begun' });
  }
  return { start, end };
}

function hindranceOf(subscription: SubscriptionRow, at: string): string | undefined {
  const { currentPeriodStart, currentPeriodEnd } = subscription;
  if (subscription.cancelledAt) return 'is cancelled';
  if (subscription.parkedReason) return 'is set aside until its books are put right';
  if (subscription.pastDueSince) return 'is past due: what is open must be paid first';
  if (subscription.pausedAt) return 'is paused';
  if (!currentPeriodStart || !currentPeriodEnd || at < currentPeriodStart) return 'has not begun';
  return at >= currentPeriodEnd ? 'is about to be billed' : undefined;
}

/**
 * What a change to a price would come to, now or `at` a later instant of the present period, by the lines that the
 * change itself would write. Errors: `subscription_not_found`, `price_not_found`, `subscription_not_active`,
 * `currency_mismatch`, `subscription_exists`, `validation_failed`.
 */
export async function previewPlanChange(
  tenant: Tenant,
  subscriptionId: string,
  priceId: string,
  at?: string | null,
): Promise<PlanChange> {
  const { read, record } = tenant;
  const subscription = await findSubscription(read, subscriptionId);
  const price = await findPrice(read, undefined, priceId);
  const product = await findProduct(read, price.productId);
  if (product.id === subscription.productId) {
    refuse('subscription_exists', { path: 'priceId', message: 'is a price of the product subscribed to' });
  }
  if (product.groupId === null || product.groupId !== subscription.groupId) {
    refuse('validation_failed', { path: 'priceId', message: 'is of another group' });
  }
  const instant = at ? instantOf(at, record.timezone, 'at') : tenant.now();
  const next = { ...price, productName: product.name };
  const prorated = await isProrated(read, product);
  const paidLine = await creditableLine(read, subscription);
  const change = planChangeOf(subscription, next, instant, prorated, record.timezone, paidLine);
  const { customerId } = subscription;
  return payFromBalance(change, await balanceToUse(read, { customerId, currency: next.currency }, change));
}

/** Whether upgrades within the product's group are prorated. */
export async function isProrated(
  reads: Reads,
  { groupId }: Pick<Row<'products'>, 'groupId'>,
): Promise<boolean> {
  const group = groupId ? await reads.one('groups', { id: groupId }) : undefined;
  return group?.prorateUpgrades ?? false;
}
