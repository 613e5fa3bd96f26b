import {
  findByReference,
  findDefaultMethod,
  findPaymentMethod,
  saveMethod,
  type ReportedMethod,
} from '../payments/paymentMethods.ts';
import { refuseDeclined } from '../payments/payments.ts';
import { parseInput } from '../../lib/validation.ts';
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import type { ChargeCallback, Outcome } from '../../providers/provider.ts';
import { findChosenProvider } from '../payments/chosenMethod.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { chosenMethod, callProvider } from '../subscriptions/intents/confirmation.ts';
import {
  chargeOpen,
  chargeTo,
  moveSubscriptions,
  noCharges,
  owesCharge,
  startOpenInvoices,
  type OpenCharges,
} from '../subscriptions/intents/openCharges.ts';
import { findSubscription, type SubscriptionRow } from '../subscriptions/subscriptions.ts';

/**
 * Saves another payment method for later charges and charges past-due invoices to it at once. Errors:
 * `subscription_not_found`, `subscription_not_active`, `payment_failed` if the provider refuses the method,
 * `payment_action_required` with the URL at which the payer must confirm it, `unavailable`.
 */
export async function setPaymentMethod(
  tenant: TenantScope,
  id: string,
  method: string,
): Promise<SubscriptionRow> {
  parseInput(chosenMethod, { paymentMethod: method });
  // Reads within a write, so that a read-only key cannot cause a call to the provider.
  const { value: before, isRepeated } = await tenant.checkpoint('requested', (unit) =>
    findSubscription(unit, id),
  );
  if (before.cancelledAt) refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  const provider = await findChosenProvider(tenant, method);
  const { customerId, currency, productName: description } = before;
  const idempotencyKey = `${id}_${before.updatedAt}_${method}`;
  const charge = { idempotencyKey, isRepeated, tenantAlias: tenant.alias, amountMinor: 0n };
  const outcome = await callProvider(() =>
    provider.start({ ...charge, currency, description, customerId }, method),
  );
  if (outcome.status !== 'succeeded') return refuseMethod(provider.name, outcome);
  const { value: open, isRepeated: isCharged } = await tenant.checkpoint('method changed', (unit) =>
    changeMethod(unit, id, provider.name, outcome),
  );
  await chargeOpen(tenant, open, isCharged);
  return findSubscription(tenant.read, id);
}

/** Refuses a method that the provider did not save. Errors: `payment_action_required`, `payment_failed`. */
export function refuseMethod(provider: string, outcome: Exclude<Outcome, { status: 'succeeded' }>): never {
  const path = 'paymentMethod';
  if (outcome.status === 'requires_action') {
    const { actionUrl } = outcome;
    return refuse('payment_action_required', { path, message: 'must be confirmed by the payer', actionUrl });
  }
  return refuseDeclined(path, provider, outcome.status === 'declined' ? outcome.reason : outcome.status);
}

const changeKeyForm = /^(?<id>sub_[^_]+)_(?<askedAt>[^_]+)_/;

/**
 * Saves a payment method that the payer confirmed after `setPaymentMethod` returned, as reported by the provider's
 * callback. Keeps a method set since then; a repeated callback changes nothing.
 */
export async function recordConfirmedMethod(
  tenant: TenantScope,
  provider: string,
  { idempotencyKey, outcome }: ChargeCallback,
): Promise<void> {
  const { id, askedAt } = changeKeyForm.exec(idempotencyKey)?.groups ?? {};
  if (id === undefined || askedAt === undefined || outcome.status !== 'succeeded') return;
  const { methodReference } = outcome;
  const open = await tenant.writeStep(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (!subscription || subscription.cancelledAt) return noCharges;
    const { paymentMethodId } = subscription;
    const present = paymentMethodId ? await unit.one('paymentMethods', { id: paymentMethodId }) : undefined;
    const { customerId } = subscription;
    const known = await findByReference(unit, { customerId, provider, reference: methodReference });
    if (known?.removedAt) return noCharges;
    if (present && (present.reference === methodReference || present.createdAt > askedAt)) return noCharges;
    return changeMethod(unit, id, provider, outcome);
  });
  await chargeOpen(tenant, open, false);
}

/**
 * Saves the method of a subscription and returns the charges to make to it. It also pays the unpaid invoices of other
 * subscriptions that were charged to the replaced method. If that was the default of the customer, the new one is.
 */
async function changeMethod(
  unit: UnitOfWork,
  id: string,
  provider: string,
  reported: ReportedMethod,
): Promise<OpenCharges> {
  const subscription = await findSubscription(unit, id);
  // It may have been cancelled during the call to the provider.
  if (subscription.cancelledAt) refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  const { customerId, paymentMethodId: replaced } = subscription;
  const previous = await findDefaultMethod(unit, customerId);
  const isDefault = replaced !== null && previous?.id === replaced;
  const saved = await saveMethod(unit, { customerId, isDefault }, provider, reported);
  const method = await findPaymentMethod(unit, saved);
  const isOwed = await owesCharge(unit, subscription);
  await chargeTo(unit, subscription, method.id, isOwed);
  const owed = isOwed ? [id] : [];
  if (replaced === null) return { subscriptions: owed, invoices: [] };
  const others = await moveSubscriptions(unit, customerId, { from: [replaced], to: method, which: 'unpaid' });
  const subscriptions = [...new Set([...owed, ...others])];
  const invoices = isDefault ? await startOpenInvoices(unit, customerId, method) : [];
  return { subscriptions, invoices };
}
