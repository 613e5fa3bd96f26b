/** Which meters count an event, and as what. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { MeterTerms, UsageProperties } from '../../storage/model/usage.ts';
import type { Counted } from './tally.ts';
import { isInexact, readValue } from './usageEvent.ts';

export type MeterRow = Row<'meters'>;

type Event = Pick<Row<'usageEvents'>, 'id' | 'event' | 'at' | 'properties' | 'backfilled'>;

/** Returns the version of a meter that counts events of a time; the first one also counts those before the meter. */
export const findVersion = (meter: MeterRow, at: string): MeterTerms =>
  meter.earlierVersions?.find(({ until }) => at < until) ?? meter;

/** Whether a meter counts the events of a name at a time with these properties. Backfilled ones may be older than the meter. */
const isCounted = (
  meter: MeterRow,
  { filter }: MeterTerms,
  { event, at, properties, backfilled }: Omit<Event, 'id'>,
): boolean =>
  meter.event === event &&
  (meter.startsAt <= at || backfilled === true) &&
  (meter.archivedAt === null || at < meter.archivedAt) &&
  filter.every(({ property, values }) => {
    const text = readText(properties, property);
    return text !== undefined && values.includes(text);
  });

const readProperty = (properties: UsageProperties, name: string) =>
  Object.hasOwn(properties, name) ? properties[name]! : null;

function readText(properties: UsageProperties, name: string): string | undefined {
  const value = readProperty(properties, name);
  return value === null ? undefined : String(value);
}

/**
 * Returns what a meter counts of an event; undefined if it does not count it, as without the property that it aggregates.
 */
export function countFor(meter: MeterRow, event: Event): Counted | undefined {
  const { id, at, properties } = event;
  const version = findVersion(meter, at);
  if (!isCounted(meter, version, event)) return undefined;
  if (version.value === null) return { id, at };
  if (meter.aggregation === 'unique') {
    const text = readText(properties, version.value);
    return text === undefined ? undefined : { id, at, text };
  }
  const value = readValue(readProperty(properties, version.value));
  return value && { id, at, value };
}

/** Returns the property of an event that a meter has to aggregate, but that is no decimal, or a number that may be inexact. */
export function findWrongValue(meter: MeterRow, event: Omit<Event, 'id'>): string | undefined {
  const version = findVersion(meter, event.at);
  const { value: name } = version;
  if (name === null || meter.aggregation === 'unique' || !isCounted(meter, version, event)) return undefined;
  const value = readProperty(event.properties, name);
  return value === null || (readValue(value) && !isInexact(value)) ? undefined : name;
}

/** Returns the values of the `groupBy` of a meter's version as a JSON list. */
export const readGroup = ({ groupBy }: MeterTerms, properties: UsageProperties): string =>
  groupBy.length === 0 ? '[]' : JSON.stringify(groupBy.map((name) => readText(properties, name) ?? null));
