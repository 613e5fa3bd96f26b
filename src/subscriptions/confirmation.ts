import { z } from 'zod';
import { recordTry } from '../billing/payments.ts';
import { refundPayment } from '../billing/refunds.ts';
import { check, foreignId } from '../checks.ts';
import { BillingError, refuse } from '../errors.ts';
import type { Charge, Outcome } from '../payments/provider.ts';
import { providerNamed, providerOf } from '../payments/providers.ts';
import { giveUpIntent } from '../billing/expiry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Unit } from '../tenants/unit.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { beginPayment, billOf, refuseStatus, settlePayment, type FirstBill } from './settlement.ts';

/**
 * Pays an intent with a method that the payer has chosen, and starts or changes the subscription. A decline is kept,
 * and the intent can be paid with another method. The provider is asked between two units of work.
 * Errors: `validation_failed`, `intent_not_found`, `intent_not_payable`, `subscription_exists`,
 * `subscription_not_active`, `currency_mismatch`, `payment_failed`, `unavailable`.
 */
export async function confirmIntent(tenant: Tenant, id: string, method: string): Promise<IntentRow> {
  check(z.object({ paymentMethod: foreignId }), { paymentMethod: method });
  const provider = providerOf(tenant.payments, method, tenant.record.test);
  const { intent, bill } = await tenant.write((unit) => beginPayment(unit, id, method, provider.name));
  const charge = chargeOf(intent, bill);
  const outcome = await reach(() => provider.start(charge, method));
  return settle(tenant, intent, charge, outcome);
}

/**
 * Asks the provider what became of a payment that is under way: after the payer has confirmed with their bank, or
 * after a crash. Answers the intent as it is then. Errors: `intent_not_found`, `payment_failed`, `unavailable`.
 */
export async function resumeIntent(tenant: Tenant, id: string): Promise<IntentRow> {
  const intent = await findIntent(tenant.read, id, tenant.now());
  if (intent.status !== 'requires_action' && intent.status !== 'processing') return intent;
  const provider = providerNamed(tenant.payments, intent.provider!);
  const bill = await billOf(tenant.read, intent, tenant.record.timezone);
  const charge = chargeOf(intent, bill);
  const outcome = await reach(() =>
    intent.paymentReference === null
      ? provider.start(charge, intent.paymentMethod!)
      : provider.resume(charge, intent.paymentReference),
  );
  return settle(tenant, intent, charge, outcome);
}

async function settle(
  tenant: Tenant,
  { id, provider }: IntentRow,
  charge: Charge,
  outcome: Outcome,
): Promise<IntentRow> {
  const settled = await tenant.write((unit) => settlePayment(unit, id, outcome));
  if (outcome.status === 'declined') {
    refuse('payment_failed', { path: 'paymentMethod', message: outcome.reason });
  }
  if (settled) return settled;
  if (outcome.status === 'succeeded' && charge.amountMinor > 0n) {
    const unowed = await tenant.write((unit) => noteUnowed(unit, id, provider!, charge, outcome.reference));
    if (unowed) await refundPayment(tenant, unowed.id);
  }
  return findIntent(tenant.read, id, tenant.now());
}

/** Money that came for an intent which had been given up meanwhile, unless it is what the intent was paid with. */
async function noteUnowed(unit: Unit, id: string, provider: string, charge: Charge, reference: string) {
  const intent = await findIntent(unit, id, unit.now);
  const known = await unit.one('payments', { intentId: id, reference });
  if (intent.status === 'succeeded' || known) return undefined;
  const { customerId, amountMinor, currency } = charge;
  const paid = { kind: 'charge' as const, status: 'succeeded' as const, intentId: id, reference };
  return recordTry(unit, { ...paid, customerId, provider, amountMinor, currency }, id);
}

/** Nobody knows whether money moved when a provider cannot be reached: the same try is asked about again later. */
async function reach(ask: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await ask();
  } catch {
    throw new BillingError(
      'unavailable',
      [{ path: 'paymentMethod', message: 'the provider was not reached' }],
      5,
    );
  }
}

const chargeOf = (intent: IntentRow, { totalMinor, lines }: FirstBill): Charge => ({
  idempotencyKey: `${intent.id}_${intent.attempts}`,
  amountMinor: totalMinor,
  currency: intent.currency,
  description: lines.at(-1)?.description ?? intent.productName,
  customerId: intent.customerId,
});

/**
 * Gives up an intent that has not been paid, also one whose money is still awaited by bank or cash.
 * Errors: `intent_not_found`, `intent_not_payable`.
 */
export async function cancelIntent(unit: Unit, id: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  const awaited = await unit.one('invoices', { intentId: id, status: 'open' });
  const isOpen = intent.status === 'requires_payment_method' || intent.status === 'requires_action';
  if (!isOpen && !awaited) refuseStatus(intent);
  return giveUpIntent(unit, intent);
}
