import type { Row } from '../../storage/model/rowTypes.ts';
import type { Books } from './auditSnapshot.ts';
import { auditAgreements } from './auditAgreements.ts';
import { auditBalances } from './auditBalances.ts';
import { auditDocuments } from './auditDocuments.ts';
import { addDiscounts, auditDiscounts } from './auditDiscounts.ts';
import { auditItems } from './auditItems.ts';
import { auditPayments } from './auditPayments.ts';
import { auditGivenBack, auditReservedBalance } from './auditReturns.ts';
import { auditTrials } from './auditTrials.ts';
import { auditTaxes } from './auditTaxes.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import { isPeriodLine } from '../payments/returns.ts';
import { sumLines } from '../pricing/invoiceLines.ts';
import { computeCredit, type Explanation } from '../pricing/proration.ts';
import { computeGross } from '../pricing/tax.ts';
import { isCollectedAlone, isUnpaid } from '../invoices/invoices.ts';

/** The rules of the books; each fault names the rule that it breaks. */
export type Check =
  | 'periods'
  | 'billed_count'
  | 'open_invoice'
  | 'due_date'
  | 'parked'
  | 'invoice_total'
  | 'line_amount'
  | 'agreed_price'
  | 'trial'
  | 'credit'
  | 'given_back'
  | 'balance'
  | 'discounts'
  | 'payments'
  | 'tax'
  | 'invoice_items'
  | 'documents';

/** A violation of a rule of the books. */
interface Fault {
  check: Check;
  /** The id of the affected record. */
  subject: string;
  found: string;
}

type Subscription = Row<'subscriptions'>;
type Invoice = Row<'invoices'>;
type Line = Row<'invoiceLines'>;

/** A subscription bills its main price for every period; add-ons have lines of their own. */
const isCycle = ({ kind, priceId }: Line) => priceId === null && (kind === 'CYCLE' || kind === 'STUB');
const isChange = ({ billingReason }: Invoice) => billingReason === 'plan_change';
const isGivenUp = ({ status }: Invoice) => status === 'void' || status === 'uncollectible';

/** Checks every rule that the books must satisfy at any time. Returns all violations. */
export function auditBooks(books: Books): Fault[] {
  return [
    ...books.subscriptions.flatMap((subscription) => auditSubscription(books, subscription)),
    ...books.invoices.flatMap((invoice) => auditInvoice(books, invoice)),
    ...listFaults('payments', (blame) => auditPayments(books, blame)),
    ...listFaults('balance', (blame) => auditBalances(books, blame)),
    ...listFaults('agreed_price', (blame) => auditAgreements(books, blame)),
    ...listFaults('invoice_items', (blame) => auditItems(books, blame)),
    ...listFaults('documents', (blame) => auditDocuments(books, blame)),
    ...listFaults('trial', (blame) => auditTrials(books, blame)),
    ...listFaults('given_back', (blame) => auditGivenBack(books, blame)),
    ...listFaults('balance', (blame) => auditReservedBalance(books, blame)),
    ...listFaults('discounts', (blame) => auditDiscounts(books, blame)),
    ...listFaults('tax', (blame) => auditTaxes(books, blame)),
  ];
}

function listFaults(check: Check, audit: (blame: (subject: string, found: string) => void) => void): Fault[] {
  const faults: Fault[] = [];
  audit((subject, found) => void faults.push({ check, subject, found }));
  return faults;
}

function auditSubscription(books: Books, subscription: Subscription): Fault[] {
  const { id, billedCount, cancelledAt, openInvoiceId, parkedReason, pausedAt } = subscription;
  const faults: Fault[] = [];
  const blame = (check: Check, found: string) => void faults.push({ check, subject: id, found });
  const invoices = books.listInvoices(id).filter((invoice) => !isCollectedAlone(invoice));
  const paid = invoices.filter(({ status }) => status === 'paid');
  const last = auditPeriods(books, subscription, paid, blame);

  const cycles = paid.flatMap((invoice) => books.listLines(invoice.id).filter(isCycle)).length;
  if (cycles !== billedCount) blame('billed_count', `${cycles} cycles are paid, ${billedCount} are counted`);

  const open = invoices.filter((invoice) => isUnpaid(invoice) && !isChange(invoice));
  const openIds = open.map((invoice) => invoice.id).join();
  if (openIds !== (openInvoiceId ?? ''))
    blame('open_invoice', `has open invoice ${openIds}, but refers to ${openInvoiceId}`);
  const givenUp = invoices.filter((invoice) => isGivenUp(invoice) && !isChange(invoice));
  // A cancellation gives up one period, and a pause after the last retry another.
  const pauses = books.listResumes(id).length + (pausedAt ? 1 : 0);
  if (givenUp.length > pauses + (cancelledAt ? 1 : 0))
    blame('open_invoice', `${givenUp.length} of its periods are void`);
  if (subscription.pastDueSince && !openInvoiceId && !cancelledAt)
    blame('open_invoice', 'is past due but has no open invoice');
  if (parkedReason !== null) blame('parked', `is parked: ${parkedReason}`);
  const hasOpenInvoice = invoices.some(isUnpaid);
  auditDates(books, subscription, open[0]?.cycleStart ?? last, hasOpenInvoice, blame);
  return faults;
}

