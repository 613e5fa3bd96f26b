/**
 * Refunds made in Stripe's dashboard, and disputes (https://docs.stripe.com/disputes/how-disputes-work). Their objects
 * name the PaymentIntent, whose metadata name the tenant and the attempt.
 */
import { Stripe } from 'stripe';
import type { DisputeStatus } from '../../storage/model/common.ts';
import type { Callback, Reversal } from '../provider.ts';
import { fromStripeAmount } from './amounts.ts';
import { parseMetadata } from './metadata.ts';
import { toOutcome, toRefundOutcome } from './outcomes.ts';

const listLimit = 100;

/** Returns what a refund reports: the outcome of one that was made here, or one that was made at Stripe. */
export async function parseRefund(stripe: Stripe, made: Stripe.Refund): Promise<Callback[]> {
  const origin = parseMetadata(made);
  if (origin) return [{ kind: 'refund', ...origin, outcome: toRefundOutcome(made) }];
  return describeReversals(stripe, made.payment_intent, [toRefund(made)]);
}

/** Returns what all refunds of a charge report. The event has the charge only. */
export async function parseRefundedCharge(stripe: Stripe, charge: Stripe.Charge): Promise<Callback[]> {
  const intent = getId(charge.payment_intent);
  if (!parseMetadata(charge) || !intent) return [];
  const { data } = await stripe.refunds.list({ payment_intent: intent, limit: listLimit });
  const callbacks: Callback[] = [];
  for (const made of data) callbacks.push(...(await parseRefund(stripe, made)));
  return callbacks;
}

/** Returns what a dispute reports. Events may arrive out of order, so the dispute is read again. */
export async function parseDispute(stripe: Stripe, { id }: Stripe.Dispute): Promise<Callback[]> {
  const dispute = await orNothing(stripe.disputes.retrieve(id));
  const status = dispute && statuses[dispute.status];
  if (!status) return [];
  const { amount, currency, reason, evidence_details: evidence } = dispute;
  // 0 if the bank takes no evidence.
  const dueBy = evidence?.due_by || null;
  const reversal: Reversal = {
    type: 'dispute',
    reference: id,
    amountMinor: fromStripeAmount(amount, currency),
    currency,
    status,
    reason,
    evidenceDueAt: dueBy === null ? null : new Date(dueBy * 1000).toISOString(),
  };
  return describeReversals(stripe, dispute.payment_intent, [reversal]);
}

/** Statuses of Stripe; an appeal leaves a dispute lost until it is won. */
const statuses: Record<string, DisputeStatus | undefined> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'inquiry_closed',
  prevented: 'inquiry_closed',
  needs_response: 'needs_response',
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
};

function toRefund(made: Stripe.Refund): Reversal {
  const { id: reference, amount, currency } = made;
  const outcome = toRefundOutcome(made);
  const reason = outcome.status === 'declined' ? outcome.reason : null;
  const amountMinor = fromStripeAmount(amount, currency);
  return { type: 'refund', reference, amountMinor, currency, status: outcome.status, reason };
}

/** Reports the charge first: its own outcome may be unknown yet. */
async function describeReversals(
  stripe: Stripe,
  named: string | Stripe.PaymentIntent | null,
  reversals: Reversal[],
): Promise<Callback[]> {
  const id = getId(named);
  if (!id) return [];
  const intent = await orNothing(stripe.paymentIntents.retrieve(id, { expand: ['payment_method'] }));
  const origin = intent && parseMetadata(intent);
  if (!origin || intent.status !== 'succeeded') return [];
  const amountMinor = fromStripeAmount(intent.amount, intent.currency);
  return [
    { kind: 'charge', ...origin, amountMinor, outcome: toOutcome(intent) },
    ...reversals.map((reversal): Callback => ({
      kind: 'reversal',
      ...origin,
      chargeReference: id,
      reversal,
    })),
  ];
}

const getId = (named: string | { id: string } | null) => (typeof named === 'string' ? named : named?.id);

/** Another account, or test data that was deleted, may have had the object. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return undefined;
    throw error;
  }
}
