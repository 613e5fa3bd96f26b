import { setImmediate } from 'node:timers/promises';
import type { Match } from '../storage/query/queries.ts';
import { columnNames } from '../storage/query/tableMeta.ts';
import { refuse } from '../lib/errors.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { ActivityType } from '../traces/eventTypes.ts';
import type { TraceRow } from './traces.ts';

/** Which traces are wanted: those that are all of what is given. */
interface LiveFilter {
  activityType?: ActivityType | null;
  executorId?: string | null;
  resourceId?: string | null;
}

const allButEventId = columnNames('traces').filter((column) => column !== 'eventId');
const rowsAtOnce = 100;
/** Traces that one query looks through where no index has those of the filter in the order of the events. */
const rowsLookedThrough = 1000;

/**
 * The traces of a tenant as they are recorded, from those after the event `after` on, or else from now on: each once,
 * in the order in which they were committed, which is that of their event ids. It ends when it is returned.
 * Error: `trace_not_found` when `after` is no event of the tenant.
 */
export async function followTraces(
  tenant: TenantScope,
  filter: LiveFilter,
  after: string | null | undefined,
): Promise<AsyncIterableIterator<TraceRow>> {
  const past = after ? await existing(tenant, after) : await latest(tenant);
  const stop = new AbortController();
  const rows = rowsAfter(tenant, filter, past, stop.signal);
  const iterator: AsyncIterableIterator<TraceRow> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => rows.next(),
    // A generator that waits takes note of its end only when it wakes.
    return: () => {
      stop.abort();
      return rows.return(undefined);
    },
  };
  return iterator;
}

async function existing(tenant: TenantScope, eventId: string): Promise<string> {
  const found = await tenant.primaryReads.one('traces', { eventId });
  return (found ?? refuse('trace_not_found', { path: 'after', message: 'is not an event' })).eventId;
}

async function latest(tenant: TenantScope): Promise<string> {
  const selection = { where: {}, orderBy: ['eventId' as const], direction: 'desc' as const, limit: 1 };
  return (await tenant.primaryReads.many('traces', selection))[0]?.eventId ?? '';
}

async function* rowsAfter(
  tenant: TenantScope,
  filter: LiveFilter,
  start: string,
  stop: AbortSignal,
): AsyncGenerator<TraceRow, undefined> {
  const nextPage = pages(tenant, filter);
  for (let past = start; !stop.aborted;) {
    // Listened for before it is read: what is recorded meanwhile wakes.
    const waking = new AbortController();
    const news = tenant.waitForEvents(AbortSignal.any([stop, waking.signal]));
    const page = await nextPage(past);
    past = page.past;
    for (const row of page.rows) {
      if (stop.aborted) break;
      yield row;
    }
    if (page.isLast) {
      await news;
      continue;
    }
    waking.abort();
    // Reads of SQLite are answered at once: without a pause nobody else would have a turn, nor the end be noticed.
    await setImmediate();
  }
  return undefined;
}

interface Page {
  rows: TraceRow[];
  /** From where the next page goes on. */
  past: string;
  /** Whether there is nothing more for now. */
  isLast: boolean;
}

/** Reads the next traces that pass the filter, by a query that looks at no more than a bounded number of them. */
function pages(tenant: TenantScope, filter: LiveFilter): (past: string) => Promise<Page> {
  const where: Match<'traces'> = {};
  if (filter.activityType) where.activityType = filter.activityType;
  if (filter.executorId) where.executorId = filter.executorId;
  if (filter.resourceId) where.resourceId = filter.resourceId;
  const orderBy = ['eventId'] as const;
  const page = (past: string, rows: TraceRow[]): Page => {
    const isLast = rows.length < rowsAtOnce;
    return { rows, past: rows.at(-1)?.eventId ?? past, isLast };
  };
  // All traces, and those of one resource, have an index in the order of the events.
  if (Object.keys(where).every((name) => name === 'resourceId')) {
    return async (past) =>
      page(
        past,
        await tenant.primaryReads.many('traces', { where, orderBy, past: [past], limit: rowsAtOnce }),
      );
  }
  return async (past) => {
    const reads = tenant.primaryReads;
    const step = { where: {}, orderBy, past: [past] };
    const skip = rowsLookedThrough - 1;
    const [edge] = await reads.many('traces', { ...step, skip, limit: 1, leaveOut: allButEventId });
    const upTo = edge && [edge.eventId];
    const rows = await reads.many('traces', { ...step, filter: where, upTo, limit: rowsAtOnce });
    const isFull = rows.length === rowsAtOnce;
    if (edge && !isFull) return { rows, past: edge.eventId, isLast: false };
    return page(past, rows);
  };
}
