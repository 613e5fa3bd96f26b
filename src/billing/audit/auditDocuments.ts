import { sumNote } from '../pricing/creditNotes.ts';
import type { Books } from './auditSnapshot.ts';
import { sumCharged } from '../invoices/documentNumbers.ts';
import { isUnpaid } from '../invoices/invoices.ts';

type Blame = (subject: string, found: string) => void;

/**
 * Checks documents: an invoice has a number if and only if it is finalized, a draft has none, and its credit notes add up
 * to what it counts as credited.
 */
export function auditDocuments(books: Books, blame: Blame): void {
  for (const invoice of books.invoices) {
    const { id, status, documentNumber, documentKind, issuedAt, finalizeAt, creditedMinor } = invoice;
    if ((documentNumber === null) !== (issuedAt === null))
      blame(id, 'has a number or a date of issue, but not both');
    if (documentNumber !== null && (status === 'draft' || finalizeAt !== null))
      blame(id, `is ${documentNumber}, but still waits to be finalized`);
    if (documentKind !== null && sumCharged(books.listLines(id)) >= 0n)
      blame(id, `is ${documentNumber} of the credit notes, but its charges exceed its credits`);
    if (!isUnpaid(invoice) && status !== 'paid' && finalizeAt !== null)
      blame(id, `is ${status}, but waits to be finalized`);
    const notedMinor = books.listCreditNotes(id).reduce((sum, { totalMinor }) => sum + totalMinor, 0n);
    if (notedMinor !== (creditedMinor ?? 0n))
      blame(id, `counts ${creditedMinor ?? 0n} as credited, its credit notes come to ${notedMinor}`);
  }
  for (const { id, lines, totalMinor } of books.creditNotes)
    if (sumNote(lines) !== totalMinor)
      blame(id, `its lines sum to ${sumNote(lines)}, but its total is ${totalMinor}`);
}
