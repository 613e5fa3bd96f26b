/** The forecast of usage: the rate of the present period so far, until its end and after it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openUsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const afn = (amount: number) => ({ amount, currency: 'afn' });

async function openMetered(price: object = {}, meter: object = {}, order: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter(meter);
  const plan = await shop.plan(0, { name: 'Calls', price: { details: afn(1), meterId, ...price } });
  const id = await shop.order(plan, order);
  const forecast = async (until: string): Promise<[string, number, boolean][]> => {
    const { forecast: charges } = await shop.client.graphql(
      `query ($id: ID!, $until: DateTime!) { forecast(subscriptionId: $id, until: $until) {
        date usageEstimated total { amount }
      } }`,
      { id, until },
    );
    return charges.map(({ date, total, usageEstimated }: any) => [
      date.slice(0, 10),
      total.amount,
      usageEstimated,
    ]);
  };
  return { ...shop, price: plan, id, expected: forecast };
}

describe('the forecast of usage', () => {
  it('goes on at the rate of the present period, and says so', async () => {
    const shop = await openMetered({ includedUnits: '10' });
    await shop.use(['2026-01-01', 20]);
    expect(await shop.expected('2026-02-01')).toEqual([['2026-02-01', 10, false]]);
    await shop.advance('2026-01-11');
    expect(await shop.expected('2026-03-01')).toEqual([
      // 20 units in 10 days are 62 in 31, and 56 in 28.
      ['2026-02-01', 52, true],
      ['2026-03-01', 46, true],
    ]);
    expect((await shop.currentUsage(shop.id)).total).toBe(10);
    const { tenant } = await shop.client.graphql(
      '{ tenant { forecast(until: "2026-02-01") { total { amount } usageEstimated } } }',
    );
    expect(tenant.forecast).toEqual([{ total: { amount: 52 }, usageEstimated: true }]);
  });

  it('takes the first minute of a period for a day', async () => {
    const shop = await openMetered();
    await shop.use(['2026-01-01', 20]);
    await shop.advance('2026-01-01T00:01:00.000Z');
    expect(await shop.expected('2026-03-01')).toEqual([
      ['2026-02-01', 620, true],
      ['2026-03-01', 560, true],
    ]);
  });

  it('keeps the level of meters that do not grow', async () => {
    const shop = await openMetered({}, { aggregation: 'max' });
    await shop.use(['2026-01-01', 7]);
    await shop.advance('2026-01-11');
    expect(await shop.expected('2026-03-01')).toEqual([
      ['2026-02-01', 7, true],
      ['2026-03-01', 7, true],
    ]);
  });

  it('has own terms, tiers and commitments of later periods', async () => {
    const shop = await openMetered({}, {}, { commitment: { amount: afn(100), overageFactor: '2' } });
    await shop.use(['2026-01-01', 20]);
    await shop.advance('2026-01-11');
    await shop.client.graphql(
      'mutation ($input: OverrideUsagePriceInput!) { overrideUsagePrice(input: $input) { id } }',
      {
        input: { subscriptionId: shop.id, priceId: shop.price.id, unitAmount: '2', startsAt: '2026-02-01' },
      },
    );
    expect(await shop.expected('2026-03-01')).toEqual([
      ['2026-02-01', 100, true],
      // 56 units at 2, of which 12 are above the commitment.
      ['2026-03-01', 124, true],
    ]);
  });

  it('ends with a cancellation, and says nothing of subscriptions without usage', async () => {
    const shop = await openMetered();
    await shop.use(['2026-01-01', 10]);
    await shop.advance('2026-01-11');
    await shop.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', shop.id);
    expect(await shop.expected('2026-04-01')).toEqual([['2026-02-01', 31, true]]);
    const flat = await shop.plan(5);
    const other = await shop.subscribe(shop.customer, flat);
    const { forecast } = await shop.client.graphql(
      '{ forecast(subscriptionId: "' + other + '", until: "2026-02-11") { usageEstimated } }',
    );
    expect(forecast).toEqual([{ usageEstimated: false }]);
  });
});
