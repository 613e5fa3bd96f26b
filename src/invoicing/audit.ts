import type { Row } from '../storage/model/rowTypes.ts';
import type { Books } from './auditSnapshot.ts';
import { auditAgreements } from './auditAgreements.ts';
import { auditGivenBack, auditReservedBalance } from './auditReturns.ts';
import { auditTrials } from './auditTrials.ts';
import { auditBalances } from './auditBalances.ts';
import { divideRoundHalfUp } from '../lib/money.ts';
import { isPeriodLine } from './returns.ts';
import { computeCredit, type Explanation } from '../pricing/proration.ts';

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
  | 'payments';

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

const isCycle = ({ kind }: Line) => kind === 'CYCLE' || kind === 'STUB';
const isChange = ({ billingReason }: Invoice) => billingReason === 'plan_change';
const isGivenUp = ({ status }: Invoice) => status === 'void' || status === 'uncollectible';
const sumAmounts = (rows: { amountMinor: bigint }[]) =>
  rows.reduce((total, { amountMinor }) => total + amountMinor, 0n);

/** Checks every rule that the books must satisfy at any time. Returns all violations. */
export function auditBooks(books: Books): Fault[] {
  return [
    ...books.subscriptions.flatMap((subscription) => auditSubscription(books, subscription)),
    ...books.invoices.flatMap((invoice) => auditInvoice(books, invoice)),
    ...books.invoices.flatMap((invoice) => auditPayments(books, invoice)),
    ...listFaults('balance', (blame) => auditBalances(books, blame)),
    ...listFaults('agreed_price', (blame) => auditAgreements(books, blame)),
    ...listFaults('trial', (blame) => auditTrials(books, blame)),
    ...listFaults('given_back', (blame) => auditGivenBack(books, blame)),
    ...listFaults('balance', (blame) => auditReservedBalance(books, blame)),
  ];
}

function listFaults(check: Check, audit: (blame: (subject: string, found: string) => void) => void): Fault[] {
  const faults: Fault[] = [];
  audit((subject, found) => void faults.push({ check, subject, found }));
  return faults;
}

