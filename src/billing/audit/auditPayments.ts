import type { Row } from '../../storage/model/rowTypes.ts';
import { sumReturnedByNotes } from './auditBalances.ts';
import type { Books } from './auditSnapshot.ts';
import { getTaken } from '../invoices/reversals.ts';
import { computeOwed } from '../payments/returns.ts';

type Blame = (subject: string, found: string) => void;

const sumAmounts = (rows: { amountMinor: bigint }[]) =>
  rows.reduce((total, { amountMinor }) => total + amountMinor, 0n);

/**
 * Checks that a paid invoice has one charge that pays it, that every other charge was refunded, and that refunds and
 * disputes do not exceed charges.
 */
export function auditPayments(books: Books, blame: Blame): void {
  for (const invoice of books.invoices) auditInvoicePayments(books, invoice, blame);
}

function auditInvoicePayments(books: Books, invoice: Row<'invoices'>, blame: Blame): void {
  const { id, status, refundedMinor, withdrawnMinor } = invoice;
  const owedMinor = computeOwed(invoice);
  const own = books.listPayments(id);
  const received = own.filter((each) => each.kind === 'charge' && each.status === 'succeeded');
  // One with a reason brought another amount than was charged, and pays nothing.
  const charges = received.filter(({ failureReason }) => failureReason === null);
  const refunds = own.filter((each) => each.kind !== 'charge' && getTaken(each) > 0n);
  const isCharged = charges.length > 0;
  if (status === 'paid' && owedMinor > 0n !== isCharged)
    blame(id, `is paid, but has ${charges.length} charges`);
  if (charges.some(({ amountMinor }) => amountMinor !== owedMinor))
    blame(id, 'a charge differs from its total');
  // The provider refuses a refund that is under way if another was made there.
  const made = refunds.filter((each) => each.status === 'succeeded' || each.reference !== null);
  if (sumAmounts(made) > sumAmounts(received)) blame(id, `refunds come to ${sumAmounts(made)}`);
  const owed = charges.filter(({ chargeId }) => chargeId === null).slice(0, status === 'paid' ? 1 : 0);
  const owedRefunds = refunds.filter(({ chargeId }) => owed.some((charge) => charge.id === chargeId));
  const counted =
    sumAmounts(owedRefunds) + (status === 'paid' ? sumRefundedToBalance(books, id, owedRefunds) : 0n);
  const countedMinor = refundedMinor + (withdrawnMinor ?? 0n);
  if (counted !== countedMinor)
    blame(id, `counts ${countedMinor} as refunded or withdrawn, but refunds and disputes sum to ${counted}`);
  for (const surplus of received.filter((each) => each.failureReason !== null || !owed.includes(each))) {
    const isGivenBack = own.some(({ chargeId }) => chargeId === surplus.id);
    if (!isGivenBack) blame(surplus.id, 'was not owed and was not refunded');
  }
}

/** Sums the amounts that refunds of an invoice returned to the balance, including those of pending refunds. */
const sumRefundedToBalance = (books: Books, id: string, refunds: Row<'payments'>[]): bigint =>
  sumAmounts(
    books.listBalanceEntries(id).filter(({ kind, lineId }) => kind === 'return' && lineId === null),
  ) -
  sumReturnedByNotes(books, id) +
  refunds
    .filter(({ status }) => status === 'pending')
    .reduce((sum, { toBalanceMinor }) => sum + (toBalanceMinor ?? 0n), 0n);
