/** The exchange rates that the server fetches, stored for the tenants that convert taxes. */
import type { RateSource } from '../../providers/ecb.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findHomeCurrency } from '../tax/homeCurrency.ts';
import { storeAndComplete } from './taxConversions.ts';

/**
 * Stores the days that are published and the tenant does not have, and converts the taxes that lacked them. Returns their number.
 * Does nothing for tenants that convert nothing.
 */
export async function fetchRates(tenant: TenantScope, source: RateSource | undefined): Promise<number> {
  const { record } = tenant;
  if (!source || (findHomeCurrency(record) === null && record.placeOfSupply === null)) return 0;
  const published = await source.latest();
  if (!published) return 0;
  const days = published.map(({ day }) => day).toSorted();
  const known = await tenant.read.many('exchangeRates', {
    where: { source: 'ecb', day: { from: days[0]!, to: days.at(-1)! } },
    leaveOut: ['rates'],
  });
  const knownDays = new Set(known.map(({ day }) => day));
  const unknown = published.filter(({ day }) => !knownDays.has(day));
  if (unknown.length === 0) return 0;
  await tenant.write((unit) => storeAndComplete(unit, unknown));
  return unknown.length;
}
