import { refuse } from '../../lib/errors.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { TextMetadata } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import {
  matchCreated,
  readPage,
  type CreatedRange,
  type Page,
  type PageArgs,
} from '../../tenancy/pagination.ts';
import { buildListSearch } from '../../tenancy/searchedList.ts';
import type { EInvoiceStatus } from '../../storage/model/eInvoices.ts';
import type { EvidenceGap } from '../../storage/model/locationEvidence.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { freeDiscounts, useDiscounts } from '../discounts/use.ts';
import { returnCredits } from './credits.ts';
import { grantTopUp } from './creditGrants.ts';
import { useGrants } from './grantUses.ts';
import { releaseItems } from './invoiceItems.ts';
import { releaseUsage } from './usagePeriods.ts';
import { describeAmount, matchAmount, type AmountFilter } from '../payments/amountFilter.ts';
import { markChargePending } from '../payments/payments.ts';
import { summarizeTaxes } from '../pricing/tax.ts';
import { sumLines, type Line } from '../pricing/invoiceLines.ts';
import { addMs } from '../../lib/time.ts';
import { takeInvoiceNumber } from './documentNumbers.ts';
import { planEInvoice, queuePlanned } from './eInvoiceQueue.ts';
import { freezeDocument } from './frozenDocuments.ts';
import { findTaxCountry } from '../tax/taxCountry.ts';
import { findEvidenceGap } from '../tax/locationEvidence.ts';
import { countUnionSales } from '../tax/countUnionSales.ts';
import { hourMs } from '../../lib/durations.ts';

export type InvoiceRow = Row<'invoices'>;
export type InvoiceLineRow = Row<'invoiceLines'>;

/** The content of an invoice to issue. */
type Bill = BillContent & BillSubject;

/** What an invoice is issued for: a period, a final bill, one-off charges, or the payment of an intent. */
type BillSubject =
  | {
      billingReason: 'subscription_start' | 'cycle' | 'subscription_end' | 'usage_threshold';
      subscriptionId: string;
      intentId?: undefined;
    }
  | { billingReason: 'one_off'; subscriptionId?: undefined; intentId?: undefined }
  | {
      billingReason: 'subscription_start' | 'plan_change';
      intentId: string;
      /** Absent until the payment starts it. */
      subscriptionId?: string;
    };

interface BillContent {
  customerId: string;
  productName: string;
  currency: string;
  period: { start: string; end: string };
  lines: Line[];
  metadata: TextMetadata | null;
  /** The number of the customer's order, which the document names. */
  purchaseOrder?: string | null;
  /** The credit that its payment grants. */
  topUp?: InvoiceRow['topUp'];
  /** The due date of an invoice paid by bank transfer or cash. */
  dueAt?: string | null;
  /**
   * Whether the invoice may wait as a draft: `until_finalized` until `finalizeInvoice`, `grace` for the hours of grace
   * that the tenant has, or until an instant if that is later. By default it is open at once, and its document is
   * finalized after the grace.
   */
  draft?: 'until_finalized' | 'grace' | { until: string };
}

/**
 * Creates an invoice with its lines and their sum. Without a grace it is finalized at once. A draft has no line of what
 * the balance pays, which follows at finalization (`toDraftLines`).
 */
