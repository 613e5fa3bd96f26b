/** Reads usage: the result of a meter in a span of time, whole or by windows. */
import { Temporal } from 'temporal-polyfill';
import { formatDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs, parsePeriod, toInstant } from '../../lib/time.ts';
import { isGiven } from '../../lib/validation.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { countedIn, indexValues, pickOrigin, type Origin } from './buckets.ts';
import type { MeterRow } from './counting.ts';
import { readEventsOf } from './eventPages.ts';
import { refuseForgottenEdges } from './forgetUsage.ts';
import { findMeter } from './meters.ts';
import { ceilToQuarter, floorToQuarter, quarterMs } from './quarters.ts';
import { listDivided, sliceBucket, sliceEvents, type Slice } from './slices.ts';
import { computeUsage, emptyTally, mergeTally, type Tally } from './tally.ts';

export type UsageStep = 'minute' | 'hour' | 'day' | 'month';

export interface UsageRequest {
  meterId: string;
  /** All customers if not given. */
  customerId?: string | null;
  from: string;
  until: string;
  /** One window if not given. */
  by?: UsageStep | null;
  groupBy?: string[] | null;
}

/** The result of a meter in a window. */
interface UsageWindow {
  from: string;
  /** Exclusive. */
  until: string;
  /** The values of the properties of `groupBy`; null if the usage is not broken down. */
  group: Record<string, string | null> | null;
  value: string;
  events: number;
}

export interface Usage {
  meter: MeterRow;
  from: string;
  until: string;
  value: string;
  events: number;
  windows: UsageWindow[];
}

const mostWindows = 1000;

/**
 * Returns the usage of a meter from `from` until `until`, which is exclusive. Days and months are those of the tenant's time
 * zone. Errors: `meter_not_found`, `customer_not_found`, `validation_failed`.
 */
export async function readUsage(tenant: TenantScope, request: UsageRequest): Promise<Usage> {
  const { read } = tenant;
  const meter = await findMeter(read, request.meterId);
  const { customerId, names, edges } = await readSpan(tenant, meter, request);
  if (customerId === undefined) refuseUnalignedEdges(edges);
  else refuseForgottenEdges(tenant.record, edges);
  const slices = await readSlices(read, meter, customerId, edges);
  slices.push(...(await readSlices(read, meter, customerId, edges, 'backfilled')));
  return { meter, ...sumSpan(meter, slices, edges, names) };
}

/** What a request asks of a meter: the customer, the beginnings of the windows and the end, and how they are broken down. */
export interface UsageSpan {
  /** All customers if undefined. */
  customerId: string | undefined;
  names: readonly string[];
  edges: readonly string[];
}

/** Checks the span of a request. Errors: `customer_not_found`, `validation_failed`. */
export async function readSpan(
  { read, record: { timezone } }: TenantScope,
  meter: Pick<MeterRow, 'groupBy'>,
  request: Omit<UsageRequest, 'meterId'>,
): Promise<UsageSpan> {
  const customerId = request.customerId ?? undefined;
  if (customerId !== undefined && !(await read.one('customers', { id: customerId })))
    refuse('customer_not_found', { path: 'customerId', message: 'is not the id of a customer' });
  const names = readGroupBy(meter, request.groupBy);
  const { from, until } = parsePeriod(request, timezone);
  return { customerId, names, edges: listEdges(from, until, request.by ?? undefined, timezone) };
}

/** Computes the result of the whole span and of its windows from the slices. */
export function sumSpan(
  meter: MeterRow,
  given: readonly Slice[],
  edges: readonly string[],
  names: readonly string[],
): Omit<Usage, 'meter'> {
  const slices = given.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const [from, until] = [edges[0]!, edges.at(-1)!];
  const [whole] = sumWindows(meter, slices, [from, until], []);
  const windows = sumWindows(meter, slices, edges, names);
  return { from, until, value: whole!.value, events: whole!.events, windows };
}

function readGroupBy(
  meter: Pick<MeterRow, 'groupBy'>,
  names: readonly string[] | null | undefined,
): readonly string[] {
  if (!isGiven(names)) return [];
  for (const name of names)
    if (!meter.groupBy.includes(name))
      refuse('validation_failed', { path: 'groupBy', message: 'must be among groupBy of the meter' });
  if (new Set(names).size < names.length)
    refuse('validation_failed', { path: 'groupBy', message: 'must name each property once' });
  return names;
}

/** Lists the beginnings of the windows, and the end of the last one. The first and the last may be parts of their unit. */
function listEdges(from: string, until: string, by: UsageStep | undefined, timeZone: string): string[] {
  if (by === undefined) return [from, until];
  const edges = [from];
  const first = Temporal.Instant.from(from).toZonedDateTimeISO(timeZone);
  const start = by === 'month' ? first.with({ day: 1 }).startOfDay() : floorTo(first, by);
  for (let step = 1; ; step++) {
    const edge = toInstant(start.add({ [`${by}s`]: step }).epochMilliseconds);
    if (edge >= until) break;
    edges.push(edge);
    if (edges.length > mostWindows)
      refuse('validation_failed', { path: 'by', message: `must give at most ${mostWindows} windows` });
  }
  return [...edges, until];
}

