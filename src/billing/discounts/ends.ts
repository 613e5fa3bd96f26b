/** The event at the end of a repeating discount, which the time alone causes. */
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

const sliceSize = 100;

/** Matches discounts that end up to an instant, and whose end is not recorded yet. */
export const matchEnding = (to: string) => ({ endsAt: { to, inIndex: 'discounts_ending' } });

const listEnding = (reads: Reads, to: string, limit: number) =>
  reads.many('discounts', { where: matchEnding(to), orderBy: ['endsAt', 'id'], limit });

/** Returns when the next discount ends, up to `until`; undefined for none. */
export async function findNextEnd(
  { read, record }: Pick<SteppedTenant, 'read' | 'record'>,
  until: string,
): Promise<string | undefined> {
  if (record.discountsSince === null) return undefined;
  const [next] = await listEnding(read, until, 1);
  return next?.endsAt ?? undefined;
}

/**
 * Records the event `ended` for repeating discounts whose months are over at `now`, once for each end. Returns the number
 * of discounts; 0 once none is left.
 */
export async function endDiscounts(tenant: SteppedTenant, now: string): Promise<number> {
  if (tenant.record.discountsSince === null) return 0;
  const due = await listEnding(tenant.read, now, sliceSize);
  if (due.length === 0) return 0;
  return tenant.writeStep(async (unit) => {
    let ended = 0;
    for (const { id } of due) if (await recordEnd(unit, id, now)) ended += 1;
    return ended;
  });
}

/** Records the end unless another server has, or the discount has changed since it was found. */
async function recordEnd(unit: UnitOfWork, id: string, now: string): Promise<boolean> {
  const discount = await unit.one('discounts', { id });
  if (!discount || !isToBeRecorded(discount, now)) return false;
  const ended = await unit.change('discounts', discount, { endRecordedFor: discount.endsAt });
  await unit.recordEvent('discounts', ended, 'ended');
  return true;
}

const isToBeRecorded = ({ endsAt, endRecordedFor, removedAt }: Row<'discounts'>, now: string): boolean =>
  endsAt !== null && endsAt <= now && endRecordedFor !== endsAt && removedAt === null;
