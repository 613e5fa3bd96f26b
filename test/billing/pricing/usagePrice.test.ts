/** What usage costs: published cases, and properties that hold for all prices. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readSum } from '../../../src/lib/decimal.ts';
import { decimalText } from '../../../src/lib/money.ts';
import { chargeUsagePeriod, type UsagePeriod } from '../../../src/billing/pricing/usageLines.ts';
import {
  computeUsageAmount,
  needsEvents,
  type CountedUsage,
} from '../../../src/billing/pricing/usagePrice.ts';
import type {
  PercentageTerms,
  PriceTier,
  UsagePricing,
  UsageTerms,
} from '../../../src/storage/model/common.ts';
import { completeRow } from '../../../src/storage/query/tableMeta.ts';

const tiers = (...rows: [string | null, string, string?][]): PriceTier[] =>
  rows.map(([upTo, unitAmount, flatAmount = '0']) => ({ upTo, unitAmount, flatAmount }));
const terms = (usage: Partial<UsageTerms> = {}): UsageTerms => ({ meterId: 'mtr', ...usage });
const perUnit = (unitAmount: string, usage?: Partial<UsageTerms>): UsagePricing => ({
  model: 'per_unit',
  unitAmount,
  usage: terms(usage),
});
const inPackages = (unitAmount: string, packageSize: number, usage?: Partial<UsageTerms>): UsagePricing => ({
  model: 'package',
  unitAmount,
  packageSize,
  usage: terms(usage),
});
const tiered = (
  model: 'graduated' | 'volume',
  of: PriceTier[],
  usage?: Partial<UsageTerms>,
): UsagePricing => ({
  model,
  tiers: of,
  usage: terms(usage),
});
const percentage = (percent: PercentageTerms): UsagePricing => ({
  model: 'percentage',
  percentage: percent,
  usage: terms(),
});

/** Usage of one group, as a decimal. */
const units = (quantity: string): CountedUsage => ({
  quantity: readSum(quantity),
  events: 1,
  groups: [{ properties: {}, quantity: readSum(quantity) }],
});
/** Usage by the property `model`. */
const byModel = (quantities: Record<string, string>): CountedUsage => ({
  quantity: readSum('0'),
  events: 1,
  groups: Object.entries(quantities).map(([model, quantity]) => ({
    properties: { model: model === 'none' ? null : model },
    quantity: readSum(quantity),
  })),
});
const eventsOf = (...values: string[]): CountedUsage => ({
  quantity: readSum(String(values.reduce((sum, value) => sum + Number(value), 0))),
  events: values.length,
  groups: [],
  values: values.map(readSum),
});

const whole = { partMs: 30, wholeMs: 30 };
const cost = (pricing: UsagePricing, counted: CountedUsage, share = whole): string => {
  const { amountMinor, missingMinor } = computeUsageAmount(pricing, 'usd', counted, share);
  return `${decimalText(amountMinor, 'usd')}${missingMinor > 0n ? ` + ${decimalText(missingMinor, 'usd')}` : ''}`;
};

const seats = tiers(['5', '7'], ['10', '6.5'], [null, '6']);
const calls = tiers(['1000', '0.01'], ['10000', '0.008'], [null, '0.005']);
const storage = tiers(
  ['10000', '0.0010', '10'],
  ['50000', '0.0008', '10'],
  ['100000', '0.0006', '10'],
  [null, '0.0004', '10'],
);
const withBase = tiers(['10', '1', '20'], [null, '0.5']);
const models = [
  { match: { model: 'large' }, unitAmount: '0.00003' },
  { match: { model: 'small' }, unitAmount: '0.0000015' },
];
const spread = { minimumMinor: '10000', maximumMinor: '20000' };

