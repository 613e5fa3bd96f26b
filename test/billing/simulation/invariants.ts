import type Database from 'better-sqlite3';
import type { Row } from '../../../src/db/schema.ts';
import type { Bank } from './bank.ts';
import { groupBy, readBooks, type Books } from './books.ts';
import { traceFaults } from './history.ts';

/**
 * What must hold of a database at any moment, whatever has happened to it; each fault is told in one line.
 * A `bank` tells what it moved; `settled` when nothing may be under way any more.
 */
export function findFaults(disk: Database.Database, bank?: Bank, settled = false): string[] {
  const books = readBooks(disk);
  return [
    ...books.subscriptions.flatMap((subscription) => subscriptionFaults(books, subscription)),
    ...books.invoices.flatMap((invoice) => invoiceFaults(books, invoice)),
    ...numberFaults(books),
    ...balanceFaults(books),
    ...paymentFaults(books),
    ...rivalFaults(disk),
    ...(bank ? bankFaults(books, bank, settled) : []),
    ...traceFaults(disk),
    ...databaseFaults(disk),
  ];
}

const isPeriod = ({ kind }: Row<'invoiceLines'>) =>
  kind === 'CYCLE' || kind === 'STUB' || kind === 'PRORATION_CHARGE';
const isCycle = ({ kind }: Row<'invoiceLines'>) => kind === 'CYCLE' || kind === 'STUB';
const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
const amountsOf = (rows: { amountMinor: bigint }[]) => sum(rows.map(({ amountMinor }) => amountMinor));

/** Every period is billed once: each begins where the last ended, where a pause ended, or where a change cut it off. */
function subscriptionFaults(books: Books, subscription: Row<'subscriptions'>): string[] {
  const { id, billedCount, cancelledAt, openInvoiceId, nextBillingDate, dueAt } = subscription;
  const faults: string[] = [];
  const invoices = books.invoicesOf(id);
  const resumes = books.resumesOf(id);
  const goesOnFrom = (end: string, start: string) =>
    start === end || (start > end && resumes.includes(start));
  const paid = invoices.filter(({ status }) => status === 'paid');
  let last: { start: string; end: string } | undefined;
  for (const { id: invoiceId, billingReason } of paid) {
    const line = books.linesOf(invoiceId).find(isPeriod);
    if (!line) {
      faults.push(`${invoiceId} bills no period`);
      continue;
    }
    const [start, end] = [line.periodStart, line.periodEnd];
    const follows =
      billingReason === 'plan_change'
        ? last !== undefined && start >= last.start && start < last.end
        : goesOnFrom(last?.end ?? subscription.startsAt, start);
    if (!follows || start >= end)
      faults.push(`${id}: ${billingReason} ${start}/${end} after ${last?.start}/${last?.end}`);
    last = { start, end };
  }
  if ((last?.end ?? null) !== subscription.currentPeriodEnd)
    faults.push(`${id}: its last period is ${last?.end}, not ${subscription.currentPeriodEnd}`);

  const cycles = paid.flatMap((invoice) => books.linesOf(invoice.id).filter(isCycle)).length;
  if (cycles !== billedCount) faults.push(`${id}: ${cycles} cycles are paid, ${billedCount} are counted`);

  const open = invoices.filter(
    ({ status, billingReason }) => status === 'open' && billingReason !== 'plan_change',
  );
  if (open.map((invoice) => invoice.id).join() !== (openInvoiceId ?? ''))
    faults.push(`${id}: open are ${open.map((invoice) => invoice.id).join()}, it knows ${openInvoiceId}`);
  const closed = invoices.filter(
    ({ status, billingReason }) =>
      (status === 'void' || status === 'uncollectible') && billingReason !== 'plan_change',
  );
  if (closed.length > (cancelledAt ? 1 : 0)) faults.push(`${id}: ${closed.length} of its periods are void`);
  if (cancelledAt) {
    const waiting = invoices.filter(({ status }) => status === 'open');
    if (nextBillingDate || dueAt || waiting.length > 0)
      faults.push(`${id}: is cancelled, and waits for ${dueAt ?? waiting[0]?.id}`);
    return faults;
  }
  if (!nextBillingDate) return [...faults, `${id}: has no next billing date`];
  const end = open[0]?.cycleStart ?? last?.end ?? subscription.startsAt;
  if (!goesOnFrom(end, nextBillingDate))
    faults.push(`${id}: bills next from ${nextBillingDate}, not from ${end}`);
  // A cancellation at the end of the period takes place during a pause, too, and a charge under way is settled.
  const rests = subscription.pausedAt !== null || subscription.parkedReason !== null;
  const isDueRightly = rests
    ? dueAt === null || subscription.cancelAtPeriodEnd || openInvoiceId !== null
    : dueAt !== null;
  if (!isDueRightly) faults.push(`${id}: due ${dueAt}, paused ${subscription.pausedAt}`);
  if (subscription.pastDueSince && !openInvoiceId) faults.push(`${id}: past due, and owes nothing`);
  if (subscription.parkedReason) faults.push(`${id}: set aside: ${subscription.parkedReason}`);
  return faults;
}

