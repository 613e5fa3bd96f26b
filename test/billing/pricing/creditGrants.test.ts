/** Credit grants: the order of their use, the lines that they lower, what rolls over, and that nothing is lost or used twice. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  applyGrants,
  listGrants,
  listLineUses,
  spendCredits,
  type Grant,
} from '../../../src/billing/pricing/creditGrants.ts';
import {
  computeUsable,
  deductFromCredits,
  distributeOverCredits,
  orderCredits,
  sumUsable,
  type CreditLeft,
} from '../../../src/billing/pricing/credits.ts';
import { rollOver } from '../../../src/billing/pricing/creditRollover.ts';
import type { CreditScope } from '../../../src/storage/model/creditTerms.ts';
import type { Line } from '../../../src/billing/pricing/invoiceLines.ts';
import { applyBalance } from '../../../src/billing/pricing/nextInvoice.ts';
import { applyTax } from '../../../src/billing/pricing/tax.ts';

const day = (date: string) => `2026-${date}T00:00:00.000Z`;

type Named = Grant & { beforeTax: boolean };

const grant = (id: string, remainingMinor: bigint, terms: Partial<Named> = {}): Named => ({
  id,
  remainingMinor,
  expiresAt: null,
  beforeTax: false,
  ...terms,
});

const whole = (until: string) => ({ percent: '100', frequency: 'Monthly' as const, period: 1, until });

/** Uses an amount of credits at an instant. Returns them in the order of their use. */
const use = <C extends CreditLeft>(credits: C[], amountMinor: bigint, at: string): C[] =>
  deductFromCredits(orderCredits(credits), amountMinor, at);

const left = (credits: Named[]) => credits.map(({ id, remainingMinor }) => `${id} ${remainingMinor}`);

