/** Changes of a subscription besides its plan: its metadata, its threshold, its alerts and its commitment. */
import { refuse } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { changeMetadata } from '../../tenancy/metadata.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { AmountInput } from '../catalog/amounts.ts';
import { changeThreshold } from './billingThreshold.ts';
import { changeCommitment, type CommitmentInput } from './commitment.ts';
import { changeSpendAlerts } from './spendAlerts.ts';
import { findSubscription, type SubscriptionRow } from './subscriptions.ts';

interface SubscriptionUpdate {
  metadata?: unknown;
  billingThreshold?: AmountInput | null;
  commitment?: CommitmentInput | null;
  spendAlerts?: AmountInput[] | null;
}

/**
 * Changes the metadata, the threshold, the alerts and the commitment of a subscription. Errors: `subscription_not_found`,
 * `subscription_not_active` for all but the metadata of one that has ended, `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `currency_mismatch`.
 */
export async function updateSubscription(
  unit: UnitOfWork,
  id: string,
  { billingThreshold, commitment, spendAlerts, ...changes }: SubscriptionUpdate,
): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  let updated = await changeMetadata(unit, 'subscriptions', subscription, changes);
  if ([billingThreshold, commitment, spendAlerts].every((terms) => terms === undefined)) return updated;
  if (updated.cancelledAt !== null)
    refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  if (commitment !== undefined) updated = await changeCommitment(unit, updated, commitment);
  if (spendAlerts !== undefined) updated = await changeSpendAlerts(unit, updated, spendAlerts);
  return billingThreshold === undefined ? updated : changeThreshold(unit, updated, billingThreshold);
}
