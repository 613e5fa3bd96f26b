/** Use of a feature as a usage event: one event of its meter that counts an amount of units. */
import * as z from 'zod';
import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  readDecimal,
  readSum,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import { BillingError, refuse } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { isExactNumber, isGiven } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UsageProperties } from '../../storage/model/usage.ts';
import type { UsageRecorder } from '../../tenancy/tenantScope.ts';
import { countFor, findVersion, type MeterRow } from '../usage/counting.ts';
import { addEvents, buildEvent, refuseWrongValue } from '../usage/recordUsage.ts';
import { computeUsage, countEvent, emptyTally, isSummable } from '../usage/tally.ts';
import { isSameEvent, readEvent } from '../usage/usageEvent.ts';
import type { Counter } from './counters.ts';
import type { EntitlementFacts } from './grants.ts';

type EventRow = Row<'usageEvents'>;

const isExactValue = (value: unknown) => typeof value !== 'number' || isExactNumber(value);

/** The properties of an event, which are checked as those of other events. */
export const useProperties = z
  .custom<Record<string, unknown>>(isJsonObject, 'must be an object')
  .refine(
    (properties) => Object.values(properties).every(isExactValue),
    'must have numbers that JSON keeps exactly; send others as text',
  )
  .nullish();

/** An event that a feature's use is recorded as. */
export interface UseEvent {
  eventId: string;
  event: string;
  associatedId: null;
  at: undefined;
  properties: UsageProperties;
}

/**
 * Returns what counts the use of a feature by a meter; without its id by the only one. Error: `validation_failed` for another
 * meter, or if there are several.
 */
export function findCounter({ feature, counters }: EntitlementFacts, meterId?: string | null): Counter {
  const [first, ...others] = counters;
  if (!first)
    return refuse('validation_failed', {
      path: 'feature',
      message: 'must be a limit with a meter or a credit type',
    });
  if (!isGiven(meterId)) {
    if (others.length === 0) return first;
    return refuse('validation_failed', {
      path: 'meterId',
      message: 'must be given: the credit type of the feature has several meters',
    });
  }
  const owner = feature.creditTypeId === null ? 'feature' : 'credit type of the feature';
  return (
    counters.find(({ meter }) => meter.id === meterId) ??
    refuse('validation_failed', { path: 'meterId', message: `must be a meter of the ${owner}` })
  );
}

/** Returns the meter that counts the use of a feature exactly. Errors: those of `findCounter`, `validation_failed`. */
export function findUseMeter(facts: EntitlementFacts, meterId?: string | null): MeterRow {
  const { meter } = findCounter(facts, meterId);
  if (isSummable(meter)) return meter;
  return refuse('validation_failed', {
    path: isGiven(meterId) ? 'meterId' : 'feature',
    message: 'must have a meter that sums or counts',
  });
}

/** Parses an amount of units to use. Error: `validation_failed` unless it is more than 0, and one event can count it. */
export function readUseAmount(meter: MeterRow, text: string): ExactDecimal {
  const amount = readDecimal(text);
  if (amount.digits <= 0n) refuse('validation_failed', { path: 'amount', message: 'must be more than 0' });
  findEventValue(meter, amount);
  return amount;
}

/** Builds the event of an amount at a time, with the client's properties. Error: `validation_failed`. */
export function buildUse(
  meter: MeterRow,
  {
    id,
    amount,
    properties,
  }: { id: string; amount: ExactDecimal; properties?: Record<string, unknown> | null },
  now: string,
): UseEvent {
  const { event } = meter;
  const { value } = findVersion(meter, now);
  const counted = value === null ? {} : { [value]: findEventValue(meter, amount) };
  const input = { id, event, customerId: 'any', properties: { ...properties, ...counted } };
  const read = readEvent(input, 0, 'UTC');
  if ('reason' in read)
    throw new BillingError(read.reason, [{ path: strip(read.path), message: read.message }]);
  return { eventId: id, event, associatedId: null, at: undefined, properties: read.properties };
}

/** Whether a use says the same as the event that was received with its id; of a forgotten one nobody knows. */
export const isSameUse = (use: UseEvent, customerId: string, known: EventRow | 'forgotten'): boolean =>
  known === 'forgotten' || isSameEvent({ ...use, index: 0, customerId }, customerId, known);

const strip = (path: string): string => path.replace(/^events\.0\./, '');

/**
 * Returns what the meters of a limit count of a use: its amount, and what other meters of the credit type count of the same
 * event.
 */
export function countUse(
  counters: readonly Counter[],
  use: UseEvent,
  { meter, amount, now }: { meter: MeterRow; amount: ExactDecimal; now: string },
): Map<string, ExactDecimal> {
  const units = new Map([[meter.id, amount]]);
  for (const { meter: other } of counters) {
    const counted =
      other.id !== meter.id &&
      isSummable(other) &&
      countFor(other, { ...use, id: use.eventId, at: now, backfilled: null });
    if (!counted) continue;
    const tally = emptyTally();
    countEvent(other.aggregation, tally, counted);
    units.set(other.id, computeUsage(other, tally, { fromMs: 0, untilMs: 1 }));
  }
  return units;
}

/** Returns the value of the meter's property that counts as an amount. */
function findEventValue({ aggregation, unitMultiplier }: MeterRow, amount: ExactDecimal): string {
  const units = readSum(unitMultiplier);
  if (aggregation === 'count') {
    if (compareDecimals(amount, units) !== 0)
      refuse('validation_failed', {
        path: 'amount',
        message: `must be ${unitMultiplier}, because the meter counts events`,
      });
    return '';
  }
  const places = 12;
  const scaled = amount.digits * 10n ** BigInt(places + units.scale);
  const divisor = units.digits * 10n ** BigInt(amount.scale);
  const value = { digits: scaled / divisor, scale: places };
  const text = formatDecimal(value);
  const isExact = compareDecimals(multiplyDecimals(value, units), amount) === 0;
  if (!isExact || text.replace(/[-.].*/, '').length > 18)
    refuse('validation_failed', {
      path: 'amount',
      message: `must be a multiple of ${unitMultiplier} that an event can count`,
    });
  return text;
}

/**
 * Records the use of a feature, which the meter must count. Errors: `validation_failed` if properties do not match the filter of
 * the meter, or another meter cannot count the event.
 */
export async function recordUse(
  recorder: UsageRecorder,
  { meter, customerId }: { meter: MeterRow; customerId: string },
  use: UseEvent,
): Promise<EventRow> {
  const meters = await recorder.rows.many('meters', { where: { event: meter.event } });
  const row = buildEvent(recorder, use, customerId);
  const own = meters.find(({ id }) => id === meter.id);
  if (own?.archivedAt === null && !countFor(own, row))
    refuse('validation_failed', {
      path: 'properties',
      message: 'must match the filter of the meter of the feature',
    });
  refuseWrongValue(meters, row);
  await addEvents(recorder, meters, [row]);
  return row;
}