describe('what others publish', () => {
  it('the shorter interval is used first, and the rest beside the next cycle (c8.1 to c8.3)', () => {
    const monthly = grant('monthly', 500n, { expiresAt: day('02-01') });
    const first = use([grant('lifetime', 200n), monthly], 400n, day('01-10'));
    expect(left(first)).toEqual(['monthly 100', 'lifetime 200']);
    const second = use(first, 200n, day('01-20'));
    expect(left(second)).toEqual(['monthly 0', 'lifetime 100']);
    const next = grant('next', 500n, { effectiveAt: day('02-01'), expiresAt: day('03-01') });
    expect(sumUsable([...second, next], day('02-01'))).toBe(600n);
  });

  it('a remainder that rolls over is used before the next cycle (c8.4, c8.5)', () => {
    const january = grant('january', 1000n, {
      expiresAt: day('02-01'),
      createdAt: day('01-01'),
      rollover: whole(day('03-01')),
    });
    const february = grant('february', 1000n, {
      effectiveAt: day('02-01'),
      expiresAt: day('03-01'),
      createdAt: day('01-01'),
    });
    const used = use([january, february], 600n, day('01-20'));
    expect(sumUsable(used, day('01-31'))).toBe(400n);
    expect(sumUsable(used, day('02-01'))).toBe(1400n);
    const rolled = used.map((each) => rollOver(each, day('02-01')));
    for (const credits of [used, rolled])
      expect(left(use(credits, 300n, day('02-02')))).toEqual(['january 100', 'february 1000']);
    expect(sumUsable(used, day('03-01'))).toBe(0n);
  });

  it('burns by priority, then expiry, then creation (c8.9)', () => {
    const credits = [
      grant('d', 1n, { priority: 20, createdAt: day('01-02') }),
      grant('c', 1n, { priority: 20, createdAt: day('01-01') }),
      grant('e', 1n, { priority: 50, expiresAt: day('02-01') }),
      grant('b', 1n, { priority: 20, expiresAt: day('05-01') }),
      grant('f', 1n),
      grant('a', 1n, { priority: 0 }),
    ];
    expect(orderCredits(credits).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('110 used of 100 leaves 10 to be billed, and nothing below 0 (c8.10)', () => {
    const credits = use([grant('a', 100n)], 110n, day('01-01'));
    expect(left(credits)).toEqual(['a 0']);
    expect(applyBalance([line('USAGE', 110n)], 100n)).toMatchObject({ totalMinor: 10n, balanceMinor: 100n });
  });

  it('of five requests of 500 and 600 credits one is paid in full', () => {
    let credits = [grant('a', 600n)];
    const paid = Array.from({ length: 5 }, () => {
      const isCovered = sumUsable(credits, day('01-01')) >= 500n;
      if (isCovered) credits = use(credits, 500n, day('01-01'));
      return isCovered;
    });
    expect(paid).toEqual([true, false, false, false, false]);
    expect(left(credits)).toEqual(['a 100']);
  });

  it('14.29 with 24 % tax takes 17.72 of paid credit of 100', () => {
    const terms = { category: 'S' as const, percent: '24' };
    const taxed = applyTax([line('ITEM', 1429n)], { terms }).lines;
    const { balanceMinor, totalMinor } = applyBalance(taxed, sumUsable([grant('a', 10000n)], day('01-01')));
    expect([balanceMinor, totalMinor]).toEqual([1772n, 0n]);
    expect(left(use([grant('a', 10000n)], balanceMinor, day('01-01')))).toEqual(['a 8228']);
  });

  it('a threshold of 7,000, credit of 7,600 and usage of 8,000: 400 are owed', () => {
    let credits = [grant('a', 7600n)];
    const owed = [7000n, 1000n].map((usageMinor) => {
      const { balanceMinor, totalMinor } = applyBalance(
        [line('USAGE', usageMinor)],
        sumUsable(credits, day('01-01')),
      );
      credits = use(credits, balanceMinor, day('01-01'));
      return totalMinor;
    });
    expect(owed).toEqual([0n, 400n]);
    expect(left(credits)).toEqual(['a 0']);
  });
});

function line(kind: Line['kind'], amountMinor: bigint, fields: Partial<Line> = {}): Line {
  const [periodStart, periodEnd] = [day('01-01'), day('02-01')];
  const explanation = { priceMinor: String(amountMinor) };
  return {
    kind,
    description: '',
    amountMinor,
    currency: 'usd',
    periodStart,
    periodEnd,
    explanation,
    ...fields,
  };
}

const usage = (amountMinor: bigint, priceId: string, meterId: string) =>
  line('USAGE', amountMinor, { usageOf: { priceId, meterId } });

describe('a grant before tax lowers', () => {
  const bill = [
    line('CYCLE', 100n),
    line('CYCLE', 50n, { priceId: 'seats' }),
    usage(30n, 'tokens', 'tokens'),
    usage(20n, 'images', 'images'),
    line('ITEM', 10n),
  ];
  const rows: [what: string, terms: Partial<Named>, lines: Line[], amounts: bigint[]][] = [
    ['all charges from the first on', {}, bill, [0n, 30n, 30n, 20n, 10n]],
    ['those of the main price', { appliesTo: { priceIds: ['main'] } }, bill, [0n, 50n, 30n, 20n, 10n]],
    ['those of an add-on', { appliesTo: { priceIds: ['seats'] } }, bill, [100n, 0n, 30n, 20n, 10n]],
    ['the usage of a price', { appliesTo: { priceIds: ['images'] } }, bill, [100n, 50n, 30n, 0n, 10n]],
    ['the usage of a meter', { appliesTo: { meterIds: ['tokens'] } }, bill, [100n, 50n, 0n, 20n, 10n]],
    [
      'those of prices and meters',
      { appliesTo: { priceIds: ['seats'], meterIds: ['tokens'] } },
      bill,
      [100n, 0n, 0n, 20n, 10n],
    ],
    ['nothing of another price', { appliesTo: { priceIds: ['other'] } }, bill, [100n, 50n, 30n, 20n, 10n]],
    ['nothing before it begins', { effectiveAt: day('01-11') }, bill, [100n, 50n, 30n, 20n, 10n]],
    ['all from its beginning on', { effectiveAt: day('01-10') }, bill, [0n, 30n, 30n, 20n, 10n]],
    ['nothing once it has expired', { expiresAt: day('01-10') }, bill, [100n, 50n, 30n, 20n, 10n]],
    [
      'what has rolled over',
      { expiresAt: day('01-10'), rollover: { ...whole(day('02-10')), percent: '50' } },
      bill,
      [40n, 50n, 30n, 20n, 10n],
    ],
    [
      'at most what rolls over',
      {
        expiresAt: day('01-10'),
        rollover: { maximumMinor: '7', frequency: 'Monthly', period: 1, until: day('02-10') },
      },
      bill,
      [93n, 50n, 30n, 20n, 10n],
    ],
    ['no sum below 0', {}, [line('PRORATION_CREDIT', -70n), line('CYCLE', 100n)], [-70n, 70n]],
    ['no credit and no proration', {}, [line('PRORATION_CHARGE', 40n), line('CYCLE', 5n)], [40n, 0n]],
    [
      'nothing of a bill that gives back',
      {},
      [line('PRORATION_CREDIT', -70n), line('CYCLE', 5n)],
      [-70n, 5n],
    ],
  ];
  test.each(rows)('%s', (_, terms, lines, amounts) => {
    const grants = listGrants([grant('g', 120n, { beforeTax: true, ...terms })]);
    const lowered = applyGrants(lines, grants, day('01-10'), 'main');
    expect(lowered.map(({ amountMinor }) => amountMinor)).toEqual(amounts);
    for (const [index, each] of lowered.entries()) {
      const used = listLineUses(each).reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
      expect(each.amountMinor + used).toBe(lines[index]!.amountMinor);
    }
  });

  it('lines in the order of the grants, and never pays a total', () => {
    const credits = [
      grant('late', 60n, { beforeTax: true, priority: 60 }),
      grant('soon', 60n, { beforeTax: true, priority: 10 }),
      grant('paid', 500n, { priority: 0 }),
    ];
    const [first] = applyGrants([line('CYCLE', 100n)], listGrants(credits), day('01-10'));
    expect(listLineUses(first!)).toEqual([
      { creditId: 'soon', amountMinor: 60n, given: 60n },
      { creditId: 'late', amountMinor: 40n, given: 40n },
    ]);
    expect(sumUsable(credits, day('01-10'))).toBe(500n);
    const spent = spendCredits(credits, { lines: [first!], balanceMinor: 70n }, day('01-10'));
    expect(left(spent)).toEqual(['late 20', 'soon 0', 'paid 430']);
  });
});

describe('whatever is billed', () => {
  const anyDay = fc.integer({ min: 1, max: 28 }).map((date) => day(`01-${String(date).padStart(2, '0')}`));
  const anyGrant = fc
    .record({
      remainingMinor: fc.bigInt(0n, 2000n),
      priority: fc.integer({ min: 0, max: 100 }),
      effectiveAt: anyDay,
      expiresAt: fc.option(anyDay),
      beforeTax: fc.boolean(),
      kept: fc.option(
        fc.oneof(
          fc.record({ percent: fc.constantFrom('1', '33.3', '100') }),
          fc.record({ maximumMinor: fc.bigInt(0n, 900n).map(String) }),
        ),
      ),
      scope: fc.option(fc.constantFrom<CreditScope[]>({ priceIds: ['main'] }, { meterIds: ['tokens'] })),
    })
    .map(({ kept, scope, ...terms }) => ({
      ...terms,
      rollover:
        kept && terms.expiresAt
          ? { ...kept, frequency: 'Daily' as const, period: 20, until: day('02-10') }
          : null,
      appliesTo: scope,
    }));
  const anyLine = fc.oneof(
    fc.bigInt(-500n, 2000n).map((amount) => line(amount < 0n ? 'PRORATION_CREDIT' : 'CYCLE', amount)),
    fc.bigInt(0n, 2000n).map((amount) => usage(amount, 'usage', 'tokens')),
  );
  const anyBill = fc.record({ at: anyDay, lines: fc.array(anyLine, { minLength: 1, maxLength: 5 }) });

  it('no line, no total and no remainder falls below 0, and uses with the remainder are the amount', () => {
    fc.assert(
      fc.property(
        fc.array(anyGrant, { maxLength: 6 }),
        fc.array(anyBill, { maxLength: 6 }),
        (terms, bills) => {
          const amounts = new Map(terms.map((each, index) => [`g${index}`, each.remainingMinor]));
          let credits: Named[] = terms.map((each, index) => ({ ...each, id: `g${index}` }));
          const used = new Map<string, bigint>();
          const note = (id: string, amount: bigint) => used.set(id, (used.get(id) ?? 0n) + amount);
          for (const { at, lines } of bills.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
            const usable = credits.reduce((sum, each) => sum + computeUsable(each, at), 0n);
            const lowered = applyGrants(lines, listGrants(credits), at, 'main');
            const bill = applyBalance(lowered, sumUsable(credits, at));
            expect(bill.totalMinor).toBeGreaterThanOrEqual(0n);
            for (const [index, each] of lowered.entries())
              if (lines[index]!.amountMinor >= 0n) expect(each.amountMinor).toBeGreaterThanOrEqual(0n);
            for (const { creditId, amountMinor } of lowered.flatMap(listLineUses))
              note(creditId, amountMinor);
            for (const { credit, usedMinor } of distributeOverCredits(
              orderCredits(credits),
              bill.balanceMinor,
              at,
            ))
              note(credit.id, usedMinor);
            credits = spendCredits(
              orderCredits(credits),
              { lines: lowered, balanceMinor: bill.balanceMinor },
              at,
            );
            const after = credits.reduce((sum, each) => sum + computeUsable(each, at), 0n);
            const usedByLines = lowered
              .flatMap(listLineUses)
              .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
            expect(usable - after).toBe(usedByLines + bill.balanceMinor);
          }
          for (const { id, remainingMinor, rollover } of credits) {
            expect(remainingMinor).toBeGreaterThanOrEqual(0n);
            const total = remainingMinor + (used.get(id) ?? 0n);
            // A rollover loses a part.
            if (rollover === null) expect(total).toBe(amounts.get(id));
            else expect(total).toBeLessThanOrEqual(amounts.get(id)!);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