function auditSubscription(books: Books, subscription: Subscription): Fault[] {
  const { id, billedCount, cancelledAt, openInvoiceId, parkedReason } = subscription;
  const faults: Fault[] = [];
  const blame = (check: Check, found: string) => void faults.push({ check, subject: id, found });
  const invoices = books.listInvoices(id);
  const paid = invoices.filter(({ status }) => status === 'paid');
  const last = auditPeriods(books, subscription, paid, blame);

  const cycles = paid.flatMap((invoice) => books.listLines(invoice.id).filter(isCycle)).length;
  if (cycles !== billedCount) blame('billed_count', `${cycles} cycles are paid, ${billedCount} are counted`);

  const open = invoices.filter((invoice) => invoice.status === 'open' && !isChange(invoice));
  const openIds = open.map((invoice) => invoice.id).join();
  if (openIds !== (openInvoiceId ?? ''))
    blame('open_invoice', `has open invoice ${openIds}, but refers to ${openInvoiceId}`);
  const givenUp = invoices.filter((invoice) => isGivenUp(invoice) && !isChange(invoice));
  if (givenUp.length > (cancelledAt ? 1 : 0))
    blame('open_invoice', `${givenUp.length} of its periods are void`);
  if (subscription.pastDueSince && !openInvoiceId && !cancelledAt)
    blame('open_invoice', 'is past due but has no open invoice');
  if (parkedReason !== null) blame('parked', `is parked: ${parkedReason}`);
  const hasOpenInvoice = invoices.some(({ status }) => status === 'open');
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
    const line = lines.find(isPeriodLine);
    if (!line) {
      // At the start of a trial, the fee alone is due.
      if (lines.some(({ kind }) => kind === 'SETUP_FEE')) continue;
      blame('periods', `${invoice.id} bills no period`);
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
  const {
    id,
    cancelledAt,
    nextBillingDate,
    dueAt,
    pausedAt,
    parkedReason,
    cancelAtPeriodEnd,
    openInvoiceId,
  } = subscription;
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
  // A paused subscription can still have a due date: for a cancellation at the end of the period, or a charge in
  // progress.
  const isSuspended = pausedAt !== null || parkedReason !== null;
  const isRight = isSuspended
    ? dueAt === null || cancelAtPeriodEnd || openInvoiceId !== null
    : dueAt !== null;
  if (!isRight) blame('due_date', `is due ${dueAt}, paused since ${pausedAt}`);
}

/** Checks that the lines sum to the total, that each explanation gives its amount, and that each price was agreed to. */
function auditInvoice(books: Books, invoice: Invoice): Fault[] {
  const { id, totalMinor, status, currency, subscriptionId } = invoice;
  const faults: Fault[] = [];
  const lines = books.listLines(id);
  const sum = sumAmounts(lines);
  if (sum !== totalMinor || totalMinor < 0n) {
    faults.push({
      check: 'invoice_total',
      subject: id,
      found: `its lines sum to ${sum}, but its total is ${totalMinor}`,
    });
  }
  const prices = subscriptionId
    ? books.listIntents(subscriptionId).map(({ amountMinor }) => String(amountMinor))
    : [];
  for (const line of lines) {
    const blame = (check: Check, found: string) => void faults.push({ check, subject: line.id, found });
    if (line.currency !== currency) blame('line_amount', `is ${line.currency} on an invoice in ${currency}`);
    if ((line.paidAt !== null) !== (status === 'paid')) {
      blame('line_amount', `was paid at ${line.paidAt}, its invoice is ${status}`);
    }
    if (line.kind === 'BALANCE' || line.kind === 'SETUP_FEE') continue;
    auditLine(line, prices, blame);
    if (line.kind === 'PRORATION_CREDIT' && status === 'paid') auditCredit(books, invoice, line, blame);
  }
  return faults;
}

function auditLine(line: Line, prices: string[], blame: Blame): void {
  const { kind, amountMinor, explanation, periodStart, periodEnd } = line;
  const { priceMinor, remainingMs, totalMs } = explanation as unknown as Explanation;
  const exact = divideRoundHalfUp(BigInt(priceMinor) * BigInt(remainingMs), BigInt(totalMs));
  const expected =
    kind === 'PRORATION_CREDIT' ? -computeCredit(explanation as unknown as Explanation) : exact;
  if (amountMinor !== expected) blame('line_amount', `is ${amountMinor}, its explanation gives ${expected}`);
  if (Date.parse(periodEnd) - Date.parse(periodStart) !== remainingMs) {
    blame('line_amount', 'its period differs from the charged period');
  }
  if (kind === 'CYCLE' && remainingMs !== totalMs)
    blame('line_amount', 'is a cycle but covers only part of it');
  if (prices.length > 0 && !prices.includes(priceMinor))
    blame('agreed_price', `nobody agreed to ${priceMinor}`);
}

/** Checks that a credit does not exceed the charge for the period it credits. */
function auditCredit(books: Books, invoice: Invoice, credit: Line, blame: Blame): void {
  const earlier = books
    .listInvoices(invoice.subscriptionId!)
    .filter(({ status, number }) => status === 'paid' && number < invoice.number)
    .at(-1);
  // The period of an imported subscription was charged in the other system.
  if (!earlier && books.listIntents(invoice.subscriptionId!).some(({ reason }) => reason === importedReason))
    return;
  const charged = earlier && books.listLines(earlier.id).find(isPeriodLine);
  const isForPeriod = credit.creditedLineId === charged?.id && credit.periodEnd === charged.periodEnd;
  if (isForPeriod && -credit.amountMinor <= charged.amountMinor) return;
  blame('credit', `credits ${credit.amountMinor} of ${charged?.amountMinor ?? 'nothing'}`);
}

/** Sums the amounts that refunds of an invoice returned to the balance, including those of pending refunds. */
const sumRefundedToBalance = (books: Books, id: string, refunds: Row<'payments'>[]): bigint =>
  sumAmounts(books.listBalanceEntries(id).filter(({ kind }) => kind === 'return')) +
  refunds
    .filter(({ status }) => status === 'pending')
    .reduce((sum, { toBalanceMinor }) => sum + (toBalanceMinor ?? 0n), 0n);

/**
 * Checks that a paid invoice has one charge that pays it, that every other charge was refunded, and that refunds do not
 * exceed charges.
 */
function auditPayments(books: Books, { id, status, totalMinor, refundedMinor }: Invoice): Fault[] {
  const faults: Fault[] = [];
  const blame = (subject: string, found: string) => void faults.push({ check: 'payments', subject, found });
  const own = books.listPayments(id);
  const charges = own.filter((each) => each.kind === 'charge' && each.status === 'succeeded');
  const refunds = own.filter((each) => each.kind === 'refund' && each.status !== 'failed');
  const isCharged = charges.length > 0;
  if (status === 'paid' && totalMinor > 0n !== isCharged)
    blame(id, `is paid, but has ${charges.length} charges`);
  if (charges.some(({ amountMinor }) => amountMinor !== totalMinor))
    blame(id, 'a charge differs from its total');
  if (sumAmounts(refunds) > sumAmounts(charges)) blame(id, `refunds come to ${sumAmounts(refunds)}`);
  const owed = charges.filter(({ chargeId }) => chargeId === null).slice(0, status === 'paid' ? 1 : 0);
  const owedRefunds = refunds.filter(({ chargeId }) => owed.some((charge) => charge.id === chargeId));
  const counted =
    sumAmounts(owedRefunds) + (status === 'paid' ? sumRefundedToBalance(books, id, owedRefunds) : 0n);
  if (counted !== refundedMinor)
    blame(id, `counts ${refundedMinor} as refunded, but refunds sum to ${counted}`);
  for (const surplus of charges.slice(owed.length)) {
    const isGivenBack = own.some(({ kind, chargeId }) => kind === 'refund' && chargeId === surplus.id);
    if (!isGivenBack) blame(surplus.id, 'was not owed and was not refunded');
  }
  return faults;
}
