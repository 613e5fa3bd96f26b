import * as z from 'zod';
import { formatSuggestions } from '../../lib/suggestions.ts';
import { activityTypes, eventTypes } from '../../tenancy/traces/eventTypes.ts';

const filters: readonly string[] = [...activityTypes, ...eventTypes.map(({ name }) => name)];
const known = new Set(filters);

/** The number of events and activity types that a filter can name. */
export const mostEvents = filters.length;

/** Validates the event filter of an endpoint: existing activity types and events; removes duplicates. */
export const eventFilter = z
  .array(z.string())
  .max(mostEvents, { message: `must be at most ${mostEvents}`, abort: true })
  .superRefine((names, context) => {
    for (const [index, name] of names.entries()) {
      if (known.has(name)) continue;
      const message = `must be an activity type or an event, listed by eventTypes.${formatSuggestions(name, filters)}`;
      context.addIssue({ code: 'custom', path: [index], message });
    }
  })
  .transform((names) => [...new Set(names)]);

/** Returns the names in a stored filter that are not events of this release; earlier releases accepted them. */
export const listUnknownEvents = (names: string[]): string[] => names.filter((name) => !known.has(name));
