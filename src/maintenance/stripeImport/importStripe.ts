import type { Row } from '../../storage/model/rowTypes.ts';
import type { Service } from '../../tenancy/service.ts';
import { createOperatorOrigin, requireTenant, transact } from '../../tenancy/tenants.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { importBalances } from './balances.ts';
import {
  countLosses,
  skipRecord,
  reportLosses,
  skipIfRefused,
  refuseLosses,
  type ImportReport,
} from './importReport.ts';
import type { Loss } from './losses.ts';
import { importCatalog, importCustomer } from './catalog.ts';
import type { StripeExport } from './records.ts';
import { checkDiscounts, importDiscounts } from './discounts.ts';
import { findItems, refuseUnfitItems } from './items.ts';
import { removeRepeats } from './repeats.ts';
import { importTaxRates } from './taxRates.ts';
import { importSubscription, refuseEnded, refuseWithoutPeriod } from './subscription.ts';

interface ImportOptions {
  tenant: string;
  /** The metadata key that holds the customer's id in your own system. Default: the Stripe id. */
  associatedId?: string;
  /** The kinds of losses with which a subscription may be imported: `discount`, `tax`. */
  accept?: readonly string[];
  /** Whether to commit; otherwise the import is a dry run. */
  isConfirmed: boolean;
}

/** Rolls the unit of work back and carries its report. */
class RolledBack extends Error {
  constructor(readonly report: ImportReport) {
    super('Nothing was kept.');
  }
}

/**
 * Imports tax rates, customers, products, prices and running subscriptions from Stripe in one unit of work, and returns
 * the first charge of each subscription. Each next billing date is the date on which Stripe would charge next. Records imported
 * earlier stay unchanged. Errors: `validation_failed` for an unknown tenant, `unavailable`, and an Error for two
 * different records with one id.
 */
export async function importStripe(
  service: Service,
  from: StripeExport,
  options: ImportOptions,
): Promise<ImportReport> {
  await requireTenant(service, options.tenant);
  try {
    return await transact(service, options.tenant, createOperatorOrigin(service), async (unit) => {
      const report = await importRecords(unit, removeRepeats(from), options);
      if (!options.isConfirmed) throw new RolledBack(report);
      return report;
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.report;
    throw error;
  }
}

async function importRecords(
  unit: UnitOfWork,
  from: StripeExport,
  { associatedId, accept = [] }: ImportOptions,
): Promise<ImportReport> {
  const report: ImportReport = {
    customers: 0,
    products: 0,
    prices: 0,
    subscriptions: 0,
    taxRates: 0,
    known: 0,
    charges: [],
    left: [],
    credits: [],
    lost: [],
    counts: {},
    notes: from.notes,
  };
  // Before the subscriptions, whose first charges depend on them.
  await importTaxRates(unit, from.taxRates, report);
  const customers = new Map<
    string,
    { row: Row<'customers'>; paymentMethod: string | null; discount: Loss[] }
  >();
  for (const customer of from.customers) {
    await skipIfRefused(report, customer.id, async () => {
      checkDiscounts(unit, customer.discounts);
      const row = await importCustomer(unit, customer, associatedId, report);
      const { paymentMethod, discount, losses } = customer;
      customers.set(customer.id, { row, paymentMethod, discount });
      await importDiscounts(unit, customer.discounts, { customerId: row.id, subscriptionId: null });
      refuseLosses(losses, accept);
      reportLosses(report, customer.id, losses);
    });
  }
  const methods = new Map(from.methods.map(({ id, details }) => [id, details]));
  const prices = await importCatalog(unit, from, report);
  for (const subscription of from.subscriptions) {
    await skipIfRefused(report, subscription.id, async () => {
      const customer =
        customers.get(subscription.customer) ??
        skipRecord(`its customer ${subscription.customer} is not here`);
      refuseEnded(subscription);
      const items = findItems(subscription, prices);
      const losses = [...subscription.losses, ...customer.discount];
      refuseLosses(losses, accept);
      refuseUnfitItems(items);
      refuseWithoutPeriod(subscription, unit.now);
      await importSubscription(unit, subscription, customer, methods, items, report);
      reportLosses(report, subscription.id, losses);
    });
  }
  const staying = findStayingCustomers(from, report);
  for (const customer of from.customers) {
    const known = customers.get(customer.id);
    if (known) await importBalances(unit, customer, known.row, staying.has(customer.id), report);
  }
  return { ...report, counts: countLosses(report) };
}

const endedStatuses = new Set(['canceled', 'incomplete_expired']);

/** Returns the Stripe ids of customers who keep a running subscription at Stripe. */
function findStayingCustomers({ subscriptions }: StripeExport, { left }: ImportReport): Set<string> {
  const staying = new Set(left.map(({ stripeId }) => stripeId));
  const own = subscriptions.filter(({ id, status }) => staying.has(id) && !endedStatuses.has(status));
  return new Set(own.map(({ customer }) => customer));
}
