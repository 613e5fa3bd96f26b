/** A customer's own terms of a price of usage: what they refuse, from when they hold, and that all bills follow them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const termFields = `id customerId subscriptionId priceId startsAt endsAt model unitPrice { decimal } packageSize
  tiers { upTo unitAmount } rates { match unitAmount } percentage { percent } includedUnits
  minimumSpend { decimal } maximumSpend { decimal }`;
const document = `mutation ($input: OverrideUsagePriceInput!) { overrideUsagePrice(input: $input) { ${termFields} } }`;
const afn = (amount: number) => ({ amount, currency: 'afn' });

/** A subscription to usage alone, from 2026-01-01. */
async function openMetered(price: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const plan = await shop.plan(0, { name: 'Calls', price: { details: afn(1), meterId, ...price } });
  const id = await shop.subscribe(shop.customer, plan);
  return { ...shop, meterId, price: plan, id };
}
type Metered = Awaited<ReturnType<typeof openMetered>>;

const override = async ({ client }: UsageShop, input: object) =>
  (await client.graphql(document, { input })).overrideUsagePrice;
const remove = async ({ client }: UsageShop, id: string) =>
  (
    await client.graphql('mutation ($id: ID!) { removeUsagePriceOverride(id: $id) { id startsAt endsAt } }', {
      id,
    })
  ).removeUsagePriceOverride;
const refusal = async ({ client }: UsageShop, input: object) => {
  const { body } = await client.post(document, { input });
  const { reason, issues = [] } = body.errors[0].extensions;
  return `${reason} ${issues.map(({ path }: any) => path).join()}`;
};
const ofSubscription = ({ id, price }: Metered) => ({ subscriptionId: id, priceId: price.id });
const expectSound = async ({ alias }: UsageShop) => expect(await findFaults(app, alias)).toEqual([]);

