import type { Row } from '../../storage/model/rowTypes.ts';
import type { Charge, Outcome, PaymentProvider } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { Reads } from '../../storage/store.ts';
import { buildReturnPath } from '../../tenancy/paymentLinks.ts';
import type { SteppedTenant, TenantScope } from '../../tenancy/tenantScope.ts';
import { buildCharge, chargeProvider } from '../invoices/charges.ts';
import { findOrderMetadata } from '../payments/orderMetadata.ts';
import { recordLateOutcome } from '../payments/latePayments.ts';
import { makeRefund } from '../invoices/refunds.ts';
import { toDueRefund } from '../payments/dueRefunds.ts';
import { recordChargeOutcome } from './recordChargeOutcome.ts';

type PaymentRow = Row<'payments'>;

/**
 * Lists the payments that were begun here before an instant and whose outcome is unknown, oldest first. Refunds and
 * disputes that the provider reported have its reference; it also reports their outcome.
 */
export async function listPendingPayments(
  tenant: TenantScope,
  before: string,
  limit: number,
): Promise<PaymentRow[]> {
  return tenant.read.many('payments', {
    where: { status: 'pending', reference: null, createdAt: { to: before } },
    orderBy: ['createdAt', 'id'],
    limit,
  });
}

/** Makes a refund that was begun, or asks the provider for the outcome of a charge, and records the outcome. */
export async function reconcilePayment(tenant: TenantScope, payment: PaymentRow): Promise<void> {
  if (payment.kind === 'refund') {
    const charge = (await tenant.read.one('payments', { id: payment.chargeId! }))!;
    await makeRefund(tenant, toDueRefund(payment, charge));
    return;
  }
  const refund = await (payment.invoiceId === null
    ? reconcileIntentCharge(tenant, payment)
    : reconcileInvoiceCharge(tenant, payment.invoiceId));
  if (refund) await makeRefund(tenant, refund);
}

async function reconcileInvoiceCharge(tenant: TenantScope, invoiceId: string) {
  const invoice = (await tenant.read.one('invoices', { id: invoiceId }))!;
  const { subscriptionId: id } = invoice;
  const subscription = id === null ? undefined : await tenant.read.one('subscriptions', { id });
  const due = buildCharge(invoice, subscription?.productName ?? null, true);
  const outcome = await chargeProvider(tenant, due);
  return outcome && tenant.write((unit) => recordChargeOutcome(unit, due, outcome));
}

async function reconcileIntentCharge(
  tenant: TenantScope,
  { intentId, customerId, provider, amountMinor, currency }: PaymentRow,
) {
  const intent = (await tenant.read.one('intents', { id: intentId! }))!;
  const outcome = await askAboutIntent(tenant, intent).catch(() => undefined);
  const attempted = {
    kind: 'charge' as const,
    customerId,
    provider,
    amountMinor,
    currency,
    intentId: intent.id,
    metadata: await findOrderMetadata(tenant.read, intent),
  };
  return outcome && tenant.write((unit) => recordLateOutcome(unit, attempted, outcome, intent.id));
}

/** Asks the provider for the outcome of an intent's payment. Throws if it could not be reached. */
export async function askAboutIntent(tenant: SteppedTenant, intent: Row<'intents'>): Promise<Outcome> {
  const provider = findProvider(await tenant.loadProviders(), intent.provider!, tenant.record);
  const charge = buildIntentCharge(tenant, intent, true);
  if (intent.paymentReference !== null) return provider.resume(charge, intent.paymentReference);
  return startIntentCharge(provider, intent, charge, await findSavedReference(tenant.primaryReads, intent));
}

/**
 * Charges the method that a payer has just chosen for an intent, or a saved one: that of the subscription for a change, or
 * the one whose reference is `saved`.
 */
export const startIntentCharge = (
  provider: PaymentProvider,
  { billing, paymentMethod }: Row<'intents'>,
  charge: Charge,
  saved?: string,
): Promise<Outcome> => {
  const reference = billing === null ? saved : paymentMethod!;
  return reference === undefined
    ? provider.start(charge, paymentMethod!)
    : provider.charge(charge, reference);
};

/** Returns the reference of the saved method with which an intent is paid; undefined if the payer has just chosen one. */
async function findSavedReference(
  reads: Reads,
  { paymentMethod, customerId }: Row<'intents'>,
): Promise<string | undefined> {
  if (paymentMethod === null) return undefined;
  const saved = await reads.one('paymentMethods', { id: paymentMethod, customerId });
  return saved?.reference;
}

/** Builds the charge of an intent's current attempt; always the same for one attempt. */
export const buildIntentCharge = (
  tenant: SteppedTenant,
  intent: Row<'intents'>,
  isRepeated: boolean,
): Charge => ({
  ...describeIntentCharge(intent, isRepeated),
  returnPath: buildReturnPath(tenant, intent),
});

/** Builds the charge of an intent's current attempt for a provider that leads no payer to another page. */
export const describeIntentCharge = (intent: Row<'intents'>, isRepeated: boolean): Charge => ({
  idempotencyKey: `${intent.id}_${intent.attempts}`,
  isRepeated,
  tenantAlias: intent.tenantAlias,
  amountMinor: intent.dueMinor!,
  currency: intent.currency,
  description: intent.productName,
  customerId: intent.customerId,
});
