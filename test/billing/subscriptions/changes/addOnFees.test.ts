/** Set-up fees of add-ons: charged once, by the first invoice that bills the add-on; trial days of add-ons do not apply. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { apply, createCoupon } from '../../discounts/shop.ts';
import { startApp, type TestApp } from '../../../support/app.ts';
import { findBookFaults } from '../../../support/faults.ts';
import { openItems, type Items } from '../../../support/items.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

const usd = (amount: number) => ({ amount, currency: 'usd' });
const support = { amount: '12', setupFee: usd(5) };
const withSupport = { addOns: { support } };
const cycles = ['cycle 10', 'cycle 12'];

const expectSound = async ({ alias }: Items) => expect(await findBookFaults(app, alias)).toEqual([]);
const showFees = async ({ client, id }: Items) => {
  const document = 'query ($id: ID!) { subscription(id: $id) { items { setupFee { decimal } } } }';
  return (await client.graphql(document, { id })).subscription.items.map(
    ({ setupFee }: any) => setupFee?.decimal ?? null,
  );
};

describe('a new subscription pays the fee of an add-on', () => {
  it('with its first invoice, and the main price its own', async () => {
    const items = await openItems(app, { amount: '10', setupFee: usd(3) }, withSupport);
    expect(await items.lines()).toEqual([...cycles, 'setup_fee 3', 'setup_fee 5']);
    expect(await showFees(items)).toEqual([null, null]);
    expect(await items.renew('2026-07-01')).toEqual(cycles);
    await expectSound(items);
  });

  it('at the start of the trial of the main price; the trial days of the add-on do not apply', async () => {
    const items = await openItems(
      app,
      { amount: '10', trialDays: 14 },
      { addOns: { support: { ...support, trialDays: 30 } } },
    );
    expect(await items.lines()).toEqual(['setup_fee 5']);
    expect(await items.renew('2026-06-15')).toEqual(cycles);
    await expectSound(items);
  });

  it('without a trial, where only the add-on has trial days', async () => {
    const items = await openItems(
      app,
      { amount: '10' },
      { addOns: { support: { amount: '12', trialDays: 30 } } },
    );
    expect(await items.lines()).toEqual(cycles);
  });
});

describe('an add-on that is added on the fifteenth of thirty days', () => {
  test.each<[billing: string, now: string[], next: string[]]>([
    ['charge_now', ['proration_charge 6', 'setup_fee 5'], cycles],
    ['next_invoice', [], [...cycles, 'setup_fee 5', 'proration_charge 6']],
    ['period_end', [], [...cycles, 'setup_fee 5']],
    ['none', [], [...cycles, 'setup_fee 5']],
    ['reset', ['proration_credit -5', ...cycles, 'setup_fee 5'], cycles],
  ])('by %s: the fee comes with the first charge, and once', async (billing, now, next) => {
    const items = await openItems(app, { amount: '10' });
    await items.advance('2026-06-16');
    const change = { ...withSupport, billing };
    const preview = await items.preview(change);
    expect(await items.change(change)).toEqual(now);
    expect([preview.lines, preview.nextInvoice.lines]).toEqual([now, next]);
    expect(await items.renew(billing === 'reset' ? '2026-07-16' : '2026-07-01')).toEqual(next);
    expect(await showFees(items)).toEqual([null, null]);
    expect(await items.renew(billing === 'reset' ? '2026-08-16' : '2026-08-01')).toEqual(cycles);
    await expectSound(items);
  });

  it('shows the fee until it is charged', async () => {
    const items = await openItems(app, { amount: '10' });
    await items.change({ ...withSupport, billing: 'none' });
    expect(await showFees(items)).toEqual([null, '5.00']);
  });

  it('in a trial: the invoice after it charges the fee', async () => {
    const items = await openItems(app, { amount: '10', trialDays: 14 });
    expect(await items.change(withSupport)).toEqual([]);
    expect(await items.renew('2026-06-15')).toEqual([...cycles, 'setup_fee 5']);
    await expectSound(items);
  });

  it('pays the fee once, whatever becomes of its quantity, and where it is removed and added again', async () => {
    const seats = { ...support, model: 'per_unit', quantity: 1 };
    const items = await openItems(app, { amount: '10' });
    expect(await items.change({ addOns: { seats }, billing: 'next_invoice' })).toEqual([]);
    await items.change({ addOns: { seats: { ...seats, quantity: 2 } }, billing: 'charge_now' });
    expect((await items.lines()).filter((line) => line.startsWith('setup_fee'))).toEqual(['setup_fee 5']);
    await items.change({ addOnList: [], billing: 'charge_now' });
    await items.change({ addOns: { seats }, billing: 'charge_now' });
    await items.change({ addOnList: [], billing: 'period_end' });
    await items.advance('2026-07-01');
    await items.change({ addOns: { seats }, billing: 'period_end' });
    await items.renew('2026-08-01');
    expect((await items.lines()).filter((line) => line.startsWith('setup_fee'))).toEqual(['setup_fee 5']);
    await expectSound(items);
  });

  it('twenty times at once is charged once', async () => {
    const items = await openItems(app, { amount: '10' });
    await items.change({ ...withSupport, billing: 'none' });
    await Promise.all(Array.from({ length: 20 }, () => items.ask({ ...withSupport, billing: 'reset' })));
    await items.change({ addOns: { support, other: { amount: '1' } }, billing: 'reset' });
    expect((await items.lines()).filter((line) => line.startsWith('setup_fee'))).toEqual(['setup_fee 5']);
    await expectSound(items);
  });

  it('is reduced by a percentage, not by an amount that reduces the period', async () => {
    for (const [coupon, lines] of [
      [{ percentOff: '20' }, ['proration_charge 4.8', 'setup_fee 4']],
      [{ amountOff: usd(11) }, ['proration_charge 3', 'setup_fee 5']],
    ] as const) {
      const items = await openItems(app, { amount: '10' });
      const { id: couponId } = await createCoupon(items.books, coupon);
      await apply(items.books, { subscriptionId: items.id, couponId });
      await items.advance('2026-06-16');
      const { lines: shown } = await items.preview({ ...withSupport, billing: 'charge_now' });
      expect(await items.change({ ...withSupport, billing: 'charge_now' })).toEqual(lines);
      expect(shown).toEqual(lines);
      await expectSound(items);
    }
  });

  it('by the payer pays the fee with the order, once for two orders', async () => {
    const items = await openItems(app, { amount: '10' });
    await items.advance('2026-06-16');
    const { client, books, customer } = items;
    const { product, price } = await books.shop.product({
      amount: 12,
      currency: 'usd',
      price: { setupFee: usd(5) },
    });
    const { subscription } = await client.graphql(
      'query ($id: ID!) { subscription(id: $id) { productId priceId } }',
      {
        id: items.id,
      },
    );
    expect(product.id).toBe(price.productId);
    const order = async (addOns: object[]) => {
      const { tenantAlias: _, ...fields } = books.shop.intentInput(customer, price) as any;
      const input = { ...fields, ...subscription, addOns };
      return (
        await client.graphql(
          'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
          { input },
        )
      ).createSubscriptionIntent.id;
    };
    const [first, second] = [await order([{ priceId: price.id }]), await order([{ priceId: price.id }])];
    await books.shop.confirm(first);
    expect(await items.lines()).toEqual(['cycle 10', 'proration_charge 6', 'setup_fee 5']);
    await items.change({ addOnList: [], billing: 'charge_now' });
    await books.shop.confirm(second);
    expect((await items.lines()).filter((line) => line.startsWith('setup_fee'))).toEqual(['setup_fee 5']);
    await expectSound(items);
  });
});
