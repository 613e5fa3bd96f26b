/** Events that tell when the usage of a subscription has cost an amount: once each in a period. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startApp, testSecretKey, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop } from './shop.ts';

const log = pino({ level: 'silent' });
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const afn = (amount: number, currency = 'afn') => ({ amount, currency });
const work = () => runDueWork(app.service, log);

/** A subscription to usage at 1 a unit, from 2026-01-01, with alerts. */
async function open(amounts: number[] = [50, 100], order: object = {}, price: object = {}) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const plan = await shop.plan(0, { name: 'Calls', price: { details: afn(1), meterId, ...price } });
  const id = await shop.order(plan, order);
  const opened = { ...shop, meterId, price: plan, id };
  if (amounts.length > 0)
    await set(
      opened,
      amounts.map((amount) => afn(amount)),
    );
  await work();
  return opened;
}
type Shop = Awaited<ReturnType<typeof open>>;

async function set({ client, id }: Pick<Shop, 'client' | 'id'>, spendAlerts: object[] | null): Promise<any> {
  const document = `mutation ($id: ID!, $input: UpdateSubscriptionInput!) {
    updateSubscription(id: $id, input: $input) { spendAlerts { decimal } spendAlerted { decimal } }
  }`;
  const { body } = await client.post(document, { id, input: { spendAlerts } });
  const error = body.errors?.[0]?.extensions;
  return error ? `${error.reason} ${error.issues?.[0]?.path}` : body.data.updateSubscription;
}

const readAlerts = async ({ client, id }: Shop) =>
  (
    await client.graphql(
      'query ($id: ID!) { subscription(id: $id) { spendAlerts { decimal } spendAlerted { decimal } } }',
      { id },
    )
  ).subscription;

/** The events that were told, in order: `50 of 60 from 2026-01-01`. */
async function listTold({ client }: Pick<Shop, 'client'>): Promise<string[]> {
  const { traces } = await client.graphql(
    '{ traces(activityType: SubscriptionEvent, order: ASC, first: 100) { nodes { event { type details } } } }',
  );
  return traces.nodes
    .filter(({ event }: any) => event.type === 'SubscriptionEvent.spend_alert')
    .map(({ event: { details: d } }: any) => `${d.amount} of ${d.spent} from ${d.periodStart.slice(0, 10)}`);
}

const amountsTold = async (shop: Pick<Shop, 'client'>) =>
  (await listTold(shop)).map((text) => Number(text.split(' ')[0]));

const expectSound = async ({ alias }: Shop) => expect(await findFaults(app, alias)).toEqual([]);

