/** Commitments: what is missing is charged once, units above cost more, and late usage that was paid is not paid twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const afn = (amount: number, currency = 'afn') => ({ amount, currency });

/** A subscription to usage at 1 a unit, from 2026-01-01, with a commitment. */
async function openCommitted(commitment: object | undefined, fields: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const plan = await shop.plan(0, { name: 'Calls', price: { details: afn(1), meterId } });
  const id = await shop.order(plan, { commitment, ...fields });
  return { ...shop, meterId, price: plan, id };
}
type Committed = Awaited<ReturnType<typeof openCommitted>>;

const update = async ({ client, id }: Committed, commitment: object | null) =>
  (
    await client.post(
      `mutation ($id: ID!, $input: UpdateSubscriptionInput!) { updateSubscription(id: $id, input: $input) {
        commitment { amount { decimal } period overageFactor trueUp }
      } }`,
      { id, input: { commitment } },
    )
  ).body;
const expectSound = async ({ alias }: UsageShop) => expect(await findFaults(app, alias)).toEqual([]);

describe('a commitment', () => {
  it('charges what is missing at the end of the period, as announced', async () => {
    const shop = await openCommitted({ amount: afn(100) });
    await shop.use(['2026-01-01', 30]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced).toMatchObject({
      total: 100,
      lines: [
        expect.anything(),
        'usage 30 2026-01-01/2026-02-01 Calls, usage',
        'usage 70 2026-01-01/2026-02-01 Calls, commitment',
      ],
    });
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).total).toBe(100);
    await expectSound(shop);
  });

  it('lets units above it cost more', async () => {
    const shop = await openCommitted({ amount: afn(100), overageFactor: '1.5' });
    await shop.use(['2026-01-01', 130]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced.lines.slice(1)).toEqual([
      'usage 130 2026-01-01/2026-02-01 Calls, usage',
      'usage 15 2026-01-01/2026-02-01 Calls, above the commitment',
    ]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    await shop.use(['2026-01-31', 20], ['2026-02-01', 100]);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).lines.slice(1)).toEqual([
      'usage 20 2026-01-01/2026-02-01 Calls, late usage',
      'usage 100 2026-02-01/2026-03-01 Calls, usage',
      'usage 10 2026-01-01/2026-02-01 Calls, above the commitment',
    ]);
    await expectSound(shop);
  });

  it('does not charge late usage that it has paid', async () => {
    const shop = await openCommitted({ amount: afn(100), overageFactor: '2' });
    await shop.use(['2026-01-01', 80]);
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).total).toBe(100);
    await shop.use(['2026-01-31', 5], ['2026-02-01', 100]);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).lines.slice(1)).toEqual([
      'usage 0 2026-01-01/2026-02-01 Calls, late usage',
      'usage 100 2026-02-01/2026-03-01 Calls, usage',
    ]);
    await shop.use(['2026-01-31', 25], ['2026-03-01', 100]);
    await shop.advance('2026-04-01');
    // 15 of the 25 are paid; the 10 above the commitment cost twice.
    expect((await shop.lastBill(shop.id)).total).toBe(120);
    await shop.advance('2026-06-01');
    await expectSound(shop);
  });

  it('without a true-up charges nothing that is missing', async () => {
    const shop = await openCommitted({ amount: afn(100), trueUp: false, overageFactor: 3 });
    await shop.use(['2026-01-01', 30]);
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).total).toBe(30);
    await expectSound(shop);
  });

  it('of several periods counts the usage of all of them, and charges what is missing with the last', async () => {
    const shop = await openCommitted({ amount: afn(300), period: 3, overageFactor: '2' });
    for (const [month, units] of [
      ['01', 50],
      ['02', 120],
      ['03', 60],
    ] as const) {
      await shop.advance(`2026-${month}-02`);
      await shop.use([`2026-${month}-01`, units]);
    }
    const announced = await shop.currentUsage(shop.id);
    await shop.advance('2026-04-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    expect((await shop.bills(shop.id)).map((bill) => Number(bill.split(' ')[2]))).toEqual([0, 50, 120, 130]);
    await shop.use(['2026-04-01', 400]);
    await shop.advance('2026-05-01');
    expect((await shop.lastBill(shop.id)).total).toBe(500);
    await expectSound(shop);
  });

  it('that is cut off by a cancellation is shared by time, as previewed', async () => {
    const shop = await openCommitted({ amount: afn(310) });
    await shop.use(['2026-01-01', 30]);
    await shop.advance('2026-01-11');
    const { previewCancellation } = await shop.client.graphql(
      `{ previewCancellation(subscriptionId: "${shop.id}") { total { amount } } }`,
    );
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    expect((await shop.lastBill(shop.id)).total).toBe(100);
    expect(previewCancellation.total.amount).toBe(100);
    await shop.advance('2026-01-12');
    expect((await shop.bills(shop.id)).at(-1)).toBe('2026-01-11 paid 100');
    await expectSound(shop);
  });

  it('counts again in a draft that grows, and after a void', async () => {
    const shop = await openCommitted({ amount: afn(100), overageFactor: '2' });
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await shop.use(['2026-01-01', 80]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'draft', total: 100 });
    await shop.use(['2026-01-31', 50]);
    await shop.advance('2026-02-02');
    expect(await shop.lastBill(shop.id)).toMatchObject({ status: 'paid', total: 160 });
    await expectSound(shop);
  });

  it('can be set, changed and taken off, from the beginning of the period', async () => {
    const shop = await openCommitted(undefined);
    await shop.use(['2026-01-01', 30]);
    await shop.advance('2026-01-10');
    expect(await update(shop, { amount: afn(50) })).toEqual({
      data: {
        updateSubscription: {
          commitment: { amount: { decimal: '50.00' }, period: 1, overageFactor: '1', trueUp: true },
        },
      },
    });
    expect((await shop.currentUsage(shop.id)).total).toBe(50);
    await update(shop, { amount: afn(80), overageFactor: '1.25' });
    expect((await shop.currentUsage(shop.id)).total).toBe(80);
    await update(shop, null);
    expect((await shop.currentUsage(shop.id)).total).toBe(30);
    await update(shop, { amount: afn(20), overageFactor: '1.5' });
    await shop.advance('2026-02-01');
    expect((await shop.lastBill(shop.id)).total).toBe(35);
    await expectSound(shop);
  });

  it('is refused with wrong amounts, periods and factors, and without a price of usage', async () => {
    const shop = await openCommitted(undefined);
    const flat = await shop.plan(5);
    const refusals: [object, string][] = [
      [{ amount: afn(0) }, 'validation_failed commitment.amount'],
      [{ amount: afn(-5) }, 'validation_failed commitment.amount.amount'],
      [{ amount: afn(5, 'usd') }, 'currency_mismatch commitment.amount.currency'],
      [{ amount: afn(5), period: 0 }, 'validation_failed commitment.period'],
      [{ amount: afn(5), period: 37 }, 'validation_failed commitment.period'],
      [{ amount: afn(5), overageFactor: '0.99' }, 'validation_failed commitment.overageFactor'],
      [{ amount: afn(5), overageFactor: '101' }, 'validation_failed commitment.overageFactor'],
    ];
    for (const [commitment, expected] of refusals) {
      const { reason, issues } = (await update(shop, commitment)).errors[0].extensions;
      expect(`${reason} ${issues[0].path}`, JSON.stringify(commitment)).toBe(expected);
    }
    await expect(shop.order(flat, { commitment: { amount: afn(5) } })).rejects.toThrow(/commitment/);
  });

  it('is shown before an order by its next invoice', async () => {
    const shop = await openCommitted(undefined);
    const other = await shop.plan(0, {
      name: 'More',
      price: { details: afn(1), meterId: await shop.meter() },
    });
    const { previewSubscription } = await shop.client.graphql(
      `query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) { nextInvoice { total { amount } } } }`,
      {
        input: {
          customerId: shop.customer.id,
          productId: other.productId,
          priceId: other.id,
          commitment: { amount: afn(75) },
        },
      },
    );
    expect(previewSubscription.nextInvoice.total.amount).toBe(75);
  });
});
