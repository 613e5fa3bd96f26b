/** Sums the tax of the days that are over, so that a report reads a few sums and not a million invoices. */
import { addMs } from '../../lib/time.ts';
import { hourMs } from '../../lib/durations.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { allColumnsBut } from '../../storage/query/tableMeta.ts';
import type { Scan } from '../../storage/scan.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import { findDay, findNextDay } from '../revenue/spans.ts';
import { readTaxedInvoices } from './taxedDocuments.ts';
import { TaxSums } from './taxSums.ts';

/** A day is summed this long after its end: the clocks of servers differ by less. */
const marginMs = hourMs;

/** About how many invoices one step reads, if a day has no more. */
const invoicesAtOnce = 20_000;

type Progress = Row<'taxProgress'>;

const orders = {
  createdAt: {
    orderBy: ['createdAt', 'id'],
    leaveOut: allColumnsBut('invoices', 'createdAt'),
  },
  issuedAt: {
    orderBy: ['issuedAt', 'id'],
    leaveOut: allColumnsBut('invoices', 'issuedAt'),
  },
} as const;

/**
 * Sums the next days of a tenant that are over, in one step; returns whether some are left. Error: `query_timeout`.
 */
export async function sumTaxes(tenant: SteppedTenant): Promise<boolean> {
  const { timezone } = tenant.record;
  const end = findDay(addMs(tenant.now(), -marginMs), timezone);
  const progress = (await tenant.primaryReads.one('taxProgress', {})) ?? (await beginSums(tenant, end));
  if (!progress || progress.until >= end) return false;
  const sums = new TaxSums();
  const before = await tenant.scan(async (scan) => {
    const stepEnd = await findStepEnd(scan, progress.until, end, timezone);
    let [day, next] = ['', ''];
    for await (const invoices of readTaxedInvoices(scan, { from: progress.until, before: stepEnd }))
      for (const invoice of invoices) {
        if (invoice.issuedAt < day || invoice.issuedAt >= next) {
          day = findDay(invoice.issuedAt, timezone);
          next = findNextDay(day, timezone);
        }
        sums.add(invoice, day);
      }
    return stepEnd;
  });
  const isKept = await tenant.writeStep(async (unit) => {
    const present = await unit.one('taxProgress', {});
    // An invoice of these days may have changed since it was read: then they are summed again.
    if (present?.until !== progress.until || present.changes !== progress.changes) return false;
    await unit.updateUntraced('taxProgress', {}, { until: before });
    await unit.batch(async (_, openUnit) => {
      const each = openUnit();
      for (const sum of sums.list()) await each.insertUntraced('taxSums', sum);
    });
    return true;
  });
  return !isKept || before < end;
}

/** Begins with the day of the first invoice; returns undefined if no day with one is over. */
async function beginSums(tenant: SteppedTenant, end: string): Promise<Progress | undefined> {
  const { primaryReads: reads } = tenant;
  const [created] = await reads.many('invoices', { where: {}, ...orders.createdAt, limit: 1 });
  if (!created || created.createdAt >= end) return undefined;
  const [issued] = await reads.many('invoices', {
    where: { issuedAt: { before: created.createdAt, inIndex: 'invoices_issued_later' } },
    ...orders.issuedAt,
    limit: 1,
  });
  const until = findDay(issued?.issuedAt ?? created.createdAt, tenant.record.timezone);
  return tenant.writeStep(async (unit) => {
    const present = await unit.one('taxProgress', {});
    return present ?? unit.insertUntraced('taxProgress', { until, changes: 0 });
  });
}

/** Returns the start of the day at which a step ends: at least one day is summed. */
async function findStepEnd(scan: Scan, from: string, end: string, timezone: string): Promise<string> {
  const beyond = await Promise.all([
    scan.select('invoices', {
      where: { createdAt: { from, before: end } },
      ...orders.createdAt,
      skip: invoicesAtOnce,
      limit: 1,
    }),
    scan.select('invoices', {
      where: { issuedAt: { from, before: end, inIndex: 'invoices_issued_later' } },
      ...orders.issuedAt,
      skip: invoicesAtOnce,
      limit: 1,
    }),
  ]);
  const instants = beyond.flat().map(({ createdAt, issuedAt }) => issuedAt ?? createdAt);
  if (instants.length === 0) return end;
  const day = findDay(instants.toSorted()[0]!, timezone);
  return day > from ? day : findNextDay(from, timezone);
}

/** Makes the sums of a tenant anew. Meanwhile reports read the invoices. */
export async function rebuildTaxSums(tenant: SteppedTenant): Promise<void> {
  await tenant.writeStep(async (unit) => {
    await unit.removeUntraced('taxProgress', {});
    await unit.removeUntraced('taxSums', {});
  });
  while (await sumTaxes(tenant));
}
