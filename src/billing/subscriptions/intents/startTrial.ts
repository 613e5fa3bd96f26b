import { refuse } from '../../../lib/errors.ts';
import type { UnitOfWork } from '../../../tenancy/unitOfWork.ts';
import { notDeclined } from '../../payments/payments.ts';
import { completeIntent, prepareCheckout, reserveCheckout } from './checkout.ts';
import type { FirstBill } from './firstBill.ts';
import type { IntentRow } from './intents.ts';
import { reserveCredit } from './reservations.ts';

/** Whether a trial can start, or its plan change, without a payment method: nothing is due today. */
export const startsWithoutMethod = ({ trialEndsAt, totalMinor }: FirstBill): boolean =>
  trialEndsAt !== undefined && totalMinor === 0n;

/**
 * Starts the trial of an intent without a payment method, or changes the plan during a trial. The customer's balance may
 * pay a set-up fee. Errors: `intent_not_found`, `intent_not_payable` (also if something is due today or the intent has
 * no trial), `subscription_exists`, `subscription_not_active`, `currency_mismatch`.
 */
export async function startTrial(unit: UnitOfWork, id: string): Promise<IntentRow> {
  const { intent, basis, bill } = await prepareCheckout(unit, id);
  if (!startsWithoutMethod(bill)) {
    const message = bill.trialEndsAt ? 'needs a payment method: a set-up fee is due today' : 'has no trial';
    refuse('intent_not_payable', { path: 'id', message });
  }
  const reserved = await reserveCheckout(unit, intent, basis, bill);
  const begun = await unit.change('intents', intent, { ...reserved, dueMinor: 0n, ...notDeclined });
  await reserveCredit(unit, reserved, id);
  return completeIntent(unit, begun, { reference: '', methodReference: null, isWithoutMethod: true });
}
