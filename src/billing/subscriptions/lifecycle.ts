import * as z from 'zod';
import { beginsAfterPause, resume } from '../renewals/resumption.ts';
import { endSubscription } from '../renewals/termination.ts';
import { notInFuture, refuse, tooFarAhead } from '../../lib/errors.ts';
import { inState } from '../../lib/issueCodes.ts';
import { dayMs } from '../../lib/durations.ts';
import { addMs, findEarlier, parseInstant } from '../../lib/time.ts';
import { parseInput } from '../../lib/validation.ts';
import { sumItems } from '../pricing/invoiceLines.ts';
import { findDueInPause, findNextAfterPause, hasPauseEnded } from '../pricing/pauses.ts';
import { computeTrialDueAt, isTrialing } from '../pricing/trials.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findSubscription, computeStatus, type SubscriptionRow } from './subscriptions.ts';

/** Why customers cancel: the reasons of Stripe's customer portal. */
export const cancellationReasons = [
  'too_expensive',
  'missing_features',
  'switched_service',
  'unused',
  'customer_service',
  'too_complex',
  'low_quality',
  'other',
] as const;

export type CancellationReason = (typeof cancellationReasons)[number];

const longestComment = 1000;

const cancellation = z.object({
  customerId: z.string().nullish(),
  atPeriodEnd: z.boolean().nullish(),
  reason: z.enum(cancellationReasons).nullish(),
  comment: z
    .string()
    .trim()
    .max(longestComment, `must be at most ${longestComment} characters`)
    .nullish()
    .transform((text) => text || null),
});

/**
 * Cancels a subscription now, or at the end of its period. If a renewal is unpaid, its period counts: it stays owed and
 * is retried, and no later period is billed. A subscription without a paid period is always cancelled now. At its end,
 * what waits for the next invoice is billed in a final one. `customerId` is verified if given. Errors: `subscription_not_found`, `subscription_not_active`, `validation_failed`.
 */
export async function cancelSubscription(
  unit: UnitOfWork,
  id: string,
  input: z.input<typeof cancellation> = {},
): Promise<SubscriptionRow> {
  const { customerId, atPeriodEnd, reason, comment } = parseInput(cancellation, input);
  const subscription = await findSubscription(unit, id, customerId);
  const status = computeStatus(subscription, unit.now);
  if (status === 'cancelled') refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  const given = {
    ...(reason && { cancellationReason: reason }),
    ...(comment && { cancellationComment: comment }),
  };
  const end = atPeriodEnd ? await findPeriodEnd(unit, subscription, unit.now) : undefined;
  if (end === undefined) return endSubscription(unit, subscription, { reason: given });
  // The next retry comes first. A paused subscription has none, so one is made at the end of the period.
  const kept = subscription.openInvoiceId === null ? end : (subscription.dueAt ?? end);
  const dueAt = findEarlier(kept, subscription.resumesAt);
  const scheduled = { cancelAtPeriodEnd: true, dueAt, ...given };
  return unit.change('subscriptions', subscription, scheduled, { action: 'cancellation_scheduled' });
}

/**
 * Returns when a subscription ends with its period, that of an unpaid renewal if there is one; undefined if no period is
 * in progress.
 */
export async function findPeriodEnd(
  reads: Reads,
  { currentPeriodEnd: end, openInvoiceId }: SubscriptionRow,
  now: string,
): Promise<string | undefined> {
  if (end === null) return undefined;
  const owed = openInvoiceId === null ? undefined : await reads.one('invoices', { id: openInvoiceId });
  if (owed) return owed.cycleEnd > now ? owed.cycleEnd : now;
  return end > now ? end : undefined;
}

/** Reverts a cancellation at the end of the period. Errors: `subscription_not_found`, `subscription_not_active`. */
export async function uncancelSubscription(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  const { cancelledAt, parkedReason, cancelAt, nextBillingDate, openInvoiceId } = subscription;
  if (cancelledAt) refuse('subscription_not_active', { path: 'id', ...inState('cancelled') });
  // A cancellation within a paid period was due before the next billing date.
  const paidDueAt = cancelAt === null || openInvoiceId ? subscription.dueAt : nextBillingDate;
  const kept = {
    cancelAtPeriodEnd: false,
    cancelAt: null,
    cancellationReason: null,
    cancellationComment: null,
  };
  const dueAt = isTrialing(subscription, unit.now)
    ? computeTrialDueAt({ ...subscription, ...kept })
    : paidDueAt;
  return unit.change(
    'subscriptions',
    subscription,
    { ...kept, dueAt: parkedReason ? null : findDueInPause({ ...subscription, ...kept }, dueAt) },
    { action: 'cancellation_undone' },
  );
}

