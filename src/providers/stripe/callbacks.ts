import type { Stripe } from 'stripe';
import { refuse } from '../../lib/errors.ts';
import type { Callback, Outcome } from '../provider.ts';
import { fromStripeAmount } from './amounts.ts';
import { parseMetadata, sessionField } from './metadata.ts';
import { toOutcome, type StripeIntent } from './outcomes.ts';
import { parseDispute, parseRefund, parseRefundedCharge } from './reversals.ts';
import { resumeSession } from './sessions.ts';

const oldestCallbackSeconds = 300;

/**
 * Verifies the signature of a callback and returns its event. Error: `validation_failed` unless Stripe signed it within
 * the last five minutes.
 */
export function verifySignature(
  stripe: Stripe,
  signature: string | undefined,
  body: Buffer,
  secret: string,
  nowMs: number,
): Stripe.Event {
  try {
    const { webhooks } = stripe;
    return webhooks.constructEvent(body, signature ?? '', secret, oldestCallbackSeconds, undefined, nowMs);
  } catch {
    return refuse('validation_failed', {
      path: 'stripe-signature',
      message: 'must be that of the body, and new',
    });
  }
}

/**
 * Reads what an event reports about a charge, a refund or a dispute; undefined for any other event. Asks Stripe for what
 * the event does not contain: the details of a method to save, the payment of a session, the origin of a refund.
 */
export async function parseEvent(
  stripe: Stripe,
  event: Stripe.Event,
): Promise<Callback | Callback[] | undefined> {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
    case 'payment_intent.requires_action':
    case 'setup_intent.succeeded':
    case 'setup_intent.setup_failed':
    case 'setup_intent.canceled':
    case 'setup_intent.requires_action':
      return parseChargeCallback(stripe, event.data.object);
    case 'checkout.session.completed':
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed':
      return parseSessionCallback(stripe, event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return parseRefund(stripe, event.data.object);
    case 'charge.refunded':
      return parseRefundedCharge(stripe, event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return parseDispute(stripe, event.data.object);
    default:
      return undefined;
  }
}

async function parseChargeCallback(stripe: Stripe, intent: StripeIntent): Promise<Callback | undefined> {
  const origin = parseMetadata(intent);
  // In a session the payer may try again after a decline.
  const isOpen = intent.metadata?.[sessionField] !== undefined && intent.status !== 'succeeded';
  if (!origin || isOpen) return undefined;
  const amountMinor =
    intent.object === 'payment_intent' ? fromStripeAmount(intent.amount, intent.currency) : 0n;
  const outcome = toOutcome(await completeMethod(stripe, intent));
  return { kind: 'charge', ...origin, amountMinor, outcome };
}

/** Adds the payment method that a payer has just saved to an intent that only names it. */
async function completeMethod(stripe: Stripe, intent: StripeIntent): Promise<StripeIntent> {
  const { payment_method: method, status } = intent;
  const isSaved = intent.object === 'setup_intent' || intent.setup_future_usage !== null;
  if (status !== 'succeeded' || typeof method !== 'string' || !isSaved) return intent;
  return { ...intent, payment_method: await findMethod(stripe, method) };
}

/** Returns a payment method with its details; only its id if Stripe cannot be reached, because the payment counts. */
async function findMethod(stripe: Stripe, id: string): Promise<string | Stripe.PaymentMethod> {
  try {
    return await stripe.paymentMethods.retrieve(id);
  } catch {
    return id;
  }
}

async function parseSessionCallback(
  stripe: Stripe,
  session: Stripe.Checkout.Session,
): Promise<Callback | undefined> {
  const origin = parseMetadata(session);
  if (!origin) return undefined;
  const amountMinor =
    session.amount_total === null || session.currency === null
      ? 0n
      : fromStripeAmount(session.amount_total, session.currency);
  return { kind: 'charge', ...origin, amountMinor, outcome: await askAboutSession(stripe, session.id) };
}

/** Returns the outcome of a session. Error: `unavailable`, after which Stripe repeats the callback. */
async function askAboutSession(stripe: Stripe, id: string): Promise<Outcome> {
  try {
    return await resumeSession(stripe, id);
  } catch {
    return refuse('unavailable');
  }
}
