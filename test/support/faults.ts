import { auditBooks } from '../../src/billing/audit/audit.ts';
import { indexBooks } from '../../src/billing/audit/auditSnapshot.ts';
import { examine } from '../../src/maintenance/doctor/doctor.ts';
import { auditRevenueOfAll } from '../../src/insights/revenue/audit.ts';
import type { TestApp } from './app.ts';

/** Returns the findings of doctor for a tenant, or for all, as text. */
export async function findFaults(app: TestApp, alias?: string): Promise<string[]> {
  const { findings } = await examine(app.service, () => {}, alias);
  return findings.map(({ check, subject, found }) => `${check}: ${subject} ${found}`);
}

/** Returns the findings of doctor for a tenant but for usage that nobody pays for. */
export const findBillFaults = async (app: TestApp, alias: string): Promise<string[]> =>
  (await findFaults(app, alias)).filter((fault) => !/^usage_(unmatched|unbilled):/.test(fault));

/** Returns the faults that the audit of the books finds for a tenant, without resuming pending work. */
export async function findBookFaults({ service }: TestApp, tenantAlias: string): Promise<string[]> {
  const { committed } = service.store;
  const where = { tenantAlias };
  const traces = await committed.select('traces', { where });
  const resumed = traces
    .filter(({ payload }) => payload['action'] === 'resumed')
    .map(({ resourceId, createdAt, payload }) => {
      const [end] = (payload['changes'] as any).resumesAt ?? [];
      return { id: resourceId!, at: end && end <= createdAt ? end : createdAt };
    });
  const rows = {
    subscriptions: await committed.select('subscriptions', { where }),
    invoices: await committed.select('invoices', { where }),
    invoiceLines: await committed.select('invoiceLines', { where, orderBy: ['id'] }),
    intents: await committed.select('intents', { where }),
    payments: await committed.select('payments', { where, orderBy: ['id'] }),
    balanceEntries: await committed.select('balanceEntries', { where, orderBy: ['id'] }),
    invoiceItems: await committed.select('invoiceItems', { where, orderBy: ['id'] }),
    discounts: await committed.select('discounts', { where, orderBy: ['id'] }),
    creditNotes: await committed.select('creditNotes', { where, orderBy: ['id'] }),
    resumed,
  };
  const movements = await committed.select('mrrMovements', { where, orderBy: ['id'] });
  const customers = [...new Set(rows.subscriptions.map(({ customerId }) => customerId))];
  return [
    ...auditBooks(indexBooks(rows)).map(({ check, subject, found }) => `${check}: ${subject} ${found}`),
    ...auditRevenueOfAll(customers, rows.subscriptions, movements).map(
      ({ subject, found }) => `revenue: ${subject} ${found}`,
    ),
  ];
}
