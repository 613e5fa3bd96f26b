import { applyGrants, listGrants, listReservedGrants, type Grant } from '../../pricing/creditGrants.ts';
import { buildAddOnFeeLines } from '../../pricing/addOnFees.ts';
import { applyDiscounts, type GivenDiscount } from '../../pricing/discounts.ts';
import { buildPeriodLines, listProductIds, sumLines, type Line } from '../../pricing/invoiceLines.ts';
import { applyTax } from '../../pricing/tax.ts';
import { buildSetupFeeLine, computeTrialEnd, isTrialing } from '../../pricing/trials.ts';
import { listDiscountsOf } from '../../discounts/discounts.ts';
import { assertRedeemable, findOfferOfIntent } from '../../discounts/redemption.ts';
import { listAvailableCredits } from '../../invoices/credits.ts';
import { readFunds, takeTerms, type BillingTenant } from '../../invoices/gatherBill.ts';
import { dropPaidFees } from '../../invoices/setupFees.ts';
import { findSaleObstacle } from '../../catalog/products.ts';
import { takesEffectAtOnce } from '../../pricing/planChange.ts';
import type { AppliedBilling, BillTax } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import { completeRow } from '../../../storage/query/tableMeta.ts';
import type { Reads } from '../../../storage/store.ts';
import { refuse } from '../../../lib/errors.ts';
import type { IntentRow } from './intents.ts';
import { decideBilling } from '../changes/changeDecision.ts';
import { pickTerms } from '../changes/changeTerms.ts';
import { buildPlanChange, toPlan, type PlanChangeQuote } from '../changes/planChanges.ts';
import { computeBalanceToUse, deductBalance, buildReservation, type Reservation } from './reservations.ts';
import { findPaidItems, findReservedItems, type PaidItems } from '../changes/paidItems.ts';
import { findSubscription, findSubscriptionToChange, type SubscriptionRow } from '../subscriptions.ts';
import { hadTrial } from '../trials.ts';

/** The amount that an intent owes when its payment starts, for a new subscription or a plan change. */
export interface FirstBill {
  lines: Line[];
  totalMinor: bigint;
  /** The tax terms; null if the seller charges no tax. */
  tax: BillTax | null;
  /** The plan change, if it is one. */
  change?: PlanChangeQuote;
  subscription?: SubscriptionRow;
  /** The end of the trial that a new subscription starts with, or that a plan change leaves as it is. */
  trialEndsAt?: string;
}

/** The columns of an intent that determine the amount owed. */
type BillBasis = Pick<
  IntentRow,
  | 'paymentStartedAt'
  | 'changesSubscriptionId'
  | 'prorated'
  | 'orderBilling'
  | 'groupId'
  | 'discounts'
  | 'tax'
  | 'trialDays'
  | 'setupFeeMinor'
  | 'addOns'
> &
  Reservation;

/** What a tenant's settings say about the bill of an order. */
type OrderingTenant = BillingTenant & Pick<Row<'tenants'>, 'changePolicy'>;

/** What an intent owes for a payment that starts at an instant. */
interface Checkout {
  /** The subscription whose plan it changes. */
  changed: SubscriptionRow | undefined;
  /** The discount that it redeems. */
  redeemed: GivenDiscount | undefined;
  basis: BillBasis;
  bill: FirstBill;
}

/**
 * Computes the amount that an intent owes for a payment that starts at an instant, and the columns that determine it.
 * Uses the current product: it must be on sale, and may have moved to another group. Errors: `subscription_exists`,
 * `subscription_not_active`, `currency_mismatch`, `intent_not_payable`, `coupon_not_redeemable`.
 */
export async function computeCheckout(
  reads: Reads,
  intent: IntentRow,
  at: string,
  tenant: OrderingTenant,
): Promise<Checkout> {
  const begun = intent.billing === null ? await findOrder(reads, intent, at, tenant) : intent;
  const { changesSubscriptionId } = begun;
  const changed = changesSubscriptionId ? await findSubscription(reads, changesSubscriptionId) : undefined;
  const paid = changed && (await findPaidItems(reads, changed));
  return computeDue(reads, begun, { changed, paid }, at, tenant);
}

/**
 * Computes the amount that an intent owes whose payment starts at an instant. Payments and previews of orders and changes
 * call this function. `paid` has what was paid for the present period of the subscription that it changes. Errors:
 * `subscription_not_active`, `currency_mismatch`, `coupon_not_redeemable`.
 */
