import type { Row } from '../db/schema.ts';
import { later } from '../instants.ts';
import type { Unit } from '../tenants/unit.ts';
import { endSubscription } from './ending.ts';
import { voidInvoice, type InvoiceRow } from './invoices.ts';

const dayMs = 86_400_000;

/**
 * What follows a charge that failed (DESIGN, "Renewal"): the subscription is past due and the charge is tried again
 * on the tenant's retry days after the first try; once they are used up, the subscription is cancelled.
 */
export async function followFailure(
  unit: Unit,
  subscription: Row<'subscriptions'>,
  invoice: InvoiceRow,
  because: string,
): Promise<void> {
  const firstTriedAt = invoice.firstTriedAt ?? unit.now;
  const tried = { firstTriedAt, chargeStartedAt: null };
  const retryDay = unit.tenant.retryDays[invoice.attempts - 1];
  if (retryDay === undefined) {
    const failed = await unit.change('invoices', invoice, tried, { action: 'payment_failed', because });
    await voidInvoice(unit, failed, 'uncollectible', because);
    await endSubscription(unit, subscription, because);
    return;
  }
  await unit.change('invoices', invoice, tried, { action: 'payment_failed', because });
  const pastDue = {
    pastDueSince: subscription.pastDueSince ?? unit.now,
    dueAt: later(firstTriedAt, retryDay * dayMs),
  };
  await unit.change('subscriptions', subscription, pastDue, { action: 'past_due', because });
}
