/** The lines of a period, and the invoice that renewals and forecasts compute from them. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  buildPeriodLines,
  describePeriod,
  explainQuantity,
  sumLines,
  type Agreement,
} from '../../../src/billing/pricing/invoiceLines.ts';
import {
  buildBalanceLine,
  computeNextInvoice,
  pickAgreement,
} from '../../../src/billing/pricing/nextInvoice.ts';
import type { Pricing } from '../../../src/storage/model/common.ts';

const midnight = (date: string) => `${date}T00:00:00.000Z`;

const flat: Agreement = {
  productId: 'prod_1',
  addOns: null,
  productName: 'Pro',
  amountMinor: 3000n,
  currency: 'usd',
  frequency: 'Monthly',
  period: 1,
  quantity: null,
  pricing: null,
  taxBehavior: null,
};
const priced = (pricing: Pricing, quantity: number | null): Agreement => ({ ...flat, pricing, quantity });
const perUnit: Pricing = { model: 'per_unit', unitAmount: '7.5' };

describe('the line of a period', () => {
  const rows: [
    what: string,
    [anchor: string | null, start: string, until?: string | null],
    [kind: string, amountMinor: bigint, end: string, anchor: string],
  ][] = [
    ['starts its schedule', [null, '2026-06-16'], ['CYCLE', 3000n, '2026-07-16', '2026-06-16']],
    ['keeps its schedule', ['2026-01-01', '2026-06-01'], ['CYCLE', 3000n, '2026-07-01', '2026-01-01']],
    ['is a stub', ['2026-01-01', '2026-06-16'], ['STUB', 1500n, '2026-07-01', '2026-01-01']],
    ['is not cut by null', ['2026-01-01', '2026-06-01', null], ['CYCLE', 3000n, '2026-07-01', '2026-01-01']],
    ['is cut', ['2026-01-01', '2026-06-01', '2026-06-11'], ['STUB', 1000n, '2026-06-11', '2026-01-01']],
    [
      'is not cut at its start',
      ['2026-01-01', '2026-06-01', '2026-06-01'],
      ['CYCLE', 3000n, '2026-07-01', '2026-01-01'],
    ],
    [
      'is not cut before its start',
      ['2026-01-01', '2026-06-01', '2026-05-20'],
      ['CYCLE', 3000n, '2026-07-01', '2026-01-01'],
    ],
    [
      'is not cut at its end',
      ['2026-01-01', '2026-06-01', '2026-07-01'],
      ['CYCLE', 3000n, '2026-07-01', '2026-01-01'],
    ],
    [
      'is not cut after its end',
      ['2026-01-01', '2026-06-01', '2026-08-01'],
      ['CYCLE', 3000n, '2026-07-01', '2026-01-01'],
    ],
    [
      'is a stub that is cut',
      ['2026-01-01', '2026-06-16', '2026-06-26'],
      ['STUB', 1000n, '2026-06-26', '2026-01-01'],
    ],
  ];
  test.each(rows)('%s', (_, [anchor, start, until], [kind, amountMinor, end, anchorAfter]) => {
    const bound = until ? midnight(until) : until;
    const built = buildPeriodLines(flat, anchor && midnight(anchor), midnight(start), 'UTC', bound);
    const [from, to] = [midnight(start), midnight(end)];
    expect(built).toEqual({
      anchor: midnight(anchorAfter),
      lines: [
        {
          kind,
          description: 'Pro, every month',
          amountMinor,
          currency: 'usd',
          periodStart: from,
          periodEnd: to,
          explanation: {
            priceMinor: '3000',
            remainingMs: Date.parse(to) - Date.parse(from),
            totalMs: 30 * 86_400_000,
            rounding: 'half_up',
          },
          productId: 'prod_1',
        },
      ],
    });
  });

  test.each([
    ['Pro, every month', null, 'CYCLE'],
    ['Pro, every month', 1, 'CYCLE'],
    ['2 × Pro, every month', 2, 'CYCLE'],
    ['Pro, every month', 2, 'STUB'],
    ['Pro, every month', 2, 'PRORATION_CHARGE'],
  ] as const)('is described as %s for the quantity %j of a %s', (text, quantity, kind) => {
    expect(describePeriod(priced(perUnit, quantity), kind)).toBe(text);
  });

  const tiers = [
    { upTo: '5', unitAmount: '7', flatAmount: '1' },
    { upTo: null, unitAmount: '6', flatAmount: '0' },
  ];
  test.each([
    [flat, {}],
    [{ ...flat, quantity: 3 }, {}],
    [priced(perUnit, 3), { model: 'per_unit', quantity: 3, unitAmount: '7.5' }],
    [priced(perUnit, null), { model: 'per_unit', quantity: 1, unitAmount: '7.5' }],
    [
      priced({ model: 'package', unitAmount: '10', packageSize: 5 }, 6),
      { model: 'package', quantity: 6, unitAmount: '10', packageSize: 5 },
    ],
    [
      priced({ model: 'graduated', tiers }, 7),
      {
        model: 'graduated',
        quantity: 7,
        tiers: [
          { ...tiers[0], quantity: '5', amount: '36' },
          { ...tiers[1], quantity: '2', amount: '12' },
        ],
      },
    ],
    [
      priced({ model: 'volume', tiers }, 7),
      { model: 'volume', quantity: 7, tiers: [{ ...tiers[1], quantity: '7', amount: '42' }] },
    ],
  ])('explains the quantity, %#', (agreement, explanation) => {
    expect(explainQuantity(agreement)).toEqual(explanation);
    const [line] = buildPeriodLines(agreement, null, midnight('2026-06-01'), 'UTC').lines;
    expect(line.explanation).toMatchObject({ ...explanation, priceMinor: '3000', rounding: 'half_up' });
  });
});

describe('the next invoice', () => {
  const current = { ...flat, anchor: midnight('2026-01-31'), nextBillingDate: midnight('2026-02-28') };

  test.each([
    [0n, 3000n, []],
    [1n, 2999n, [-1n]],
    [2999n, 1n, [-2999n]],
    [3000n, 0n, [-3000n]],
    [3001n, 0n, [-3000n]],
  ])('uses the balance of %d: %d remain', (balanceMinor, totalMinor, balanceLines) => {
    const invoice = computeNextInvoice(current, undefined, { balanceMinor }, 'UTC');
    expect(invoice).toMatchObject({ totalMinor, agreement: current, anchor: current.anchor });
    expect(invoice.period).toEqual({ start: midnight('2026-02-28'), end: midnight('2026-03-31') });
    expect(invoice.lines.map(({ kind }) => kind)).toEqual(['CYCLE', ...balanceLines.map(() => 'BALANCE')]);
    expect(invoice.lines.slice(1).map(({ amountMinor }) => amountMinor)).toEqual(balanceLines);
    expect(invoice.balanceMinor).toBe(balanceMinor > 3000n ? 3000n : balanceMinor);
  });

  it('bills the scheduled plan; another interval starts a schedule of its own', () => {
    const bill = (next: Agreement) => computeNextInvoice(current, next, { balanceMinor: 0n }, 'UTC');
    const cheaper = { ...flat, productName: 'Basic', amountMinor: 500n };
    expect(bill(cheaper)).toMatchObject({ agreement: cheaper, totalMinor: 500n, anchor: current.anchor });
    const weekly = { ...cheaper, frequency: 'Weekly' as const };
    expect(bill(weekly)).toMatchObject({
      anchor: current.nextBillingDate,
      period: { start: midnight('2026-02-28'), end: midnight('2026-03-07') },
      lines: [{ kind: 'CYCLE', description: 'Basic, every week' }],
    });
  });

  it('ends with a scheduled cancellation', () => {
    const ending = { ...current, cancelAt: midnight('2026-03-10') };
    const { period, lines } = computeNextInvoice(ending, undefined, { balanceMinor: 0n }, 'UTC');
    expect(period.end).toBe(midnight('2026-03-10'));
    expect(lines[0]).toMatchObject({ kind: 'STUB', amountMinor: 968n });
  });

  it.each([
    [-483n, 'Paid from the balance'],
    [0n, 'Left as balance'],
    [483n, 'Left as balance'],
  ])('has a line for the balance of %d: %s', (amountMinor, description) => {
    const [line] = buildPeriodLines(flat, null, midnight('2026-06-01'), 'UTC').lines;
    expect(buildBalanceLine(line, amountMinor)).toEqual({
      kind: 'BALANCE',
      description,
      amountMinor,
      currency: 'usd',
      periodStart: line.periodStart,
      periodEnd: line.periodEnd,
      explanation: { balanceMinor: String(amountMinor) },
    });
  });

  it('comes to the sum of its lines, and never uses more than the balance or the price', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(amount, amount, (amountMinor, balanceMinor) => {
        const invoice = computeNextInvoice({ ...current, amountMinor }, undefined, { balanceMinor }, 'UTC');
        expect(invoice.totalMinor).toBe(sumLines(invoice.lines));
        expect(invoice.totalMinor + invoice.balanceMinor).toBe(amountMinor);
        expect(invoice.balanceMinor <= balanceMinor && invoice.totalMinor >= 0n).toBe(true);
      }),
    );
  });
});

it('an agreement is copied from its intent', () => {
  const agreed = {
    productId: 'prod_1',
    priceId: 'price_1',
    groupId: null,
    productName: 'Pro',
    amountMinor: 3000n,
    currency: 'usd',
    frequency: 'Monthly',
    period: 1,
    quantity: 2,
    pricing: perUnit,
    addOns: null,
  };
  const intent = { ...agreed, id: 'int_1', status: 'succeeded', executionDate: null };
  expect(pickAgreement(intent as never)).toEqual({ ...agreed, paymentIntentId: 'int_1' });
});
