/** Runs the recordings of usage of a tenant, which are no units of work. */
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError, refuse } from '../lib/errors.ts';
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

/** What recordings are run with. */
export type RecordingParts = Pick<Service, 'store' | 'ids' | 'clock' | 'notifier' | 'usageGatherings'>;

/** The name by which the followers of a tenant's usage are notified. No alias has a space. */
export const nameUsage = (alias: string): string => `${alias} usage`;

/** Runs a recording, and notifies those who follow usage; resolves when it is durable. Error: `tenant_mismatch`. */
export async function runRecording<T>(
  { store, ids, clock, notifier }: Omit<RecordingParts, 'usageGatherings'>,
  alias: string,
  recording: (recorder: UsageRecorder) => MaybePromise<T>,
): Promise<T> {
  const result = await store.record(alias, (queries, latestUsage, tenant) => {
    if (!tenant) return refuse('tenant_mismatch');
    // Another server may have recorded by another clock; who follows usage reads it in the order of ids.
    ids.follow(latestUsage);
    const rows = new TenantWrites(queries, alias);
    return recording({ rows, tenant, now: getCurrentInstant({ clock }, tenant), ids });
  });
  notifier.notify(nameUsage(alias));
  return result;
}

/** What a request records together with others. */
interface Joined<Input, Result> {
  /** Requests of the same kind are recorded in the same way. */
  kind: string;
  input: Input;
  /** The number of its events. */
  events: number;
  /** How many events are recorded at once. */
  most: number;
  /** Records what several requests want; returns the result of each. */
  record: (recorder: UsageRecorder, inputs: readonly Input[]) => Promise<Result[]>;
}

/**
 * Runs a recording of what several requests want, if they wait for their turn at the same time: 32 clients who send one event each
 * are recorded with the statements of one.
 */
export const runJoined = <Input, Result>(
  parts: RecordingParts,
  alias: string,
  { kind, input, events, most, record }: Joined<Input, Result>,
): Promise<Result> =>
  parts.usageGatherings.join<Input, Result>(
    `${alias} ${kind}`,
    { input, size: events, most, isOfAll: (error) => error instanceof BillingError },
    (begin) => runRecording(parts, alias, (recorder) => record(recorder, begin())),
  );

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
