import { createAlertAudit } from '../../billing/audit/auditAlerts.ts';
import { auditBooks } from '../../billing/audit/audit.ts';
import { auditRedemptions } from '../../billing/audit/auditDiscounts.ts';
import { indexBooks } from '../../billing/audit/auditSnapshot.ts';
import { auditRevenueOfAll } from '../../insights/revenue/audit.ts';
import type { Queries } from '../../storage/query/queries.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { toInstant } from '../../lib/time.ts';
import { activities } from '../../tenancy/traces/traceTypes.ts';
import type { TracedTable } from '../../tenancy/traces/eventTypes.ts';
import { createReplay } from '../../insights/activity/replay.ts';
import { sandbox } from '../../providers/sandbox.ts';
import { dependsOnOldRates, findCheckedUntil } from '../../billing/tax/standardRates.ts';
import { findOwnRatesCountry, hasRate } from '../../billing/tax/untaxedHome.ts';
import type { Service } from '../../tenancy/service.ts';
import { getCurrentInstant } from '../../tenancy/tenants.ts';
import { repairHints, type Problem } from './repairHints.ts';
import { examineAccounts } from './accounts.ts';
import { examineEInvoices } from './eInvoices.ts';
import { examineOperators, examineOwners } from './operators.ts';
import { examineReferences } from './references.ts';
import { examineRetention } from './retention.ts';
import { examineSearch } from './searchIndex.ts';
import { findStalledWork } from './stalledWork.ts';
import { examineMissingRates, examineTaxConversions } from './taxConversions.ts';
import { examineTaxSums } from './taxSums.ts';
import { examineUnionSales } from './unionSales.ts';
import { createLastUses, examineUntold } from './untoldAlerts.ts';
import { examineUsage } from './usage.ts';
import { examineUsagePeriods } from './usagePeriods.ts';
import { examineVatIds } from './vatIds.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

/** A problem that the doctor found, with a hint for its repair. */
export interface Finding {
  tenant: string;
  check: Problem;
  /** The id of the affected record. */
  subject: string;
  found: string;
  repair: string;
}

/** The number of records examined. */
export interface Examined {
  tenants: number;
  subscriptions: number;
  invoices: number;
  traces: number;
}

const customersAtOnce = 200;

/**
 * Examines all data, or that of one tenant, in one snapshot, also beside a running server, without changes. Reports its
 * progress to `report`. Error: `unavailable`.
 */
export async function examine(
  service: Pick<Service, 'store' | 'clock' | 'secretBox'>,
  report: (text: string) => void,
  alias?: string,
): Promise<{ findings: Finding[]; warnings: Finding[]; examined: Examined }> {
  const examined: Examined = { tenants: 0, subscriptions: 0, invoices: 0, traces: 0 };
  const findings: Finding[] = [];
  const warnings: Finding[] = [];
  await service.store.snapshot(async (queries) => {
    const tenants = await queries.select('tenants', { where: { alias }, orderBy: ['alias'] });
    for (const tenant of tenants) {
      const blame = (check: Problem, { subject, found }: { subject: string; found: string }) => {
        findings.push({ tenant: tenant.alias, check, subject, found, repair: repairHints[check] });
      };
      examined.tenants += 1;
      const reportProgress = (what: string) => report(`${tenant.alias}: ${what}`);
      const now = getCurrentInstant(service, tenant);
      const { resumed, percentsSetAt } = await examineTraces(
        queries,
        { alias: tenant.alias, now },
        examined,
        blame,
        reportProgress,
      );
      await examineBooks(queries, tenant, resumed, examined, blame, reportProgress);
      await examineRedemptions(queries, tenant, blame);
      await examineMethods(queries, tenant, blame);
      await examineAccounts(service, queries, tenant.alias, (fault) => blame('account', fault));
      await examineEInvoices(queries, tenant, getCurrentInstant(service, tenant), (fault) =>
        blame('e_invoice', fault),
      );
      await examineReferences(queries, tenant, (fault) => blame('reference', fault));
      await examineOwners(queries, tenant.alias, (fault) => blame('operators', fault));
      await examineNumbers(queries, tenant.alias, blame);
      const uses = createLastUses(
        await queries.select('meters', { where: { tenantAlias: tenant.alias } }),
        tenant,
      );
      await examineUsage(queries, tenant, uses.follow, (fault) => blame('usage', fault));
      await examineSearch(service.store, queries, tenant.alias, (fault) => blame('search', fault));
      await examineTaxSums(queries, tenant, (fault) => blame('tax_sums', fault));
      await examineUnionSales(queries, tenant, now, (fault) => blame('union_sales', fault));
      await examineTaxConversions(queries, tenant.alias, (fault) => blame('tax_conversions', fault));
      await examineVatIds(queries, tenant.alias, (fault) => blame('vat_id', fault));
      await examineMissingRates(queries, tenant, (fault) => blame('exchange_rate', fault));
      await examineTaxes(queries, tenant, now, blame);
      const realNow = toInstant(service.clock.nowMs());
      warnings.push(...warnOfOldRates(tenant, realNow));
      await examineUntold(queries, { tenant, uses, percentsSetAt, now }, (fault) => blame('alerts', fault));
      await examineUsagePeriods(queries, { ...tenant, now }, blame);
      await examineRetention(queries, tenant, now, (fault) => blame('documents', fault));
      const stalled = await findStalledWork(queries, tenant, now, realNow);
      for (const { check, ...fault } of stalled) blame(check, fault);
    }
    await examineOperators(service, queries, (fault) => {
      findings.push({ tenant: '', check: 'operators', ...fault, repair: repairHints.operators });
    });
  });
  return { findings, warnings, examined };
}

