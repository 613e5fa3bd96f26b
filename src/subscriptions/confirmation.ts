import { periodLine } from '../billing/periods.ts';
import { settleInvoice } from '../billing/invoices.ts';
import { refuse } from '../errors.ts';
import type { Charge, Outcome, Succeeded } from '../payments/provider.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { refuseIfSubscribed, startSubscription } from './subscriptions.ts';

/**
 * Pays an intent with a method that the payer has chosen, and starts the subscription. A decline is kept, and the
 * intent can be paid with another method. The provider is asked between two units of work.
 * Errors: `intent_not_found`, `intent_not_payable`, `subscription_exists`, `payment_failed`.
 */
export async function confirmIntent(tenant: Tenant, id: string, method: string): Promise<IntentRow> {
  const intent = await tenant.write((unit) => beginPayment(unit, id, method, tenant.payments.name));
  const outcome = await tenant.payments.start(chargeOf(intent, tenant.record.timezone), method);
  const settled = await tenant.write((unit) => settlePayment(unit, id, outcome));
  if (outcome.status === 'declined')
    refuse('payment_failed', { path: 'paymentMethod', message: outcome.reason });
  return settled;
}

async function beginPayment(unit: Unit, id: string, method: string, provider: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  if (intent.status !== 'requires_payment_method') {
    refuse('intent_not_payable', { path: 'id', message: `is ${intent.status}` });
  }
  await refuseIfSubscribed(unit, intent.customerId, { id: intent.productId, groupId: intent.groupId });
  await refuseIfPaidElsewhere(unit, intent);
  const begun = {
    status: 'processing' as const,
    attempts: intent.attempts + 1,
    paymentStartedAt: unit.now,
    paymentMethod: method,
    provider,
    failureReason: null,
  };
  return unit.change('intents', intent, begun, { action: 'payment_started' });
}

/** Two intents for one thing must not both be paid. */
async function refuseIfPaidElsewhere(unit: Unit, { id, customerId, productId, groupId }: IntentRow) {
  const underWay = await unit.many('intents', {
    where: { customerId, status: ['processing', 'requires_action'] },
  });
  const rival = underWay.some(
    (other) => other.id !== id && (other.productId === productId || (groupId && other.groupId === groupId)),
  );
  if (rival)
    refuse('intent_not_payable', { path: 'id', message: 'another intent for the same is being paid' });
}

/** What is due now: nothing for a start that lies ahead, when the method is only kept. */
function chargeOf(intent: IntentRow, timeZone: string): Charge {
  const start = intent.startDate ?? intent.paymentStartedAt!;
  const { line } = periodLine(intent, intent.executionDate, start, timeZone);
  return {
    idempotencyKey: `${intent.id}_${intent.attempts}`,
    amountMinor: start > intent.paymentStartedAt! ? 0n : line.amountMinor,
    currency: intent.currency,
    description: line.description,
  };
}

async function settlePayment(unit: Unit, id: string, outcome: Outcome): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  if (intent.status !== 'processing') {
    refuse('intent_not_payable', { path: 'id', message: `is ${intent.status}` });
  }
  return outcome.status === 'succeeded'
    ? succeed(unit, intent, outcome)
    : decline(unit, intent, outcome.reason);
}

async function decline(unit: Unit, intent: IntentRow, reason: string): Promise<IntentRow> {
  const back = { status: 'requires_payment_method' as const, failureReason: reason };
  const declined = await unit.change('intents', intent, back, { action: 'payment_failed' });
  await recordPayment(unit, intent, { status: 'failed', failureReason: reason });
  return declined;
}

async function succeed(unit: Unit, intent: IntentRow, outcome: Succeeded): Promise<IntentRow> {
  const subscriptionId = unit.id('sub');
  const succeeded = await unit.change(
    'intents',
    intent,
    { status: 'succeeded', subscriptionId },
    { action: 'succeeded' },
  );
  const method = await unit.addPart('paymentMethods', {
    id: unit.id('pm'),
    customerId: intent.customerId,
    provider: intent.provider!,
    reference: outcome.methodReference,
    createdAt: unit.now,
  });
  const { invoice } = await startSubscription(unit, succeeded, intent.paymentStartedAt!, method.id);
  if (invoice) {
    const payment = await recordPayment(unit, succeeded, {
      status: 'succeeded',
      invoiceId: invoice.id,
      reference: outcome.reference,
    });
    await settleInvoice(unit, invoice, payment.id);
  }
  return succeeded;
}

function recordPayment(
  unit: Unit,
  intent: IntentRow,
  result: { status: 'succeeded' | 'failed'; failureReason?: string; invoiceId?: string; reference?: string },
) {
  return unit.create(
    'payments',
    {
      id: unit.id('pay'),
      customerId: intent.customerId,
      intentId: intent.id,
      invoiceId: result.invoiceId ?? null,
      provider: intent.provider!,
      reference: result.reference ?? null,
      status: result.status,
      amountMinor: chargeOf(intent, unit.tenant.timezone).amountMinor,
      currency: intent.currency,
      failureReason: result.failureReason ?? null,
      createdAt: unit.now,
    },
    { action: result.status, because: intent.id },
  );
}

/** Gives up an intent that has not been paid. Errors: `intent_not_found`, `intent_not_payable`. */
export async function cancelIntent(unit: Unit, id: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action') {
    refuse('intent_not_payable', { path: 'id', message: `is ${intent.status}` });
  }
  return unit.change('intents', intent, { status: 'canceled' }, { action: 'canceled' });
}
