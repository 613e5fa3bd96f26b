import * as z from 'zod';
import { findCustomer } from '../../customers/customers.ts';
import { gatherBill } from '../../invoices/gatherBill.ts';
import { isPeriodLine } from '../../payments/returns.ts';
import { parseInput } from '../../../lib/validation.ts';
import type { Warning } from '../../../lib/warnings.ts';
import { dropBilledFees } from '../../pricing/addOnFees.ts';
import type { GivenDiscount } from '../../pricing/discounts.ts';
import { computeNextInvoice } from '../../pricing/nextInvoice.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import { completeRow } from '../../../storage/query/tableMeta.ts';
import type { Reads } from '../../../storage/store.ts';
import { listBillWarnings } from '../../invoices/taxWarnings.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import type { BillPreview, ExpectedInvoice } from '../changes/changePreview.ts';
import { pickTerms } from '../changes/changeTerms.ts';
import { planFirstUsage, planUsage } from '../changes/plannedUsage.ts';
import { computeCheckout, type FirstBill } from './firstBill.ts';
import { buildOrder, newOrder, type IntentRow } from './intents.ts';
import type { SubscriptionRow } from '../subscriptions.ts';

/** The order as it would be paid now. */
interface Order {
  intent: IntentRow;
  /** The subscription whose plan it changes. */
  changed: SubscriptionRow | undefined;
  redeemed: GivenDiscount | undefined;
  bill: FirstBill;
  tenant: Row<'tenants'>;
  at: string;
}

/** No customer has the empty id, so an order with it is that of a new customer. */
const previewedOrder = newOrder.extend({
  customerId: z
    .string()
    .min(1, 'must not be empty')
    .nullish()
    .transform((id) => id ?? ''),
});

/**
 * Previews what a new subscription would cost now, and its next invoice, by the functions that bill it. An order for a
 * product or group to which the customer subscribes already previews the plan change. Errors: as of
 * `createSubscriptionIntent`.
 */
export async function previewSubscription(tenant: TenantScope, input: unknown): Promise<BillPreview> {
  const wanted = parseInput(previewedOrder, input);
  const { read } = tenant;
  const record = (await read.one('tenants', {}))!;
  const at = tenant.now();
  if (wanted.customerId !== '') await findCustomer(read, wanted.customerId);
  const order = await buildOrder(read, { now: at, tenant: record }, wanted);
  const own = { id: '', receiptUrl: '', requestHash: '' };
  const unpaid = completeRow('intents', { ...order, ...own }, record.alias);
  const { changed, redeemed, basis, bill } = await computeCheckout(read, unpaid, at, record);
  const intent = { ...unpaid, ...basis };
  const nextInvoice = await expectNextInvoice(read, { intent, changed, redeemed, bill, tenant: record, at });
  const lines = [...bill.lines, ...(nextInvoice?.lines ?? [])];
  return {
    effectiveAt: bill.change?.effectiveAt ?? intent.startDate ?? at,
    currency: intent.currency,
    lines: bill.lines,
    totalMinor: bill.totalMinor,
    nextInvoice,
    warnings: [
      ...listPlanWarnings(changed),
      ...(await listBillWarnings(read, record, { ...intent, at, now: at, lines })),
    ],
  };
}

const listPlanWarnings = (changed: SubscriptionRow | undefined): Warning[] => {
  if (!changed) return [];
  const message = `The customer subscribes to ${changed.productName} already, so this changes the plan.`;
  return [{ code: 'order_changes_plan', message }];
};

/** Computes the first invoice after the payment of an order, if nothing else changes. */
async function expectNextInvoice(reads: Reads, order: Order): Promise<ExpectedInvoice | null> {
  const { intent, changed, redeemed, bill, tenant, at } = order;
  const { customerId, currency, startDate } = intent;
  const { date, anchor } = findNextDate(order);
  if (changed && (changed.cancelAtPeriodEnd || (changed.cancelAt !== null && changed.cancelAt <= date)))
    return null;
  const billable = {
    ...intent,
    addOns: bill.change ? bill.change.addOns : dropBilledFees(intent.addOns, bill.lines),
    anchor,
    nextBillingDate: date,
    cancelAt: changed?.cancelAt,
  };
  // The fee of a subscription that starts later is billed with its first period.
  const setupFeeMinor = startDate !== null && startDate > at ? intent.setupFeeMinor : null;
  const next = { customerId, terms: billable, at: date, paidAt: date, setupFeeMinor };
  const { lines: billed, change } = bill;
  const usage = changed
    ? change && (await planUsage(reads, changed, { ...pickTerms(intent), addOns: billable.addOns }, change))
    : planFirstUsage(
        intent,
        { start: startDate ?? at, trialEndsAt: bill.trialEndsAt ?? null, anchor },
        tenant.timezone,
      );
  const earlier = { at, lines: billed, balanceMinor: intent.balanceMinor ?? 0n, redeemed, change, usage };
  const extras = await gatherBill(reads, tenant, changed, next, earlier);
  const { lines, totalMinor } = computeNextInvoice(billable, undefined, extras, tenant.timezone);
  return { date, currency, lines, totalMinor };
}

/** Returns the date of the next invoice, and the anchor of the periods from then on. */
function findNextDate({ intent, bill, at }: Order): { date: string; anchor: string } {
  if (bill.change) return { date: bill.change.nextBillingDate, anchor: bill.change.anchor };
  const first = bill.trialEndsAt ?? intent.startDate ?? at;
  return { date: bill.lines.find(isPeriodLine)?.periodEnd ?? first, anchor: intent.executionDate ?? first };
}