export async function issueInvoice(unit: UnitOfWork, bill: Bill, causedBy: string): Promise<InvoiceRow> {
  const { customerId, subscriptionId, intentId, billingReason, currency, period, lines, dueAt, metadata } =
    bill;
  const { topUp, purchaseOrder } = bill;
  const totalMinor = sumLines(lines);
  const taxes = summarizeTaxes(lines);
  const timing = await planFinalization(unit, bill);
  // A draft is taxed when it is finalized. The document shows the same customer.
  const customer = timing.status === 'open' ? await unit.one('customers', { id: customerId }) : undefined;
  const taxCountry = timing.status === 'open' ? findTaxCountry(unit.tenant, customer, taxes) : null;
  const invoice = await unit.create(
    'invoices',
    {
      id: unit.id('inv'),
      number: await unit.next('invoices', 'number'),
      subscriptionId,
      intentId,
      customerId,
      billingReason,
      currency,
      totalMinor,
      refundedMinor: 0n,
      cycleStart: period.start,
      cycleEnd: period.end,
      attempts: 0,
      dueAt: totalMinor > 0n ? dueAt : null,
      taxes,
      taxCountry,
      evidenceGap: findEvidenceGap(unit.tenant, customer, { taxes, taxCountry }),
      ...timing,
      metadata,
      purchaseOrder,
      topUp,
      eInvoiceStatus: 'documentNumber' in timing ? planEInvoice(unit.tenant, customer) : null,
      createdAt: unit.now,
      updatedAt: unit.now,
    },
    { causedBy },
  );
  const rows: InvoiceLineRow[] = [];
  for (const line of lines) rows.push(await insertLine(unit, invoice, line, bill.productName));
  if (lines.some(({ discounts }) => discounts)) {
    await useDiscounts(unit, invoice, lines);
    await useGrants(unit, invoice, rows);
  }
  if (invoice.status === 'open') await countInvoice(unit, invoice);
  if (invoice.documentNumber !== null) {
    await freezeDocument(unit, invoice, customer, () =>
      lines.map((line) => ({ ...line, productName: line.productName ?? bill.productName })),
    );
    await queuePlanned(unit, 'invoice', invoice, customer);
  }
  return invoice;
}

/** Counts the sales of an invoice to other member states, or takes them off. */
export const countInvoice = (unit: UnitOfWork, invoice: InvoiceRow, sign: 1n | -1n = 1n): Promise<void> =>
  countUnionSales(
    unit,
    { currency: invoice.currency, taxes: invoice.taxes, country: invoice.taxCountry },
    { at: invoice.issuedAt ?? invoice.createdAt, sign },
  );

/** Takes the sales of an invoice and its credit notes off: neither counts once it is void. */
async function uncountInvoice(unit: UnitOfWork, invoice: InvoiceRow): Promise<void> {
  if (unit.tenant.placeOfSupply === null || invoice.status === 'draft') return;
  await countInvoice(unit, invoice, -1n);
  const notes = await unit.many('creditNotes', { where: { invoiceId: invoice.id, status: 'issued' } });
  for (const { currency, taxes, issuedAt } of notes)
    await countUnionSales(unit, { currency, taxes, country: invoice.taxCountry }, { at: issuedAt, sign: 1n });
}

/** Adds a line to an invoice. `productName` is that of the invoice, for lines without one. */
export const insertLine = (
  unit: UnitOfWork,
  { id: invoiceId, customerId, currency }: InvoiceRow,
  line: Line,
  productName: string,
): MaybePromise<InvoiceLineRow> =>
  unit.insertUntraced('invoiceLines', {
    id: unit.id('line'),
    invoiceId,
    customerId,
    kind: line.kind,
    productName: line.productName ?? productName,
    description: line.description,
    amountMinor: line.amountMinor,
    currency,
    periodStart: line.periodStart,
    periodEnd: line.periodEnd,
    explanation: { ...line.explanation },
    creditedLineId: line.creditedLineId,
    discounts: line.discounts,
    priceId: line.priceId,
    tax: line.tax,
    productId: line.productId,
    productKind: line.productKind,
    taxBehavior: line.taxBehavior === 'inclusive' ? line.taxBehavior : null,
  });

/** When an invoice is finalized: on request, at an instant, or at once, with its number. */
type Timing =
  | { status: 'draft' }
  | { status: 'draft' | 'open'; finalizeAt: string }
  | ({ status: 'open'; issuedAt: string } & Pick<InvoiceRow, 'documentNumber' | 'documentKind'>);

