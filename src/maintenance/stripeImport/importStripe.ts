import type { Row } from '../../storage/model/rowTypes.ts';
import { operator, transact, type Service } from '../../tenancy/tenants.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { bringBalances } from './balances.ts';
import { countLosses, leave, listLosses, orLeave, refuseLosses, type Brought } from './importReport.ts';
import type { Loss } from './losses.ts';
import { bringCatalog, importCustomer } from './catalog.ts';
import type { StripeExport } from './records.ts';
import { bringSubscription, refuseEnded, refuseUnfit } from './subscription.ts';

interface Wishes {
  tenant: string;
  /** The metadata key that holds the customer's id in your own system. Default: the Stripe id. */
  associatedId?: string;
  /** The kinds of losses with which a subscription may be imported: `discount`, `tax`. */
  accept?: readonly string[];
  /** Whether to commit; otherwise the import is a dry run. */
  isConfirmed: boolean;
}

/** Rolls the unit of work back and carries its report. */
class Undone extends Error {
  constructor(readonly brought: Brought) {
    super('Nothing was kept.');
  }
}

/**
 * Imports customers, products, prices and running subscriptions from Stripe in one unit of work, and returns the first
 * charge of each subscription. Each next billing date is the date on which Stripe would charge next. Records imported
 * earlier stay unchanged. Errors: `tenant_mismatch`, `unavailable`.
 */
export async function importStripe(service: Service, from: StripeExport, wishes: Wishes): Promise<Brought> {
  try {
    return await transact(service, wishes.tenant, operator(service), async (unit) => {
      const brought = await bring(unit, from, wishes);
      if (!wishes.isConfirmed) throw new Undone(brought);
      return brought;
    });
  } catch (error) {
    if (error instanceof Undone) return error.brought;
    throw error;
  }
}

async function bring(
  unit: UnitOfWork,
  from: StripeExport,
  { associatedId, accept = [] }: Wishes,
): Promise<Brought> {
  const brought: Brought = {
    customers: 0,
    products: 0,
    prices: 0,
    subscriptions: 0,
    known: 0,
    charges: [],
    left: [],
    credits: [],
    lost: [],
    counts: {},
    notes: from.notes,
  };
  const customers = new Map<
    string,
    { row: Row<'customers'>; paymentMethod: string | null; discount: Loss[] }
  >();
  for (const customer of from.customers) {
    await orLeave(brought, customer.id, async () => {
      const row = await importCustomer(unit, customer, associatedId, brought);
      const { paymentMethod, discount, losses } = customer;
      customers.set(customer.id, { row, paymentMethod, discount });
      refuseLosses(losses, accept);
      listLosses(brought, customer.id, losses);
    });
  }
  const prices = await bringCatalog(unit, from, brought);
  for (const subscription of from.subscriptions) {
    await orLeave(brought, subscription.id, async () => {
      const customer =
        customers.get(subscription.customer) ?? leave(`its customer ${subscription.customer} is not here`);
      const price = prices.get(subscription.price) ?? leave(`its price ${subscription.price} is not here`);
      refuseEnded(subscription);
      const losses = [...subscription.losses, ...customer.discount];
      refuseLosses(losses, accept);
      refuseUnfit(subscription, unit.now);
      await bringSubscription(unit, subscription, customer, price, brought);
      listLosses(brought, subscription.id, losses);
    });
  }
  const staying = customersThatStay(from, brought);
  for (const customer of from.customers) {
    const known = customers.get(customer.id);
    if (known) await bringBalances(unit, customer, known.row, staying.has(customer.id), brought);
  }
  return { ...brought, counts: countLosses(brought) };
}

const endedStatuses = new Set(['canceled', 'incomplete_expired']);

/** Returns the Stripe ids of customers who keep a running subscription at Stripe. */
function customersThatStay({ subscriptions }: StripeExport, { left }: Brought): Set<string> {
  const staying = new Set(left.map(({ stripeId }) => stripeId));
  const own = subscriptions.filter(({ id, status }) => staying.has(id) && !endedStatuses.has(status));
  return new Set(own.map(({ customer }) => customer));
}
