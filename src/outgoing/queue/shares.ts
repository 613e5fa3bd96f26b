/** Shares the concurrent calls among tenants and their endpoints. Pure. */

/** The number of shared concurrent calls; each uses a connection and the memory of its message. */
export const mostAtOnce = 256;
/** A tenant without a call in progress may always start one, up to this multiple of the slots. */
const mostWithFirsts = 2;
/** More would not help: the events of a subscription are delivered one after another. */
export const mostPerEndpoint = 4;

/**
 * Returns how many more calls a tenant may start when `total` of `slots` are in progress, `ofTenant` of them its own: as many as
 * keep its own calls below the number of free slots. One tenant alone uses half of all slots, two use a third each; the
 * next tenant finds as many free slots as each of them holds (dynamic thresholds, Choudhury and Hahne 1998). A tenant
 * without a call in progress may start one in any case.
 */
export function computeTenantRoom(total: number, ofTenant: number, slots = mostAtOnce): number {
  const room = Math.max(0, Math.ceil((slots - total - ofTenant) / 2));
  const hasFirst = ofTenant > 0 || total >= mostWithFirsts * slots;
  return hasFirst ? room : Math.max(1, room);
}

/** Returns how many calls one of a tenant's endpoints may have in progress: its part of the tenant's share. */
export const computeEndpointShare = (ofTenant: number, room: number, endpoints: number): number =>
  Math.min(mostPerEndpoint, Math.max(1, Math.floor((ofTenant + room) / endpoints)));