/** Returns the status and the number of a new invoice, and when it is finalized. */
async function planFinalization(unit: UnitOfWork, { draft, lines }: Bill): Promise<Timing> {
  const { invoiceGraceHours } = unit.tenant;
  if (draft === 'until_finalized') return { status: 'draft' };
  const until = typeof draft === 'object' ? draft.until : '';
  if (!invoiceGraceHours && until === '')
    return {
      status: 'open',
      ...(await takeInvoiceNumber(unit, lines)),
      issuedAt: unit.now,
    };
  const graceEnd = addMs(unit.now, (invoiceGraceHours ?? 0) * hourMs);
  const finalizeAt = until > graceEnd ? until : graceEnd;
  return { status: draft ? 'draft' : 'open', finalizeAt };
}

/** Whether an invoice is still to be paid: open, or a draft. */
export const isUnpaid = ({ status }: Pick<InvoiceRow, 'status'>): boolean =>
  status === 'open' || status === 'draft';

/**
 * Whether an invoice is collected by itself and not with its subscription: one of one-off charges, the final one of a
 * subscription that has ended, or one of usage that has reached a threshold.
 */
export const isCollectedAlone = (invoice: Pick<InvoiceRow, 'billingReason'>): boolean =>
  invoice.billingReason === 'one_off' || isRetriedAlone(invoice);

/** Whether an invoice that is collected by itself bills a subscription, so that a failed charge is tried again. */
export const isRetriedAlone = ({ billingReason }: Pick<InvoiceRow, 'billingReason'>): boolean =>
  billingReason === 'subscription_end' || billingReason === 'usage_threshold';

/** Whether an invoice bills a period of its subscription, as its start and its renewals do. */
export const isOfPeriod = ({ billingReason }: Pick<InvoiceRow, 'billingReason'>): boolean =>
  billingReason === 'subscription_start' || billingReason === 'cycle';

/**
 * Whether an invoice was marked uncollectible: it is not collected any more, but can still be paid or voided. Those of
 * periods are given up for good.
 */
export const isWrittenOff = (invoice: Pick<InvoiceRow, 'status' | 'billingReason'>): boolean =>
  invoice.status === 'uncollectible' && isCollectedAlone(invoice);

/** Whether a payment still pays an invoice that has its number: it is open, or was marked uncollectible. */
export const canBePaid = (invoice: Pick<InvoiceRow, 'status' | 'billingReason'>): boolean =>
  invoice.status === 'open' || isWrittenOff(invoice);

/** Marks an invoice and its lines paid. Paid lines appear in the customer's subscription history. */
export async function markInvoicePaid(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  causedBy: string,
): Promise<InvoiceRow> {
  await unit.updateUntraced('invoiceLines', { invoiceId: invoice.id }, { paidAt: unit.now });
  await grantTopUp(unit, invoice);
  const paid = { status: 'paid' as const, paidAt: unit.now, chargeStartedAt: null };
  return unit.change('invoices', invoice, paid, { action: 'paid', causedBy });
}

/**
 * Closes an open invoice without payment: returns the amount it used from the customer's balance and its discounts, and
 * its items and its usage wait again.
 */
export async function voidInvoice(
  unit: UnitOfWork,
  invoice: InvoiceRow,
  status: 'void' | 'uncollectible',
  causedBy?: string,
): Promise<InvoiceRow> {
  const action = status === 'void' ? 'voided' : 'given_up';
  const closed = await unit.change(
    'invoices',
    invoice,
    // An invoice that never got a number needs none any more.
    { status, chargeStartedAt: null, finalizeAt: null },
    { action, causedBy },
  );
  if (status === 'void') await uncountInvoice(unit, invoice);
  await markChargePending(unit, invoice);
  await returnCredits(unit, closed);
  await releaseItems(unit, closed);
  await releaseUsage(unit, closed);
  await freeDiscounts(unit, closed);
  return closed;
}

/** Returns the invoice with this id. Error: `invoice_not_found`. */
export async function findInvoice(reads: Reads, id: string): Promise<InvoiceRow> {
  return (await reads.one('invoices', { id })) ?? refuse('invoice_not_found');
}

/** Lists the lines of an invoice, in the order in which they were billed. */
export const listInvoiceLines = async (
  reads: Reads,
  { id: invoiceId }: Pick<InvoiceRow, 'id'>,
): Promise<InvoiceLineRow[]> => reads.many('invoiceLines', { where: { invoiceId }, orderBy: ['id'] });

