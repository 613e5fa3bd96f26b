import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { BillingError, refuse } from '../../../lib/errors.ts';
import { parseInstant } from '../../../lib/time.ts';
import { parseInput } from '../../../lib/validation.ts';
import type { Outcome } from '../../../providers/provider.ts';
import { refuseDeclined } from '../../payments/payments.ts';
import { refuseOtherTotal, type ExpectedTotal } from '../../payments/expectedTotal.ts';
import { checkSubscribers } from '../../tax/vatIdChecks.ts';
import { findProvider } from '../../../providers/registry.ts';
import { buildIntentCharge, startIntentCharge } from '../../renewals/reconciliation.ts';
import type { StepResult } from '../../../tenancy/idempotency.ts';
import type { SteppedTenant } from '../../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import type { Terms } from './addOns.ts';
import { decideChange, type ChangeRequest } from './changeDecision.ts';
import { createChangeIntent, createScheduledIntent } from '../intents/changeIntents.ts';
import { subscriptionChange, type WantedTerms } from './changeTerms.ts';
import { beginPayment, payIntentFromBalance } from '../intents/checkout.ts';
import { callProvider, recordIntentOutcome } from '../intents/confirmation.ts';
import { findQuantity } from './agreement.ts';
import type { IntentRow } from '../intents/intents.ts';
import { findPaidItems } from './paidItems.ts';
import { findSubscription, hasPlan, type SubscriptionRow } from '../subscriptions.ts';

/**
 * Changes the price, quantity or add-ons of a subscription, now or at the end of the period. A charge is made to its
 * saved payment method; nothing changes if it is declined. While the payment is in progress, for example by a bank
 * transfer, the subscription is returned unchanged. Nothing changes, either, if the amount due now is not the `expected`
 * one: `amount_changed`, `currency_mismatch`. Further errors: `subscription_not_found`, `subscription_not_active`,
 * `validation_failed`, `price_not_found`, `product_not_found`, `currency_mismatch`, `payment_failed`,
 * `payment_action_required`, `unavailable`.
 */
export function changeSubscription(
  tenant: SteppedTenant,
  id: string,
  input: unknown,
  expected?: ExpectedTotal,
): Promise<SubscriptionRow> {
  const { billing, at, ...wanted } = parseInput(subscriptionChange, input);
  return makeChange(tenant, id, { billing, at, findWanted: () => wanted, expected });
}

const adjustment = z.object({
  by: z
    .number()
    .int('must be a whole number')
    .refine((by) => by !== 0, 'must not be 0'),
});

/**
 * Adds `by` to the quantity of an item, or subtracts it, as `changeSubscription` does. A quantity that is scheduled for
 * the end of the period is the one adjusted, so adjustments add up in any order. Errors as there.
 */
export function adjustQuantity(tenant: SteppedTenant, itemId: string, by: number): Promise<SubscriptionRow> {
  parseInput(adjustment, { by });
  const end = itemId.indexOf(':');
  const [id, key] = [itemId.slice(0, end), itemId.slice(end + 1)];
  if (end < 0) refuse('subscription_not_found');
  return makeChange(tenant, id, {
    findWanted: (base, latest) => adjust(base, latest, key, by),
    quantityPath: 'by',
  });
}

/** Returns the wanted terms for an adjustment; `latest` are the terms that have the quantity to adjust. */
function adjust(base: Terms, latest: Terms, key: string, by: number): WantedTerms {
  if (key === 'main') return { quantity: addQuantity(findQuantity(latest), by) };
  const findAddOn = ({ addOns }: Terms) => addOns?.find(({ priceId }) => priceId === key);
  const known = findAddOn(latest) ?? findAddOn(base);
  if (!known)
    return refuse('validation_failed', { path: 'id', message: 'is not an item of the subscription' });
  const quantity = addQuantity(known.quantity, by);
  const addOns = (base.addOns ?? []).map((addOn) =>
    addOn.priceId === key ? { priceId: key, quantity } : { priceId: addOn.priceId },
  );
  return { addOns };
}

function addQuantity(quantity: number, by: number): number {
  const sum = quantity + by;
  if (sum >= 1) return sum;
  return refuse('validation_failed', { path: 'by', message: `must leave at least 1 of ${quantity}` });
}

// Without turns, many parallel changes of a subscription would find it busy again and again.
const makeChange = (tenant: SteppedTenant, id: string, request: ChangeRequest): Promise<SubscriptionRow> =>
  tenant.changeTurns.run(`${tenant.record.alias} ${id}`, () => performChange(tenant, id, request));

async function performChange(
  tenant: SteppedTenant,
  id: string,
  request: ChangeRequest,
): Promise<SubscriptionRow> {
  await checkSubscribers(tenant, [id]);
  const { value: intent, isRepeated } = await beginWhenFree(tenant, (unit) => beginChange(unit, id, request));
  if (intent && intent.status !== 'succeeded') await chargeChange(tenant, intent, isRepeated);
  return findSubscription(tenant.read, id);
}

const firstPauseMs = 10;
const longestPauseMs = 500;
const mostPauses = 30;

