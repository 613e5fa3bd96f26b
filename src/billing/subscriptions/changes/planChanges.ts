import { buildBalanceLine } from '../../pricing/nextInvoice.ts';
import {
  describePeriod,
  explainQuantity,
  listItems,
  nameItem,
  sumItems,
  toInterval,
  sumLines,
  type Agreement,
  type Line,
} from '../../pricing/invoiceLines.ts';
import {
  computePlanChange,
  refuseOtherCurrency,
  type ItemChange,
  type PlanChangeLine,
} from '../../pricing/planChange.ts';
import { buildChangeFeeLines, dropBilledFees, keepFees } from '../../pricing/addOnFees.ts';
import { taxCredits } from '../../pricing/creditTax.ts';
import { applyGrants, type Grant } from '../../pricing/creditGrants.ts';
import { applyTax } from '../../pricing/tax.ts';
import { discountItems } from '../../pricing/discounts.ts';
import { isSameInterval } from '../../pricing/schedule.ts';
import { isTrialing } from '../../pricing/trials.ts';
import type { InvoiceItemRow } from '../../invoices/invoiceItems.ts';
import type { AddOn, AppliedBilling, BillTax, DiscountTerms } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { refuse } from '../../../lib/errors.ts';
import { mainItem, type PaidItems } from './paidItems.ts';
import { hasPlan, type SubscriptionRow } from '../subscriptions.ts';

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
  /** The lines that wait for the next invoice. */
  waiting: Line[];
  /** The add-ons after the change, with the set-up fees that they still owe. */
  addOns: AddOn[] | null;
  /** The waiting charges of earlier changes that end with this one. */
  ended: InvoiceItemRow[];
}

/** When a plan changes, how the change is billed, and what was paid for the current period. */
export interface ChangeOptions {
  at: string;
  timeZone: string;
  billing: AppliedBilling;
  /** Without it, credits use the current price. */
  paid?: PaidItems;
  /** The discounts of the new terms. */
  discounts?: DiscountTerms[];
  /** The tax of charges; credits have that of the lines that they credit. */
  tax?: BillTax | null;
  /** The credit grants that lower the charges before their tax. */
  grants?: Grant[];
}

/**
 * Computes the change of a subscription to another plan at an instant. Preview and commit both use this function. The
 * current plan costs nothing and cancels a scheduled change. Errors: `currency_mismatch`, `subscription_not_active`.
 */
export function buildPlanChange(
  subscription: SubscriptionRow,
  wanted: Plan,
  options: ChangeOptions,
): PlanChangeQuote {
  const { at, timeZone } = options;
  const next = { ...wanted, addOns: keepFees(subscription.addOns, wanted.addOns) };
  const paid = requirePaidPeriod(subscription, at);
  if (hasPlan(subscription, next)) return buildUnchanged(subscription, at, paid.end);
  if (isTrialing(subscription, at) && options.billing !== 'period_end')
    return buildTrialChange(subscription, next, at);
  const change = computePlanChange({
    current: toPlan(subscription),
    next: toPlan(next),
    items: listItemChanges(subscription, next, options),
    paid,
    anchor: subscription.anchor,
    timeZone,
    at,
    billing: options.billing,
  });
  const { kind, effectiveAt, anchor, nextBillingDate } = change;
  const described = change.lines.map((line) => describeLine(line, subscription, next));
  const untaxed = addTerms(described, options);
  const ended = change.ended.flatMap(({ priceId }) => options.paid?.waiting.get(priceId ?? mainItem) ?? []);
  const schedule = { kind, effectiveAt, currency: next.currency, anchor, nextBillingDate, ended };
  if (options.billing === 'next_invoice')
    return { ...schedule, lines: [], totalMinor: 0n, creditMinor: 0n, waiting: untaxed, addOns: next.addOns };
  const fees = buildChangeFeeLines(next, untaxed, options.discounts ?? []);
  const lowered = applyGrants([...untaxed, ...fees], options.grants ?? [], at, next.priceId);
  const lines = [...applyTax(lowered, options.tax).lines];
  const addOns = dropBilledFees(next.addOns, lines);
  const sumMinor = sumLines(lines);
  const creditMinor = sumMinor < 0n ? -sumMinor : 0n;
  if (creditMinor > 0n) lines.push(buildBalanceLine(lines.at(-1)!, creditMinor));
  return { ...schedule, lines, totalMinor: sumMinor + creditMinor, creditMinor, waiting: [], addOns };
}

