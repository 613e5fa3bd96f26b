/** What meters have counted, in quarters of an hour for each customer. They are written with the events. */
import { divideIntoChunks } from '../../lib/chunks.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantWrites } from '../../storage/store.ts';
import { countFor, findVersion, readGroup, type MeterRow } from './counting.ts';
import { readEventsOf } from './eventPages.ts';
import { floorToQuarter, quarterMs } from './quarters.ts';
import { countEvent, emptyTally, mergeTally, readTally, writeTally, type Tally } from './tally.ts';

type EventRow = Row<'usageEvents'>;
type BucketRow = Row<'usageBuckets'>;

/** What a meter has counted of a customer in a quarter of an hour. */
interface Pending {
  meter: MeterRow;
  customerId: string;
  startsAt: string;
  groupKey: string;
  tally: Tally;
}

/** Where events are counted: those that were recorded, and those that were backfilled, which bills and limits do not read. */
export const countedIn = {
  recorded: { buckets: 'usageBuckets', values: 'usageValues' },
  backfilled: { buckets: 'backfillBuckets', values: 'backfillValues' },
} as const;

export type Origin = keyof typeof countedIn;

/** Returns the events of an origin. */
export const pickOrigin = (events: readonly EventRow[], origin: Origin): EventRow[] =>
  events.filter(({ backfilled }) => (backfilled === true) === (origin === 'backfilled'));

/** Where something was counted. */
export type Place = Pick<BucketRow, 'meterId' | 'customerId' | 'startsAt' | 'groupKey'>;

/** Names the place of a bucket, or of a value in it, in maps. */
export const nameBucket = ({ meterId, customerId, startsAt, groupKey }: Place) =>
  `${meterId} ${customerId} ${startsAt} ${groupKey}`;

/** Returns a function that finds the distinct values of a bucket among these. */
export function indexValues(rows: Iterable<Row<'usageValues'>>): (place: Place) => string[] {
  const found = groupBy(rows, nameBucket);
  return (place) => found.get(nameBucket(place))?.map(({ value }) => value) ?? [];
}

/** Counts events in memory, by bucket. Events that wait for their customer are not counted. */
export function tallyEvents(meters: readonly MeterRow[], events: readonly EventRow[]): Map<string, Pending> {
  const pending = new Map<string, Pending>();
  // Most events of a request have the same time, that of its receipt.
  let [last, startsAt] = ['', ''];
  for (const event of events) {
    const { customerId, voidedAt } = event;
    if (customerId === null || voidedAt !== null) continue;
    if (event.at !== last) [last, startsAt] = [event.at, floorToQuarter(event.at)];
    for (const meter of meters) {
      const counted = countFor(meter, event);
      if (!counted) continue;
      const groupKey = readGroup(findVersion(meter, event.at), event.properties);
      const key = nameBucket({ meterId: meter.id, customerId, startsAt, groupKey });
      let bucket = pending.get(key);
      if (!bucket) {
        bucket = { meter, customerId, startsAt, groupKey, tally: emptyTally() };
        pending.set(key, bucket);
      }
      countEvent(meter.aggregation, bucket.tally, counted);
    }
  }
  return pending;
}

/** Adds events of an origin to the buckets of the meters. */
export async function addToBuckets(
  rows: TenantWrites,
  meters: readonly MeterRow[],
  events: readonly EventRow[],
  origin: Origin = 'recorded',
): Promise<void> {
  const pending = tallyEvents(meters, events);
  if (pending.size === 0) return;
  const { buckets } = countedIn[origin];
  const known = await readBuckets(rows, [...pending.values()], origin);
  const counted: BucketRow[] = [];
  for (const [key, { meter, customerId, startsAt, groupKey, tally }] of pending) {
    const before = known.get(key);
    const total = before ? readTally(before) : tally;
    if (before) mergeTally(total, tally);
    counted.push({
      tenantAlias: meter.tenantAlias,
      meterId: meter.id,
      customerId,
      startsAt,
      groupKey,
      ...writeTally(meter.aggregation, startsAt, total),
    });
  }
  await rows.upsertAll(buckets, tallyColumns, counted);
  await addValues(rows, [...pending.values()], origin);
}

const tallyColumns: (keyof BucketRow)[] = [
  'events',
  'sum',
  'moment',
  'highest',
  'lowest',
  'latest',
  'latestAt',
  'latestId',
];

/** Reads the buckets of these meters, customers and quarters. */
async function readBuckets(
  rows: TenantWrites,
  wanted: readonly Pending[],
  origin: Origin,
): Promise<Map<string, BucketRow>> {
  const { buckets } = countedIn[origin];
  const found = await Promise.all(listPlaces(wanted).map(async (where) => rows.many(buckets, { where })));
  return new Map(found.flat().map((row) => [nameBucket(row), row]));
}

/** For more of them PostgreSQL reads all buckets of a quarter of an hour instead of their places in the index. */
const customersAtOnce = 32;

/** Returns conditions that together match the places: by quarter or by customer, whichever is rarer among them. */
function listPlaces(wanted: readonly Pending[]) {
  const byQuarter = groupBy(wanted, ({ startsAt }) => startsAt);
  const byCustomer = groupBy(wanted, ({ customerId }) => customerId);
  const parts = byQuarter.size <= byCustomer.size ? byQuarter : byCustomer;
  return [...parts.values()].flatMap((part) => {
    const meterId = distinct(part.map(({ meter }) => meter.id));
    const startsAt = distinct(part.map(({ startsAt: quarter }) => quarter));
    const customers = distinct(part.map(({ customerId }) => customerId));
    return divideIntoChunks(customers, customersAtOnce).map((customerId) => ({
      meterId,
      customerId,
      startsAt,
    }));
  });
}

const distinct = (texts: string[]): string[] => [...new Set(texts)];

/** Adds the values that a `unique` meter has not seen in their quarter yet. */
async function addValues(rows: TenantWrites, pending: readonly Pending[], origin: Origin): Promise<void> {
  const withValues = pending.filter(({ tally }) => tally.values.size > 0);
  if (withValues.length === 0) return;
  const known = new Set<string>();
  const nameValue = (row: Place & { value: string }) => `${nameBucket(row)} ${row.value}`;
  for (const where of listPlaces(withValues)) {
    const value = distinct(withValues.flatMap(({ tally }) => [...tally.values]));
    for (const row of await rows.many(countedIn[origin].values, { where: { ...where, value } }))
      known.add(nameValue(row));
  }
  const added = withValues.flatMap(({ meter, customerId, startsAt, groupKey, tally }) =>
    [...tally.values].map((value) => ({
      tenantAlias: meter.tenantAlias,
      meterId: meter.id,
      customerId,
      startsAt,
      groupKey,
      value,
    })),
  );
  await rows.insertAll(
    countedIn[origin].values,
    added.filter((row) => !known.has(nameValue(row))),
  );
}

/**
 * Counts a quarter of an hour of a customer anew, by the events of an origin that are there. The highest, the latest and the distinct values
 * do not follow from the buckets when an event is taken back.
 */
export async function recountQuarter(
  rows: TenantWrites,
  meters: readonly MeterRow[],
  customerId: string,
  { startsAt, origin }: { startsAt: string; origin: Origin },
): Promise<void> {
  const where = { meterId: meters.map(({ id }) => id), customerId, startsAt };
  await rows.remove(countedIn[origin].buckets, where);
  await rows.remove(countedIn[origin].values, where);
  const span = { customerId, from: startsAt, until: addMs(startsAt, quarterMs) };
  for await (const events of readEventsOf(rows, span))
    await addToBuckets(rows, meters, pickOrigin(events, origin), origin);
}