/** A change of the subscription is being paid, by another server or before a crash; a moment later this one can begin. */
class ChangeUnderWay extends BillingError {
  constructor() {
    super(
      'unavailable',
      [{ path: 'id', message: 'another change of the subscription is being paid', code: 'change_under_way' }],
      1,
    );
  }
}

/** Begins a change, after the changes that are being paid at this moment. Error: `unavailable`. */
async function beginWhenFree<T>(
  tenant: SteppedTenant,
  begin: (unit: UnitOfWork) => Promise<T>,
): Promise<StepResult<T>> {
  for (let pauses = 0; ; pauses++) {
    try {
      return await tenant.checkpoint('change begun', begin);
    } catch (error) {
      if (!(error instanceof ChangeUnderWay) || pauses === mostPauses) throw error;
    }
    await pause(Math.min(firstPauseMs * 2 ** pauses, longestPauseMs));
  }
}

/** Makes a change that costs nothing, or starts its payment; null if nothing is to be paid. */
async function beginChange(unit: UnitOfWork, id: string, request: ChangeRequest): Promise<IntentRow | null> {
  const subscription = await findSubscription(unit, id);
  await refuseWhilePaying(unit, subscription);
  const at = await readInstant(unit, subscription, request.at);
  const { kind, terms, billing } = await decideChange(unit, unit.tenant, subscription, request, at);
  if (kind !== 'now')
    refuseOtherTotal({ amountMinor: 0n, currency: subscription.currency }, request.expected);
  if (kind === 'none') return null;
  if (kind === 'later') {
    await schedule(unit, subscription, terms);
    return null;
  }
  const intent = await createChangeIntent(unit, subscription, terms, { billing, at });
  const { paymentMethodId } = subscription;
  const method = paymentMethodId ? await unit.one('paymentMethods', { id: paymentMethodId }) : undefined;
  const begun = await beginPayment(
    unit,
    intent.id,
    method?.reference ?? null,
    method?.provider ?? null,
    request.expected,
  );
  if (begun.dueMinor! > 0n && !method)
    refuse('payment_failed', {
      path: 'id',
      message: 'the subscription has no payment method',
      code: 'no_payment_method',
      declineCode: 'no_payment_method',
    });
  return payIntentFromBalance(unit, begun);
}

/** A charge in progress ends soon; a payment that waits for the payer or for a transfer may not. */
async function refuseWhilePaying(unit: UnitOfWork, { changingIntentId }: SubscriptionRow): Promise<void> {
  if (changingIntentId === null) return;
  const { status, askedAt, paymentReference } = (await unit.one('intents', { id: changingIntentId }))!;
  if (status === 'processing' && askedAt !== null && paymentReference === null) throw new ChangeUnderWay();
  const message = 'waits for the payment of another change';
  refuse('subscription_not_active', { path: 'id', message });
}

/** Parses the instant of a change: in the current period, after what it has billed, and not in the future. */
async function readInstant(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  text: string | null | undefined,
): Promise<string> {
  if (!text) return unit.now;
  const at = parseInstant(text, unit.tenant.timezone, 'at');
  if (at > unit.now)
    refuse('validation_failed', { path: 'at', message: 'is in the future', code: 'in_future' });
  const { since } = await findPaidItems(unit, subscription);
  if (since !== null && at < since)
    refuse('validation_failed', {
      path: 'at',
      message: `is before ${since}, since when the terms are billed`,
    });
  return at;
}

/** Schedules terms for the end of the period; the present ones undo a scheduled change. */
async function schedule(unit: UnitOfWork, subscription: SubscriptionRow, terms: Terms): Promise<void> {
  if (hasPlan(subscription, terms)) {
    const undone = { action: 'scheduled_change_undone' as const };
    await unit.change('subscriptions', subscription, { nextIntentId: null }, undone);
    return;
  }
  const intent = await createScheduledIntent(unit, subscription, terms);
  const scheduled = { action: 'downgrade_scheduled' as const, causedBy: intent.id };
  await unit.change('subscriptions', subscription, { nextIntentId: intent.id }, scheduled);
}

/** Charges the saved method for a change, and records the outcome. */
async function chargeChange(tenant: SteppedTenant, intent: IntentRow, isRepeated: boolean): Promise<void> {
  const { id, attempts: attempt, provider, dueMinor } = intent;
  const outcome = await callProvider(async () =>
    startIntentCharge(
      findProvider(await tenant.loadProviders(), provider!, tenant.record),
      intent,
      buildIntentCharge(tenant, intent, isRepeated),
    ),
  );
  const attempted = { id, attempt, provider: provider!, amountMinor: dueMinor! };
  await recordIntentOutcome(tenant, attempted, outcome, false);
  refuseUnpaid(provider!, outcome);
}

function refuseUnpaid(provider: string, outcome: Outcome): void {
  if (outcome.status === 'declined') refuseDeclined('id', provider, outcome.reason);
  if (outcome.status !== 'requires_action') return;
  const { actionUrl } = outcome;
  refuse('payment_action_required', { path: 'id', message: 'must be confirmed by the payer', actionUrl });
}
