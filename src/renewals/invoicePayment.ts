import { refuse } from '../lib/errors.ts';
import { findInvoice, type InvoiceRow } from '../invoicing/invoices.ts';
import { isOneOff, payOneOffInvoice, refuseUnreachable } from '../invoicing/oneOffPayments.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { renewSubscription } from './renewSubscription.ts';

/**
 * Charges an open invoice now: one of one-off charges to the customer's default payment method, one of a subscription to
 * the subscription's method, also after a hard decline. A failed attempt uses up no retry. Errors: `invoice_not_found`,
 * `invoice_not_open`, `subscription_not_active`, `payment_failed`, `unavailable`.
 */
export async function payInvoice(tenant: SteppedTenant, id: string): Promise<InvoiceRow> {
  const before = await findInvoice(tenant.read, id);
  if (isOneOff(before)) return payOneOffInvoice(tenant, id);
  const { value: subscriptionId } = await tenant.checkpoint((unit) => prepareRetry(unit, id));
  const isReached = await renewSubscription(tenant, subscriptionId);
  if (!isReached) refuseUnreachable();
  const after = await findInvoice(tenant.read, id);
  if (after.status === 'open' || after.status === 'uncollectible') await refuseDecline(tenant, after);
  return after;
}

/** Makes the subscription of an open invoice due now; returns its id. */
async function prepareRetry(unit: UnitOfWork, invoiceId: string): Promise<string> {
  const { status, subscriptionId } = await findInvoice(unit, invoiceId);
  if (status === 'draft')
    refuse('invoice_not_open', { path: 'id', message: 'is a draft: finalize it first' });
  if (status !== 'open') refuse('invoice_not_open', { path: 'id', message: `is ${status}` });
  const subscription =
    subscriptionId === null ? undefined : await unit.one('subscriptions', { id: subscriptionId });
  if (subscription?.openInvoiceId !== invoiceId)
    return refuse('invoice_not_open', { path: 'id', message: 'is paid with its subscription intent' });
  const { id, parkedReason, retriesStoppedReason } = subscription;
  if (parkedReason !== null)
    refuse('subscription_not_active', { path: 'id', message: `${id} is parked: resume it first` });
  const due = { dueAt: unit.now, ...(retriesStoppedReason !== null && { retriesStoppedReason: null }) };
  await unit.change('subscriptions', subscription, due);
  return id;
}

/** Refuses if the latest attempt was declined. An invoice that waits for money stays open. Error: `payment_failed`. */
async function refuseDecline({ read }: SteppedTenant, { id, chargeStartedAt }: InvoiceRow): Promise<void> {
  if (chargeStartedAt !== null) return;
  const [latest] = await read.many('payments', {
    where: { invoiceId: id },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 1,
  });
  if (latest?.status === 'failed')
    refuse('payment_failed', { path: 'id', message: latest.failureReason ?? 'declined' });
}
