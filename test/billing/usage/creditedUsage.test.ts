/** Credit grants that pay usage which has reached a threshold, and what is missing to a commitment. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { afn } from '../../support/oneOff.ts';
import { openUsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const log = pino({ level: 'silent' });
/** Lets the scheduler bill what is due now. */
const work = () => runDueWork(app.service, log);
const categories = ['paid', 'promotional'] as const;

/** A subscription to usage at 1 a unit, from 2026-01-01, whose customer has a grant. */
async function openCredited(terms: object, amount: number, grant: object, isOfMeter = false) {
  const shop = await openUsageShop(app);
  const meterId = await shop.meter();
  const plan = await shop.plan(0, { name: 'Calls', price: { details: afn(1), meterId } });
  const id = await shop.order(plan, terms);
  const document = 'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }';
  const input = {
    customerId: shop.customer.id,
    name: 'Credit',
    amount: afn(amount),
    ...grant,
    ...(isOfMeter && { appliesTo: { meterIds: [meterId] } }),
  };
  const { id: grantId } = (await shop.client.graphql(document, { input })).createCreditGrant;
  /** What is left of the grant. */
  const left = async (): Promise<number> =>
    (await shop.client.graphql(`{ creditGrant(id: "${grantId}") { remaining { amount } } }`)).creditGrant
      .remaining.amount;
  const totals = async () => (await shop.bills(id)).slice(1);
  const previewEnd = async () =>
    (await shop.client.graphql(`{ previewCancellation(subscriptionId: "${id}") { total { amount } } }`))
      .previewCancellation.total.amount;
  const expectSound = async () => expect(await findFaults(app, shop.alias)).toEqual([]);
  return { ...shop, meterId, id, left, totals, previewEnd, expectSound };
}

describe.each(categories)('a %s grant', (category) => {
  it('of 7,600 pays usage of 8,000 that reaches a threshold of 7,000, so that 400 are owed', async () => {
    const shop = await openCredited({ billingThreshold: afn(7000) }, 7600, { category });
    await shop.use(['2026-01-01', 8000]);
    await work();
    expect(await shop.totals()).toEqual(['2026-01-01 paid 400']);
    expect(await shop.left()).toBe(0);
    await shop.advance('2026-02-01');
    expect(await shop.totals()).toEqual(['2026-01-01 paid 400', '2026-02-01 paid 0']);
    await shop.expectSound();
  });

  it('that covers the usage of a threshold is left for what follows', async () => {
    const shop = await openCredited({ billingThreshold: afn(100) }, 150, { category });
    await shop.use(['2026-01-01', 110]);
    await work();
    expect([await shop.totals(), await shop.left()]).toEqual([['2026-01-01 paid 0'], 40]);
    await shop.use(['2026-01-01', 60]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced.total).toBe(20);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    expect(await shop.left()).toBe(0);
    await shop.expectSound();
  });

  it('pays the draft of a threshold when it is finalized', async () => {
    const shop = await openCredited({ billingThreshold: afn(100) }, 30, { category });
    await shop.client.graphql('mutation { updateTenant(input: { invoiceGraceHours: 24 }) { alias } }');
    await shop.use(['2026-01-01', 110]);
    await work();
    const [draft] = (await shop.invoices(shop.id)).slice(-1);
    await shop.client.graphql('mutation ($id: ID!) { finalizeInvoice(id: $id) { status } }', {
      id: draft.id,
    });
    const sumPaid = async () =>
      (await shop.bills(shop.id))
        .filter((bill) => bill.includes(' paid '))
        .reduce((sum, bill) => sum + Number(bill.split(' ')[2]), 0);
    await work();
    await shop.advance('2026-02-03');
    expect([await sumPaid(), await shop.left()]).toEqual([80, 0]);
    await shop.expectSound();
  });

  it('pays what is missing to a commitment, as announced', async () => {
    const shop = await openCredited({ commitment: { amount: afn(100) } }, 80, { category });
    await shop.use(['2026-01-01', 30]);
    const announced = await shop.currentUsage(shop.id);
    expect(announced.total).toBe(20);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(shop.id)).toMatchObject(announced);
    expect(await shop.left()).toBe(0);
    await shop.advance('2026-03-01');
    expect((await shop.lastBill(shop.id)).total).toBe(100);
    await shop.expectSound();
  });

  it('pays the final bill after a threshold and a commitment, as previewed', async () => {
    const terms = { commitment: { amount: afn(310) }, billingThreshold: afn(50) };
    const shop = await openCredited(terms, 90, { category });
    await shop.use(['2026-01-01', 60]);
    await work();
    expect([await shop.totals(), await shop.left()]).toEqual([['2026-01-01 paid 0'], 30]);
    await shop.advance('2026-01-11');
    // Of the 100 committed for ten days 40 are missing, and 30 of them are paid by what is left.
    expect(await shop.previewEnd()).toBe(10);
    await shop.run('cancelSubscription(id: $id, input: {})', shop.id);
    await work();
    expect((await shop.lastBill(shop.id)).total).toBe(10);
    expect(await shop.left()).toBe(0);
    await shop.expectSound();
  });
});

it('a grant for a meter pays its usage, but not what is missing to a commitment', async () => {
  const terms = { commitment: { amount: afn(100) }, billingThreshold: afn(20) };
  const shop = await openCredited(terms, 80, { category: 'promotional' }, true);
  await shop.use(['2026-01-01', 25]);
  await work();
  expect([await shop.totals(), await shop.left()]).toEqual([['2026-01-01 paid 0'], 55]);
  await shop.use(['2026-01-01', 5]);
  await shop.advance('2026-02-01');
  expect([(await shop.lastBill(shop.id)).total, await shop.left()]).toEqual([70, 50]);
  await shop.expectSound();
});
