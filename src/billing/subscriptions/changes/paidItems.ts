import { importedReason } from '../../audit/audit.ts';
import type { InvoiceItemRow } from '../../invoices/invoiceItems.ts';
import { isPeriodLine, listReservedCredits, sumGivenBack } from '../../payments/returns.ts';
import { listItems } from '../../pricing/invoiceLines.ts';
import type { Explanation, PaidLine } from '../../pricing/proration.ts';
import { computeGross } from '../../pricing/tax.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { Reads } from '../../../storage/store.ts';
import { listWaitingChanges } from '../../invoices/waitingCharges.ts';

type LineRow = Row<'invoiceLines'>;
type SubscriptionRow = Row<'subscriptions'>;

/** The key of the main price among the items of a subscription; add-ons have their price as key. */
export const mainItem = '';

/** What was paid for the items of a subscription in its current period, by item. */
export interface PaidItems {
  /** The lines whose unused time a change credits. */
  lines: Map<string, PaidLine>;
  /** The amounts of a whole cycle of items that were paid in another system, in minor units. */
  elsewhere: Map<string, bigint>;
  /** The charges for the rest of the period that wait for the next invoice. */
  waiting: Map<string, InvoiceItemRow>;
  /** The latest instant at which a line of the period begins; null if there is none. */
  since: string | null;
}

/** Returns the key of the item that a line bills. */
const findItemKey = ({ priceId }: Pick<LineRow, 'priceId'>) => priceId ?? mainItem;

/**
 * Finds the latest line of each item of the current period, with its current counters. A line whose unused time was
 * credited is not in force any more. Items without a line cost nothing in this period, unless the period was paid in
 * another system.
 */
export async function findPaidItems(reads: Reads, subscription: SubscriptionRow): Promise<PaidItems> {
  const { currentPeriodEnd } = subscription;
  const billed = await listPeriodLines(reads, subscription);
  const changes = (await listWaitingChanges(reads, subscription)).filter(
    ({ periodEnd }) => periodEnd === currentPeriodEnd,
  );
  const credits = [...billed, ...changes].filter(({ kind }) => kind === 'PRORATION_CREDIT');
  const credited = new Set(credits.map(({ creditedLineId }) => creditedLineId));
  const lines = new Map<string, PaidLine>();
  for (const line of billed) {
    const isInForce = isPeriodLine(line) && line.periodEnd === currentPeriodEnd;
    if (isInForce && !credited.has(line.id))
      lines.set(findItemKey(line), toPaidLine(line, sumGivenBack(line)));
  }
  const charges = changes.filter(({ kind }) => kind === 'PRORATION_CHARGE');
  const elsewhere = new Map<string, bigint>();
  for (const { addOnPriceId: key = mainItem, amountMinor } of await listImportedItems(reads, subscription)) {
    const wasBilledHere = [...billed.filter(isPeriodLine), ...charges].some(
      (line) => findItemKey(line) === key,
    );
    const wasCredited = credits.some((line) => line.creditedLineId === null && findItemKey(line) === key);
    if (!wasBilledHere && !wasCredited) elsewhere.set(key, amountMinor);
  }
  const starts = [...billed, ...changes]
    // A one-off charge may be for another time.
    .filter(({ kind }) => kind !== 'ITEM')
    .map(({ periodStart }) => periodStart);
  return {
    lines,
    elsewhere,
    waiting: new Map(charges.map((item) => [findItemKey(item), item])),
    since: starts.toSorted().at(-1) ?? subscription.currentPeriodStart,
  };
}

/** Lists the paid lines of a subscription that begin in its current period, oldest first. */
async function listPeriodLines(
  reads: Reads,
  { id, customerId, currentPeriodStart }: SubscriptionRow,
): Promise<LineRow[]> {
  if (currentPeriodStart === null) return [];
  const where = { customerId, paidAt: { isSet: true as const }, periodStart: { from: currentPeriodStart } };
  const lines = await reads.many('invoiceLines', { where });
  const invoiceIds = [...new Set(lines.map(({ invoiceId }) => invoiceId))];
  if (invoiceIds.length === 0) return [];
  const invoices = await reads.many('invoices', { where: { id: invoiceIds } });
  const own = new Map(
    invoices
      .filter(({ subscriptionId }) => subscriptionId === id)
      .map(({ id: key, number }) => [key, number]),
  );
  return lines
    .filter(({ invoiceId }) => own.has(invoiceId))
    .toSorted((a, b) => own.get(a.invoiceId)! - own.get(b.invoiceId)! || (a.id < b.id ? -1 : 1));
}

/** Lists the items of a subscription when it was imported, if it was and nothing has been renewed since. */
async function listImportedItems(reads: Reads, { id, customerId, billedCount }: SubscriptionRow) {
  if (billedCount > 0) return [];
  const intents = await reads.many('intents', { where: { customerId, reason: importedReason } });
  // Only an import stores the order number as the hash: a client may use the same reason.
  const imported = intents.find(
    ({ subscriptionId, requestHash, orderNumber }) => subscriptionId === id && requestHash === orderNumber,
  );
  return imported ? listItems(imported) : [];
}

/** Returns the items that a payment in progress credits, as of its start. */
export async function findReservedItems(
  reads: Reads,
  intent: Row<'intents'>,
): Promise<PaidItems | undefined> {
  const { changesSubscriptionId: id } = intent;
  const changed = id === null ? undefined : await reads.one('subscriptions', { id });
  if (!changed) return undefined;
  const paid = await findPaidItems(reads, changed);
  const reserved = listReservedCredits(intent);
  // Payments that reserve nothing credit nothing now.
  if (reserved.length === 0 && (intent.billing ?? intent.orderBilling) !== null) return paid;
  const lines = new Map<string, PaidLine>();
  for (const { lineId, givenBackMinor } of reserved) {
    const line = (await reads.one('invoiceLines', { id: lineId }))!;
    lines.set(findItemKey(line), toPaidLine(line, BigInt(givenBackMinor)));
  }
  if (reserved.length > 0) return { ...paid, lines };
  // Payments started by an early release reserved no credit, and computed it as if nothing had been given back.
  for (const [key, line] of paid.lines) lines.set(key, { ...line, givenBackMinor: 0n });
  return { ...paid, lines };
}

/** A discounted line is credited from its amount and its own length; other lines from the price of a whole cycle. */
function toPaidLine(line: LineRow, givenBackMinor: bigint): PaidLine {
  const { id, amountMinor, periodStart, periodEnd, discounts, tax } = line;
  const explanation =
    discounts === null
      ? (line.explanation as unknown as Explanation)
      : { priceMinor: String(amountMinor), totalMs: Date.parse(periodEnd) - Date.parse(periodStart) };
  return { id, amountMinor: computeGross(line), givenBackMinor, explanation, ...(tax && { tax }) };
}
