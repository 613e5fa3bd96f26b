import { saveMethod } from '../../payments/paymentMethods.ts';
import type { PaymentProvider } from '../../../providers/provider.ts';
import type { SteppedTenant } from '../../../tenancy/tenantScope.ts';
import type { IntentRow } from './intents.ts';

/**
 * Saves the method chosen for an intent that the balance paid in full, if the provider accepts it without confirmation.
 * The subscription exists in any case and keeps its current method otherwise.
 */
export async function saveChosenMethod(
  tenant: SteppedTenant,
  { id: intentId, tenantAlias, customerId, currency, productName: description, subscriptionId }: IntentRow,
  provider: PaymentProvider,
  method: string,
): Promise<void> {
  const charge = { idempotencyKey: `${intentId}_method`, isRepeated: false, tenantAlias, amountMinor: 0n };
  const outcome = await ignoreFailure(() =>
    provider.start({ ...charge, currency, description, customerId }, method),
  );
  if (outcome?.status !== 'succeeded') return;
  await tenant.writeStep(async (unit) => {
    const subscription = await unit.one('subscriptions', { id: subscriptionId! });
    if (!subscription || subscription.cancelledAt) return;
    const paymentMethodId = await saveMethod(unit, subscription, provider.name, outcome);
    const kept = { paymentMethodId };
    await unit.change('subscriptions', subscription, kept, { action: 'payment_method_changed' });
  });
}

/** Ignores an unreachable provider: saving a method moves no money. */
async function ignoreFailure<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
