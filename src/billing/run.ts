import { BillingError } from '../errors.ts';
import type { Outcome } from '../payments/provider.ts';
import { providerNamed, type Providers } from '../payments/providers.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { makeRefund } from './refunds.ts';
import { openDue, settleCharge, type DueCharge } from './renewals.ts';

// Enough to share commits, few enough to let requests through between them.
const sliceSize = 50;

/** What a slice of billing came to. */
interface Slice {
  taken: number;
  /** Those that wait for a provider which could not be reached. */
  unreachable: string[];
}

/** Bills one slice of what is due at `now`, oldest first, passing over the subscriptions in `skip`. */
export async function billSlice(tenant: Tenant, now: string, skip: ReadonlySet<string>): Promise<Slice> {
  const due = await tenant.claim(
    'subscriptions',
    {
      where: { dueAt: { to: now }, changingIntentId: null },
      orderBy: ['dueAt', 'id'],
      limit: sliceSize,
    },
    skip,
  );
  const taken = due.map(({ id }) => id);
  const reached = await Promise.all(taken.map((id) => billSubscription(tenant, id)));
  return { taken: taken.length, unreachable: taken.filter((_, index) => !reached[index]) };
}

/**
 * Bills what one subscription owes now: invoices it, asks the provider, keeps the outcome, each durable before the
 * next. What does not add up is parked. Answers false where the provider could not be reached.
 */
export async function billSubscription(tenant: Tenant, id: string): Promise<boolean> {
  try {
    const due = await tenant.begin((unit) => openDue(unit, id));
    if (!due) return true;
    const outcome = await ask(tenant.payments, due);
    if (!outcome) return false;
    const unowed = await tenant.begin((unit) => settleCharge(unit, due, outcome));
    if (unowed) await makeRefund(tenant, unowed);
    return true;
  } catch (error) {
    // The database cannot answer just now: that says nothing of the subscription.
    if (error instanceof BillingError && error.reason === 'unavailable') throw error;
    await park(tenant, id, error);
    return true;
  }
}

/** Asks the provider to make a charge, or what became of it; undefined where it could not be reached. */
export async function ask(
  payments: Providers,
  { method, charge }: Pick<DueCharge, 'method' | 'charge'>,
): Promise<Outcome | undefined> {
  if (!method) return { status: 'declined', reason: 'no_payment_method' };
  try {
    return await providerNamed(payments, method.provider).charge(charge, method.reference);
  } catch {
    // Nobody knows whether the money moved: the same try is asked about again.
    return undefined;
  }
}

/** Puts a subscription aside whose books do not add up, so that the others go on. */
function park(tenant: Tenant, id: string, error: unknown): Promise<void> {
  const parkedReason = error instanceof Error ? error.message : String(error);
  return tenant.begin(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (!subscription) return;
    const aside = { parkedReason, dueAt: null, claimedUntil: null };
    await unit.change('subscriptions', subscription, aside, { action: 'parked' });
  });
}
