/** Charges of open invoices that a payer has left their page to confirm with their bank. */
import {
  abandonCharge,
  awaitConfirmation,
  buildCharge,
  chargeProvider,
  toPresentCharge,
} from '../invoices/charges.ts';
import type { DueCharge } from '../invoices/charges.ts';
import { findInvoice, isCollectedAlone, type InvoiceRow } from '../invoices/invoices.ts';
import { refuseUnconfirmed, refuseUnreachable } from '../invoices/oneOffPayments.ts';
import { makeRefund } from '../invoices/refunds.ts';
import { refuseDeclined } from '../payments/payments.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import { recordChargeOutcome } from './recordChargeOutcome.ts';
import { recordCharge } from './renewSubscription.ts';

/**
 * Asks the provider for the outcome of an invoice's charge in progress and records it; an invoice without one is
 * returned as it is. It never begins a charge. Errors: `invoice_not_found`, `payment_failed`, `payment_action_required`
 * with the URL at which the payer must still confirm it, `unavailable`.
 */
export async function resumeInvoicePayment(
  tenant: SteppedTenant,
  id: string,
  returnPath: string,
): Promise<InvoiceRow> {
  const due = await findChargeInProgress(tenant, id, returnPath);
  if (!due) return findInvoice(tenant.primaryReads, id);
  const outcome = await chargeProvider(tenant, due);
  if (!outcome) refuseUnreachable();
  await record(tenant, due, awaitConfirmation(due, outcome));
  if (outcome.status === 'requires_action') refuseUnconfirmed(outcome.actionUrl);
  if (outcome.status === 'declined') refuseDeclined('id', due.method?.provider ?? 'none', outcome.reason);
  return findInvoice(tenant.primaryReads, id);
}

/**
 * Ends the charge in progress of an invoice that its payer has not confirmed, so that another method can be charged. One
 * that the payer has confirmed counts. Returns the invoice. Errors: `invoice_not_found`, `unavailable`.
 */
export async function abandonInvoicePayment(
  tenant: SteppedTenant,
  id: string,
  returnPath: string,
): Promise<InvoiceRow> {
  const due = await findChargeInProgress(tenant, id, returnPath);
  if (due) {
    const outcome = await abandonCharge(tenant, due);
    if (!outcome) refuseUnreachable();
    await record(tenant, due, outcome);
  }
  return findInvoice(tenant.primaryReads, id);
}

async function findChargeInProgress(
  tenant: SteppedTenant,
  id: string,
  returnPath: string,
): Promise<(DueCharge & { subscriptionId: string | null }) | undefined> {
  const invoice = await findInvoice(tenant.primaryReads, id);
  if (invoice.chargeStartedAt === null) return undefined;
  const { subscriptionId } = invoice;
  const subscription =
    subscriptionId === null ? undefined : await tenant.read.one('subscriptions', { id: subscriptionId });
  const due = buildCharge(invoice, subscription?.productName ?? null, true);
  // The subscription of a final invoice has ended: no failure parks it.
  const renewed = isCollectedAlone(invoice) ? null : subscriptionId;
  return { ...toPresentCharge(due, returnPath), subscriptionId: renewed };
}

async function record(
  tenant: SteppedTenant,
  due: DueCharge & { subscriptionId: string | null },
  outcome: Outcome,
): Promise<void> {
  if (due.subscriptionId !== null) return recordCharge(tenant, { id: due.subscriptionId, due, outcome });
  const refund = await tenant.writeStep((unit) => recordChargeOutcome(unit, due, outcome));
  if (refund) await makeRefund(tenant, refund);
  return undefined;
}
