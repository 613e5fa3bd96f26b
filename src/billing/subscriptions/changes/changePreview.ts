import { gatherBill, type EarlierBill } from '../../invoices/gatherBill.ts';
import { parseInstant } from '../../../lib/time.ts';
import { refuse } from '../../../lib/errors.ts';
import { formatMoney } from '../../../lib/money.ts';
import { parseInput } from '../../../lib/validation.ts';
import type { Warning } from '../../../lib/warnings.ts';
import { listItems, type Line } from '../../pricing/invoiceLines.ts';
import { computeNextInvoice } from '../../pricing/nextInvoice.ts';
import { listUsageWarnings } from '../../pricing/usageLines.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import { completeRow } from '../../../storage/query/tableMeta.ts';
import type { Reads } from '../../../storage/store.ts';
import { listBillWarnings } from '../../invoices/taxWarnings.ts';
import type { TenantScope } from '../../../tenancy/tenantScope.ts';
import type { Terms } from './addOns.ts';
import { decideChange } from './changeDecision.ts';
import { carryOver, pickTerms, subscriptionChange } from './changeTerms.ts';
import { findPaidItems } from './paidItems.ts';
import { planUsage } from './plannedUsage.ts';
import type { PlanChangeQuote } from './planChanges.ts';
import { buildChangeIntent } from '../intents/changeIntents.ts';
import { computeDue } from '../intents/firstBill.ts';
import { findSubscription, hasPlan, type SubscriptionRow } from '../subscriptions.ts';

/** An invoice that is expected. */
export interface ExpectedInvoice {
  date: string;
  currency: string;
  lines: Line[];
  totalMinor: bigint;
}

/** What would be billed now, and then. */
export interface BillPreview {
  effectiveAt: string;
  currency: string;
  /** The lines that are billed now. */
  lines: Line[];
  totalMinor: bigint;
  /** The first invoice after that; none if the subscription ends before. */
  nextInvoice: ExpectedInvoice | null;
  warnings: Warning[];
}

/** A change, and the bill that it pays now. */
interface Change {
  tenant: Row<'tenants'>;
  decision: Awaited<ReturnType<typeof decideChange>>;
  quote: PlanChangeQuote;
  bill: EarlierBill;
}

/**
 * Previews a change of a subscription, now or `at` a later instant of the current period, with the functions that make
 * it. Errors: as of `changeSubscription`, without those of the payment.
 */
export async function previewSubscriptionChange(
  tenant: TenantScope,
  id: string,
  input: unknown,
): Promise<BillPreview> {
  const { billing, at: text, ...wanted } = parseInput(subscriptionChange, input);
  const { read } = tenant;
  // Not the cached record, whose policy may be outdated.
  const record = (await read.one('tenants', {}))!;
  const subscription = await findSubscription(read, id);
  const paid = await findPaidItems(read, subscription);
  const now = tenant.now();
  const at = text ? parseInstant(text, record.timezone, 'at') : now;
  if (paid.since !== null && at < paid.since)
    refuse('validation_failed', {
      path: 'at',
      message: `is before ${paid.since}, since when the terms are billed`,
    });
  const request = { billing, findWanted: () => wanted };
  const decision = await decideChange(read, record, subscription, request, at);
  const { customerId, currency } = subscription;
  const changeBilling = decision.kind === 'now' ? decision.billing : 'period_end';
  const timing = { billing: changeBilling, at };
  const values = { id: '', receiptUrl: '', ...buildChangeIntent(subscription, decision.terms, timing, now) };
  const intent = completeRow('intents', values, record.alias);
  // A change as of an earlier instant is paid now.
  const paidAt = at > now ? at : now;
  const due = await computeDue(read, intent, { changed: subscription, paid }, paidAt, record);
  const { lines, totalMinor } = due.bill;
  const quote = due.bill.change!;
  const usage = await planUsage(read, subscription, { ...decision.terms, addOns: quote.addOns }, quote);
  const bill = { at: paidAt, lines, balanceMinor: due.basis.balanceMinor ?? 0n, change: quote, usage };
  const nextInvoice = await expectNextInvoice(read, subscription, { tenant: record, decision, quote, bill });
  const taxed = [...lines, ...(nextInvoice?.lines ?? [])];
  return {
    effectiveAt: quote.effectiveAt,
    currency,
    lines,
    totalMinor,
    nextInvoice,
    warnings: [
      ...listWarnings(pickTerms(subscription), decision.terms),
      ...listUsageWarnings(taxed),
      ...(await listBillWarnings(read, record, {
        customerId,
        at: paidAt,
        now: paidAt,
        lines: taxed,
        currency,
      })),
    ],
  };
}

/** Computes the next invoice after a change, if all charges succeed. */
async function expectNextInvoice(
  reads: Reads,
  subscription: SubscriptionRow,
  { tenant, decision, quote, bill }: Change,
): Promise<ExpectedInvoice | null> {
  const { customerId, cancelAt, cancelAtPeriodEnd, currency } = subscription;
  const { nextBillingDate: date } = quote;
  if (cancelAtPeriodEnd || (cancelAt !== null && cancelAt <= date)) return null;
  const present = pickTerms(subscription);
  const { kind, terms, scheduled } = decision;
  const isNow = kind === 'now';
  const carried = isNow && scheduled ? await carryOver(reads, present, terms, scheduled) : undefined;
  const later = isNow ? carried && (hasPlan(terms, carried) ? undefined : carried) : terms;
  const billable = {
    ...(isNow ? { ...terms, addOns: quote.addOns } : present),
    anchor: isNow ? quote.anchor : subscription.anchor,
    nextBillingDate: date,
    cancelAt,
  };
  const next = { customerId, terms: later ?? billable, at: date, paidAt: date };
  const extras = await gatherBill(reads, tenant, subscription, next, bill);
  const { lines, totalMinor } = computeNextInvoice(billable, later, extras, tenant.timezone);
  return { date, currency, lines, totalMinor };
}

/** Warns of items whose amount falls although their quantity rises, or the other way round. */
function listWarnings(before: Terms, after: Terms): Warning[] {
  const known = new Map(listItems(before).map((item) => [item.addOnPriceId, item]));
  return listItems(after).flatMap((item) => {
    const was = known.get(item.addOnPriceId);
    const isMain = item.addOnPriceId === undefined;
    if (!was || (isMain && before.priceId !== after.priceId)) return [];
    const [from, to] = [was.quantity ?? 1, item.quantity ?? 1];
    const hasFallen = to > from && item.amountMinor < was.amountMinor;
    const hasRisen = to < from && item.amountMinor > was.amountMinor;
    if (!hasFallen && !hasRisen) return [];
    const code = hasFallen ? 'total_falls' : 'total_rises';
    const [total, quantity] = hasFallen ? ['falls', 'rises'] : ['rises', 'falls'];
    const amounts = [was, item].map(({ amountMinor, currency }) => formatMoney(amountMinor, currency));
    const message =
      `The total of ${item.productName} ${total} from ${amounts[0]} to ${amounts[1]} ` +
      `while its quantity ${quantity} from ${from} to ${to}.`;
    return [{ code, message }];
  });
}
