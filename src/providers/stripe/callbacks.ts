import type { Stripe } from 'stripe';
import { refuse } from '../../lib/errors.ts';
import type { Callback } from '../provider.ts';
import { fromStripeAmount } from './amounts.ts';
import { keyField, tenantField } from './metadata.ts';
import { toOutcome, toRefundOutcome, type StripeIntent } from './outcomes.ts';

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

/** Reads what an event reports about a charge or a refund; undefined for any other event. */
export function parseEvent(event: Stripe.Event): Callback | undefined {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
    case 'payment_intent.requires_action':
    case 'setup_intent.succeeded':
    case 'setup_intent.setup_failed':
    case 'setup_intent.canceled':
    case 'setup_intent.requires_action':
      return parseChargeCallback(event.data.object);
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return parseRefundCallback(event.data.object);
    default:
      return undefined;
  }
}

function parseChargeCallback(intent: StripeIntent): Callback | undefined {
  const origin = parseMetadata(intent);
  const amountMinor =
    intent.object === 'payment_intent' ? fromStripeAmount(intent.amount, intent.currency) : 0n;
  return origin && { kind: 'charge', ...origin, amountMinor, outcome: toOutcome(intent) };
}

function parseRefundCallback(made: Stripe.Refund): Callback | undefined {
  const origin = parseMetadata(made);
  return origin && { kind: 'refund', ...origin, outcome: toRefundOutcome(made) };
}

/** Returns the tenant and the key of an object; undefined if another system on the same account created it. */
function parseMetadata({ metadata }: { metadata: Stripe.Metadata | null }) {
  const { [tenantField]: tenantAlias, [keyField]: idempotencyKey } = metadata ?? {};
  return tenantAlias && idempotencyKey ? { tenantAlias, idempotencyKey } : undefined;
}
