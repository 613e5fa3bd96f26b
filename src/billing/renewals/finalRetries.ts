/** Retries of the charges of final invoices, on the tenant's retry days after the first failure. */
import type { InvoiceRow } from '../invoices/invoices.ts';
import { chargeInvoice, startCharge } from '../invoices/oneOffPayments.ts';
import type { Reads } from '../../storage/store.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** Lists the open final invoices whose charge is tried again by an instant, earliest first. */
export const listDueRetries = async (reads: Reads, until: string, limit: number): Promise<InvoiceRow[]> =>
  reads.many('invoices', {
    where: { retryAt: { to: until, inIndex: 'invoices_retries' } },
    orderBy: ['retryAt', 'id'],
    limit,
  });

/** Charges the final invoices whose retry is due at `now`, at most `limit`. Returns their number. */
export async function retryFinalCharges(tenant: SteppedTenant, now: string, limit: number): Promise<number> {
  const due = await listDueRetries(tenant.read, now, limit);
  for (const { id } of due) {
    const started = await tenant.writeStep((unit) => startRetry(unit, id));
    if (started) await chargeInvoice(tenant, started, false);
  }
  return due.length;
}

/** Starts a retry; returns undefined if another server has, or if a charge is in progress, whose outcome decides. */
async function startRetry(unit: UnitOfWork, id: string): Promise<InvoiceRow | undefined> {
  const invoice = (await unit.one('invoices', { id }))!;
  const { status, retryAt, chargeStartedAt } = invoice;
  if (status !== 'open' || retryAt === null || retryAt > unit.now) return undefined;
  const waiting = await unit.change('invoices', invoice, { retryAt: null });
  return chargeStartedAt === null ? startCharge(unit, waiting) : undefined;
}
