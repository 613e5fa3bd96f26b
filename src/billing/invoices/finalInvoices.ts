/**
 * Invoices of subscriptions that are collected by themselves: the final one bills at the end the lines that still wait for the
 * next invoice, and others bill usage that has reached a threshold. A failed charge of them is tried again on the tenant's
 * retry days.
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
import { readInterimBill, readUsageBill } from './usageBill.ts';
import { endUsage, recordUsageCharges, type UsageBill } from './usagePeriods.ts';
import { computeDueAt, findDueAt } from '../payments/paymentTerms.ts';
import { listKinds } from '../tax/taxBook.ts';
import { findCheckWait } from '../tax/vatIdChecks.ts';
import { chargeInvoice, startCharge } from './oneOffPayments.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';

type SubscriptionRow = Row<'subscriptions'>;

/** What a final invoice, or one of usage that has reached a threshold, bills. */
interface UsageInvoice extends ItemBill {
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
): Promise<UsageInvoice[]> {
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
    const lines = [...(billed?.lines ?? []), ...items.map(toItemLine)];
    const kinds = listKinds(lines);
    const extras = takeExtras(funds, { subscriptionId, currency, productIds, kinds, at: at.now });
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
  const ending = { voidedId: voided?.id, isFinal: true };
  const usage = await readUsageBill(reads, tenant, subscription, usageEnd, ending);
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
    await issueAlone(unit, subscription, bill, { billingReason: 'subscription_end', isDeleted });
  await endUsage(unit, subscription, usageEnd);
}

/**
 * Bills the usage so far of a subscription if it has reached the threshold. Its charges count for the rest of the period, so
 * another call bills nothing.
 */
export async function billThreshold(unit: UnitOfWork, subscription: SubscriptionRow): Promise<void> {
  const {
    id: subscriptionId,
    customerId,
    currency,
    nextBillingDate: until,
    billingThresholdMinor,
  } = subscription;
  if (billingThresholdMinor === null || until === null || !canBillUsage(subscription)) return;
  const usage = await readInterimBill(unit, unit.tenant, subscription, until);
  const accruedMinor = usage.lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  if (accruedMinor === 0n || accruedMinor < billingThresholdMinor) return;
  const productIds = listBilledProducts(subscription, usage);
  const funds = await readFunds(unit, unit.tenant, { customerId, currencies: [currency], productIds });
  const extras = takeExtras(funds, { subscriptionId, currency, productIds, at: unit.now });
  const bill = { items: [], usage, currency, ...computeItemInvoice(usage.lines, extras) };
  await issueAlone(unit, subscription, bill, { billingReason: 'usage_threshold' });
}

/** Whether usage can be billed within the period: it is not over, and nothing suspends the billing. */
const canBillUsage = ({ cancelledAt, pausedAt, usageSince, parkedReason }: SubscriptionRow): boolean =>
  usageSince !== null && cancelledAt === null && pausedAt === null && parkedReason === null;

/** Issues an invoice of a subscription that is collected by itself. */
async function issueAlone(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  bill: UsageInvoice,
  {
    billingReason,
    isDeleted = false,
  }: {
    billingReason: 'subscription_end' | 'usage_threshold';
    isDeleted?: boolean;
  },
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
      billingReason,
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
 * Finalizes the drafts of such invoices of a customer who is deleted: the money is awaited by bank transfer, until the
 * seller gives it up.
 */
export async function openFinalDrafts(unit: UnitOfWork, customerId: string): Promise<void> {
  const billingReason = ['subscription_end' as const, 'usage_threshold' as const];
  const where = { customerId, status: 'draft' as const, billingReason };
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
