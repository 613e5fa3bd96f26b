/** Whether what invoices have charged for usage is on their lines, and is all that its periods cost. */
import { computeUsageBill, listUnmatchedUsage } from '../../billing/invoices/usageBill.ts';
import { isUnpaid, isWrittenOff } from '../../billing/invoices/invoices.ts';
import { sumDiscounts } from '../../billing/pricing/discounts.ts';
import type { UsageLineExplanation } from '../../billing/pricing/usagePrice.ts';
import { findKeptSince } from '../../billing/usage/forgetUsage.ts';
import { usageAheadMs, usageSpanMs } from '../../billing/usage/quarters.ts';
import { decimalText } from '../../lib/money.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Queries } from '../../storage/query/queries.ts';
import { TenantReads } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (
  check: 'usage' | 'usage_unbilled' | 'usage_unmatched',
  fault: { subject: string; found: string },
) => void;
type Period = Row<'usagePeriods'>;
type Tenant = Pick<Row<'tenants'>, 'alias' | 'timezone' | 'usageForgottenUntil'> & { now: string };

/** Examines the periods of usage of a tenant. */
export async function examineUsagePeriods(queries: Queries, tenant: Tenant, report: Report): Promise<void> {
  for await (const periods of readPages(queries, 'usagePeriods', tenant.alias)) {
    await compareWithLines(queries, tenant, periods.map(toCharged), report);
    await countAgain(queries, tenant, periods, report);
    await listUnmatched(queries, tenant, periods, report);
  }
  for await (const windows of readPages(queries, 'commitmentWindows', tenant.alias))
    await compareWithLines(queries, tenant, windows.map(toChargedWindow), report);
}

/** A period or a window, with what invoices have charged for it in minor units. */
interface Charged {
  id: string;
  charges: { invoiceId: string; amountMinor: bigint }[];
}

const toCharged = ({ id, charges }: Period): Charged => ({
  id,
  charges: charges.map(({ invoiceId, amountMinor }) => ({ invoiceId, amountMinor: BigInt(amountMinor) })),
});

const toChargedWindow = ({ id, charges }: Row<'commitmentWindows'>): Charged => ({
  id,
  charges: charges.map(({ invoiceId, overageMinor, missingMinor }) => ({
    invoiceId,
    amountMinor: BigInt(overageMinor) + BigInt(missingMinor),
  })),
});

/** Compares what is charged with the lines of the invoices, which are not closed without payment. */
async function compareWithLines(
  queries: Queries,
  { alias: tenantAlias }: Tenant,
  charged: Charged[],
  report: Report,
): Promise<void> {
  const ids = [...new Set(charged.flatMap(({ charges }) => charges.map(({ invoiceId }) => invoiceId)))];
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
    const { usagePeriodId, commitmentWindowId } = line.explanation as Record<string, string | undefined>;
    const key = `${usagePeriodId ?? commitmentWindowId} ${line.invoiceId}`;
    sums.set(key, (sums.get(key) ?? 0n) + line.amountMinor + sumDiscounts([line]));
  }
  for (const { id: subject, charges } of charged)
    for (const { invoiceId, amountMinor } of charges) {
      const billed = sums.get(`${subject} ${invoiceId}`) ?? 0n;
      if (!billing.has(invoiceId))
        report('usage', { subject, found: `is billed by ${invoiceId}, which is closed` });
      else if (billed !== amountMinor)
        report('usage', {
          subject,
          found: `is billed ${amountMinor} by ${invoiceId}, whose lines have ${billed}`,
        });
    }
}

/**
 * Counts the usage of periods again: of those that no event can reach any more, and of those that have ended with their
 * subscription. Usage that came after the final invoice of one is not billed, but listed.
 */
async function countAgain(
  queries: Queries,
  tenant: Tenant,
  periods: Period[],
  report: Report,
): Promise<void> {
  const since = findKeptSince(tenant) ?? '';
  const closed = periods.filter(({ openFor, startsAt }) => openFor === null && startsAt >= since);
  if (closed.length === 0) return;
  const reads = new TenantReads(queries, tenant.alias);
  const id = [...new Set(closed.map(({ subscriptionId }) => subscriptionId))];
  for (const subscription of await reads.many('subscriptions', { where: { id } })) {
    const hasEnded = subscription.cancelledAt !== null;
    const own = closed.filter(
      ({ subscriptionId, charges, endsAt }) =>
        subscriptionId === subscription.id &&
        (hasEnded ? endsAt !== null && addMs(endsAt, usageSpanMs) > tenant.now : charges.length > 0),
    );
    const { lines } = await computeUsageBill(reads, tenant, { subscription, periods: own, until: '' });
    for (const { explanation, amountMinor, currency } of lines) {
      if (amountMinor === 0n) continue;
      const { usagePeriodId: subject, usage } = explanation as UsageLineExplanation;
      if (hasEnded)
        report('usage_unbilled', {
          subject,
          found:
            `has ${usage} units, of which ${decimalText(amountMinor, currency)} ${currency} came after the final invoice of ` +
            subscription.id,
        });
      else report('usage', { subject, found: `costs ${amountMinor} more than invoices have charged` });
    }
  }
}

/** Lists the units of open periods that no rate of their price matches, which nobody pays for. */
async function listUnmatched(
  queries: Queries,
  tenant: Tenant,
  periods: Period[],
  report: Report,
): Promise<void> {
  const open = periods.filter(({ openFor }) => openFor !== null);
  if (open.length === 0) return;
  const reads = new TenantReads(queries, tenant.alias);
  const id = [...new Set(open.map(({ subscriptionId }) => subscriptionId))];
  for (const subscription of await reads.many('subscriptions', { where: { id } })) {
    const own = open.filter(({ subscriptionId }) => subscriptionId === subscription.id);
    const until = addMs(tenant.now, usageAheadMs);
    const request = { subscription, periods: own, until };
    for (const { usagePeriodId, from, unmatched } of await listUnmatchedUsage(reads, tenant, request))
      report('usage_unmatched', {
        subject: usagePeriodId,
        found: `has ${unmatched} units since ${from} that no rate of its price matches, which cost nothing`,
      });
  }
}