/** The lines make the total; each amount can be computed again from its explanation, at a price that was agreed to. */
function invoiceFaults(books: Books, invoice: Row<'invoices'>): string[] {
  const { id, totalMinor, status, currency, subscriptionId } = invoice;
  const faults: string[] = [];
  const lines = books.linesOf(id);
  if (amountsOf(lines) !== totalMinor || totalMinor < 0n)
    faults.push(`${id}: lines come to ${amountsOf(lines)}, total is ${totalMinor}`);
  const prices = subscriptionId
    ? books.intentsOf(subscriptionId).map(({ amountMinor }) => String(amountMinor))
    : [];
  for (const line of lines) {
    const { kind, amountMinor, explanation, periodStart, periodEnd } = line;
    if (line.currency !== currency) faults.push(`${line.id}: ${line.currency} on an invoice in ${currency}`);
    if ((line.paidAt !== null) !== (status === 'paid'))
      faults.push(`${line.id}: paid at ${line.paidAt}, the invoice is ${status}`);
    if (kind === 'BALANCE') continue;
    const { priceMinor, remainingMs, totalMs } = explanation as {
      priceMinor: string;
      remainingMs: number;
      totalMs: number;
    };
    const exact = 2n * BigInt(priceMinor) * BigInt(remainingMs) + BigInt(totalMs);
    const expected = (exact / (2n * BigInt(totalMs))) * (kind === 'PRORATION_CREDIT' ? -1n : 1n);
    if (amountMinor !== expected)
      faults.push(`${line.id}: ${amountMinor}, its explanation gives ${expected}`);
    if (Date.parse(periodEnd) - Date.parse(periodStart) !== remainingMs)
      faults.push(`${line.id}: its period is not the one it is charged for`);
    if (kind === 'CYCLE' && remainingMs !== totalMs) faults.push(`${line.id}: a cycle that is not whole`);
    if (prices.length > 0 && !prices.includes(priceMinor))
      faults.push(`${line.id}: nobody agreed to ${priceMinor}`);
    if (kind === 'PRORATION_CREDIT') faults.push(...creditFaults(books, invoice, line));
  }
  return faults;
}

/** A credit never exceeds what was charged for the period that it gives back. */
function creditFaults(books: Books, invoice: Row<'invoices'>, credit: Row<'invoiceLines'>): string[] {
  if (invoice.status !== 'paid') return [];
  const earlier = books
    .invoicesOf(invoice.subscriptionId!)
    .filter(({ status, number }) => status === 'paid' && number < invoice.number);
  const charged = earlier.at(-1) && books.linesOf(earlier.at(-1)!.id).find(isPeriod);
  if (charged && -credit.amountMinor <= charged.amountMinor && credit.periodEnd === charged.periodEnd)
    return [];
  return [`${credit.id}: credits ${credit.amountMinor} of ${charged?.amountMinor}`];
}

function numberFaults({ invoices }: Books): string[] {
  return [...groupBy(invoices, ({ tenantAlias }) => tenantAlias)].flatMap(([alias, own]) =>
    own.every(({ number }, index) => number === index + 1) ? [] : [`${alias}: invoice numbers have gaps`],
  );
}

/** What is left of a credit is what was granted, less what was used, plus what came back. */
function balanceFaults({ balanceEntries, invoiceById, linesOf }: Books): string[] {
  const faults: string[] = [];
  const movements = groupBy(balanceEntries, ({ creditId }) => creditId);
  for (const entry of balanceEntries.filter(({ kind }) => kind === 'credit')) {
    const own = movements.get(entry.id) ?? [];
    const of = (kind: string) => amountsOf(own.filter((each) => each.kind === kind));
    const left = entry.amountMinor - of('use') + of('return');
    if (left !== entry.remainingMinor || left < 0n || left > entry.amountMinor)
      faults.push(`${entry.id}: ${entry.remainingMinor} is left, the ledger says ${left}`);
  }
  for (const [invoiceId, own] of groupBy(balanceEntries, (entry) => entry.invoiceId)) {
    const of = (kind: string) => amountsOf(own.filter((each) => each.kind === kind));
    const balance = amountsOf(linesOf(invoiceId).filter(({ kind }) => kind === 'BALANCE'));
    if (of('credit') - of('use') !== balance) faults.push(`${invoiceId}: its balance line is ${balance}`);
    const { status } = invoiceById.get(invoiceId)!;
    const returned = status === 'void' || status === 'uncollectible' ? of('use') : 0n;
    if (of('return') !== returned)
      faults.push(`${invoiceId}: ${of('return')} came back to the balance, not ${returned}`);
  }
  return faults;
}

