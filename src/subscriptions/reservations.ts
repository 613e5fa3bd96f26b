import { computeAvailableBalance } from '../invoicing/credits.ts';
import { buildBalanceLine } from '../pricing/nextInvoice.ts';
import { countCredit, findPaidLine, sumGivenBack } from '../invoicing/returns.ts';
import { sumLines, type Line } from '../pricing/invoiceLines.ts';
import type { Explanation, PaidLine } from '../pricing/proration.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

type IntentRow = Row<'intents'>;

/** What a payment reserves while it is in progress: part of the balance, and the credit on a line. */
export type Reservation = Pick<
  IntentRow,
  'balanceMinor' | 'creditedLineId' | 'creditedMinor' | 'givenBackMinor'
>;

/** The amount to pay and its lines. */
interface Bill {
  lines: Line[];
  totalMinor: bigint;
}

/** Returns the line that a plan change would credit, with its current counters. */
export async function findCreditableLine(
  reads: Reads,
  subscription: Row<'subscriptions'>,
): Promise<PaidLine | undefined> {
  const line = await findPaidLine(reads, subscription);
  return line && toPaidLine(line, sumGivenBack(line));
}

/** Returns the line that a reservation credits, as of the start of the payment. */
export async function findReservedLine(
  reads: Reads,
  { creditedLineId, givenBackMinor }: Reservation,
): Promise<PaidLine | undefined> {
  if (creditedLineId === null) return undefined;
  const line = (await reads.one('invoiceLines', { id: creditedLineId }))!;
  return toPaidLine(line, givenBackMinor ?? 0n);
}

/** A line with discounts is credited from its net amount, by its own period. */
function toPaidLine(
  { id, amountMinor, explanation, discounts }: Row<'invoiceLines'>,
  givenBackMinor: bigint,
): PaidLine {
  const figures = explanation as unknown as Explanation;
  const net = { priceMinor: String(amountMinor), totalMs: figures.remainingMs };
  return { id, amountMinor, givenBackMinor, explanation: discounts ? net : figures };
}

/** Returns the part of a bill that the customer's balance can pay at an instant, in minor units. */
export async function computeBalanceToUse(
  reads: Reads,
  { customerId, currency }: Pick<IntentRow, 'customerId' | 'currency'>,
  { totalMinor }: Pick<Bill, 'totalMinor'>,
  at: string,
): Promise<bigint> {
  if (totalMinor <= 0n) return 0n;
  const availableMinor = await computeAvailableBalance(reads, customerId, currency, at);
  return availableMinor < totalMinor ? availableMinor : totalMinor;
}

/** Returns the bill with `balanceMinor` of it paid from the balance. */
export function deductBalance<B extends Bill>(bill: B, balanceMinor: bigint | null): B {
  if (!balanceMinor) return bill;
  const lines = [...bill.lines, buildBalanceLine(bill.lines.at(-1)!, -balanceMinor)];
  return { ...bill, lines, totalMinor: sumLines(lines) };
}

/** Builds the reservation for the payment of a bill. */
export function buildReservation(
  { lines }: Pick<Bill, 'lines'>,
  paidLine?: PaidLine,
  balanceMinor = 0n,
): Reservation {
  const credit = lines.find(({ creditedLineId }) => creditedLineId !== undefined);
  return {
    balanceMinor: balanceMinor > 0n ? balanceMinor : null,
    creditedLineId: credit?.creditedLineId ?? null,
    creditedMinor: credit ? -credit.amountMinor : null,
    givenBackMinor: credit && paidLine ? paidLine.givenBackMinor : null,
  };
}

/** Counts the credit reserved by a payment on its line, so that no refund gives the same amount back. */
export async function reserveCredit(
  unit: UnitOfWork,
  { creditedLineId, creditedMinor }: Reservation,
): Promise<void> {
  if (creditedLineId !== null && creditedMinor) await countCredit(unit, creditedLineId, creditedMinor);
}