type Blame = (check: Problem, fault: { subject: string; found: string }) => void;
type ReportProgress = (what: string) => void;

/**
 * Checks that every change has a trace, every record matches its last trace, and alerts were told once. Returns as of when subscriptions were
 * resumed, and when the tenant last set the shares of alerts.
 */
async function examineTraces(
  queries: Queries,
  { alias, now }: { alias: string; now: string },
  examined: Examined,
  blame: Blame,
  reportProgress: ReportProgress,
): Promise<{ resumed: { id: string; at: string }[]; percentsSetAt: string }> {
  const replay = createReplay();
  const alerts = createAlertAudit((fault) => blame('alerts', fault));
  const resumed: { id: string; at: string }[] = [];
  let percentsSetAt = '';
  for await (const page of readPages(queries, 'traces', alias)) {
    for (const trace of page) {
      for (const fault of replay.follow(trace)) blame('traces', fault);
      alerts.follow(trace);
      const { action, resourceId } = trace.payload as { action: string; resourceId: string };
      if (
        trace.activityType === 'TenantEvent' &&
        'usageAlertPercents' in ((trace.payload['changes'] as object) ?? {})
      )
        percentsSetAt = trace.createdAt;
      if (trace.activityType === 'SubscriptionEvent' && action === 'resumed') {
        resumed.push({ id: resourceId, at: findResumption(trace) });
      }
    }
    examined.traces += page.length;
    reportProgress(`checked ${examined.traces} traces`);
  }
  for (const name of Object.keys(activities) as TracedTable[]) {
    for await (const page of readPages(queries, name, alias)) {
      for (const row of page) for (const fault of replay.compare(name, row)) blame('traces', fault);
    }
  }
  for (const fault of replay.listMissing()) blame('traces', fault);
  for await (const page of readPages(queries, 'limitAlerts', alias)) alerts.compareLimits(page);
  for await (const page of readPages(queries, 'subscriptions', alias)) alerts.compareSpending(page);
  for await (const page of readPages(queries, 'balanceEntries', alias)) alerts.compareGrants(page, now);
  return { resumed, percentsSetAt };
}

/** Returns as of when a subscription was resumed: a pause ends at its date, however late that is recorded. */
function findResumption({ payload, createdAt }: Row<'traces'>): string {
  const { resumesAt } = payload['changes'] as { resumesAt?: [string | null, unknown] };
  const end = resumesAt?.[0];
  return end && end <= createdAt ? end : createdAt;
}

/** Checks the counts of redemptions of a tenant that has coupons. */
async function examineRedemptions(
  queries: Queries,
  { alias: tenantAlias, discountsSince }: Row<'tenants'>,
  blame: Blame,
): Promise<void> {
  const where = { tenantAlias };
  const coupons = await queries.select('coupons', { where });
  if (coupons.length > 0 && discountsSince === null) {
    blame('discounts', { subject: tenantAlias, found: 'has coupons, but renewals look for no discounts' });
  }
  if (coupons.length === 0) return;
  const redemptions = {
    coupons,
    promotionCodes: await queries.select('promotionCodes', { where }),
    discounts: await queries.select('discounts', { where }),
    paying: await queries.select('intents', {
      where: { ...where, status: ['processing', 'requires_action'] },
    }),
  };
  auditRedemptions(redemptions, (subject, found) => blame('discounts', { subject, found }));
}

/** Checks that no subscription of a live tenant is paid with a sandbox method. */
async function examineMethods(queries: Queries, tenant: Row<'tenants'>, blame: Blame): Promise<void> {
  if (tenant.test) return;
  const methods = new Set<string>();
  for await (const page of readPages(queries, 'paymentMethods', tenant.alias)) {
    for (const { id, provider } of page) if (provider === sandbox.name) methods.add(id);
  }
  if (methods.size === 0) return;
  for await (const page of readPages(queries, 'subscriptions', tenant.alias)) {
    for (const { id, paymentMethodId, cancelledAt } of page) {
      if (cancelledAt === null && paymentMethodId !== null && methods.has(paymentMethodId))
        blame('sandbox_method', { subject: id, found: 'uses a sandbox payment method on a live tenant' });
    }
  }
}