describe('an alert of an amount', () => {
  it.each<[string, number[], (number | string)[], string[]]>([
    ['just below it', [50], ['49.99'], []],
    ['exactly at it', [50], ['49.99', '0.01'], ['50 of 50 from 2026-01-01']],
    ['each by itself', [50, 100], [60, 60], ['50 of 60 from 2026-01-01', '100 of 120 from 2026-01-01']],
    [
      'all at once, the lowest first',
      [100, 50, 100],
      [150],
      ['50 of 150 from 2026-01-01', '100 of 150 from 2026-01-01'],
    ],
    ['usage that goes on', [50], [60, 10, 100], ['50 of 60 from 2026-01-01']],
    ['no alerts', [], [200], []],
  ])('tells of %s', async (_, amounts, uses, expected) => {
    const shop = await open(amounts);
    for (const units of uses) {
      await shop.use(['2026-01-01', units]);
      await work();
    }
    expect(await listTold(shop)).toEqual(expected);
    await expectSound(shop);
  });

  it('tells again in the next period, and not again after usage was taken back', async () => {
    const shop = await open();
    const ids = await shop.use(['2026-01-01', 60]);
    await work();
    expect(await readAlerts(shop)).toEqual({
      spendAlerts: [{ decimal: '50.00' }, { decimal: '100.00' }],
      spendAlerted: { decimal: '50.00' },
    });
    await shop.voidUsage(ids);
    await work();
    await shop.use(['2026-01-01', 55]);
    await work();
    expect(await amountsTold(shop)).toEqual([50]);
    await shop.advance('2026-02-10');
    expect((await readAlerts(shop)).spendAlerted).toBeNull();
    await shop.use(['2026-02-10', 70]);
    // Usage of the period before belongs to that.
    await shop.use(['2026-01-20', 500]);
    await work();
    expect(await listTold(shop)).toEqual(['50 of 60 from 2026-01-01', '50 of 70 from 2026-02-01']);
    await expectSound(shop);
  });

  it('counts what a threshold has billed in the period, and no discount or credit', async () => {
    const shop = await open([150], { billingThreshold: afn(100) });
    const input = { customerId: shop.customer.id, name: 'Gift', amount: afn(40), category: 'promotional' };
    await shop.client.graphql(
      'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }',
      { input },
    );
    await shop.use(['2026-01-01', 110]);
    await work();
    expect(await shop.bills(shop.id)).toHaveLength(2);
    expect(await amountsTold(shop)).toEqual([]);
    await shop.use(['2026-01-01', 40]);
    await work();
    expect(await listTold(shop)).toEqual(['150 of 150 from 2026-01-01']);
    await expectSound(shop);
  });

  it('adds up the prices of a subscription, without the units that are included', async () => {
    const shop = await open([], {}, { includedUnits: '100' });
    const other = await shop.meter({ event: 'call', groupBy: [] });
    const addOn = await shop.plan(0, { name: 'More', price: { details: afn(2), meterId: other } });
    const added = await shop.shop.customer();
    const id = await shop.order(shop.price, { customerId: added.id, addOns: [{ priceId: addOn.id }] });
    await set({ ...shop, id }, [afn(30)]);
    const use = (event: string, units: string) =>
      shop.client.graphql(
        'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
        { events: [{ id: `${event}-${units}`, event, customerId: added.id, properties: { units } }] },
      );
    await use('use', '110');
    await use('call', '9.99');
    await work();
    expect(await amountsTold(shop)).toEqual([]);
    await use('call', '0.01');
    await work();
    expect(await listTold(shop)).toEqual(['30 of 30 from 2026-01-01']);
  });

  it('is compared when it is set, with the units of the next period when that begins, and once told is told', async () => {
    const shop = await open([]);
    await shop.use(['2026-01-01', 80]);
    await work();
    expect(await set(shop, [afn(70), afn(90)])).toMatchObject({ spendAlerted: null });
    await work();
    expect(await amountsTold(shop)).toEqual([70]);
    // A lower amount than one that was told is not told.
    await set(shop, [afn(60), afn(90)]);
    await work();
    expect(await amountsTold(shop)).toEqual([70]);
    await shop.advance('2026-01-31T23:58:00.000Z');
    await shop.use(['2026-02-01T00:00:00.000Z', 65]);
    await work();
    expect(await amountsTold(shop)).toEqual([70]);
    await shop.advance('2026-02-01T00:00:01.000Z');
    expect(await listTold(shop)).toEqual(['70 of 80 from 2026-01-01', '60 of 65 from 2026-02-01']);
    await set(shop, null);
    await shop.use(['2026-02-01', 500]);
    await work();
    expect(await amountsTold(shop)).toEqual([70, 60]);
  });

  it('does not count the free usage of a trial', async () => {
    const shop = await open([50], {}, { trialDays: 10 });
    await shop.use(['2026-01-01', 80]);
    await work();
    expect(await amountsTold(shop)).toEqual([]);
    await shop.advance('2026-01-12');
    await shop.use(['2026-01-12', 50]);
    await work();
    expect(await listTold(shop)).toEqual(['50 of 50 from 2026-01-11']);
  });

  it('tells of usage that costs more than an invoice can charge, and holds up no other customer', async () => {
    const shop = await open([50], {}, { details: afn(100_000) });
    await shop.use(['2026-01-01', `1${'0'.repeat(12)}`]);
    const other = await open([50]);
    await other.use(['2026-01-01', 50]);
    await work();
    expect(await amountsTold(shop)).toEqual([50]);
    expect(await amountsTold(other)).toEqual([50]);
  });

  it('tells once for 50 recordings at the same time, beside several schedulers', async () => {
    const shop = await open();
    await Promise.all([
      ...Array.from({ length: 50 }, () => shop.use(['2026-01-01', 2])),
      ...Array.from({ length: 8 }, work),
    ]);
    await Promise.all(Array.from({ length: 8 }, work));
    expect(await amountsTold(shop)).toEqual([50, 100]);
    await expectSound(shop);
  });

  it.runIf(engine === 'postgres')('tells once on two gateways', async () => {
    const shop = await open();
    const config = { database: app.database, logLevel: 'silent', secretKey: testSecretKey, testMails: 'off' };
    const other = await createApp(readConfig(config, {}), { scheduler: false });
    const workThere = () => runDueWork(other.service, log);
    await Promise.allSettled([
      ...Array.from({ length: 50 }, () => shop.use(['2026-01-01', 2])),
      ...Array.from({ length: 3 }, () => [work(), workThere()]).flat(),
    ]);
    await Promise.allSettled([work(), workThere()]);
    await work();
    await workThere();
    await other.close();
    expect(await amountsTold(shop)).toEqual([50, 100]);
  });

  it('is compared after a crash between the recording and the event', async () => {
    const shop = await open();
    await shop.use(['2026-01-01', 80]);
    expect(await amountsTold(shop)).toEqual([]);
    await shop.advance('2026-01-01');
    expect(await amountsTold(shop)).toEqual([50]);
  });
});

