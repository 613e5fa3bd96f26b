/** The money of calendar periods, from the sums of days and quarters of an hour. */
import type { Group } from '../storage/query/grouping.ts';
import type { Scan } from '../storage/scan.ts';
import { createFinder, findLength, matchUntil, type Range } from './buckets.ts';
import { createSums, summedColumns, type Sums } from './recordSums.ts';
import { findDay, findNextDay } from './spans.ts';

/** Up to so many days are split by a query each; more are not split, and the quarters of all days are read. */
const mostSplitDays = 130;
const toMinute = 16;

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
  const periods = bounds.slice(1).map(createSums);
  const split = listSplitDays(bounds, timeZone);
  if (isCut) {
    const start = findDay(asOf, timeZone);
    split.set(start, findNextDay(start, timeZone));
  }
  const length = split.size === 0 ? findLength(bounds) : (Math.max(toMinute, findLength(bounds)) as 16 | 19);
  const find = createFinder(bounds, length);
  const read = async (span: 'day' | 'quarter', from: string, before: string) => {
    const groups = await scan.sum('revenueSums', {
      where: { currency, span, at: { from, ...matchUntil(before, asOf) } },
      byInstant: { at: length },
      sums: summedColumns,
    });
    return groups.map((group) => ({ at: group['at'] as string, sums: toSums(group) }));
  };
  const add = (at: string, sums: Sums) => {
    const nth = find(at);
    if (nth >= 0 && nth < periods.length) periods[nth] = addSums(periods[nth]!, sums);
  };
  const [first, last] = [bounds[0]!, bounds.at(-1)!];
  if (split.size > mostSplitDays) {
    for (const { at, sums } of await read('quarter', first, last)) add(at, sums);
    return periods;
  }
  const starts = new Set([...split.keys()].map((start) => start.slice(0, length)));
  for (const { at, sums } of await read('day', first, last)) if (!starts.has(at)) add(at, sums);
  for (const [start, end] of split)
    for (const { at, sums } of await read('quarter', start < first ? first : start, end < last ? end : last))
      add(at, sums);
  return periods;
}

/** Returns the days of a time zone within which one of the instants lies, with their ends. */
function listSplitDays(instants: readonly string[], timeZone: string): Map<string, string> {
  const split = new Map<string, string>();
  for (const instant of instants) {
    const start = findDay(instant, timeZone);
    if (start !== instant) split.set(start, findNextDay(start, timeZone));
  }
  return split;
}

const toSums = (group: Group): Sums =>
  Object.fromEntries(
    Object.entries(createSums()).map(([column, zero]) => [
      column,
      typeof zero === 'bigint' ? group[column] : Number(group[column]),
    ]),
  ) as unknown as Sums;
