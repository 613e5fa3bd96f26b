import { addMs } from '../../../lib/time.ts';
import type { AppliedBilling, TextMetadata } from '../../../storage/model/common.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import type { Terms } from '../changes/addOns.ts';
import { intentLifetimeMs, type IntentRow } from './intents.ts';
import type { SubscriptionRow } from '../subscriptions.ts';

/** How a change is billed, and the instant as of which it is computed. */
interface ChangeTiming {
  billing: AppliedBilling;
  at: string;
}

/** Returns the columns of the intent of a change that concern the change. */
export function buildChangeIntent(
  { id, customerId }: SubscriptionRow,
  terms: Terms,
  { billing, at }: ChangeTiming,
  now: string,
) {
  const isScheduled = billing === 'period_end';
  return {
    customerId,
    ...terms,
    status: isScheduled ? ('succeeded' as const) : ('requires_payment_method' as const),
    requestHash: '',
    attempts: 0,
    paymentStartedAt: at,
    changesSubscriptionId: id,
    prorated: true,
    subscriptionId: isScheduled ? id : null,
    expiresAt: addMs(now, intentLifetimeMs),
    createdAt: now,
    updatedAt: now,
    billing,
    hasSecretLink: true,
  };
}

/** Creates the intent of a change that the server makes, computed as of `at`. It is paid without the payer. */
export async function createChangeIntent(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  terms: Terms,
  timing: ChangeTiming,
  metadata: TextMetadata | null = null,
): Promise<IntentRow> {
  const { id, paymentIntentId } = subscription;
  // Where the payer returns to, should the bank want the payment confirmed.
  const order = await unit.one('intents', { id: paymentIntentId });
  return unit.create(
    'intents',
    {
      id: unit.id('int'),
      receiptUrl: order?.receiptUrl ?? '',
      returnUrl: order?.returnUrl,
      ...buildChangeIntent(subscription, terms, timing, unit.now),
      metadata,
    },
    { causedBy: id },
  );
}

/** Creates the intent of a change at the end of the period. Nothing is charged for it. */
export const createScheduledIntent = (
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  terms: Terms,
  metadata: TextMetadata | null = null,
): Promise<IntentRow> =>
  createChangeIntent(unit, subscription, terms, { billing: 'period_end', at: unit.now }, metadata);
