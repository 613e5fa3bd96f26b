import type { PaymentProvider } from '../providers/provider.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import type { IntentRow } from './intents.ts';

/** Keeps what a provider knows a method by, for later charges; returns the id of its record. */
export async function keepMethod(
  unit: UnitOfWork,
  { customerId }: { customerId: string },
  provider: string,
  reference: string,
): Promise<string> {
  const { id } = await unit.insertUntraced('paymentMethods', {
    id: unit.id('pm'),
    customerId,
    provider,
    reference,
    createdAt: unit.now,
  });
  return id;
}

/**
 * Keeps the method that a payer chose for an intent which their balance has paid whole, if the provider accepts it
 * without more ado. The subscription exists either way, and is charged with the method it has until another is set.
 */
export async function keepChosenMethod(
  tenant: SteppedTenant,
  { id: intentId, tenantAlias, customerId, currency, productName: description, subscriptionId }: IntentRow,
  provider: PaymentProvider,
  method: string,
): Promise<void> {
  const charge = { idempotencyKey: `${intentId}_method`, isRepeated: false, tenantAlias, amountMinor: 0n };
  const outcome = await orNothing(() =>
    provider.start({ ...charge, currency, description, customerId }, method),
  );
  if (outcome?.status !== 'succeeded') return;
  await tenant.writeStep(async (unit) => {
    const subscription = await unit.one('subscriptions', { id: subscriptionId! });
    if (!subscription || subscription.cancelledAt) return;
    const paymentMethodId = await keepMethod(unit, subscription, provider.name, outcome.methodReference);
    const kept = { paymentMethodId };
    await unit.change('subscriptions', subscription, kept, { action: 'payment_method_changed' });
  });
}

/** A provider that cannot be reached keeps nothing; what it is asked for here moves no money. */
async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
