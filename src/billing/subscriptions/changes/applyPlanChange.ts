import { addInvoiceItem, type NewItem } from '../../invoices/invoiceItems.ts';
import { sumDiscounts } from '../../pricing/discounts.ts';
import type { Line } from '../../pricing/invoiceLines.ts';
import { pickAgreement } from '../../pricing/nextInvoice.ts';
import { isTrialing } from '../../pricing/trials.ts';
import { findUnbilledSetupFee } from '../../invoices/setupFees.ts';
import { beginUsageTerms, type BegunTerms } from '../../invoices/usagePeriods.ts';
import { hasUsagePrice } from '../../pricing/usageLines.ts';
import { refuse } from '../../../lib/errors.ts';
import { inState } from '../../../lib/issueCodes.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import type { IntentRow } from '../intents/intents.ts';
import { createScheduledIntent } from '../intents/changeIntents.ts';
import type { PlanChangeQuote } from './planChanges.ts';
import { findSubscription, hasPlan, type SubscriptionRow } from '../subscriptions.ts';
import { carryOver, pickTerms } from './changeTerms.ts';
import { shortenWaitingCharges } from '../../invoices/waitingCharges.ts';

const undone = { action: 'scheduled_change_undone' as const };

/**
 * Applies the plan change of a paid intent: an upgrade at once, a downgrade from the next period on. The current plan
 * cancels a scheduled change, and so does an order that takes effect at once; a change by the server carries over to
 * it. A cancellation at the end of the period stays scheduled.
 */
export async function applyChange(
  unit: UnitOfWork,
  intent: IntentRow,
  subscription: SubscriptionRow,
  change: PlanChangeQuote,
  paymentMethodId: string | null,
): Promise<SubscriptionRow> {
  const kept = { paymentMethodId, changingIntentId: null };
  const causedBy = intent.id;
  const metadata = intent.metadata ?? subscription.metadata;
  if (change.kind === 'unchanged') {
    return unit.change(
      'subscriptions',
      subscription,
      { ...kept, nextIntentId: null, metadata },
      { ...undone, causedBy },
    );
  }
  if (change.kind === 'downgrade') {
    const scheduled = { ...kept, nextIntentId: intent.id };
    return unit.change('subscriptions', subscription, scheduled, { action: 'downgrade_scheduled', causedBy });
  }
  const cycle = change.lines.find(({ kind }) => kind === 'CYCLE');
  const isTrial = isTrialing(subscription, intent.paymentStartedAt!);
  if (isTrial) await carrySetupFee(unit, intent, subscription);
  const nextIntentId = await carryScheduledChange(unit, subscription, intent);
  await shortenWaitingCharges(unit, change.ended, change.effectiveAt);
  for (const line of change.waiting) await addInvoiceItem(unit, toItem(line, subscription), causedBy);
  const usageSince = subscription.usageSince ?? (hasUsagePrice(intent) ? unit.now : null);
  const changed = await unit.change(
    'subscriptions',
    subscription,
    {
      ...kept,
      ...pickAgreement(intent),
      usageSince,
      metadata,
      addOns: change.addOns,
      nextIntentId,
      anchor: change.anchor,
      nextBillingDate: change.nextBillingDate,
      dueAt: isTrial ? subscription.dueAt : change.nextBillingDate,
      currentPeriodStart: cycle?.periodStart ?? subscription.currentPeriodStart,
      currentPeriodEnd: change.nextBillingDate,
      billedCount: subscription.billedCount + (cycle ? 1 : 0),
    },
    { action: 'upgraded', causedBy },
  );
  await beginUsageTerms(unit, changed, buildBegunTerms(changed, change));
  return changed;
}

/** Returns the terms that a change begins. */
export const buildBegunTerms = (terms: BegunTerms['terms'], change: PlanChangeQuote): BegunTerms => ({
  terms,
  at: change.effectiveAt,
  anchor: change.anchor,
  isNewPeriod: change.lines.some(({ kind }) => kind === 'CYCLE'),
});

/** The intent of a changed plan takes over a set-up fee that waits for the first invoice, after the trial. */
async function carrySetupFee(
  unit: UnitOfWork,
  intent: IntentRow,
  subscription: SubscriptionRow,
): Promise<void> {
  const setupFeeMinor = await findUnbilledSetupFee(unit, subscription);
  if (setupFeeMinor !== null) await unit.change('intents', intent, { setupFeeMinor });
}

/** Lets a line of a change wait for the next invoice of the subscription. */
const toItem = (line: Line, { id: subscriptionId, customerId }: SubscriptionRow): NewItem => ({
  ...line,
  customerId,
  subscriptionId,
  kind: line.kind as 'PRORATION_CREDIT' | 'PRORATION_CHARGE',
  // An item has its amount before discounts.
  amountMinor: line.amountMinor + sumDiscounts([line]),
  period: { start: line.periodStart, end: line.periodEnd },
});

/** Returns the intent of the scheduled change after a change that takes effect at once; null if none is left. */
async function carryScheduledChange(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  intent: IntentRow,
): Promise<string | null> {
  if (intent.billing === null || subscription.nextIntentId === null) return null;
  const scheduled = await unit.one('intents', { id: subscription.nextIntentId });
  if (!scheduled) return null;
  const terms = await carryOver(unit, pickTerms(subscription), pickTerms(intent), pickTerms(scheduled));
  if (hasPlan(intent, terms)) return null;
  if (hasPlan(scheduled, terms)) return scheduled.id;
  return (await createScheduledIntent(unit, subscription, terms, scheduled.metadata)).id;
}

/**
 * Cancels a plan change scheduled for the end of the period. Nothing is charged. Errors: `subscription_not_found`,
 * `subscription_not_active`, `no_scheduled_change`.
 */
export async function cancelScheduledChange(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  if (subscription.cancelledAt) refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  if (subscription.nextIntentId === null) {
    refuse('no_scheduled_change', { path: 'id', message: 'has no scheduled plan change' });
  }
  return unit.change('subscriptions', subscription, { nextIntentId: null }, undone);
}
