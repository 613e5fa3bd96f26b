import { createCoupon } from '../../../src/billing/discounts/coupons.ts';
import { applyDiscount, removeDiscount } from '../../../src/billing/discounts/discounts.ts';
import { createPromotionCode } from '../../../src/billing/discounts/promotionCodes.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import type { Place, World } from './world.ts';

/** Creates a coupon of random terms, mostly with a code. */
export async function addCoupon(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  const duration = random.weighted({ once: 3, repeating: 3, forever: 2 });
  const coupon = await tenant.write((unit) =>
    createCoupon(unit, {
      name: 'Sale',
      duration,
      ...(duration === 'repeating' && { durationInMonths: random.whole(1, 5) }),
      ...(random.chance(0.6)
        ? { percentOff: random.pick(['5', '12.5', '33.3333', '50', '100']) }
        : { amountOff: { amount: random.whole(1, 90), currency: place.currency } }),
      ...(random.chance(0.3) && { productIds: place.products.slice(0, 4).map(({ id }) => id) }),
      ...(random.chance(0.4) && { maxRedemptions: random.whole(1, 4) }),
    }),
  );
  place.coupons.push(coupon.id);
  if (random.chance(0.2)) return;
  const code = `CODE-${random.whole(0, 2 ** 31)}`;
  const limits = random.chance(0.3) ? { firstPurchaseOnly: true } : {};
  await tenant.write((unit) => createPromotionCode(unit, { couponId: coupon.id, code, ...limits }));
  place.codes.push(code);
}

/** A code for an order, now and then. */
export const someCode = ({ random }: World, { codes }: Place): string | undefined =>
  codes.length > 0 && random.chance(0.25) ? random.pick(codes) : undefined;

/** Applies a coupon to a subscription or a customer. */
export async function applyCoupon({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.coupons.length === 0 || place.subscriptions.length === 0) return;
  const couponId = random.pick(place.coupons);
  const holder = random.chance(0.6)
    ? { subscriptionId: random.pick(place.subscriptions) }
    : { customerId: random.pick(place.customers) };
  await tenant.write((unit) => applyDiscount(unit, { couponId, ...holder }));
}

/** Removes a discount of some customer. */
export async function dropDiscount({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.customers.length === 0) return;
  const where = { customerId: random.pick(place.customers), removedAt: null };
  const [discount] = await tenant.read.many('discounts', { where, orderBy: ['id'], limit: 1 });
  if (discount) await tenant.write((unit) => removeDiscount(unit, discount.id));
}
