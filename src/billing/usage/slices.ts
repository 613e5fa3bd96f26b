/** What a meter has counted, by time: of whole quarters of an hour from their buckets, of divided ones from single events. */
import { sumTexts } from '../../lib/decimal.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SpanSum } from '../../storage/query/queries.ts';
import { countFor, findVersion, readGroup, type MeterRow } from './counting.ts';
import { floorToQuarter } from './quarters.ts';
import { countEvent, emptyTally, readTally, type Tally } from './tally.ts';

/** What was counted at a place in time that no edge of a span or window divides. */
export interface Slice {
  at: string;
  groupKey: string;
  tally: Tally;
}

/** Returns what a bucket has; `values` are those of a `unique` meter. */
export const sliceBucket = (bucket: Row<'usageBuckets'>, values: Iterable<string>): Slice => ({
  at: bucket.startsAt,
  groupKey: bucket.groupKey,
  tally: readTally(bucket, values),
});

/** Returns what the buckets of many quarters have from an instant on. */
export const sliceSum = ({ group, count, decimals }: SpanSum, at: string): Slice => ({
  at,
  groupKey: group,
  tally: { ...emptyTally(), events: count, ...(decimals !== null && { sum: sumTexts(decimals.split(' ')) }) },
});

/** Returns what a meter counts of an event; undefined if that is nothing. */
export function sliceEvent(meter: MeterRow, event: Row<'usageEvents'>): Slice | undefined {
  const counted = event.voidedAt === null ? countFor(meter, event) : undefined;
  if (!counted) return undefined;
  const tally = emptyTally();
  countEvent(meter.aggregation, tally, counted);
  return { at: event.at, groupKey: readGroup(findVersion(meter, event.at), event.properties), tally };
}

/** Returns what a meter counts of events, in their order. */
export const sliceEvents = (meter: MeterRow, events: readonly Row<'usageEvents'>[]): Slice[] =>
  events.flatMap((event) => sliceEvent(meter, event) ?? []);

/** Lists the quarters of an hour that edges divide. */
export const listDivided = (edges: readonly string[]): string[] => [
  ...new Set(edges.filter((edge) => floorToQuarter(edge) !== edge).map(floorToQuarter)),
];
