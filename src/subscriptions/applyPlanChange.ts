import { pickAgreement } from '../pricing/nextInvoice.ts';
import { refuse } from '../lib/errors.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import type { IntentRow } from './intents.ts';
import type { PlanChangeQuote } from './planChanges.ts';
import { findSubscription, type SubscriptionRow } from './subscriptions.ts';

const undone = { action: 'scheduled_change_undone' as const };

/**
 * Changes a subscription as the intent that has succeeded says: at once, or from the next period on; the present plan
 * takes back a change that waits. A cancellation at the end of the period stays as it is.
 */
export async function changePlan(
  unit: UnitOfWork,
  intent: IntentRow,
  subscription: SubscriptionRow,
  change: PlanChangeQuote,
  paymentMethodId: string | null,
): Promise<SubscriptionRow> {
  const kept = { paymentMethodId, changingIntentId: null };
  const causedBy = intent.id;
  if (change.kind === 'unchanged') {
    return unit.change(
      'subscriptions',
      subscription,
      { ...kept, nextIntentId: null },
      { ...undone, causedBy },
    );
  }
  if (change.kind === 'downgrade') {
    const scheduled = { ...kept, nextIntentId: intent.id };
    return unit.change('subscriptions', subscription, scheduled, { action: 'downgrade_scheduled', causedBy });
  }
  const cycle = change.lines.find(({ kind }) => kind === 'CYCLE');
  return unit.change(
    'subscriptions',
    subscription,
    {
      ...kept,
      ...pickAgreement(intent),
      nextIntentId: null,
      anchor: change.anchor,
      nextBillingDate: change.nextBillingDate,
      dueAt: change.nextBillingDate,
      currentPeriodStart: cycle?.periodStart ?? subscription.currentPeriodStart,
      currentPeriodEnd: change.nextBillingDate,
      billedCount: subscription.billedCount + (cycle ? 1 : 0),
    },
    { action: 'upgraded', causedBy },
  );
}

/**
 * Takes back a change of plan that waits for the end of the period; nothing is charged. Errors:
 * `subscription_not_found`, `subscription_not_active`, `no_scheduled_change`.
 */
export async function cancelScheduledChange(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  if (subscription.cancelledAt) refuse('subscription_not_active', { path: 'id', message: 'is cancelled' });
  if (subscription.nextIntentId === null) {
    refuse('no_scheduled_change', { path: 'id', message: 'has no scheduled plan change' });
  }
  return unit.change('subscriptions', subscription, { nextIntentId: null }, undone);
}