/** Checks that the counters of document numbers have no gaps: as many numbers were given as there are documents. */
async function examineNumbers(queries: Queries, tenantAlias: string, blame: Blame): Promise<void> {
  const counters = await queries.select('numberCounters', { where: { tenantAlias } });
  for (const kind of ['invoice', 'credit_note'] as const) {
    const own = counters.filter(({ id }) => id === kind || id.startsWith(`${kind}:`));
    const given = own.reduce((sum, { value }) => sum + value, 0);
    let numbered = 0;
    for await (const page of readPages(queries, 'invoices', tenantAlias))
      numbered += page.filter(
        ({ documentNumber, documentKind }) => documentNumber !== null && (documentKind ?? 'invoice') === kind,
      ).length;
    if (kind === 'credit_note')
      for await (const page of readPages(queries, 'creditNotes', tenantAlias)) numbered += page.length;
    if (given !== numbered)
      blame('documents', {
        subject: tenantAlias,
        found: `gave ${given} numbers of the series ${kind}, but ${numbered} documents have one`,
      });
  }
}

/** Checks that a seller outside the European Union has a tax rate for its country, or states that it owes none. */
async function examineTaxes(
  queries: Queries,
  tenant: Row<'tenants'>,
  now: string,
  blame: Blame,
): Promise<void> {
  const country = findOwnRatesCountry(tenant);
  if (country === undefined) return;
  const rates = await queries.select('taxRates', { where: { tenantAlias: tenant.alias, country } });
  if (!hasRate(rates, now))
    blame('untaxed', {
      subject: tenant.alias,
      found: `has no tax rate for ${country}, where its seller is: customers there are billed without tax`,
    });
}

/**
 * Warns of standard VAT rates that nobody has checked for a year. They may be right, so they are no finding: an examination must
 * not fail because time passes.
 */
function warnOfOldRates(tenant: Row<'tenants'>, realNow: string): Finding[] {
  if (!dependsOnOldRates(tenant, realNow)) return [];
  const { alias, renewedRates } = tenant;
  const found = `has standard VAT rates that were checked until ${findCheckedUntil(renewedRates)}, more than a year ago`;
  return [{ tenant: alias, check: 'vat_rates', subject: alias, found, repair: repairHints.vat_rates }];
}

/** Audits the books of a few customers at a time; the books of customers are independent. */
async function examineBooks(
  queries: Queries,
  { alias: tenantAlias, revenueSince }: Row<'tenants'>,
  resumed: { id: string; at: string }[],
  examined: Examined,
  blame: Blame,
  reportProgress: ReportProgress,
): Promise<void> {
  const customers = await listCustomersWithBooks(queries, tenantAlias, blame);
  for (let next = 0; next < customers.length; next += customersAtOnce) {
    const customerId = customers.slice(next, next + customersAtOnce);
    const where = { tenantAlias, customerId };
    const rows = {
      subscriptions: await queries.select('subscriptions', { where }),
      invoices: await queries.select('invoices', { where }),
      invoiceLines: await queries.select('invoiceLines', { where, orderBy: ['id'] }),
      intents: await queries.select('intents', { where }),
      payments: await queries.select('payments', { where, orderBy: ['id'] }),
      balanceEntries: await queries.select('balanceEntries', { where, orderBy: ['id'] }),
      invoiceItems: await queries.select('invoiceItems', { where, orderBy: ['id'] }),
      discounts: await queries.select('discounts', { where, orderBy: ['id'] }),
      creditNotes: await queries.select('creditNotes', { where, orderBy: ['id'] }),
      resumed,
    };
    for (const { check, ...fault } of auditBooks(indexBooks(rows))) blame(check, fault);
    if (revenueSince !== null) {
      const movements = await queries.select('mrrMovements', { where, orderBy: ['id'] });
      for (const fault of auditRevenueOfAll(customerId, rows.subscriptions, movements))
        blame('revenue', fault);
    }
    examined.subscriptions += rows.subscriptions.length;
    examined.invoices += rows.invoices.length;
    reportProgress(`checked ${examined.subscriptions} subscriptions and ${examined.invoices} invoices`);
  }
}

/**
 * Lists the customers that have records in the books, including deleted customers. Checks that invoice numbers have no
 * gaps.
 */
async function listCustomersWithBooks(queries: Queries, alias: string, blame: Blame): Promise<string[]> {
  const customers = new Set<string>();
  const add = (page: { customerId: string }[]) => {
    for (const { customerId } of page) customers.add(customerId);
  };
  let count = 0;
  let highest = 0;
  for await (const page of readPages(queries, 'invoices', alias)) {
    add(page);
    count += page.length;
    highest = page.reduce((most, { number }: Row<'invoices'>) => Math.max(most, number), highest);
  }
  if (count !== highest) {
    blame('invoice_numbers', {
      subject: alias,
      found: `has ${count} ${count === 1 ? 'invoice' : 'invoices'}, but the last is number ${highest}`,
    });
  }
  for (const name of ['subscriptions', 'payments', 'balanceEntries'] as const) {
    for await (const page of readPages(queries, name, alias)) add(page);
  }
  return [...customers].toSorted();
}
