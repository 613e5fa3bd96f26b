import * as z from 'zod';
import { importedReason } from '../../billing/audit/audit.ts';
import { gatherBill } from '../../billing/invoices/gatherBill.ts';
import { pickAgreement, computeNextInvoice } from '../../billing/pricing/nextInvoice.ts';
import { computeFirstPeriod, type Interval } from '../../billing/pricing/schedule.ts';
import { computeTrialDueAt } from '../../billing/pricing/trials.ts';
import type { MethodDetails } from '../../providers/provider.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { toMajor } from '../../lib/money.ts';
import { parseInput, textMetadata } from '../../lib/validation.ts';
import type { Terms } from '../../billing/subscriptions/changes/addOns.ts';
import { saveMethod } from '../../billing/payments/paymentMethods.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { checkDiscounts, importDiscounts } from './discounts.ts';
import { skipRecord, type ImportReport } from './importReport.ts';
import { agreeToItems, type KnownItems } from './items.ts';
import type { StripeSubscription } from './records.ts';

/** Imports a running subscription and reports its first charge. Does nothing if it was imported earlier. */
export async function importSubscription(
  unit: UnitOfWork,
  from: StripeSubscription,
  { row: customer, paymentMethod }: { row: Row<'customers'>; paymentMethod: string | null },
  methods: Map<string, MethodDetails>,
  items: KnownItems,
  report: ImportReport,
): Promise<void> {
  const orderNumber = `stripe:${from.id}`;
  if (await unit.one('intents', { orderNumber })) {
    report.known += 1;
    return;
  }
  // Nothing may be refused after the first write: the subscription stays with Stripe or is imported as a whole.
  await refuseRival(unit, customer, items.main.known.product);
  const accepted = acceptSubscription(from, items, unit.tenant.timezone);
  checkDiscounts(unit, from.discounts);
  const method = from.paymentMethod ?? paymentMethod;
  const methodId =
    method === null
      ? null
      : await saveMethod(unit, { customerId: customer.id }, 'stripe', {
          methodReference: `${from.customer}/${method}`,
          method: methods.get(method),
        });
  const subscription = await createSubscription(unit, accepted, customer, methodId, orderNumber);
  report.subscriptions += 1;
  const { id: subscriptionId, customerId, nextBillingDate, currency } = subscription;
  await importDiscounts(unit, from.discounts, { customerId, subscriptionId });
  // The tenant's record in this unit is older than a coupon that was just imported.
  const tenant = { ...unit.tenant, discountsSince: unit.now };
  const billable = { ...subscription, nextBillingDate: nextBillingDate! };
  const bill = { customerId, terms: subscription, at: nextBillingDate!, paidAt: nextBillingDate! };
  const extras = await gatherBill(unit, tenant, subscription, bill);
  // Balances are imported after the subscriptions.
  const gathered = { ...extras, balanceMinor: 0n };
  const cycle = computeNextInvoice(billable, undefined, gathered, unit.tenant.timezone);
  const ends =
    subscription.cancelAtPeriodEnd ||
    (subscription.cancelAt !== null && subscription.cancelAt <= nextBillingDate!);
  report.charges.push({
    subscriptionId,
    stripeId: from.id,
    customer: customer.email,
    product: subscription.productName,
    addOns: items.addOns.length,
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

/** Skips a subscription without a current period. */
export function refuseWithoutPeriod(
  { startedAt, periodStart, periodEnd, cancelAt }: StripeSubscription,
  now: string,
): void {
  if (startedAt === '') skipRecord('it has no start_date');
  if (periodStart === '' || periodEnd === '') skipRecord('it has no current period');
  // Stripe has charged it since the export, or is about to.
  if (periodEnd <= now) skipRecord(`its period ended at ${periodEnd}: export it anew`);
  if (cancelAt !== null && cancelAt <= now) skipRecord(`it was to end at ${cancelAt}: export it anew`);
  if (periodStart >= periodEnd || startedAt >= periodEnd)
    skipRecord(`its period ends at ${periodEnd}, before it begins`);
}

/** A subscription with the terms that it has here. */
type AcceptedSubscription = StripeSubscription & { terms: Terms };

/** Returns a subscription with its terms, its anchor and its metadata here. Error: `validation_failed`. */
function acceptSubscription(
  from: StripeSubscription,
  items: KnownItems,
  timeZone: string,
): AcceptedSubscription {
  const terms = agreeToItems(items, from.startedAt);
  const input = { metadata: { ...from.metadata, stripeId: from.id } };
  const { metadata } = parseInput(z.object({ metadata: textMetadata }), input);
  return {
    ...from,
    terms,
    anchor: computeAnchor(from, terms, timeZone),
    metadata: metadata as Record<string, string>,
  };
}

/**
 * Returns Stripe's anchor if its cycles meet the next billing date, otherwise that date. Error: `validation_failed` if
 * the next period ends after the year 9999.
 */
function computeAnchor(
  { anchor, periodEnd }: StripeSubscription,
  interval: Interval,
  timeZone: string,
): string {
  const next = computeFirstPeriod(periodEnd, anchor, interval, timeZone);
  return next.isStub ? computeFirstPeriod(periodEnd, null, interval, timeZone).anchor : anchor;
}

/**
 * Creates the intent and the subscription, as if the customer had subscribed here and paid until the next billing date.
 */
async function createSubscription(
  unit: UnitOfWork,
  from: AcceptedSubscription,
  customer: Row<'customers'>,
  paymentMethodId: string | null,
  orderNumber: string,
): Promise<Row<'subscriptions'>> {
  const { periodEnd, periodStart, startedAt } = from;
  const cancelAtPeriodEnd = from.cancelAtPeriodEnd || from.cancelAt === periodEnd;
  const cancelAt = cancelAtPeriodEnd ? null : from.cancelAt;
  const intent = await createIntent(unit, from, customer, paymentMethodId, orderNumber);
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
      cancelAtPeriodEnd,
      cancelAt,
      metadata: from.metadata,
      createdAt: unit.now,
      updatedAt: unit.now,
      trialEndsAt: from.trialEndsAt,
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
  { terms, anchor, ...from }: AcceptedSubscription,
  customer: Row<'customers'>,
  paymentMethodId: string | null,
  orderNumber: string,
): Promise<Row<'intents'>> {
  return unit.create(
    'intents',
    {
      id: unit.id('int'),
      customerId: customer.id,
      ...terms,
      // The anchor moves with the end of a trial, unless it is fixed.
      executionDate: anchor === from.trialEndsAt ? null : anchor,
      status: 'succeeded',
      receiptUrl: 'https://stripe.com',
      orderNumber,
      requestHash: orderNumber,
      startDate: from.startedAt,
      reason: importedReason,
      attempts: 0,
      provider: paymentMethodId === null ? null : 'stripe',
      paymentReference: from.id,
      prorated: false,
      subscriptionId: unit.id('sub'),
      expiresAt: unit.now,
      createdAt: unit.now,
      updatedAt: unit.now,
      hasSecretLink: true,
    },
    { action: importedReason },
  );
}
