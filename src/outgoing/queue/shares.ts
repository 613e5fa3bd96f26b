/** Shares concurrent attempts among tenants, and those of a tenant among its lanes. Pure. */

/** A tenant without an attempt under way may always start one, up to this multiple of the slots. */
const mostWithFirsts = 2;

/**
 * Returns how many more attempts a tenant may start when `total` of `slots` are under way, `ofTenant` of them its own: as
 * many as keep its own below the number of free slots. One tenant alone uses half of all slots, two use a third each; the
 * next tenant finds as many free slots as each of them holds (dynamic thresholds, Choudhury and Hahne 1998). A tenant
 * without an attempt under way may start one in any case.
 */
export function computeTenantRoom(total: number, ofTenant: number, slots: number): number {
  const room = Math.max(0, Math.ceil((slots - total - ofTenant) / 2));
  const hasFirst = ofTenant > 0 || total >= mostWithFirsts * slots;
  return hasFirst ? room : Math.max(1, room);
}

/** Returns how many attempts one of a tenant's lanes may have under way: its part of the tenant's share. */
export const computeLaneShare = (
  ofTenant: number,
  room: number,
  lanes: number,
  mostPerLane: number,
): number => Math.min(mostPerLane, Math.max(1, Math.floor((ofTenant + room) / lanes)));