describe('the setting', () => {
  it('keeps distinct amounts in order, is in traces, and is emptied by null and by an empty list', async () => {
    const shop = await open([100, 50, 50]);
    expect((await readAlerts(shop)).spendAlerts).toEqual([{ decimal: '50.00' }, { decimal: '100.00' }]);
    const { traces } = await shop.client.graphql(
      '{ traces(activityType: SubscriptionEvent, first: 1) { nodes { payload } } }',
    );
    expect(traces.nodes[0].payload).toMatchObject({
      action: 'updated',
      object: { spendAlerts: [afn(50), afn(100)] },
    });
    expect(await set(shop, [])).toEqual({ spendAlerts: [], spendAlerted: null });
    expect(await set(shop, null)).toEqual({ spendAlerts: [], spendAlerted: null });
  });

  it('is taken by an order, also by REST, and refused there as later', async () => {
    const shop = await open([], { spendAlerts: [afn(100), afn(50)] });
    expect(await readAlerts(shop)).toMatchObject({
      spendAlerts: [{ decimal: '50.00' }, { decimal: '100.00' }],
    });
    await shop.use(['2026-01-01', 60]);
    await work();
    expect(await listTold(shop)).toEqual(['50 of 60 from 2026-01-01']);
    const customer = await shop.shop.customer({ associatedId: `rest-${shop.alias}` });
    const order = (spendAlerts: unknown) =>
      shop.client.rest('POST', '/subscriptions/intent', {
        tenantAlias: shop.alias,
        customerId: customer.id,
        associatedCustomerId: `rest-${shop.alias}`,
        productId: shop.price.productId,
        priceId: shop.price.id,
        receiptUrl: 'https://example.com',
        spendAlerts,
      });
    const { body } = await order([afn(7)]);
    const { intent } = await shop.client.graphql(
      'query ($id: ID!) { intent(id: $id) { spendAlerts { decimal currency } } }',
      { id: body.intentId },
    );
    expect(intent.spendAlerts).toEqual([{ decimal: '7.00', currency: 'afn' }]);
    for (const [amounts, path] of [
      [[afn(0)], 'spendAlerts.0'],
      [[afn(1, 'usd')], 'spendAlerts.0.currency'],
      [[1, 2, 3, 4, 5, 6].map((amount) => afn(amount)), 'spendAlerts'],
      [[{ decimal: '1e300', currency: 'afn' }], 'spendAlerts.0.decimal'],
      [[{ decimal: '0.0000000000001', currency: 'afn' }], 'spendAlerts.0.decimal'],
      ['__proto__', 'spendAlerts'],
    ] as const) {
      const refused = await order(amounts);
      expect([refused.status < 500, refused.body.cause.issues[0].path]).toEqual([true, path]);
    }
    await expectSound(shop);
  });

  it('of a subscription without usage lets the clock go on', async () => {
    const shop = await open([]);
    await set(shop, [afn(50)]);
    await shop.advance('2026-02-10');
    const [tenant] = await app.service.store.fresh.select('tenants', { where: { alias: shop.alias } });
    expect(tenant!.clockAt).toMatch(/^2026-02-10/);
  });

  it.each<[string, any[], string]>([
    ['0', [afn(0)], 'validation_failed spendAlerts.0'],
    ['a negative amount', [afn(5), afn(-1)], 'validation_failed spendAlerts.1.amount'],
    ['another currency', [afn(5, 'usd')], 'currency_mismatch spendAlerts.0.currency'],
    ['no currency', [afn(5, 'nil')], 'currency_unsupported spendAlerts.0.currency'],
    ['too many decimals', [{ decimal: '1.001', currency: 'afn' }], 'amount_precision spendAlerts.0.decimal'],
    ['no amount', [{ currency: 'afn' }], 'validation_failed spendAlerts.0'],
    [
      'too large an amount',
      [{ decimal: `1${'0'.repeat(17)}`, currency: 'afn' }],
      'validation_failed spendAlerts.0.decimal',
    ],
    ['six', [1, 2, 3, 4, 5, 6].map((amount) => afn(amount)), 'validation_failed spendAlerts'],
  ])('refuses %s', async (_, amounts, expected) => {
    const shop = await open([]);
    expect(await set(shop, amounts)).toBe(expected);
  });

  it('is refused for a subscription of another tenant, and for one that has ended', async () => {
    const [shop, other] = [await open(), await open()];
    expect(await set({ client: other.client, id: shop.id }, [afn(1)])).toMatch(/^subscription_not_found/);
    await shop.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { id } }', { id: shop.id });
    expect(await set(shop, [afn(1)])).toMatch(/^subscription_not_active/);
    await shop.use(['2026-01-01', 500]);
    await work();
    expect(await amountsTold(shop)).toEqual([]);
    expect(await amountsTold(other)).toEqual([]);
  });
});
