/** What the rows of a queue have in common: the attempts they keep, their restart and their deletion. */
import { dayMs } from '../../lib/durations.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

const mostTriesKept = 50;
const keptMs = 90 * dayMs;
const deletedAtOnce = 200;

type QueueTable = 'mailDeliveries' | 'webhookDeliveries';

interface QueuedRow {
  id: string;
  status: string;
  attempt: number;
  dueAt: string | null;
}

/** Returns the stored row; undefined if it was cancelled during the attempt, or if another process recorded an outcome. */
export const keepIfCurrent = <Stored extends QueuedRow>(
  stored: Stored | undefined,
  attempted: Pick<QueuedRow, 'attempt'>,
): Stored | undefined =>
  stored?.status === 'pending' && stored.attempt === attempted.attempt ? stored : undefined;

/** Appends an attempt to those that a row keeps, the latest ones. */
export const appendTry = <Try>(tries: Try[], made: Try): Try[] => [...tries, made].slice(-mostTriesKept);

/**
 * Returns the changes that repeat a row now; undefined if it is due already or waits for an earlier one of its chain. A
 * finished row gets its own chain, so that it delays no other.
 */
export function computeRestart({ id, status, dueAt }: QueuedRow, now: string) {
  if (status !== 'pending')
    return { status: 'pending' as const, dueAt: now, chain: id, attempt: 0, finishedAt: null };
  return dueAt === null || dueAt <= now ? undefined : { dueAt: now };
}

/** Deletes finished rows older than 90 days, a few at a time. Returns their number. */
export async function deleteOldRows(
  tenant: TenantScope,
  table: QueueTable,
  statuses: readonly Row<QueueTable>['status'][],
): Promise<number> {
  const finished = statuses.filter((status) => status !== 'pending');
  const old = await tenant.read.many(table, {
    where: { createdAt: { before: addMs(tenant.now(), -keptMs) }, status: finished },
    orderBy: ['createdAt', 'id'],
    limit: deletedAtOnce,
  });
  if (old.length === 0) return 0;
  await tenant.write((unit) => unit.removeUntraced(table, { id: old.map(({ id }) => id) }));
  return old.length;
}
