/** Prices of usage: what is billed when, in previews and invoices to the cent, and each unit once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { apply, createCoupon } from '../discounts/shop.ts';
import { openUsageShop, writeBill, type UsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const fraction = (amount: string, fields: object = {}) => ({
  price: { details: { decimal: amount, currency: 'afn' }, ...fields },
});

/** A subscription to usage alone, from 2026-01-01. */
async function openMetered(fields: object = {}, amount = '0.05', meter: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter(meter);
  const price = await shop.plan(0, { name: 'Calls', ...fraction(amount, { meterId, ...fields }) });
  const id = await shop.subscribe(shop.customer, price);
  return { ...shop, meterId, price, id };
}

/** A plan of 20 a month with usage as an add-on. */
async function openAddOn(fields: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const plan = await shop.plan(20, { name: 'Plan' });
  const usage = await shop.plan(0, { name: 'Calls', ...fraction('0.05', { meterId, ...fields }) });
  const id = await shop.order(plan, { addOns: [{ priceId: usage.id }] });
  return { ...shop, meterId, plan, usage, id };
}

const change = async ({ client, id }: UsageShop & { id: string }, input: object) =>
  (
    await client.graphql(
      `mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }`,
      { id, input },
    )
  ).changeSubscription;

const expectSound = async ({ alias }: UsageShop) => expect(await findFaults(app, alias)).toEqual([]);