type Blame = (check: Check, found: string) => void;

/** A period starts where the previous one ended, or where a pause ended. */
const isContinuation = (end: string, start: string, resumes: string[]) =>
  start === end || (start > end && resumes.includes(start));

/**
 * Checks that every period is billed exactly once: it starts where the previous period ended, where a pause ended, or
 * where a plan change cut the previous period off. Returns the end of the last billed period, or the start of the first
 * period if none is billed.
 */
function auditPeriods(books: Books, subscription: Subscription, paid: Invoice[], blame: Blame): string {
  const resumes = books.listResumes(subscription.id);
  const first = findBeginning(books, subscription);
  const { startsAt, trialEndsAt, currentPeriodEnd } = subscription;
  const isPaidBefore = trialEndsAt === null ? first !== startsAt : currentPeriodEnd !== null;
  let last: { start: string; end: string } | undefined;
  for (const invoice of paid) {
    const lines = books.listLines(invoice.id);
    const line = lines.find((each) =>
      isChange(invoice) ? isPeriodLine(each) && each.priceId === null : isCycle(each),
    );
    if (!line) {
      // At the start of a trial, the fee alone is due.
      if (lines.some(({ kind }) => kind === 'SETUP_FEE')) continue;
      const isOfAddOns = isChange(invoice) && lines.every((each) => isWithin(each, last));
      if (!isOfAddOns) blame('periods', `${invoice.id} bills no period`);
      continue;
    }
    const { periodStart: start, periodEnd: end } = line;
    const follows = isChange(invoice)
      ? last === undefined
        ? isPaidBefore && start < first
        : start >= last.start && start < last.end
      : isContinuation(last?.end ?? first, start, resumes);
    if (!follows || start >= end) {
      blame(
        'periods',
        `${invoice.id} bills ${start}/${end} after ${last ? `${last.start}/${last.end}` : first}`,
      );
    }
    last = { start, end };
  }
  const wanted = last?.end ?? (isPaidBefore ? first : null);
  if (wanted !== currentPeriodEnd) {
    blame('periods', `its last period ends ${wanted}, it says ${currentPeriodEnd}`);
  }
  return last?.end ?? first;
}

/** Whether a change bills or credits only the rest of a period, which then goes on. */
const isWithin = ({ periodStart, periodEnd }: Line, period: { start: string; end: string } | undefined) =>
  period === undefined || (periodStart >= period.start && periodEnd === period.end);

/**
 * Returns when billing started here: at the end of a trial, and for an imported subscription at the end of the period
 * paid elsewhere.
 */
const findBeginning = (books: Books, { id, startsAt, firstBillingDate, trialEndsAt }: Subscription) =>
  trialEndsAt !== null || books.listIntents(id).some(({ reason }) => reason === importedReason)
    ? firstBillingDate
    : startsAt;

/** The `reason` on the intent of a subscription imported from another system. */
export const importedReason = 'imported';

function auditDates(
  books: Books,
  subscription: Subscription,
  end: string,
  hasOpenInvoice: boolean,
  blame: Blame,
): void {
  const { id, cancelledAt, nextBillingDate, dueAt, pausedAt, resumesAt } = subscription;
  const { parkedReason, cancelAtPeriodEnd, openInvoiceId, pastDueSince, retriesEndedAt } = subscription;
  if (cancelledAt) {
    if (nextBillingDate || dueAt || hasOpenInvoice)
      blame('due_date', `is cancelled, but still waits for ${dueAt ?? 'an invoice'}`);
    return;
  }
  if (!nextBillingDate) {
    blame('due_date', 'has no next billing date');
    return;
  }
  if (!isContinuation(end, nextBillingDate, books.listResumes(id))) {
    blame('due_date', `bills next from ${nextBillingDate}, not from ${end}`);
  }
  // A paused subscription can still have a due date: for the end of the pause, a cancellation at the end of the period,
  // or a charge in progress.
  const isSuspended = pausedAt !== null || parkedReason !== null;
  // After the last retry it may be left past due, which is marked.
  const isLeft = pastDueSince !== null && openInvoiceId !== null && retriesEndedAt !== null;
  const isTimed = resumesAt !== null && parkedReason === null;
  const isRight =
    isSuspended && !isTimed
      ? dueAt === null || cancelAtPeriodEnd || openInvoiceId !== null
      : dueAt !== null || isLeft;
  if (!isRight) blame('due_date', `is due ${dueAt}, paused since ${pausedAt}`);
}

