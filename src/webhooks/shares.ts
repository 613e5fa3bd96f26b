/** How the calls that may be under way at once are shared among tenants and their endpoints. Pure. */

/** So many calls at once are shared; each takes a connection, and memory for its message. */
export const mostAtOnce = 256;
/** A tenant that has none under way may always make one, up to this many calls in all. */
const mostWithFirsts = 2 * mostAtOnce;
/** More would only be in each other's way: a subscription's events go one after the other. */
export const mostPerEndpoint = 4;

/**
 * How many more calls a tenant may begin when `total` are under way, `ofTenant` of them its own: as long as it has fewer
 * than are free. So one tenant alone takes half of all, two take a third each, and however many tenants hold theirs
 * for as long as they can, there is as much left for the next as each of them has (dynamic thresholds, Choudhury and
 * Hahne 1998). A tenant that has none under way may begin one in any case.
 */
export function computeTenantRoom(total: number, ofTenant: number): number {
  const room = Math.max(0, Math.ceil((mostAtOnce - total - ofTenant) / 2));
  const hasFirst = ofTenant > 0 || total >= mostWithFirsts;
  return hasFirst ? room : Math.max(1, room);
}

/** How many calls one of a tenant's endpoints may have under way: its part of what the tenant may have. */
export const computeEndpointShare = (ofTenant: number, room: number, endpoints: number): number =>
  Math.min(mostPerEndpoint, Math.max(1, Math.floor((ofTenant + room) / endpoints)));
