import { importedReason } from '../../invoicing/audit.ts';
import { pickAgreement, computeNextInvoice } from '../../pricing/nextInvoice.ts';
import { nothingReserved } from '../../invoicing/returns.ts';
import { computeFirstPeriod, type Interval } from '../../pricing/schedule.ts';
import { computeTrialDueAt } from '../../pricing/trials.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { toMajor } from '../../lib/money.ts';
import { agreeToPrice, plainOrder } from '../../subscriptions/agreement.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { skipRecord, type ImportReport } from './importReport.ts';
import type { KnownPrice } from './catalog.ts';
import type { StripeSubscription } from './records.ts';

/** Imports a running subscription and reports its first charge. Does nothing if it was imported earlier. */
export async function importSubscription(
  unit: UnitOfWork,
  from: StripeSubscription,
  { row: customer, paymentMethod }: { row: Row<'customers'>; paymentMethod: string | null },
  known: KnownPrice,
  report: ImportReport,
): Promise<void> {
  const orderNumber = `stripe:${from.id}`;
  if (await unit.one('intents', { orderNumber })) {
    report.known += 1;
    return;
  }
  await refuseRival(unit, customer, known.product);
  const method = from.paymentMethod ?? paymentMethod;
  const methodId = method === null ? null : await saveMethod(unit, customer, `${from.customer}/${method}`);
  const subscription = await createSubscription(unit, from, customer, known, methodId, orderNumber);
  report.subscriptions += 1;
  const { nextBillingDate, currency } = subscription;
  const cycle = computeNextInvoice(
    { ...subscription, nextBillingDate: nextBillingDate! },
    undefined,
    { balanceMinor: 0n },
    unit.tenant.timezone,
  );
  const ends =
    subscription.cancelAtPeriodEnd ||
    (subscription.cancelAt !== null && subscription.cancelAt <= nextBillingDate!);
  report.charges.push({
    subscriptionId: subscription.id,
    stripeId: from.id,
    customer: customer.email,
    product: subscription.productName,
    date: ends ? null : nextBillingDate,
    amount: ends ? 0 : toMajor(cycle.totalMinor, currency),
    currency,
    hasPaymentMethod: methodId !== null,
  });
}

/** Skips a subscription whose customer already subscribes to the product or to another product of its group. */
async function refuseRival(
  unit: UnitOfWork,
  { id: customerId }: Row<'customers'>,
  { id: productId, name, groupId }: Row<'products'>,
): Promise<void> {
  const running = { customerId, cancelledAt: null };
  if (await unit.one('subscriptions', { ...running, productId }))
    skipRecord(`its customer subscribes to ${name} already`);
  if (groupId === null) return;
  const rival = await unit.one('subscriptions', { ...running, groupId });
  if (rival)
    skipRecord(`its customer subscribes to ${rival.productName} already, which is in one group with ${name}`);
}

/** Skips a subscription that is not running. */
export function refuseEnded({ status }: StripeSubscription): void {
  if (status !== 'active' && status !== 'trialing') skipRecord(`it is ${status}`);
}

/** Skips a subscription that Stripe has charged since the export, or whose quantity is not a whole number. */
export function refuseUnfit({ periodEnd, quantity }: StripeSubscription, now: string): void {
  if (!Number.isInteger(quantity) || quantity < 1) skipRecord(`it is for ${quantity} of its price`);
  // Stripe has charged it since the export, or is about to.
  if (periodEnd <= now) skipRecord(`its period ended at ${periodEnd}: export it anew`);
}

async function saveMethod(unit: UnitOfWork, customer: Row<'customers'>, reference: string): Promise<string> {
  const { id } = await unit.insertUntraced('paymentMethods', {
    id: unit.id('pm'),
    customerId: customer.id,
    provider: 'stripe',
    reference,
    createdAt: unit.now,
  });
  return id;
}

/** Returns Stripe's anchor if its cycles meet the next billing date, otherwise that date. */
function computeAnchor(
  { anchor, periodEnd }: StripeSubscription,
  interval: Interval,
  timeZone: string,
): string {
  return computeFirstPeriod(periodEnd, anchor, interval, timeZone).isStub ? periodEnd : anchor;
}

