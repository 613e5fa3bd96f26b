import { dropBilledFees } from '../pricing/addOnFees.ts';
import type { AddOn } from '../../storage/model/common.ts';
import type { Reads } from '../../storage/store.ts';

/**
 * Returns add-ons without the set-up fees that an invoice of the subscription has charged: a price that was removed and is
 * added again pays its fee once. Makes no query if none of them owes a fee, or for a new subscription.
 */
export async function dropPaidFees(
  reads: Reads,
  subscriptionId: string | undefined,
  addOns: AddOn[],
): Promise<AddOn[]> {
  if (subscriptionId === undefined || addOns.every(({ setupFeeMinor }) => setupFeeMinor === undefined))
    return addOns;
  const owed = await reads.many('invoices', { where: { subscriptionId, status: ['open', 'paid'] } });
  const invoiceId = owed.map(({ id }) => id);
  const fees = await reads.many('invoiceLines', { where: { invoiceId, kind: 'SETUP_FEE' } });
  return dropBilledFees(
    addOns,
    fees.flatMap(({ kind, priceId }) => (priceId === null ? [] : [{ kind, priceId }])),
  )!;
}
