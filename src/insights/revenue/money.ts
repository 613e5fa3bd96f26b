/** The money of calendar periods, from the sums of days and quarters of an hour. */
import { addMs } from '../../lib/time.ts';
import type { Group } from '../../storage/query/grouping.ts';
import type { Scan } from '../../storage/scan.ts';
import { matchUntil, type Range } from './buckets.ts';
import { createSums, summedColumns, type Sums } from './recordSums.ts';
import { findDay, findNextDay } from './spans.ts';

/** Adds the columns of two sums. */
export const addSums = (a: Sums, b: Sums): Sums => {
  const sum = createSums();
  for (const column of summedColumns)
    (sum as Record<string, number | bigint>)[column] =
      typeof a[column] === 'bigint' ? a[column] + (b[column] as bigint) : a[column] + (b[column] as number);
  return sum;
};

/**
 * Sums the money of each period. Days of the tenant's time zone that lie in one period are read as a whole; those that a
 * bound or `asOf` splits by quarters of an hour. `isCut` tells whether `asOf` is an instant of the past.
 */
export async function sumMoney(
  scan: Scan,
  timeZone: string,
  { currency, bounds, asOf }: Range,
  isCut: boolean,
): Promise<Sums[]> {
  const [first, last] = [bounds[0]!, bounds.at(-1)!];
  const periods = bounds.slice(1).map(createSums);
  const { days, split } = divideByDays(bounds, isCut && asOf < last ? asOf : undefined, timeZone);
  const add = (period: number | undefined, group: Group) => {
    if (period !== undefined) periods[period] = addSums(periods[period]!, toSums(group));
  };
  const ofDays = await scan.sum('revenueSums', {
    where: { currency, span: 'day', at: { from: first, ...matchUntil(last, asOf) } },
    byPeriod: { at: days.map(([start]) => start) },
    sums: summedColumns,
  });
  for (const group of ofDays) add(days[(group['atPeriod'] as number) - 1]?.[1], group);
  const end = asOf < last ? addMs(asOf, 1) : last;
  const ranges = split
    .map(([start, next]) => [start > first ? start : first, next < end ? next : end] as const)
    .filter(([from, before]) => from < before);
  if (ranges.length === 0) return periods;
  const ofQuarters = await scan.sum('revenueSums', {
    where: { currency, span: 'quarter' },
    within: { column: 'at', ranges },
    byPeriod: { at: bounds },
    sums: summedColumns,
  });
  for (const group of ofQuarters) add((group['atPeriod'] as number) - 1, group);
  return periods;
}

/**
 * Returns from which day on the days lie as a whole in which period (undefined: in several), in order, and the days that
 * lie in several periods, or on both sides of `asOf`.
 */
function divideByDays(bounds: readonly string[], asOf: string | undefined, timeZone: string) {
  const periods = new Map<string, number | undefined>();
  const split = new Map<string, string>();
  const cut = (instant: string, period: number | undefined) => {
    const start = findDay(instant, timeZone);
    if (start === instant && period !== undefined) {
      periods.set(start, period);
      return;
    }
    const next = findNextDay(start, timeZone);
    split.set(start, next);
    periods.set(start, undefined).set(next, period);
  };
  for (const [period, bound] of bounds.entries()) cut(bound, period);
  if (asOf !== undefined) cut(asOf, undefined);
  return { days: [...periods].toSorted(([a], [b]) => (a < b ? -1 : 1)), split: [...split] };
}

const toSums = (group: Group): Sums =>
  Object.fromEntries(
    Object.entries(createSums()).map(([column, zero]) => [
      column,
      typeof zero === 'bigint' ? group[column] : Number(group[column]),
    ]),
  ) as unknown as Sums;
