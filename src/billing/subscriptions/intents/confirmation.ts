import * as z from 'zod';
import { askAboutIntent, buildIntentCharge } from '../../renewals/reconciliation.ts';
import { makeRefund } from '../../invoices/refunds.ts';
import { noteLocation } from '../../tax/locationEvidence.ts';
import { checkVatIds } from '../../tax/vatIdChecks.ts';
import type { ExpectedTotal } from '../../payments/expectedTotal.ts';
import { findOrderMetadata } from '../../payments/orderMetadata.ts';
import { findOtherSum, recordLateOutcome, type OtherSum } from '../../payments/latePayments.ts';
import { countryCode, parseInput, externalId } from '../../../lib/validation.ts';
import { BillingError } from '../../../lib/errors.ts';
import type { Outcome, PaymentProvider } from '../../../providers/provider.ts';
import { findChosenProvider } from '../../payments/chosenMethod.ts';
import { findProvider } from '../../../providers/registry.ts';
import { closeIntent } from '../../renewals/intentExpiry.ts';
import type { SteppedTenant } from '../../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { beginPayment, refuseStatus, payIntentFromBalance, recordPaymentOutcome } from './checkout.ts';
import { buildSavingCharge, keepChosenMethod, payInProcess } from './inProcessPayment.ts';
import { refuseDeclined } from '../../payments/payments.ts';

/** The payment method chosen by a payer. */
export const chosenMethod = z.object({ paymentMethod: externalId });

const payerPlace = z.object({ ipCountry: countryCode.nullish() });

/** Parses the country of a payer's IP address. Error: `validation_failed`. */
export const parseIpCountry = (ipCountry: string | null | undefined): string | undefined =>
  parseInput(payerPlace, { ipCountry }).ipCountry ?? undefined;

/**
 * Pays an intent with the chosen method and starts or changes the subscription. A decline is recorded, and the intent
 * can be paid with another method. The provider is called between two units of work, or within one if it answers in the
 * process, and not for a charge that the customer's balance pays in full. Errors: `amount_changed`, `validation_failed`, `intent_not_found`, `intent_not_payable`,
 * `subscription_exists`, `subscription_not_active`, `currency_mismatch`, `payment_failed`, `unavailable`.
 */
export async function confirmIntent(
  tenant: SteppedTenant,
  id: string,
  paymentMethod: string | null | undefined,
  { expected, ipCountry }: Confirmation = {},
): Promise<IntentRow> {
  const { paymentMethod: method } = parseInput(chosenMethod, { paymentMethod });
  const provider = await findChosenProvider(tenant, method);
  await checkPayer(tenant, id);
  const { isInProcess = false } = provider;
  const begin = async (unit: UnitOfWork) => {
    const begun = await beginPayment(unit, id, method, provider.name, expected);
    await notePayer(unit, begun, ipCountry);
    return payIntentFromBalance(unit, begun);
  };
  const { value: intent, isRepeated } = await tenant.checkpoint(
    'payment begun',
    (unit) => (isInProcess ? payInProcess(unit, begin, provider) : begin(unit)),
    // A decline ends in an error, so its intent is not the response to repeat.
    ({ failureReason }) => isInProcess && failureReason === null,
  );
  if (intent.failureReason !== null) refuseDeclined('paymentMethod', provider.name, intent.failureReason);
  // An earlier release, whose request is repeated, has only begun the payment in this unit.
  if (isInProcess && !isRepeated) return intent;
  if (intent.status === 'succeeded') {
    await saveChosenMethod(tenant, intent, provider, method);
    return intent;
  }
  const outcome = await callProvider(() =>
    provider.start(buildIntentCharge(tenant, intent, isRepeated), method),
  );
  return recordOutcome(tenant, intent, outcome);
}

/** What a payer confirms, and the country of their IP address, if it is known. */
interface Confirmation {
  expected?: ExpectedTotal | undefined;
  ipCountry?: string | undefined;
}

/** Keeps the country of the IP address from which an intent is paid. */
export const notePayer = async (
  unit: UnitOfWork,
  { id, customerId }: IntentRow,
  country: string | undefined,
): Promise<void> => {
  if (country) await noteLocation(unit, customerId, { kind: 'ip_address', country }, id);
};

/** Asks VIES about the VAT id of the customer of an intent, if its tax depends on it. Error: `intent_not_found`. */
export async function checkPayer(tenant: SteppedTenant, id: string): Promise<void> {
  if (tenant.record.vatIdCheck === null) return;
  const { customerId } = await findIntent(tenant.read, id, tenant.now());
  await checkVatIds(tenant, [customerId]);
}

/**
 * Asks the provider for the outcome of a payment in progress, after the payer confirmed with their bank or after a
 * crash, and records it. Returns the updated intent. Errors: `intent_not_found`, `payment_failed`, `unavailable`.
 */
export async function resumeIntent(tenant: SteppedTenant, id: string): Promise<IntentRow> {
  // Reads within a write, so that a read-only key cannot cause a call to the provider.
  const intent = await tenant.writeStep((unit) => markAsked(unit, id));
  if (!isUnderWay(intent)) return intent;
  const outcome = await callProvider(() => askAboutIntent(tenant, intent));
  return recordOutcome(tenant, intent, outcome);
}

/**
 * Ends the payment of an intent that the payer has not confirmed, so that another method can be chosen. One that the
 * payer has confirmed counts. Returns the updated intent. Errors: `intent_not_found`, `unavailable`.
 */
