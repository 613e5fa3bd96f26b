/** Prices of usage: what they refuse, what their meters refuse, and that every preview is the bill for any of them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findBillFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

let app: TestApp;
let shop: UsageShop;
let meterId: string;
let foreignMeter: string;
let productId: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
  shop = await openUsageShop(app);
  meterId = await shop.meter();
  foreignMeter = await (await openUsageShop(app)).meter();
  ({ productId } = await shop.plan(1));
});
afterAll(() => app.close());

const createDocument = `mutation ($input: CreatePricesInput!) { createPrices(input: $input) {
  id model meterId includedUnits minimumSpend { decimal } maximumSpend { decimal } rates { match unitAmount }
  percentage { percent fixedPerEvent freeEvents freeAmount minPerEvent maxPerEvent } details { decimal }
  quote(quantity: 100) { total { decimal } charges { quantity } }
} }`;
const afn = { amount: 0, currency: 'afn' };
const create = (fields: object) =>
  shop.client.post(createDocument, { input: { productId, prices: [{ details: afn, ...fields }] } });
const spend = (amount: number, currency = 'afn') => ({ amount, currency });
const rate = (match: object, unitAmount = '1') => ({ match, unitAmount });

describe('a price of usage', () => {
  const refused: [title: string, fields: () => object, path: string, reason?: string][] = [
    ['without a meter: included units', () => ({ includedUnits: '1' }), 'includedUnits'],
    ['without a meter: a minimum', () => ({ minimumSpend: spend(1) }), 'minimumSpend'],
    ['without a meter: rates', () => ({ model: 'per_unit', rates: [rate({})] }), 'rates'],
    ['without a meter: a percentage', () => ({ percentage: { percent: '1' } }), 'percentage'],
    ['of no meter', () => ({ meterId: 'mtr_none' }), 'meterId', 'meter_not_found'],
    ['of a meter of another tenant', () => ({ meterId: foreignMeter }), 'meterId', 'meter_not_found'],
    ['that is flat', () => ({ meterId, model: 'flat' }), 'model'],
    ['with a quantity', () => ({ meterId, minQuantity: 2 }), 'minQuantity'],
    ['with negative included units', () => ({ meterId, includedUnits: '-1' }), 'includedUnits'],
    [
      'with a minimum above the maximum',
      () => ({ meterId, minimumSpend: spend(2), maximumSpend: spend(1) }),
      'maximumSpend',
    ],
    ['with a maximum of nothing', () => ({ meterId, maximumSpend: spend(0) }), 'maximumSpend'],
    [
      'with a minimum in another currency',
      () => ({ meterId, minimumSpend: spend(2, 'usd') }),
      'minimumSpend.currency',
    ],
    ['with a negative minimum', () => ({ meterId, minimumSpend: spend(-1) }), 'minimumSpend.amount'],
    [
      'with too many decimals',
      () => ({ meterId, minimumSpend: { decimal: '0.001', currency: 'afn' } }),
      'minimumSpend.decimal',
      'amount_precision',
    ],
    [
      'with 101 rates',
      () => ({ meterId, rates: Array.from({ length: 101 }, (_, n) => rate({ model: n })) }),
      'rates',
    ],
    ['with no rates', () => ({ meterId, rates: [] }), 'rates'],
    [
      'with a rate by an unknown property',
      () => ({ meterId, rates: [rate({ region: 'eu' })] }),
      'rates.0.match.region',
    ],
    [
      'with a rate by __proto__',
      () => ({ meterId, rates: [{ unitAmount: '1', match: JSON.parse('{"__proto__":"x"}') }] }),
      'rates.0.match',
    ],
    ['with a rate by an object', () => ({ meterId, rates: [rate({ model: {} })] }), 'rates.0.match.model'],
    [
      'with a long value',
      () => ({ meterId, rates: [rate({ model: 'x'.repeat(501) })] }),
      'rates.0.match.model',
    ],
    [
      'with a rate twice',
      () => ({ meterId, rates: [rate({ model: 1 }), rate({ model: '1' })] }),
      'rates.1.match',
    ],
    [
      'with a rate for all before others',
      () => ({ meterId, rates: [rate({}), rate({ model: 'a' })] }),
      'rates.0.match',
    ],
    ['with two rates for all', () => ({ meterId, details: spend(1), rates: [rate({})] }), 'rates.0.match'],
    ['with a negative rate', () => ({ meterId, rates: [rate({}, '-1')] }), 'rates.0.unitAmount'],
    [
      'with rates and packages',
      () => ({ meterId, model: 'package', packageSize: 5, rates: [rate({})] }),
      'rates',
    ],
    [
      'with a percentage in tiers',
      () => ({ meterId, model: 'graduated', tiers: [{ unitAmount: '1' }], percentage: { percent: '1' } }),
      'percentage',
    ],
    [
      'with a percentage and tiers',
      () => ({ meterId, tiers: [{ unitAmount: '1' }], percentage: { percent: '1' } }),
      'tiers',
    ],
    [
      'with a percentage and included units',
      () => ({ meterId, includedUnits: '1', percentage: { percent: '1' } }),
      'includedUnits',
    ],
    [
      'with a percentage and an amount',
      () => ({ meterId, details: spend(1), percentage: { percent: '1' } }),
      'details.amount',
    ],
    ['of the model percentage without one', () => ({ meterId, model: 'percentage' }), 'percentage'],
    ['with more than 100 %', () => ({ meterId, percentage: { percent: '100.01' } }), 'percentage.percent'],
    [
      'with no free events',
      () => ({ meterId, percentage: { percent: '1', freeEvents: 0 } }),
      'percentage.freeEvents',
    ],
    [
      'with less than the least of an event',
      () => ({ meterId, percentage: { percent: '1', minPerEvent: '2', maxPerEvent: '1' } }),
      'percentage.maxPerEvent',
    ],
  ];
  it.each(refused)('is refused %s', async (_, fields, path, reason = 'validation_failed') => {
    const { body } = await create(fields());
    const [error] = body.errors;
    expect(error.extensions.reason, JSON.stringify(body)).toBe(reason);
    expect(error.extensions.issues.map((issue: any) => issue.path)).toContain(
      `input.prices.0.${path}`.replace(
        'input.',
        error.extensions.issues[0].path.startsWith('input.') ? 'input.' : '',
      ),
    );
  });

  it('shows its terms, and what units cost', async () => {
    const { body } = await create({
      meterId,
      details: { decimal: '0.000000000001', currency: 'afn' },
      includedUnits: '2.50',
      minimumSpend: spend(3),
      maximumSpend: spend(10),
      rates: [rate({ model: true }, '0.1')],
    });
    expect(body.data.createPrices[0]).toMatchObject({
      model: 'per_unit',
      meterId,
      includedUnits: '2.5',
      minimumSpend: { decimal: '3.00' },
      maximumSpend: { decimal: '10.00' },
      rates: [
        { match: { model: 'true' }, unitAmount: '0.10' },
        { match: {}, unitAmount: '0.000000000001' },
      ],
      percentage: null,
      quote: { total: { decimal: '3.00' }, charges: [] },
    });
    const percent = await create({
      meterId,
      percentage: { percent: '2.9', fixedPerEvent: '0.30', freeEvents: 2 },
    });
    expect(percent.body.data.createPrices[0]).toMatchObject({
      model: 'percentage',
      details: { decimal: '0.00' },
      percentage: { percent: '2.9', fixedPerEvent: '0.30', freeEvents: 2, freeAmount: null },
    });
  });

  it('keeps its meter from being archived, as long as it is offered or billed', async () => {
    const own = await openUsageShop(app);
    const id = await own.meter();
    const price = await own.plan(0, { price: { details: spend(1), meterId: id } });
    const subscription = await own.subscribe(own.customer, price);
    const archive = async () =>
      (await own.client.post(`mutation { archiveMeter(id: "${id}") { archivedAt } }`)).body;
    const expectInUse = async () =>
      expect((await archive()).errors[0].extensions.reason).toBe('meter_in_use');
    await expectInUse();
    await own.client.graphql(`mutation { archivePrice(id: "${price.id}") { id } }`);
    await expectInUse();
    await own.run('cancelSubscription(id: $id, input: {})', subscription);
    expect((await archive()).data.archiveMeter.archivedAt).not.toBeNull();
    const unarchive = await own.client.post(`mutation { unarchivePrice(id: "${price.id}") { id } }`);
    expect(unarchive.body.errors[0].extensions.reason).toBe('validation_failed');
  });

  it('is refused beside another one of its meter', async () => {
    const price = await shop.plan(0, { price: { details: spend(1), meterId } });
    const other = await shop.plan(0, { price: { details: spend(2), meterId } });
    const input = {
      customerId: shop.customer.id,
      productId: price.productId,
      priceId: price.id,
      receiptUrl: 'https://example.com',
      addOns: [{ priceId: other.id }],
    };
    const document =
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }';
    const refusal = (await shop.client.post(document, { input })).body.errors[0].extensions;
    expect([refusal.reason, refusal.issues[0].message]).toEqual([
      'validation_failed',
      'bills a meter that another item of the subscription bills',
    ]);
    const many = { ...input, addOns: [], quantity: 2 };
    expect(
      (await shop.client.post(document, { input: many })).body.errors[0].extensions.issues[0].path,
    ).toContain('quantity');
  });
});

/** A random price of usage. */
const anyPrice = fc.record(
  {
    model: fc.constantFrom('per_unit', 'package', 'graduated', 'volume', 'rates', 'percentage'),
    included: fc.option(fc.integer({ min: 0, max: 200 })),
    minimum: fc.option(fc.integer({ min: 0, max: 50 })),
    maximum: fc.option(fc.integer({ min: 60, max: 100 })),
  },
  { requiredKeys: ['model', 'included', 'minimum', 'maximum'] },
);
const anyEvent = fc.record({
  day: fc.integer({ min: 0, max: 44 }),
  minutes: fc.integer({ min: 0, max: 1439 }),
  units: fc.integer({ min: 0, max: 900 }).map((units) => units / 8),
  model: fc.constantFrom('a', 'b', undefined),
});
type AnyPrice = typeof anyPrice extends fc.Arbitrary<infer T> ? T : never;

