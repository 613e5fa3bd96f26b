import { renewSubscription } from '../renewals/renewSubscription.ts';
import { parseInput } from '../lib/validation.ts';
import { refuse } from '../lib/errors.ts';
import type { ChargeCallback, Outcome } from '../providers/provider.ts';
import { selectProvider } from '../providers/registry.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { chosenMethod, callProvider } from './confirmation.ts';
import { saveMethod } from './keptMethods.ts';
import { findSubscription, type SubscriptionRow } from './subscriptions.ts';

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
  const { value: before, isRepeated } = await tenant.checkpoint((unit) => findSubscription(unit, id));
  if (before.cancelledAt) refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  const provider = selectProvider(await tenant.loadProviders(), method, tenant.record);
  const { customerId, currency, productName: description } = before;
  const idempotencyKey = `${id}_${before.updatedAt}_${method}`;
  const charge = { idempotencyKey, isRepeated, tenantAlias: tenant.alias, amountMinor: 0n };
  const outcome = await callProvider(() =>
    provider.start({ ...charge, currency, description, customerId }, method),
  );
  if (outcome.status !== 'succeeded') return refuseMethod(outcome);
  const { value: isOwed } = await tenant.checkpoint((unit) =>
    changeMethod(unit, id, provider.name, outcome.methodReference),
  );
  if (isOwed) await renewSubscription(tenant, id);
  return findSubscription(tenant.read, id);
}

function refuseMethod(outcome: Exclude<Outcome, { status: 'succeeded' }>): never {
  const path = 'paymentMethod';
  if (outcome.status === 'requires_action') {
    const { actionUrl } = outcome;
    return refuse('payment_action_required', { path, message: 'must be confirmed by the payer', actionUrl });
  }
  const message = outcome.status === 'declined' ? outcome.reason : outcome.status;
  return refuse('payment_failed', { path, message });
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
  const isOwed = await tenant.writeStep(async (unit) => {
    const subscription = await unit.one('subscriptions', { id });
    if (!subscription || subscription.cancelledAt) return false;
    const { paymentMethodId } = subscription;
    const present = paymentMethodId ? await unit.one('paymentMethods', { id: paymentMethodId }) : undefined;
    if (present && (present.reference === methodReference || present.createdAt > askedAt)) return false;
    return changeMethod(unit, id, provider, methodReference);
  });
  if (isOwed) await renewSubscription(tenant, id);
}

/** Saves the method. Returns whether an unpaid invoice is charged to it now. */
async function changeMethod(
  unit: UnitOfWork,
  id: string,
  provider: string,
  reference: string,
): Promise<boolean> {
  const subscription = await findSubscription(unit, id);
  // It may have been cancelled during the call to the provider.
  if (subscription.cancelledAt) refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  const paymentMethodId = await saveMethod(unit, subscription, provider, reference);
  const isOwed = subscription.pastDueSince !== null || (await awaitsTransfer(unit, subscription));
  const dueAt = isOwed && !subscription.parkedReason ? unit.now : subscription.dueAt;
  const kept = { paymentMethodId, dueAt, retriesStoppedReason: null };
  await unit.change('subscriptions', subscription, kept, { action: 'payment_method_changed' });
  return isOwed;
}

/** Whether an invoice waits for a bank transfer and no charge for it is under way. */
async function awaitsTransfer(
  unit: UnitOfWork,
  { openInvoiceId, pausedAt }: SubscriptionRow,
): Promise<boolean> {
  if (openInvoiceId === null || pausedAt !== null) return false;
  const invoice = await unit.one('invoices', { id: openInvoiceId });
  return invoice !== undefined && invoice.dueAt !== null && invoice.chargeStartedAt === null;
}
