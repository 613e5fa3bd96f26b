/** Meters: what is counted of the events with a name. What a meter has counted stays; a version counts later events otherwise. */
import * as z from 'zod';
import { formatDecimal, parseDecimal } from '../../lib/decimal.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import { name, parseInput } from '../../lib/validation.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { addToBuckets } from './buckets.ts';
import { findCountedFeature } from './limitMeters.ts';
import type { MeterRow } from './counting.ts';
import { readReceived } from './eventPages.ts';
import { isForbiddenName } from './usageEvent.ts';
import { ceilToQuarter, floorToQuarter, usageAheadMs } from './quarters.ts';

const mostGroups = 3;
const mostFilters = 5;
const mostValues = 50;
const mostMeters = 100;

const eventName = z.string().min(1, 'must not be empty').max(100, 'must be at most 100 characters');
/** The name of a property of events. */
const property = eventName.refine((text) => !isForbiddenName(text), 'must be a name that an event may have');

const groupNames = z
  .array(property)
  .max(mostGroups, `must have at most ${mostGroups} properties`)
  .refine((names) => new Set(names).size === names.length, 'must name each property once')
  .nullish();
const conditions = z
  .array(
    z.object({
      property,
      values: z
        .array(z.string().max(500, 'must be at most 500 characters'))
        .min(1, 'must not be empty')
        .max(mostValues, `must have at most ${mostValues} values`),
    }),
  )
  .max(mostFilters, `must have at most ${mostFilters} conditions`)
  .nullish();

/** What a version of a meter may change. */
export const meterTerms = { value: property.nullish(), groupBy: groupNames, filter: conditions };

const newMeter = z.object({
  name,
  event: eventName,
  aggregation: z.enum(['count', 'sum', 'max', 'min', 'latest', 'unique', 'weighted_sum']),
  value: meterTerms.value.transform((given) => given ?? null),
  groupBy: meterTerms.groupBy.transform((names) => names ?? []),
  filter: meterTerms.filter.transform((given) => given ?? []),
  persistent: z
    .boolean()
    .nullish()
    .transform((is) => is ?? false),
  unitMultiplier: z
    .string()
    .nullish()
    .transform((text) => text ?? '1'),
});

const meterChanges = z.object({ name });

/** What a meter counts, as it is created. */
export type MeterDefinition = Omit<
  MeterRow,
  | 'tenantAlias'
  | 'id'
  | 'startsAt'
  | 'archivedAt'
  | 'totalsSince'
  | 'alertsSince'
  | 'earlierVersions'
  | 'createdAt'
  | 'updatedAt'
>;

/** Checks the definition of a meter. Error: `validation_failed`. */
export function readMeterDefinition(input: unknown): MeterDefinition {
  const { unitMultiplier, ...values } = parseInput(newMeter, input);
  refuseWrongProperty(values);
  const multiplier = parseDecimal(unitMultiplier);
  if (!multiplier || multiplier.digits <= 0n)
    return refuse('validation_failed', { path: 'unitMultiplier', ...notPositive });
  return { ...values, unitMultiplier: formatDecimal(multiplier) };
}

/** Refuses a property for `count`, and none for the others. Error: `validation_failed`. */
export function refuseWrongProperty({
  aggregation,
  value,
}: Pick<MeterDefinition, 'aggregation' | 'value'>): void {
  if ((aggregation === 'count') === (value === null)) return;
  const message = value === null ? 'must be given unless events are counted' : 'must not be given for count';
  refuse('validation_failed', { path: 'value', message });
}

/**
 * Creates a meter. It counts the events from the beginning of this quarter of an hour on, also those that were received before.
 * Error: `validation_failed`.
 */
export async function createMeter(unit: UnitOfWork, input: unknown): Promise<MeterRow> {
  const definition = readMeterDefinition(input);
  await unit.lockUsage();
  const others = await unit.many('meters', { where: { event: definition.event, archivedAt: null } });
  if (others.length >= mostMeters)
    refuse('validation_failed', {
      path: 'event',
      message: `has ${mostMeters} meters, the most there may be`,
    });
  const startsAt = floorToQuarter(unit.now);
  const meter = await unit.create('meters', {
    id: unit.id('mtr'),
    ...definition,
    startsAt,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
  await countEarlier(unit, meter);
  return meter;
}

/** Counts the events of the current quarter of an hour, which were received in it or just before. */
async function countEarlier({ usage }: UnitOfWork, meter: MeterRow): Promise<void> {
  for await (const events of readReceived(usage, addMs(meter.startsAt, -usageAheadMs)))
    await addToBuckets(usage, [meter], events);
}

/** Changes the name of a meter. Errors: `meter_not_found`, `validation_failed`. */
export async function updateMeter(unit: UnitOfWork, id: string, input: unknown): Promise<MeterRow> {
  const changes = parseInput(meterChanges, input);
  return unit.change('meters', await findMeter(unit, id), changes);
}

/**
 * Ends a meter with this quarter of an hour: later events do not count for it. Errors: `meter_not_found`, `meter_in_use` while
 * a price can be ordered, or a subscription is billed, or a feature is counted, by it.
 */
export async function archiveMeter(unit: UnitOfWork, id: string): Promise<MeterRow> {
  await unit.lockUsage();
  const meter = await findMeter(unit, id);
  if (meter.archivedAt !== null) return meter;
  await refuseUsedMeter(unit, id);
  const archivedAt = ceilToQuarter(unit.now);
  // Events may be a few minutes ahead of their time.
  for (const table of ['usageBuckets', 'usageValues'] as const)
    await unit.usage.remove(table, { meterId: id, startsAt: { from: archivedAt } });
  await unit.usage.remove('usageTotals', { meterId: id });
  return unit.change('meters', meter, { archivedAt }, { action: 'archived' });
}

async function refuseUsedMeter(reads: Reads, meterId: string): Promise<void> {
  const offered = await reads.one('prices', {
    meterId,
    archivedAt: null,
    productId: { undeleted: 'products' },
  });
  if (offered) refuse('meter_in_use', { path: 'id', message: `is the meter of the price ${offered.id}` });
  const feature = await findCountedFeature(reads, meterId);
  if (feature !== undefined) refuse('meter_in_use', { path: 'id', message: `counts the feature ${feature}` });
  const period = await reads.one('usagePeriods', { meterId, endsAt: null });
  if (period)
    refuse('meter_in_use', { path: 'id', message: `bills the subscription ${period.subscriptionId}` });
}

/** Returns the meter with this id. Error: `meter_not_found`. */
export async function findMeter(reads: Reads, id: string): Promise<MeterRow> {
  return (await reads.one('meters', { id })) ?? refuse('meter_not_found');
}

/** Lists the meters; newest first by default. Error: `cursor_invalid`. */
export const listMeters = (
  tenant: TenantScope,
  filter: { event?: string | null },
  args: PageArgs,
): Promise<Page<MeterRow>> =>
  readPage(
    tenant,
    {
      name: 'meters',
      table: 'meters',
      where: { event: filter.event ?? undefined },
      by: ['createdAt', 'id'],
    },
    args,
  );
