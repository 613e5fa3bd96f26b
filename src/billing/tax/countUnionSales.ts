import { toLocalDate } from '../../lib/time.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { noteThreshold, sumUnionSales, thresholdCurrency, type Taxed } from './unionSales.ts';
import { countOnDay } from './unionSalesDays.ts';

/**
 * Counts a document that was issued at an instant, or takes it off. Records when the seller is to be warned, and when the
 * threshold is exceeded. Does nothing, without a query, for tenants that have chosen no place of supply.
 */
export async function countUnionSales(
  unit: UnitOfWork,
  document: Taxed,
  { at, sign }: { at: string; sign: 1n | -1n },
): Promise<void> {
  if (unit.tenant.placeOfSupply === null) return;
  const netMinor = sign * sumUnionSales(unit.tenant, document);
  if (netMinor === 0n) return;
  const { currency } = document;
  const day = toLocalDate(at, unit.tenant.timezone);
  if (currency !== thresholdCurrency) return countOnDay(unit, { day, currency }, netMinor);
  const key = { year: Number(day.slice(0, 4)), currency };
  await unit.accumulate('unionSales', { ...key, netMinor }, ['netMinor']);
  await noteThreshold(unit, key);
}
