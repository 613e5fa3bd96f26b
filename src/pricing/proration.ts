/**
 * Proration, and the invoice lines of a plan change. Preview and commit both call `computePlanChange`, so a customer is
 * charged the amount they were shown.
 */
import { divideRoundHalfUp } from '../lib/money.ts';
import { refuse } from '../lib/errors.ts';
import {
  compareYearly,
  findCycle,
  computeCycleStart,
  isLonger,
  isSameInterval,
  computeYearlyAmount,
} from './schedule.ts';
import type { Interval, Period } from './schedule.ts';

/** The figures behind an amount, price × remaining ÷ total, so that anyone can recompute it. */
export interface Explanation {
  priceMinor: string;
  remainingMs: number;
  totalMs: number;
  rounding: 'half_up';
  /** On a credit for a partly credited or refunded line: the line's amount, and the part given back. */
  paidMinor?: string;
  givenBackMinor?: string;
}

/** The line that billed a period, and the part of it given back by credits and refunds. */
export interface PaidLine {
  id: string;
  amountMinor: bigint;
  givenBackMinor: bigint;
  /** The figures behind its amount. */
  explanation: Pick<Explanation, 'priceMinor' | 'totalMs'>;
}

export interface Plan {
  amountMinor: bigint;
  currency: string;
  interval: Interval;
}

/** `paid` is the last paid period: a whole cycle, a stub, or the rest of a cycle after an upgrade. */
export interface PlanChange {
  current: Plan;
  next: Plan;
  paid: Period;
  anchor: string;
  timeZone: string;
  at: string;
  prorateUpgrades: boolean;
  /**
   * The line that billed `paid`. Without it, for example if the period was paid in another system, the credit uses the
   * current price.
   */
  paidLine?: PaidLine;
}

/** `amountMinor` is negative on a credit; the figures of its explanation are not. */
interface PlanChangeLine {
  kind: 'PRORATION_CREDIT' | 'PRORATION_CHARGE' | 'CYCLE';
  amountMinor: bigint;
  periodStart: string;
  periodEnd: string;
  explanation: Explanation;
  /** On a credit: the line that it credits. */
  creditedLineId?: string;
}

/** `nextBillingDate` applies immediately, `anchor` from `effectiveAt` on. */
interface PlanChangeResult {
  kind: 'upgrade' | 'downgrade';
  effectiveAt: string;
  lines: PlanChangeLine[];
  totalMinor: bigint;
  anchor: string;
  nextBillingDate: string;
}

/**
 * Computes the price of `part` of a `whole` cycle from the price of the cycle (minor units): price × part ÷ whole in
 * exact milliseconds, rounded half up. Throws unless `part` lies within a `whole` that is not empty.
 */
export function prorate(
  priceMinor: bigint,
  part: Period,
  whole: Period,
): { amountMinor: bigint; explanation: Explanation } {
  const [from, to] = [Date.parse(part.start), Date.parse(part.end)];
  const [start, end] = [Date.parse(whole.start), Date.parse(whole.end)];
  if (!(start <= from && from <= to && to <= end)) {
    throw new RangeError(`${part.start}/${part.end} does not lie within ${whole.start}/${whole.end}`);
  }
  const [remainingMs, totalMs] = [to - from, end - start];
  return {
    amountMinor: divideRoundHalfUp(priceMinor * BigInt(remainingMs), BigInt(totalMs)),
    explanation: { priceMinor: String(priceMinor), remainingMs, totalMs, rounding: 'half_up' },
  };
}

/**
 * Computes a plan change at the instant `at`: its lines, their sum (negative if the credit is larger), and the
 * subscription's schedule afterwards. Error: `currency_mismatch`. Throws if `at` is outside the paid period, because
 * due periods must be billed first.
 */
export function computePlanChange(change: PlanChange): PlanChangeResult {
  const { current, next, paid, at } = change;
  refuseOtherCurrency(current, next);
  if (at < paid.start || at >= paid.end) {
    throw new RangeError(`${at} is outside the paid period ${paid.start}/${paid.end}`);
  }
  if (!isImmediate(current, next)) return buildDowngrade(change);
  if (!change.prorateUpgrades) return buildRestart(change, []);
  if (!isSameInterval(current.interval, next.interval)) return buildRestart(change, [creditUnused(change)]);
  return buildUpgrade(change, [creditUnused(change), chargeRest(change)], change.anchor, paid.end);
}

/** Refuses a plan change to another currency. Error: `currency_mismatch`. */
export function refuseOtherCurrency(current: { currency: string }, next: { currency: string }): void {
  if (current.currency === next.currency) return;
  const message = `The subscription is in ${current.currency}, the new price in ${next.currency}.`;
  refuse('currency_mismatch', { path: 'priceId', message });
}

