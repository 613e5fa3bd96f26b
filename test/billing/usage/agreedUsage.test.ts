/** That every preview is the bill, and nothing is billed twice, with random terms, own terms, thresholds and commitments. */
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBillFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

const log = pino({ level: 'silent' });
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const afn = (amount: number) => ({ amount, currency: 'afn' });
const models: Record<string, object> = {
  per_unit: { details: { decimal: '0.137', currency: 'afn' } },
  graduated: {
    model: 'graduated',
    details: afn(0),
    tiers: [{ upTo: '100', unitAmount: '0.13', flatAmount: '2' }, { unitAmount: '0.07' }],
  },
  package: { model: 'package', details: afn(3), packageSize: 50 },
  rates: {
    details: { decimal: '0.01', currency: 'afn' },
    rates: [{ match: { model: 'a' }, unitAmount: '0.2' }],
  },
};
const own: Record<string, object> = {
  units: { includedUnits: '40' },
  minimum: { minimumSpend: afn(25), maximumSpend: null },
  maximum: { maximumSpend: afn(15), minimumSpend: null },
  volume: { model: 'volume', tiers: [{ upTo: '60', unitAmount: '0.2' }, { unitAmount: '0.1' }] },
  percentage: { percentage: { percent: '3', fixedPerEvent: '0.05' }, includedUnits: null },
};
const step = fc.oneof(
  fc.record({
    kind: fc.constant('use' as const),
    units: fc.integer({ min: 1, max: 900 }).map((units) => units / 8),
    model: fc.constantFrom('a', 'b'),
    daysAgo: fc.integer({ min: 0, max: 20 }),
  }),
  fc.record({
    kind: fc.constant('override' as const),
    terms: fc.constantFrom(...Object.keys(own)),
    isOfCustomer: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('remove' as const) }),
  fc.record({ kind: fc.constant('advance' as const), days: fc.integer({ min: 1, max: 19 }) }),
);
const life = fc.record({
  model: fc.constantFrom(...Object.keys(models)),
  included: fc.option(fc.integer({ min: 1, max: 80 })),
  minimum: fc.option(fc.integer({ min: 1, max: 30 })),
  threshold: fc.option(fc.integer({ min: 5, max: 60 })),
  commitment: fc.option(
    fc.record({
      amount: fc.integer({ min: 5, max: 80 }),
      period: fc.integer({ min: 1, max: 2 }),
      overageFactor: fc.constantFrom('1', '1.5', '2'),
      trueUp: fc.boolean(),
    }),
  ),
  steps: fc.array(step, { minLength: 4, maxLength: 14 }),
  ends: fc.boolean(),
});

const day = (instant: string, days: number) =>
  new Date(Date.parse(instant) + days * 86_400_000).toISOString();

/** Advances to the end of each period, and compares its bill with what was announced just before. */
async function advanceComparing(shop: UsageShop, id: string, to: string): Promise<void> {
  for (;;) {
    const { nextBillingDate } = await shop.subscription(id);
    if (nextBillingDate > to) break;
    await runDueWork(app.service, log);
    const announced = await shop.currentUsage(id);
    await shop.advance(nextBillingDate);
    const invoices = await shop.invoices(id);
    const cycle = invoices.findLast(({ billingReason }) => billingReason === 'cycle');
    expect(cycle.total.amount, JSON.stringify(announced)).toBe(announced.total);
    expect(cycle.lines).toHaveLength(announced.lines.length);
  }
  await shop.advance(to);
}

it('bills what was announced, for any agreement', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ model, included, minimum, threshold, commitment, steps, ends }) => {
      const shop = await openUsageShop(app);
      const meterId = await shop.meter();
      const price = await shop.plan(0, {
        name: 'Calls',
        price: {
          ...models[model],
          meterId,
          ...(included !== null && { includedUnits: String(included) }),
          ...(minimum !== null && { minimumSpend: afn(minimum) }),
        },
      });
      const id = await shop.order(price, {
        ...(threshold !== null && { billingThreshold: afn(threshold) }),
        ...(commitment && { commitment: { ...commitment, amount: afn(commitment.amount) } }),
      });
      let now = '2026-01-01T00:00:00.000Z';
      const overrides: string[] = [];
      for (const each of steps) {
        if (each.kind === 'advance') {
          const to = day(now, each.days);
          await advanceComparing(shop, id, to);
          now = to;
        } else if (each.kind === 'use') {
          const at = day(now, -each.daysAgo);
          await shop.use([at < '2026-01-01' ? '2026-01-01' : at, each.units, { model: each.model }]);
          await runDueWork(app.service, log);
        } else if (each.kind === 'override') {
          const owner = each.isOfCustomer ? { customerId: shop.customer.id } : { subscriptionId: id };
          const { overrideUsagePrice } = await shop.client.graphql(
            'mutation ($input: OverrideUsagePriceInput!) { overrideUsagePrice(input: $input) { id } }',
            { input: { ...owner, priceId: price.id, ...own[each.terms] } },
          );
          overrides.push(overrideUsagePrice.id);
        } else if (overrides.length > 0)
          await shop.client.graphql('mutation ($id: ID!) { removeUsagePriceOverride(id: $id) { id } }', {
            id: overrides.pop(),
          });
      }
      await advanceComparing(shop, id, day(now, 31));
      if (ends) {
        const { previewCancellation } = await shop.client.graphql(
          `{ previewCancellation(subscriptionId: "${id}") { total { amount } lines { kind } } }`,
        );
        await shop.run('cancelSubscription(id: $id, input: {})', id);
        const last = (await shop.invoices(id)).at(-1);
        if (previewCancellation.lines.length > 0)
          expect([last.billingReason, last.total.amount]).toEqual([
            'subscription_end',
            previewCancellation.total.amount,
          ]);
      }
      await runDueWork(app.service, log);
      expect(await findBillFaults(app, shop.alias)).toEqual([]);
    }),
    { numRuns: 12 },
  );
});
