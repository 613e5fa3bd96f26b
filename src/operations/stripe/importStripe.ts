import type { Row } from '../../db/schema.ts';
import { operator, transact, type Service } from '../../tenants/tenants.ts';
import type { Unit } from '../../tenants/unit.ts';
import { leave, orLeave, type Brought } from './brought.ts';
import { bringCatalog, customerOf } from './catalog.ts';
import type { StripeExport } from './records.ts';
import { bringSubscription } from './subscription.ts';

interface Wishes {
  tenant: string;
  /** Which of the customers' metadata is their id in one's own system; their id at Stripe unless given. */
  associatedId?: string;
  /** Otherwise nothing is kept. */
  isConfirmed: boolean;
}

/** Ends the unit without keeping it. */
class Undone extends Error {
  constructor(readonly brought: Brought) {
    super('Nothing was kept.');
  }
}

/**
 * Brings customers, products, prices and running subscriptions from Stripe, all in one unit of work, and answers what
 * each subscription will be charged first. They go on where they are: the next date is the one that Stripe would
 * charge on. What was brought before is left as it is. Errors: `tenant_mismatch`, `unavailable`.
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

async function bring(unit: Unit, from: StripeExport, { associatedId }: Wishes): Promise<Brought> {
  const brought: Brought = {
    customers: 0,
    products: 0,
    prices: 0,
    subscriptions: 0,
    known: 0,
    charges: [],
    left: [],
  };
  const customers = new Map<string, { row: Row<'customers'>; paymentMethod: string | null }>();
  for (const customer of from.customers) {
    await orLeave(brought, customer.id, async () => {
      const row = await customerOf(unit, customer, associatedId, brought);
      customers.set(customer.id, { row, paymentMethod: customer.paymentMethod });
    });
  }
  const prices = await bringCatalog(unit, from, brought);
  for (const subscription of from.subscriptions) {
    await orLeave(brought, subscription.id, async () => {
      const customer =
        customers.get(subscription.customer) ?? leave(`its customer ${subscription.customer} is not here`);
      const price = prices.get(subscription.price) ?? leave(`its price ${subscription.price} is not here`);
      await bringSubscription(unit, subscription, customer, price, brought);
    });
  }
  return brought;
}
