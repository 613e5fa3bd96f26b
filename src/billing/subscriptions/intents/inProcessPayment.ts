/** Payments with a provider that answers in the process: one unit of work begins the payment and records its outcome. */
import { describeIntentCharge, startIntentCharge } from '../../renewals/reconciliation.ts';
import { saveMethod, type ReportedMethod } from '../../payments/paymentMethods.ts';
import type { Charge, PaymentProvider } from '../../../providers/provider.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { recordPaymentOutcome } from './checkout.ts';
import type { IntentRow } from './intents.ts';

/**
 * Begins the payment of an intent with a chosen method, or with a saved one whose reference is `saved`, makes it, and records
 * the outcome, all in one unit of work. Its two parts have the traces of two units. After a decline the intent has its reason.
 */
export const payInProcess = (
  unit: UnitOfWork,
  begin: (unit: UnitOfWork) => Promise<IntentRow>,
  provider: PaymentProvider,
  saved?: string,
): Promise<IntentRow> =>
  unit.batch(async (_, nextUnit) => {
    const begun = await begin(nextUnit());
    return makePayment(nextUnit(), begun, provider, saved);
  });

/** Makes a payment that has begun. If nothing is owed any more, a method that was just chosen is saved. */
async function makePayment(
  unit: UnitOfWork,
  begun: IntentRow,
  provider: PaymentProvider,
  saved: string | undefined,
): Promise<IntentRow> {
  if (begun.status === 'succeeded') {
    if (saved !== undefined) return begun;
    const outcome = await provider.start(buildSavingCharge(begun), begun.paymentMethod!);
    if (outcome.status === 'succeeded') await keepChosenMethod(unit, begun, provider.name, outcome);
    return begun;
  }
  const outcome = await startIntentCharge(provider, begun, describeIntentCharge(begun, false), saved);
  return (await recordPaymentOutcome(unit, begun, outcome))!;
}

/** Builds the charge of nothing that saves the method chosen for an intent which the balance has paid. */
export const buildSavingCharge = ({
  id,
  tenantAlias,
  customerId,
  currency,
  productName: description,
}: IntentRow): Charge => {
  const charge = { idempotencyKey: `${id}_method`, isRepeated: false, tenantAlias, amountMinor: 0n };
  return { ...charge, currency, description, customerId };
};

/** Saves the method chosen for an intent that the balance has paid, and charges it for the subscription from now on. */
export async function keepChosenMethod(
  unit: UnitOfWork,
  { subscriptionId }: IntentRow,
  provider: string,
  reported: ReportedMethod,
): Promise<void> {
  const subscription = await unit.one('subscriptions', { id: subscriptionId! });
  if (!subscription || subscription.cancelledAt) return;
  const kept = { paymentMethodId: await saveMethod(unit, subscription, provider, reported) };
  await unit.change('subscriptions', subscription, kept, { action: 'payment_method_changed' });
}