describe('a subscription to usage', () => {
  it('costs nothing at first, and bills each period when it has ended, as announced', async () => {
    const shop = await openMetered();
    expect(await shop.lastBill(shop.id)).toEqual({
      status: 'paid',
      total: 0,
      lines: ['cycle 0 2026-01-01/2026-02-01 Calls, every month'],
    });
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 600], ['2026-01-20', 400], ['2026-01-20', '0.5']);
    const announced = await shop.currentUsage(shop.id);
    expect(announced).toEqual({
      total: 50.03,
      lines: [
        'cycle 0 2026-02-01/2026-03-01 Calls, every month',
        'usage 50.03 2026-01-01/2026-02-01 Calls, usage',
      ],
    });
    // 1000.5 units in 19 of 31 days.
    expect(await shop.forecast(shop.id, '2026-03-01')).toEqual(['2026-02-01 81.62', '2026-03-01 73.72']);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toEqual({ status: 'paid', ...announced });
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).lines[1]).toBe('usage 0 2026-02-01/2026-03-01 Calls, usage');
    await expectSound(shop);
  });

  it('divides a quarter of an hour at the end of a period exactly', async () => {
    const shop = await openUsageShop(app, '2026-01-01T10:07:30.000Z');
    const meterId = await shop.meter();
    const price = await shop.plan(0, { name: 'Calls', ...fraction('1', { meterId }) });
    const id = await shop.subscribe(shop.customer, price);
    await shop.advance('2026-02-01T10:07:29.000Z');
    await shop.use(
      ['2026-01-01T10:07:30.000Z', 1],
      ['2026-01-01T10:14:59.999Z', 2],
      ['2026-02-01T10:07:29.000Z', 4],
      ['2026-02-01T10:07:29.999Z', 8],
      ['2026-02-01T10:07:30.000Z', 16],
      ['2026-02-01T10:10:00.000Z', 32],
    );
    await shop.advance('2026-02-01T10:07:30.000Z');
    expect((await shop.lastBill(id)).total).toBe(15);
    await shop.advance('2026-03-01T10:07:30.000Z');
    expect((await shop.lastBill(id)).total).toBe(48);
    await expectSound(shop);
  });

  it('bills late events with the next invoice, on a line that says so, for as long as events are taken', async () => {
    const shop = await openMetered({ includedUnits: 100 }, '1');
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).total).toBe(0);
    await shop.use(['2026-01-31T23:59:59.999Z', 130], ['2026-02-01', 110]);
    await shop.advance('2026-03-01');
    const first = await shop.lastBill(shop.id);
    expect(first.lines.slice(1)).toEqual([
      'usage 30 2026-01-01/2026-02-01 Calls, late usage',
      'usage 10 2026-02-01/2026-03-01 Calls, usage',
    ]);
    await shop.use(['2026-01-26', 5]);
    const announced = await shop.currentUsage(shop.id);
    await shop.advance('2026-04-01');
    expect(await shop.lastBill(shop.id)).toEqual({ status: 'paid', ...announced });
    expect(announced.lines[1]).toBe('usage 5 2026-01-01/2026-02-01 Calls, late usage');
    await shop.advance('2026-05-01');
    expect((await shop.lastBill(shop.id)).lines).toHaveLength(2);
    await expectSound(shop);
  });

  it('does not lower what was billed when events are taken back, and counts what comes instead', async () => {
    const shop = await openMetered({}, '1');
    const [wrong] = await shop.use(['2026-01-01', 70]);
    await shop.use(['2026-01-01', 30]);
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).total).toBe(100);
    await shop.voidUsage([wrong!]);
    await shop.use(['2026-01-31', 60]);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).total).toBe(0);
    await shop.use(['2026-01-31', 20]);
    await shop.advance('2026-04-01');
    expect((await shop.lastBill(shop.id)).total).toBe(10);
    await expectSound(shop);
  });

  it('charges what is missing to the minimum on a line of its own, and a flat amount without usage', async () => {
    const minimum = { amount: 100, currency: 'afn' };
    const shop = await openMetered(
      { minimumSpend: minimum, maximumSpend: { amount: 150, currency: 'afn' } },
      '1',
    );
    await shop.use(['2026-01-01', 50]);
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).lines.slice(1)).toEqual([
      'usage 50 2026-01-01/2026-02-01 Calls, usage',
      'usage 50 2026-01-01/2026-02-01 Calls, minimum',
    ]);
    await shop.use(['2026-02-01', 500]);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).total).toBe(150);
    await shop.advance('2026-03-16T12:00:00.000Z');
    await shop.run('cancelSubscription(id: $id, input: { atPeriodEnd: false })', shop.id);
    expect((await shop.lastBill(shop.id)).total).toBe(50);
    await expectSound(shop);
  });

  it('bills rates by properties, and warns of units that none matches', async () => {
    const rates = [
      { match: { model: 'large' }, unitAmount: '0.00003' },
      { match: { model: 'small' }, unitAmount: '0.0000015' },
    ];
    const shop = await openMetered({ rates }, '0');
    await shop.use(
      ['2026-01-01', 1_000_000, { model: 'large' }],
      ['2026-01-01', 2_000_000, { model: 'small' }],
      ['2026-01-01', 7, { model: 'new' }],
    );
    const { currentUsage } = await shop.client.graphql(
      `query ($id: ID!) { currentUsage(subscriptionId: $id) {
        total { amount } warnings { code message } lines { kind usage explanation }
      } }`,
      { id: shop.id },
    );
    expect(currentUsage.total.amount).toBe(33);
    expect(currentUsage.warnings).toEqual([
      { code: 'usage_unmatched', message: expect.stringContaining('matches 7 units') },
    ]);
    expect(currentUsage.lines[1]).toMatchObject({
      usage: '3000007',
      explanation: {
        part: 'usage',
        unmatched: '7',
        rates: [{ quantity: '1000000', amount: '30' }, { amount: '3' }],
      },
    });
  });

  it('is listed by doctor where no rate matches, and where it came after the final invoice', async () => {
    const shop = await openMetered({ rates: [{ match: { model: 'large' }, unitAmount: '2' }] }, '0');
    await shop.use(['2026-01-01', 7, { model: 'new' }], ['2026-01-01', 3, { model: 'large' }]);
    await shop.advance('2026-01-20');
    const [unmatched] = await findFaults(app, shop.alias);
    expect(unmatched).toMatch(/^usage_unmatched: usp_\w+ has 7 units since 2026-01-01/);
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    expect((await shop.lastBill(shop.id)).total).toBe(6);
    await expectSound(shop);
    await shop.use(
      ['2026-01-19', 5, { model: 'large' }],
      ['2026-01-20T00:00:00.001Z', 9, { model: 'large' }],
    );
    expect(await findFaults(app, shop.alias)).toEqual([
      expect.stringMatching(
        /^usage_unbilled: usp_\w+ has 15 units, of which 10\.00 afn came after the final/,
      ),
    ]);
    await shop.advance('2026-03-01');
    await expectSound(shop);
  });

  it('gives the events of a trial free', async () => {
    const shop = await openMetered({ trialDays: 10 }, '1');
    await shop.use(['2026-01-01', 50]);
    await shop.advance('2026-01-12');
    await shop.use(['2026-01-10', 7], ['2026-01-11', 3]);
    expect((await shop.lastBill(shop.id)).lines).toEqual([
      'cycle 0 2026-01-11/2026-02-11 Calls, every month',
    ]);
    await shop.advance('2026-02-11');
    expect((await shop.lastBill(shop.id)).total).toBe(3);
    await expectSound(shop);
  });

  it('bills a customer once for the end of a paid period, of a draft with its late events, and after a void', async () => {
    const shop = await openMetered({}, '1');
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await shop.use(['2026-01-01', 5]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'draft', total: 5 });
    const [wrong] = await shop.use(['2026-01-31', 3], ['2026-01-30', 100]).then((ids) => ids.toReversed());
    await shop.voidUsage([wrong!]);
    await shop.advance('2026-02-02');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'paid', total: 8 });
    await shop.advance('2026-03-02');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'paid', total: 0 });
    await expectSound(shop);
  });
});

