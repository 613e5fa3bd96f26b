import { countRedemption, findOfferOfIntent } from '../../discounts/redemption.ts';
import {
  giveRedeemedDiscount,
  releaseDiscounts,
  reserveDiscounts,
  useDiscounts,
} from '../../discounts/use.ts';
import { grantCredit, useCredits } from '../../invoices/credits.ts';
import { nothingReserved, releaseCredit } from '../../payments/returns.ts';
import { issueInvoice, markInvoicePaid, voidInvoice, type InvoiceRow } from '../../invoices/invoices.ts';
import { findOrderMetadata } from '../../payments/orderMetadata.ts';
import { describeDecline, notDeclined, recordAttempt } from '../../payments/payments.ts';
import { refuseOtherTotal, type ExpectedTotal } from '../../payments/expectedTotal.ts';
import { computeDueAt } from '../../payments/paymentTerms.ts';
import { listPayingIntents } from '../../customers/payingIntents.ts';
import { releaseSubscription } from '../../renewals/intentExpiry.ts';
import { refuse } from '../../../lib/errors.ts';
import { dropEmpty } from '../../../lib/validation.ts';
import { findDefaultMethod, saveMethod, type ReportedMethod } from '../../payments/paymentMethods.ts';
import type { Outcome } from '../../../providers/provider.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { applyChange } from '../changes/applyPlanChange.ts';
import { alignGroups } from '../groupAlignment.ts';
import { computeFirstBill, computeCheckout, type FirstBill } from './firstBill.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { buildReservation, reserveCredit } from './reservations.ts';
import { startSubscription } from '../subscriptions.ts';

/**
 * Starts the payment of an intent with a method, and fixes the amount owed as of now; a change that costs nothing needs
 * no method. Errors: `amount_changed`, `intent_not_found`, `intent_not_payable`, `subscription_exists`, `subscription_not_active`,
 * `currency_mismatch`, `coupon_not_redeemable`.
 */
export async function beginPayment(
  unit: UnitOfWork,
  id: string,
  method: string | null,
  provider: string | null,
  expected?: ExpectedTotal,
): Promise<IntentRow> {
  const { intent, changed, basis, bill } = await prepareCheckout(unit, id);
  refuseOtherTotal({ amountMinor: bill.totalMinor, currency: intent.currency }, expected);
  const reserved = await reserveCheckout(unit, intent, basis, bill);
  const begun = await unit.change(
    'intents',
    intent,
    {
      status: 'processing',
      attempts: intent.attempts + 1,
      paymentMethod: method,
      provider,
      ...notDeclined,
      dueMinor: bill.totalMinor,
      askedAt: unit.now,
      ...reserved,
    },
    { action: 'payment_started' },
  );
  await reserveCredit(unit, reserved, id);
  if (changed) await unit.change('subscriptions', changed, { changingIntentId: id });
  return begun;
}

type Basis = Awaited<ReturnType<typeof prepareCheckout>>['basis'];

/** Computes the amount owed as of now, and checks that no other payment is in its way. Errors: as `beginPayment`. */
export async function prepareCheckout(unit: UnitOfWork, id: string) {
  const intent = await findIntent(unit, id, unit.now);
  if (intent.status !== 'requires_payment_method') refuseStatus(intent);
  await alignGroups(unit, intent.customerId);
  const { changed, basis, bill } = await computeCheckout(unit, intent, unit.now, unit.tenant);
  await refuseIfPaidElsewhere(unit, { ...intent, ...basis });
  if (changed?.changingIntentId) refusePaidElsewhere();
  return { intent, changed, basis, bill };
}

/** Reserves the redemption and the discounts of a bill; returns the columns that hold them, and its credits. */
export async function reserveCheckout(
  unit: UnitOfWork,
  intent: IntentRow,
  basis: Basis,
  bill: FirstBill,
): Promise<Basis> {
  const discounts = await redeemOffer(unit, intent, basis.discounts);
  await reserveDiscounts(unit, intent, bill.lines);
  return { ...basis, discounts };
}

/** Counts the redemption by an intent, and gives its discount, the last of the payment, an id. */
async function redeemOffer(
  unit: UnitOfWork,
  intent: IntentRow,
  discounts: IntentRow['discounts'],
): Promise<IntentRow['discounts']> {
  const offer = await findOfferOfIntent(unit, intent);
  if (!offer || !discounts) return discounts;
  await countRedemption(unit, offer);
  return [...discounts.slice(0, -1), { ...discounts.at(-1)!, discountId: unit.id('disc') }];
}

