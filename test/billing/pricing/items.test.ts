/** The lines of add-ons beside the main price, and what an invoice pays from or leaves on the balance. */
import { describe, expect, it, test } from 'vitest';
import {
  buildPeriodLines,
  describePeriod,
  listItems,
  nameItem,
  sumItems,
  type Agreement,
  type Line,
} from '../../../src/billing/pricing/invoiceLines.ts';
import { applyBalance, computeNextInvoice } from '../../../src/billing/pricing/nextInvoice.ts';
import type { AddOn } from '../../../src/storage/model/common.ts';

const midnight = (date: string) => `2026-${date}T00:00:00.000Z`;
const plain: Agreement = {
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
const addedAt = midnight('01-01');
const storage: AddOn = {
  productId: 'prod_2',
  priceId: 'price_2',
  productName: 'Storage',
  quantity: 3,
  pricing: { model: 'per_unit', unitAmount: '4' },
  amountMinor: '1200',
  addedAt,
};
const support: AddOn = {
  productId: 'prod_3',
  priceId: 'price_3',
  productName: 'Support',
  quantity: 1,
  pricing: null,
  amountMinor: '500',
  addedAt,
};
const rich: Agreement = { ...plain, addOns: [storage, support] };

it('lists the items of an agreement, the main price first', () => {
  expect(listItems(plain)).toEqual([plain]);
  const common = { currency: 'usd', frequency: 'Monthly', period: 1, addOns: null };
  expect(listItems(rich)).toEqual([
    rich,
    {
      ...common,
      productId: 'prod_2',
      productName: 'Storage',
      quantity: 3,
      pricing: storage.pricing,
      amountMinor: 1200n,
      taxBehavior: null,
      addOnPriceId: 'price_2',
    },
    // A flat price has no quantity.
    {
      ...common,
      productId: 'prod_3',
      productName: 'Support',
      quantity: null,
      pricing: null,
      amountMinor: 500n,
      taxBehavior: null,
      addOnPriceId: 'price_3',
    },
  ]);
});

it('sums the whole cycle of all items', () => {
  expect(sumItems(plain)).toBe(3000n);
  expect(sumItems(rich)).toBe(4700n);
});

it('names an add-on by its price and product', () => {
  expect(listItems(rich).map(nameItem)).toEqual([
    { productId: 'prod_1' },
    { productId: 'prod_2', priceId: 'price_2', productName: 'Storage' },
    { productId: 'prod_3', priceId: 'price_3', productName: 'Support' },
  ]);
});

test.each<[kind: Line['kind'], quantity: number | null, description: string]>([
  ['CYCLE', null, 'Pro, every month'],
  ['CYCLE', 1, 'Pro, every month'],
  ['CYCLE', 2, '2 × Pro, every month'],
  ['STUB', 2, 'Pro, every month'],
])('describes a %s of %s units', (kind, quantity, description) => {
  expect(describePeriod({ ...plain, quantity }, kind)).toBe(description);
});

it('bills every item for the same part of a cycle', () => {
  const { lines, anchor } = buildPeriodLines(rich, midnight('06-01'), midnight('06-16'), 'UTC');
  expect(anchor).toBe(midnight('06-01'));
  expect(lines.map(({ kind, amountMinor, periodEnd }) => [kind, amountMinor, periodEnd])).toEqual([
    ['STUB', 1500n, midnight('07-01')],
    ['STUB', 600n, midnight('07-01')],
    ['STUB', 250n, midnight('07-01')],
  ]);
});

it('bills the set-up fee and waiting charges beside the items', () => {
  const billable = { ...rich, anchor: midnight('06-01'), nextBillingDate: midnight('06-01') };
  const [waiting] = buildPeriodLines(plain, null, midnight('06-01'), 'UTC').lines;
  const extras = { balanceMinor: 0n, setupFeeMinor: 900n, items: [{ ...waiting, kind: 'ITEM' as const }] };
  const bill = computeNextInvoice(billable, undefined, extras, 'UTC');
  expect(bill.lines.map(({ kind, amountMinor }) => [kind, amountMinor])).toEqual([
    ['CYCLE', 3000n],
    ['CYCLE', 1200n],
    ['CYCLE', 500n],
    ['SETUP_FEE', 900n],
    ['ITEM', 3000n],
  ]);
  expect(bill.totalMinor).toBe(8600n);
  for (const setupFeeMinor of [0n, null, undefined]) {
    const without = computeNextInvoice(billable, undefined, { balanceMinor: 0n, setupFeeMinor }, 'UTC');
    expect(without.lines).toHaveLength(3);
  }
});

describe('the balance', () => {
  const [line] = buildPeriodLines(plain, null, midnight('06-01'), 'UTC').lines;
  const rows: [
    what: string,
    amountMinor: bigint,
    availableMinor: bigint,
    total: bigint,
    used: bigint,
    left: bigint,
  ][] = [
    ['is empty', 3000n, 0n, 3000n, 0n, 0n],
    ['pays a part', 3000n, 1000n, 2000n, 1000n, 0n],
    ['pays all', 3000n, 3000n, 0n, 3000n, 0n],
    ['pays all, and keeps the rest', 3000n, 5000n, 0n, 3000n, 0n],
    ['pays nothing of nothing', 0n, 5000n, 0n, 0n, 0n],
    ['takes a credit, and pays nothing', -700n, 5000n, 0n, 0n, 700n],
    ['takes a credit', -700n, 0n, 0n, 0n, 700n],
    ['that is owed pays nothing', 3000n, -100n, 3000n, 0n, 0n],
  ];
  test.each(rows)('%s', (_, amountMinor, availableMinor, totalMinor, balanceMinor, surplusMinor) => {
    const charged = [{ ...line, amountMinor }];
    const paid = applyBalance(charged, availableMinor);
    expect(paid).toMatchObject({ totalMinor, balanceMinor, surplusMinor });
    const added = paid.lines.slice(1).map(({ kind, amountMinor: minor }) => [kind, minor]);
    const movedMinor = surplusMinor - balanceMinor;
    expect(added).toEqual(movedMinor === 0n ? [] : [['BALANCE', movedMinor]]);
  });
});