/** A paid invoice was paid once; what came beside that was given back; and never more than came. */
function paymentFaults({ invoices, payments }: Books): string[] {
  const faults: string[] = [];
  const byInvoice = groupBy(payments, ({ invoiceId }) => invoiceId);
  for (const { id, status, totalMinor, refundedMinor } of invoices) {
    const own = byInvoice.get(id) ?? [];
    const charges = own.filter((each) => each.kind === 'charge' && each.status === 'succeeded');
    const refunds = own.filter((each) => each.kind === 'refund' && each.status !== 'failed');
    if (status === 'paid' && totalMinor > 0n !== charges.length > 0)
      faults.push(`${id}: paid, by ${charges.length} charges`);
    if (charges.some(({ amountMinor }) => amountMinor !== totalMinor))
      faults.push(`${id}: a charge is not its total`);
    if (amountsOf(refunds) > amountsOf(charges)) faults.push(`${id}: refunds of ${amountsOf(refunds)}`);
    const owed = charges.filter(({ chargeId }) => chargeId === null).slice(0, status === 'paid' ? 1 : 0);
    const counted = refunds.filter(({ chargeId }) => owed.some((charge) => charge.id === chargeId));
    if (amountsOf(counted) !== refundedMinor)
      faults.push(`${id}: counts ${refundedMinor} as given back, it was ${amountsOf(counted)}`);
    for (const unowed of charges.slice(owed.length)) {
      if (!own.some(({ kind, chargeId }) => kind === 'refund' && chargeId === unowed.id))
        faults.push(`${unowed.id}: was not owed, and is kept`);
    }
  }
  return faults;
}

function rivalFaults(disk: Database.Database): string[] {
  return ['group_id', 'product_id'].flatMap((column) => {
    const rivals = disk
      .prepare(
        `SELECT customer_id FROM subscriptions WHERE cancelled_at IS NULL AND ${column} IS NOT NULL GROUP BY tenant_alias, customer_id, ${column} HAVING count(*) > 1`,
      )
      .pluck()
      .all();
    return rivals.map((customer) => `${String(customer)}: two subscriptions of one ${column}`);
  });
}

/** The bank and the books agree on every movement; only what is under way may be known to the bank alone. */
function bankFaults(books: Books, bank: Bank, settled: boolean): string[] {
  const faults = [...bank.faults];
  const own = books.payments.filter(({ provider, amountMinor }) => provider === 'bank' && amountMinor > 0n);
  const succeeded = groupBy(
    own.filter(({ kind, status }) => kind === 'charge' && status === 'succeeded'),
    ({ reference }) => reference,
  );
  const refunds = new Map(own.filter(({ kind }) => kind === 'refund').map((refund) => [refund.id, refund]));
  for (const { kind, key, reference, amountMinor } of bank.movements.values()) {
    if (kind === 'refund') {
      const status = refunds.get(key)?.status;
      if (status !== 'succeeded' && (settled || status !== 'pending'))
        faults.push(`${key}: given back by the bank, ${status} in the books`);
      continue;
    }
    const known = succeeded.get(reference) ?? [];
    if (known.length > 1 || (known.length === 0 && (settled || !isUnderWay(books, key))))
      faults.push(`${key}: charged by the bank, ${known.length} times in the books`);
    if (known.some((payment) => payment.amountMinor !== amountMinor))
      faults.push(`${key}: another amount than the bank's`);
  }
  for (const [reference] of succeeded) {
    if (!bank.movements.has(reference.slice('bank_'.length)))
      faults.push(`${reference}: in the books, and not in the bank's`);
  }
  for (const { id, status } of refunds.values()) {
    if (status === 'succeeded' && !bank.movements.has(id))
      faults.push(`${id}: a refund that the bank did not make`);
  }
  if (settled)
    faults.push(
      ...books.payments.filter(({ status }) => status === 'pending').map(({ id }) => `${id}: is pending`),
    );
  return faults;
}

/** A try is under way while its invoice or intent waits for the answer, or a pending payment stands for it. */
function isUnderWay({ invoiceById, intents, payments }: Books, key: string): boolean {
  const cut = key.lastIndexOf('_');
  const [id, attempt] = [key.slice(0, cut), Number(key.slice(cut + 1))];
  if (
    payments.some(({ status, invoiceId, intentId }) => status === 'pending' && (invoiceId ?? intentId) === id)
  )
    return true;
  const invoice = invoiceById.get(id);
  if (invoice) return invoice.chargeStartedAt !== null && invoice.attempts === attempt;
  const intent = intents.get(id);
  return intent !== undefined && intent.askedAt !== null && intent.attempts === attempt;
}

function databaseFaults(disk: Database.Database): string[] {
  const broken = disk.pragma('foreign_key_check') as unknown[];
  const integrity = disk.pragma('integrity_check', { simple: true });
  return [
    ...(broken.length > 0 ? [`${broken.length} references are broken`] : []),
    ...(integrity === 'ok' ? [] : [String(integrity)]),
  ];
}
