/** Redemptions: the conditions under which a coupon or a promotion code may be redeemed, and their counts. */
import { refuse, type Issue } from '../../lib/errors.ts';
import { formatMoney } from '../../lib/money.ts';
import { listPayingIntents } from '../customers/payingIntents.ts';
import { isInForce } from '../pricing/discounts.ts';
import type { AddOn } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findCoupon, type CouponRow } from './coupons.ts';
import { findActiveCode, findPromotionCode, type PromotionCodeRow } from './promotionCodes.ts';

/** A coupon to redeem, by itself or by a promotion code. */
export interface Offer {
  coupon: CouponRow;
  code?: PromotionCodeRow;
  /** The field of the request that names it. */
  path: string;
}

/** What a coupon is redeemed for. */
export interface Purchase {
  customerId: string;
  /** The agreement; absent if the coupon is redeemed for a customer. */
  order?: Pick<Row<'intents'>, 'currency' | 'amountMinor'> & { addOns: AddOn[] | null };
  /** The discounts that the customer or the subscription has. */
  present: Row<'discounts'>[];
}

/** Why a coupon cannot be redeemed. */
type Obstacle = Omit<Issue, 'path'>;

/** The most discounts of a subscription or a customer. */
export const mostDiscounts = 20;

/** Finds the active promotion code with this text, and its coupon. Error: `promotion_code_not_found`. */
export async function findOffer(reads: Reads, text: string, path: string): Promise<Offer> {
  const code = await findActiveCode(reads, text, path);
  return { coupon: await findCoupon(reads, code.couponId), code, path };
}

/** Returns the offer that an intent redeems; undefined if there is none. */
export async function findOfferOfIntent(
  reads: Reads,
  { couponId, promotionCodeId }: Pick<Row<'intents'>, 'couponId' | 'promotionCodeId'>,
): Promise<Offer | undefined> {
  if (couponId === null) return undefined;
  const coupon = await findCoupon(reads, couponId);
  const code = promotionCodeId === null ? undefined : await findPromotionCode(reads, promotionCodeId);
  return { coupon, code, path: 'promotionCode' };
}

/**
 * Checks that an offer may be redeemed at an instant: it is active, neither expired nor spent, meant for the customer
 * and the purchase, and adds a coupon that is not applied yet. Errors: `coupon_not_redeemable`, `currency_mismatch`.
 */
export async function assertRedeemable(
  reads: Reads,
  offer: Offer,
  purchase: Purchase,
  at: string,
): Promise<void> {
  const { coupon, code, path } = offer;
  const obstacle =
    findObstacle(coupon, coupon.redeemBy, at) ??
    (code && findObstacle(code, code.expiresAt, at)) ??
    findPresentObstacle(coupon, purchase.present, at) ??
    (code && (await findCustomerObstacle(reads, code, purchase, at)));
  if (obstacle) refuse('coupon_not_redeemable', { path, ...obstacle });
  assertAmount(offer, purchase);
}

function findObstacle(
  { active, maxRedemptions, timesRedeemed }: Pick<CouponRow, 'active' | 'maxRedemptions' | 'timesRedeemed'>,
  end: string | null,
  at: string,
): Obstacle | undefined {
  if (!active) return { message: 'is not active', code: 'inactive' };
  if (end !== null && end <= at) return { message: 'has expired', code: 'expired' };
  return maxRedemptions !== null && timesRedeemed >= maxRedemptions
    ? { message: 'was redeemed as often as is allowed', code: 'redeemed_out' }
    : undefined;
}

function findPresentObstacle(
  coupon: CouponRow,
  present: Row<'discounts'>[],
  at: string,
): Obstacle | undefined {
  const inForce = present.filter((discount) => isInForce(discount, at));
  if (inForce.some(({ couponId }) => couponId === coupon.id))
    return { message: 'is of a coupon that is applied already', code: 'applied_already' };
  return inForce.length >= mostDiscounts
    ? { message: `would exceed ${mostDiscounts} discounts`, code: 'too_many', limit: mostDiscounts }
    : undefined;
}

