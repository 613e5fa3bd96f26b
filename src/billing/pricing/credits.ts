/** The credits of a customer: the order in which they are used, what they can pay at an instant, and what is left of them. */
import type { CreditRollover } from '../../storage/model/creditTerms.ts';
import { rollOver } from './creditRollover.ts';

/** The remainder of a credit, and when it expires; null for never. Only grants have the other terms. */
export interface CreditLeft {
  id?: string;
  /** In minor units. */
  remainingMinor: bigint;
  expiresAt: string | null;
  /** From when on it can pay. */
  effectiveAt?: string | null;
  /** 0 to 100, the lowest first. */
  priority?: number | null;
  /** What is kept when it expires. */
  rollover?: CreditRollover | null;
  /** Whether it lowers bills before their tax, instead of paying the total. */
  beforeTax?: boolean | null;
  createdAt?: string;
}

const never = '~';

/** The priority of credits that have none. */
export const defaultPriority = 50;

/**
 * Returns credits in the order of their use: the lowest priority first, then the soonest to expire, then the oldest, then in the
 * given order.
 */
export const orderCredits = <C extends CreditLeft>(credits: C[]): C[] =>
  credits.toSorted(
    (a, b) =>
      (a.priority ?? defaultPriority) - (b.priority ?? defaultPriority) ||
      compare(a.expiresAt ?? never, b.expiresAt ?? never) ||
      compare(a.createdAt ?? '', b.createdAt ?? ''),
  );

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Whether a credit can pay at an instant: from its beginning on, until the instant of its expiry. */
export const isUsable = (
  { expiresAt, effectiveAt }: Pick<CreditLeft, 'expiresAt' | 'effectiveAt'>,
  at: string,
): boolean => (expiresAt === null || expiresAt > at) && (effectiveAt ?? '') <= at;

/** Returns what a credit can pay at an instant, in minor units, with what rolls over when it expires before. */
export function computeUsable(credit: CreditLeft, at: string): bigint {
  const now = rollOver(credit, at);
  return isUsable(now, at) ? now.remainingMinor : 0n;
}

/** Returns what a credit can pay of the total of a bill at an instant; one that lowers bills before tax pays nothing. */
const computePayable = (credit: CreditLeft, at: string): bigint =>
  credit.beforeTax ? 0n : computeUsable(credit, at);

/** Sums what credits can pay of totals at an instant, in minor units. */
export const sumUsable = (credits: CreditLeft[], at: string): bigint =>
  credits.reduce((sum, credit) => sum + computePayable(credit, at), 0n);

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
    const mostMinor = computePayable(credit, at);
    const usedMinor = mostMinor < owedMinor ? mostMinor : owedMinor;
    owedMinor -= usedMinor;
    return { credit, usedMinor };
  });
}

/** Returns ordered credits less an amount (minor units) used at an instant. */
export const deductFromCredits = <C extends CreditLeft>(credits: C[], amountMinor: bigint, at: string): C[] =>
  distributeOverCredits(credits, amountMinor, at).map(({ credit, usedMinor }) =>
    takeOff(credit, usedMinor, at),
  );

/** Returns a credit less what was used of it at an instant; what it loses by its expiry before is gone. */
export function takeOff<C extends CreditLeft>(credit: C, usedMinor: bigint, at: string): C {
  const now = usedMinor > 0n ? rollOver(credit, at) : credit;
  return { ...now, remainingMinor: now.remainingMinor - usedMinor };
}
