/**
 * Versions of a meter: from a time on it counts by another property, filter or breakdown. What it counted before stays, so bills
 * and usage of the past do.
 */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { addMs, parseInstant } from '../../lib/time.ts';
import { isGiven, parseInput } from '../../lib/validation.ts';
import type { EarlierVersion, MeterTerms } from '../../storage/model/usage.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { recountQuarter } from './buckets.ts';
import type { MeterRow } from './counting.ts';
import { readReceived } from './eventPages.ts';
import { findMeter, meterTerms, refuseWrongProperty } from './meters.ts';
import { ceilToQuarter, floorToQuarter, quarterMs, usageAheadMs } from './quarters.ts';
import { dropTotals } from './totals.ts';

const mostVersions = 100;

const newVersion = z.object({ ...meterTerms, startsAt: z.string().nullish() });

/** A version as it is shown. */
export interface MeterVersion extends MeterTerms {
  startsAt: string;
}

/** Lists the versions of a meter in the order of time. The last one may begin later. */
export function listVersions(meter: MeterRow): MeterVersion[] {
  const earlier = meter.earlierVersions ?? [];
  const starts = [meter.startsAt, ...earlier.map(({ until }) => until)];
  return [...earlier, meter].map(({ value, groupBy, filter }, index) => ({
    startsAt: starts[index]!,
    value,
    groupBy,
    filter,
  }));
}

/** Returns the versions of a meter that have begun: the present one, and those before it. */
function readBegun(meter: MeterRow, now: string): { present: MeterTerms; before: EarlierVersion[] } {
  const before = meter.earlierVersions ?? [];
  const last = before.at(-1);
  return last && last.until > now
    ? { present: last, before: before.slice(0, -1) }
    : { present: meter, before };
}

/**
 * Returns the terms of a new version: those of the present one with the changes. A breakdown may only be extended, since rates
 * of prices name its properties. Error: `validation_failed`.
 */
export function readVersion(meter: MeterRow, input: unknown, now: string): MeterTerms {
  const given = parseInput(newVersion, input);
  const { present } = readBegun(meter, now);
  const terms: MeterTerms = {
    value: given.value ?? present.value,
    groupBy: given.groupBy ?? present.groupBy,
    filter: given.filter === undefined ? present.filter : (given.filter ?? []),
  };
  refuseWrongProperty({ ...meter, ...terms });
  if (present.groupBy.some((name, index) => terms.groupBy[index] !== name))
    refuse('validation_failed', {
      path: 'groupBy',
      message: `must begin with ${JSON.stringify(present.groupBy)}`,
    });
  return terms;
}

/**
 * Lets a meter count by other terms from a time on, by default from the next quarter of an hour. It replaces a version that has not
 * begun; the terms that hold now take such a version back. Errors: `meter_not_found`, `validation_failed`.
 */
export async function createMeterVersion(unit: UnitOfWork, id: string, input: unknown): Promise<MeterRow> {
  await unit.lockUsage();
  const meter = await findMeter(unit, id);
  if (meter.archivedAt !== null)
    refuse('validation_failed', { path: 'id', message: 'must not be the id of an archived meter' });
  const { value, groupBy, filter } = readVersion(meter, input, unit.now);
  const { present, before } = readBegun(meter, unit.now);
  const startsAt = readStart(meter, input, { now: unit.now, timeZone: unit.tenant.timezone });
  if (before.length >= mostVersions - 1)
    refuse('validation_failed', {
      path: 'id',
      message: `has ${mostVersions} versions, the most there may be`,
    });
  const { value: oldValue, groupBy: oldGroupBy, filter: oldFilter } = present;
  const old = { value: oldValue, groupBy: oldGroupBy, filter: oldFilter };
  const isSame = JSON.stringify(old) === JSON.stringify({ value, groupBy, filter });
  const versions = isSame ? before : [...before, { until: startsAt, ...old }];
  const earlierVersions = versions.length === 0 ? null : versions;
  const changes = { value, groupBy, filter, earlierVersions };
  const replaced = meter.earlierVersions?.at(-1)?.until ?? startsAt;
  const changed = await unit.change('meters', meter, changes, { action: 'version_created' });
  await recountAhead(unit, changed, replaced < startsAt && replaced > unit.now ? replaced : startsAt);
  return changed;
}

/** Reads when a version begins: at the earliest after the present one. Error: `validation_failed`. */
export function readStart(
  meter: MeterRow,
  input: unknown,
  { now, timeZone }: { now: string; timeZone: string },
): string {
  const last = readBegun(meter, now).before.at(-1)?.until ?? meter.startsAt;
  const soonest = ceilToQuarter(now);
  const next = soonest > last ? soonest : addMs(last, quarterMs);
  const { startsAt: text } = input as z.input<typeof newVersion>;
  const startsAt = isGiven(text) ? parseInstant(text, timeZone, 'startsAt') : next;
  if (floorToQuarter(startsAt) !== startsAt)
    refuse('validation_failed', {
      path: 'startsAt',
      message: 'must be the beginning of a quarter of an hour',
    });
  if (startsAt < next)
    refuse('validation_failed', { path: 'startsAt', message: `must not be before ${next}` });
  return startsAt;
}

/** Counts the events anew that are ahead of their time, and were counted by the terms before. */
async function recountAhead({ usage, now }: UnitOfWork, meter: MeterRow, from: string): Promise<void> {
  if (from > addMs(now, usageAheadMs)) return;
  const quarters = new Map<string, { customerId: string; startsAt: string }>();
  for await (const events of readReceived(usage, addMs(now, -usageAheadMs)))
    for (const { event, customerId, at } of events)
      if (event === meter.event && customerId !== null && at >= from)
        quarters.set(`${customerId} ${floorToQuarter(at)}`, { customerId, startsAt: floorToQuarter(at) });
  const customers = [...new Set([...quarters.values()].map(({ customerId }) => customerId))];
  await dropTotals(usage, [meter], customers);
  for (const { customerId, startsAt } of quarters.values())
    await recountQuarter(usage, [meter], customerId, { startsAt, origin: 'recorded' });
}
