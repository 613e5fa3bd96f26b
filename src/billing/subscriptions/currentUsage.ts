/** The next invoice of a subscription with its usage so far. */
import { listUsageWarnings } from '../pricing/usageLines.ts';
import { listBillWarnings } from '../invoices/taxWarnings.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { previewCancellation } from './cancellationPreview.ts';
import type { BillPreview } from './changes/changePreview.ts';
import { computeNextBill } from './nextBill.ts';
import { findSubscription } from './subscriptions.ts';

/**
 * Returns the next invoice of a subscription with the usage so far, by the functions that bill it; its final one if it ends
 * before. Errors: `subscription_not_found`, `subscription_not_active` for one that is cancelled.
 */
export async function previewUsage(
  { read, now }: Pick<TenantScope, 'read'> & { now: string },
  id: string,
): Promise<BillPreview> {
  const subscription = await findSubscription(read, id);
  const { customerId, cancelledAt, cancelAt, cancelAtPeriodEnd, openInvoiceId } = subscription;
  const open = openInvoiceId === null ? undefined : await read.one('invoices', { id: openInvoiceId });
  const date = open?.cycleEnd ?? subscription.nextBillingDate;
  const isEnding = cancelAtPeriodEnd || (cancelAt !== null && date !== null && date >= cancelAt);
  if (cancelledAt !== null || date === null || isEnding)
    return previewCancellation({ read, now }, id, isEnding);
  const tenant = (await read.one('tenants', {}))!;
  const { lines, totalMinor, currency } = await computeNextBill({ read, tenant, now }, subscription, date);
  return {
    effectiveAt: date,
    currency,
    lines,
    totalMinor,
    nextInvoice: null,
    warnings: [
      ...listUsageWarnings(lines),
      ...(await listBillWarnings(read, tenant, { customerId, at: date, now, lines, currency })),
    ],
  };
}