it('deducts discounts from usage, also from that of a draft that grows', async () => {
  const shop = await openMetered({}, '1');
  const coupon = (await createCoupon(shop, { percentOff: '50' })) as { id: string };
  await apply(shop, { customerId: shop.customer.id, couponId: coupon.id });
  await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
  await shop.use(['2026-01-01', 5]);
  const announced = await shop.currentUsage(shop.id);
  await shop.advance('2026-02-01');
  expect(await shop.lastBill(shop.id)).toEqual({ status: 'draft', ...announced });
  expect(announced.total).toBe(2.5);
  await shop.use(['2026-01-31', 3]);
  await shop.advance('2026-02-02');
  expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'paid', total: 4 });
  await expectSound(shop);
});

it('is shown with its prices on the payment page, and not as free', async () => {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const rates = [{ match: { model: 'large' }, unitAmount: '0.00003' }];
  const spends = {
    minimumSpend: { amount: 5, currency: 'afn' },
    maximumSpend: { amount: 90, currency: 'afn' },
  };
  const terms = { meterId, rates, includedUnits: '1000', ...spends };
  const price = await shop.plan(0, { name: 'Calls', ...fraction('0.000000000001', terms) });
  const input = { customerId: shop.customer.id, productId: price.productId, priceId: price.id };
  const { createSubscriptionIntent } = await shop.client.graphql(
    `mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { paymentUrl } }`,
    { input: { ...input, receiptUrl: 'https://example.com' } },
  );
  const { pathname, search } = new URL(createSubscriptionIntent.paymentUrl);
  const { body } = await app.server.inject(pathname + search);
  const text = body
    .replaceAll('<br />', ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('\u00A0', ' ');
  expect(text).toContain('By usage');
  expect(text).not.toMatch(/\bFree\b|for free/);
  expect(text).toMatch(
    /What you use of Calls is charged when each period has ended: large: AFN 0\.00003 per unit otherwise AFN 0\.000000000001 per unit 1,000 included at least AFN 5\.00 at most AFN 90\.00/,
  );
});

describe('usage beside a plan', () => {
  it('is billed in arrears beside the next period in advance', async () => {
    const shop = await openAddOn();
    expect((await shop.lastBill(shop.id)).lines).toEqual([
      'cycle 20 2026-01-01/2026-02-01 Plan, every month',
    ]);
    await shop.use(['2026-01-01', 100]);
    const announced = await shop.currentUsage(shop.id);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toEqual({ status: 'paid', ...announced });
    expect(announced).toEqual({
      total: 25,
      lines: [
        'cycle 20 2026-02-01/2026-03-01 Plan, every month',
        'usage 5 2026-01-01/2026-02-01 Calls, usage',
      ],
    });
    await expectSound(shop);
  });

  it('that is removed, added and cancelled in mid-period is billed until then, once', async () => {
    const shop = await openAddOn();
    await shop.use(['2026-01-01', 100]);
    await shop.advance('2026-01-11');
    const preview = async (input: object) =>
      writeBill(
        (
          await shop.client.graphql(
            `query ($id: ID!, $input: SubscriptionChangeInput!) {
              previewSubscriptionChange(id: $id, input: $input) { nextInvoice {
                total { amount } lines { kind description amount { amount } periodStart periodEnd }
              } }
            }`,
            { id: shop.id, input },
          )
        ).previewSubscriptionChange.nextInvoice,
      );
    const announced = await preview({ addOns: [], billing: 'charge_now' });
    await change(shop, { addOns: [], billing: 'charge_now' });
    await shop.advance('2026-01-12');
    await shop.use(['2026-01-11', 1000]);
    expect(await shop.currentUsage(shop.id)).toEqual(announced);
    expect(announced.lines[1]).toBe('usage 5 2026-01-01/2026-01-11 Calls, usage');
    await change(shop, { addOns: [{ priceId: shop.usage.id }], billing: 'charge_now' });
    await shop.use(['2026-01-12', 20]);
    const later = await shop.currentUsage(shop.id);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toEqual({ status: 'paid', ...later });
    expect(later.lines.slice(1)).toEqual([
      'usage 5 2026-01-01/2026-01-11 Calls, usage',
      'usage 1 2026-01-12/2026-02-01 Calls, usage',
    ]);
    await shop.use(['2026-02-01', 40]);
    await shop.run('cancelSubscription(id: $id, input: { atPeriodEnd: false })', shop.id);
    expect(await shop.lastBill(shop.id)).toMatchObject({
      total: 2,
      lines: [expect.stringContaining('usage 2 ')],
    });
    await shop.advance('2026-03-01');
    await expectSound(shop);
  });
});
