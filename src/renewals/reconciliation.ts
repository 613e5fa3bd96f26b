import type { Row } from '../storage/model/rowTypes.ts';
import type { Charge, Outcome } from '../providers/provider.ts';
import { providerNamed } from '../providers/registry.ts';
import type { SteppedTenant, TenantScope } from '../tenancy/tenantScope.ts';
import { toDueRefund, makeRefund } from '../invoicing/refunds.ts';
import { buildCharge, recordChargeOutcome } from './renewal.ts';
import { chargeProvider } from './renewalBatch.ts';
import { settleUnowed } from './latePayments.ts';

type PaymentRow = Row<'payments'>;

/** Payments on record whose outcome nobody has waited for, begun before an instant, oldest first. */
export async function pendingPayments(
  tenant: TenantScope,
  before: string,
  limit: number,
): Promise<PaymentRow[]> {
  return tenant.read.many('payments', {
    where: { status: 'pending', createdAt: { to: before } },
    orderBy: ['createdAt', 'id'],
    limit,
  });
}

/** Makes a refund that was begun, or asks what became of a charge that nobody owes any more, and keeps the answer. */
export async function settlePending(tenant: TenantScope, payment: PaymentRow): Promise<void> {
  if (payment.kind === 'refund') {
    const charge = (await tenant.read.one('payments', { id: payment.chargeId! }))!;
    await makeRefund(tenant, toDueRefund(payment, charge));
    return;
  }
  const unowed = await (payment.invoiceId === null
    ? settleIntentCharge(tenant, payment)
    : settleInvoiceCharge(tenant, payment.invoiceId));
  if (unowed) await makeRefund(tenant, unowed);
}

async function settleInvoiceCharge(tenant: TenantScope, invoiceId: string) {
  const invoice = (await tenant.read.one('invoices', { id: invoiceId }))!;
  const subscription = (await tenant.read.one('subscriptions', { id: invoice.subscriptionId! }))!;
  const due = buildCharge(invoice, subscription, true);
  const outcome = await chargeProvider(tenant, due);
  return outcome && tenant.write((unit) => recordChargeOutcome(unit, due, outcome));
}

async function settleIntentCharge(
  tenant: TenantScope,
  { intentId, customerId, provider, amountMinor, currency }: PaymentRow,
) {
  const intent = (await tenant.read.one('intents', { id: intentId! }))!;
  const outcome = await askAboutIntent(tenant, intent).catch(() => undefined);
  const told = { kind: 'charge' as const, customerId, provider, amountMinor, currency, intentId };
  return outcome && tenant.write((unit) => settleUnowed(unit, told, outcome, intent.id));
}

/** Asks the provider what became of an intent's payment. Throws where it could not be reached. */
export function askAboutIntent(tenant: SteppedTenant, intent: Row<'intents'>): Promise<Outcome> {
  const provider = providerNamed(tenant.payments, intent.provider!, tenant.record);
  const charge = chargeOfIntent(intent, true);
  return intent.paymentReference === null
    ? provider.start(charge, intent.paymentMethod!)
    : provider.resume(charge, intent.paymentReference);
}

/** The charge that pays an intent: the same whenever its present try is asked about. */
export const chargeOfIntent = (intent: Row<'intents'>, isRepeated: boolean): Charge => ({
  idempotencyKey: `${intent.id}_${intent.attempts}`,
  isRepeated,
  tenantAlias: intent.tenantAlias,
  intentId: intent.id,
  amountMinor: intent.dueMinor!,
  currency: intent.currency,
  description: intent.productName,
  customerId: intent.customerId,
});