export async function abandonPayment(tenant: SteppedTenant, id: string): Promise<IntentRow> {
  const intent = await tenant.writeStep((unit) => markAsked(unit, id));
  const { status, provider: name, paymentReference: reference, attempts: attempt, dueMinor } = intent;
  if (status !== 'requires_action' || reference === null) return intent;
  const provider = findProvider(await tenant.loadProviders(), name!, tenant.record);
  const charge = buildIntentCharge(tenant, intent, true);
  const outcome = await callProvider(async () =>
    provider.abandon ? provider.abandon(charge, reference) : { status: 'declined', reason: 'abandoned' },
  );
  const attempted = { id, attempt, provider: name!, amountMinor: dueMinor! };
  return (await recordIntentOutcome(tenant, attempted, outcome)) ?? findIntent(tenant.read, id, tenant.now());
}

const isUnderWay = ({ status }: IntentRow) => status === 'requires_action' || status === 'processing';

async function markAsked(unit: UnitOfWork, id: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  return isUnderWay(intent) ? unit.change('intents', intent, { askedAt: unit.now }) : intent;
}

/** Records the outcome of an intent's attempt; returns the intent. Error: `payment_failed` after a decline. */
export async function recordOutcome(
  tenant: SteppedTenant,
  intent: IntentRow,
  outcome: Outcome,
): Promise<IntentRow> {
  const { id, attempts: attempt, provider, dueMinor } = intent;
  const attempted = { id, attempt, provider: provider!, amountMinor: dueMinor! };
  const recorded = await recordIntentOutcome(tenant, attempted, outcome);
  if (outcome.status === 'declined') refuseDeclined('paymentMethod', attempted.provider, outcome.reason);
  return recorded ?? findIntent(tenant.read, id, tenant.now());
}

/** An attempt to pay an intent: its number, provider and amount (minor units). */
interface IntentAttempt {
  id: string;
  attempt: number;
  provider: string;
  amountMinor: bigint;
}

/**
 * Records the outcome of an attempt; outcomes may arrive repeatedly and in any order. Refunds money that was not owed,
 * because the intent was cancelled or paid by another attempt, or because it is another amount. Returns the intent if the
 * outcome changed it. The intent is the result of the mutation unless `isLast` is false. Error: `intent_not_found`.
 */
export async function recordIntentOutcome(
  tenant: SteppedTenant,
  attempted: IntentAttempt,
  outcome: Outcome,
  isLast = true,
): Promise<IntentRow | undefined> {
  const { id, attempt, provider, amountMinor } = attempted;
  let other: OtherSum | undefined;
  const record = async (unit: UnitOfWork) => {
    const intent = await findIntent(unit, id, unit.now);
    if (intent.attempts !== attempt) return undefined;
    const { dueMinor, currency } = intent;
    other = dueMinor === null ? undefined : findOtherSum({ amountMinor: dueMinor, currency }, outcome);
    const counted: Outcome = other ? { status: 'declined', reason: other.failureReason } : outcome;
    return recordPaymentOutcome(unit, intent, counted);
  };
  // A decline ends in an error, so the value of this write is not the response to repeat.
  const recorded = await (outcome.status === 'declined' || !isLast
    ? tenant.writeStep(record)
    : tenant.writeLast(record));
  if ((recorded && !other) || amountMinor === 0n) return recorded;
  const lateRefund = await tenant.writeStep(async (unit) => {
    const intent = await findIntent(unit, id, unit.now);
    if (intent.attempts === attempt) await unit.change('intents', intent, { askedAt: null });
    const { customerId, currency } = intent;
    const latePayment = {
      kind: 'charge' as const,
      customerId,
      provider,
      amountMinor,
      currency,
      intentId: id,
      metadata: await findOrderMetadata(unit, intent),
    };
    return recordLateOutcome(unit, latePayment, outcome, id, other);
  });
  if (lateRefund) await makeRefund(tenant, lateRefund);
  return recorded;
}

/**
 * Calls a provider. If the provider cannot be reached, the outcome is unknown and the same attempt is asked about
 * later. Error: `unavailable`.
 */
export async function callProvider(ask: () => Promise<Outcome>): Promise<Outcome> {
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
 * Cancels an unpaid intent, including one that waits for a bank transfer. Errors: `intent_not_found`,
 * `intent_not_payable`.
 */
export async function cancelIntent(unit: UnitOfWork, id: string): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  const awaited = await unit.one('invoices', { intentId: id, status: 'open' });
  const isOpen = intent.status === 'requires_payment_method' || intent.status === 'requires_action';
  if (!isOpen && !awaited) refuseStatus(intent);
  return closeIntent(unit, intent);
}

/**
 * Saves the method chosen for an intent that the balance paid in full, if the provider accepts it without confirmation.
 * The subscription exists in any case and keeps its current method otherwise.
 */
async function saveChosenMethod(
  tenant: SteppedTenant,
  intent: IntentRow,
  provider: PaymentProvider,
  method: string,
): Promise<void> {
  const outcome = await ignoreFailure(() => provider.start(buildSavingCharge(intent), method));
  if (outcome?.status !== 'succeeded') return;
  await tenant.writeStep((unit) => keepChosenMethod(unit, intent, provider.name, outcome));
}

/** Ignores an unreachable provider: saving a method moves no money. */
async function ignoreFailure<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