/** Refuses an operation because of the intent's status. Error: `intent_not_payable`. */
export function refuseStatus({ status }: IntentRow): never {
  return refuse('intent_not_payable', { path: 'id', message: `is ${status}` });
}

/** Two intents for the same product or group must not both be paid. */
async function refuseIfPaidElsewhere(unit: UnitOfWork, { id, customerId, productId, groupId }: IntentRow) {
  const underWay = await listPayingIntents(unit, customerId);
  const rival = underWay.some(
    (other) => other.id !== id && (other.productId === productId || (groupId && other.groupId === groupId)),
  );
  if (rival) refusePaidElsewhere();
}

const refusePaidElsewhere = (): never =>
  refuse('intent_not_payable', {
    path: 'id',
    message: 'another intent for this product or group is being paid',
  });

/**
 * Completes an intent that the customer's balance pays in full, or a change that costs nothing now, in the unit of work
 * that starts its payment; no provider is called.
 */
export async function payIntentFromBalance(unit: UnitOfWork, intent: IntentRow): Promise<IntentRow> {
  return intent.dueMinor === 0n && (intent.balanceMinor !== null || intent.billing !== null)
    ? completeIntent(unit, intent, { reference: '', methodReference: null })
    : intent;
}

/**
 * Records the outcome of an intent's payment. Success starts or changes the subscription in this unit of work; after a
 * decline the intent can be paid with another method. Returns undefined if the intent has no payment in progress.
 */
export async function recordPaymentOutcome(
  unit: UnitOfWork,
  intent: IntentRow,
  outcome: Outcome & { receivedAt?: string },
): Promise<IntentRow | undefined> {
  if (intent.status !== 'processing' && intent.status !== 'requires_action') return undefined;
  if (outcome.status === 'succeeded') return completeIntent(unit, intent, outcome);
  if (outcome.status === 'declined') return declineIntent(unit, intent, outcome.reason);
  if (outcome.status === 'pending') return awaitPayment(unit, intent, outcome.reference);
  const { reference, actionUrl } = outcome;
  const actionRequired = {
    status: 'requires_action' as const,
    paymentReference: reference,
    actionUrl,
    askedAt: null,
  };
  return unit.change('intents', intent, actionRequired, { action: 'action_required' });
}

async function declineIntent(unit: UnitOfWork, intent: IntentRow, reason: string): Promise<IntentRow> {
  const { status, ...why } = describeDecline(intent.provider!, reason);
  const back = {
    // A payer can choose another method for an order. A change of a subscription is abandoned.
    status: intent.billing === null ? ('requires_payment_method' as const) : ('cancelled' as const),
    ...why,
    actionUrl: null,
    askedAt: null,
    ...nothingReserved,
  };
  const declined = await unit.change('intents', intent, back, { action: 'payment_failed' });
  const metadata = await findOrderMetadata(unit, intent);
  const attempt = { ...toPaymentAttempt(intent, intent.dueMinor!), metadata, status, ...why };
  await recordAttempt(unit, attempt, intent.id);
  // A pending payment, such as a bank debit, failed: the next attempt gets its own invoice.
  const awaited = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  if (awaited) await voidInvoice(unit, awaited, 'void', intent.id);
  await releaseCredit(unit, intent);
  await releaseDiscounts(unit, intent);
  await releaseSubscription(unit, intent);
  return declined;
}

const toPaymentAttempt = (intent: IntentRow, amountMinor: bigint) => ({
  kind: 'charge' as const,
  customerId: intent.customerId,
  provider: intent.provider!,
  amountMinor,
  currency: intent.currency,
  intentId: intent.id,
});

/** Issues the invoice at once, so that the payment can be recorded on it. */
async function awaitPayment(
  unit: UnitOfWork,
  intent: IntentRow,
  reference: string | null,
): Promise<IntentRow> {
  const earlier = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  const bill = await computeFirstBill(unit, intent, unit.tenant.timezone);
  const isDue = bill.totalMinor > 0n && !earlier;
  const dueAt = reference === null ? computeDueAt(unit) : undefined;
  const subscriptionId = intent.changesSubscriptionId ?? undefined;
  if (isDue) await issueFirstInvoice(unit, intent, bill, subscriptionId, dueAt);
  // The provider is asked again about a payment that it knows; an operator reports a bank transfer.
  const askedAt = reference === null ? null : unit.now;
  return unit.change('intents', intent, { status: 'processing', paymentReference: reference, askedAt });
}

