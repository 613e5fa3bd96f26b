/**
 * Keeps the search index. It follows the events of a tenant a few at a time, after they are committed: writing the trigrams of
 * a customer takes as long as creating two. A search reads what is not indexed yet by itself.
 */
import type { Logger } from 'pino';
import { isErased } from '../../billing/customers/erasedData.ts';
import { completesWithin } from '../../lib/deadline.ts';
import { indexedTypes, type IndexedType } from '../../storage/model/search.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantParts, Working } from '../../tenancy/service.ts';
import { listTenants } from '../../tenancy/tenants.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { buildEntryText, searched } from './searchedTypes.ts';
import { groupRecords, readUnindexedEvents } from './unindexed.ts';

/** The number of records of a unit of work: at first, and at most. */
const [firstSize, largestSize] = [8, 1000];

/** Performs one step; returns whether there was something to do. */
type Step = (size: number) => Promise<boolean>;

/** Writes the entries of records of a type that differ from what the index has; records that are gone lose theirs. Returns the rows. */
async function indexRecords(
  unit: UnitOfWork,
  index: SteppedTenant['textIndex'],
  type: IndexedType,
  ids: string[],
): Promise<Record<string, unknown>[]> {
  const { table, leaveOut } = searched[type];
  const rows = (await unit.many(table, { where: { id: ids }, leaveOut } as never)) as Record<
    string,
    unknown
  >[];
  const known = new Map<string, string>();
  for (const { id, text } of await unit.many('searchEntries', { where: { id: ids } })) known.set(id, text);
  const entries = rows.map((row) => ({ id: String(row['id']), type, text: buildEntryText(type, row) }));
  const present = new Map(entries.map(({ id, text }) => [id, text]));
  const stale = [...known].filter(([id, text]) => present.get(id) !== text).map(([id]) => id);
  if (stale.length > 0) await unit.removeUntraced('searchEntries', { id: stale });
  const added = entries.filter(({ id, text }) => known.get(id) !== text);
  if (added.length === 0) return rows;
  await unit.batch(async (_, openUnit) => {
    const each = openUnit();
    for (const entry of added)
      await each.insertUntraced('searchEntries', {
        ...entry,
        grams: index.buildGrams({ ...entry, tenantAlias: unit.tenant.alias }),
      });
  });
  return rows;
}

/** Erasure changes a customer's other records without events: those that the customer's earlier events name. */
async function indexRecordsOfErased(
  unit: UnitOfWork,
  index: SteppedTenant['textIndex'],
  customerIds: string[],
  customers: Record<string, unknown>[],
): Promise<void> {
  const kept = new Set(customers.filter((row) => !isErased(row as Row<'customers'>)).map(({ id }) => id));
  for (const customerId of customerIds.filter((id) => !kept.has(id))) {
    const events = await unit.many('traces', {
      where: { customerId },
      orderBy: ['eventId'],
      leaveOut: ['payload'],
    });
    for (const [type, ids] of groupRecords(events)) await indexRecords(unit, index, type, [...ids]);
  }
}

/** Follows the next events of a tenant whose index was built. */
const followEvents = (tenant: SteppedTenant, size: number): Promise<boolean> =>
  tenant.writeStep(async (unit) => {
    const progress = await unit.one('searchProgress', {});
    if (!progress) return false;
    const events = await readUnindexedEvents(unit, progress.lastEvent, size);
    const last = events.at(-1);
    if (!last) return false;
    for (const [type, ids] of groupRecords(events)) {
      const rows = await indexRecords(unit, tenant.textIndex, type, [...ids]);
      if (type === 'customer') await indexRecordsOfErased(unit, tenant.textIndex, [...ids], rows);
    }
    await unit.updateUntraced('searchProgress', {}, { lastEvent: last.eventId });
    return events.length === size;
  });

/**
 * Returns the step that builds the index of a tenant from its records: of one that was imported, of an earlier release, or new.
 * It is repeated for each page of records, and of the entries that were there. The last one lets the index follow the events
 * since `lastEvent`.
 */
function buildIndex(tenant: SteppedTenant, lastEvent: string): Step {
  // Then the entries, of records that are gone.
  const left = (indexedTypes as (IndexedType | undefined)[]).concat(undefined);
  let past: string | undefined;
  return async (size) => {
    const isLeft = await tenant.writeStep(async (unit) => {
      if (left.length === 0) {
        // Another server may have built it at the same time.
        if (await unit.one('searchProgress', {})) return false;
        await unit.insertUntraced('searchProgress', { lastEvent });
        return false;
      }
      const [built] = left;
      const page = (await unit.many(built ? searched[built].table : 'searchEntries', {
        where: {},
        orderBy: ['id'],
        past: past === undefined ? undefined : [past],
        limit: size,
      } as never)) as { id: string; type: IndexedType }[];
      for (const type of built ? [built] : indexedTypes) {
        const ids = page.filter((row) => built || row.type === type).map(({ id }) => id);
        if (ids.length > 0) await indexRecords(unit, tenant.textIndex, type, ids);
      }
      past = page.at(-1)?.id;
      if (page.length < size) {
        left.shift();
        past = undefined;
      }
      return true;
    });
    if (!isLeft) await tenant.textIndex.finishBuild();
    return isLeft;
  };
}

