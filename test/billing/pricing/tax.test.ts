/** The tax of bills: published examples to the cent, and the same result as an independent computation. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { restoreTerms, taxCredits } from '../../../src/billing/pricing/creditTax.ts';
import { applyTax, computeGross, computeNet, sumTaxes } from '../../../src/billing/pricing/tax.ts';
import type { Line } from '../../../src/billing/pricing/invoiceLines.ts';
import type { PaidLine } from '../../../src/billing/pricing/proration.ts';
import type { BillTax, LineTax, OwnTaxTerms, TaxTerms } from '../../../src/storage/model/common.ts';
import { isLong, sampledRunsInCore } from '../../support/sample.ts';

const standard = (percent: string): TaxTerms => ({ category: 'S', percent });
const at = (percent: string): BillTax => ({ terms: standard(percent) });

interface Priced {
  amountMinor: bigint;
  taxBehavior?: 'exclusive' | 'inclusive';
  taxTerms?: OwnTaxTerms | null;
  productId?: string;
  tax?: LineTax;
}

/** Parses `12.34` at a rate, or `12.34 incl`. */
function toPriced(text: string, taxTerms?: TaxTerms): Priced {
  const [amount, behavior] = text.split(' ');
  return {
    amountMinor: BigInt(Math.round(Number(amount) * 100)),
    ...(behavior === 'incl' && { taxBehavior: 'inclusive' }),
    ...(taxTerms && { taxTerms }),
  };
}

const euros = (minor: bigint | string) => (Number(minor) / 100).toFixed(2);
const sumGross = (lines: Priced[]) => lines.reduce((sum, line) => sum + computeGross(line), 0n);

type Example = [name: string, lines: string, percent: string, tax: string, total: string];

/** From the page of the standard, of vendors and of their own tests. */
const examples: Example[] = [
  ['100.00 at 19%', '100.00', '19', '19.00', '119.00'],
  ['84.03 at 19%', '84.03', '19', '15.97', '100.00'],
  ['33.33 at 21% is 6.9993', '33.33', '21', '7.00', '40.33'],
  ['600.00 with 10%', '600.00 incl', '10', '54.55', '600.00'],
  ['600.00 and 10%', '600.00', '10', '60.00', '660.00'],
  ['12.00 with 20%', '12.00 incl', '20', '2.00', '12.00'],
  ['10.00 and 20%', '10.00', '20', '2.00', '12.00'],
  ['2.99 with 4% rounds the tax, 0.115', '2.99 incl', '4', '0.12', '2.99'],
  [
    'EN 16931 example 8: 190.87, not the 190.88 of its lines',
    '140.80,16.16,167.64,88.74,36.75,56.50,83.34,190.31,64.21,64.46',
    '21',
    '190.87',
    '1099.78',
  ],
  ['0.43 and 4.84 at 15%', '0.43,4.84', '15', '0.79', '6.06'],
  ['three of 6.99 and 20%', '6.99,6.99,6.99', '20', '4.19', '25.16'],
  [
    'a mirror: the tax of a credit is rounded away from zero as well',
    '-1710.50',
    '19',
    '-325.00',
    '-2035.50',
  ],
  ['a mirror of a half', '-7612.50', '19', '-1446.38', '-9058.88'],
  ['-19935.66 at 15%', '-19935.66', '15', '-2990.35', '-22926.01'],
  ['nothing', '0.00', '24', '0.00', '0.00'],
  ['a rate with decimals', '100.00', '25.5', '25.50', '125.50'],
  ['a rate of four decimals', '1000.00', '8.8750', '88.75', '1088.75'],
];

describe('published examples', () => {
  test.each(examples)('%s', (_name, texts, percent, tax, total) => {
    const { lines, taxes } = applyTax(
      texts.split(',').map((text) => toPriced(text)),
      at(percent),
    );
    expect([euros(sumTaxes(taxes)), euros(sumGross(lines))]).toEqual([tax, total]);
  });

  it('shares by largest remainder, of equal ones the later', () => {
    const { lines } = applyTax([toPriced('6.99'), toPriced('6.99'), toPriced('6.99')], at('20'));
    expect(lines.map(({ tax }) => tax!.taxMinor)).toEqual(['139', '140', '140']);
  });
});

type Total = [category: TaxTerms['category'], percent: string, base: string, tax: string];

