/** Counts the usage of many customers and meters, each in a span of time of its own, with few queries. */
import type { ExactDecimal } from '../../lib/decimal.ts';
import { getOrAdd } from '../../lib/getOrAdd.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { indexValues, pickOrigin } from './buckets.ts';
import type { MeterRow } from './counting.ts';
import { ceilToQuarter, floorToQuarter, quarterMs } from './quarters.ts';
import { listDivided, sliceBucket, sliceEvents, sliceSum, type Slice } from './slices.ts';
import { computeUsage, emptyTally, isSummable, mergeTally, type Tally } from './tally.ts';
import { readEventsOf } from './eventPages.ts';

/** A span of time in which a meter is read for a customer; `until` is exclusive and after `from`. */
export interface UsageSpan {
  meterId: string;
  customerId: string;
  from: string;
  until: string;
}

/** What was counted of the events with the same properties. */
export interface GroupCount {
  /** By the properties of the meter's `groupBy`. */
  properties: Record<string, string | null>;
  quantity: ExactDecimal;
}

/** What a meter has counted in a span. */
export interface SpanCount {
  quantity: ExactDecimal;
  events: number;
  groups: GroupCount[];
}

type EventRow = Row<'usageEvents'>;

/**
 * Counts spans, in their order. Reads the buckets of all of them at once, and the events of those quarters of an hour that
 * an edge divides: one query for each such quarter. A span of a meter that does not exist counts nothing.
 */
export async function countSpans(reads: Reads, spans: readonly UsageSpan[]): Promise<SpanCount[]> {
  if (spans.length === 0) return [];
  const ids = [...new Set(spans.map(({ meterId }) => meterId))];
  const meters = new Map((await reads.many('meters', { where: { id: ids } })).map((row) => [row.id, row]));
  const readSummed = await sumBuckets(reads, meters, spans);
  const readSlices = await readBuckets(reads, meters, spans);
  const events = await readDividedQuarters(reads, spans);
  return spans.map((span) => {
    const meter = meters.get(span.meterId);
    if (!meter) return { quantity: { digits: 0n, scale: 0 }, events: 0, groups: [] };
    const divided = listDivided([span.from, span.until]);
    const slices = isSummable(meter)
      ? readSummed(span)
      : readSlices(span).filter(({ at }) => !divided.includes(at));
    for (const quarter of divided)
      slices.push(...sliceEvents(meter, events.get(quarter)?.get(span.customerId) ?? []));
    return sumSlices(meter, span, slices);
  });
}

/**
 * Sums the whole quarters of the spans of meters that count or sum, those of persistent meters from their beginning. The database
 * adds them, since a period has a thousand buckets of which only the sum is needed. Returns what finds the sums of a span.
 */
async function sumBuckets(
  reads: Reads,
  meters: ReadonlyMap<string, MeterRow>,
  spans: readonly UsageSpan[],
): Promise<(span: UsageSpan) => Slice[]> {
  const parts = spans.flatMap((span) => {
    const meter = meters.get(span.meterId);
    return meter && isSummable(meter) ? listWholeParts(meter, span) : [];
  });
  const found = new Map<UsageSpan, Slice[]>();
  if (parts.length === 0) return () => [];
  const sums = await reads.sumSpans('usageBuckets', {
    where: {},
    at: 'startsAt',
    own: ['meterId', 'customerId'],
    spans: parts,
    by: 'groupKey',
    count: 'events',
    decimal: 'sum',
  });
  for (const sum of sums) {
    const { of, from } = parts[sum.span]!;
    getOrAdd(found, of, () => []).push(sliceSum(sum, from));
  }
  return (span) => found.get(span) ?? [];
}

/** Lists the parts of a span that consist of whole quarters: what is in it, and what was before it of a persistent meter. */
function listWholeParts(meter: MeterRow, span: UsageSpan) {
  const { meterId, customerId, from, until } = span;
  const parts = [{ from: ceilToQuarter(from), before: floorToQuarter(until) }];
  if (meter.persistent) parts.push({ from: meter.startsAt, before: floorToQuarter(from) });
  return parts
    .filter((part) => part.from < part.before)
    .map((part) => ({ of: span, meterId, customerId, ...part }));
}

