import { computeFinalBills } from '../invoices/finalInvoices.ts';
import { isUnpaid } from '../invoices/invoices.ts';
import { listUsageWarnings } from '../pricing/usageLines.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { addMs } from '../../lib/time.ts';
import { listBillWarnings } from '../invoices/taxWarnings.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { BillPreview } from './changes/changePreview.ts';
import { findPeriodEnd } from './lifecycle.ts';
import { findSubscription } from './subscriptions.ts';

/**
 * Previews the cancellation of a subscription: when it ends, and its final invoice, by the function that bills it. Without
 * lines that wait for its next invoice there is no final one, and the preview has no lines. Errors:
 * `subscription_not_found`, `subscription_not_active`.
 */
export async function previewCancellation(
  { read, now }: Pick<TenantScope, 'read'> & { now: string },
  id: string,
  atPeriodEnd: boolean,
): Promise<BillPreview> {
  const subscription = await findSubscription(read, id);
  const { customerId, cancelledAt, openInvoiceId, currency } = subscription;
  if (cancelledAt) refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  const tenant = (await read.one('tenants', {}))!;
  const end = atPeriodEnd ? await findPeriodEnd(read, subscription, now) : undefined;
  const effectiveAt = end ?? now;
  const open = openInvoiceId === null || end ? undefined : await read.one('invoices', { id: openInvoiceId });
  const voided = open && isUnpaid(open) ? open : undefined;
  const at = { now: effectiveAt, tenant };
  const bills = await computeFinalBills(read, at, subscription, {
    usageEnd: end ?? addMs(now, 1),
    voided,
  });
  // Lines in the currency of an earlier plan are billed apart.
  const bill = bills.find((each) => each.currency === currency) ?? bills[0];
  const lines = bill?.lines ?? [];
  const shown = { currency: bill?.currency ?? currency, lines };
  return {
    ...shown,
    effectiveAt,
    totalMinor: bill?.totalMinor ?? 0n,
    nextInvoice: null,
    warnings: [
      ...listUsageWarnings(lines),
      ...(await listBillWarnings(read, tenant, { ...shown, customerId, at: effectiveAt, now })),
    ],
  };
}
