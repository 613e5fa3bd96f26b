import * as z from 'zod';
import { findCustomer } from '../customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { isGiven, parseInput } from '../../lib/validation.ts';
import { isInForce } from '../pricing/discounts.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readCreatedPage, type CreatedRange, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findCoupon } from './coupons.ts';
import { assertRedeemable, countRedemption, findOffer, type Offer } from './redemption.ts';

export type DiscountRow = Row<'discounts'>;

const newDiscount = z.object({
  subscriptionId: z.string().nullish(),
  customerId: z.string().nullish(),
  couponId: z.string().nullish(),
  promotionCode: z.string().nullish(),
});
type NewDiscount = z.output<typeof newDiscount>;

/**
 * Applies a coupon or a promotion code to a subscription, or to a customer for all subscriptions without discounts of
 * their own. It reduces the invoices from the next one on; nothing is billed now. Errors: `validation_failed`,
 * `subscription_not_found`, `subscription_not_active`, `customer_not_found`, `coupon_not_found`,
 * `promotion_code_not_found`, `coupon_not_redeemable`, `currency_mismatch`.
 */
export async function applyDiscount(unit: UnitOfWork, input: unknown): Promise<DiscountRow> {
  const wanted = parseInput(newDiscount, input);
  refuseUnlessOne(wanted, 'subscriptionId', 'customerId');
  refuseUnlessOne(wanted, 'couponId', 'promotionCode');
  const { customerId, subscription } = await findHolder(unit, wanted);
  const offer: Offer = isGiven(wanted.couponId)
    ? { coupon: await findCoupon(unit, wanted.couponId), path: 'couponId' }
    : await findOffer(unit, wanted.promotionCode!, 'promotionCode');
  const present = await listDiscountsOf(unit, customerId, subscription?.id ?? null);
  await assertRedeemable(unit, offer, { customerId, order: subscription, present }, unit.now);
  await countRedemption(unit, offer);
  return createDiscount(unit, offer, { customerId, subscriptionId: subscription?.id ?? null });
}

function refuseUnlessOne(wanted: NewDiscount, path: keyof NewDiscount, other: keyof NewDiscount): void {
  const count = [wanted[path], wanted[other]].filter(isGiven).length;
  if (count === 1) return;
  const message = count === 0 ? `must be given, or ${other}` : `must not be given beside ${other}`;
  refuse('validation_failed', { path, message });
}

async function findHolder(
  unit: UnitOfWork,
  { subscriptionId, customerId }: NewDiscount,
): Promise<{ customerId: string; subscription?: Row<'subscriptions'> }> {
  if (isGiven(customerId)) {
    return { customerId: (await findCustomer(unit, customerId)).id };
  }
  const subscription = await unit.one('subscriptions', { id: subscriptionId! });
  if (!subscription) return refuse('subscription_not_found');
  if (subscription.cancelledAt) {
    refuse('subscription_not_active', { path: 'subscriptionId', ...inState('cancelled') });
  }
  return { customerId: subscription.customerId, subscription };
}

/** Lists the discounts of a subscription, or if it is null, those of the customer, including spent ones. */
export async function listDiscountsOf(
  reads: Reads,
  customerId: string,
  subscriptionId: string | null,
): Promise<DiscountRow[]> {
  const rows = await reads.many('discounts', { where: { customerId }, orderBy: ['createdAt', 'id'] });
  return rows.filter((row) => row.subscriptionId === subscriptionId);
}

/** Creates the discount of a redeemed offer, the last in the order of its subscription or customer. */
export async function createDiscount(
  unit: UnitOfWork,
  { coupon, code }: Pick<Offer, 'coupon' | 'code'>,
  { customerId, subscriptionId, id }: { customerId: string; subscriptionId: string | null; id?: string },
): Promise<DiscountRow> {
  const present = await listDiscountsOf(unit, customerId, subscriptionId);
  return unit.create('discounts', {
    id: id ?? unit.id('disc'),
    customerId,
    subscriptionId,
    couponId: coupon.id,
    promotionCodeId: code?.id,
    position: present.reduce((last, { position }) => Math.max(last, position), 0) + 1,
    startsAt: unit.now,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/**
 * Removes a discount: it reduces no later invoice. Invoices that used it stay as they are, and its redemption counts.
 * Removing it again changes nothing. Error: `discount_not_found`.
 */
export async function removeDiscount(unit: UnitOfWork, id: string): Promise<DiscountRow> {
  const discount = await findDiscount(unit, id);
  if (discount.removedAt !== null) return discount;
  return unit.change('discounts', discount, { removedAt: unit.now }, { action: 'removed' });
}

/** Returns the discount with this id. Error: `discount_not_found`. */
export async function findDiscount(reads: Reads, id: string): Promise<DiscountRow> {
  return (await reads.one('discounts', { id })) ?? refuse('discount_not_found');
}

interface DiscountFilter {
  customerId?: string | null;
  couponId?: string | null;
  /** If true, only discounts that reduce later invoices. */
  active?: boolean | null;
}

/** Lists the tenant's discounts; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`. */
export function listDiscounts(
  tenant: TenantScope,
  { customerId, couponId, active }: DiscountFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<DiscountRow>> {
  const inForce = active
    ? { removedAt: null, spentInvoiceId: null, endsAt: { unlessUpTo: tenant.now() } }
    : {};
  const byCoupon = { couponId: couponId ?? undefined };
  const [where, filter] = isGiven(customerId)
    ? [{ customerId }, { ...byCoupon, ...inForce }]
    : [byCoupon, inForce];
  const request = { customerId, couponId, active };
  const list = { name: 'discounts', table: 'discounts', where, filter, request } as const;
  return readCreatedPage(tenant, list, args);
}

/** Returns the discounts that still reduce invoices at an instant, in the order in which they are deducted. */
export const sortInForce = (rows: DiscountRow[], at: string): DiscountRow[] =>
  rows.filter((row) => isInForce(row, at)).toSorted((a, b) => a.position - b.position);
