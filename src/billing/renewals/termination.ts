import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { closeIntent } from './intentExpiry.ts';
import { billFinally } from '../invoices/finalInvoices.ts';
import { isUnpaid, voidInvoice } from '../invoices/invoices.ts';

/**
 * Ends a subscription now: stops billing, voids its open invoice, cancels a plan change that waits for its payment, and
 * bills what waits for the next invoice in a final one, which stays owed. `reason` has what the customer said about it,
 * and `isDeleted` whether the customer is deleted.
 */
export async function endSubscription(
  unit: UnitOfWork,
  subscription: Row<'subscriptions'>,
  {
    causedBy,
    reason,
    isDeleted,
  }: {
    causedBy?: string | undefined;
    reason?: Partial<Pick<Row<'subscriptions'>, 'cancellationReason' | 'cancellationComment'>>;
    isDeleted?: boolean;
  } = {},
): Promise<Row<'subscriptions'>> {
  const { id, openInvoiceId, changingIntentId } = subscription;
  const ended = await unit.change(
    'subscriptions',
    subscription,
    {
      cancelledAt: unit.now,
      nextBillingDate: null,
      dueAt: null,
      resumesAt: null,
      openInvoiceId: null,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      nextIntentId: null,
      changingIntentId: null,
      ...reason,
    },
    { action: 'cancelled', causedBy },
  );
  const open = openInvoiceId ? await unit.one('invoices', { id: openInvoiceId }) : undefined;
  if (open && isUnpaid(open)) await voidInvoice(unit, open, 'void', id);
  const changing = changingIntentId ? await unit.one('intents', { id: changingIntentId }) : undefined;
  if (changing) await closeIntent(unit, changing, id);
  await billFinally(unit, ended, { usageEnd: findUsageEnd(subscription, unit.now, open), isDeleted });
  return ended;
}

/**
 * Returns until when a subscription that ends now owes its usage: until the end of its period if it was to end by then,
 * otherwise including this instant. `open` is its unpaid invoice, whose period counts.
 */
function findUsageEnd(
  { cancelAtPeriodEnd, cancelAt, currentPeriodEnd }: Row<'subscriptions'>,
  now: string,
  open?: Pick<Row<'invoices'>, 'cycleEnd'>,
): string {
  const end = cancelAtPeriodEnd ? (open?.cycleEnd ?? currentPeriodEnd) : cancelAt;
  return end !== null && end <= now ? end : addMs(now, 1);
}