interface InvoiceFilter extends AmountFilter {
  customerId?: string | null;
  subscriptionId?: string | null;
  status?: Status | readonly Status[] | null;
  collection?: 'automatic' | 'send_invoice' | null;
  /** Only invoices that are open after their due date. */
  overdue?: boolean | null;
  eInvoiceStatus?: EInvoiceStatus | null;
  evidenceGap?: EvidenceGap | null;
  search?: string | null;
}

type ListArgs = PageArgs & CreatedRange;

const isGiven = (conditions: object) => Object.values(conditions).some((value) => value !== undefined);

/** Lists the tenant's invoices; newest first by default. Errors: `validation_failed`, `cursor_invalid`, those of `matchAmount`. */
export function listInvoices(
  tenant: TenantScope,
  {
    customerId,
    subscriptionId,
    status,
    collection,
    overdue,
    eInvoiceStatus,
    evidenceGap,
    search: text,
    ...amounts
  }: InvoiceFilter,
  args: ListArgs,
): Promise<Page<InvoiceRow>> {
  const [bySubscription, byCustomer, byStatus, byDueDate] = [
    { subscriptionId: subscriptionId ?? undefined },
    { customerId: customerId ?? undefined },
    { status: chooseStatus(status ?? undefined, overdue ?? false) },
    { dueAt: matchDueDate(tenant, collection ?? undefined, overdue ?? false) },
  ];
  const createdAt = matchCreated(tenant, args);
  const matched = matchAmount(amounts);
  const byEInvoice = { eInvoiceStatus: eInvoiceStatus ?? undefined };
  const byEvidence = { evidenceGap: evidenceGap ?? undefined };
  const byAmount = { currency: matched.currency, totalMinor: matched.amount };
  // Uses the index of the narrowest condition: one subscription or customer has few invoices, and few are e-invoices.
  const narrow = [bySubscription, byCustomer, byEInvoice, byEvidence];
  const narrowest = narrow.findIndex(isGiven);
  const isByDueDate = collection === 'send_invoice' && !isGiven(byStatus);
  const wide = isByDueDate ? [byDueDate, byStatus, byAmount] : [byStatus, byDueDate, byAmount];
  const [where, ...others] = narrowest < 0 ? wide : [...narrow.slice(narrowest), ...wide];
  const filter = others.reduce((all, each) => ({ ...all, ...each }), {});
  const isScan = !isGiven(bySubscription) && !isGiven(byCustomer) && isGiven(filter);
  const ofRequest = {
    collection,
    overdue,
    eInvoiceStatus,
    evidenceGap,
    ...createdAt,
    amount: describeAmount(matched),
  };
  const request = { ...bySubscription, ...byCustomer, ...byStatus, ...ofRequest };
  const search = buildListSearch(text, 'invoice');
  return readPage(
    tenant,
    {
      name: 'invoices',
      table: 'invoices',
      where: { ...where, createdAt },
      filter,
      request,
      search,
      isScan,
      by: ['createdAt', 'id'],
    },
    args,
  );
}

type Status = InvoiceRow['status'];

const issuedStatuses: readonly Status[] = ['open', 'paid', 'void', 'uncollectible'];

/** Returns the statuses of the invoices that a customer sees: not those of drafts. */
export const chooseIssued = (status: Status | undefined): readonly Status[] =>
  issuedStatuses.filter((each) => status === undefined || status === each);

/** Returns the statuses to list: an overdue invoice is open, so none that has another status. */
const chooseStatus = (
  status: Status | readonly Status[] | undefined,
  overdue: boolean,
): Status | readonly Status[] | undefined =>
  overdue ? (status === undefined || status === 'open' ? 'open' : []) : status;

function matchDueDate(tenant: TenantScope, collection: InvoiceFilter['collection'], overdue: boolean) {
  // An invoice whose payment method is charged is never overdue.
  if (collection === 'automatic') return overdue ? [] : null;
  if (overdue) return { to: tenant.now() };
  return collection === 'send_invoice' ? { inIndex: 'invoices_sent' } : undefined;
}