/**
 * Creates the intent and the subscription, as if the customer had subscribed here and paid until the next billing date.
 */
async function createSubscription(
  unit: UnitOfWork,
  from: StripeSubscription,
  customer: Row<'customers'>,
  known: KnownPrice,
  paymentMethodId: string | null,
  orderNumber: string,
): Promise<Row<'subscriptions'>> {
  const { periodEnd, periodStart, startedAt } = from;
  const cancelAtPeriodEnd = from.cancelAtPeriodEnd || from.cancelAt === periodEnd;
  const cancelAt = cancelAtPeriodEnd ? null : from.cancelAt;
  const intent = await createIntent(unit, from, customer, known, paymentMethodId, orderNumber);
  return unit.create(
    'subscriptions',
    {
      id: intent.subscriptionId!,
      customerId: customer.id,
      ...pickAgreement(intent),
      anchor: intent.executionDate ?? periodEnd,
      paymentMethodId,
      startsAt: startedAt,
      firstBillingDate: periodEnd,
      nextBillingDate: periodEnd,
      currentPeriodStart: periodStart,
      currentPeriodEnd: periodEnd,
      billedCount: 0,
      dueAt: computeDueAt(from, { cancelAt, cancelAtPeriodEnd }),
      claimedUntil: null,
      openInvoiceId: null,
      pastDueSince: null,
      pausedAt: null,
      cancelAtPeriodEnd,
      cancelAt,
      nextIntentId: null,
      changingIntentId: null,
      parkedReason: null,
      metadata: { ...from.metadata, stripeId: from.id },
      createdAt: unit.now,
      updatedAt: unit.now,
      cancelledAt: null,
      trialEndsAt: from.trialEndsAt,
      trialEndAnnouncedAt: null,
    },
    { action: importedReason, causedBy: intent.id },
  );
}

/** Returns when the scheduler processes the subscription first. */
function computeDueAt(
  { startedAt: startsAt, periodEnd, trialEndsAt }: StripeSubscription,
  ending: { cancelAt: string | null; cancelAtPeriodEnd: boolean },
): string {
  const { cancelAt } = ending;
  if (trialEndsAt === null) return cancelAt !== null && cancelAt < periodEnd ? cancelAt : periodEnd;
  const begun = { startsAt, trialEndsAt, currentPeriodEnd: periodEnd, trialEndAnnouncedAt: null };
  return computeTrialDueAt({ ...ending, ...begun });
}

/** Creates the intent with the terms agreed to at Stripe. */
async function createIntent(
  unit: UnitOfWork,
  from: StripeSubscription,
  customer: Row<'customers'>,
  { product, price }: KnownPrice,
  paymentMethodId: string | null,
  orderNumber: string,
): Promise<Row<'intents'>> {
  const agreement = agreeToPrice(product, price, from.quantity, undefined);
  const anchor = computeAnchor(from, agreement, unit.tenant.timezone);
  return unit.create(
    'intents',
    {
      id: unit.id('int'),
      customerId: customer.id,
      ...agreement,
      addOns: null,
      // The anchor moves with the end of a trial, unless it is fixed.
      executionDate: anchor === from.trialEndsAt ? null : anchor,
      status: 'succeeded',
      receiptUrl: 'https://stripe.com',
      returnUrl: null,
      orderNumber,
      requestHash: orderNumber,
      startDate: from.startedAt,
      reason: importedReason,
      attempts: 0,
      provider: paymentMethodId === null ? null : 'stripe',
      paymentMethod: null,
      paymentStartedAt: null,
      dueMinor: null,
      ...nothingReserved,
      askedAt: null,
      actionUrl: null,
      paymentReference: from.id,
      changesSubscriptionId: null,
      prorated: false,
      subscriptionId: unit.id('sub'),
      failureReason: null,
      expiresAt: unit.now,
      createdAt: unit.now,
      updatedAt: unit.now,
      ...plainOrder,
    },
    { action: importedReason },
  );
}
