/** Usage that is billed as soon as it reaches a threshold: once, and nothing twice at the end of the period. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

const log = pino({ level: 'silent' });
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const afn = (amount: number, currency = 'afn') => ({ amount, currency });

/** A subscription to usage at 1 a unit, from 2026-01-01, with a threshold. */
async function openLimited(billingThreshold: object | undefined = afn(100), price: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const plan = await shop.plan(0, { name: 'Calls', price: { details: afn(1), meterId, ...price } });
  const id = await shop.order(plan, { billingThreshold });
  return { ...shop, meterId, price: plan, id };
}
type Limited = Awaited<ReturnType<typeof openLimited>>;

/** Lets the scheduler bill what is due now. */
const work = () => runDueWork(app.service, log);
const setThreshold = async ({ client, id }: Limited, billingThreshold: object | null) =>
  (
    await client.post(
      `mutation ($id: ID!, $input: UpdateSubscriptionInput!) {
        updateSubscription(id: $id, input: $input) { billingThreshold { decimal } }
      }`,
      { id, input: { billingThreshold } },
    )
  ).body;
const expectSound = async ({ alias }: UsageShop) => expect(await findFaults(app, alias)).toEqual([]);
const first = '2026-01-01 paid 0';

describe('a threshold', () => {
  it('bills the usage so far when it is reached, and the rest at the end of the period', async () => {
    const shop = await openLimited();
    await shop.advance('2026-01-10');
    await shop.use(['2026-01-05', 99.99]);
    await work();
    expect(await shop.bills(shop.id)).toEqual([first]);
    await shop.use(['2026-01-10', '0.01']);
    await work();
    expect(await shop.bills(shop.id)).toEqual([first, '2026-01-10 paid 100']);
    expect((await shop.lastBill(shop.id)).lines).toEqual([
      'usage 100 2026-01-01/2026-02-01 Calls, usage so far',
    ]);
    expect((await shop.invoices(shop.id)).at(-1).billingReason).toBe('usage_threshold');
    await shop.use(['2026-01-10', 150]);
    await work();
    await shop.use(['2026-01-10', 30]);
    await work();
    const announced = await shop.currentUsage(shop.id);
    expect(announced.lines.slice(1)).toEqual(['usage 30 2026-01-01/2026-02-01 Calls, usage']);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    await shop.use(['2026-01-31', 5]);
    await work();
    await shop.advance('2026-03-01');
    expect((await shop.bills(shop.id)).slice(2)).toEqual([
      '2026-01-10 paid 150',
      '2026-02-01 paid 30',
      '2026-03-01 paid 5',
    ]);
    await expectSound(shop);
  });

  it('counts tiers, included units and the minimum over the whole period', async () => {
    const shop = await openLimited(afn(50), {
      model: 'graduated',
      details: afn(0),
      tiers: [{ upTo: '100', unitAmount: '1' }, { unitAmount: '0.5' }],
      includedUnits: '20',
      minimumSpend: afn(200),
    });
    await shop.use(['2026-01-01', 80]);
    await work();
    await shop.use(['2026-01-01', 160]);
    await work();
    expect((await shop.bills(shop.id)).slice(1)).toEqual(['2026-01-01 paid 60', '2026-01-01 paid 100']);
    await shop.use(['2026-01-01', 40]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced.lines.slice(1)).toEqual([
      'usage 20 2026-01-01/2026-02-01 Calls, usage',
      'usage 20 2026-01-01/2026-02-01 Calls, minimum',
    ]);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    await expectSound(shop);
  });

  it('of 7,000 with a credit of 7,600 and usage of 8,000 leaves 400 owed and no credit', async () => {
    const shop = await openLimited(afn(7000));
    const credit = { customerId: shop.customer.id, amount: afn(7600), reason: 'Prepaid' };
    await shop.client.graphql('mutation ($input: GrantCreditInput!) { grantCredit(input: $input) { id } }', {
      input: credit,
    });
    await shop.use(['2026-01-01', 8000]);
    await work();
    expect((await shop.bills(shop.id)).at(-1)).toBe('2026-01-01 paid 400');
    expect(await shop.credits(shop.customer)).toEqual([0n]);
    await shop.advance('2026-02-01');
    expect((await shop.bills(shop.id)).at(-1)).toBe('2026-02-01 paid 0');
    await expectSound(shop);
  });

  it('bills once for 50 recordings at the same time, beside several schedulers', async () => {
    const shop = await openLimited(afn(1000));
    await Promise.all([
      ...Array.from({ length: 50 }, () => shop.use(['2026-01-01', 20])),
      ...Array.from({ length: 8 }, work),
    ]);
    await Promise.all(Array.from({ length: 8 }, work));
    expect((await shop.bills(shop.id)).slice(1)).toEqual(['2026-01-01 paid 1000']);
    await shop.advance('2026-02-01');
    expect((await shop.bills(shop.id)).at(-1)).toBe('2026-02-01 paid 0');
    await expectSound(shop);
  });

  it.runIf(engine === 'postgres')('bills once on two gateways', async () => {
    const shop = await openLimited(afn(1000));
    const other = await createApp(
      readConfig(
        { database: app.database, logLevel: 'silent', secretKey: testSecretKey, testMails: 'off' },
        {},
      ),
      { scheduler: false },
    );
    const workThere = () => runDueWork(other.service, log);
    // A scheduler that waits for a lock for too long continues in its next round.
    await Promise.allSettled([
      ...Array.from({ length: 50 }, () => shop.use(['2026-01-01', 20])),
      ...Array.from({ length: 3 }, () => [work(), workThere()]).flat(),
    ]).then(([...recordings]) =>
      expect(recordings.slice(0, 50).map(({ status }) => status)).not.toContain('rejected'),
    );
    await Promise.allSettled([work(), workThere()]);
    await work();
    await workThere();
    await other.close();
    expect((await shop.bills(shop.id)).slice(1)).toEqual(['2026-01-01 paid 1000']);
    await expectSound(shop);
  });

  it('is checked again after a crash between the recording and the bill', async () => {
    const shop = await openLimited();
    await shop.use(['2026-01-01', 100]);
    expect(await shop.bills(shop.id)).toEqual([first]);
    await shop.advance('2026-01-01');
    expect((await shop.bills(shop.id)).slice(1)).toEqual(['2026-01-01 paid 100']);
    await expectSound(shop);
  });

  it('that is set, lowered or taken off counts at once', async () => {
    const shop = await openLimited(afn(500));
    await shop.use(['2026-01-01', 120]);
    expect(await setThreshold(shop, afn(100))).toEqual({
      data: { updateSubscription: { billingThreshold: { decimal: '100.00' } } },
    });
    await work();
    expect((await shop.bills(shop.id)).slice(1)).toEqual(['2026-01-01 paid 120']);
    await setThreshold(shop, null);
    await shop.use(['2026-01-01', 1000]);
    await work();
    expect(await shop.bills(shop.id)).toHaveLength(2);
    await expectSound(shop);
  });

  it('is refused unless it is an amount above 0 in the currency of a subscription that goes on', async () => {
    const shop = await openLimited();
    const refusals: [object, string][] = [
      [afn(0), 'validation_failed billingThreshold'],
      [afn(-1), 'validation_failed billingThreshold.amount'],
      [afn(1, 'usd'), 'currency_mismatch billingThreshold.currency'],
      [{ decimal: '1.001', currency: 'afn' }, 'amount_precision billingThreshold.decimal'],
      [{ currency: 'afn' }, 'validation_failed billingThreshold'],
      [{ decimal: `1${'0'.repeat(17)}`, currency: 'afn' }, 'validation_failed billingThreshold.decimal'],
    ];
    for (const [threshold, expected] of refusals) {
      const { reason, issues } = (await setThreshold(shop, threshold)).errors[0].extensions;
      expect(`${reason} ${issues[0].path}`, JSON.stringify(threshold)).toBe(expected);
    }
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    expect((await setThreshold(shop, afn(5))).errors[0].extensions.reason).toBe('subscription_not_active');
  });

  it('whose invoice is voided or unpaid bills nothing twice', async () => {
    const shop = await openLimited();
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await shop.use(['2026-01-01', 100]);
    await work();
    const [draft] = (await shop.invoices(shop.id)).slice(-1);
    expect(draft.status).toBe('draft');
    await shop.use(['2026-01-01', 40]);
    await shop.client.graphql('mutation ($id: ID!) { voidInvoice(id: $id) { status } }', { id: draft.id });
    await work();
    await shop.advance('2026-02-02');
    const totals = (await shop.bills(shop.id)).filter((bill) => bill.includes(' paid '));
    expect(totals.reduce((sum, bill) => sum + Number(bill.split(' ')[2]), 0)).toBe(140);
    await expectSound(shop);
  });

  it('whose invoice is a draft when its customer is deleted is awaited by bank transfer', async () => {
    const shop = await openLimited();
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await shop.use(['2026-01-01', 100]);
    await work();
    await shop.client.graphql(`mutation { deleteCustomer(id: "${shop.customer.id}") { id } }`);
    await work();
    const [last] = (await shop.invoices(shop.id)).slice(-1);
    expect([last.billingReason, last.status, last.total.amount]).toEqual(['usage_threshold', 'open', 100]);
    await expectSound(shop);
  });

  it('leaves the rest of a cancelled period to the final invoice, as previewed', async () => {
    const shop = await openLimited();
    await shop.use(['2026-01-01', 130]);
    await work();
    await shop.use(['2026-01-01', 20]);
    await shop.advance('2026-01-10');
    const { previewCancellation } = await shop.client.graphql(
      `{ previewCancellation(subscriptionId: "${shop.id}") { total { amount } } }`,
    );
    expect(previewCancellation.total.amount).toBe(20);
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    expect((await shop.lastBill(shop.id)).total).toBe(20);
    await expectSound(shop);
  });
});
