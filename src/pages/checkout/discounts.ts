import { listUsedDiscounts } from '../../billing/pricing/discounts.ts';
import type { Line } from '../../billing/pricing/invoiceLines.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';

/**
 * Returns the names of the discounts on lines, as a payer knows them: the code that was entered, otherwise the name of the
 * coupon. The discount that the intent redeems has no id yet.
 */
export async function nameDiscounts(
  reads: Reads,
  intent: IntentRow,
  lines: Line[],
): Promise<Map<string, string>> {
  const used = listUsedDiscounts(lines);
  if (used.length === 0) return new Map();
  const given = await reads.many('discounts', { where: { id: used.filter((id) => id !== '') } });
  const named = new Map<string, string>();
  for (const discount of given) named.set(discount.id, await findName(reads, discount));
  if (used.includes('')) named.set('', await findName(reads, intent));
  return named;
}

async function findName(
  reads: Reads,
  { couponId, promotionCodeId }: Pick<Row<'intents'>, 'couponId' | 'promotionCodeId'>,
): Promise<string> {
  if (promotionCodeId !== null) return (await reads.one('promotionCodes', { id: promotionCodeId }))!.code;
  return (await reads.one('coupons', { id: couponId! }))!.name;
}
