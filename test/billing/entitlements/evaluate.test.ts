/** The arithmetic of limits: whatever is used, reserved and asked for, what is allowed is what is left. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/billing/entitlements/evaluate.ts';
import type { FeatureRow, Grant } from '../../../src/billing/entitlements/grants.ts';
import { wholeDecimal } from '../../../src/lib/decimal.ts';
import { sampledRuns } from '../../support/sample.ts';

const of = { feature: { key: 'units', kind: 'limit' } as FeatureRow, customerId: 'cus_1' };
const period = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
const units = fc.integer({ min: 0, max: 1000 });
const decimal = (value: number | null) => (value === null ? null : wholeDecimal(value));

const grantOf = (limit: number | null, overage: number | null): Grant => ({
  because: 'included',
  value: null,
  limit: { units: decimal(limit), overage: decimal(overage) },
  period,
});

const arbitrary = fc.record({
  limit: fc.option(units),
  overage: fc.option(units),
  used: units,
  reserved: units,
  amount: units,
});

describe('a limit', () => {
  it('allows what is left of it and of the overage, and nothing more', () => {
    fc.assert(
      fc.property(arbitrary, ({ limit, overage, used, reserved, amount }) => {
        const use = { used: wholeDecimal(used), reserved: wholeDecimal(reserved), resets: true };
        const found = evaluate(of, grantOf(limit, overage), use, wholeDecimal(amount));
        const most = limit === null || overage === null ? Infinity : limit + overage;
        const total = used + reserved + amount;
        expect(found.allowed).toBe(total <= (limit ?? Infinity) || total <= most);
        expect(found.remaining).toBe(limit === null ? null : String(Math.max(0, limit - used - reserved)));
        expect(found.overage).toBe(String(limit === null ? 0 : Math.max(0, used - limit)));
        const isWithin = limit === null || total <= limit;
        expect(found.because).toBe(
          isWithin
            ? 'included'
            : found.allowed
              ? 'overage'
              : overage === 0
                ? 'limit_reached'
                : 'overage_limit_reached',
        );
      }),
      { numRuns: sampledRuns(1000, 5) },
    );
  });

  it('allows nothing without access, whatever the amount', () => {
    fc.assert(
      fc.property(arbitrary, fc.constantFrom('paused', 'past_due', 'not_included'), (values, because) => {
        const use = { used: wholeDecimal(values.used), reserved: wholeDecimal(0), resets: true };
        const grant = { ...grantOf(values.limit, values.overage), because } as Grant;
        expect(evaluate(of, grant, use, wholeDecimal(0))).toMatchObject({
          allowed: false,
          because,
          resetsAt: null,
        });
      }),
      { numRuns: sampledRuns(200, 5) },
    );
  });
});
