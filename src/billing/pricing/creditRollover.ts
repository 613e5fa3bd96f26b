/** What is kept of a credit when it expires. */
import { readDecimal } from '../../lib/decimal.ts';
import { divideRoundHalfUp } from '../../lib/money.ts';
import type { CreditRollover } from '../../storage/model/creditTerms.ts';

/** What a rollover reads of a credit, and changes. */
interface Rolled {
  /** In minor units. */
  remainingMinor: bigint;
  expiresAt: string | null;
  rollover?: CreditRollover | null;
}

/** Whether a credit has expired by an instant and keeps a part that has not been computed yet. */
export const isRolloverDue = ({ expiresAt, rollover }: Omit<Rolled, 'remainingMinor'>, at: string): boolean =>
  expiresAt !== null && expiresAt <= at && Boolean(rollover) && rollover!.rolledAt === undefined;

/** Returns the part of a remainder (minor units) that a rollover keeps. */
export function computeKept({ percent, maximumMinor }: CreditRollover, remainingMinor: bigint): bigint {
  if (maximumMinor !== undefined) {
    const mostMinor = BigInt(maximumMinor);
    return mostMinor < remainingMinor ? mostMinor : remainingMinor;
  }
  const { digits, scale } = readDecimal(percent!);
  return divideRoundHalfUp(remainingMinor * digits, 100n * 10n ** BigInt(scale));
}

/**
 * Returns a credit as it is at an instant: if it has expired before, the part that it keeps, with its later expiry. It rolls over
 * once.
 */
export function rollOver<C extends Rolled>(credit: C, at: string): C {
  if (!isRolloverDue(credit, at)) return credit;
  const rollover = credit.rollover!;
  return {
    ...credit,
    remainingMinor: computeKept(rollover, credit.remainingMinor),
    expiresAt: rollover.until,
    rollover: { ...rollover, rolledAt: credit.expiresAt! },
  };
}
