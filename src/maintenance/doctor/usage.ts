/** Recomputes the usage of a tenant from its events, and compares it with what the meters have counted. */
import { createUsageAudit } from '../../billing/audit/auditUsage.ts';
import { indexValues } from '../../billing/usage/buckets.ts';
import { countTotal } from '../../billing/usage/totals.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (fault: { subject: string; found: string }) => void;
/** Examines a tenant that has recorded usage. */
export async function examineUsage(
  queries: Queries,
  { alias: tenantAlias, usageSince }: Pick<Row<'tenants'>, 'alias' | 'usageSince'>,
  report: Report,
): Promise<void> {
  if (usageSince === null) return;
  const meters = await queries.select('meters', { where: { tenantAlias } });
  const audit = createUsageAudit(meters);
  for await (const page of readPages(queries, 'usageEvents', tenantAlias)) audit.addEvents(page);
  const values: Row<'usageValues'>[] = [];
  for await (const page of readPages(queries, 'usageValues', tenantAlias)) values.push(...page);
  const buckets: Row<'usageBuckets'>[] = [];
  for await (const page of readPages(queries, 'usageBuckets', tenantAlias)) buckets.push(...page);
  audit.compare(buckets, indexValues(values), report);
  await compareTotals(queries, tenantAlias, meters, report);
}

/** Compares the totals that limits compare with with the buckets. */
async function compareTotals(
  queries: Queries,
  tenantAlias: string,
  meters: readonly Row<'meters'>[],
  report: Report,
): Promise<void> {
  const reads = new TenantReads(queries, tenantAlias);
  const meterById = new Map(meters.map((meter) => [meter.id, meter]));
  for await (const page of readPages(queries, 'usageTotals', tenantAlias))
    for (const { meterId, customerId, startsAt, endsAt, events, sum } of page) {
      const meter = meterById.get(meterId);
      const period = { customerId, from: startsAt, until: endsAt };
      const counted = meter && (await countTotal(reads, { meter, ...period })).total;
      if (counted?.events !== events || counted.sum !== sum)
        report({
          subject: customerId,
          found: `has a total of ${events} events and ${sum} for ${meterId} from ${startsAt}, not ${counted?.events} and ${counted?.sum}`,
        });
    }
}
