/**
 * The invoice lines of a plan change. Preview and commit both call `computePlanChange`, so a customer is charged the
 * amount they were shown.
 */
import { refuse } from '../../lib/errors.ts';
import type { AppliedBilling, LineDiscount } from '../../storage/model/common.ts';
import { computeCredit, prorate, type Explanation, type PaidLine } from './proration.ts';
import {
  compareYearly,
  computeCycleStart,
  computeYearlyAmount,
  findCycle,
  isLonger,
  isSameInterval,
  type Interval,
  type Period,
} from './schedule.ts';

/** `amountMinor` is the amount of a whole cycle of all items. */
export interface Plan {
  amountMinor: bigint;
  currency: string;
  interval: Interval;
}

/** An item before and after the change. */
export interface ItemChange {
  /** The price of an add-on; none for the main price. */
  priceId?: string;
  /** The line that billed the item for the current period. */
  paidLine?: PaidLine;
  /** The amount of a whole cycle, if the current period was paid in another system. */
  paidElsewhereMinor?: bigint;
  /** The new amount of a whole cycle before discounts; none if the item ends. */
  nextMinor?: bigint;
  /** The discounts on the new amount of a whole cycle. */
  discounts?: LineDiscount[];
  isChanged: boolean;
}

/** `paid` is the last paid period: a whole cycle, a stub, or the rest of a cycle after an upgrade. */
export interface PlanChange {
  current: Plan;
  next: Plan;
  items: ItemChange[];
  paid: Period;
  anchor: string;
  timeZone: string;
  at: string;
  billing: AppliedBilling;
}

/** `amountMinor` is negative on a credit; the figures of its explanation are not. */
export interface PlanChangeLine {
  kind: 'PRORATION_CREDIT' | 'PRORATION_CHARGE' | 'CYCLE';
  amountMinor: bigint;
  periodStart: string;
  periodEnd: string;
  explanation: Explanation;
  /** On a credit: the line that it credits. */
  creditedLineId?: string;
  discounts?: LineDiscount[];
  /** The price of an add-on; none on lines of the main price. */
  priceId?: string;
}

/** `nextBillingDate` applies immediately, `anchor` from `effectiveAt` on. */
interface PlanChangeResult {
  /** At once, or at the end of the period. */
  kind: 'upgrade' | 'downgrade';
  effectiveAt: string;
  lines: PlanChangeLine[];
  totalMinor: bigint;
  anchor: string;
  nextBillingDate: string;
  /** The items whose terms for the rest of the period end. */
  ended: ItemChange[];
}

/**
 * Computes a plan change at the instant `at`: its lines, their sum (negative if the credits are larger), and the
 * subscription's schedule afterwards. Errors: `currency_mismatch`, `validation_failed`. Throws if `at` is outside the
 * paid period, because due periods must be billed first.
 */
export function computePlanChange(change: PlanChange): PlanChangeResult {
  const { current, next, paid, at } = change;
  refuseOtherCurrency(current, next);
  if (at < paid.start || at >= paid.end) {
    throw new RangeError(`${at} is outside the paid period ${paid.start}/${paid.end}`);
  }
  return effects[chooseEffect(change)](change);
}

/** Refuses a plan change to another currency. Error: `currency_mismatch`. */
export function refuseOtherCurrency(current: { currency: string }, next: { currency: string }): void {
  if (current.currency === next.currency) return;
  const message = `The subscription is in ${current.currency}, the new price in ${next.currency}.`;
  refuse('currency_mismatch', { path: 'priceId', message });
}

/** How a change takes effect, and is billed. */
const effects = {
  later: (change: PlanChange): PlanChangeResult => ({
    ...keepSchedule(change),
    kind: 'downgrade',
    effectiveAt: change.paid.end,
  }),
  unbilled: (change: PlanChange) => keepSchedule(change),
  restart: (change: PlanChange) => restart(change, []),
  creditedRestart: (change: PlanChange) => ({
    ...restart(change, creditUnused(change, change.items)),
    ended: change.items,
  }),
  prorated: (change: PlanChange) => {
    const changed = change.items.filter(({ isChanged }) => isChanged);
    const lines = [...creditUnused(change, changed), ...chargeRest(change, changed)];
    return { ...applyNow(change, lines), ended: changed };
  },
};

function chooseEffect({ current, next, billing }: PlanChange): keyof typeof effects {
  const isSame = isSameInterval(current.interval, next.interval);
  if (billing === 'period_end') return 'later';
  if (billing === 'none') return 'unbilled';
  if (billing === 'restart') return 'restart';
  return billing === 'reset' || !isSame ? 'creditedRestart' : 'prorated';
}

/**
 * Whether an ordered plan takes effect at once: its yearly amount is higher or its interval longer. Otherwise it takes
 * effect at the end of the period.
 */
