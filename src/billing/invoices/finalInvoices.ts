/**
 * The final invoice of a subscription: at its end it bills the lines that still wait for its next invoice. A failed charge of
 * it is tried again on the tenant's retry days.
 */
import { dropEmpty } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { computeItemInvoice, toDraftLines, type ItemBill } from '../pricing/nextInvoice.ts';
import { recordBalance } from './credits.ts';
import { listWaitingItems, markItemsBilled, toItemLine, type InvoiceItemRow } from './invoiceItems.ts';
import { ensureFinal, finalizeInvoice } from './finalization.ts';
import { issueInvoice, markInvoicePaid, type InvoiceRow } from './invoices.ts';
import { listBilledProducts, readFunds, takeExtras } from './gatherBill.ts';
import { readUsageBill } from './usageBill.ts';
import { endUsage, recordUsageCharges, type UsageBill } from './usagePeriods.ts';
import { computeDueAt, findDueAt } from '../payments/paymentTerms.ts';
import { findCheckWait } from '../tax/vatIdChecks.ts';
import { chargeInvoice, startCharge } from './oneOffPayments.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** What a final invoice bills. */
interface FinalBill extends ItemBill {
  currency: string;
  items: InvoiceItemRow[];
  usage?: UsageBill | undefined;
}

/**
 * Computes the final invoices of a subscription that ends at `now`: one for each currency in which lines wait for it, with the
 * usage until `usageEnd`. `voided` is its unpaid invoice, which its end voids; the items and the usage of that one wait again.
 */
export async function computeFinalBills(
  reads: Reads,
  at: Pick<UnitOfWork, 'now' | 'tenant'>,
  subscription: SubscriptionRow,
  { usageEnd, voided }: { usageEnd: string; voided?: InvoiceRow | undefined },
): Promise<FinalBill[]> {
  const { id: subscriptionId, customerId } = subscription;
  const usage = await readFinalUsage(reads, at.tenant, subscription, { usageEnd, voided });
  const own = await listOwnItems(reads, at.tenant, subscription, voided);
  const currencies = [
    ...new Set([...(usage ? [subscription.currency] : []), ...own.map((item) => item.currency)]),
  ];
  if (currencies.length === 0) return [];
  const productIds = listBilledProducts(subscription, usage);
  const freed = voided && { invoice: voided, at: at.now };
  const funds = await readFunds(reads, at.tenant, { customerId, currencies, productIds }, freed);
  return currencies.map((currency) => {
    const items = own.filter((item) => item.currency === currency);
    const billed = currency === subscription.currency ? usage : undefined;
    const extras = takeExtras(funds, { subscriptionId, currency, productIds, at: at.now });
    const lines = [...(billed?.lines ?? []), ...items.map(toItemLine)];
    return { items, usage: billed, currency, ...computeItemInvoice(lines, extras) };
  });
}

/** Lists the items that wait for a subscription, and those of its invoice that is voided first. */
async function listOwnItems(
  reads: Reads,
  { invoiceItemsSince }: Pick<UnitOfWork['tenant'], 'invoiceItemsSince'>,
  { id, customerId }: SubscriptionRow,
  voided: InvoiceRow | undefined,
): Promise<InvoiceItemRow[]> {
  if (invoiceItemsSince === null) return [];
  const released = voided
    ? await reads.many('invoiceItems', { where: { invoiceId: voided.id }, orderBy: ['id'] })
    : [];
  const waiting = [...released, ...(await listWaitingItems(reads, customerId))];
  return waiting.filter(({ subscriptionId }) => subscriptionId === id);
}

/** Returns the usage that a subscription owes at its end; undefined if it costs nothing. */
async function readFinalUsage(
  reads: Reads,
  tenant: UnitOfWork['tenant'],
  subscription: SubscriptionRow,
  { usageEnd, voided }: { usageEnd: string; voided?: InvoiceRow | undefined },
): Promise<UsageBill | undefined> {
  const usage = await readUsageBill(reads, tenant, subscription, usageEnd, voided?.id);
  return usage?.lines.some(({ amountMinor }) => amountMinor > 0n) ? usage : undefined;
}

/**
 * Bills what waits for a subscription that ends now. The invoice is paid by the balance, awaited by bank transfer, or a
 * draft that the scheduler finalizes and charges, because no provider is called within a unit of work. That of a
 * customer who is deleted (`isDeleted`) has nothing to charge: it is open at once, as long as its document has a buyer.
 */
export async function billFinally(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  { usageEnd, isDeleted = false }: { usageEnd: string; isDeleted?: boolean | undefined },
): Promise<void> {
  for (const bill of await computeFinalBills(unit, unit, subscription, { usageEnd }))
    await issueFinal(unit, subscription, bill, isDeleted);
  await endUsage(unit, subscription, usageEnd);
}

async function issueFinal(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  bill: FinalBill,
  isDeleted: boolean,
): Promise<void> {
  const { id: subscriptionId, customerId, productName, metadata } = subscription;
  const dueAt = isDeleted ? computeDueAt(unit) : await findDueAt(unit, subscription);
  const checkWait = isDeleted ? undefined : await findCheckWait(unit, customerId);
  const isCharged = bill.totalMinor > 0n && dueAt === null;
  const isGiven = Boolean(unit.tenant.invoiceGraceHours) && !isDeleted;
  const isWaiting = isCharged || isGiven || checkWait !== undefined;
  const invoice = await issueInvoice(
    unit,
    {
      customerId,
      subscriptionId,
      billingReason: 'subscription_end',
      productName,
      currency: bill.currency,
      period: { start: unit.now, end: unit.now },
      lines: isWaiting ? toDraftLines(bill.unpaid) : bill.lines,
      dueAt,
      metadata: dropEmpty(metadata),
      ...(isWaiting && { draft: { until: checkWait ?? unit.now } }),
    },
    subscriptionId,
  );
  await markItemsBilled(unit, bill.items, invoice);
  if (bill.usage) await recordUsageCharges(unit, bill.usage, invoice.id);
  if (isWaiting) return;
  await recordBalance(unit, invoice, bill);
  const final = isDeleted ? await ensureFinal(unit, invoice) : invoice;
  if (bill.totalMinor === 0n) await markInvoicePaid(unit, final, final.id);
}

/**
 * Finalizes the drafts of final invoices of a customer who is deleted: the money is awaited by bank transfer, until the
 * seller gives it up.
 */
export async function openFinalDrafts(unit: UnitOfWork, customerId: string): Promise<void> {
  const where = { customerId, status: 'draft' as const, billingReason: 'subscription_end' as const };
  for (const draft of await unit.many('invoices', { where, orderBy: ['createdAt', 'id'] })) {
    const due = await unit.change('invoices', draft, { dueAt: computeDueAt(unit) });
    const final = await finalizeInvoice(unit, due);
    if (final.totalMinor === 0n) await markInvoicePaid(unit, final, final.id);
  }
}

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
