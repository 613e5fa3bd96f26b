import { waitingItem, type InvoiceItemRow } from './invoiceItems.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { Explanation } from '../pricing/proration.ts';
import type { LineDiscount } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** Lists the lines of earlier changes of a subscription that wait for its next invoice, oldest first. */
export async function listWaitingChanges(
  reads: Reads,
  { id, customerId }: Pick<Row<'subscriptions'>, 'id' | 'customerId'>,
): Promise<InvoiceItemRow[]> {
  const where = { customerId, ...waitingItem };
  const waiting = await reads.many('invoiceItems', { where, orderBy: ['id'] });
  return waiting.filter(({ subscriptionId, kind }) => subscriptionId === id && kind !== 'ITEM');
}

/** The columns of a waiting charge that depend on its length. */
type Shortened = Pick<InvoiceItemRow, 'amountMinor' | 'discounts' | 'periodEnd' | 'explanation'>;

/**
 * Shortens a waiting charge for the rest of a period to the time until `at`, because a later change bills the time after
 * it. It has not been billed, so nothing is credited for it.
 */
export function shortenCharge(item: InvoiceItemRow, at: string): Shortened {
  const explanation = item.explanation as unknown as Explanation;
  const remainingMs = Date.parse(at) - Date.parse(item.periodStart);
  const scale = (amountMinor: bigint) =>
    divideRoundHalfUp(amountMinor * BigInt(remainingMs), BigInt(explanation.remainingMs));
  const exact = BigInt(explanation.priceMinor) * BigInt(remainingMs);
  const amountMinor = divideRoundHalfUp(exact, BigInt(explanation.totalMs));
  let leftMinor = amountMinor;
  const discounts = item.discounts?.map(({ discountId, amountMinor: offMinor }): LineDiscount => {
    const share = scale(BigInt(offMinor));
    const takenMinor = share < leftMinor ? share : leftMinor;
    leftMinor -= takenMinor;
    return { discountId, amountMinor: String(takenMinor) };
  });
  return {
    amountMinor,
    discounts: discounts ?? null,
    periodEnd: at,
    explanation: { ...item.explanation, remainingMs },
  };
}

/** Shortens waiting charges to the time until `at`, and deletes those that begin there. */
export async function shortenWaitingCharges(
  unit: UnitOfWork,
  items: InvoiceItemRow[],
  at: string,
): Promise<void> {
  for (const item of items) {
    if (item.periodStart < at) await unit.change('invoiceItems', item, shortenCharge(item, at));
    else await unit.change('invoiceItems', item, { removedAt: unit.now }, { action: 'deleted' });
  }
}
