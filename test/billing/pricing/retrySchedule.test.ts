import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHardDecline } from '../../../src/providers/declines.ts';
import { computeRetries, findNextDay } from '../../../src/billing/pricing/retrySchedule.ts';
import { addMs } from '../../../src/lib/time.ts';

const dayMs = 86_400_000;
const firstFailedAt = '2026-02-28T23:30:00.000Z';
const days = fc
  .uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 10 })
  .map((each) => each.toSorted((a, b) => a - b));

it('retries ascend from the first failure to the final action', () => {
  fc.assert(
    fc.property(days, (retryDays) => {
      const { retries, finalAt } = computeRetries(retryDays, firstFailedAt);
      expect(retries).toEqual(retries.toSorted());
      expect(retries).toHaveLength(retryDays.length);
      const elapsedDays = (Date.parse(finalAt) - Date.parse(firstFailedAt)) / dayMs;
      expect(elapsedDays).toBe(Math.max(0, ...retryDays));
    }),
  );
});

it('following the days one after another meets each of them once', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 0, max: dayMs - 1 }), (mailDays, lateMs) => {
      const met: string[] = [];
      let now = firstFailedAt;
      for (let next = findNextDay(mailDays, firstFailedAt, now); next !== undefined;) {
        met.push(next);
        // A round of the scheduler comes up to a day late, and still before the next day.
        now = addMs(next, lateMs);
        next = findNextDay(mailDays, firstFailedAt, now);
      }
      expect(met).toEqual(computeRetries(mailDays, firstFailedAt).retries);
    }),
  );
});

it.each([
  ['stripe', 'stolen_card', true],
  ['stripe', 'insufficient_funds', false],
  ['stripe', 'AC04', false],
  ['mollie', 'AC04', true],
  ['mollie', 'insufficient_funds', false],
  ['sandbox', 'card_declined', false],
  ['none', 'no_payment_method', false],
  ['toString', 'constructor', false],
])('%s %s: %s', (provider, reason, isHard) => {
  expect(isHardDecline(provider, reason)).toBe(isHard);
});
