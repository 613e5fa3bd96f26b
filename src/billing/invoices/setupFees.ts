import { dropBilledFees } from '../pricing/addOnFees.ts';
import { awaitsFirstInvoice } from '../pricing/trials.ts';
import type { AddOn } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
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

/** Returns the set-up fee (minor units) that the next invoice of a subscription charges; null for none. */
export async function findUnbilledSetupFee(
  reads: Reads,
  subscription: Row<'subscriptions'>,
): Promise<bigint | null> {
  if (!awaitsFirstInvoice(subscription)) return null;
  const intent = await reads.one('intents', { id: subscription.paymentIntentId });
  if (!intent?.setupFeeMinor) return null;
  // The fee of an invoice that was given up is still to be paid.
  const status = ['draft', 'open', 'paid'] as const;
  const billed = await reads.one('invoices', { subscriptionId: subscription.id, status });
  return billed ? null : intent.setupFeeMinor;
}
