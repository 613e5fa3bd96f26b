/** Usage events as REST takes them: one whose form is wrong is refused alone, which GraphQL's types cannot say. */
import { isJsonObject } from '../lib/json.ts';
import { isGiven } from '../lib/validation.ts';
import type { ReadBody } from './route.ts';

/** What is wrong with an event: the field, empty for the whole event, and why. */
export type Fault = [field: string, message: string];

interface Recorded {
  refused: { index: number; path: string; message: string }[];
}

/** Stands for an event whose form is wrong, which the recording refuses. `complete` then says what is wrong. */
const misshapen = { id: '', event: '' };

/** Reads a list of events, each by itself. `check` finds what is wrong with one, `read` converts those without a fault. */
export function readApart(
  list: unknown[],
  check: (given: unknown) => Fault | undefined,
  read: (given: Record<string, unknown>) => Record<string, unknown>,
): ReadBody {
  const faults = new Map<number, { path: string; message: string }>();
  const events = list.map((given, index) => {
    const fault = check(given);
    if (!fault) return read(given as Record<string, unknown>);
    const [field, message] = fault;
    faults.set(index, { path: `events.${index}${field && `.${field}`}`, message });
    return misshapen;
  });
  const complete = (result: Recorded): Recorded => ({
    ...result,
    refused: result.refused.map((refusal) => ({ ...refusal, ...faults.get(refusal.index) })),
  });
  return { body: { events }, complete };
}

/** Reads the body of `POST /usage`. What is no list of events is refused whole, as any other field. */
export function readUsageEvents(body: Record<string, unknown>): ReadBody {
  const { events, ...others } = body;
  if (!Array.isArray(events)) return { body };
  const { body: read, complete } = readApart(events, findFault, (event) => event);
  return { body: { ...others, ...read }, ...(complete && { complete }) };
}

function findFault(given: unknown): Fault | undefined {
  if (!isJsonObject(given)) return ['', 'must be an object'];
  const { id, event, customerId, associatedId, at, properties } = given;
  for (const [field, value] of Object.entries({ id, event })) {
    if (!isGiven(value)) return [field, 'is required'];
    if (typeof value !== 'string') return [field, 'must be text'];
  }
  for (const [field, value] of Object.entries({ customerId, associatedId, at }))
    if (isGiven(value) && typeof value !== 'string') return [field, 'must be text'];
  return isGiven(properties) && !isJsonObject(properties) ? ['properties', 'must be an object'] : undefined;
}
