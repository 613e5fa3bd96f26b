/**
 * What a part of a cycle costs, and which lines a change of plan writes. Preview and
 * commit both call `computePlanChange`, so a customer is charged what they were shown.
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

/** The figures behind an amount, price × remaining ÷ total, so that anyone can compute it again. */
export interface Explanation {
  priceMinor: string;
  remainingMs: number;
  totalMs: number;
  rounding: 'half_up';
  /** On a credit of a line of which something was given back before: the line's amount, and what that was. */
  paidMinor?: string;
  givenBackMinor?: string;
}

/** The line that billed a period, and what of it has been given back. */
export interface PaidLine {
  id: string;
  amountMinor: bigint;
  givenBackMinor: bigint;
  /** The figures that its amount was computed from. */
  explanation: Pick<Explanation, 'priceMinor' | 'totalMs'>;
}

export interface Plan {
  amountMinor: bigint;
  currency: string;
  interval: Interval;
}

/** `paid` is the period last paid for, be it a whole cycle, a stub, or what an upgrade left of a cycle. */
export interface PlanChange {
  current: Plan;
  next: Plan;
  paid: Period;
  anchor: string;
  timeZone: string;
  at: string;
  prorateUpgrades: boolean;
  /** The line that billed `paid`; without it, as where that was paid in another system, the present price counts. */
  paidLine?: PaidLine;
}

/** `amountMinor` is negative in a credit; the explanation's figures never are. */
interface PlanChangeLine {
  kind: 'PRORATION_CREDIT' | 'PRORATION_CHARGE' | 'CYCLE';
  amountMinor: bigint;
  periodStart: string;
  periodEnd: string;
  explanation: Explanation;
  /** On a credit: the line whose unused time it gives back. */
  creditedLineId?: string;
}

/** `nextBillingDate` holds from now on; `anchor` from `effectiveAt` on. */
interface PlanChangeResult {
  kind: 'upgrade' | 'downgrade';
  effectiveAt: string;
  lines: PlanChangeLine[];
  totalMinor: bigint;
  anchor: string;
  nextBillingDate: string;
}

/**
 * Takes the price (minor units) of a `whole` cycle and returns what a `part` of it costs: price × part ÷
 * whole in exact milliseconds, rounded half up. Throws unless the part lies within a
 * whole that is not empty.
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
 * Returns what a change of plan at the instant `at` does: its lines, their sum (negative when the credit is
 * larger), and the subscription's schedule after it. Refuses another currency with
 * `currency_mismatch`. Throws when `at` is outside the paid period: what is due must have been billed before.
 */
export function computePlanChange(change: PlanChange): PlanChangeResult {
  const { current, next, paid, at } = change;
  if (current.currency !== next.currency) {
    const message = `The subscription is in ${current.currency}, the new price in ${next.currency}.`;
    refuse('currency_mismatch', { path: 'priceId', message });
  }
  if (at < paid.start || at >= paid.end) {
    throw new RangeError(`${at} is outside the paid period ${paid.start}/${paid.end}`);
  }
  if (!takesEffectNow(current, next)) return downgradeAtPeriodEnd(change);
  if (!change.prorateUpgrades) return restartAt(change, []);
  if (!isSameInterval(current.interval, next.interval)) return restartAt(change, [creditUnused(change)]);
  return upgrade(change, [creditUnused(change), chargeRest(change)], change.anchor, paid.end);
}

/** A plan takes effect at once where its yearly value is higher or its interval longer; otherwise at the period's end. */
function takesEffectNow(current: Plan, next: Plan): boolean {
  const currentYearly = computeYearlyAmount(current.amountMinor, current.interval);
  const isDearer = compareYearly(computeYearlyAmount(next.amountMinor, next.interval), currentYearly) > 0;
  return isDearer || isLonger(next.interval, current.interval);
}

/** Nothing is due now; a new interval starts to count where the old one's last period ends. */
function downgradeAtPeriodEnd({ current, next, paid, anchor }: PlanChange): PlanChangeResult {
  return {
    kind: 'downgrade',
    effectiveAt: paid.end,
    lines: [],
    totalMinor: 0n,
    anchor: isSameInterval(current.interval, next.interval) ? anchor : paid.end,
    nextBillingDate: paid.end,
  };
}

/** Starts the new plan's first full cycle at the instant of the change. */
function restartAt(change: PlanChange, credits: PlanChangeLine[]): PlanChangeResult {
  const { next, at, timeZone } = change;
  const cycle = { start: at, end: computeCycleStart(at, next.interval, timeZone, 1) };
  return upgrade(
    change,
    [...credits, buildProratedLine('CYCLE', next.amountMinor, cycle, cycle)],
    at,
    cycle.end,
  );
}

function upgrade(
  change: PlanChange,
  lines: PlanChangeLine[],
  anchor: string,
  nextBillingDate: string,
): PlanChangeResult {
  const totalMinor = lines.reduce((sum, line) => sum + line.amountMinor, 0n);
  return { kind: 'upgrade', effectiveAt: change.at, lines, totalMinor, anchor, nextBillingDate };
}

/** Gives back the unused time of the paid period as it was billed; of what was given back before, nothing more. */
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
 * Returns what a credit comes to (minor units, not negative) by its own figures: price × remaining ÷ total, and of that
 * the share which was not given back before, rounded half up once. It never exceeds what is left of the line.
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

/** A price is that of a whole cycle, also where only a part of it was paid for, such as a stub. */
function findWholeCycle({ anchor, current, timeZone, at }: PlanChange): Period {
  return findCycle(anchor, current.interval, timeZone, at);
}
