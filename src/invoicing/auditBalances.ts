import type { Row } from '../storage/model/rowTypes.ts';
import { groupBy, type Books } from './auditSnapshot.ts';
import { isUnpaid, isWrittenOff } from './invoices.ts';

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

/** Sums the credit notes of an invoice that were added to the balance; the others reduced the amount owed. */
function sumCredited({ creditNotes, invoiceById }: Books, id: string): bigint {
  const own = creditNotes.filter(({ invoiceId, kind }) => invoiceId === id && kind === 'credit');
  const notedMinor = own.reduce((sum, { totalMinor }) => sum + totalMinor, 0n);
  return notedMinor - (invoiceById.get(id)?.unchargedMinor ?? 0n);
}

/** Returns the range of the returns: all that was used if the invoice is no longer owed, and else at most that. */
function computeReturnRange(
  invoice: Row<'invoices'> | undefined,
  usedMinor: bigint,
): [least: bigint, most: bigint] {
  if (invoice && !isUnpaid(invoice) && !isWrittenOff(invoice) && invoice.status !== 'paid')
    return [usedMinor, usedMinor];
  return [0n, invoice && (invoice.status === 'paid' || invoice.unchargedMinor !== null) ? usedMinor : 0n];
}
