/**
 * Removes events that no bill, limit or correction needs any more, along the primary key, which sorts by receipt. What meters have
 * counted of them stays.
 */
import { dayMs } from '../../lib/durations.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { removeEvents } from './eraseUsage.ts';
import { ceilToQuarter, floorToQuarter, quarterMs, usageAheadMs, usageSpanMs } from './quarters.ts';

const rowsAtOnce = 1000;

/** Limits count from the beginning of a billing period, of which the longest usual one is a year. */
const limitDays = 400;

type TenantRow = Row<'tenants'>;

/**
 * Removes events of a tenant that keeps them for a number of days, at most 1,000, the oldest first. Returns how many records it
 * removed or looked through, so that 0 means that nothing is due.
 */
export async function forgetUsage(tenant: TenantScope): Promise<number> {
  const { usageRetentionDays: days, usageSince } = tenant.record;
  if (days === null || usageSince === null) return 0;
  const [oldest] = await tenant.read.many('usageEvents', { where: {}, orderBy: ['id'], limit: 1 });
  if (!oldest) return 0;
  const until = await findForgettable(tenant, days);
  if (oldest.receivedAt >= until) return 0;
  // Reads are refused from then on, before the first event is gone.
  if (tenant.record.usageForgottenUntil !== until)
    await tenant.writeStep(async (unit) => {
      await unit.change('tenants', unit.tenant, { usageForgottenUntil: until });
    });
  return tenant.recordUsage(async ({ rows }) => {
    const page = await rows.many('usageEvents', { where: {}, orderBy: ['id'], limit: rowsAtOnce });
    const due = page.filter(({ receivedAt }) => receivedAt < until);
    await removeEvents(rows, due);
    return due.length;
  });
}

/**
 * Returns the instant before whose receipt events may go: `days` after the end of each period that they are billed in, once the
 * period is closed; and after 70 days in any case, since for so long an event of the same time may be taken back.
 */
async function findForgettable(tenant: TenantScope, days: number): Promise<string> {
  const { read, record } = tenant;
  const now = tenant.now();
  const known = record.usageForgottenUntil ?? '';
  const latest = floorToQuarter(addMs(now, -(2 * usageSpanMs + days * dayMs)));
  const most = (await countsLimits(read)) ? floorToQuarter(addMs(now, -limitDays * dayMs)) : latest;
  const soonest = most < latest ? most : latest;
  if (soonest <= known) return known;
  const needed = await findFirstNeeded(read, known, addMs(now, -days * dayMs));
  if (needed === undefined) return soonest;
  // The first quarter of an hour of a period may be divided, and its events may have been ahead of their time.
  const first = addMs(floorToQuarter(needed), -quarterMs);
  const until = first < soonest ? first : soonest;
  return until > known ? until : known;
}

const countsLimits = async (read: Reads): Promise<boolean> =>
  (await read.many('features', { where: {} })).some(
    ({ meterId, creditTypeId }) => meterId !== null || creditTypeId !== null,
  );

/** Returns the beginning of the first period that is not closed, or has ended only lately; undefined if there is none. */
async function findFirstNeeded(read: Reads, from: string, ended: string): Promise<string | undefined> {
  const periods = await read.many('usagePeriods', {
    where: { startsAt: { from: addMs(from || '2000-01-01T00:00:00.000Z', -quarterMs) } },
    orderBy: ['startsAt', 'id'],
    limit: rowsAtOnce,
  });
  const needed = periods.find(({ openFor, endsAt }) => openFor !== null || endsAt === null || endsAt > ended);
  // A full page is continued in the next round, from its end on.
  return needed?.startsAt ?? (periods.length === rowsAtOnce ? periods.at(-1)!.startsAt : undefined);
}

/** Returns from when on all events are there; undefined if none were removed. */
export const findKeptSince = ({
  usageForgottenUntil: until,
}: Pick<TenantRow, 'usageForgottenUntil'>): string | undefined =>
  until === null ? undefined : ceilToQuarter(addMs(until, usageAheadMs));

/** Refuses edges that divide a quarter of an hour whose events are gone. Error: `validation_failed`. */
export function refuseForgottenEdges(tenant: TenantRow, edges: readonly string[]): void {
  const since = findKeptSince(tenant);
  if (since === undefined) return;
  const isDivided = (edge: string) => edge < since && floorToQuarter(edge) !== edge;
  if (!edges.some(isDivided)) return;
  const path = isDivided(edges[0]!) ? 'from' : isDivided(edges.at(-1)!) ? 'until' : 'by';
  const message = `must be whole quarters of an hour before ${since}, of which the events were removed`;
  refuse('validation_failed', { path, message });
}
