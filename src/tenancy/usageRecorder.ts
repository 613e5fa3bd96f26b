/** Runs the recordings of usage of a tenant, which are no units of work. */
import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { refuse } from '../lib/errors.ts';
import type { Ids } from '../lib/ids.ts';
import { allColumnsBut } from '../storage/query/tableMeta.ts';
import { TenantWrites, type Reads } from '../storage/store.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Service } from './service.ts';
import { getCurrentInstant } from './tenants.ts';

/** What a recording of usage is given. */
export interface UsageRecorder {
  rows: TenantWrites;
  tenant: Row<'tenants'>;
  /** The tenant's current time, an ISO 8601 instant. */
  now: string;
  ids: Ids;
}

/** The name by which the followers of a tenant's usage are notified. No alias has a space. */
export const nameUsage = (alias: string): string => `${alias} usage`;

/** Runs a recording, and notifies those who follow usage; resolves when it is durable. Error: `tenant_mismatch`. */
export async function runRecording<T>(
  { store, ids, clock, notifier }: Pick<Service, 'store' | 'ids' | 'clock' | 'notifier'>,
  alias: string,
  recording: (recorder: UsageRecorder) => MaybePromise<T>,
): Promise<T> {
  const result = await store.record(alias, (queries, known) => {
    const rows = new TenantWrites(queries, alias);
    const found = known ? [known] : queries.select('tenants', { where: { alias }, limit: 1 });
    const run = ([tenant]: Row<'tenants'>[]) => {
      if (!tenant) return refuse('tenant_mismatch');
      return recording({ rows, tenant, now: getCurrentInstant({ clock }, tenant), ids });
    };
    if (!store.isShared) return mapMaybe(found, run);
    return Promise.all([found, findLatestUsage(rows)]).then(([tenants, latest]) => {
      // Another server may have recorded by another clock; who follows usage reads it in the order of ids.
      ids.follow(latest);
      return run(tenants);
    });
  });
  notifier.notify(nameUsage(alias));
  return result;
}

/** Returns the id of the event that was recorded last; undefined for none. */
export async function findLatestUsage(reads: Reads): Promise<string | undefined> {
  const [latest] = await reads.many('usageEvents', {
    where: {},
    orderBy: ['id'],
    direction: 'desc',
    limit: 1,
    leaveOut: allColumnsBut('usageEvents', 'id'),
  });
  return latest?.id;
}