/** Where a case comes from, the price, what was used, and what it costs: usage, and what is missing to the minimum. */
const cases: [source: string, pricing: UsagePricing, counted: CountedUsage, expected: string][] = [
  ['Lago: 0.05 for each of 1000 calls', perUnit('0.05'), units('1000'), '50.00'],
  [
    'Lago: 5 for each 100, the first 100 free',
    inPackages('5', 100, { includedUnits: '100' }),
    units('201'),
    '10.00',
  ],
  ['Chargebee: 1.25 for each million, 10', inPackages('1.25', 1_000_000), units('10'), '1.25'],
  ['Chargebee: a whole million', inPackages('1.25', 1_000_000), units('1000000'), '1.25'],
  ['Chargebee: a million and a half', inPackages('1.25', 1_000_000), units('1500000'), '2.50'],
  ['no package without usage', inPackages('1.25', 1_000_000), units('0'), '0.00'],
  ['a fraction begins a package', inPackages('5', 100), units('100.000000000001'), '10.00'],
  ['Kill Bill issue 1124: 3.685 is rounded half up', perUnit('0.067'), units('55'), '3.69'],
  ['Stripe, graduated: 5', tiered('graduated', seats), units('5'), '35.00'],
  ['Stripe, graduated: 6', tiered('graduated', seats), units('6'), '41.50'],
  ['Stripe, graduated: 25', tiered('graduated', seats), units('25'), '157.50'],
  ['Autumn, graduated: 15000', tiered('graduated', calls), units('15000'), '107.00'],
  ['Stripe, volume: 5', tiered('volume', seats), units('5'), '35.00'],
  ['Stripe, volume: 6', tiered('volume', seats), units('6'), '39.00'],
  ['Lago, volume with a fee: 65000', tiered('volume', storage), units('65000'), '49.00'],
  [
    'a fraction above the end of a tier belongs to the next',
    tiered('graduated', seats),
    units('5.5'),
    '38.25',
  ],
  ['volume: the fraction reaches the next tier', tiered('volume', seats), units('5.5'), '35.75'],
  [
    'without usage the first tier charges its flat amount',
    tiered('graduated', withBase),
    units('0'),
    '20.00',
  ],
  ['so it does for volume', tiered('volume', storage), units('0'), '10.00'],
  [
    'included units are taken first',
    tiered('graduated', seats, { includedUnits: '2.5' }),
    units('8'),
    '38.25',
  ],
  ['twelve places, rounded once', perUnit('0.000000000001'), units('5000000000'), '0.01'],
  ['usage below zero costs nothing', perUnit('3'), units('-4'), '0.00'],
  ['Lago, minimum: 50 used of at least 100', perUnit('1', spread), units('50'), '50.00 + 50.00'],
  ['the minimum is reached', perUnit('1', spread), units('100'), '100.00'],
  ['the maximum', perUnit('1', spread), units('250'), '200.00'],
  ['rates', perUnit('0', { rates: models }), byModel({ large: '1000000', small: '2000000' }), '33.00'],
  [
    'no rate matches',
    perUnit('0', { rates: models }),
    byModel({ large: '1000000', other: '9', none: '1' }),
    '30.00',
  ],
  [
    'a rate for all others',
    perUnit('0', { rates: [...models, { match: {}, unitAmount: '1' }] }),
    byModel({ large: '1000000', other: '9', none: '1' }),
    '40.00',
  ],
  [
    'included units are taken in the order of the rates',
    perUnit('0', { includedUnits: '1500000', rates: models }),
    byModel({ large: '1000000', small: '2000000' }),
    '2.25',
  ],
  [
    'Lago, percentage: 3 events or 500 are free',
    percentage({ percent: '1.2', fixedPerEvent: '0.10', freeEvents: 3, freeAmount: '500' }),
    eventsOf('200', '100', '100', '50'),
    '0.70',
  ],
  [
    'an event that is free in part costs the fixed amount',
    percentage({ percent: '1', fixedPerEvent: '0.30', freeAmount: '500' }),
    eventsOf('400', '200'),
    '1.30',
  ],
  [
    'a percentage of the sum needs no single events',
    percentage({ percent: '2.9', fixedPerEvent: '0.30' }),
    { ...units('150'), events: 2 },
    '4.95',
  ],
  [
    'least and most of an event',
    percentage({ percent: '10', minPerEvent: '1', maxPerEvent: '5' }),
    eventsOf('1', '20', '500'),
    '8.00',
  ],
];
test.each(cases)('%s', (_, pricing, counted, expected) => {
  expect(cost(pricing, counted)).toBe(expected);
});

