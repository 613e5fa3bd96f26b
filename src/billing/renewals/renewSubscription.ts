import { BillingError, isTransient } from '../../lib/errors.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import { chargeProvider, type DueCharge } from '../invoices/charges.ts';
import { makeRefund } from '../invoices/refunds.ts';
import { checkSubscribers } from '../tax/vatIdChecks.ts';
import { beginRenewal } from './beginRenewal.ts';
import { recordChargeOutcome } from './recordChargeOutcome.ts';

/** A subscription, its charge, and the outcome. */
export interface Charged {
  id: string;
  due: DueCharge;
  outcome: Outcome;
}

/** The steps of a renewal; each is durable before the next begins. */
export interface RenewalSteps {
  /** Invoices the subscription; undefined if there is nothing to charge. */
  begin: (id: string) => Promise<DueCharge | undefined>;
  /** Asks the provider for the money; undefined if it could not be reached. */
  charge: (due: DueCharge) => Promise<Outcome | undefined>;
  record: (charged: Charged) => Promise<void>;
}

/** Renews one subscription, step by step. Returns false if its provider could not be reached. */
export async function renew({ begin, charge, record }: RenewalSteps, id: string): Promise<boolean> {
  const due = await begin(id);
  if (!due) return true;
  const outcome = await charge(due);
  if (!outcome) return false;
  await record({ id, due, outcome });
  return true;
}

/**
 * Bills what one subscription owes now, in units of work of its own. Parks the subscription if its books do not add up.
 * Returns false if the provider could not be reached.
 */
export async function renewSubscription(
  tenant: SteppedTenant,
  id: string,
  charge: RenewalSteps['charge'] = (due) => chargeProvider(tenant, due),
): Promise<boolean> {
  await checkSubscribers(tenant, [id]);
  const steps: RenewalSteps = {
    begin: () => tenant.writeStep((unit) => beginRenewal(unit, id)),
    charge,
    record: (charged) => recordCharge(tenant, charged),
  };
  return (await parkOnError(tenant, id, () => renew(steps, id))) ?? true;
}

/** Records the outcome of a charge in a unit of its own, and makes the refund that it may lead to. */
export const recordCharge = (tenant: SteppedTenant, { id, due, outcome }: Charged): Promise<void> =>
  parkOnError(tenant, id, async () => {
    const refund = await tenant.writeStep((unit) => recordChargeOutcome(unit, due, outcome));
    if (refund) await makeRefund(tenant, refund);
  });

/** Runs `work` for a subscription. If it fails, parks the subscription and returns undefined. */
export const parkOnError = <T>(
  tenant: SteppedTenant,
  id: string,
  work: () => Promise<T>,
): Promise<T | undefined> => withFallback(work, (error) => park(tenant, id, error));

/** Parks a subscription whose books do not add up, so that others are still billed. */
async function park(tenant: SteppedTenant, id: string, error: unknown): Promise<undefined> {
  const parkedReason = error instanceof Error ? error.message : String(error);
  await tenant.writeStep(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (!subscription) return;
    const aside = { parkedReason, dueAt: null, claimedUntil: null };
    await unit.change('subscriptions', subscription, aside, { action: 'parked' });
  });
}

/** Runs `work`, or `alternative` if it fails for any reason but a transient one. Error: `unavailable`. */
export async function withFallback<T, U>(
  work: () => Promise<T>,
  alternative: (error: unknown) => U,
): Promise<T | Awaited<U>> {
  try {
    return await work();
  } catch (error) {
    // A transient error of the database or the request says nothing about the subscription.
    if (error instanceof BillingError && isTransient(error.reason)) throw error;
    return await alternative(error);
  }
}
