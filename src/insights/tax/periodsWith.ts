/** Finds the parts of a period whose invoices have a tax, as far as the sums of its days say it. */
import type { Scan } from '../../storage/scan.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { divideRange, findDaysWith, type SumFilter } from './readTaxSums.ts';
import type { Period } from './taxedDocuments.ts';
import { compareText } from './taxTerms.ts';

/** Divides a period into the days that are summed, and the others. */
export async function dividePeriod(tenant: TenantScope, { from, before }: Period) {
  const progress = await tenant.primaryReads.one('taxProgress', {});
  return divideRange([from, before], progress?.until ?? '', tenant.record.timezone);
}

/** Returns the days with such an invoice, and those that are not summed. Error: `query_timeout`. */
export async function findPeriodsWith(
  tenant: TenantScope,
  scan: Scan,
  period: Period,
  filter: SumFilter,
): Promise<Period[]> {
  const { summed, others } = await dividePeriod(tenant, period);
  const days = await findDaysWith(scan, summed, filter, tenant.record.timezone);
  return [...days, ...others].toSorted((a, b) => compareText(a.from, b.from));
}
