/**
 * Records usage events: each counted once, durable when it is answered. Recording is no unit of work, so that renewals and it do
 * not wait for each other.
 */
import { refuse } from '../../lib/errors.ts';
import { publishUsage } from '../../runtime/usageChannel.ts';
import { divideIntoChunks } from '../../lib/chunks.ts';
import { secondMs } from '../../lib/durations.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { TenantWrites } from '../../storage/store.ts';
import type { TenantScope, UsageRecorder } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { addToBuckets, type Origin } from './buckets.ts';
import { findWrongValue, type MeterRow } from './counting.ts';
import { listIdSpans, usageAheadMs, usageSpanMs } from './quarters.ts';
import { recordPieces } from './pieces.ts';
import { addToTotals } from './totals.ts';
import { noteAlerts, noteGrowth } from './usageChecks.ts';
import {
  isInexact,
  isSameEvent,
  readEvent,
  refuseEvent,
  type GivenEvent,
  type UsageEventInput,
  type UsageRefusal,
} from './usageEvent.ts';

type EventRow = Row<'usageEvents'>;

/** What became of the events of a request. */
export interface RecordedUsage {
  /** The number of events that count, with those that wait for their customer. */
  accepted: number;
  /** The number of events that were received before, with the same content. */
  duplicates: number;
  /** Events whose id was received before with other content: they are not counted. */
  conflicts: { index: number; id: string }[];
  refused: UsageRefusal[];
  /** The number of accepted events that wait for their customer. */
  unassigned: number;
}

export const mostUsageEvents = 1000;

/** Records 1 to 1,000 events; each is accepted or refused by itself. Error: `validation_failed` for their number. */
export const recordUsage = (
  tenant: TenantScope,
  { events }: { events: UsageEventInput[] },
): Promise<RecordedUsage> => takeEvents(tenant, events, 'recorded');

/**
 * Takes 1 to 1,000 events of any past time, such as those of another system, which usage shows and no bill or limit ever counts.
 * Error: `validation_failed` for their number.
 */
export const backfillUsage = (
  tenant: TenantScope,
  { events }: { events: UsageEventInput[] },
): Promise<RecordedUsage> => takeEvents(tenant, events, 'backfilled');

async function takeEvents(
  tenant: TenantScope,
  events: UsageEventInput[],
  origin: Origin,
): Promise<RecordedUsage> {
  if (events.length === 0) refuse('validation_failed', { path: 'events', message: 'must not be empty' });
  const { timezone } = tenant.record;
  const [given, misshapen]: [GivenEvent[], UsageRefusal[]] = [[], []];
  for (const [index, event] of events.entries()) {
    const read = readEvent(event, index, timezone);
    if ('reason' in read) misshapen.push(read);
    else given.push(read);
  }
  await beginUsageOnce(tenant);
  const result: RecordedUsage = { ...createResult(), refused: misshapen };
  const parts = tenant.runRecordings((recording) =>
    recordPieces(recording, tenant.alias, { given, origin, record }),
  );
  let mostLagMs: number | undefined;
  for (const { lagMs, ...part } of await parts) {
    addResult(result, part);
    if (lagMs !== undefined) mostLagMs = Math.max(mostLagMs ?? 0, lagMs);
  }
  for (const list of [result.conflicts, result.refused]) list.sort((a, b) => a.index - b.index);
  publishUsage({
    accepted: result.accepted,
    duplicates: result.duplicates,
    conflicts: result.conflicts.length,
    refused: result.refused.length,
    lagSeconds: mostLagMs === undefined ? undefined : mostLagMs / secondMs,
  });
  return result;
}

function addResult(sum: RecordedUsage, part: RecordedUsage): void {
  sum.accepted += part.accepted;
  sum.duplicates += part.duplicates;
  sum.unassigned += part.unassigned;
  sum.conflicts.push(...part.conflicts);
  sum.refused.push(...part.refused);
}

/** Notes that the tenant has usage, before its first event: from then on new customers get the events that wait for them. */
export async function beginUsageOnce(tenant: TenantScope): Promise<void> {
  if (tenant.record.usageSince === null) await tenant.writeStep(beginUsage);
}

async function beginUsage(unit: UnitOfWork): Promise<void> {
  if (unit.tenant.usageSince === null) await unit.change('tenants', unit.tenant, { usageSince: unit.now });
}

type Recorded = RecordedUsage & { lagMs?: number };

