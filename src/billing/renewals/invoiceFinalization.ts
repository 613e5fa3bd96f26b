/** Finalization on request and at the end of the grace, and the charge that follows. */
import { checkEInvoice } from '../invoices/eInvoiceReadiness.ts';
import { finalizeInvoice, listDueFinalizations, refuseFinal } from '../invoices/finalization.ts';
import { findInvoice, isCollectedAlone, type InvoiceRow } from '../invoices/invoices.ts';
import { chargeInvoice, startCharge } from '../invoices/oneOffPayments.ts';
import { checkTaxConversion } from '../invoices/taxConversions.ts';
import { sumTaxes } from '../pricing/tax.ts';
import { checkVatIds, findCheckWait } from '../tax/vatIdChecks.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { payOpenInvoice } from '../invoices/payOpenInvoice.ts';
import { renewSubscription } from './renewSubscription.ts';

/**
 * Finalizes an invoice before its grace ends. A draft is then charged as it would be by itself; a declined charge leaves
 * it open. A draft whose tax depends on VIES stays one until VIES answers. Errors: `invoice_not_found`,
 * `invoice_not_draft`, `validation_failed` if the customer's e-invoice would lack something.
 */
export async function finalizeInvoiceNow(tenant: SteppedTenant, id: string): Promise<InvoiceRow> {
  if (tenant.record.vatIdCheck !== null) {
    const { customerId } = await findInvoice(tenant.read, id);
    await checkVatIds(tenant, [customerId]);
  }
  const { value: invoice, isRepeated } = await tenant.checkpoint('finalized', async (unit) => {
    const draft = refuseFinal(await findInvoice(unit, id));
    const customer = await unit.one('customers', { id: draft.customerId });
    const { purchaseOrder, currency } = draft;
    if (customer) await checkEInvoice(unit, { customer, purchaseOrder, currency });
    await checkTaxConversion(unit, { currency, taxMinor: sumTaxes(draft.taxes) });
    return finalizeAndOpen(unit, draft);
  });
  await chargeFinalized(tenant, invoice, isRepeated);
  return findInvoice(tenant.read, id);
}

/**
 * Finalizes the invoices whose grace has ended, at most `limit`, and charges those collected alone; renewals are
 * charged with their subscriptions. Returns their number. An invoice that cannot be finalized does not delay others: the
 * first error is thrown at the end.
 */
export async function finalizeDueInvoices(
  tenant: SteppedTenant,
  now: string,
  limit: number,
): Promise<number> {
  const due = await listDueFinalizations(tenant.read, now, limit);
  const drafts = due.filter(({ status }) => status === 'draft');
  await checkVatIds(
    tenant,
    drafts.map(({ customerId }) => customerId),
    { now },
  );
  const errors: unknown[] = [];
  for (const { id } of due) {
    try {
      const invoice = await tenant.writeStep((unit) => finalizeIfDue(unit, id));
      if (invoice && isCollectedAlone(invoice)) await chargeFinalized(tenant, invoice, false);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return due.length;
}

async function finalizeIfDue(unit: UnitOfWork, id: string): Promise<InvoiceRow | undefined> {
  const invoice = await findInvoice(unit, id);
  const isDue = invoice.finalizeAt !== null && invoice.finalizeAt <= unit.now;
  return isDue ? finalizeAndOpen(unit, invoice) : undefined;
}

/** Finalizes an invoice, or lets a draft wait for VIES. A draft is paid if nothing is left to pay; otherwise its charge begins. */
async function finalizeAndOpen(unit: UnitOfWork, invoice: InvoiceRow): Promise<InvoiceRow> {
  const { id, subscriptionId, status } = invoice;
  const checkWait = status === 'draft' ? await findCheckWait(unit, invoice.customerId) : undefined;
  if (checkWait) return unit.change('invoices', invoice, { finalizeAt: checkWait });
  const final = await finalizeInvoice(unit, invoice);
  if (status !== 'draft') return final;
  if (final.totalMinor === 0n) return payOpenInvoice(unit, final, subscriptionId ?? id);
  if (isCollectedAlone(final)) return final.dueAt === null ? startCharge(unit, final) : final;
  const subscription = (await unit.one('subscriptions', { id: subscriptionId! }))!;
  if (subscription.dueAt !== null) await unit.change('subscriptions', subscription, { dueAt: unit.now });
  return final;
}

async function chargeFinalized(
  tenant: SteppedTenant,
  invoice: InvoiceRow,
  isRepeated: boolean,
): Promise<void> {
  const { id, status, subscriptionId, chargeStartedAt, intentId } = invoice;
  if (status !== 'open') return;
  if (chargeStartedAt !== null) {
    await chargeInvoice(tenant, await findInvoice(tenant.read, id), isRepeated);
    return;
  }
  // The invoice of an intent waits for its payer.
  if (!isCollectedAlone(invoice) && intentId === null) await renewSubscription(tenant, subscriptionId!);
}
