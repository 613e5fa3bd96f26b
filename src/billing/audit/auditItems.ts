import { decimalToMinor } from '../../lib/money.ts';
import type { ItemExplanation } from '../pricing/invoiceLines.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Books } from './auditSnapshot.ts';
import { toItemLine } from '../invoices/invoiceItems.ts';
import { isUnpaid, isWrittenOff } from '../invoices/invoices.ts';

type Line = Row<'invoiceLines'>;
type Blame = (subject: string, found: string) => void;

/**
 * Checks the amounts of one-off charges, and that each billed item is a line of the invoice that bills it, which was not
 * closed without payment.
 */
export function auditItems(books: Books, blame: Blame): void {
  for (const line of books.lines) if (line.kind === 'ITEM') auditCharge(line, blame);
  for (const [invoiceId, items] of groupBy(books.items, (item) => item.invoiceId)) {
    const invoice = books.invoiceById.get(invoiceId);
    const lines = [...books.listLines(invoiceId)];
    for (const item of items) {
      if (!invoice || (!isUnpaid(invoice) && !isWrittenOff(invoice) && invoice.status !== 'paid'))
        blame(item.id, `is billed by ${invoiceId}, which is ${invoice?.status ?? 'missing'}`);
      const index = lines.findIndex((line) => isLineOf(line, item));
      if (index < 0) blame(item.id, `is billed by ${invoiceId}, which has no such line`);
      else lines.splice(index, 1);
    }
  }
}

/**
 * Whether a line is that of an item of another subscription, which had ended: the next invoice of its customer bills it.
 * The items of an invoice that was closed without payment wait again, and a later change may have shortened them. Erasure
 * removes their descriptions.
 */
export const isOfOtherSubscription = (books: Books, subscriptionId: string, line: Line): boolean =>
  books.items.some(
    (item) =>
      item.subscriptionId !== null &&
      item.subscriptionId !== subscriptionId &&
      item.customerId === line.customerId &&
      item.kind === line.kind &&
      item.priceId === line.priceId &&
      item.periodStart === line.periodStart,
  );

/** A line of a one-off charge may have further discounts of the invoice. */
const isLineOf = (line: Line, item: Row<'invoiceItems'>): boolean =>
  line.kind === item.kind &&
  line.currency === item.currency &&
  (item.kind === 'ITEM'
    ? sumBeforeDiscounts(line) === item.amountMinor
    : line.amountMinor === toItemLine(item).amountMinor && line.creditedLineId === item.creditedLineId);

const sumBeforeDiscounts = ({ amountMinor, discounts }: Line): bigint =>
  (discounts ?? []).reduce((sum, each) => sum + BigInt(each.amountMinor), amountMinor);

function auditCharge(line: Line, blame: Blame): void {
  const { quantity, unitAmount } = line.explanation as unknown as ItemExplanation;
  const expected = BigInt(quantity) * decimalToMinor(unitAmount, line.currency, 'unitAmount');
  const sum = sumBeforeDiscounts(line);
  if (sum !== expected) blame(line.id, `is ${sum} before discounts, its explanation gives ${expected}`);
}
