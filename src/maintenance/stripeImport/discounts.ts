import { createCoupon, updateCoupon, type CouponRow } from '../../discounts/coupons.ts';
import { createDiscount, listDiscountsOf } from '../../discounts/discounts.ts';
import { countRedemption } from '../../discounts/redemption.ts';
import { decimalText } from '../../lib/money.ts';
import { toInstant } from '../../lib/time.ts';
import { fromStripeAmount } from '../../providers/stripe/amounts.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type Json = Record<string, any>;

/** A discount of a subscription or customer at Stripe, with the terms of its coupon. */
export interface StripeDiscount {
  couponId: string;
  name: string;
  percentOff?: string;
  amountOff?: { decimal: string; currency: string };
  duration: CouponRow['duration'];
  durationInMonths: number | null;
  endsAt: string | null;
}

const percentForm = /^\d{1,3}(\.\d{1,4})?$/;

/**
 * Reads the discounts of a subscription or a customer in Stripe's API. Returns undefined if one of them cannot be
 * imported: its coupon is not expanded in the file, or is limited to products.
 */
export function parseDiscounts(object: Json): StripeDiscount[] | undefined {
  const list: unknown[] = object['discounts'] ?? [];
  const all = list.length > 0 ? list : object['discount'] ? [object['discount']] : [];
  const parsed = all.map((each) => parseDiscount((each ?? {}) as Json));
  return parsed.every((each) => each !== undefined) ? parsed : undefined;
}

function parseDiscount(discount: Json): StripeDiscount | undefined {
  // Since API version 2025-09-30 the coupon is the source of the discount.
  const coupon = (discount['source']?.coupon ?? discount['coupon']) as Json | string | undefined;
  if (typeof coupon !== 'object' || coupon === null || coupon['applies_to']) return undefined;
  const { id, name, percent_off: percent, amount_off: amount, currency, duration } = coupon;
  if (!['once', 'repeating', 'forever'].includes(duration)) return undefined;
  const isPercent = percent !== null && percent !== undefined;
  if (isPercent ? !percentForm.test(String(percent)) : !amount || !currency) return undefined;
  const code = String(currency);
  return {
    couponId: String(id),
    name: String(name ?? id),
    ...(isPercent
      ? { percentOff: String(percent) }
      : {
          amountOff: { decimal: decimalText(fromStripeAmount(Number(amount), code), code), currency: code },
        }),
    duration,
    durationInMonths: duration === 'repeating' ? Number(coupon['duration_in_months'] ?? 1) : null,
    endsAt: discount['end'] ? toInstant(Number(discount['end']) * 1000) : null,
  };
}

/**
 * Gives a subscription, or a customer if `subscriptionId` is null, its discounts from Stripe, unless it has them. Their
 * coupons are inactive here: other payers may redeem them only after they are activated.
 */
export async function importDiscounts(
  unit: UnitOfWork,
  discounts: StripeDiscount[],
  holder: { customerId: string; subscriptionId: string | null },
): Promise<void> {
  const present = await listDiscountsOf(unit, holder.customerId, holder.subscriptionId);
  for (const { endsAt, ...terms } of discounts) {
    if (endsAt !== null && endsAt <= unit.now) continue;
    const coupon = await findOrCreateCoupon(unit, terms);
    if (present.some(({ couponId }) => couponId === coupon.id)) continue;
    await countRedemption(unit, { coupon, path: 'couponId' });
    const given = await createDiscount(unit, { coupon }, holder);
    // The months of a repeating discount have begun at Stripe.
    if (endsAt !== null) await unit.change('discounts', given, { endsAt }, { action: 'used' });
  }
}

async function findOrCreateCoupon(
  unit: UnitOfWork,
  { couponId: stripeId, ...terms }: Omit<StripeDiscount, 'endsAt'>,
): Promise<CouponRow> {
  const coupons = await unit.many('coupons', { where: {}, orderBy: ['createdAt', 'id'] });
  const known = coupons.find(({ metadata }) => metadata['stripeId'] === stripeId);
  if (known) return known;
  const coupon = await createCoupon(unit, { ...terms, metadata: { stripeId } });
  return updateCoupon(unit, coupon.id, { active: false });
}