export function takesEffectAtOnce(current: Plan, next: Plan): boolean {
  const currentYearly = computeYearlyAmount(current.amountMinor, current.interval);
  const isDearer = compareYearly(computeYearlyAmount(next.amountMinor, next.interval), currentYearly) > 0;
  return isDearer || isLonger(next.interval, current.interval);
}

/** Charges nothing now. A new interval starts counting at the end of the paid period. */
function keepSchedule({ current, next, paid, anchor, at }: PlanChange): PlanChangeResult {
  return {
    kind: 'upgrade',
    effectiveAt: at,
    lines: [],
    totalMinor: 0n,
    anchor: isSameInterval(current.interval, next.interval) ? anchor : paid.end,
    nextBillingDate: paid.end,
    ended: [],
  };
}

/** Starts the first full cycle of the new plan at the instant of the change. */
function restart(change: PlanChange, credits: PlanChangeLine[]): PlanChangeResult {
  const { next, at, timeZone, items } = change;
  const cycle = { start: at, end: computeCycleStart(at, next.interval, timeZone, 1) };
  const charges = items.flatMap((item) => chargeItem('CYCLE', item, cycle, cycle));
  return { ...applyNow(change, [...credits, ...charges]), anchor: at, nextBillingDate: cycle.end };
}

function applyNow(change: PlanChange, lines: PlanChangeLine[]): PlanChangeResult {
  const totalMinor = lines.reduce((sum, line) => sum + line.amountMinor, 0n);
  return { ...keepSchedule(change), lines, totalMinor };
}

/** Credits the unused time of the paid period at the billed prices, less the share given back earlier. */
function creditUnused(change: PlanChange, items: ItemChange[]): PlanChangeLine[] {
  const unused = getUnusedPeriod(change);
  return items.flatMap((item) => {
    const { paidLine, paidElsewhereMinor, priceId } = item;
    const named = priceId === undefined ? {} : { priceId };
    if (paidLine) return [{ ...creditLine(paidLine, unused), ...named }];
    if (paidElsewhereMinor === undefined) return [];
    const { amountMinor, explanation } = prorate(paidElsewhereMinor, unused, findWholeCycle(change));
    return [{ ...buildLine('PRORATION_CREDIT', -amountMinor, unused, explanation), ...named }];
  });
}

function creditLine(paidLine: PaidLine, unused: Period): PlanChangeLine {
  const { id: creditedLineId, amountMinor: paidMinor, givenBackMinor } = paidLine;
  const { priceMinor, totalMs } = paidLine.explanation;
  const isWhole = givenBackMinor === 0n;
  const explanation: Explanation = {
    priceMinor,
    remainingMs: Date.parse(unused.end) - Date.parse(unused.start),
    totalMs,
    rounding: 'half_up',
    ...(isWhole ? {} : { paidMinor: String(paidMinor), givenBackMinor: String(givenBackMinor) }),
  };
  return {
    ...buildLine('PRORATION_CREDIT', -computeCredit(explanation), unused, explanation),
    creditedLineId,
  };
}

const chargeRest = (change: PlanChange, items: ItemChange[]): PlanChangeLine[] =>
  items.flatMap((item) =>
    chargeItem('PRORATION_CHARGE', item, getUnusedPeriod(change), findWholeCycle(change)),
  );

/** Charges an item for a part of a cycle: the amount of the cycle after each discount, prorated. */
function chargeItem(
  kind: 'CYCLE' | 'PRORATION_CHARGE',
  { nextMinor, discounts = [], priceId }: ItemChange,
  part: Period,
  whole: Period,
): PlanChangeLine[] {
  if (nextMinor === undefined) return [];
  const full = prorate(nextMinor, part, whole);
  let [cycleMinor, amountMinor] = [nextMinor, full.amountMinor];
  const taken = discounts.map(({ discountId, amountMinor: offMinor }): LineDiscount => {
    cycleMinor -= BigInt(offMinor);
    const after = prorate(cycleMinor, part, whole).amountMinor;
    const share = { discountId, amountMinor: String(amountMinor - after) };
    amountMinor = after;
    return share;
  });
  return [
    {
      ...buildLine(kind, amountMinor, part, full.explanation),
      ...(taken.length > 0 && { discounts: taken }),
      ...(priceId !== undefined && { priceId }),
    },
  ];
}

const buildLine = (
  kind: PlanChangeLine['kind'],
  amountMinor: bigint,
  { start: periodStart, end: periodEnd }: Period,
  explanation: Explanation,
): PlanChangeLine => ({ kind, amountMinor, periodStart, periodEnd, explanation });

function getUnusedPeriod({ at, paid }: PlanChange): Period {
  return { start: at, end: paid.end };
}

/** Returns the whole cycle, because a price is for a whole cycle even if only a part of it was paid, such as a stub. */
function findWholeCycle({ anchor, current, timeZone, at }: PlanChange): Period {
  return findCycle(anchor, current.interval, timeZone, at);
}
