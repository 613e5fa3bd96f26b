import type { Row } from '../db/schema.ts';
import type { Unit } from '../tenants/unit.ts';
import { voidOpenInvoices } from './invoices.ts';

/** Ends a subscription now: nothing more is billed, and what is open is voided. */
export async function endSubscription(
  unit: Unit,
  subscription: Row<'subscriptions'>,
  because?: string,
): Promise<Row<'subscriptions'>> {
  const ended = await unit.change(
    'subscriptions',
    subscription,
    { cancelledAt: unit.now, nextBillingDate: null },
    { action: 'cancelled', because },
  );
  await voidOpenInvoices(unit, subscription.id);
  return ended;
}
