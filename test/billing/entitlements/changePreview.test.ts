/** Who gains and who loses by a change of what a product has of a feature: announced as it then happens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openFeatureShop, type FeatureShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const previewFields = 'gaining losing changing unchanged customers { customerId effect at before after }';

async function preview({ client }: Pick<FeatureShop, 'client'>, kind: 'Attach' | 'Detach', input: object) {
  const document = `query ($input: ${kind}FeatureInput!) { preview${kind}Feature(input: $input) { ${previewFields} } }`;
  return Object.values<any>(await client.graphql(document, { input }))[0];
}

/** Three customers of a plan: one with it alone, one with an add-on that has it too, and one who was given a value. */
async function openPlan(kind: 'boolean' | 'config' | 'limit', value: unknown, addOnValue: unknown) {
  const shop = await openFeatureShop(app);
  const feature = await shop.feature(kind);
  const [plan, addOn] = [await shop.plan(20), await shop.plan(5)];
  const [second, third] = [await shop.shop.customer(), await shop.shop.customer()];
  if (value !== undefined) await shop.attach(plan, feature, value);
  if (addOnValue !== undefined) await shop.attach(addOn, feature, addOnValue);
  await shop.order(plan);
  await shop.order(plan, { customerId: second.id, addOns: [{ priceId: addOn.id }] });
  await shop.subscribe(third, plan);
  await shop.override(feature, kind === 'boolean' ? true : 7, { customerId: third.id });
  return { ...shop, feature, plan, addOn, ids: [shop.customer.id, second.id, third.id] };
}

describe('a preview', () => {
  it.each<[string, 'boolean' | 'config' | 'limit', unknown, unknown, unknown, object]>([
    ['a new boolean', 'boolean', undefined, true, true, { gaining: 1, losing: 0, changing: 0, unchanged: 2 }],
    [
      'a boolean taken away',
      'boolean',
      true,
      undefined,
      false,
      { gaining: 0, losing: 2, changing: 0, unchanged: 1 },
    ],
    ['a higher limit', 'limit', 10, 5, 11, { gaining: 2, losing: 0, changing: 0, unchanged: 1 }],
    ['a lower limit', 'limit', 10, 5, '9.5', { gaining: 0, losing: 2, changing: 0, unchanged: 1 }],
    ['no end', 'limit', 10, 5, null, { gaining: 2, losing: 0, changing: 0, unchanged: 1 }],
    ['the same', 'limit', 10, 5, '10.0', { gaining: 0, losing: 0, changing: 0, unchanged: 3 }],
    ['another config', 'config', 'a', 'b', 'c', { gaining: 0, losing: 0, changing: 2, unchanged: 1 }],
  ])(
    'of %s counts who gains and loses, as it then happens',
    async (_, kind, value, addOnValue, next, counts) => {
      const shop = await openPlan(kind, value, addOnValue);
      const input = { productId: shop.plan.productId, feature: shop.feature, value: next };
      const announced = await preview(shop, 'Attach', input);
      expect(announced).toMatchObject(counts);
      const read = () =>
        Promise.all(
          shop.ids.map(async (customerId) => (await shop.check(shop.feature, 1, { customerId })).value),
        );
      const before = await read();
      await shop.attach(shop.plan, shop.feature, next);
      const after = await read();
      for (const { customerId, ...change } of announced.customers) {
        const place = shop.ids.indexOf(customerId);
        expect([change.before, change.after]).toEqual([before[place], after[place]]);
      }
      const changed: string[] = shop.ids.filter(
        (_id, index) => JSON.stringify(before[index]) !== JSON.stringify(after[index]),
      );
      expect(announced.customers.map(({ customerId }: any) => customerId).toSorted()).toEqual(
        changed.toSorted(),
      );
    },
  );

  it('of a change at the next period says when it reaches each', async () => {
    const shop = await openPlan('limit', 10, undefined);
    const input = { productId: shop.plan.productId, feature: shop.feature, reach: 'next_period' };
    await shop.advance('2026-01-02');
    expect(await preview(shop, 'Detach', input)).toEqual({
      gaining: 0,
      losing: 2,
      changing: 0,
      unchanged: 1,
      customers: shop.ids.slice(0, 2).map((customerId) => ({
        customerId,
        effect: 'loss',
        at: '2026-02-01T00:00:00.000Z',
        before: '10',
        after: '0',
      })),
    });
  });

  it('reaches a period that begins at the same instant, as it says', async () => {
    const shop = await openPlan('limit', 10, undefined);
    const input = { productId: shop.plan.productId, feature: shop.feature, reach: 'next_period' };
    const { customers } = await preview(shop, 'Detach', input);
    expect(customers[0]).toMatchObject({ at: '2026-01-01T00:00:00.000Z', before: '10', after: '0' });
    await shop.detach(shop.plan, shop.feature, { reach: 'next_period' });
    expect(await shop.check(shop.feature, 1, { customerId: shop.ids[0] })).toMatchObject({ limit: '0' });
  });

  it('leaves out who will have left by then', async () => {
    const shop = await openFeatureShop(app);
    const feature = await shop.feature('limit');
    const plan = await shop.plan(20);
    await shop.attach(plan, feature, 10);
    const id = await shop.order(plan);
    await shop.client.graphql(
      'mutation ($id: ID!) { cancelSubscription(id: $id, input: { atPeriodEnd: true }) { id } }',
      { id },
    );
    await shop.advance('2026-01-02');
    const input = { productId: plan.productId, feature, reach: 'next_period' };
    expect(await preview(shop, 'Detach', input)).toMatchObject({ losing: 0, unchanged: 1 });
    expect(await preview(shop, 'Detach', { ...input, reach: 'now' })).toMatchObject({
      losing: 1,
      unchanged: 0,
    });
  });
});
