import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  computePlanChange,
  type ItemChange,
  type PlanChange,
} from '../../../src/billing/pricing/planChange.ts';
import type { PaidLine } from '../../../src/billing/pricing/proration.ts';
import type { Interval } from '../../../src/billing/pricing/schedule.ts';

const dayMs = 86_400_000;
const midnight = (date: string) => `${date}T00:00:00.000Z`;
const june = { start: midnight('2026-06-01'), end: midnight('2026-07-01') };
const interval: Interval = { frequency: 'Monthly', period: 1 };
const plan = (amountMinor: bigint) => ({ amountMinor, currency: 'usd', interval });

/** A line for the whole of June; with discounts, its price is its amount. */
const paid = (amountMinor: bigint, priceMinor = amountMinor): PaidLine => ({
  id: 'line',
  amountMinor,
  givenBackMinor: 0n,
  explanation: { priceMinor: String(priceMinor), totalMs: 30 * dayMs },
});

const off = (amountMinor: bigint) => ({ discountId: `dis_${amountMinor}`, amountMinor: String(amountMinor) });

const change = (items: ItemChange[], others: Partial<PlanChange> = {}) =>
  computePlanChange({
    current: plan(1n),
    next: plan(2n),
    items,
    paid: june,
    anchor: june.start,
    timeZone: 'UTC',
    at: midnight('2026-06-16'),
    billing: 'charge_now',
    ...others,
  });

const amounts = (items: ItemChange[], others?: Partial<PlanChange>) =>
  change(items, others).lines.map(({ amountMinor }) => amountMinor);

describe('credits are computed from the line as billed, its discount inside', () => {
  const rows: [name: string, paidMinor: bigint, nextMinor: bigint, discounts: bigint[], wanted: bigint[]][] =
    [
      ['25 % to 50 %', 7500n, 100_000n, [50_000n], [-3750n, 25_000n]],
      ['none to 50 %', 10_000n, 100_000n, [50_000n], [-5000n, 25_000n]],
      ['25 % to none', 7500n, 100_000n, [], [-3750n, 50_000n]],
      ['25 to 50 off', 7500n, 100_000n, [5000n], [-3750n, 47_500n]],
      ['two discounts', 10_000n, 100_000n, [5000n, 333n], [-5000n, 47_334n]],
    ];
  test.each(rows)('100 to 1000 on 16 June, %s', (_name, paidMinor, nextMinor, discounts, wanted) => {
    const item = { paidLine: paid(paidMinor), nextMinor, discounts: discounts.map(off), isChanged: true };
    expect(amounts([item])).toEqual(wanted);
    const [, charge] = change([item]).lines;
    const taken = (charge!.discounts ?? []).reduce((sum, each) => sum + BigInt(each.amountMinor), 0n);
    expect(charge!.amountMinor + taken).toBe(nextMinor / 2n);
  });

  it('an item of 10 that cost 8.34 is removed at half period: 4.17 come back', () => {
    const removed = { priceId: 'price_a', paidLine: paid(834n), isChanged: true };
    const kept = { paidLine: paid(1666n), nextMinor: 2000n, isChanged: false };
    expect(amounts([kept, removed])).toEqual([-417n]);
  });

  it('20 after 10 was billed credits 10: the way back on 21 April costs nothing', () => {
    const april = { start: midnight('2026-04-01'), end: midnight('2026-05-01') };
    const times = { paid: april, anchor: april.start, at: midnight('2026-04-21') };
    expect(amounts([{ paidLine: paid(1000n), nextMinor: 1000n, isChanged: true }], times)).toEqual([
      -333n,
      333n,
    ]);
  });

  it('an item that was not billed gives nothing back', () => {
    expect(amounts([{ priceId: 'price_a', isChanged: true }])).toEqual([]);
  });
});

describe('the ways of billing', () => {
  const items = [
    { paidLine: paid(1000n), nextMinor: 3000n, isChanged: true },
    { priceId: 'price_a', paidLine: paid(500n), nextMinor: 500n, isChanged: false },
  ];
  const rows: [billing: PlanChange['billing'], lines: string[], next: string][] = [
    ['charge_now', ['PRORATION_CREDIT -500', 'PRORATION_CHARGE 1500'], '2026-07-01'],
    ['next_invoice', ['PRORATION_CREDIT -500', 'PRORATION_CHARGE 1500'], '2026-07-01'],
    ['period_end', [], '2026-07-01'],
    ['none', [], '2026-07-01'],
    [
      'reset',
      ['PRORATION_CREDIT -500', 'PRORATION_CREDIT -250 price_a', 'CYCLE 3000', 'CYCLE 500 price_a'],
      '2026-07-16',
    ],
    ['restart', ['CYCLE 3000', 'CYCLE 500 price_a'], '2026-07-16'],
  ];
  test.each(rows)('%s', (billing, lines, next) => {
    const result = change(items, { billing });
    const texts = result.lines.map(
      ({ kind, amountMinor, priceId }) => `${kind} ${amountMinor}${priceId ? ` ${priceId}` : ''}`,
    );
    expect([texts, result.nextBillingDate]).toEqual([lines, midnight(next)]);
    expect(result.kind).toBe(billing === 'period_end' ? 'downgrade' : 'upgrade');
  });
});

describe('for any items and instants', () => {
  const anyAmount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const anyItem = fc.record({
    was: anyAmount,
    is: anyAmount,
    shares: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 3 }),
  });
  const anyDay = fc.integer({ min: 0, max: 30 * dayMs - 1 });
  const instant = (ms: number) => new Date(Date.parse(june.start) + ms).toISOString();

  it('the lines sum to the total, and no charge is below 0 or above its price', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1, maxLength: 4 }), anyDay, (items, ms) => {
        const changed = items.map(({ was, is, shares }): ItemChange => {
          let left = is;
          const discounts = shares.map((share) => {
            const taken = (left * BigInt(share)) / 100n;
            left -= taken;
            return off(taken);
          });
          return { paidLine: paid(was), nextMinor: is, discounts, isChanged: true };
        });
        const { lines, totalMinor } = change(changed, { at: instant(ms) });
        expect(lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)).toBe(totalMinor);
        const charges = lines.filter(({ kind }) => kind === 'PRORATION_CHARGE');
        for (const [index, { amountMinor, discounts = [] }] of charges.entries()) {
          expect(amountMinor >= 0n && amountMinor <= items[index]!.is).toBe(true);
          for (const each of discounts) expect(BigInt(each.amountMinor) >= 0n).toBe(true);
        }
      }),
    );
  });

  it('a change and its reverse at the same instant cost nothing', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, anyDay, (was, is, ms) => {
        const at = instant(ms);
        const there = change([{ paidLine: paid(was), nextMinor: is, isChanged: true }], { at });
        const [, charge] = there.lines;
        const { amountMinor, explanation } = charge!;
        const paidLine = { id: 'line_2', amountMinor, givenBackMinor: 0n, explanation };
        const back = change([{ paidLine, nextMinor: was, isChanged: true }], { at });
        expect(there.totalMinor + back.totalMinor).toBe(0n);
      }),
    );
  });
});
