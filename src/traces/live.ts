import type { Tenant } from '../tenants/tenant.ts';
import type { ActivityType } from './eventTypes.ts';
import { refuse } from '../errors.ts';
import type { TraceRow } from './traces.ts';

/** Which traces are wanted: those that are all of what is given. */
interface LiveFilter {
  activityType?: ActivityType | null;
  executorId?: string | null;
  resourceId?: string | null;
}

const rowsAtOnce = 100;

/**
 * The traces of a tenant as they are recorded, from those after the event `after` on, or else from now on: each once,
 * in the order in which they were committed, which is that of their event ids. It ends when it is returned.
 * Error: `trace_not_found` when `after` is no event of the tenant.
 */
export async function followTraces(
  tenant: Tenant,
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

async function existing(tenant: Tenant, eventId: string): Promise<string> {
  const found = await tenant.readNewest.one('traces', { eventId });
  return (found ?? refuse('trace_not_found', { path: 'after', message: 'is not an event' })).eventId;
}

async function latest(tenant: Tenant): Promise<string> {
  const selection = { where: {}, orderBy: ['eventId' as const], direction: 'desc' as const, limit: 1 };
  return (await tenant.readNewest.many('traces', selection))[0]?.eventId ?? '';
}

async function* rowsAfter(
  tenant: Tenant,
  filter: LiveFilter,
  start: string,
  stop: AbortSignal,
): AsyncGenerator<TraceRow, undefined> {
  for (let past = start; !stop.aborted;) {
    // Listened for before it is read: what is recorded meanwhile wakes.
    const waking = new AbortController();
    const news = tenant.news(AbortSignal.any([stop, waking.signal]));
    const rows = await tenant.readNewest.many('traces', {
      where: {},
      orderBy: ['eventId'],
      past: [past],
      limit: rowsAtOnce,
    });
    past = rows.at(-1)?.eventId ?? past;
    for (const row of rows) if (matches(row, filter)) yield row;
    if (rows.length === rowsAtOnce) waking.abort();
    await news;
  }
  return undefined;
}

function matches(
  { activityType, executorId, payload }: TraceRow,
  { activityType: type, executorId: executor, resourceId: resource }: LiveFilter,
): boolean {
  return (
    (!type || activityType === type) &&
    (!executor || executorId === executor) &&
    (!resource || payload['resourceId'] === resource)
  );
}