const floorTo = (time: Temporal.ZonedDateTime, by: 'minute' | 'hour' | 'day'): Temporal.ZonedDateTime =>
  by === 'day' ? time.startOfDay() : time.round({ smallestUnit: by, roundingMode: 'floor' });

/** The usage of all customers is read from the quarters of an hour alone. */
function refuseUnalignedEdges(edges: readonly string[]): void {
  const isAligned = (edge: string) => floorToQuarter(edge) === edge;
  if (edges.every(isAligned)) return;
  const path = !isAligned(edges[0]!) ? 'from' : !isAligned(edges.at(-1)!) ? 'until' : 'by';
  refuse('validation_failed', {
    path,
    message: 'must be whole quarters of an hour for all customers; give customerId for finer ones',
  });
}

/**
 * Reads what was counted of events of an origin until the last edge: whole quarters as they were counted, divided ones from their
 * events.
 */
export async function readSlices(
  reads: Reads,
  meter: MeterRow,
  customerId: string | undefined,
  edges: readonly string[],
  origin: Origin = 'recorded',
): Promise<Slice[]> {
  const [from, until] = [edges[0]!, edges.at(-1)!];
  const divided = listDivided(edges);
  const startsAt = {
    // What was backfilled may be older than the meter.
    ...(meter.persistent
      ? origin === 'recorded' && { from: meter.startsAt }
      : { from: floorToQuarter(from) }),
    before: ceilToQuarter(until),
  };
  const where = { meterId: meter.id, customerId, startsAt };
  const tables = countedIn[origin];
  const buckets = await reads.many(tables.buckets, { where });
  const values = meter.aggregation === 'unique' ? await reads.many(tables.values, { where }) : [];
  const valuesOf = indexValues(values);
  const slices = buckets
    .filter((bucket) => !divided.includes(bucket.startsAt))
    .map((bucket) => sliceBucket(bucket, valuesOf(bucket)));
  if (customerId === undefined) return slices;
  for (const quarter of divided) {
    const span = { customerId, from: quarter, until: addMs(quarter, quarterMs) };
    for await (const events of readEventsOf(reads, span))
      slices.push(...sliceEvents(meter, pickOrigin(events, origin)));
  }
  return slices;
}

/** Computes the result of each window, and of each group in it, in the order of time, which the slices have. */
function sumWindows(
  meter: MeterRow,
  slices: readonly Slice[],
  edges: readonly string[],
  names: readonly string[],
): UsageWindow[] {
  const positions = names.map((name) => meter.groupBy.indexOf(name));
  const readKey = (groupKey: string): string => {
    if (names.length === 0) return '[]';
    const all = JSON.parse(groupKey) as (string | null)[];
    return JSON.stringify(positions.map((position) => all[position]));
  };
  const before = new Map<string, Tally>();
  let next = 0;
  const take = (limit: string): Map<string, Tally> => {
    const taken = new Map<string, Tally>();
    for (; next < slices.length && slices[next]!.at < limit; next++) {
      const { groupKey, tally } = slices[next]!;
      const key = readKey(groupKey);
      const own = taken.get(key) ?? emptyTally();
      mergeTally(own, tally);
      taken.set(key, own);
    }
    return taken;
  };
  const remember = (taken: Map<string, Tally>) => {
    for (const [key, tally] of taken) {
      const own = before.get(key) ?? emptyTally();
      mergeTally(own, tally);
      before.set(key, own);
    }
  };
  remember(take(edges[0]!));
  const windows: UsageWindow[] = [];
  for (let index = 1; index < edges.length; index++) {
    const [from, until] = [edges[index - 1]!, edges[index]!];
    const taken = take(until);
    const known = meter.persistent ? [...before.keys()] : [];
    const keys = new Set([...(names.length === 0 ? ['[]'] : []), ...known, ...taken.keys()]);
    for (const key of [...keys].toSorted()) {
      const tally = taken.get(key) ?? emptyTally();
      const earlier = meter.persistent ? before.get(key) : undefined;
      const span = { fromMs: Date.parse(from), untilMs: Date.parse(until) };
      const value = formatDecimal(computeUsage(meter, tally, span, earlier));
      windows.push({ from, until, group: readGroupNames(names, key), value, events: tally.events });
    }
    remember(taken);
  }
  return windows;
}

function readGroupNames(names: readonly string[], key: string): UsageWindow['group'] {
  if (names.length === 0) return null;
  const values = JSON.parse(key) as (string | null)[];
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
}
