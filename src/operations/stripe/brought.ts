import { BillingError } from '../../errors.ts';

/** What one subscription will be charged first. */
interface FirstCharge {
  subscriptionId: string;
  stripeId: string;
  customer: string;
  product: string;
  /** Null where it ends instead. */
  date: string | null;
  amount: number;
  currency: string;
  hasPaymentMethod: boolean;
}

/** What stays with Stripe, and why. */
interface Left {
  stripeId: string;
  why: string;
}

export interface Brought {
  customers: number;
  products: number;
  prices: number;
  subscriptions: number;
  /** What had been brought before. */
  known: number;
  charges: FirstCharge[];
  left: Left[];
}

/** A reason to leave something with Stripe. */
class Leaving extends Error {}

/** Leaves the record at hand with Stripe; its other records come here. */
export function leave(why: string): never {
  throw new Leaving(why);
}

/** Performs a part; where it cannot be brought here, tells why its record stays with Stripe. */
export async function orLeave(brought: Brought, stripeId: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Leaving) brought.left.push({ stripeId, why: error.message });
    else if (error instanceof BillingError && error.status === 400) {
      const why = error.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
      brought.left.push({ stripeId, why: why || error.message });
    } else throw error;
  }
}
