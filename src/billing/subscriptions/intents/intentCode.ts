import { findOffer } from '../../discounts/redemption.ts';
import { refuse } from '../../../lib/errors.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { refuseStatus } from './checkout.ts';
import { previewFirstBill } from './firstBill.ts';
import { findIntent, type IntentRow } from './intents.ts';

/** Whether the seller has chosen the coupon of an order, which a payer does not replace. */
export const hasOwnCoupon = ({ couponId, promotionCodeId }: IntentRow): boolean =>
  couponId !== null && promotionCodeId === null;

/**
 * Sets the promotion code that the payment of an intent redeems, or removes it if the text is null. Errors:
 * `intent_not_found`, `intent_not_payable`, `promotion_code_not_found`, `coupon_not_redeemable`, `currency_mismatch`,
 * `subscription_exists`, `subscription_not_active`.
 */
export async function setIntentCode(unit: UnitOfWork, id: string, text: string | null): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  if (intent.status !== 'requires_payment_method') refuseStatus(intent);
  if (hasOwnCoupon(intent))
    refuse('coupon_not_redeemable', { path: 'code', message: 'cannot replace the coupon of the order' });
  const offer = text === null ? undefined : await findOffer(unit, text, 'code');
  const redeemed = { couponId: offer?.coupon.id ?? null, promotionCodeId: offer?.code?.id ?? null };
  // Computing the bill checks that the code can be redeemed.
  if (offer) await previewFirstBill(unit, { ...intent, ...redeemed }, unit.now, unit.tenant);
  return unit.change('intents', intent, redeemed);
}
