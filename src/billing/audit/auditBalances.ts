import type { Row } from '../../storage/model/rowTypes.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Books } from './auditSnapshot.ts';
import { isUnpaid, isWrittenOff } from '../invoices/invoices.ts';
import { sumCreditsForTime } from '../payments/returns.ts';

const sumKind = (rows: Pick<Row<'balanceEntries'>, 'kind' | 'amountMinor'>[], kind: string): bigint =>
  rows.reduce((sum, row) => (row.kind === kind ? sum + row.amountMinor : sum), 0n);

/** Checks that the remainder of each credit is its amount less uses and expiries plus returns, and none expired early. */
export function auditBalances(books: Books, blame: (subject: string, found: string) => void): void {
  const { balanceEntries, invoiceById } = books;
  const movements = groupBy(balanceEntries, ({ creditId }) => creditId);
  for (const { id, kind, amountMinor, remainingMinor, expiresAt } of balanceEntries) {
    if (kind !== 'credit') continue;
    const own = movements.get(id) ?? [];
    const left = amountMinor - sumKind(own, 'use') + sumKind(own, 'return') - sumKind(own, 'expire');
    if (left !== remainingMinor || left < 0n || left > amountMinor) {
      blame(id, `has ${remainingMinor} left, but the ledger has ${left}`);
    }
    const early = own.find(
      (entry) => entry.kind === 'expire' && (expiresAt === null || entry.createdAt < expiresAt),
    );
    if (early) blame(id, `expired at ${early.createdAt}, but its end is ${expiresAt}`);
  }
  for (const [invoiceId, own] of groupBy(balanceEntries, (entry) => entry.invoiceId)) {
    const balance = books
      .listLines(invoiceId)
      .reduce((sum, line) => (line.kind === 'BALANCE' ? sum + line.amountMinor : sum), 0n);
    const noted = sumCredited(books, invoiceId);
    if (sumKind(own, 'credit') - sumKind(own, 'use') !== balance + noted) {
      blame(invoiceId, `its balance line is ${balance}`);
    }
    const returnedMinor = sumKind(own, 'return');
    const [least, most] = computeReturnRange(invoiceById.get(invoiceId), sumKind(own, 'use'));
    if (returnedMinor < least || returnedMinor > most)
      blame(invoiceId, `${returnedMinor} was returned to the balance, not ${least}`);
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
