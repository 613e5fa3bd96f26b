import { computeGross } from '../pricing/tax.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { sumNote } from '../pricing/creditNotes.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Books } from './auditSnapshot.ts';
import { computeItemGross } from '../invoices/invoiceItems.ts';
import { isUnpaid, isWrittenOff } from '../invoices/invoices.ts';
import { sumGivenBack, isChargeLine, listReservedCredits } from '../payments/returns.ts';

type Line = Row<'invoiceLines'>;
type Blame = (subject: string, found: string) => void;

const sumBy = <R>(rows: R[], getAmount: (row: R) => bigint | null): bigint =>
  rows.reduce((sum, row) => sum + (getAmount(row) ?? 0n), 0n);

/**
 * Checks the counters on invoice lines: credits and refunds together never exceed the amount paid for a line, and each
 * counter matches the credits, refunds and pending payments on record.
 */
export function auditGivenBack(books: Books, blame: Blame): void {
  const creditsByLine = groupBy(
    books.lines.filter(({ invoiceId }) => isOwed(books, invoiceId)),
    ({ creditedLineId }) => creditedLineId,
  );
  const reservedByLine = groupBy(
    books.paying.filter((intent) => !hasOpenInvoice(books, intent)).flatMap(listReservedCredits),
    ({ lineId }) => lineId,
  );
  const waitingByLine = groupBy(books.items.filter(isWaiting), ({ creditedLineId }) => creditedLineId);
  const notedByLine = groupBy(
    books.creditNotes.filter(({ kind }) => kind === 'credit').flatMap(({ lines }) => lines),
    ({ lineId }) => lineId,
  );
  for (const line of books.lines) {
    const creditedMinor =
      sumNote(notedByLine.get(line.id) ?? []) -
      sumBy(creditsByLine.get(line.id) ?? [], computeGross) -
      sumBy(waitingByLine.get(line.id) ?? [], computeItemGross) +
      sumBy(reservedByLine.get(line.id) ?? [], ({ creditedMinor: reserved }) => BigInt(reserved));
    if (creditedMinor !== (line.creditedMinor ?? 0n))
      blame(line.id, `counts ${line.creditedMinor ?? 0n} as credited, credits come to ${creditedMinor}`);
    auditLimit(line, blame);
  }
  auditRefunds(books, blame);
}

/** Checks the refunds of invoices and their lines. Refunds of earlier releases have no credit notes. */
function auditRefunds(books: Books, blame: Blame): void {
  const notedByLine = groupBy(
    books.creditNotes.filter(({ kind }) => kind === 'refund').flatMap(({ lines }) => lines),
    ({ lineId }) => lineId,
  );
  const sumNoted = ({ id }: Line) => sumNote(notedByLine.get(id) ?? []);
  for (const { id, refundedMinor } of books.invoices) {
    const lines = books.listLines(id);
    const lineSum = sumBy(lines, (line) => line.refundedMinor);
    if (lineSum !== refundedMinor)
      blame(id, `counts ${refundedMinor} as refunded, its lines count ${lineSum}`);
    const isNoted = sumBy(lines, sumNoted) === refundedMinor;
    for (const line of lines) {
      const [countedMinor, notedMinor] = [line.refundedMinor ?? 0n, sumNoted(line)];
      if (isNoted ? countedMinor !== notedMinor : countedMinor < notedMinor)
        blame(line.id, `counts ${countedMinor} as refunded, its credit notes come to ${notedMinor}`);
    }
  }
}

function auditLimit(line: Line, blame: Blame): void {
  const { id, creditedMinor, refundedMinor } = line;
  const mostMinor = isChargeLine(line) ? computeGross(line) : 0n;
  if ((creditedMinor ?? 0n) < 0n || (refundedMinor ?? 0n) < 0n) blame(id, 'has a negative amount given back');
  if (sumGivenBack(line) > mostMinor)
    blame(
      id,
      `gave back ${sumGivenBack(line)} (${creditedMinor ?? 0n} credited), but only ${mostMinor} was paid`,
    );
}

const isWaiting = ({ invoiceId, removedAt }: Row<'invoiceItems'>) => invoiceId === null && removedAt === null;

const isOwed = ({ invoiceById }: Books, invoiceId: string): boolean => {
  const invoice = invoiceById.get(invoiceId);
  return invoice !== undefined && (invoice.status === 'paid' || isUnpaid(invoice) || isWrittenOff(invoice));
};

const hasOpenInvoice = ({ invoices }: Books, { id }: Row<'intents'>): boolean =>
  invoices.some(({ intentId, status }) => intentId === id && status === 'open');

/** Checks that each balance covers the amounts that pending payments have reserved from it. */
export function auditReservedBalance(books: Books, blame: Blame): void {
  const reserving = books.paying.filter(
    (intent) => intent.balanceMinor !== null && !hasOpenInvoice(books, intent),
  );
  for (const [owner, intents] of groupBy(reserving, getOwnerKey)) {
    const reservedMinor = sumBy(intents, ({ balanceMinor }) => balanceMinor);
    const own = books.balanceEntries.filter(
      (entry) => getOwnerKey(entry) === owner && entry.beforeTax !== true,
    );
    const leftMinor = sumBy(own, ({ remainingMinor }) => remainingMinor);
    if (reservedMinor > leftMinor)
      blame(intents[0]!.customerId, `payments have reserved ${reservedMinor} of a balance of ${leftMinor}`);
  }
}

const getOwnerKey = ({
  tenantAlias,
  customerId,
  currency,
}: Pick<Row<'intents'>, 'tenantAlias' | 'customerId' | 'currency'>): string =>
  `${tenantAlias} ${customerId} ${currency}`;