/** The totals of the official examples of EN 16931; `charges` are the lines, allowances and charges by rate. */
const official: [name: string, charges: Record<string, string>, totals: Total[]][] = [
  [
    'example 1',
    {
      'S 6': '19.90,9.85,8.29,14.46,35.00,35.00,10.65,1.55,14.37,8.29,16.58,9.95,3.30,3.90,102.12,-109.98',
      'S 21': '10.80,7.60,9.34,18.63',
    },
    [
      ['S', '6', '183.23', '10.99'],
      ['S', '21', '46.37', '9.74'],
    ],
  ],
  [
    'example 2',
    { 'S 25': '1460.50', 'S 15': '1.00', 'E 0': '-25.00' },
    [
      ['S', '25', '1460.50', '365.13'],
      ['S', '15', '1.00', '0.15'],
      ['E', '0', '-25.00', '0.00'],
    ],
  ],
  [
    'example 3',
    { 'S 25': '900.00', 'S 10': '800.00' },
    [
      ['S', '25', '900.00', '225.00'],
      ['S', '10', '800.00', '80.00'],
    ],
  ],
  [
    'examples 4 and 5',
    { 'S 25': '1500.00', 'S 12': '2500.00' },
    [
      ['S', '25', '1500.00', '375.00'],
      ['S', '12', '2500.00', '300.00'],
    ],
  ],
  ['example 7', { 'O 0': '3200.00' }, [['O', '0', '3200.00', '0.00']]],
  ['example 9', { 'S 21': '147.00' }, [['S', '21', '147.00', '30.87']]],
  ['the credit note', { 'E 0': '100.11' }, [['E', '0', '100.11', '0.00']]],
  ['example 3 of the guide', { 'S 25': '900.00' }, [['S', '25', '900.00', '225.00']]],
];

describe('the official examples of EN 16931', () => {
  test.each(official)('%s', (_name, charges, totals) => {
    const priced = Object.entries(charges).flatMap(([rate, texts]) => {
      const [category, percent] = rate.split(' ') as [TaxTerms['category'], string];
      return texts.split(',').map((text) => toPriced(text, { category, percent }));
    });
    const { taxes } = applyTax(priced, null);
    expect(
      taxes!.map(({ category, percent, taxableMinor, taxMinor }) => [
        category,
        percent,
        euros(taxableMinor),
        euros(taxMinor),
      ]),
    ).toEqual(totals);
  });
});

describe('the terms of a line', () => {
  const reduced = { category: 'S' as const, percent: '7' };
  const tax: BillTax = { terms: standard('19'), byProduct: { book: reduced } };

  it('are its own, those of its product, or those of the bill', () => {
    const own: TaxTerms = { category: 'E', percent: '0', reason: 'exempt' };
    const { lines } = applyTax(
      [
        { amountMinor: 100n },
        { amountMinor: 100n, productId: 'book' },
        { amountMinor: 100n, productId: 'book', taxTerms: own },
        { amountMinor: 100n, taxTerms: null },
      ] satisfies Priced[] as Priced[],
      tax,
    );
    expect(lines.map((line) => line.tax)).toEqual([
      { ...standard('19'), taxMinor: '19' },
      { ...reduced, taxMinor: '7' },
      { ...own, own: true, taxMinor: '0' },
      undefined,
    ]);
  });

  it('are none without a tax', () => {
    const lines = [{ amountMinor: 100n }];
    expect(applyTax(lines, undefined)).toEqual({ lines, taxes: null });
  });
});

/** An exact fraction. */
interface Rational {
  top: bigint;
  bottom: bigint;
}

const add = (a: Rational, b: Rational): Rational => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});

/** Rounds half away from zero, by comparing twice the distance. */
function round({ top, bottom }: Rational): bigint {
  const size = top < 0n ? -top : top;
  const whole = size / bottom;
  const rounded = (size - whole * bottom) * 2n >= bottom ? whole + 1n : whole;
  return top < 0n ? -rounded : rounded;
}

const percents = ['0', '4', '5.5', '7', '19', '20', '23.33', '25.5', '27', '100', '8.875'];
const arbitraryLine = fc.record({
  amountMinor: fc.bigInt({ min: -10_000_000n, max: 10_000_000n }),
  taxBehavior: fc.constantFrom('exclusive' as const, 'inclusive' as const),
  taxTerms: fc.constantFrom(...percents).map(standard),
});

/** The exact tax of a line. */
function computeExact({ amountMinor, taxBehavior, taxTerms }: Priced): Rational {
  const [whole, fraction = ''] = taxTerms!.percent.split('.');
  const rate = { top: BigInt(whole + fraction), bottom: 100n * 10n ** BigInt(fraction.length) };
  return taxBehavior === 'inclusive'
    ? { top: amountMinor * rate.top, bottom: rate.bottom + rate.top }
    : { top: amountMinor * rate.top, bottom: rate.bottom };
}

it('equals an independent computation, shares add up, and credits mirror charges', () => {
  fc.assert(
    fc.property(fc.array(arbitraryLine, { minLength: 1, maxLength: 12 }), (priced) => {
      const { lines, taxes } = applyTax(priced as Priced[], null);
      for (const { percent, taxMinor, taxableMinor } of taxes!) {
        const group = lines.filter(({ taxTerms }) => taxTerms!.percent === percent);
        const exact = group.map(computeExact).reduce(add);
        expect(BigInt(taxMinor)).toBe(round(exact));
        expect(group.reduce((sum, { tax }) => sum + BigInt(tax!.taxMinor), 0n)).toBe(BigInt(taxMinor));
        expect(group.reduce((sum, line) => sum + computeNet(line), 0n)).toBe(BigInt(taxableMinor));
        for (const line of group) {
          const own = computeExact(line);
          const gap = BigInt(line.tax!.taxMinor) * own.bottom - own.top;
          expect(gap < own.bottom && -gap < own.bottom, 'a share is less than a unit off').toBe(true);
        }
      }
      const negated = priced.map((line) => ({ ...line, amountMinor: -line.amountMinor }));
      const mirror = applyTax(negated as Priced[], null).taxes!;
      expect(mirror.map(({ taxMinor }) => BigInt(taxMinor))).toEqual(
        taxes!.map(({ taxMinor }) => -BigInt(taxMinor)),
      );
    }),
    { numRuns: isLong ? 10_000 : sampledRunsInCore(1000, 4) },
  );
});

