import type { Stripe } from 'stripe';
import type { Outcome, RefundOutcome, Succeeded } from '../provider.ts';
import { findStepMinor, fromStripeAmount } from './amounts.ts';
import { describeMethod } from './methods.ts';

export type StripeIntent = Stripe.PaymentIntent | Stripe.SetupIntent;

/** Returns the outcome of a PaymentIntent or SetupIntent. */
export function toOutcome(intent: StripeIntent): Outcome {
  const { id: reference, status } = intent;
  const methodReference = `${getId(intent.customer)}/${getId(intent.payment_method)}`;
  const method = describeMethod(intent.payment_method);
  const used = { reference, methodReference, ...(method && { method }) };
  if (status === 'succeeded') return { status: 'succeeded', ...used, ...readReceived(intent) };
  if (status === 'processing') return { status: 'pending', ...used };
  const actionUrl = intent.next_action?.redirect_to_url?.url;
  if (status === 'requires_action' && actionUrl) return { status: 'requires_action', reference, actionUrl };
  const error = intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error;
  return { status: 'declined', reason: error?.decline_code ?? error?.code ?? status, reference };
}

/** Returns what came: less than the amount after a partial capture. An intent that only saves a method has none. */
function readReceived(intent: StripeIntent): Pick<Succeeded, 'received'> | undefined {
  if (intent.object !== 'payment_intent') return undefined;
  const { amount_received: amount, currency } = intent;
  const amountMinor = fromStripeAmount(amount, currency);
  return { received: { amountMinor, currency, stepMinor: findStepMinor(currency) } };
}

const getId = (named: string | { id: string } | null) => (typeof named === 'string' ? named : named?.id);

/** Returns the outcome of a refund from its status: https://docs.stripe.com/api/refunds/object#refund_object-status */
export function toRefundOutcome({
  id: reference,
  status,
  failure_reason: reason,
}: Stripe.Refund): RefundOutcome {
  if (status === 'succeeded') return { status, reference };
  if (status === 'failed' || status === 'canceled') return { status: 'declined', reason: reason ?? status };
  return { status: 'pending', reference };
}
