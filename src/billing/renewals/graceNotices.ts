/** Announcements of past-due subscriptions whose access grace has ended. */
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { findDunningPolicy } from '../../tenants/dunningPolicy.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { dayMs } from '../../lib/durations.ts';

/** Returns how long (ms) access lasts after a failure; undefined if it ends with the subscription's retries, or not at all. */
function findGraceMs(tenant: Pick<Row<'tenants'>, 'dunning'>): number | undefined {
  const { accessGraceDays } = findDunningPolicy(tenant);
  return accessGraceDays === null ? undefined : accessGraceDays * dayMs;
}

const listPastDue = (reads: Reads, to: string, limit: number) =>
  reads.many('subscriptions', {
    where: { pastDueSince: { to, inIndex: 'subscriptions_grace' } },
    orderBy: ['pastDueSince', 'id'],
    limit,
  });

/** Returns when the next access grace ends, at `now` or later, up to `until`; undefined for none. */
export async function findNextGraceEnd(
  { read, record }: Pick<SteppedTenant, 'read' | 'record'>,
  now: string,
  until: string,
): Promise<string | undefined> {
  const graceMs = findGraceMs(record);
  if (graceMs === undefined) return undefined;
  const [next] = await listPastDue(read, addMs(until, -graceMs), 1);
  if (!next) return undefined;
  const at = addMs(next.pastDueSince!, graceMs);
  return at > now ? at : now;
}

/**
 * Records the event `access_ended` for past-due subscriptions whose access grace has ended, at most `limit`, once for each
 * time that they became past due. Returns their number.
 */
export async function announceEndedAccess(
  tenant: SteppedTenant,
  now: string,
  limit: number,
): Promise<number> {
  const graceMs = findGraceMs(tenant.record);
  if (graceMs === undefined) return 0;
  const due = await listPastDue(tenant.read, addMs(now, -graceMs), limit);
  if (due.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let done = 0;
    for (const { id } of due) if (await announceEnd(unit, id, now)) done += 1;
    return done;
  });
}

/** Announces the end unless another server has, the invoice was paid, or the policy has changed since it was found. */
async function announceEnd(unit: UnitOfWork, id: string, now: string): Promise<boolean> {
  const subscription = await unit.one('subscriptions', { id });
  const graceMs = findGraceMs(unit.tenant);
  if (!subscription || graceMs === undefined) return false;
  const { pastDueSince, accessEndedFor, cancelledAt, pausedAt } = subscription;
  if (pastDueSince === null || cancelledAt !== null || pausedAt !== null) return false;
  const accessUntil = addMs(pastDueSince, graceMs);
  if (accessEndedFor === pastDueSince || accessUntil > now) return false;
  const announced = await unit.change('subscriptions', subscription, { accessEndedFor: pastDueSince });
  await unit.recordEvent('subscriptions', announced, 'access_ended', { accessUntil });
  return true;
}