describe('own terms', () => {
  it('are those of the price, but for what is given', async () => {
    const rates = [{ match: { model: 'a' }, unitAmount: '0.2' }];
    const shop = await openMetered({ rates, includedUnits: '10', minimumSpend: afn(3) });
    const own = { customerId: shop.customer.id, priceId: shop.price.id };
    const all = { match: {}, unitAmount: '1.00' };
    const rows: [input: object, expected: object][] = [
      [{ includedUnits: '25' }, { includedUnits: '25', rates: [{ match: { model: 'a' } }, all] }],
      [{ unitAmount: '0.000000000001' }, { rates: [{}, { unitAmount: '0.000000000001' }] }],
      [{ rates: null }, { rates: [], unitPrice: { decimal: '1.00' }, includedUnits: '10' }],
      [{ minimumSpend: null }, { minimumSpend: null, includedUnits: '10' }],
      [{ maximumSpend: afn(9) }, { maximumSpend: { decimal: '9.00' }, minimumSpend: { decimal: '3.00' } }],
      [
        { model: 'graduated', tiers: [{ upTo: '5', unitAmount: '2' }, { unitAmount: '1' }] },
        { model: 'graduated', tiers: [{ upTo: '5', unitAmount: '2.00' }, { upTo: null }], rates: [] },
      ],
      [
        { model: 'package', unitAmount: '4', packageSize: 10 },
        { model: 'package', packageSize: 10, unitPrice: { decimal: '4.00' } },
      ],
      [
        { percentage: { percent: '2' }, includedUnits: null },
        { model: 'percentage', percentage: { percent: '2' }, includedUnits: null },
      ],
    ];
    for (const [input, expected] of rows)
      expect(await override(shop, { ...own, ...input })).toMatchObject({ ...own, endsAt: null, ...expected });
  });

  it('are refused where they make no price, name nothing of this tenant, or would change what was billed', async () => {
    const shop = await openMetered();
    const other = await openMetered();
    const flat = await shop.plan(5);
    const own = ofSubscription(shop);
    const customerId = shop.customer.id;
    const priceId = shop.price.id;
    const rows: [input: object, expected: string][] = [
      [{ priceId }, 'validation_failed customerId'],
      [{ ...own, customerId }, 'validation_failed customerId'],
      [{ ...own, subscriptionId: other.id }, 'subscription_not_found '],
      [{ customerId: other.customer.id, priceId }, 'customer_not_found '],
      [{ customerId, priceId: other.price.id }, 'price_not_found '],
      [{ ...own, priceId: flat.id }, 'price_not_found priceId'],
      [{ customerId, priceId: flat.id }, 'validation_failed priceId'],
      [{ ...own, model: 'flat' }, 'validation_failed model'],
      [{ ...own, model: 'package', packageSize: 5 }, 'validation_failed unitAmount'],
      [{ ...own, model: 'package', unitAmount: 5 }, 'validation_failed packageSize'],
      [{ ...own, unitAmount: '-1' }, 'validation_failed unitAmount'],
      [{ ...own, includedUnits: '-1' }, 'validation_failed includedUnits'],
      [{ ...own, minimumSpend: { amount: 1, currency: 'usd' } }, 'validation_failed minimumSpend.currency'],
      [{ ...own, minimumSpend: afn(5), maximumSpend: afn(4) }, 'validation_failed maximumSpend'],
      [
        { ...own, minimumSpend: { decimal: '0.001', currency: 'afn' } },
        'amount_precision minimumSpend.decimal',
      ],
      [
        { ...own, rates: [{ match: { region: 'x' }, unitAmount: 1 }] },
        'validation_failed rates.0.match.region',
      ],
      [{ ...own, tiers: [{ unitAmount: 1 }] }, 'validation_failed tiers'],
      [{ ...own, percentage: { percent: '101' } }, 'validation_failed percentage.percent'],
    ];
    for (const [input, expected] of rows)
      expect(await refusal(shop, input), JSON.stringify(input)).toBe(expected);
    await shop.advance('2026-02-01');
    expect(await refusal(shop, { ...own, unitAmount: 2, startsAt: '2026-01-31' })).toBe(
      'validation_failed startsAt',
    );
    await override(shop, { ...own, unitAmount: 2, startsAt: '2026-02-01' });
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    expect(await refusal(shop, own)).toBe('subscription_not_active subscriptionId');
  });

  it('hold from the beginning of the period, if nothing of it was billed, in every preview and bill', async () => {
    const shop = await openMetered();
    await shop.advance('2026-01-20');
    await shop.use(['2026-01-05', 100], ['2026-01-20', 50]);
    await override(shop, {
      ...ofSubscription(shop),
      startsAt: '2026-01-01',
      unitAmount: '0.5',
      includedUnits: 20,
    });
    const announced = await shop.currentUsage(shop.id);
    expect(announced.total).toBe(65);
    // 150 units in 19 of 31 days are 244.74, of which 20 are included.
    expect(await shop.forecast(shop.id, '2026-02-01')).toEqual(['2026-02-01 112.37']);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    await shop.use(['2026-01-31', 10], ['2026-02-01', 30]);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).lines.slice(1)).toEqual([
      'usage 5 2026-01-01/2026-02-01 Calls, late usage',
      'usage 5 2026-02-01/2026-03-01 Calls, usage',
    ]);
    await expectSound(shop);
  });

  it('divide a period where they begin and end, and stay what they were for late events', async () => {
    const shop = await openMetered();
    await shop.advance('2026-01-11');
    await shop.use(['2026-01-10T23:59:59.999Z', 10], ['2026-01-11', 10]);
    const { id } = await override(shop, { ...ofSubscription(shop), unitAmount: '3' });
    await shop.advance('2026-01-21');
    expect(await remove(shop, id)).toMatchObject({ endsAt: '2026-01-21T00:00:00.000Z' });
    expect(await remove(shop, id)).toMatchObject({ endsAt: '2026-01-21T00:00:00.000Z' });
    await shop.use(['2026-01-21', 7]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced.lines.slice(1)).toEqual([
      'usage 10 2026-01-01/2026-01-11 Calls, usage',
      'usage 30 2026-01-11/2026-01-21 Calls, usage',
      'usage 7 2026-01-21/2026-02-01 Calls, usage',
    ]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    await shop.use(['2026-01-15', 2], ['2026-01-31', 1]);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).total).toBe(7);
    await shop.advance('2026-05-01');
    await expectSound(shop);
  });

  it('of a subscription go before those of its customer, which later subscriptions have, too', async () => {
    const shop = await openMetered();
    const own = { customerId: shop.customer.id, priceId: shop.price.id };
    await override(shop, { ...own, unitAmount: '2' });
    const later = await override(shop, { ...own, unitAmount: '4', startsAt: '2026-02-01' });
    await shop.use(['2026-01-01', 10]);
    expect((await shop.currentUsage(shop.id)).total).toBe(20);
    const first = await override(shop, { ...ofSubscription(shop), unitAmount: '0.1' });
    expect((await shop.currentUsage(shop.id)).total).toBe(1);
    const { subscription } = await shop.client.graphql(
      `query ($id: ID!) { subscription(id: $id) { usagePriceOverrides { id } } }`,
      { id: shop.id },
    );
    expect(subscription.usagePriceOverrides).toHaveLength(3);
    await remove(shop, first.id);
    await remove(shop, later.id);
    expect(await remove(shop, later.id)).toEqual(
      expect.objectContaining({ startsAt: later.startsAt, endsAt: later.startsAt }),
    );
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    const again = await shop.subscribe(shop.customer, shop.price);
    await shop.advance('2026-02-01');
    await shop.use(['2026-01-31', 5], ['2026-02-01', 5]);
    expect((await shop.currentUsage(again)).lines.slice(1)).toEqual([
      'usage 10 2026-01-01/2026-02-01 Calls, late usage',
      'usage 10 2026-02-01/2026-03-01 Calls, usage',
    ]);
    await expectSound(shop);
  });

  it('are billed at the end, by a cancellation as previewed, and by drafts that grow', async () => {
    const shop = await openMetered();
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await override(shop, { ...ofSubscription(shop), minimumSpend: afn(31), startsAt: '2026-01-01' });
    await shop.use(['2026-01-01', 5]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'draft', total: 31 });
    await shop.use(['2026-01-31', 30]);
    await shop.advance('2026-02-02');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'paid', total: 35 });
    await shop.advance('2026-02-15');
    const { previewCancellation } = await shop.client.graphql(
      `{ previewCancellation(subscriptionId: "${shop.id}") { total { amount } } }`,
    );
    expect(previewCancellation.total.amount).toBe(15.5);
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    expect((await shop.lastBill(shop.id)).total).toBe(15.5);
    await expectSound(shop);
  });

  it('leave a trace each, for the customer', async () => {
    const shop = await openMetered();
    const { id } = await override(shop, { ...ofSubscription(shop), includedUnits: '7' });
    await remove(shop, id);
    const { traces } = await shop.client.graphql(
      `{ traces(first: 2, activityType: UsagePriceOverrideEvent) { nodes { payload } } }`,
    );
    expect(traces.nodes.map(({ payload }: any) => payload)).toMatchObject([
      { action: 'removed', resourceId: id, changes: { endsAt: [null, expect.any(String)] } },
      { action: 'created', object: { priceId: shop.price.id, usage: { includedUnits: '7' } } },
    ]);
  });
});
