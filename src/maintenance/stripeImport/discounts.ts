import { createCoupon, parseCoupon, updateCoupon, type CouponRow } from '../../billing/discounts/coupons.ts';
import { createDiscount, listDiscountsOf } from '../../billing/discounts/discounts.ts';
import { countRedemption, mostDiscounts } from '../../billing/discounts/redemption.ts';
import { decimalText, parseCurrency } from '../../lib/money.ts';
import { fromStripeAmount } from '../../providers/stripe/amounts.ts';
import { toPrintedText } from '../../tenants/parties.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { isObject, parseText, parseTimestamp, parseWhole, type Json } from './values.ts';

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
 * imported: its coupon is not expanded in the file, or is limited to products. Throws an Error for a field it cannot
 * read.
 */
export function parseDiscounts(object: Json): StripeDiscount[] | undefined {
  const list: unknown = object['discounts'] ?? [];
  if (!Array.isArray(list)) throw new Error('discounts must be a list');
  const all: unknown[] = list.length > 0 ? list : object['discount'] ? [object['discount']] : [];
  if (all.length > mostDiscounts) return undefined;
  const parsed = all.map((each) => (isObject(each) ? parseDiscount(each) : undefined));
  return parsed.every((each) => each !== undefined) ? parsed : undefined;
}

function parseDiscount(discount: Json): StripeDiscount | undefined {
  // Since API version 2025-09-30 the coupon is the source of the discount.
  const coupon: unknown = discount['source']?.coupon ?? discount['coupon'];
  if (!isObject(coupon) || coupon['applies_to']) return undefined;
  const { percent_off: percent, amount_off: amount, currency, duration } = coupon;
  if (!['once', 'repeating', 'forever'].includes(duration)) return undefined;
  const isPercent = percent !== null && percent !== undefined;
  if (isPercent ? !percentForm.test(String(percent)) : !amount || !currency) return undefined;
  const id = parseText(coupon['id'], 'coupon.id');
  return {
    couponId: id,
    name: toPrintedText(parseText(coupon['name'], 'coupon.name')) || id,
    ...(isPercent ? { percentOff: String(percent) } : { amountOff: parseAmountOff(coupon) }),
    duration,
    durationInMonths:
      duration === 'repeating'
        ? parseWhole(coupon['duration_in_months'] ?? 1, 'coupon.duration_in_months')
        : null,
    endsAt: discount['end'] ? parseTimestamp(discount['end'], 'discount.end') : null,
  };
}

function parseAmountOff(coupon: Json): { decimal: string; currency: string } {
  const currency = parseCurrency(parseText(coupon['currency'], 'coupon.currency'), 'coupon.currency');
  const amount = parseWhole(coupon['amount_off'], 'coupon.amount_off');
  return { decimal: decimalText(fromStripeAmount(amount, currency), currency), currency };
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
  for (const discount of discounts) {
    const { endsAt } = discount;
    if (endsAt !== null && endsAt <= unit.now) continue;
    const coupon = await findOrCreateCoupon(unit, discount);
    if (present.some(({ couponId }) => couponId === coupon.id)) continue;
    await countRedemption(unit, { coupon, path: 'couponId' });
    const given = await createDiscount(unit, { coupon }, holder);
    // The months of a repeating discount have begun at Stripe.
    if (endsAt !== null) await unit.change('discounts', given, { endsAt }, { action: 'used' });
  }
}

/** Refuses discounts whose coupons cannot be created, before anything is written. Errors: as for `createCoupon`. */
export function checkDiscounts(unit: UnitOfWork, discounts: StripeDiscount[]): void {
  for (const discount of discounts) parseCoupon(unit, describeCoupon(discount));
}

const describeCoupon = ({
  couponId,
  name,
  percentOff,
  amountOff,
  duration,
  durationInMonths,
}: StripeDiscount) => ({
  name,
  percentOff,
  amountOff,
  duration,
  durationInMonths,
  metadata: { stripeId: couponId },
});

async function findOrCreateCoupon(unit: UnitOfWork, discount: StripeDiscount): Promise<CouponRow> {
  const coupons = await unit.many('coupons', { where: {}, orderBy: ['createdAt', 'id'] });
  const known = coupons.find(({ metadata }) => metadata['stripeId'] === discount.couponId);
  if (known) return known;
  const coupon = await createCoupon(unit, describeCoupon(discount));
  return updateCoupon(unit, coupon.id, { active: false });
}
