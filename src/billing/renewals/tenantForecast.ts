/** The forecast of a whole tenant: the forecast of each customer, with subscriptions and balances read in bulk. */
import { refuse } from '../../lib/errors.ts';
import { parseInstant, addMs } from '../../lib/time.ts';
import { listProductIds, type Agreement } from '../pricing/invoiceLines.ts';
import type { Scan } from '../../storage/scan.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { readSourcesOfAll, type BillSources } from '../invoices/gatherBill.ts';
import { chargesTax } from '../tax/taxBook.ts';
import { forecastCustomer, type ForecastCharge } from './forecast.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';

/** The expected charges at one instant in one currency. */
export interface ForecastSum {
  date: string;
  currency: string;
  totalMinor: bigint;
  charges: number;
  /** Whether usage among them is an estimate. */
  usageEstimated: boolean;
}

/** 100,000 subscriptions take about ten seconds; the server handles requests meanwhile. */
const tenantLimitMs = minuteMs;
const tenantHorizonMs = 366 * dayMs;

/**
 * Forecasts the charges of all subscriptions of a tenant up to an instant, at most 366 days ahead, summed by instant
 * and currency. Errors: `validation_failed`, `query_timeout`.
 */
export async function forecastTenant(tenant: TenantScope, until: string): Promise<ForecastSum[]> {
  const end = parseInstant(until, tenant.record.timezone, 'until');
  if (end > addMs(tenant.now(), tenantHorizonMs)) {
    refuse('validation_failed', { path: 'until', message: 'must be at most 366 days ahead' });
  }
  return tenant.scan(async (scan) => {
    const sums = new Map<string, ForecastSum>();
    for await (const customers of listDueCustomers(scan, end)) {
      const sources = await readSources(tenant, customers);
      for (const subscriptions of customers) {
        scan.check();
        const known = sources.get(subscriptions[0]!.customerId)!;
        for (const charge of await forecastCustomer(tenant, subscriptions, end, { known, usage: 'run_rate' }))
          addToSum(sums, charge);
      }
    }
    return [...sums.values()].toSorted((a, b) => (a.date + a.currency < b.date + b.currency ? -1 : 1));
  }, tenantLimitMs);
}

/** Iterates over the subscriptions due by `end`, grouped by customer and ordered by id; a few customers at a time. */
async function* listDueCustomers(scan: Scan, end: string): AsyncGenerator<Row<'subscriptions'>[][]> {
  const slices = scan.slices('subscriptions', {
    where: {},
    filter: { cancelledAt: null, dueAt: { to: end } },
    // The order of the index, so that no slice needs a sort.
    orderBy: ['customerId', 'createdAt', 'id'],
    leaveOut: ['productName', 'metadata'],
    sliceRows: 500,
  });
  let left: Row<'subscriptions'>[] = [];
  for await (const rows of slices) {
    const groups = groupByCustomer([...left, ...rows]);
    // The next slice may begin with more subscriptions of the last customer.
    left = groups.pop() ?? [];
    yield groups;
  }
  if (left.length > 0) yield [left];
}

function groupByCustomer(sorted: Row<'subscriptions'>[]): Row<'subscriptions'>[][] {
  const groups = new Map<string, Row<'subscriptions'>[]>();
  for (const each of sorted) {
    const group = groups.get(each.customerId);
    if (group) group.push(each);
    else groups.set(each.customerId, [each]);
  }
  return [...groups.values()].map((group) => group.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}

/** Reads what the bills of many customers take from, by customer. */
async function readSources(
  { read, record }: TenantScope,
  customers: Row<'subscriptions'>[][],
): Promise<Map<string, BillSources>> {
  const customerIds = customers.map(([first]) => first!.customerId);
  const agreements = chargesTax(record) ? await listAgreements(read, customers.flat()) : [];
  return readSourcesOfAll(read, record, customerIds, agreements.flatMap(listProductIds));
}

/** Lists the agreements that subscriptions bill: those in force, and those of scheduled changes. */
async function listAgreements(reads: Reads, subscriptions: Row<'subscriptions'>[]): Promise<Agreement[]> {
  const id = subscriptions.flatMap(({ nextIntentId }) => nextIntentId ?? []);
  return id.length === 0
    ? subscriptions
    : [...subscriptions, ...(await reads.many('intents', { where: { id } }))];
}

function addToSum(
  sums: Map<string, ForecastSum>,
  { date, currency, totalMinor, usageEstimated }: ForecastCharge,
): void {
  const key = date + currency;
  const sum = sums.get(key) ?? { date, currency, totalMinor: 0n, charges: 0, usageEstimated: false };
  sums.set(key, {
    ...sum,
    totalMinor: sum.totalMinor + totalMinor,
    charges: sum.charges + 1,
    usageEstimated: sum.usageEstimated || usageEstimated,
  });
}