export async function computeDue(
  reads: Reads,
  intent: IntentRow,
  { changed, paid }: { changed?: SubscriptionRow; paid?: PaidItems },
  at: string,
  tenant: BillingTenant,
): Promise<Checkout> {
  const { customerId, currency } = intent;
  const productIds = listProductIds(intent);
  const funds = await readFunds(reads, tenant, { customerId, currencies: [], productIds });
  const redeemed = await findRedeemed(reads, intent, changed, at);
  const given = redeemed ? [...funds.discounts, redeemed] : funds.discounts;
  const billing = changed && findBilling(intent, changed);
  const charged = { subscriptionId: changed?.id, currency, productIds, at, billing };
  const terms = takeTerms({ ...funds, discounts: given }, charged);
  const discounts = terms.discounts.length > 0 ? terms.discounts : null;
  const tax = terms.tax ?? null;
  const credits = await listAvailableCredits(reads, customerId, currency);
  const grants = listGrants(credits);
  const due = { ...intent, discounts, tax };
  const bill = computeBillBeforeBalance(due, tenant.timezone, { changed, paid, grants });
  const balanceMinor = computeBalanceToUse(credits, bill, at);
  const { paymentStartedAt, changesSubscriptionId, prorated, orderBilling } = intent;
  const { groupId, trialDays, setupFeeMinor, addOns } = intent;
  const change = { changesSubscriptionId, prorated, orderBilling };
  const basis = { paymentStartedAt, ...change, groupId, trialDays, setupFeeMinor, addOns, discounts, tax };
  return {
    changed,
    redeemed,
    basis: { ...basis, ...buildReservation(bill, paid, balanceMinor, grants) },
    bill: deductBalance(bill, balanceMinor),
  };
}

/** Finds the product that a payer orders now, and the subscription that the order changes. */
async function findOrder(
  reads: Reads,
  intent: IntentRow,
  at: string,
  tenant: OrderingTenant,
): Promise<IntentRow> {
  const { customerId, productId } = intent;
  const product = await reads.one('products', { id: productId });
  const obstacle = product ? findSaleObstacle(product, at) : 'is deleted';
  if (obstacle) refuse('intent_not_payable', { path: 'id', message: `is for a product that ${obstacle}` });
  const { groupId } = product!;
  const changed = await findSubscriptionToChange(reads, customerId, { ...intent, groupId });
  if (changed && intent.startDate && intent.startDate > at) {
    refuse('subscription_exists', {
      path: 'id',
      message: 'has a later start, but would now be a plan change',
    });
  }
  return {
    ...intent,
    paymentStartedAt: at,
    changesSubscriptionId: changed?.id ?? null,
    prorated: false,
    orderBilling: changed ? await decideOrder(reads, tenant, changed, { ...intent, groupId }, at) : null,
    groupId,
    addOns: intent.addOns && (await dropPaidFees(reads, changed?.id, intent.addOns)),
    ...(changed ? { trialDays: null, setupFeeMinor: null } : await findStart(reads, intent, product!)),
  };
}

/** Decides how an order that changes a subscription is billed. During a trial it takes effect at once, unbilled. */
const decideOrder = async (
  reads: Reads,
  tenant: OrderingTenant,
  changed: SubscriptionRow,
  order: IntentRow,
  at: string,
): Promise<AppliedBilling> =>
  isTrialing(changed, at)
    ? 'none'
    : decideBilling(reads, tenant, { present: pickTerms(changed), terms: pickTerms(order) });

/** Returns how a change is billed. Payments of orders that an earlier release started have the rule of that time. */
function findBilling({ billing, orderBilling, prorated, ...order }: IntentRow, changed: SubscriptionRow) {
  if (billing ?? orderBilling) return (billing ?? orderBilling)!;
  if (!takesEffectAtOnce(toPlan(changed), toPlan(order))) return 'period_end';
  return prorated ? 'charge_now' : 'restart';
}

/** Returns the trial and the fee of a new subscription. A trial that began after the order uses up the trial. */
async function findStart(
  reads: Reads,
  { customerId, createdAt, trialDays, setupFeeMinor }: IntentRow,
  product: Row<'products'>,
): Promise<Pick<IntentRow, 'trialDays' | 'setupFeeMinor'>> {
  const isUsed = trialDays !== null && (await hadTrial(reads, customerId, product, createdAt));
  return { trialDays: isUsed ? null : trialDays, setupFeeMinor };
}