const longestPauseDays = 1830;

const pause = z.object({ resumesAt: z.string().nullish() });

/**
 * Pauses billing until `resumesAt`, at most 1830 days ahead, or until `resumeSubscription`. For a subscription that is
 * paused, `resumesAt` moves the end of the pause, and null removes it. Errors: `subscription_not_found`,
 * `subscription_not_active`, `validation_failed`.
 */
export async function pauseSubscription(
  unit: UnitOfWork,
  id: string,
  input: z.input<typeof pause> = {},
): Promise<SubscriptionRow> {
  const { resumesAt: wanted } = parseInput(pause, input);
  const resumesAt = wanted ? parsePauseEnd(unit, wanted) : null;
  const subscription = await findSubscription(unit, id);
  const status = computeStatus(subscription, unit.now);
  if (status === 'paused' && wanted !== undefined) return movePauseEnd(unit, subscription, resumesAt);
  if (status !== 'active' && status !== 'scheduled' && status !== 'trialing') {
    refuse('subscription_not_active', { path: 'id', ...inState(status) });
  }
  if (subscription.changingIntentId) {
    refuse('subscription_not_active', {
      path: 'id',
      message: 'is changing its plan; the payment is under way',
      code: 'change_under_way',
    });
  }
  // A scheduled cancellation still takes place, and a charge in progress is completed.
  const { cancelAtPeriodEnd, openInvoiceId, parkedReason } = subscription;
  const kept = cancelAtPeriodEnd || openInvoiceId ? subscription.dueAt : null;
  const dueAt = parkedReason ? null : findEarlier(kept, resumesAt);
  const paused = { pausedAt: unit.now, resumesAt, dueAt };
  return unit.change('subscriptions', subscription, paused, { action: 'paused' });
}

function parsePauseEnd(unit: UnitOfWork, text: string): string {
  const path = 'resumesAt';
  const end = parseInstant(text, unit.tenant.timezone, path);
  if (end <= unit.now) refuse('validation_failed', { path, ...notInFuture });
  if (end > addMs(unit.now, longestPauseDays * dayMs))
    refuse('validation_failed', { path, ...tooFarAhead(longestPauseDays) });
  return end;
}

async function movePauseEnd(
  unit: UnitOfWork,
  subscription: SubscriptionRow,
  resumesAt: string | null,
): Promise<SubscriptionRow> {
  const { dueAt: before, cancelAtPeriodEnd, parkedReason } = subscription;
  const end = cancelAtPeriodEnd ? ((await findPeriodEnd(unit, subscription, unit.now)) ?? null) : null;
  // What was due before the end of the pause is a charge in progress or the end of the period.
  const kept = before === subscription.resumesAt ? end : before;
  const dueAt = parkedReason ? null : findEarlier(kept, resumesAt);
  return unit.change('subscriptions', subscription, { resumesAt, dueAt });
}

/**
 * Resumes a paused or parked subscription. The anchor stays: the paid period is used up first, then the rest of the
 * current cycle is charged by time. A period that was given up is not billed again before the resumption. If a trial has
 * ended meanwhile, the first whole period begins now. Errors: `subscription_not_found`, `subscription_not_active`.
 */
export async function resumeSubscription(unit: UnitOfWork, id: string): Promise<SubscriptionRow> {
  const subscription = await findSubscription(unit, id);
  const { nextBillingDate, pausedAt, parkedReason, paymentMethodId } = subscription;
  if (nextBillingDate === null || (!pausedAt && !parkedReason)) {
    return refuse('subscription_not_active', { path: 'id', message: 'is neither paused nor parked' });
  }
  const end = hasPauseEnded(subscription, unit.now) ? subscription.resumesAt : unit.now;
  if (pausedAt === unit.now)
    await refuseGivenUpPeriod(unit, id, findNextAfterPause(nextBillingDate, unit.now));
  if (beginsAfterPause(subscription, end) && paymentMethodId === null && sumItems(subscription) > 0n)
    refuse('subscription_not_active', {
      path: 'id',
      message: 'has no payment method: set one first',
      code: 'no_payment_method',
    });
  return resume(unit, { ...subscription, nextBillingDate }, end);
}

/**
 * Refuses to bill a period again in the instant in which its invoice was given up: a subscription has one invoice for
 * each start of a period. Error: `subscription_not_active`.
 */
async function refuseGivenUpPeriod(unit: UnitOfWork, subscriptionId: string, cycleStart: string) {
  const givenUp = await unit.one('invoices', { subscriptionId, cycleStart, status: 'uncollectible' });
  if (givenUp) refuse('subscription_not_active', { path: 'id', message: 'was paused at this instant' });
}
