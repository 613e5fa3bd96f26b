import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { tableDeclarations, type TableName } from '../../../src/storage/model/rowTypes.ts';
import { activities } from '../../../src/tenancy/traces/traceTypes.ts';
import type { TracedTable } from '../../../src/tenancy/traces/eventTypes.ts';
import { readRows } from './books.ts';

type Shown = Record<string, unknown>;

interface Told {
  eventId: string;
  parentId: string | null;
  payload: { action: string; resourceId: string; object: Shown; changes: Record<string, [unknown, unknown]> };
}

/** JSON with the fields in one order: a row that was just made has them in the order of the rule that made it. */
const formatValue = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  ) ?? 'undefined';

/**
 * Replays every trace: each change must start from the state of the previous trace and lead to its own state; the
 * last one must show the present row, and removed rows must be absent.
 */
export function traceFaults(disk: Database.Database): string[] {
  const faults: string[] = [];
  const states = new Map<string, { shown: string; deleted: boolean }>();
  const traces = disk
    .prepare(
      'SELECT tenant_alias AS alias, event_id AS eventId, parent_id AS parentId, payload FROM traces ORDER BY event_id',
    )
    .iterate() as IterableIterator<{
    alias: string;
    eventId: string;
    parentId: string | null;
    payload: string;
  }>;
  for (const { alias, eventId, parentId, payload } of traces) {
    const trace: Told = { eventId, parentId, payload: JSON.parse(payload) as Told['payload'] };
    const key = `${alias} ${trace.payload.resourceId}`;
    faults.push(...replay(trace, states.get(key)?.shown));
    const { action, object } = trace.payload;
    // Also a customer that is gone can be erased.
    const deleted = action === 'deleted' || (action === 'erased' && states.get(key)?.deleted === true);
    states.set(key, { shown: formatValue(object), deleted });
  }
  for (const name of Object.keys(activities) as TracedTable[]) faults.push(...unlike(disk, name, states));
  return faults;
}

function replay(
  { eventId, payload: { action, object, changes } }: Told,
  before: string | undefined,
): string[] {
  if (before === undefined) return [];
  const state = JSON.parse(before) as Shown;
  const faults: string[] = [];
  const changed = Object.entries(changes);
  for (const [field, [from, to]] of changed) {
    // A field that only some prices have, as `tiers`, is null in the changes where it is left out.
    if (formatValue(state[field] ?? null) !== formatValue(from)) {
      faults.push(`${eventId}: ${field} was ${formatValue(state[field])}, not ${formatValue(from)}`);
    }
    if (to === null && !(field in object)) delete state[field];
    else state[field] = to;
  }
  // When it was changed is the time of the trace itself.
  if (changed.length > 0 || action === 'erased') state['updatedAt'] = object['updatedAt'];
  const differing = Object.keys({ ...state, ...object }).filter(
    // Erasure leaves null where a field is shown only if it has a value.
    (field) => formatValue(state[field] ?? null) !== formatValue(object[field] ?? null),
  );
  if (differing.length > 0)
    faults.push(
      `${eventId}: ${action} of ${String(object['id'])} shows ${differing
        .map((field) => `${field} ${formatValue(object[field])}, not ${formatValue(state[field])}`)
        .join()}`,
    );
  return faults;
}

function unlike(
  disk: Database.Database,
  name: TracedTable,
  states: Map<string, { shown: string; deleted: boolean }>,
): string[] {
  const show = activities[name].show as (row: object) => Shown;
  return readRows(disk, name).flatMap((row) => {
    const { alias, tenantAlias, id } = row as unknown as Record<string, string>;
    const key = name === 'tenants' ? `${alias} ${alias}` : `${tenantAlias} ${id}`;
    const state = states.get(key);
    if (state?.shown === formatValue(show(row))) return [];
    return [`${key}: is ${formatValue(show(row))}, last told ${state?.shown}`];
  });
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The hash of every row of every table, in the order of their keys: the same for the same history. */
export function hashDatabase(disk: Database.Database): string {
  const hash = createHash('sha256');
  for (const name of (Object.keys(tableDeclarations) as TableName[]).toSorted()) {
    const { name: table, keys } = tableDeclarations[name];
    const order = (keys.primary as string[]).map(snakeCase).join();
    for (const row of disk.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).raw().iterate()) {
      hash.update(
        JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      );
    }
  }
  return hash.digest('hex');
}