async function findCustomerObstacle(
  reads: Reads,
  code: PromotionCodeRow,
  { customerId, order }: Purchase,
  at: string,
): Promise<Obstacle | undefined> {
  if (code.customerId !== null && code.customerId !== customerId)
    return { message: 'is for another customer', code: 'other_customer' };
  if (code.minimumAmountMinor !== null && !order) {
    return { message: 'has a minimum amount, so it can be applied to a subscription only' };
  }
  if (!code.firstPurchaseOnly) return undefined;
  if (await hasFirstPurchase(reads, customerId, at))
    return { message: 'is for the first purchase of a customer', code: 'first_purchase_only' };
  return undefined;
}

/** Whether a customer has a paid subscription, or has redeemed a code for the first purchase. */
async function hasFirstPurchase(reads: Reads, customerId: string, at: string): Promise<boolean> {
  const [paid] = await reads.many('subscriptions', {
    where: { customerId, currentPeriodEnd: { isSet: true } },
    limit: 1,
  });
  if (paid) return true;
  const underWay = await listPayingIntents(reads, customerId);
  // A payment that nobody confirmed in time cannot succeed any more.
  const redeeming = underWay.filter(({ status, expiresAt }) => status === 'processing' || expiresAt > at);
  return (await areForFirstPurchase(reads, redeeming)) || (await hasFirstPurchaseDiscount(reads, customerId));
}

/**
 * Whether a customer has a discount of a code for the first purchase, other than the one with the id `own`. That of a
 * subscription which ended before its first payment does not count.
 */
export async function hasFirstPurchaseDiscount(
  reads: Reads,
  customerId: string,
  own?: string,
): Promise<boolean> {
  const discounts = await reads.many('discounts', { where: { customerId, removedAt: null } });
  const others = discounts.filter(({ id, promotionCodeId }) => id !== own && promotionCodeId !== null);
  const ids = others.flatMap(({ subscriptionId }) => subscriptionId ?? []);
  const unpaid =
    ids.length === 0
      ? []
      : await reads.many('subscriptions', {
          where: { id: ids, cancelledAt: { isSet: true }, currentPeriodEnd: null },
        });
  const ended = new Set(unpaid.map(({ id }) => id));
  return areForFirstPurchase(
    reads,
    others.filter(({ subscriptionId }) => subscriptionId === null || !ended.has(subscriptionId)),
  );
}

async function areForFirstPurchase(
  reads: Reads,
  redeemed: Pick<Row<'intents'>, 'promotionCodeId'>[],
): Promise<boolean> {
  const ids = [...new Set(redeemed.flatMap(({ promotionCodeId }) => promotionCodeId ?? []))];
  if (ids.length === 0) return false;
  const codes = await reads.many('promotionCodes', { where: { id: ids } });
  return codes.some(({ firstPurchaseOnly }) => firstPurchaseOnly);
}

function assertAmount({ coupon, code, path }: Offer, { order }: Purchase): void {
  if (!order) return;
  for (const currency of [coupon.currency, code?.currency ?? null]) {
    if (currency === null || currency === order.currency) continue;
    const message = `is in ${currency}, the subscription in ${order.currency}`;
    refuse('currency_mismatch', { path, message, code: 'other_currency' });
  }
  const addOnsMinor = (order.addOns ?? []).reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
  const minimumMinor = code?.minimumAmountMinor ?? 0n;
  if (order.amountMinor + addOnsMinor >= minimumMinor) return;
  const message = `is for amounts of at least ${formatMoney(minimumMinor, order.currency)} per cycle`;
  refuse('coupon_not_redeemable', { path, message });
}

/** Counts a redemption of a coupon and its promotion code. */
export async function countRedemption(unit: UnitOfWork, { coupon, code }: Offer): Promise<void> {
  await addRedemptions(unit, { coupon, code }, 1);
}

/** Takes back a redemption that was counted for a payment without success. */
export async function releaseRedemption(unit: UnitOfWork, offer: Offer): Promise<void> {
  await addRedemptions(unit, offer, -1);
}

async function addRedemptions(
  unit: UnitOfWork,
  { coupon, code }: Pick<Offer, 'coupon' | 'code'>,
  count: 1 | -1,
): Promise<void> {
  const action = count === 1 ? ('redeemed' as const) : ('released' as const);
  await unit.change('coupons', coupon, { timesRedeemed: coupon.timesRedeemed + count }, { action });
  if (!code) return;
  await unit.change('promotionCodes', code, { timesRedeemed: code.timesRedeemed + count }, { action });
}
