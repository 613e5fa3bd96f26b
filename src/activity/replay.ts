import { createHash } from 'node:crypto';
import type { Row } from '../storage/model/rowTypes.ts';
import { activities } from '../traces/traceTypes.ts';
import {
  toCurrentEventName,
  toCurrentPayloadQuery,
  toCurrentSpelling,
  type TracedTable,
} from '../traces/eventTypes.ts';

type Shown = Record<string, unknown>;

interface Payload {
  action: string;
  resourceId: string;
  object: Shown;
  changes: Record<string, [unknown, unknown]>;
}

/** Something that was changed and not told, or told and not changed. */
interface TraceFault {
  subject: string;
  found: string;
}

/** JSON with fields in one order: a row that was just made has them in the order of the rule that made it. */
const canonicalize = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

// Of each record a hash is kept, and not what it was: there may be millions of them.
const computeDigest = (state: Shown) =>
  createHash('sha256').update(canonicalize(state)).digest('base64').slice(0, 22);

/**
 * When a record was changed is the time of the trace itself. A column that is null says the same as one that was not
 * there yet when the trace was written. Migrations put words of earlier releases into those of today, and leave traces
 * as they are.
 */
const settled = ({ updatedAt: _, status, events, query, ...state }: Shown): Shown =>
  Object.fromEntries(
    Object.entries({
      ...state,
      status: typeof status === 'string' ? toCurrentSpelling(status) : status,
      events: Array.isArray(events) ? events.map((name) => toCurrentEventName(String(name))) : events,
      query: typeof query === 'string' ? toCurrentPayloadQuery(query) : query,
    }).filter(([, value]) => value !== null && value !== undefined),
  );

/**
 * Replays the traces of a tenant, handed over in the order they were written: each change must begin at what the trace
 * before it showed, and the last must show the record as it is.
 */
export function replaying() {
  const last = new Map<string, { digest: string; isDeleted: boolean }>();

  const follow = ({ eventId, payload }: Row<'traces'>): TraceFault[] => {
    const { action, resourceId, object, changes } = payload as unknown as Payload;
    const before = last.get(resourceId);
    // Also a customer that is gone can be erased.
    const isDeleted = action === 'deleted' || (action === 'erased' && before?.isDeleted === true);
    last.set(resourceId, { digest: computeDigest(settled(object)), isDeleted });
    if (before === undefined) return [];
    const undone = { ...object };
    for (const [field, [from]] of Object.entries(changes)) {
      if (from === undefined) delete undone[field];
      else undone[field] = from;
    }
    if (computeDigest(settled(undone)) === before.digest) return [];
    return [{ subject: eventId, found: `does not follow from the previous trace of ${resourceId}` }];
  };

  const compare = <Name extends TracedTable>(name: Name, row: Row<Name>): TraceFault[] => {
    const id = 'id' in row ? String(row.id) : (row as Row<'tenants'>).alias;
    const told = last.get(id);
    last.delete(id);
    if (!told) return [{ subject: id, found: 'exists without a trace' }];
    const { show } = activities[name] as { show: (row: Row<Name>) => Shown };
    const isAsTold = told.digest === computeDigest(settled(JSON.parse(canonicalize(show(row))) as Shown));
    return isAsTold ? [] : [{ subject: id, found: 'differs from its last trace' }];
  };

  /** What was told of, is not there, and was not told to be deleted; asked when all that is there was compared. */
  const missing = (): TraceFault[] =>
    [...last]
      .filter(([, { isDeleted }]) => !isDeleted)
      .map(([subject]) => ({ subject, found: 'is missing without a trace of its deletion' }));

  return { follow, compare, missing };
}
