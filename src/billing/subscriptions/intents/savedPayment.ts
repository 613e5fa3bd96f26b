/** The first payment of an order with a method that the customer has saved before. */
import type { ExpectedTotal } from '../../payments/expectedTotal.ts';
import { findPaymentMethod, type PaymentMethodRow } from '../../payments/paymentMethods.ts';
import { refuseDeclined } from '../../payments/payments.ts';
import { refuse } from '../../../lib/errors.ts';
import { findProvider } from '../../../providers/registry.ts';
import { buildIntentCharge, startIntentCharge } from '../../renewals/reconciliation.ts';
import type { Reads } from '../../../storage/store.ts';
import type { SteppedTenant } from '../../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { beginPayment, completeIntent } from './checkout.ts';
import { callProvider, checkPayer, recordOutcome } from './confirmation.ts';
import { payInProcess } from './inProcessPayment.ts';
import { findIntent, type IntentRow } from './intents.ts';

/**
 * Pays an intent with a saved method of its customer, who is absent, and starts or changes the subscription. After a
 * decline, also because the bank asks for a confirmation, the intent can be paid with another method or by its payer.
 * Errors: `amount_changed`, `intent_not_found`, `payment_method_not_found`, `intent_not_payable`, `subscription_exists`,
 * `subscription_not_active`, `currency_mismatch`, `payment_failed`, `unavailable`.
 */
export async function payWithSavedMethod(
  tenant: SteppedTenant,
  id: string,
  paymentMethodId: string,
  expected?: ExpectedTotal,
): Promise<IntentRow> {
  await checkPayer(tenant, id);
  const providers = await tenant.loadProviders();
  const { value, isRepeated } = await tenant.checkpoint('payment begun', async (unit) => {
    const method = await findMethodOfPayer(unit, await findIntent(unit, id, unit.now), paymentMethodId);
    const begin = async (each: UnitOfWork) => {
      const begun = await beginPayment(each, id, method.id, method.provider, expected);
      const used = { reference: '', methodReference: method.reference };
      // Nothing is owed now, for example because of a trial: the method is for later charges.
      return begun.dueMinor === 0n ? completeIntent(each, begun, used) : begun;
    };
    const provider = findProvider(providers, method.provider, tenant.record);
    const pay = () => payInProcess(unit, begin, provider, method.reference);
    return { method, intent: await (provider.isInProcess ? pay() : begin(unit)) };
  });
  const { method, intent } = value;
  if (intent.failureReason !== null) refuseDeclined('paymentMethod', method.provider, intent.failureReason);
  const provider = findProvider(providers, method.provider, tenant.record);
  if (intent.status === 'succeeded' || (provider.isInProcess && !isRepeated)) return intent;
  const charge = buildIntentCharge(tenant, intent, isRepeated);
  const outcome = await callProvider(() => startIntentCharge(provider, intent, charge, method.reference));
  return recordOutcome(tenant, intent, outcome);
}

/** Returns a saved method. Error: `payment_method_not_found`, also for that of another customer. */
async function findMethodOfPayer(
  reads: Reads,
  { customerId }: IntentRow,
  paymentMethodId: string,
): Promise<PaymentMethodRow> {
  const method = await findPaymentMethod(reads, paymentMethodId);
  return method.customerId === customerId ? method : refuse('payment_method_not_found');
}
