import { createHash } from 'node:crypto';
import type { Row } from '../../storage/model/rowTypes.ts';
import { activities } from '../../tenancy/traces/traceTypes.ts';
import {
  toCurrentEventName,
  toCurrentPayloadQuery,
  toCurrentSpelling,
  type TracedTable,
} from '../../tenancy/traces/eventTypes.ts';
import { isJsonObject } from '../../lib/json.ts';

type Shown = Record<string, unknown>;

interface Payload {
  action: string;
  resourceId: string;
  object: Shown;
  changes: Record<string, [unknown, unknown]>;
}

/** A difference between a trace and the trace before it, or between a record and its last trace. */
interface TraceFault {
  subject: string;
  found: string;
}

/** Formats JSON with sorted keys, because rows do not have a fixed order of fields. */
const canonicalize = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

// Stores a hash of each record, because there may be millions.
const computeDigest = (state: Shown) =>
  createHash('sha256').update(canonicalize(state)).digest('base64').slice(0, 22);

/** The details of a price, without the amount where it follows from the tiers: earlier releases recorded 0 for it. */
const normalizeDetails = (details: unknown, tiers: unknown): unknown =>
  tiers !== undefined && isJsonObject(details) ? { ...details, amount: undefined } : details;

/**
 * Normalizes a record for comparison. `updatedAt` is left out, because it is the time of the trace itself. Null is
 * equal to a column that did not exist when the trace was written. Names of earlier releases are converted to
 * current ones, because migrations change records but not traces.
 */
const normalize = ({ updatedAt: _, status, events, query, details, ...state }: Shown): Shown =>
  Object.fromEntries(
    Object.entries({
      ...state,
      details: normalizeDetails(details, state['tiers']),
      status: typeof status === 'string' ? toCurrentSpelling(status) : status,
      events: Array.isArray(events) ? events.map((name) => toCurrentEventName(String(name))) : events,
      query: typeof query === 'string' ? toCurrentPayloadQuery(query) : query,
    }).filter(([, value]) => value !== null && value !== undefined),
  );

/** Whether a record was written before the changes of its table were traced, and has not changed since. */
const isOlderThanTraces = (name: TracedTable, row: object): boolean =>
  name === 'paymentMethods' && (row as Row<'paymentMethods'>).updatedAt === null;

/**
 * Creates a replay of a tenant's traces, which are passed in the order of their recording. Each trace must begin
 * with the state that the previous one ended with, and the last must match the record.
 */
export function createReplay() {
  const last = new Map<string, { digest: string; isDeleted: boolean; isExported: boolean }>();

  const follow = ({ eventId, activityType, payload }: Row<'traces'>): TraceFault[] => {
    const { action, resourceId, object, changes } = payload as unknown as Payload;
    const before = last.get(resourceId);
    // A deleted customer can still be erased.
    const isDeleted = action === 'deleted' || (action === 'erased' && before?.isDeleted === true);
    // A tenant's file has the traces of its operators, but the operators stay with their server.
    const isExported = activityType !== 'OperatorEvent';
    last.set(resourceId, { digest: computeDigest(normalize(object)), isDeleted, isExported });
    if (before === undefined) return [];
    const undone = { ...object };
    for (const [field, [from]] of Object.entries(changes)) {
      if (from === undefined) delete undone[field];
      else undone[field] = from;
    }
    if (computeDigest(normalize(undone)) === before.digest) return [];
    return [{ subject: eventId, found: `does not follow from the previous trace of ${resourceId}` }];
  };

  const compare = <Name extends TracedTable>(name: Name, row: Row<Name>): TraceFault[] => {
    const id = 'id' in row ? String(row.id) : (row as Row<'tenants'>).alias;
    const lastState = last.get(id);
    last.delete(id);
    if (!lastState && isOlderThanTraces(name, row)) return [];
    if (!lastState) return [{ subject: id, found: 'exists without a trace' }];
    const { show } = activities[name] as { show: (row: Row<Name>) => Shown };
    const isEqual =
      lastState.digest === computeDigest(normalize(JSON.parse(canonicalize(show(row))) as Shown));
    return isEqual ? [] : [{ subject: id, found: 'differs from its last trace' }];
  };

  /**
   * Returns records that do not exist, although their last trace is not a deletion; an operator's access is none of them.
   * Call it after all records have been compared.
   */
  const listMissing = (): TraceFault[] =>
    [...last]
      .filter(([, { isDeleted, isExported }]) => !isDeleted && isExported)
      .map(([subject]) => ({ subject, found: 'is missing without a trace of its deletion' }));

  return { follow, compare, listMissing };
}
