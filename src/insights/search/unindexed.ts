/** The records that the search index does not have yet. It follows the events, so they are named by the latest ones. */
import { idPrefixes, indexedTypes, type IndexedType } from '../../storage/model/search.ts';
import type { Reads } from '../../storage/store.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { activityTypeByTable } from '../../tenancy/traces/eventTypes.ts';
import type { SearchedTenant } from '../../tenancy/service.ts';
import { buildEntryText, searched } from './searchedTypes.ts';

/** The type of the records that events of an activity type are about. */
const typeByActivity = new Map<string, IndexedType>(
  indexedTypes.map((type) => [
    activityTypeByTable[searched[type].table as keyof typeof activityTypeByTable],
    type,
  ]),
);

/** Groups the ids of the records that events are about by the type of the records. */
export function groupRecords(events: Pick<Row<'traces'>, 'activityType' | 'resourceId'>[]) {
  const ids = new Map<IndexedType, Set<string>>();
  for (const { activityType, resourceId } of events) {
    const type = typeByActivity.get(activityType);
    if (!type || resourceId === null) continue;
    const own = ids.get(type);
    if (own) own.add(resourceId);
    else ids.set(type, new Set([resourceId]));
  }
  return ids;
}

/** Reads the events that the index has still to follow, in order, at most `limit`. */
export const readUnindexedEvents = async (reads: Reads, lastEvent: string, limit: number) =>
  reads.many('traces', {
    where: { eventId: { after: lastEvent } },
    orderBy: ['eventId'],
    limit,
    leaveOut: ['payload'],
  });

/** The number of events that a search reads by itself. */
const mostEvents = 1000;

type Rows = Record<string, unknown>[];

/** The records that are not indexed yet. */
export interface Unindexed {
  /** Returns how many of a type are known to be. */
  count(type: IndexedType): number;
  /**
   * Returns those of a type that have all words: of the latest events, and if there are many, as after an import, of all records
   * created since, read beside the event loop. Of those that were changed, it finds the first thousand only. Error:
   * `query_timeout`.
   */
  find(type: IndexedType, words: string[]): Promise<Rows>;
}

/** Reads which records of a tenant the index does not have yet. */
export async function loadUnindexed(tenant: SearchedTenant): Promise<Unindexed> {
  const { primaryReads: reads } = tenant;
  const progress = await reads.one('searchProgress', {});
  const events = await readUnindexedEvents(reads, progress?.lastEvent ?? '', mostEvents + 1);
  const ids = groupRecords(events);
  const isShort = progress !== undefined && events.length <= mostEvents;
  const readChanged = async (type: IndexedType) => {
    const id = [...(ids.get(type) ?? [])];
    if (id.length === 0) return [];
    const { table, leaveOut } = searched[type];
    return (await reads.many(table, { where: { id } as never, leaveOut })) as Rows;
  };
  return {
    count: (type) => ids.get(type)?.size ?? 0,
    find: async (type, words) => {
      const hasWords = (row: Record<string, unknown>) => {
        const text = buildEntryText(type, row);
        return words.every((word) => text.includes(word));
      };
      const changed = (await readChanged(type)).filter(hasWords);
      if (isShort) return changed;
      return [...changed, ...(await scanCreated(tenant, type, progress?.lastEvent, hasWords))];
    },
  };
}

/** The most records that a scan returns: the newest. */
const mostScanned = 200;

async function scanCreated(
  tenant: SearchedTenant,
  type: IndexedType,
  lastEvent: string | undefined,
  hasWords: (row: Record<string, unknown>) => boolean,
): Promise<Rows> {
  const { table, leaveOut } = searched[type];
  // Ids of all kinds are made in one order.
  const past =
    lastEvent === undefined ? undefined : [`${idPrefixes[type]}${lastEvent.slice(lastEvent.indexOf('_'))}`];
  return tenant.scan(async ({ slices }) => {
    const found: Rows = [];
    for await (const rows of slices(table, { where: {}, orderBy: ['id'], past, leaveOut } as never)) {
      found.push(...(rows as Rows).filter(hasWords));
      found.splice(0, found.length - mostScanned);
    }
    return found;
  });
}