const spanMs = 1000;

/** A line that was billed alone, and the credit for a part of its time after a part was given back. */
const arbitraryCredit = fc
  .record({
    amountMinor: fc.oneof(fc.bigInt({ min: 0n, max: 40n }), fc.bigInt({ min: 0n, max: 1_000_000n })),
    percent: fc.constantFrom(...percents),
    isInclusive: fc.boolean(),
    drift: fc.constantFrom(-1n, 0n, 1n),
    remainingMs: fc.integer({ min: 0, max: spanMs }),
    given: fc.integer({ min: 0, max: 100 }),
  })
  .map(({ amountMinor, percent, isInclusive, drift, remainingMs, given }) => {
    const taxBehavior = isInclusive ? ('inclusive' as const) : ('exclusive' as const);
    const billed = applyTax([{ amountMinor, taxBehavior } as Priced], at(percent)).lines[0]!;
    // Its share on an invoice with other lines may be a unit off.
    const shareMinor = BigInt(billed.tax!.taxMinor) + (amountMinor > 0n ? drift : 0n);
    const tax = { ...billed.tax!, taxMinor: String(shareMinor < 0n ? 0n : shareMinor) };
    const grossMinor = computeGross({ amountMinor, tax });
    return { amountMinor, tax, grossMinor, remainingMs, givenBackMinor: (grossMinor * BigInt(given)) / 100n };
  });

/** Builds the credit as a plan change does. */
function credit(paid: ReturnType<typeof buildPaid>, remainingMs: number): Line {
  const { amountMinor: paidMinor, givenBackMinor, priceMinor } = paid;
  const left = paidMinor - givenBackMinor;
  const exact = { top: priceMinor * BigInt(remainingMs) * left, bottom: BigInt(spanMs) * (paidMinor || 1n) };
  return {
    kind: 'PRORATION_CREDIT',
    description: '',
    amountMinor: -round(exact),
    currency: 'eur',
    periodStart: '',
    periodEnd: '',
    creditedLineId: paid.id,
    explanation: {
      priceMinor: String(priceMinor),
      remainingMs,
      totalMs: spanMs,
      rounding: 'half_up',
      ...(givenBackMinor > 0n && { paidMinor: String(paidMinor), givenBackMinor: String(givenBackMinor) }),
    },
  };
}

const buildPaid = (
  {
    amountMinor,
    tax,
    grossMinor,
    givenBackMinor,
  }: { amountMinor: bigint; tax: LineTax; grossMinor: bigint; givenBackMinor: bigint },
  id: string,
): PaidLine & { priceMinor: bigint } => ({
  id,
  amountMinor: grossMinor,
  givenBackMinor,
  priceMinor: amountMinor,
  explanation: { priceMinor: String(amountMinor), totalMs: spanMs },
  tax,
});

it('credits never more than a line has left, with its tax, and all of it at the beginning', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryCredit, { minLength: 1, maxLength: 5 }),
      fc.array(fc.bigInt({ min: 0n, max: 1_000_000n }), { maxLength: 3 }),
      (credited, charges) => {
        const paid = credited.map((each, nth) => buildPaid(each, `line_${nth}`));
        const credits = taxCredits(
          paid.map((line, nth) => credit(line, credited[nth]!.remainingMs)),
          paid,
        );
        const bill = [...credits, ...charges.map((amountMinor) => ({ amountMinor }))] as Priced[];
        const { lines, taxes } = applyTax(bill, at('19'));
        for (const [nth, line] of paid.entries()) {
          const grossMinor = -computeGross(lines[nth]!);
          const leftMinor = line.amountMinor - line.givenBackMinor;
          expect(grossMinor >= 0n && grossMinor <= leftMinor, `${grossMinor} of ${leftMinor}`).toBe(true);
          if (credited[nth]!.remainingMs === spanMs) expect(grossMinor).toBe(leftMinor);
        }
        for (const line of lines.slice(paid.length))
          expect(computeGross(line) >= line.amountMinor).toBe(true);
        expect(sumTaxes(taxes)).toBe(lines.reduce((sum, { tax }) => sum + BigInt(tax?.taxMinor ?? 0), 0n));
        // The issued lines have the terms to compute the same tax again.
        const restored = lines.map(({ tax, taxTerms: _, taxBehavior: __, ...line }) => ({
          ...line,
          ...restoreTerms({ ...line, kind: 'creditedLineId' in line ? 'PRORATION_CREDIT' : 'CYCLE', tax }),
        }));
        expect(applyTax(restored as Priced[], at('19')).taxes).toEqual(taxes);
      },
    ),
    { numRuns: isLong ? 10_000 : sampledRunsInCore(1000, 4) },
  );
});
