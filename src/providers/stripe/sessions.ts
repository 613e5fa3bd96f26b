/**
 * Checkout Sessions: a page of Stripe on which the payer chooses a method, for browsers without scripts. Stripe redirects
 * back to this server: https://docs.stripe.com/api/checkout/sessions
 */
import { Stripe } from 'stripe';
import type { Charge, Outcome } from '../provider.ts';
import { toStripeAmount } from './amounts.ts';
import { keyField, sessionField, toStripeMetadata } from './metadata.ts';
import { toOutcome } from './outcomes.ts';

/** The method of a payer who enters the card on a page of Stripe. */
export const redirectMethod = 'card';

const listLimit = 100;
const expand = ['payment_intent.payment_method', 'setup_intent.payment_method'];

/** Whether a reference is that of a session. */
export const isSession = (reference: string): boolean => reference.startsWith('cs_');

/** Creates the session of a charge, or returns the outcome of the one that an earlier call created. */
export async function startSession(
  stripe: Stripe,
  charge: Charge,
  customer: string,
  returnUrl: string,
): Promise<Outcome> {
  const earlier = charge.isRepeated ? await findEarlierSession(stripe, charge, customer) : undefined;
  if (earlier) return resumeSession(stripe, earlier.id);
  const { idempotencyKey } = charge;
  const session = await stripe.checkout.sessions.create(
    { ...buildSession(charge), customer, success_url: returnUrl, cancel_url: returnUrl },
    { idempotencyKey },
  );
  return toSessionOutcome(session);
}

/** Lists are consistent, and sessions stay longer than idempotency keys. */
async function findEarlierSession(stripe: Stripe, { idempotencyKey }: Charge, customer: string) {
  const { data } = await stripe.checkout.sessions.list({ customer, limit: listLimit });
  return data.find(({ metadata }) => metadata?.[keyField] === idempotencyKey);
}

function buildSession(charge: Charge): Stripe.Checkout.SessionCreateParams {
  const { amountMinor, currency, description } = charge;
  const metadata = toStripeMetadata(charge);
  // The payer may try several cards in one session, so its payment alone does not report the outcome.
  const ofIntent = { description, metadata: { ...metadata, [sessionField]: 'yes' } };
  if (amountMinor === 0n) return { mode: 'setup', currency, metadata, setup_intent_data: ofIntent };
  const price = {
    currency,
    unit_amount: toStripeAmount(amountMinor, currency),
    product_data: { name: description },
  };
  return {
    mode: 'payment',
    metadata,
    line_items: [{ quantity: 1, price_data: price }],
    payment_intent_data: { ...ofIntent, setup_future_usage: 'off_session' },
  };
}

/** Returns the outcome of a session. */
export const resumeSession = async (stripe: Stripe, id: string): Promise<Outcome> =>
  toSessionOutcome(await stripe.checkout.sessions.retrieve(id, { expand }));

/** Ends a session that the payer has left, unless it is complete; returns its outcome. */
export async function expireSession(stripe: Stripe, id: string): Promise<Outcome> {
  try {
    await stripe.checkout.sessions.expire(id);
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  return resumeSession(stripe, id);
}

function toSessionOutcome(session: Stripe.Checkout.Session): Outcome {
  const { id: reference, status, url, payment_intent: payment, setup_intent: setup } = session;
  if (status === 'open' && url) return { status: 'requires_action', reference, actionUrl: url };
  const made = payment ?? setup;
  if (status === 'complete' && made !== null && typeof made === 'object') return toOutcome(made);
  return { status: 'declined', reason: 'session_expired', reference };
}
