/** Recomputes the usage of a tenant from its events, and compares it with what the meters have counted. */
import { createUsageAudit } from '../../billing/audit/auditUsage.ts';
import { indexValues } from '../../billing/usage/buckets.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
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
}