/** Records the events of several requests; returns the result of each. */
async function record(
  recorder: UsageRecorder,
  requests: readonly (readonly GivenEvent[])[],
  origin: Origin,
): Promise<Recorded[]> {
  const { rows, now } = recorder;
  const given = requests.flat();
  if (given.length === 0) return requests.map(() => createResult());
  const [meters, customers, received] = await Promise.all([
    rows.many('meters', { where: { event: distinct(given.map(({ event }) => event)) } }),
    findCustomers(rows, given),
    findReceived(rows, now, given),
  ]);
  const judge = createJudge(recorder, { meters, customers, received, origin });
  const judged = requests.map(judge);
  await addEvents(
    recorder,
    meters,
    judged.flatMap(({ added }) => added),
    origin,
  );
  const isBackfill = origin === 'backfilled';
  return judged.map(({ result, added }) => ({
    ...result,
    ...(added.length > 0 && !isBackfill && { lagMs: computeLagMs(added, now) }),
  }));
}

const createResult = (): RecordedUsage => ({
  accepted: 0,
  duplicates: 0,
  conflicts: [],
  refused: [],
  unassigned: 0,
});

/** What is known when events are judged. */
interface Known {
  meters: readonly MeterRow[];
  customers: Awaited<ReturnType<typeof findCustomers>>;
  /** The judged events are added to it. */
  received: Map<string, EventRow | 'forgotten'>;
  origin: Origin;
}

/** Returns a function that decides what becomes of the events of a request, and builds the rows of those that count. */
function createJudge(recorder: UsageRecorder, { meters, customers, received, origin }: Known) {
  const { now } = recorder;
  const times = { now, earliest: addMs(now, -usageSpanMs), latest: addMs(now, usageAheadMs) };
  const isBackfill = origin === 'backfilled';
  const findFault = isBackfill ? refuseUnlessPast : refuseUnlessValid;
  return (given: readonly GivenEvent[]): { result: RecordedUsage; added: EventRow[] } => {
    const result = createResult();
    const added: EventRow[] = [];
    for (const event of given) {
      const customerId = customers.find(event);
      const known = received.get(event.eventId);
      if (known) {
        if (known === 'forgotten' || isSameEvent(event, customerId, known)) result.duplicates += 1;
        else result.conflicts.push({ index: event.index, id: event.eventId });
        continue;
      }
      const refusal = findFault(event, customerId, meters, times);
      if (refusal) {
        result.refused.push(refusal);
        continue;
      }
      const row = buildEvent(recorder, event, customerId, isBackfill || null);
      received.set(event.eventId, row);
      added.push(row);
      if (customerId === null) result.unassigned += 1;
    }
    result.accepted = added.length;
    return { result, added };
  };
}

/** Returns by how much the oldest event was late. */
function computeLagMs(events: readonly EventRow[], now: string): number {
  const oldest = events.reduce((least, { at }) => (at < least ? at : least), now);
  return Date.parse(now) - Date.parse(oldest);
}

const distinct = (texts: string[]): string[] => [...new Set(texts)];

const allButIds = allColumnsBut('customers', 'id', 'associatedId');

/** Finds the customers that events name, by their id or by that of the client. */
async function findCustomers(rows: TenantWrites, given: readonly GivenEvent[]) {
  const ids = distinct(given.flatMap(({ customerId }) => customerId ?? []));
  const names = distinct(given.flatMap(({ associatedId }) => associatedId ?? []));
  const [found, named] = await Promise.all([
    ids.length > 0 ? rows.many('customers', { where: { id: ids }, leaveOut: allButIds }) : [],
    names.length > 0 ? rows.many('customers', { where: { associatedId: names }, leaveOut: allButIds }) : [],
  ]);
  const byId = new Set(found.map(({ id }) => id));
  const byName = new Map(named.map(({ id, associatedId }) => [associatedId, id]));
  return {
    /** Returns the id of the customer of an event; null if there is none. */
    find: ({ customerId, associatedId }: GivenEvent): string | null =>
      associatedId === null
        ? customerId !== null && byId.has(customerId)
          ? customerId
          : null
        : (byName.get(associatedId) ?? null),
  };
}

/** PostgreSQL looks up a hundred ids in the index; for 500 it read a table of 60,000, which took ten times as long for each. */
const idsAtOnce = 100;

/**
 * Returns the events that were received in the last 35 days, by the id of the client; `forgotten` for those that were removed
 * with their customer.
 */