/** Checks that the lines sum to the total, that each explanation gives its amount, and that each price was agreed to. */
function auditInvoice(books: Books, invoice: Invoice): Fault[] {
  const { id, totalMinor, status, currency } = invoice;
  const faults: Fault[] = [];
  const lines = books.listLines(id);
  const sum = sumLines(lines);
  if (sum !== totalMinor || (totalMinor < 0n && status !== 'draft')) {
    const found = `its lines sum to ${sum}, but its total is ${totalMinor}`;
    faults.push({ check: 'invoice_total', subject: id, found });
  }
  const intents = listAgreed(books, invoice);
  for (const line of lines) {
    const blame = (check: Check, found: string) => void faults.push({ check, subject: line.id, found });
    if (line.currency !== currency) blame('line_amount', `is ${line.currency} on an invoice in ${currency}`);
    if ((line.paidAt !== null) !== (status === 'paid')) {
      blame('line_amount', `was paid at ${line.paidAt}, its invoice is ${status}`);
    }
    if (unpricedKinds.has(line.kind)) continue;
    const credited = line.creditedLineId === null ? undefined : books.lineById.get(line.creditedLineId);
    auditLine(line, blame);
    auditPrice(line, intents, credited, blame);
    if (line.kind === 'PRORATION_CREDIT' && status === 'paid')
      auditCredit(intents, invoice, line, credited, blame);
  }
  return faults;
}

/** Lines whose amount is not that of a cycle. Audits of their own check one-off charges, fees and usage. */
const unpricedKinds: ReadonlySet<Line['kind']> = new Set(['BALANCE', 'ITEM', 'SETUP_FEE', 'USAGE']);

function auditLine(line: Line, blame: Blame): void {
  const { kind, explanation, periodStart, periodEnd } = line;
  const amountMinor = addDiscounts(line);
  const { priceMinor, remainingMs, totalMs } = explanation as unknown as Explanation;
  const exact = divideRoundHalfUp(BigInt(priceMinor) * BigInt(remainingMs), BigInt(totalMs));
  const expected =
    kind === 'PRORATION_CREDIT' ? -computeCredit(explanation as unknown as Explanation) : exact;
  if (amountMinor !== expected)
    blame('line_amount', `is ${amountMinor} before discounts, its explanation gives ${expected}`);
  if (Date.parse(periodEnd) - Date.parse(periodStart) !== remainingMs) {
    blame('line_amount', 'its period differs from the charged period');
  }
  if (kind === 'CYCLE' && remainingMs !== totalMs)
    blame('line_amount', 'is a cycle but covers only part of it');
}

/** Checks that the price of an item is one that an intent of its subscription agreed to. */
function auditPrice(
  { priceId, explanation }: Line,
  intents: Row<'intents'>[],
  credited: Line | undefined,
  blame: Blame,
): void {
  const { priceMinor } = explanation as unknown as Explanation;
  // The price of a credit for a line with discounts is its net amount.
  const agreed = intents.flatMap(({ amountMinor, addOns }) =>
    priceId === null
      ? [String(amountMinor)]
      : (addOns ?? []).filter((addOn) => addOn.priceId === priceId).map((addOn) => addOn.amountMinor),
  );
  const prices = credited?.discounts ? [String(credited.amountMinor)] : agreed;
  if (intents.length > 0 && !prices.includes(priceMinor))
    blame('agreed_price', `nobody agreed to ${priceMinor}`);
}

/**
 * Lists the intent of an invoice, and those of the subscriptions that it bills: its own, and those whose waiting lines it has. The items of
 * an invoice that was closed wait again or are on another one, so they can be of any subscription of the customer.
 */
function listAgreed(books: Books, invoice: Invoice): Row<'intents'>[] {
  const items = isGivenUp(invoice) ? books.listItemsOf(invoice.customerId) : books.listItems(invoice.id);
  const billed = new Set([invoice.subscriptionId, ...items.map(({ subscriptionId }) => subscriptionId)]);
  // The order of an invoice that was never paid has no subscription.
  const order = invoice.intentId === null ? undefined : books.intentById.get(invoice.intentId);
  return [...billed].flatMap((each) => (each === null ? [] : books.listIntents(each))).concat(order ?? []);
}

/** Checks that a credit is for a line of the same item that was paid before, and does not exceed it. */
function auditCredit(
  intents: Row<'intents'>[],
  invoice: Invoice,
  credit: Line,
  credited: Line | undefined,
  blame: Blame,
): void {
  // The period of an imported subscription was charged in the other system.
  if (credit.creditedLineId === null && intents.some(({ reason }) => reason === importedReason)) return;
  const isForPeriod =
    credited !== undefined &&
    isPeriodLine(credited) &&
    credited.invoiceId !== invoice.id &&
    credited.customerId === credit.customerId &&
    credited.priceId === credit.priceId &&
    credited.periodStart <= credit.periodStart &&
    credited.periodEnd === credit.periodEnd;
  const creditMinor = computeGross(credit);
  if (isForPeriod && -creditMinor <= computeGross(credited)) return;
  blame('credit', `credits ${creditMinor} of ${credited ? computeGross(credited) : 'nothing'}`);
}
