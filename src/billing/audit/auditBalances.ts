import type { Row } from '../../storage/model/rowTypes.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Books } from './auditSnapshot.ts';
import { isUnpaid, isWrittenOff } from '../invoices/invoices.ts';
import { listLineUses } from '../pricing/creditGrants.ts';
import { sumCreditsForTime } from '../payments/returns.ts';

const sumKind = (rows: Pick<Row<'balanceEntries'>, 'kind' | 'amountMinor'>[], kind: string): bigint =>
  rows.reduce((sum, row) => (row.kind === kind ? sum + row.amountMinor : sum), 0n);

/**
 * Checks that the remainder of each credit is its amount less uses, expiries and what was voided, plus returns, that none expired
 * early, and that the lines of invoices show what they used of grants.
 */
export function auditBalances(books: Books, blame: (subject: string, found: string) => void): void {
  const { balanceEntries, invoiceById } = books;
  const movements = groupBy(balanceEntries, ({ creditId }) => creditId);
  for (const { id, kind, amountMinor, remainingMinor, rollover, ...entry } of balanceEntries) {
    if (kind !== 'credit' && kind !== 'grant') continue;
    const own = movements.get(id) ?? [];
    const endedMinor = sumKind(own, 'expire') + sumKind(own, 'void');
    const left = amountMinor - sumKind(own, 'use') + sumKind(own, 'return') - endedMinor;
    if (left !== remainingMinor || left < 0n || left > amountMinor) {
      blame(id, `has ${remainingMinor} left, but the ledger has ${left}`);
    }
    const expiresAt = rollover?.rolledAt ?? entry.expiresAt;
    const early = own.find(
      (each) => each.kind === 'expire' && (expiresAt === null || each.createdAt < expiresAt),
    );
    if (entry.voidedAt !== null && remainingMinor !== 0n)
      blame(id, `is void, but has ${remainingMinor} left`);
    if (early) blame(id, `expired at ${early.createdAt}, but its end is ${expiresAt}`);
  }
  for (const [invoiceId, own] of groupBy(balanceEntries, (entry) => entry.invoiceId)) {
    const balance = books
      .listLines(invoiceId)
      .reduce((sum, line) => (line.kind === 'BALANCE' ? sum + line.amountMinor : sum), 0n);
    const noted = sumCredited(books, invoiceId);
    const ofTotal = own.filter(({ lineId }) => lineId === null);
    if (sumKind(own, 'credit') - sumKind(ofTotal, 'use') !== balance + noted) {
      blame(invoiceId, `its balance line is ${balance}`);
    }
    const returnedMinor = sumKind(own, 'return');
    const [least, most] = computeReturnRange(invoiceById.get(invoiceId), sumKind(own, 'use'));
    if (returnedMinor < least || returnedMinor > most)
      blame(invoiceId, `${returnedMinor} was returned to the balance, not ${least}`);
  }
  for (const { id, topUp, status } of books.invoices) {
    if (topUp === null) continue;
    const sold = books.listBalanceEntries(id).filter(({ kind }) => kind === 'grant').length;
    if (sold !== (status === 'paid' ? 1 : 0))
      blame(id, `is ${status}, and has granted ${sold} credits of those that it sells`);
  }
  auditLineUses(books, blame);
}

/** Checks that each line shows what it used of each grant. */
function auditLineUses(
  { balanceEntries, lines }: Books,
  blame: (subject: string, found: string) => void,
): void {
  const uses = new Map<string, bigint>();
  const add = (lineId: string | null, creditId: string | null, amountMinor: bigint) => {
    const key = `${lineId} ${creditId}`;
    uses.set(key, (uses.get(key) ?? 0n) + amountMinor);
  };
  for (const { kind, lineId, creditId, amountMinor } of balanceEntries)
    if (kind === 'use' && lineId !== null) add(lineId, creditId, amountMinor);
  for (const line of lines)
    for (const { creditId, given } of listLineUses(line)) add(line.id, creditId, -given);
  for (const [key, leftMinor] of uses)
    if (leftMinor !== 0n) {
      const [lineId, creditId] = key.split(' ');
      blame(lineId!, `shows what it used of ${creditId} wrongly, by ${leftMinor}`);
    }
}

/**
 * Sums what credit notes of an open invoice returned to the credits that pay it: the part of the last one above what the
 * invoice still asked for and credits for unused time had paid.
 */
export function sumReturnedByNotes(books: Books, id: string): bigint {
  const unchargedMinor = books.invoiceById.get(id)?.unchargedMinor ?? 0n;
  let notedMinor = 0n;
  for (const { totalMinor } of listCredits(books, id)) {
    // Later notes credit a paid invoice.
    if (notedMinor >= unchargedMinor) break;
    notedMinor += totalMinor;
  }
  const excessMinor = notedMinor - unchargedMinor;
  const forTimeMinor = sumCreditsForTime(books.listLines(id));
  return excessMinor > forTimeMinor ? excessMinor - forTimeMinor : 0n;
}

/** Sums the credit notes of an invoice that were added to the balance; the others reduced what it asked for. */
function sumCredited(books: Books, id: string): bigint {
  const notedMinor = listCredits(books, id).reduce((sum, { totalMinor }) => sum + totalMinor, 0n);
  return notedMinor - (books.invoiceById.get(id)?.unchargedMinor ?? 0n) - sumReturnedByNotes(books, id);
}

const listCredits = (books: Books, id: string) =>
  books.listCreditNotes(id).filter(({ kind }) => kind === 'credit');

/** Returns the range of the returns: all that was used if the invoice is no longer owed, and else at most that. */
function computeReturnRange(
  invoice: Row<'invoices'> | undefined,
  usedMinor: bigint,
): [least: bigint, most: bigint] {
  if (invoice && !isUnpaid(invoice) && !isWrittenOff(invoice) && invoice.status !== 'paid')
    return [usedMinor, usedMinor];
  return [0n, invoice && (invoice.status === 'paid' || invoice.unchargedMinor !== null) ? usedMinor : 0n];
}
