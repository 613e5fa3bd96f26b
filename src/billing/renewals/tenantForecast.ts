/** The forecast of a whole tenant: the forecast of each customer, with subscriptions and balances read in bulk. */
import { refuse } from '../../lib/errors.ts';
import { parseInstant, addMs } from '../../lib/time.ts';
import { listProductIds, type Agreement } from '../pricing/invoiceLines.ts';
import type { Scan } from '../../storage/scan.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listGivenDiscountsOfAll } from '../discounts/use.ts';
import { chargesTax, readTaxBook } from '../tax/taxBook.ts';
import { findEndedSubscriptions, waitingItem } from '../invoices/invoiceItems.ts';
import { orderCredits } from '../pricing/credits.ts';
import { forecastCustomer, type Funds, type ForecastCharge } from './forecast.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';

/** The expected charges at one instant in one currency. */
export interface ForecastSum {
  date: string;
  currency: string;
  totalMinor: bigint;
  charges: number;
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
      const fundsByCustomer = await readFunds(tenant, customers);
      for (const subscriptions of customers) {
        scan.check();
        const funds = fundsByCustomer.get(subscriptions[0]!.customerId)!;
        for (const charge of await forecastCustomer(tenant, subscriptions, end, funds))
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

/** Reads the credits, waiting items and discounts of many customers at once; returns them by customer. */
async function readFunds(
  { read, record }: TenantScope,
  customers: Row<'subscriptions'>[][],
): Promise<Map<string, Funds>> {
  const customerId = customers.map(([first]) => first!.customerId);
  const credits = await read.many('balanceEntries', {
    where: { customerId, remainingMinor: { after: 0n } },
    orderBy: ['id'],
  });
  const items = await read.many('invoiceItems', { where: { customerId, ...waitingItem }, orderBy: ['id'] });
  const ended = await findEndedSubscriptions(read, items);
  const discounts = await listGivenDiscountsOfAll(read, record, customerId);
  const agreements = chargesTax(record) ? await listAgreements(read, customers.flat()) : [];
  const taxes = await readTaxBook(read, record, customerId, agreements.flatMap(listProductIds));
  const funds = new Map<string, Funds>(
    customerId.map((id) => [
      id,
      { credits: new Map(), items: [], ended, discounts: discounts.get(id) ?? [], taxes },
    ]),
  );
  for (const credit of orderCredits(credits)) {
    const own = funds.get(credit.customerId)!.credits;
    own.set(credit.currency, [...(own.get(credit.currency) ?? []), credit]);
  }
  for (const item of items) funds.get(item.customerId)!.items.push(item);
  return funds;
}

/** Lists the agreements that subscriptions bill: those in force, and those of scheduled changes. */
async function listAgreements(reads: Reads, subscriptions: Row<'subscriptions'>[]): Promise<Agreement[]> {
  const id = subscriptions.flatMap(({ nextIntentId }) => nextIntentId ?? []);
  return id.length === 0
    ? subscriptions
    : [...subscriptions, ...(await reads.many('intents', { where: { id } }))];
}

function addToSum(sums: Map<string, ForecastSum>, { date, currency, totalMinor }: ForecastCharge): void {
  const key = date + currency;
  const sum = sums.get(key) ?? { date, currency, totalMinor: 0n, charges: 0 };
  sums.set(key, { ...sum, totalMinor: sum.totalMinor + totalMinor, charges: sum.charges + 1 });
}
