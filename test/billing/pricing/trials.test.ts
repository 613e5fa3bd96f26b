/** Trials: when they end, when the scheduler processes them, and the line of a set-up fee. */
import { expect, it, test } from 'vitest';
import {
  buildSetupFeeLine,
  computeTrialDueAt,
  computeTrialEnd,
  isBeforeFirstPeriod,
  isTrialing,
} from '../../../src/billing/pricing/trials.ts';

const midnight = (date: string) => `2026-${date}T00:00:00.000Z`;

test.each<[start: string, days: number, timeZone: string, end: string]>([
  ['2026-03-01T10:00:00.000Z', 14, 'UTC', '2026-03-15T10:00:00.000Z'],
  ['2026-02-28T10:00:00.000Z', 1, 'UTC', '2026-03-01T10:00:00.000Z'],
  // The clocks go forward on 29 March: ten o'clock stays ten o'clock.
  ['2026-03-20T09:00:00.000Z', 14, 'Europe/Berlin', '2026-04-03T08:00:00.000Z'],
  ['2026-01-01T00:00:00.000Z', 730, 'UTC', '2028-01-01T00:00:00.000Z'],
])('a trial from %s of %i days in %s ends at %s', (start, days, timeZone, end) => {
  expect(computeTrialEnd(start, days, timeZone)).toBe(end);
});

test.each<[trialEndsAt: string | null, trialing: boolean]>([
  [null, false],
  [midnight('06-11'), true],
  [midnight('06-10'), false],
  [midnight('06-09'), false],
])('a trial until %s is in progress on 10 June: %s', (trialEndsAt, trialing) => {
  expect(isTrialing({ trialEndsAt }, midnight('06-10'))).toBe(trialing);
});

test.each<[trialEndsAt: string | null, billedCount: number, before: boolean]>([
  [null, 0, false],
  [null, 1, false],
  [midnight('06-10'), 0, true],
  [midnight('06-10'), 1, false],
])(
  'with a trial until %s and %i bills, the first period is to come: %s',
  (trialEndsAt, billedCount, before) => {
    expect(isBeforeFirstPeriod({ trialEndsAt, billedCount })).toBe(before);
  },
);

type Trial = Parameters<typeof computeTrialDueAt>[0];
const trial: Trial = {
  startsAt: midnight('06-01'),
  trialEndsAt: midnight('06-15'),
  trialEndAnnouncedAt: null,
  currentPeriodEnd: midnight('06-15'),
  cancelAt: null,
  cancelAtPeriodEnd: false,
};
test.each<[what: string, changes: Partial<Trial>, dueAt: string]>([
  ['has not started: at its start', { currentPeriodEnd: null }, '06-01'],
  ['has started: three days before its end', {}, '06-12'],
  ['is of three days: at its start', { trialEndsAt: midnight('06-04') }, '06-01'],
  ['is of four days: a day after its start', { trialEndsAt: midnight('06-05') }, '06-02'],
  ['is of one day: at its start', { trialEndsAt: midnight('06-02') }, '06-01'],
  ['has been announced: at its end', { trialEndAnnouncedAt: midnight('06-12') }, '06-15'],
  ['ends the subscription: at its end', { cancelAtPeriodEnd: true }, '06-15'],
  ['is cancelled before: at the cancellation', { cancelAt: midnight('06-08') }, '06-08'],
  ['is cancelled at its end: announced before', { cancelAt: midnight('06-15') }, '06-12'],
  ['is cancelled later: announced before', { cancelAt: midnight('06-20') }, '06-12'],
  [
    'is cancelled before, and announced: at the cancellation',
    { cancelAt: midnight('06-14'), trialEndAnnouncedAt: midnight('06-12') },
    '06-14',
  ],
])('a trial that %s', (_, changes, dueAt) => {
  expect(computeTrialDueAt({ ...trial, ...changes })).toBe(midnight(dueAt));
});

it('builds the line of a set-up fee', () => {
  const product = { taxBehavior: null, productId: 'prod_1', productName: 'Pro', currency: 'usd' };
  const period = { start: midnight('06-15'), end: midnight('07-15') };
  expect(buildSetupFeeLine(product, 4900n, period)).toEqual({
    kind: 'SETUP_FEE',
    productId: 'prod_1',
    description: 'Pro, set-up fee',
    amountMinor: 4900n,
    currency: 'usd',
    periodStart: period.start,
    periodEnd: period.end,
    explanation: { priceMinor: '4900' },
  });
});
