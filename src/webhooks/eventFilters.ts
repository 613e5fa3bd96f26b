import * as z from 'zod';
import { formatSuggestions } from '../lib/suggestions.ts';
import { activityTypes, eventTypes } from '../traces/eventTypes.ts';

const mostEvents = 100;

const filters: readonly string[] = [...activityTypes, ...eventTypes.map(({ name }) => name)];
const known = new Set(filters);

/** The filter of an endpoint: activity types and events that exist, each once. */
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

/** The names of a stored filter that no event of this release has; such an endpoint was made by an earlier one. */
export const unknownEvents = (names: string[]): string[] => names.filter((name) => !known.has(name));
