import type { Row } from '../db/schema.ts';
import type { Unit } from '../tenants/unit.ts';
import { voidInvoice } from './invoices.ts';

/** Ends a subscription now: nothing more is billed, and what is open is voided. */
export async function endSubscription(
  unit: Unit,
  subscription: Row<'subscriptions'>,
  because?: string,
): Promise<Row<'subscriptions'>> {
  const { id, openInvoiceId } = subscription;
  const ended = await unit.change(
    'subscriptions',
    subscription,
    {
      cancelledAt: unit.now,
      nextBillingDate: null,
      dueAt: null,
      openInvoiceId: null,
      cancelAtPeriodEnd: false,
      nextIntentId: null,
      changingIntentId: null,
    },
    { action: 'cancelled', because },
  );
  const open = openInvoiceId ? await unit.one('invoices', { id: openInvoiceId }) : undefined;
  if (open?.status === 'open') await voidInvoice(unit, open, 'void', id);
  return ended;
}
