/** Whether what invoices have charged for usage is on their lines, and is all that its periods cost. */
import { computeUsageBill } from '../../billing/invoices/usageBill.ts';
import { isUnpaid, isWrittenOff } from '../../billing/invoices/invoices.ts';
import { sumDiscounts } from '../../billing/pricing/discounts.ts';
import type { UsageLineExplanation } from '../../billing/pricing/usagePrice.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (fault: { subject: string; found: string }) => void;
type Period = Row<'usagePeriods'>;
type Tenant = Pick<Row<'tenants'>, 'alias' | 'timezone'>;

/** Examines the periods of usage of a tenant. */
export async function examineUsagePeriods(queries: Queries, tenant: Tenant, report: Report): Promise<void> {
  for await (const periods of readPages(queries, 'usagePeriods', tenant.alias)) {
    await compareWithLines(queries, tenant, periods, report);
    await countAgain(queries, tenant, periods, report);
  }
}

/** Compares what is charged with the lines of the invoices, which are not closed without payment. */
async function compareWithLines(
  queries: Queries,
  { alias: tenantAlias }: Tenant,
  periods: Period[],
  report: Report,
): Promise<void> {
  const ids = [...new Set(periods.flatMap(({ charges }) => charges.map(({ invoiceId }) => invoiceId)))];
  if (ids.length === 0) return;
  const invoices = await queries.select('invoices', { where: { tenantAlias, id: ids } });
  const lines = await queries.select('invoiceLines', {
    where: { tenantAlias, invoiceId: ids, kind: 'USAGE' },
  });
  const billing = new Set(
    invoices
      .filter((invoice) => isUnpaid(invoice) || isWrittenOff(invoice) || invoice.status === 'paid')
      .map(({ id }) => id),
  );
  const sums = new Map<string, bigint>();
  for (const line of lines) {
    const { usagePeriodId } = line.explanation as unknown as UsageLineExplanation;
    const key = `${usagePeriodId} ${line.invoiceId}`;
    sums.set(key, (sums.get(key) ?? 0n) + line.amountMinor + sumDiscounts([line]));
  }
  for (const { id: subject, charges } of periods)
    for (const { invoiceId, amountMinor } of charges) {
      const billed = sums.get(`${subject} ${invoiceId}`) ?? 0n;
      if (!billing.has(invoiceId)) report({ subject, found: `is billed by ${invoiceId}, which is closed` });
      else if (billed !== BigInt(amountMinor))
        report({ subject, found: `is billed ${amountMinor} by ${invoiceId}, whose lines have ${billed}` });
    }
}

/** Counts the usage of periods again that no event can reach any more. */
async function countAgain(
  queries: Queries,
  tenant: Tenant,
  periods: Period[],
  report: Report,
): Promise<void> {
  const closed = periods.filter(({ openFor, charges }) => openFor === null && charges.length > 0);
  if (closed.length === 0) return;
  const reads = new TenantReads(queries, tenant.alias);
  const id = [...new Set(closed.map(({ subscriptionId }) => subscriptionId))];
  const subscriptions = await reads.many('subscriptions', { where: { id, cancelledAt: null } });
  for (const subscription of subscriptions) {
    const own = closed.filter(({ subscriptionId }) => subscriptionId === subscription.id);
    const { lines } = await computeUsageBill(reads, tenant, { subscription, periods: own, until: '' });
    for (const { explanation, amountMinor } of lines)
      report({
        subject: (explanation as UsageLineExplanation).usagePeriodId,
        found: `costs ${amountMinor} more than invoices have charged`,
      });
  }
}
