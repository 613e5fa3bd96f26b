import type { Row } from '../storage/model/rowTypes.ts';
import { groupBy, type Books } from './auditSnapshot.ts';

type Invoice = Row<'invoices'>;

const isGivenUp = ({ status }: Invoice) => status === 'void' || status === 'uncollectible';
const sumAmounts = (rows: { amountMinor: bigint }[]) =>
  rows.reduce((total, { amountMinor }) => total + amountMinor, 0n);

/** Checks that the remainder of each credit is its amount, less uses, plus returns. */
export function auditBalances(
  { balanceEntries, invoiceById, listLines }: Books,
  blame: (subject: string, found: string) => void,
): void {
  const movements = groupBy(balanceEntries, ({ creditId }) => creditId);
  for (const { id, kind, amountMinor, remainingMinor } of balanceEntries) {
    if (kind !== 'credit') continue;
    const own = movements.get(id) ?? [];
    const sumKind = (movement: string) => sumAmounts(own.filter((each) => each.kind === movement));
    const left = amountMinor - sumKind('use') + sumKind('return');
    if (left !== remainingMinor || left < 0n || left > amountMinor) {
      blame(id, `has ${remainingMinor} left, but the ledger has ${left}`);
    }
  }
  for (const [invoiceId, own] of groupBy(balanceEntries, (entry) => entry.invoiceId)) {
    const sumKind = (movement: string) => sumAmounts(own.filter((each) => each.kind === movement));
    const balance = sumAmounts(listLines(invoiceId).filter(({ kind }) => kind === 'BALANCE'));
    if (sumKind('credit') - sumKind('use') !== balance) blame(invoiceId, `its balance line is ${balance}`);
    const invoice = invoiceById.get(invoiceId);
    // Refunds of a paid invoice return at most the amount it used from the balance.
    const [least, most] = computeReturnRange(invoice, sumKind('use'));
    if (sumKind('return') < least || sumKind('return') > most)
      blame(invoiceId, `${sumKind('return')} was returned to the balance, not ${least}`);
  }
}

function computeReturnRange(invoice: Invoice | undefined, usedMinor: bigint): [least: bigint, most: bigint] {
  if (invoice && isGivenUp(invoice)) return [usedMinor, usedMinor];
  return [0n, invoice?.status === 'paid' ? usedMinor : 0n];
}