/** Returns the step to repeat until the index of the tenant has everything; undefined if it has. */
async function chooseStep(tenant: SteppedTenant): Promise<Step | undefined> {
  const { primaryReads: reads } = tenant;
  const progress = await reads.one('searchProgress', {});
  if (progress) {
    const events = await readUnindexedEvents(reads, progress.lastEvent, 1);
    return events.length === 0 ? undefined : (size) => followEvents(tenant, size);
  }
  const [latest] = await reads.many('traces', {
    where: {},
    orderBy: ['eventId'],
    direction: 'desc',
    limit: 1,
    leaveOut: ['payload'],
  });
  return buildIndex(tenant, latest?.eventId ?? '');
}

/** Waits after a step that took `heldMs`; resolves with whether the server is busy. */
type Rest = (heldMs: number) => Promise<boolean>;

/** Indexes everything that is committed. `isStopped` ends it between two steps. */
export async function indexTenant(
  tenant: SteppedTenant,
  rest: Rest = () => new Promise((resolve) => setImmediate(resolve, false)),
  isStopped: () => boolean = () => false,
): Promise<void> {
  const step = await chooseStep(tenant);
  if (!step) return;
  for (let size = firstSize; !isStopped();) {
    const begunAtMs = performance.now();
    if (!(await step(size))) return;
    const heldMs = performance.now() - begunAtMs;
    const { busy, idle } = tenant.textIndex.unitMs;
    const mostMs = (await rest(heldMs)) ? busy : idle;
    const fitting = Math.floor((size * mostMs) / heldMs);
    size = Math.max(firstSize, Math.min(fitting, 2 * size, largestSize));
  }
}

const removedAtOnce = 100;

/** Makes the index of a tenant anew. Meanwhile searches read the records themselves. */
export async function rebuildIndex(tenant: SteppedTenant): Promise<void> {
  await tenant.writeStep((unit) => unit.removeUntraced('searchProgress', {}));
  const removeSome = async (unit: UnitOfWork) => {
    const entries = await unit.many('searchEntries', { where: {}, limit: removedAtOnce });
    if (entries.length > 0) await unit.removeUntraced('searchEntries', { id: entries.map(({ id }) => id) });
    return entries.length === removedAtOnce;
  };
  while (await tenant.writeStep(removeSome));
  await indexTenant(tenant);
}

/** The part of the time that indexing takes while the server is busy, and while it is not. */
const [busyShare, idleShare] = [0.03, 0.5];
/** The part of a rest in which the event loop works for others, from which on the server is busy. */
const busyUtilization = 0.3;
const shortestRestMs = 2;

/** Returns a rest that leaves the event loop to the requests, if there are any. */
function createRest(): Rest {
  let share: number = idleShare;
  return async (heldMs) => {
    // The rest alone: during a step on PostgreSQL the event loop works for others too.
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, Math.max(shortestRestMs, heldMs / share - heldMs)));
    const isBusy = performance.eventLoopUtilization(before).utilization > busyUtilization;
    share = isBusy ? busyShare : idleShare;
    return isBusy;
  };
}

const pauseMs = 500;
/** Events of other processes on the database are looked for a little less often. */
const allTenantsMs = 30_000;

/** Starts to index what is written, until it is stopped. */
export function startIndexer(service: TenantParts, log: Logger): Working {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  let allAtMs = 0;

  const runRound = async () => {
    const { writtenTenants } = service;
    const written = new Set(writtenTenants);
    writtenTenants.clear();
    const isAll = performance.now() >= allAtMs;
    if (!isAll && written.size === 0) return;
    if (isAll) allAtMs = performance.now() + allTenantsMs;
    for (const record of await listTenants(service)) {
      if (stopped) return;
      if (!isAll && !written.has(record.alias)) continue;
      try {
        const tenant = openScheduledTenant(service, record);
        await indexTenant(tenant, createRest(), () => stopped);
      } catch (error) {
        writtenTenants.add(record.alias);
        log.warn({ err: error, tenant: record.alias }, 'indexing for the search failed; it is repeated');
      }
    }
  };
  const runRounds = async () => {
    try {
      await runRound();
    } catch (error) {
      log.warn({ err: error }, 'indexing for the search failed; it is repeated');
    }
    if (!stopped) timer = setTimeout(begin, pauseMs);
  };
  const begin = () => {
    round = runRounds();
  };
  timer = setTimeout(begin, pauseMs);
  return {
    stop: async (limitMs) => {
      stopped = true;
      clearTimeout(timer);
      await completesWithin(round, limitMs);
    },
  };
}
