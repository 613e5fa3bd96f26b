/** The remainder of a credit, and when it expires; null for never. */
export interface CreditLeft {
  /** In minor units. */
  remainingMinor: bigint;
  expiresAt: string | null;
}

const never = '~';

/** Returns credits in the order of their use: the soonest to expire first, then in the given order. */
export const orderCredits = <C extends CreditLeft>(credits: C[]): C[] =>
  credits.toSorted((a, b) => compare(a.expiresAt ?? never, b.expiresAt ?? never));

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Whether a credit can pay at an instant: from the instant of its expiry on it cannot. */
export const isUsable = ({ expiresAt }: Pick<CreditLeft, 'expiresAt'>, at: string): boolean =>
  expiresAt === null || expiresAt > at;

/** Sums what credits can pay at an instant, in minor units. */
export const sumUsable = (credits: CreditLeft[], at: string): bigint =>
  credits.reduce((sum, credit) => (isUsable(credit, at) ? sum + credit.remainingMinor : sum), 0n);

/** The part of a credit that pays an amount. */
interface CreditUse<C extends CreditLeft> {
  credit: C;
  usedMinor: bigint;
}

/** Distributes an amount (minor units) over ordered credits that are usable at an instant, as far as they suffice. */
export function distributeOverCredits<C extends CreditLeft>(
  credits: C[],
  amountMinor: bigint,
  at: string,
): CreditUse<C>[] {
  let owedMinor = amountMinor;
  return credits.map((credit) => {
    const mostMinor = isUsable(credit, at) ? credit.remainingMinor : 0n;
    const usedMinor = mostMinor < owedMinor ? mostMinor : owedMinor;
    owedMinor -= usedMinor;
    return { credit, usedMinor };
  });
}

/** Returns ordered credits less an amount (minor units) used at an instant. */
export const deductFromCredits = <C extends CreditLeft>(credits: C[], amountMinor: bigint, at: string): C[] =>
  distributeOverCredits(credits, amountMinor, at).map(({ credit, usedMinor }) => ({
    ...credit,
    remainingMinor: credit.remainingMinor - usedMinor,
  }));
