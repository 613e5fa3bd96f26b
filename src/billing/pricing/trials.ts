/** Trials and set-up fees: the free time before the first period of a subscription, and the fee on its first invoice. */
import type { Row } from '../../storage/model/rowTypes.ts';
import { addMs } from '../../lib/time.ts';
import type { Agreement, Line } from './invoiceLines.ts';
import { computeCycleStart, type Period } from './schedule.ts';
import { dayMs } from '../../lib/durations.ts';

type Trial = Pick<
  Row<'subscriptions'>,
  'startsAt' | 'trialEndsAt' | 'trialEndAnnouncedAt' | 'currentPeriodEnd' | 'cancelAt' | 'cancelAtPeriodEnd'
>;

/** The longest trial, in days. */
export const longestTrialDays = 730;
const announcedBeforeMs = 3 * dayMs;

/** Returns the end of a trial that starts at an instant: that many calendar days later in the time zone. */
export const computeTrialEnd = (start: string, trialDays: number, timeZone: string): string =>
  computeCycleStart(start, { frequency: 'Daily', period: trialDays }, timeZone, 1);

/** Whether a trial is in progress or scheduled at an instant. */
export const isTrialing = (
  subscription: Pick<Trial, 'trialEndsAt'>,
  at: string,
): subscription is { trialEndsAt: string } =>
  subscription.trialEndsAt !== null && at < subscription.trialEndsAt;

/** Returns from when on the usage of a period that began at `start` is charged: during a trial it is free. */
export const findChargedStart = (trialEndsAt: string | null, start: string): string =>
  trialEndsAt !== null && trialEndsAt > start ? trialEndsAt : start;

/** Whether a subscription has or had a trial, and no period has been billed since. */
export const isBeforeFirstPeriod = ({
  trialEndsAt,
  billedCount,
}: Pick<Row<'subscriptions'>, 'trialEndsAt' | 'billedCount'>): boolean =>
  trialEndsAt !== null && billedCount === 0;

/** Whether the first invoice of a subscription is still to be issued, and may have a set-up fee. */
export const awaitsFirstInvoice = (
  subscription: Pick<Row<'subscriptions'>, 'currentPeriodEnd' | 'trialEndsAt' | 'billedCount'>,
): boolean => subscription.currentPeriodEnd === null || isBeforeFirstPeriod(subscription);

/**
 * Returns when the scheduler processes a trial next: at its start if that is scheduled, at a cancellation, three days
 * before the end to announce it (at the start of a shorter trial), or at the end.
 */
export function computeTrialDueAt(trial: Trial & { trialEndsAt: string }): string {
  const { startsAt, trialEndsAt, trialEndAnnouncedAt, currentPeriodEnd, cancelAt, cancelAtPeriodEnd } = trial;
  if (currentPeriodEnd === null) return startsAt;
  if (cancelAt !== null && cancelAt < trialEndsAt) return cancelAt;
  if (cancelAtPeriodEnd || trialEndAnnouncedAt !== null) return trialEndsAt;
  const announcedAt = addMs(trialEndsAt, -announcedBeforeMs);
  return announcedAt > startsAt ? announcedAt : startsAt;
}

type FeeTerms = Pick<Agreement, 'productId' | 'productName' | 'currency' | 'taxBehavior'>;

/** Builds the line of a set-up fee, with the period of the invoice. */
export const buildSetupFeeLine = (
  { productId, productName, currency, taxBehavior }: FeeTerms,
  feeMinor: bigint,
  { start, end }: Period,
): Line => ({
  kind: 'SETUP_FEE',
  productId,
  description: `${productName}, set-up fee`,
  amountMinor: feeMinor,
  currency,
  periodStart: start,
  periodEnd: end,
  explanation: { priceMinor: String(feeMinor) },
  ...(taxBehavior === 'inclusive' && { taxBehavior }),
});