it('shares the minimum and the maximum by time, and never beyond a whole cycle', () => {
  const pricing = perUnit('1', spread);
  expect(cost(pricing, units('10'), { partMs: 15, wholeMs: 30 })).toBe('10.00 + 40.00');
  expect(cost(pricing, units('400'), { partMs: 15, wholeMs: 30 })).toBe('100.00');
  expect(cost(pricing, units('10'), { partMs: 90, wholeMs: 30 })).toBe('10.00 + 90.00');
});

it('says how many units no rate matches, and which events it needs', () => {
  const { explanation } = computeUsageAmount(
    perUnit('0', { rates: models }),
    'usd',
    byModel({ large: '1', other: '9.5' }),
    whole,
  );
  expect(explanation).toMatchObject({ usage: '10.5', unmatched: '9.5' });
  expect(needsEvents(percentage({ percent: '1', fixedPerEvent: '1' }))).toBe(false);
  expect(needsEvents(percentage({ percent: '1', freeEvents: 1 }))).toBe(true);
  expect(needsEvents(perUnit('1'))).toBe(false);
});

const period = (pricing: UsagePricing, charges: UsagePeriod['charges'] = []): UsagePeriod =>
  completeRow(
    'usagePeriods',
    {
      id: 'usp',
      customerId: 'cus',
      subscriptionId: 'sub',
      meterId: 'mtr',
      priceId: 'price',
      isAddOn: false,
      productId: 'prod',
      productName: 'API',
      currency: 'usd',
      frequency: 'Monthly',
      period: 1,
      anchor: '2026-01-01T00:00:00.000Z',
      pricing,
      startsAt: '2026-01-01T00:00:00.000Z',
      charges,
      createdAt: '2026-01-01T00:00:00.000Z',
    },
    'acme',
  );
const january = {
  start: '2026-01-01T00:00:00.000Z',
  end: '2026-02-01T00:00:00.000Z',
  anchor: '2026-01-01T00:00:00.000Z',
};
const charge = (pricing: UsagePricing, quantity: string, charges: UsagePeriod['charges'] = []) =>
  chargeUsagePeriod(period(pricing, charges), [{ ...january, pricing, counted: units(quantity) }], 'UTC');

describe('the lines of a period', () => {
  const prices = fc.constantFrom(
    perUnit('0.37', spread),
    tiered('graduated', withBase),
    tiered('volume', seats),
    inPackages('5', 100, { includedUnits: '30' }),
  );
  const amounts = fc
    .bigInt({ min: 0n, max: 10n ** 15n })
    .map((digits) => `${digits / 1000n}.${String(digits % 1000n).padStart(3, '0')}`);

  it('charge what came late beside what was billed, as if it had come in time', () => {
    fc.assert(
      fc.property(prices, amounts, amounts, (pricing, before, late) => {
        const first = charge(pricing, before);
        const billed = [{ invoiceId: 'inv', amountMinor: String(first.amountMinor), quantity: before }];
        const all = Number(before) < Number(late) ? late : before;
        const rest = charge(pricing, all, billed);
        const atOnce = charge(pricing, all);
        const expected = atOnce.amountMinor > first.amountMinor ? atOnce.amountMinor : first.amountMinor;
        expect(first.amountMinor + rest.amountMinor).toBe(expected);
        for (const each of [first, rest, atOnce])
          expect(each.lines.reduce((sum, line) => sum + line.amountMinor, 0n)).toBe(each.amountMinor);
      }),
    );
  });

  it('refuse an amount beyond the largest', () => {
    expect(() => charge(perUnit('1000000000000000'), '1000000000')).toThrow();
  });
});