function toInput({ model, included, minimum, maximum }: AnyPrice): object {
  const tiers = [{ upTo: '100', unitAmount: '0.13', flatAmount: '2' }, { unitAmount: '0.07' }];
  const models: Record<string, object> = {
    per_unit: { details: { decimal: '0.0373', currency: 'afn' } },
    package: { details: spend(3), packageSize: 50 },
    graduated: { model: 'graduated', tiers, details: afn },
    volume: { model: 'volume', tiers, details: afn },
    rates: { details: spend(0), rates: [rate({ model: 'a' }, '0.02'), rate({ model: 'b' }, '0.035')] },
    percentage: {
      details: afn,
      percentage: { percent: '2.9', fixedPerEvent: '0.3', freeEvents: 3, freeAmount: '150' },
    },
  };
  return {
    meterId: '',
    ...(model === 'package' && { model }),
    ...models[model],
    ...(included !== null && model !== 'percentage' && { includedUnits: String(included) }),
    ...(minimum !== null && { minimumSpend: spend(minimum) }),
    ...(maximum !== null && { maximumSpend: spend(maximum) }),
  };
}

const toInstant = (day: number, minutes = 0) =>
  new Date(Date.UTC(2026, 0, 1 + day, 0, minutes)).toISOString();

it('bills what every preview has said, for any price, events and end', { timeout: 120_000 }, async () => {
  const life = fc.record({
    price: anyPrice,
    events: fc.array(anyEvent, { minLength: 1, maxLength: 12 }),
    end: fc.constantFrom('renewal', 'now', 'period_end', 'removed'),
    at: fc.integer({ min: 32, max: 50 }),
    zone: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T10:07:11.123Z'),
  });
  await fc.assert(
    fc.asyncProperty(life, async ({ price, events, end, at, zone }) => {
      const own = await openUsageShop(app, zone);
      const meter = await own.meter();
      const plan = await own.plan(20, { name: 'Plan' });
      const usage = await own.plan(0, { name: 'Calls', price: { ...toInput(price), meterId: meter } });
      const id = await own.order(plan, { addOns: [{ priceId: usage.id }] });
      const sorted = events.toSorted((a, b) => a.day - b.day);
      // The first half is recorded before the bill of January, the rest after it.
      await own.advance(toInstant(30));
      const record = (list: typeof events, latest: number) =>
        own.use(
          ...list.map(({ day, minutes, units, model }): [string, number, object] => [
            toInstant(Math.min(Math.max(day, latest - 33), latest), day === 0 ? 1300 : minutes),
            units,
            model === undefined ? {} : { model },
          ]),
        );
      const early = sorted.slice(0, Math.ceil(sorted.length / 2));
      await record(early, 29);
      const january = await own.currentUsage(id);
      await own.advance(toInstant(at));
      const late = sorted.slice(early.length);
      if (late.length > 0) await record(late, at - 1);
      const bills = await own.bills(id);
      expect(bills[1]).toContain(String(january.total));
      if (end === 'removed')
        await own.client.graphql(
          'mutation ($id: ID!) { changeSubscription(id: $id, input: { addOns: [], billing: charge_now }) { id } }',
          { id },
        );
      if (end === 'now') {
        const { previewCancellation } = await own.client.graphql(
          `{ previewCancellation(subscriptionId: "${id}") { total { amount } lines { kind } } }`,
        );
        await own.run('cancelSubscription(id: $id, input: {})', id);
        const last = await own.lastBill(id);
        if (previewCancellation.lines.length > 0)
          expect([last.status === 'draft' || last.status === 'paid', last.total]).toEqual([
            true,
            previewCancellation.total.amount,
          ]);
        expect(await findBillFaults(app, own.alias)).toEqual([]);
        return;
      }
      if (end === 'period_end')
        await own.run('cancelSubscription(id: $id, input: { atPeriodEnd: true })', id);
      const announced = await own.currentUsage(id);
      await own.advance('2026-03-02');
      const billed = await own.lastBill(id);
      if (announced.total > 0 || end !== 'period_end') expect(billed).toMatchObject(announced);
      expect(await findBillFaults(app, own.alias)).toEqual([]);
    }),
    { numRuns: 8 },
  );
});

it('counts each of 50 recordings beside a renewal once', async () => {
  const own = await openUsageShop(app);
  const meter = await own.meter();
  const price = await own.plan(0, { price: { details: spend(1), meterId: meter } });
  const id = await own.subscribe(own.customer, price);
  await own.advance('2026-01-31T23:59:59.000Z');
  await Promise.all([
    own.advance('2026-02-01'),
    ...Array.from({ length: 50 }, (_, n) => own.use(['2026-01-31', n])),
  ]);
  await own.advance('2026-03-01');
  const lines = (await own.lines(id)).filter((line) => line.startsWith('usage'));
  const january = lines.filter((line) => line.endsWith('2026-01-01/2026-02-01'));
  const sum = january.reduce((total, line) => total + Number(line.split(' ')[1]), 0);
  expect(sum).toBe(1225);
  expect(await findBillFaults(app, own.alias)).toEqual([]);
});