/**
 * Computes the amount shown to a payer: what an intent would owe if its payment started at an instant. Errors:
 * `subscription_exists`, `subscription_not_active`, `currency_mismatch`, `intent_not_payable`, `coupon_not_redeemable`.
 */
export async function previewFirstBill(
  reads: Reads,
  intent: IntentRow,
  at: string,
  tenant: OrderingTenant,
): Promise<FirstBill> {
  return (await computeCheckout(reads, intent, at, tenant)).bill;
}

/**
 * Returns the discount that an intent redeems, as it will be given: on its subscription, after those that it has. It has no
 * id yet. Undefined for none. Errors: `coupon_not_redeemable`, `currency_mismatch`.
 */
async function findRedeemed(
  reads: Reads,
  intent: IntentRow,
  changed: SubscriptionRow | undefined,
  at: string,
): Promise<GivenDiscount | undefined> {
  const offer = await findOfferOfIntent(reads, intent);
  if (!offer) return undefined;
  const { tenantAlias, customerId } = intent;
  const { coupon, code } = offer;
  const present = changed ? await listDiscountsOf(reads, customerId, changed.id) : [];
  await assertRedeemable(reads, offer, { customerId, order: intent, present }, at);
  const values = {
    id: '',
    customerId,
    subscriptionId: changed?.id ?? '',
    couponId: coupon.id,
    promotionCodeId: code?.id,
    position: Number.MAX_SAFE_INTEGER,
    startsAt: at,
    createdAt: at,
    updatedAt: at,
  };
  return { discount: completeRow('discounts', values, tenantAlias), coupon };
}

/** Computes the amount that an intent owes as of the start of its payment; always the same result. */
export async function computeFirstBill(
  reads: Reads,
  intent: IntentRow,
  timezone: string,
): Promise<FirstBill> {
  const { changesSubscriptionId: id } = intent;
  const paid = await findReservedItems(reads, intent);
  const changed = id ? await reads.one('subscriptions', { id }) : undefined;
  const grants = listReservedGrants(intent);
  const bill = computeBillBeforeBalance(intent, timezone, { changed, paid, grants });
  return deductBalance(bill, intent.balanceMinor);
}

/** The subscription that an intent changes, what was paid for its period, and the grants that lower the bill. */
interface BillFunds {
  changed: SubscriptionRow | undefined;
  paid: PaidItems | undefined;
  grants: Grant[];
}

function computeBillBeforeBalance(
  intent: IntentRow,
  timezone: string,
  { changed: subscription, paid, grants }: BillFunds,
): FirstBill {
  const at = intent.paymentStartedAt!;
  if (subscription) {
    const change = buildPlanChange(subscription, intent, {
      at,
      timeZone: timezone,
      billing: findBilling(intent, subscription),
      paid,
      discounts: intent.discounts ?? [],
      tax: intent.tax,
      grants,
    });
    const trialEndsAt = isTrialing(subscription, at) ? subscription.trialEndsAt : undefined;
    const { lines, totalMinor } = change;
    return { lines, totalMinor, tax: intent.tax, change, subscription, trialEndsAt };
  }
  return buildFirstBill(intent, at, timezone, grants);
}

/** Computes the bill of a new subscription: the first period, or nothing during a trial; and the set-up fees. */
export function buildFirstBill(
  intent: IntentRow,
  at: string,
  timeZone: string,
  grants: Grant[] = listReservedGrants(intent),
): FirstBill {
  const { startDate, trialDays, setupFeeMinor, executionDate, tax } = intent;
  const start = startDate ?? at;
  const trialEndsAt = trialDays ? computeTrialEnd(start, trialDays, timeZone) : undefined;
  // A future start is billed at that time; now the payment method is only saved.
  if (start > at) return { lines: [], totalMinor: 0n, tax, trialEndsAt };
  const first = trialEndsAt ? [] : buildPeriodLines(intent, executionDate, start, timeZone).lines;
  const period = { start, end: trialEndsAt ?? first[0].periodEnd };
  const fees = setupFeeMinor ? [buildSetupFeeLine(intent, setupFeeMinor, period)] : [];
  const charges = [...first, ...fees, ...buildAddOnFeeLines(intent, period)];
  const discounted = applyDiscounts(charges, intent.discounts ?? []);
  const { lines } = applyTax(applyGrants(discounted, grants, at, intent.priceId), tax);
  return { lines, totalMinor: sumLines(lines), tax, trialEndsAt };
}