/** Gives credits the tax terms of the lines that they credit, and a charge that waits those of its product, if it has some. */
function addTerms(lines: Line[], { paid, tax, billing }: ChangeOptions): Line[] {
  const paidLines = [...(paid?.lines.values() ?? [])];
  if (!tax && paidLines.every((line) => !line.tax)) return lines;
  const credited = taxCredits(lines, paidLines);
  if (billing !== 'next_invoice') return credited;
  return credited.map((line) => {
    const taxTerms = tax?.byProduct?.[line.productId ?? ''];
    return line.taxTerms === undefined && taxTerms ? { ...line, taxTerms } : line;
  });
}

/** Lists the items before and after a change, without add-ons of usage, which are billed when the period has ended. */
function listItemChanges(
  current: SubscriptionRow,
  next: Plan,
  { paid, discounts = [] }: ChangeOptions,
): ItemChange[] {
  const taken = discountItems(listItems(next), discounts);
  const before = new Map(listItems(current).map((item) => [item.addOnPriceId ?? mainItem, item]));
  const after = new Map(listItems(next).map((item) => [item.addOnPriceId ?? mainItem, item]));
  const isBilled = (key: string) => key === mainItem || !(after.get(key) ?? before.get(key))!.pricing?.usage;
  return [...new Set([...before.keys(), ...after.keys()])].filter(isBilled).map((key): ItemChange => {
    const [was, is] = [before.get(key), after.get(key)];
    const isSamePrice = key !== mainItem || current.priceId === next.priceId;
    const isKept = isSamePrice && was?.quantity === is?.quantity && was?.amountMinor === is?.amountMinor;
    return {
      ...(key !== mainItem && { priceId: key }),
      paidLine: paid?.lines.get(key),
      paidElsewhereMinor: paid ? paid.elsewhere.get(key) : was?.amountMinor,
      nextMinor: is?.amountMinor,
      discounts: taken.get(is?.addOnPriceId),
      isChanged: !isKept,
    };
  });
}

function buildUnchanged(
  { anchor, currency, addOns }: SubscriptionRow,
  at: string,
  nextBillingDate: string,
): PlanChangeQuote {
  const nothing = { lines: [], totalMinor: 0n, creditMinor: 0n, waiting: [], ended: [], addOns };
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
    waiting: [],
    ended: [],
    addOns: next.addOns,
  };
}

/** Returns what the rules of plan changes compare: the amount of all items, and the interval. */
export const toPlan = (agreement: Agreement) => ({
  amountMinor: sumItems(agreement),
  currency: agreement.currency,
  interval: toInterval(agreement),
});

function describeLine(line: PlanChangeLine, current: Agreement, next: Agreement): Line {
  const isCredit = line.kind === 'PRORATION_CREDIT';
  const [first, other] = isCredit ? [current, next] : [next, current];
  // An add-on that was removed without billing, and is added again, is credited too: its period is paid.
  const items = [...listItems(first), ...listItems(other)];
  const item = items.find(({ addOnPriceId }) => addOnPriceId === line.priceId)!;
  return {
    ...line,
    ...nameItem(item),
    currency: next.currency,
    description: describeChange(line.kind, item),
    explanation: { ...line.explanation, ...(!isCredit && explainQuantity(item)) },
  };
}

function describeChange(kind: Line['kind'], item: Agreement): string {
  if (kind === 'PRORATION_CREDIT') return `${item.productName}, unused time`;
  if (kind === 'PRORATION_CHARGE') return `${item.productName}, remaining time`;
  return describePeriod(item, kind);
}

/** Returns the paid period at an instant; only within one can the plan change. Error: `subscription_not_active`. */
export function requirePaidPeriod(subscription: SubscriptionRow, at: string): { start: string; end: string } {
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
  if (subscription.pastDueSince) return 'is past due: its unpaid invoice must be paid first';
  if (subscription.pausedAt) return 'is paused';
  if (!currentPeriodStart || !currentPeriodEnd) return 'has not begun: nothing has been paid';
  if (at < currentPeriodStart) return 'has not begun';
  return at >= currentPeriodEnd ? 'is about to be billed' : undefined;
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
