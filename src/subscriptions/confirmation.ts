import * as z from 'zod';
import { askAboutIntent, buildIntentCharge } from '../renewals/reconciliation.ts';
import { makeRefund } from '../invoicing/refunds.ts';
import { recordLateOutcome } from '../renewals/latePayments.ts';
import { parseInput, externalId } from '../lib/validation.ts';
import { BillingError, refuse } from '../lib/errors.ts';
import type { Outcome } from '../providers/provider.ts';
import { selectProvider } from '../providers/registry.ts';
import { closeIntent } from '../renewals/intentExpiry.ts';
import type { SteppedTenant } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { keepChosenMethod } from './keptMethods.ts';
import { beginPayment, refuseStatus, payFromBalance, recordPaymentOutcome } from './checkout.ts';

/** The method that a payer has chosen. */
export const chosenMethod = z.object({ paymentMethod: externalId });

/**
 * Pays an intent with a method that the payer has chosen, and starts or changes the subscription. A decline is kept,
 * and the intent can be paid with another method. The provider is asked between two units of work; it is not asked for
 * money where the customer's balance pays all.
 * Errors: `validation_failed`, `intent_not_found`, `intent_not_payable`, `subscription_exists`,
 * `subscription_not_active`, `currency_mismatch`, `payment_failed`, `unavailable`.
 */
export async function confirmIntent(tenant: SteppedTenant, id: string, method: string): Promise<IntentRow> {
  parseInput(chosenMethod, { paymentMethod: method });
  const provider = selectProvider(tenant.payments, method, tenant.record);
  const { value: intent, isRepeated } = await tenant.checkpoint(async (unit) =>
    payFromBalance(unit, await beginPayment(unit, id, method, provider.name)),
  );
  if (intent.status === 'succeeded') {
    await keepChosenMethod(tenant, intent, provider, method);
    return intent;
  }
  const outcome = await reach(() => provider.start(buildIntentCharge(intent, isRepeated), method));
  return recordOutcome(tenant, intent, outcome);
}

/**
 * Asks the provider what became of a payment that is under way: after the payer has confirmed with their bank, or
 * after a crash. Answers the intent as it is then. Errors: `intent_not_found`, `payment_failed`, `unavailable`.
 */
export async function resumeIntent(tenant: SteppedTenant, id: string): Promise<IntentRow> {
  // Read by way of a write: a key that may only read must not reach the provider.
  const intent = await tenant.writeStep((unit) => beginAsking(unit, id));
  if (!isUnderWay(intent)) return intent;
  const outcome = await reach(() => askAboutIntent(tenant, intent));
  return recordOutcome(tenant, intent, outcome);
}

const isUnderWay = ({ status }: IntentRow) => status === 'requires_action' || status === 'processing';

async function beginAsking(unit: UnitOfWork, id: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  return isUnderWay(intent) ? unit.change('intents', intent, { askedAt: unit.now }) : intent;
}

async function recordOutcome(tenant: SteppedTenant, intent: IntentRow, outcome: Outcome): Promise<IntentRow> {
  const { id, attempts: attempt, provider, dueMinor } = intent;
  const tried = { id, attempt, provider: provider!, amountMinor: dueMinor! };
  const settled = await recordIntentOutcome(tenant, tried, outcome);
  if (outcome.status === 'declined') {
    refuse('payment_failed', { path: 'paymentMethod', message: outcome.reason });
  }
  return settled ?? findIntent(tenant.read, id, tenant.now());
}

/** A try to pay an intent: which one it was, with whom, and how much. */
interface IntentAttempt {
  id: string;
  attempt: number;
  provider: string;
  amountMinor: bigint;
}

/**
 * Keeps what became of a try, in whatever order and however often it is told; money that nobody owed, because the
 * intent had been given up or paid otherwise, is given back. Answers the intent where it made a difference.
 * Error: `intent_not_found`.
 */
export async function recordIntentOutcome(
  tenant: SteppedTenant,
  tried: IntentAttempt,
  outcome: Outcome,
): Promise<IntentRow | undefined> {
  const { id, attempt, provider, amountMinor } = tried;
  const keep = async (unit: UnitOfWork) => {
    const intent = await findIntent(unit, id, unit.now);
    return intent.attempts === attempt ? recordPaymentOutcome(unit, intent, outcome) : undefined;
  };
  // A decline is answered by a refusal, not by the intent.
  const settled = await (outcome.status === 'declined' ? tenant.writeStep(keep) : tenant.writeLast(keep));
  if (settled || amountMinor === 0n) return settled;
  const unowed = await tenant.writeStep(async (unit) => {
    const intent = await findIntent(unit, id, unit.now);
    if (intent.attempts === attempt) await unit.change('intents', intent, { askedAt: null });
    const { customerId, currency } = intent;
    const told = { kind: 'charge' as const, customerId, provider, amountMinor, currency, intentId: id };
    return recordLateOutcome(unit, told, outcome, id);
  });
  if (unowed) await makeRefund(tenant, unowed);
  return undefined;
}

/**
 * Asks a provider. Nobody knows whether money moved when it cannot be reached: the same try is asked about again
 * later. Error: `unavailable`.
 */
export async function reach(ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask();
  } catch {
    throw new BillingError(
      'unavailable',
      [{ path: 'paymentMethod', message: 'the payment provider could not be reached' }],
      5,
    );
  }
}

/**
 * Gives up an intent that has not been paid, also one whose money is still awaited by bank or cash.
 * Errors: `intent_not_found`, `intent_not_payable`.
 */
export async function cancelIntent(unit: UnitOfWork, id: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  const awaited = await unit.one('invoices', { intentId: id, status: 'open' });
  const isOpen = intent.status === 'requires_payment_method' || intent.status === 'requires_action';
  if (!isOpen && !awaited) refuseStatus(intent);
  return closeIntent(unit, intent);
}
