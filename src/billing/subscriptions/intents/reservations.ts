import { reserveGrants, type Grant } from '../../pricing/creditGrants.ts';
import { sumUsable, type CreditLeft } from '../../pricing/credits.ts';
import { buildBalanceLine } from '../../pricing/nextInvoice.ts';
import { countCredit, listReservedCredits } from '../../payments/returns.ts';
import { sumLines, type Line } from '../../pricing/invoiceLines.ts';
import { computeGross } from '../../pricing/tax.ts';
import type { ReservedCredit } from '../../../storage/model/subscriptions.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { mainItem, type PaidItems } from '../changes/paidItems.ts';

type IntentRow = Row<'intents'>;

/** What a payment reserves while it is in progress: parts of the balance and of grants, and the credits on lines. */
export type Reservation = Pick<
  IntentRow,
  'balanceMinor' | 'creditedLineId' | 'creditedMinor' | 'givenBackMinor' | 'credits'
>;

/** The amount to pay and its lines. */
interface Bill {
  lines: Line[];
  totalMinor: bigint;
}

/** Returns the part of a bill that the available credits of its customer can pay at an instant, in minor units. */
export function computeBalanceToUse(
  credits: CreditLeft[],
  { totalMinor }: Pick<Bill, 'totalMinor'>,
  at: string,
): bigint {
  if (totalMinor <= 0n) return 0n;
  const availableMinor = sumUsable(credits, at);
  return availableMinor < totalMinor ? availableMinor : totalMinor;
}

/** Returns the bill with `balanceMinor` of it paid from the balance. */
export function deductBalance<B extends Bill>(bill: B, balanceMinor: bigint | null): B {
  if (!balanceMinor) return bill;
  const lines = [...bill.lines, buildBalanceLine(bill.lines.at(-1)!, -balanceMinor)];
  return { ...bill, lines, totalMinor: sumLines(lines) };
}

/** Builds the reservation for the payment of a bill. `paid` has the lines that it credits, `grants` what could lower it. */
export function buildReservation(
  { lines }: Pick<Bill, 'lines'>,
  paid?: PaidItems,
  balanceMinor = 0n,
  grants: Grant[] = [],
): Reservation {
  const credits = lines.flatMap((line): ReservedCredit[] => {
    const { creditedLineId: lineId, priceId } = line;
    if (lineId === undefined) return [];
    const givenBackMinor = String(paid?.lines.get(priceId ?? mainItem)?.givenBackMinor ?? 0n);
    return [{ lineId, creditedMinor: String(-computeGross(line)), givenBackMinor }];
  });
  const [first, ...rest] = credits;
  const others = [...rest, ...reserveGrants(lines, grants)];
  return {
    balanceMinor: balanceMinor > 0n ? balanceMinor : null,
    creditedLineId: first?.lineId ?? null,
    creditedMinor: first ? BigInt(first.creditedMinor) : null,
    givenBackMinor: first && paid ? BigInt(first.givenBackMinor) : null,
    credits: others.length > 0 ? others : null,
  };
}

/**
 * Counts the credits reserved by a payment on their lines, so that no refund gives the same amounts back. `causedBy` is the id of
 * its intent or invoice.
 */
export async function reserveCredit(
  unit: UnitOfWork,
  reservation: Reservation,
  causedBy: string,
): Promise<void> {
  for (const { lineId, creditedMinor } of listReservedCredits(reservation))
    await countCredit(unit, lineId, BigInt(creditedMinor), causedBy);
}
