/** Which meters count an event, and as what. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UsageProperties } from '../../storage/model/usage.ts';
import type { Counted } from './tally.ts';
import { readValue } from './usageEvent.ts';

export type MeterRow = Row<'meters'>;

type Event = Pick<Row<'usageEvents'>, 'id' | 'event' | 'at' | 'properties'>;

/** Whether a meter counts the events of a name at a time with these properties. */
const isCounted = (meter: MeterRow, { event, at, properties }: Omit<Event, 'id'>): boolean =>
  meter.event === event &&
  meter.startsAt <= at &&
  (meter.archivedAt === null || at < meter.archivedAt) &&
  meter.filter.every(({ property, values }) => {
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
  if (!isCounted(meter, event)) return undefined;
  const { id, at, properties } = event;
  if (meter.value === null) return { id, at };
  if (meter.aggregation === 'unique') {
    const text = readText(properties, meter.value);
    return text === undefined ? undefined : { id, at, text };
  }
  const value = readValue(readProperty(properties, meter.value));
  return value && { id, at, value };
}

/** Returns the property of an event that a meter has to aggregate, but that is no decimal. */
export function findWrongValue(meter: MeterRow, event: Omit<Event, 'id'>): string | undefined {
  const { aggregation, value: name } = meter;
  if (name === null || aggregation === 'unique' || !isCounted(meter, event)) return undefined;
  const value = readProperty(event.properties, name);
  return value === null || readValue(value) ? undefined : name;
}

/** Returns the values of the meter's `groupBy` as a JSON list. */
export const readGroup = ({ groupBy }: MeterRow, properties: UsageProperties): string =>
  groupBy.length === 0 ? '[]' : JSON.stringify(groupBy.map((name) => readText(properties, name) ?? null));
