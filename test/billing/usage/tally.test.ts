/** The arithmetic of meters: however events are divided into buckets, the result is that of all of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../../../src/lib/decimal.ts';
import {
  computeUsage,
  countEvent,
  emptyTally,
  mergeTally,
  readTally,
  writeTally,
  type Tally,
} from '../../../src/billing/usage/tally.ts';
import { listIdSpans, quarterMs, usageSpanMs } from '../../../src/billing/usage/quarters.ts';
import type { Aggregation } from '../../../src/storage/model/usage.ts';

const startMs = Date.parse('2026-03-01T00:00:00.000Z');
const quarters = 8;
const span = { fromMs: startMs, untilMs: startMs + quarters * quarterMs };
const aggregations: Aggregation[] = ['count', 'sum', 'max', 'min', 'latest', 'unique', 'weighted_sum'];

const value = fc
  .tuple(fc.bigInt(-(10n ** 18n - 1n), 10n ** 18n - 1n), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => formatDecimal({ digits, scale }));
const events = fc.array(
  fc.record({ offsetMs: fc.integer({ min: 0, max: quarters * quarterMs - 1 }), value }),
  { maxLength: 30 },
);

/** What the columns of a bucket keep of a tally. */
const storeAndRead = (aggregation: Aggregation, startsAt: string, tally: Tally): Tally =>
  readTally(
    {
      tenantAlias: 'acme',
      meterId: 'mtr_1',
      customerId: 'cus_1',
      startsAt,
      groupKey: '[]',
      ...writeTally(aggregation, startsAt, tally),
    },
    tally.values,
  );

describe.each(aggregations)('%s', (aggregation) => {
  const meter = { aggregation, unitMultiplier: '1' };

  it('is the same from buckets as from all events', () => {
    fc.assert(
      fc.property(events, (given) => {
        const whole = emptyTally();
        const buckets = new Map<number, Tally>();
        for (const [index, { offsetMs, value: text }] of given.entries()) {
          const at = new Date(startMs + offsetMs).toISOString();
          const counted = { id: String(index).padStart(4, '0'), at, value: parseDecimal(text)!, text };
          countEvent(aggregation, whole, counted);
          const quarter = Math.floor(offsetMs / quarterMs);
          const bucket = buckets.get(quarter) ?? emptyTally();
          buckets.set(quarter, bucket);
          countEvent(aggregation, bucket, counted);
        }
        const merged = emptyTally();
        for (const [quarter, tally] of buckets) {
          const startsAt = new Date(startMs + quarter * quarterMs).toISOString();
          mergeTally(merged, storeAndRead(aggregation, startsAt, tally));
        }
        const [direct, stored] = [whole, merged].map((tally) =>
          formatDecimal(computeUsage(meter, tally, span)),
        );
        expect(stored).toBe(direct);
      }),
    );
  });
});

it('weighs a level by its time, also one from before', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1000, max: 1000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: -100, max: 100 }))),
      (level, changes) => {
        const thousandthMs = (span.untilMs - span.fromMs) / 1000;
        const [tally, before] = [emptyTally(), emptyTally()];
        const count = (into: Tally, ms: number, change: number) =>
          countEvent('weighted_sum', into, {
            id: '1',
            at: new Date(ms).toISOString(),
            value: parseDecimal(String(change))!,
          });
        count(before, startMs - 1, level);
        for (const [at, change] of changes) count(tally, startMs + at * thousandthMs, change);
        const area = level * 1000 + changes.reduce((sum, [at, change]) => sum + change * (1000 - at), 0);
        const meter = { aggregation: 'weighted_sum' as const, unitMultiplier: '1' };
        expect(Number(formatDecimal(computeUsage(meter, tally, span, before)))).toBeCloseTo(area / 1000, 9);
      },
    ),
  );
});

it('finds the id of an event in the two spans of any moment of the next 35 days', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
      fc.integer({ min: 0, max: usageSpanMs - 1 }),
      (receivedMs, laterMs) => {
        const [received] = listIdSpans(new Date(receivedMs).toISOString());
        expect(listIdSpans(new Date(receivedMs + laterMs).toISOString())).toContain(received);
      },
    ),
  );
});