/**
 * Whether a plan takes effect at once: its yearly amount is higher or its interval longer. Otherwise it takes effect at
 * the end of the period.
 */
function isImmediate(current: Plan, next: Plan): boolean {
  const currentYearly = computeYearlyAmount(current.amountMinor, current.interval);
  const isDearer = compareYearly(computeYearlyAmount(next.amountMinor, next.interval), currentYearly) > 0;
  return isDearer || isLonger(next.interval, current.interval);
}

/** A downgrade charges nothing now. A new interval starts counting at the end of the paid period. */
function buildDowngrade({ current, next, paid, anchor }: PlanChange): PlanChangeResult {
  return {
    kind: 'downgrade',
    effectiveAt: paid.end,
    lines: [],
    totalMinor: 0n,
    anchor: isSameInterval(current.interval, next.interval) ? anchor : paid.end,
    nextBillingDate: paid.end,
  };
}

/** Starts the first full cycle of the new plan at the instant of the change. */
function buildRestart(change: PlanChange, credits: PlanChangeLine[]): PlanChangeResult {
  const { next, at, timeZone } = change;
  const cycle = { start: at, end: computeCycleStart(at, next.interval, timeZone, 1) };
  return buildUpgrade(
    change,
    [...credits, buildProratedLine('CYCLE', next.amountMinor, cycle, cycle)],
    at,
    cycle.end,
  );
}

function buildUpgrade(
  change: PlanChange,
  lines: PlanChangeLine[],
  anchor: string,
  nextBillingDate: string,
): PlanChangeResult {
  const totalMinor = lines.reduce((sum, line) => sum + line.amountMinor, 0n);
  return { kind: 'upgrade', effectiveAt: change.at, lines, totalMinor, anchor, nextBillingDate };
}

/** Credits the unused time of the paid period at the billed price, less the share given back earlier. */
function creditUnused(change: PlanChange): PlanChangeLine {
  const { paidLine, current } = change;
  const unused = getUnusedPeriod(change);
  if (!paidLine) {
    const line = buildProratedLine('PRORATION_CREDIT', current.amountMinor, unused, findWholeCycle(change));
    return { ...line, amountMinor: -line.amountMinor };
  }
  const { id: creditedLineId, amountMinor: paidMinor, givenBackMinor } = paidLine;
  const { priceMinor, totalMs } = paidLine.explanation;
  const remainingMs = Date.parse(unused.end) - Date.parse(unused.start);
  const isWhole = givenBackMinor === 0n;
  const explanation: Explanation = {
    priceMinor,
    remainingMs,
    totalMs,
    rounding: 'half_up',
    ...(isWhole ? {} : { paidMinor: String(paidMinor), givenBackMinor: String(givenBackMinor) }),
  };
  return {
    kind: 'PRORATION_CREDIT',
    amountMinor: -computeCredit(explanation),
    periodStart: unused.start,
    periodEnd: unused.end,
    explanation,
    creditedLineId,
  };
}

/**
 * Returns the amount of a credit (minor units, not negative) from its figures: price × remaining ÷ total × the share
 * not given back earlier, rounded half up once. It never exceeds the remaining amount of the line.
 */
export function computeCredit({
  priceMinor,
  remainingMs,
  totalMs,
  paidMinor = '1',
  givenBackMinor = '0',
}: Explanation): bigint {
  const [paid, givenBack] = [BigInt(paidMinor), BigInt(givenBackMinor)];
  if (paid <= givenBack) return 0n;
  const exact = BigInt(priceMinor) * BigInt(remainingMs) * (paid - givenBack);
  return divideRoundHalfUp(exact, BigInt(totalMs) * paid);
}

function chargeRest(change: PlanChange): PlanChangeLine {
  return buildProratedLine(
    'PRORATION_CHARGE',
    change.next.amountMinor,
    getUnusedPeriod(change),
    findWholeCycle(change),
  );
}

function buildProratedLine(
  kind: PlanChangeLine['kind'],
  priceMinor: bigint,
  part: Period,
  whole: Period,
): PlanChangeLine {
  return { kind, periodStart: part.start, periodEnd: part.end, ...prorate(priceMinor, part, whole) };
}

function getUnusedPeriod({ at, paid }: PlanChange): Period {
  return { start: at, end: paid.end };
}

/** Returns the whole cycle, because a price is for a whole cycle even if only a part of it was paid, such as a stub. */
function findWholeCycle({ anchor, current, timeZone, at }: PlanChange): Period {
  return findCycle(anchor, current.interval, timeZone, at);
}
