import { addMs } from '../../../lib/time.ts';
import type { ChangeBilling } from '../../../storage/model/common.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import type { Terms } from '../changes/addOns.ts';
import { intentLifetimeMs, type IntentRow } from './intents.ts';
import type { SubscriptionRow } from '../subscriptions.ts';

/** Creates the intent of a change that the server makes, computed as of `at`. It is paid without the payer. */
export async function createChangeIntent(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  terms: Terms,
  { billing, at }: { billing: ChangeBilling; at: string },
): Promise<IntentRow> {
  const isScheduled = billing === 'period_end';
  const { id, customerId, paymentIntentId } = subscription;
  // Where the payer returns to, should the bank want the payment confirmed.
  const order = await unit.one('intents', { id: paymentIntentId });
  return unit.create(
    'intents',
    {
      id: unit.id('int'),
      customerId,
      ...terms,
      status: isScheduled ? 'succeeded' : 'requires_payment_method',
      receiptUrl: order?.receiptUrl ?? '',
      returnUrl: order?.returnUrl,
      requestHash: '',
      attempts: 0,
      paymentStartedAt: at,
      changesSubscriptionId: id,
      prorated: true,
      subscriptionId: isScheduled ? id : null,
      expiresAt: addMs(unit.now, intentLifetimeMs),
      createdAt: unit.now,
      updatedAt: unit.now,
      billing,
      hasSecretLink: true,
    },
    { causedBy: id },
  );
}

/** Creates the intent of a change at the end of the period. Nothing is charged for it. */
export const createScheduledIntent = (
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  terms: Terms,
): Promise<IntentRow> =>
  createChangeIntent(unit, subscription, terms, { billing: 'period_end', at: unit.now });