export async function findReceived(
  rows: TenantWrites,
  now: string,
  given: readonly Pick<GivenEvent, 'eventId'>[],
): Promise<Map<string, EventRow | 'forgotten'>> {
  const eventId = distinct(given.map((event) => event.eventId));
  const span = listIdSpans(now);
  const parts = divideIntoChunks(eventId, idsAtOnce);
  const found = await Promise.all(
    parts.map(async (part) => rows.many('usageIds', { where: { span, eventId: part } })),
  );
  const known = found.flat();
  const received = new Map<string, EventRow | 'forgotten'>();
  if (known.length === 0) return received;
  for (const each of known) received.set(each.eventId, 'forgotten');
  const events = await rows.many('usageEvents', { where: { id: known.map(({ id }) => id) } });
  const earliest = addMs(now, -usageSpanMs);
  for (const event of events) {
    if (event.receivedAt > earliest) received.set(event.eventId, event);
    else if (received.get(event.eventId) === 'forgotten') received.delete(event.eventId);
  }
  return received;
}

/** The present time, and those between which a recorded event must be. */
interface Times {
  now: string;
  earliest: string;
  latest: string;
}

/** Checks a new event: its customer, its time, and the values that meters need. */
function refuseUnlessValid(
  event: GivenEvent,
  customerId: string | null,
  meters: readonly MeterRow[],
  { now, earliest, latest }: Times,
): UsageRefusal | undefined {
  const { index, at = now } = event;
  if (customerId === null && event.customerId !== null)
    return refuseEvent(index, 'customerId', 'is not the id of a customer', 'customer_not_found');
  if (at < earliest) return refuseEvent(index, 'at', 'must be at most 35 days ago');
  if (at > latest) return refuseEvent(index, 'at', 'must be at most 5 minutes ahead');
  return refuseValues(event, meters, { at, backfilled: null });
}

/** Checks a new event to backfill: its customer exists, it is over, and meters can count it. */
function refuseUnlessPast(
  event: GivenEvent,
  customerId: string | null,
  meters: readonly MeterRow[],
  { now }: Times,
): UsageRefusal | undefined {
  const { index, at } = event;
  if (customerId === null) {
    const path = event.customerId === null ? 'associatedId' : 'customerId';
    return refuseEvent(index, path, 'is not the id of a customer', 'customer_not_found');
  }
  if (at === undefined) return refuseEvent(index, 'at', 'must be given');
  if (at > now) return refuseEvent(index, 'at', 'must be in the past');
  return refuseValues(event, meters, { at, backfilled: true });
}

function refuseValues(
  { index, event, properties }: GivenEvent,
  meters: readonly MeterRow[],
  { at, backfilled }: Pick<EventRow, 'at' | 'backfilled'>,
): UsageRefusal | undefined {
  for (const meter of meters) {
    const wrong = findWrongValue(meter, { event, at, properties, backfilled });
    if (wrong === undefined) continue;
    const message = isInexact(properties[wrong]!) ? inexactValue : wrongValue;
    return refuseEvent(index, `properties.${wrong}`, message);
  }
  return undefined;
}

const inexactValue = 'must be text if it has more than 15 digits, since JSON numbers lose the others';
const wrongValue = 'must be a decimal with at most 18 digits before the point and 12 after it';

/** Refuses an event with a value that a meter cannot count. Error: `validation_failed`. */
export function refuseWrongValue(meters: readonly MeterRow[], event: EventRow): void {
  for (const meter of meters) {
    const wrong = findWrongValue(meter, event);
    if (wrong !== undefined)
      refuse('validation_failed', { path: `properties.${wrong}`, message: wrongValue });
  }
}

/** Builds the row of a new event. */
export const buildEvent = (
  { tenant, now, ids }: UsageRecorder,
  { eventId, event, associatedId, at = now, properties }: Omit<GivenEvent, 'index' | 'customerId'>,
  customerId: string | null,
  backfilled: true | null = null,
): EventRow => ({
  tenantAlias: tenant.alias,
  id: ids.next('use'),
  eventId,
  event,
  customerId,
  associatedId,
  at,
  properties,
  receivedAt: now,
  voidedAt: null,
  backfilled,
});

/** Adds new events, of which the meters are given that count events of their names. */
export async function addEvents(
  recorder: UsageRecorder,
  meters: readonly MeterRow[],
  added: EventRow[],
  origin: Origin = 'recorded',
): Promise<void> {
  const { rows, tenant, now } = recorder;
  const [span] = listIdSpans(now);
  await rows.insertAll('usageEvents', added);
  await rows.insertAll(
    'usageIds',
    added.map(({ eventId, id }) => ({ tenantAlias: tenant.alias, span, eventId, id })),
  );
  if (origin === 'backfilled') return addToBuckets(rows, meters, added, origin);
  // Each reads and writes tables of its own: PostgreSQL is asked once for all of them.
  await Promise.all([
    addToBuckets(rows, meters, added, origin),
    addToTotals(rows, meters, added),
    noteGrowth(recorder, added),
    noteAlerts(recorder, meters, added),
  ]);
}
