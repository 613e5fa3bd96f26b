/** Recomputes the usage of a tenant from its events, and compares it with what the meters have counted. */
import { createUsageAudit } from '../../billing/audit/auditUsage.ts';
import { countedIn, indexValues, pickOrigin } from '../../billing/usage/buckets.ts';
import { findKeptSince } from '../../billing/usage/forgetUsage.ts';
import { countTotal } from '../../billing/usage/totals.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

const origins = ['recorded', 'backfilled'] as const;

type Report = (fault: { subject: string; found: string }) => void;
/** Examines a tenant that has recorded usage; `follow` gets its events, in the order of receipt. */
export async function examineUsage(
  queries: Queries,
  tenant: Pick<Row<'tenants'>, 'alias' | 'usageSince' | 'usageForgottenUntil'>,
  follow: (events: readonly Row<'usageEvents'>[]) => void,
  report: Report,
): Promise<void> {
  const { alias: tenantAlias, usageSince } = tenant;
  if (usageSince === null) return;
  const since = findKeptSince(tenant);
  const meters = await queries.select('meters', { where: { tenantAlias } });
  const audits = {
    recorded: createUsageAudit(meters, since),
    backfilled: createUsageAudit(meters, since),
  };
  for await (const page of readPages(queries, 'usageEvents', tenantAlias)) {
    for (const origin of origins) audits[origin].addEvents(pickOrigin(page, origin));
    follow(page);
  }
  for (const origin of origins) {
    const tables = countedIn[origin];
    const values: Row<'usageValues'>[] = [];
    for await (const page of readPages(queries, tables.values, tenantAlias)) values.push(...page);
    const buckets: Row<'usageBuckets'>[] = [];
    for await (const page of readPages(queries, tables.buckets, tenantAlias)) buckets.push(...page);
    audits[origin].compare(buckets, indexValues(values), report);
  }
  await compareTotals(queries, tenantAlias, { meters, since }, report);
}

/** Compares the totals that limits compare with with the buckets. */
async function compareTotals(
  queries: Queries,
  tenantAlias: string,
  { meters, since = '' }: { meters: readonly Row<'meters'>[]; since: string | undefined },
  report: Report,
): Promise<void> {
  const reads = new TenantReads(queries, tenantAlias);
  const meterById = new Map(meters.map((meter) => [meter.id, meter]));
  for await (const page of readPages(queries, 'usageTotals', tenantAlias))
    for (const { meterId, customerId, startsAt, endsAt, events, sum } of page) {
      if (startsAt < since) continue;
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
