import { findCustomer } from '../../customers/customers.ts';
import { findOfferOfIntent } from '../../discounts/redemption.ts';
import { listGivenDiscounts } from '../../discounts/use.ts';
import { listAvailableCredits } from '../../invoices/credits.ts';
import { readTaxBook, resolveTax } from '../../tax/taxBook.ts';
import {
  findEndedSubscriptions,
  isBilledWith,
  listWaitingItems,
  toItemLine,
} from '../../invoices/invoiceItems.ts';
import { isPeriodLine } from '../../payments/returns.ts';
import { parseInput } from '../../../lib/validation.ts';
import { dropBilledFees } from '../../pricing/addOnFees.ts';
import { deductFromCredits, sumUsable } from '../../pricing/credits.ts';
import { selectDiscounts, spendDiscounts, type GivenDiscount } from '../../pricing/discounts.ts';
import { listProductIds, type Line } from '../../pricing/invoiceLines.ts';
import { computeNextInvoice } from '../../pricing/nextInvoice.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import { completeRow } from '../../../storage/query/tableMeta.ts';
import type { Reads } from '../../../storage/store.ts';
import { listTaxWarnings } from '../../tax/untaxedHome.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import type { BillPreview, ExpectedInvoice } from '../changes/changePreview.ts';
import { computeCheckout, type FirstBill } from './firstBill.ts';
import { buildOrder, newOrder, type IntentRow } from './intents.ts';
import type { SubscriptionRow } from '../subscriptions.ts';
import { shortenCharge } from '../../invoices/waitingCharges.ts';

/** The order as it would be paid now. */
interface Order {
  intent: IntentRow;
  /** The subscription whose plan it changes. */
  changed: SubscriptionRow | undefined;
  bill: FirstBill;
  tenant: Row<'tenants'>;
  at: string;
}

/**
 * Previews what a new subscription would cost now, and its next invoice, by the functions that bill it. An order for a
 * product or group to which the customer subscribes already previews the plan change. Errors: as of
 * `createSubscriptionIntent`.
 */
export async function previewSubscription(tenant: TenantScope, input: unknown): Promise<BillPreview> {
  const wanted = parseInput(newOrder, input);
  const { read } = tenant;
  const record = (await read.one('tenants', {}))!;
  const at = tenant.now();
  await findCustomer(read, wanted.customerId);
  const order = await buildOrder(read, { now: at, tenant: record }, wanted);
  const own = { id: '', receiptUrl: '', requestHash: '' };
  const unpaid = completeRow('intents', { ...order, ...own }, record.alias);
  const { changed, basis, bill } = await computeCheckout(read, unpaid, at, record);
  const intent = { ...unpaid, ...basis };
  const nextInvoice = await expectNextInvoice(read, { intent, changed, bill, tenant: record, at });
  const lines = [...bill.lines, ...(nextInvoice?.lines ?? [])];
  const already =
    changed && `The customer subscribes to ${changed.productName} already, so this changes the plan.`;
  return {
    effectiveAt: bill.change?.effectiveAt ?? intent.startDate ?? at,
    currency: intent.currency,
    lines: bill.lines,
    totalMinor: bill.totalMinor,
    nextInvoice,
    warnings: [
      ...(already === undefined ? [] : [already]),
      ...(await listTaxWarnings(read, record, { customerId: intent.customerId, at, lines })),
    ],
  };
}

/** Computes the first invoice after the payment of an order, if nothing else changes. */
async function expectNextInvoice(reads: Reads, order: Order): Promise<ExpectedInvoice | null> {
  const { intent, changed, bill, tenant, at } = order;
  const { customerId, currency } = intent;
  const given = spendDiscounts(await listDiscounts(reads, order), bill.lines, at, tenant.timezone);
  const { date, anchor } = findNextDate(order);
  if (changed && (changed.cancelAtPeriodEnd || (changed.cancelAt !== null && changed.cancelAt <= date)))
    return null;
  const discounts = selectDiscounts(given, { subscriptionId: changed?.id, currency, at: date });
  const productIds = listProductIds(intent);
  const book = await readTaxBook(reads, tenant, [customerId], productIds);
  const tax = resolveTax(book, customerId, productIds, date);
  const credits = await listAvailableCredits(reads, customerId, currency);
  const left = deductFromCredits(credits, intent.balanceMinor ?? 0n, at);
  const balanceMinor = sumUsable(left, date) + (bill.change?.creditMinor ?? 0n);
  const billable = {
    ...intent,
    addOns: bill.change ? bill.change.addOns : dropBilledFees(intent.addOns, bill.lines),
    anchor,
    nextBillingDate: date,
    cancelAt: changed?.cancelAt,
  };
  const items = await listItems(reads, order);
  // The fee of a subscription that starts later is billed with its first period.
  const setupFeeMinor = intent.startDate !== null && intent.startDate > at ? intent.setupFeeMinor : null;
  const extras = { balanceMinor, items, discounts, setupFeeMinor, tax };
  const { lines, totalMinor } = computeNextInvoice(billable, undefined, extras, tenant.timezone);
  return { date, currency, lines, totalMinor };
}

/** Returns the date of the next invoice, and the anchor of the periods from then on. */
function findNextDate({ intent, bill, at }: Order): { date: string; anchor: string } {
  if (bill.change) return { date: bill.change.nextBillingDate, anchor: bill.change.anchor };
  const first = bill.trialEndsAt ?? intent.startDate ?? at;
  return { date: bill.lines.find(isPeriodLine)?.periodEnd ?? first, anchor: intent.executionDate ?? first };
}

/** Lists the discounts of the subscription or the customer, and the one that the order redeems, which has no id yet. */
async function listDiscounts(reads: Reads, { intent, changed, tenant, at }: Order): Promise<GivenDiscount[]> {
  const given = await listGivenDiscounts(reads, tenant, intent.customerId);
  const offer = await findOfferOfIntent(reads, intent);
  if (!offer) return given;
  const values = {
    id: '',
    customerId: intent.customerId,
    subscriptionId: changed?.id ?? '',
    couponId: offer.coupon.id,
    promotionCodeId: offer.code?.id,
    position: Number.MAX_SAFE_INTEGER,
    startsAt: at,
    createdAt: at,
    updatedAt: at,
  };
  const discount = completeRow('discounts', values, tenant.alias);
  return [...given, { discount, coupon: offer.coupon }];
}

/** Lists the lines that wait for the next invoice. */
async function listItems(reads: Reads, { intent, changed, bill }: Order): Promise<Line[]> {
  const known = await listWaitingItems(reads, intent.customerId);
  const ended = await findEndedSubscriptions(reads, known);
  const replaced = new Set(bill.change?.ended.map(({ id }) => id));
  const until = bill.change?.effectiveAt ?? '';
  const billed = known.filter((item) => isBilledWith(item, changed?.id ?? '', intent.currency, ended));
  const waiting = billed.flatMap((item) => {
    if (!replaced.has(item.id)) return [item];
    return item.periodStart < until ? [{ ...item, ...shortenCharge(item, until) }] : [];
  });
  return [...waiting.map(toItemLine), ...(bill.change?.waiting ?? [])];
}