/** Reads the buckets of the other spans; those of persistent meters from their beginning. Returns what finds those of a span. */
async function readBuckets(
  reads: Reads,
  meters: ReadonlyMap<string, MeterRow>,
  spans: readonly UsageSpan[],
): Promise<(span: UsageSpan) => Slice[]> {
  const found = new Map<string, Slice[]>();
  const nameOwner = ({ meterId, customerId }: Pick<UsageSpan, 'meterId' | 'customerId'>) =>
    `${meterId} ${customerId}`;
  for (const isPersistent of [false, true]) {
    const own = spans.filter(({ meterId }) => {
      const meter = meters.get(meterId);
      return meter?.persistent === isPersistent && !isSummable(meter);
    });
    if (own.length === 0) continue;
    const meterId = [...new Set(own.map((span) => span.meterId))];
    const starts = isPersistent
      ? meterId.map((id) => meters.get(id)!.startsAt)
      : own.map(({ from }) => floorToQuarter(from));
    const ends = own.map(({ until }) => ceilToQuarter(until));
    const customerId = [...new Set(own.map((span) => span.customerId))];
    const startsAt = { from: starts.toSorted()[0]!, before: ends.toSorted().at(-1)! };
    const where = { meterId, customerId, startsAt };
    const hasValues = meterId.some((id) => meters.get(id)!.aggregation === 'unique');
    const findValues = indexValues(hasValues ? await reads.many('usageValues', { where }) : []);
    for (const bucket of await reads.many('usageBuckets', { where }))
      getOrAdd(found, nameOwner(bucket), () => []).push(sliceBucket(bucket, findValues(bucket)));
  }
  return (span) => (found.get(nameOwner(span)) ?? []).filter(({ at }) => at < span.until);
}

/** Reads the events of the divided quarters, by quarter and customer. */
async function readDividedQuarters(
  reads: Reads,
  spans: readonly UsageSpan[],
): Promise<Map<string, Map<string, EventRow[]>>> {
  const wanted = new Map<string, Set<string>>();
  for (const span of spans)
    for (const quarter of listDivided([span.from, span.until]))
      getOrAdd(wanted, quarter, () => new Set<string>()).add(span.customerId);
  const found = new Map<string, Map<string, EventRow[]>>();
  for (const [quarter, customers] of wanted) {
    const at = { from: quarter, before: addMs(quarter, quarterMs) };
    const events = await reads.many('usageEvents', { where: { customerId: [...customers], at } });
    found.set(
      quarter,
      groupBy(pickOrigin(events, 'recorded'), ({ customerId }) => customerId!),
    );
  }
  return found;
}

/** What was counted before a span, and in it. */
interface SplitTally {
  before: Tally;
  within: Tally;
}

const emptySplit = (): SplitTally => ({ before: emptyTally(), within: emptyTally() });

function sumSlices(meter: MeterRow, { from, until }: UsageSpan, slices: readonly Slice[]): SpanCount {
  const whole = emptySplit();
  const groups = new Map<string, SplitTally>();
  for (const { at, groupKey, tally } of slices) {
    if (at >= until || (at < from && !meter.persistent)) continue;
    const part = at < from ? 'before' : 'within';
    mergeTally(whole[part], tally);
    mergeTally(getOrAdd(groups, groupKey, emptySplit)[part], tally);
  }
  const span = { fromMs: Date.parse(from), untilMs: Date.parse(until) };
  const compute = ({ before, within }: SplitTally) =>
    computeUsage(meter, within, span, meter.persistent ? before : undefined);
  return {
    quantity: compute(whole),
    events: whole.within.events,
    groups: [...groups.keys()].toSorted().map((key) => ({
      properties: nameProperties(meter, key),
      quantity: compute(groups.get(key)!),
    })),
  };
}

function nameProperties(meter: MeterRow, groupKey: string): GroupCount['properties'] {
  const values = JSON.parse(groupKey) as (string | null)[];
  return Object.fromEntries(meter.groupBy.map((name, index) => [name, values[index] ?? null]));
}

/** Lists the values of the events that a meter counts in a span, in the order of time; each times the multiplier. */
export async function listEventValues(reads: Reads, span: UsageSpan): Promise<ExactDecimal[]> {
  const meter = await reads.one('meters', { id: span.meterId });
  if (!meter) return [];
  const found: ExactDecimal[] = [];
  const edges = { fromMs: Date.parse(span.from), untilMs: Date.parse(span.until) };
  for await (const events of readEventsOf(reads, span))
    for (const { tally } of sliceEvents(meter, pickOrigin(events, 'recorded')))
      found.push(computeUsage(meter, tally, edges));
  return found;
}
