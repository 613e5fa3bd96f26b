/** One-off charges: items that wait for the next invoice, and invoices that bill at once. */
import * as z from 'zod';
import { findCustomer, type CustomerRow } from '../customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { checkAll, givenMetadata, parseInput } from '../../lib/validation.ts';
import { printedLine } from '../../tenants/parties.ts';
import type { Warning } from '../../lib/warnings.ts';
import type { Line } from '../pricing/invoiceLines.ts';
import { computeItemInvoice, toDraftLines, type ItemBill } from '../pricing/nextInvoice.ts';
import type { TaxTerms, TextMetadata } from '../../storage/model/common.ts';
import type { Reads } from '../../storage/store.ts';
import type { SteppedTenant, TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { recordBalance } from './credits.ts';
import { checkEInvoice } from './eInvoiceReadiness.ts';
import { readFunds, readWaitingLines, takeExtras, type BillingTenant } from './gatherBill.ts';
import {
  addInvoiceItem,
  isOfCustomer,
  listWaitingItems,
  markItemsBilled,
  removeItem,
  toItemLine,
  type InvoiceItemRow,
} from './invoiceItems.ts';
import { findInvoice, issueInvoice, markInvoicePaid, voidInvoice, type InvoiceRow } from './invoices.ts';
import { billFinally, openFinalDrafts } from './finalInvoices.ts';
import { chargeInput, parseCharge, refuseLargeSum, type ParsedCharge } from './itemInput.ts';
import { chargeInvoice, startCharge } from './oneOffPayments.ts';
import { checkTaxConversion } from './taxConversions.ts';
import { listBillWarnings } from './taxWarnings.ts';
import { summarizeTaxes, sumTaxes } from '../pricing/tax.ts';
import { computeDueAt } from '../payments/paymentTerms.ts';
import { checkVatIds, findCheckWait } from '../tax/vatIdChecks.ts';
import { buildTerms } from '../tax/resolveRate.ts';
import { isExempt, listKinds } from '../tax/taxBook.ts';
import { findTaxRate } from '../tax/taxRates.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

const mostCharges = 100;
/** The most items of a customer that wait at once: an invoice has a line for each. */
const mostWaiting = 250;

/** How an invoice is paid: by the customer's saved method, or by a transfer that is recorded. */
const collections = ['automatic', 'send_invoice'] as const;
type Collection = (typeof collections)[number];

const newItem = chargeInput.extend({ subscriptionId: z.string().nullish() });

const newInvoice = z.object({
  items: z
    .array(chargeInput)
    .min(1, 'must be at least one')
    .max(mostCharges, `must be at most ${mostCharges}`),
  collect: z.enum(collections).nullish(),
  draft: z.boolean().nullish(),
  metadata: givenMetadata,
  purchaseOrder: printedLine,
});

/**
 * Adds a charge that waits for the next invoice of a subscription, or of the customer in its currency. Errors:
 * `customer_not_found`, `subscription_not_found`, `subscription_not_active`, `currency_mismatch`, `validation_failed`,
 * `amount_precision`, `currency_unsupported`, `tax_rate_not_found`.
 */
export async function createInvoiceItem(
  unit: UnitOfWork,
  customerId: string,
  input: unknown,
): Promise<InvoiceItemRow> {
  const { subscriptionId = null, ...fields } = parseInput(newItem, input);
  const charge = parseCharge(fields, unit.tenant.timezone);
  const customer = await findCustomer(unit, customerId);
  const taxTerms = await findChargeTerms(unit, unit.tenant, customer, charge);
  if (subscriptionId !== null) await checkSubscription(unit, customerId, subscriptionId, charge.currency);
  const waiting = await listWaitingItems(unit, customerId);
  if (waiting.length >= mostWaiting) {
    const message = `has ${mostWaiting} items that wait for an invoice already`;
    refuse('validation_failed', { path: 'customerId', message });
  }
  const known = waiting.filter(({ currency }) => currency === charge.currency);
  refuseLargeSum(sumCharges([...known, charge]), 'amount');
  return addInvoiceItem(unit, { customerId, subscriptionId, ...charge, taxTerms });
}

async function checkSubscription(unit: UnitOfWork, customerId: string, id: string, currency: string) {
  const subscription = await unit.one('subscriptions', { id, customerId });
  if (!subscription) return refuse('subscription_not_found');
  if (subscription.cancelledAt)
    return refuse('subscription_not_active', { path: 'subscriptionId', ...inState('cancelled') });
  if (subscription.currency === currency) return undefined;
  const message = `must be ${subscription.currency}, as the subscription is billed`;
  return refuse('currency_mismatch', { path: 'amount.currency', message });
}

const sumCharges = (charges: { amountMinor: bigint }[]) =>
  charges.reduce((sum, { amountMinor }) => (amountMinor > 0n ? sum + amountMinor : sum), 0n);

/** Returns an item, waiting, billed or deleted: `invoiceItems` lists all of them. Error: `invoice_item_not_found`. */
export const findInvoiceItem = async (reads: Reads, id: string): Promise<InvoiceItemRow> =>
  (await reads.one('invoiceItems', { id })) ?? refuse('invoice_item_not_found');

/**
 * Deletes a charge that waits. Errors: `invoice_item_not_found`, also if it was deleted, `invoice_item_billed`,
 * `validation_failed` for the credit or charge of a plan change.
 */
export async function deleteInvoiceItem(unit: UnitOfWork, id: string): Promise<InvoiceItemRow> {
  const item = await findInvoiceItem(unit, id);
  if (item.removedAt !== null) refuse('invoice_item_not_found');
  if (item.invoiceId !== null) refuse('invoice_item_billed', { path: 'id', message: `by ${item.invoiceId}` });
  if (item.kind !== 'ITEM')
    refuse('validation_failed', { path: 'id', message: 'is part of a change of a subscription' });
  return removeItem(unit, item);
}

/**
 * Bills charges at once, together with the customer's waiting items of the same currency that no subscription will bill.
 * The customer's discounts are deducted, then the balance pays; the rest is charged to the customer's default payment method, or awaited by bank transfer. A
 * declined charge leaves the invoice open. Errors: `customer_not_found`, `currency_mismatch`, `validation_failed`,
 * `amount_precision`, `currency_unsupported`, `tax_rate_not_found`.
 */
export async function createInvoice(
  tenant: SteppedTenant,
  customerId: string,
  input: unknown,
): Promise<InvoiceRow> {
  const { items, collect, draft, metadata, purchaseOrder } = parseInput(newInvoice, input);
  const charges = parseCharges(items, tenant.record.timezone);
  await checkVatIds(tenant, [customerId]);
  const { value: invoice, isRepeated } = await tenant.checkpoint('charges billed', (unit) =>
    billCharges(unit, customerId, charges, {
      collect: collect ?? 'automatic',
      isDraft: draft === true,
      metadata,
      purchaseOrder,
    }),
  );
  // If the provider cannot be reached, the scheduler asks about the same attempt again.
  if (invoice.chargeStartedAt !== null) await chargeInvoice(tenant, invoice, isRepeated);
  return findInvoice(tenant.read, invoice.id);
}

function parseCharges(items: z.output<typeof newInvoice>['items'], timeZone: string): ParsedCharge[] {
  const charges = checkAll(
    ...items.map((item, index) => () => parseCharge(item, timeZone, `items.${index}.`)),
  );
  const { currency } = charges[0]!;
  const other = charges.findIndex((charge) => charge.currency !== currency);
  if (other >= 0)
    refuse('currency_mismatch', {
      path: `items.${other}.amount.currency`,
      message: `must be ${currency}`,
      code: 'other_currency',
    });
  refuseLargeSum(sumCharges(charges), 'items');
  return charges;
}

/**
 * Previews the invoice that `createInvoice` would make of charges, by the same functions. Errors: as of `createInvoice`,
 * without those of the payment.
 */
export async function previewInvoice(
  tenant: TenantScope,
  customerId: string,
  items: unknown,
): Promise<InvoiceBill & { warnings: Warning[] }> {
  const charges = parseCharges(parseInput(newInvoice, { items }).items, tenant.record.timezone);
  const { read } = tenant;
  const record = (await read.one('tenants', {}))!;
  const at = tenant.now();
  const bill = await computeBill(read, { now: at, tenant: record }, customerId, charges);
  const { unpaid: lines, currency } = bill;
  return {
    ...bill,
    warnings: await listBillWarnings(read, record, { customerId, at, now: at, lines, currency }),
  };
}

/** The bill of one-off charges. */
export interface InvoiceBill extends ItemBill {
  customer: CustomerRow;
  currency: string;
  /** The waiting items that it bills. */
  waiting: InvoiceItemRow[];
}

async function computeBill(
  reads: Reads,
  { now, tenant }: Pick<UnitOfWork, 'now' | 'tenant'>,
  customerId: string,
  charges: ParsedCharge[],
): Promise<InvoiceBill> {
  const customer = await findCustomer(reads, customerId);
  const { currency } = charges[0]!;
  const charged: Line[] = [];
  for (const [index, charge] of charges.entries()) {
    const terms = await findChargeTerms(reads, tenant, customer, charge, `items.${index}.`);
    charged.push(toLine(charge, now, terms));
  }
  const waiting = await listUnattached(reads, tenant, customerId, currency);
  const lines = [...charged, ...waiting.map(toItemLine)];
  const funds = await readFunds(reads, tenant, { customerId, currencies: [currency], productIds: [] });
  const extras = takeExtras(funds, { currency, productIds: [], kinds: listKinds(lines), at: now });
  return { customer, waiting, currency, ...computeItemInvoice(lines, extras) };
}

/** What is wanted of an invoice besides its charges. */
interface Wanted {
  collect: Collection;
  isDraft: boolean;
  metadata: TextMetadata | null;
  purchaseOrder: string | null;
}

async function billCharges(
  unit: UnitOfWork,
  customerId: string,
  charges: ParsedCharge[],
  { collect, isDraft, metadata, purchaseOrder }: Wanted,
): Promise<InvoiceRow> {
  const bill = await computeBill(unit, unit, customerId, charges);
  const { customer, currency } = bill;
  const taxes = bill.unpaid.map(({ tax }) => tax ?? null);
  if (!isDraft) {
    await checkEInvoice(unit, { customer, purchaseOrder, currency, taxes });
    await checkTaxConversion(unit, { currency, taxMinor: sumTaxes(summarizeTaxes(bill.unpaid)) });
  }
  const checkWait = await findCheckWait(unit, customerId);
  const isWaiting = isDraft || Boolean(unit.tenant.invoiceGraceHours) || checkWait !== undefined;
  const invoice = await issueInvoice(
    unit,
    {
      customerId,
      billingReason: 'one_off',
      productName: 'One-off charges',
      currency: bill.currency,
      period: { start: unit.now, end: unit.now },
      lines: isWaiting ? toDraftLines(bill.unpaid) : bill.lines,
      dueAt: collect === 'send_invoice' ? computeDueAt(unit) : null,
      draft: isDraft ? 'until_finalized' : checkWait ? { until: checkWait } : 'grace',
      metadata,
      purchaseOrder,
    },
    customerId,
  );
  await markItemsBilled(unit, bill.waiting, invoice);
  if (isWaiting) return invoice;
  await recordBalance(unit, invoice, bill);
  if (bill.totalMinor === 0n) return markInvoicePaid(unit, invoice, invoice.id);
  return collect === 'automatic' ? startCharge(unit, invoice) : invoice;
}

const toLine = (
  { description, amountMinor, currency, explanation, taxBehavior, productKind, period }: ParsedCharge,
  now: string,
  taxTerms: TaxTerms | undefined,
): Line => ({
  kind: 'ITEM',
  description,
  amountMinor,
  currency,
  periodStart: period?.start ?? now,
  periodEnd: period?.end ?? now,
  explanation,
  ...(taxBehavior && { taxBehavior }),
  ...(productKind && { productKind }),
  ...(taxTerms && { taxTerms }),
});

/** Lists a customer's waiting items that no subscription will bill: without a subscription, or of a cancelled one. */
async function listUnattached(
  reads: Reads,
  tenant: BillingTenant,
  customerId: string,
  currency: string,
): Promise<InvoiceItemRow[]> {
  const { items, ended } = await readWaitingLines(reads, tenant, customerId);
  return items.filter((item) => item.currency === currency && isOfCustomer(item, ended));
}

/**
 * Voids a deleted customer's open one-off invoices and deletes what waits for an invoice, except the lines of
 * subscriptions: those were delivered, so final invoices bill them.
 */
export async function closeOneOffBilling(
  unit: UnitOfWork,
  customerId: string,
  causedBy: string,
): Promise<void> {
  const open = await unit.many('invoices', {
    where: { customerId, status: ['open', 'draft'], billingReason: 'one_off' },
    orderBy: ['createdAt', 'id'],
  });
  for (const invoice of open) await voidInvoice(unit, invoice, 'void', causedBy);
  await openFinalDrafts(unit, customerId);
  const owed = new Set(
    (await listWaitingItems(unit, customerId)).flatMap((item) => item.subscriptionId ?? []),
  );
  for (const id of owed)
    await billFinally(unit, (await unit.one('subscriptions', { id }))!, {
      usageEnd: unit.now,
      isDeleted: true,
    });
  for (const item of await listWaitingItems(unit, customerId)) await removeItem(unit, item, causedBy);
}

/**
 * Returns the tax terms of a charge with a rate of its own, which it keeps; undefined if those of its bill apply: without a
 * rate, and for an exempt customer or seller. `path` precedes the names of its fields. Errors: `tax_rate_not_found`,
 * `validation_failed` for an archived rate, and if the seller charges no tax: the rate would be lost.
 */
async function findChargeTerms(
  reads: Reads,
  { seller }: Pick<Row<'tenants'>, 'seller'>,
  { taxExempt }: Pick<CustomerRow, 'taxExempt'>,
  { taxRateId }: Pick<ParsedCharge, 'taxRateId'>,
  path = '',
): Promise<TaxTerms | undefined> {
  if (taxRateId === undefined) return undefined;
  const rate = await findTaxRate(reads, taxRateId);
  if (rate.archivedAt !== null)
    refuse('validation_failed', { path: `${path}taxRateId`, ...inState('archived') });
  if (!seller?.address)
    refuse('validation_failed', {
      path: `${path}taxRateId`,
      message: 'the seller charges no tax: set seller.address first',
    });
  return taxExempt || isExempt({ seller }) ? undefined : buildTerms(rate);
}