async function issueFirstInvoice(
  unit: UnitOfWork,
  intent: IntentRow,
  { lines, subscription }: FirstBill,
  subscriptionId?: string,
  dueAt?: string,
): Promise<InvoiceRow> {
  const [first] = lines;
  const invoice = await issueInvoice(
    unit,
    {
      customerId: intent.customerId,
      subscriptionId,
      intentId: intent.id,
      billingReason: intent.changesSubscriptionId ? 'plan_change' : 'subscription_start',
      productName: intent.productName,
      currency: intent.currency,
      period: { start: first!.periodStart, end: first!.periodEnd },
      lines,
      dueAt,
      metadata: intent.metadata ?? dropEmpty(subscription?.metadata),
    },
    subscriptionId ?? intent.id,
  );
  if (intent.balanceMinor) await useCredits(unit, invoice, intent.balanceMinor, intent.paymentStartedAt!);
  if (intent.creditedLineId === null) await reserveCredit(unit, buildReservation({ lines }), invoice.id);
  return invoice;
}

type Paid = {
  reference: string;
  /** Null if no provider was called: the balance paid everything, or a trial starts without a method. */
  methodReference: string | null;
  method?: ReportedMethod['method'];
  /** Whether the payer chose no method, so that a new subscription has none. */
  isWithoutMethod?: boolean;
  /** When the money recorded by an operator was received. */
  receivedAt?: string;
};

/** Completes an intent: starts or changes its subscription and pays its invoice. */
export async function completeIntent(unit: UnitOfWork, intent: IntentRow, paid: Paid): Promise<IntentRow> {
  const bill = await computeFirstBill(unit, intent, unit.tenant.timezone);
  const subscriptionId = intent.changesSubscriptionId ?? unit.id('sub');
  const done = { status: 'succeeded' as const, subscriptionId, actionUrl: null, askedAt: null };
  const succeeded = await unit.change('intents', intent, done, { action: 'succeeded' });
  const methodId =
    paid.methodReference === null || intent.billing !== null
      ? await findKnownMethod(unit, intent, bill, paid)
      : await saveMethod(unit, { customerId: intent.customerId, causedBy: intent.id }, intent.provider!, {
          ...paid,
          methodReference: paid.methodReference,
        });
  if (bill.change) await applyChange(unit, succeeded, bill.subscription!, bill.change, methodId);
  else await startSubscription(unit, succeeded, bill.lines, methodId);
  await giveRedeemedDiscount(unit, succeeded, subscriptionId);
  if (bill.lines.length > 0) await payFirstInvoice(unit, succeeded, bill, subscriptionId, paid);
  return succeeded;
}

/** Returns the method for later charges if the payment used none: the subscription's, or the customer's default. */
async function findKnownMethod(
  unit: UnitOfWork,
  { customerId }: IntentRow,
  { subscription }: FirstBill,
  { isWithoutMethod }: Paid,
): Promise<string | null> {
  if (subscription) return subscription.paymentMethodId;
  if (isWithoutMethod) return null;
  return (await findDefaultMethod(unit, customerId))?.id ?? null;
}

async function payFirstInvoice(
  unit: UnitOfWork,
  intent: IntentRow,
  bill: FirstBill,
  subscriptionId: string,
  paid: Paid,
): Promise<void> {
  const awaited = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  const invoice = awaited
    ? await unit.change('invoices', awaited, { subscriptionId }, { causedBy: intent.id })
    : await issueFirstInvoice(unit, intent, bill, subscriptionId);
  // An invoice that was issued before the payment could not use the discount that the payment redeemed.
  if (awaited) await useDiscounts(unit, invoice, bill.lines);
  const causedBy =
    invoice.totalMinor > 0n ? await recordFirstPayment(unit, intent, invoice, paid) : intent.id;
  await markInvoicePaid(unit, invoice, causedBy);
  if (bill.change && bill.change.creditMinor > 0n) await grantCredit(unit, invoice, bill.change.creditMinor);
}

async function recordFirstPayment(
  unit: UnitOfWork,
  intent: IntentRow,
  invoice: InvoiceRow,
  { reference, receivedAt }: Paid,
): Promise<string> {
  const { totalMinor, metadata } = invoice;
  const paid = { ...toPaymentAttempt(intent, totalMinor), metadata, status: 'succeeded' as const };
  const payment = await recordAttempt(
    unit,
    { ...paid, invoiceId: invoice.id, reference, receivedAt },
    intent.id,
  );
  return payment.id;
}
