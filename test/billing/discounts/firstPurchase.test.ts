/** Codes for the first purchase: a customer redeems one, also while payments wait for the bank and for what has not begun. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import { apply, bills, confirm, createCode, createCoupon, intend } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(async () => {
  expect(await findFaults(app)).toEqual([]);
  await app.close();
});

const refused = 'coupon_not_redeemable promotionCode';
const document = (field: string) => `mutation ($id: ID!) { ${field}(id: $id) { status } }`;
const recordPayment =
  'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "bank" }) { status } }';

/** A tenant with codes of coupons of their own, HELLO0, HELLO1 …, each half the price for ever. */
async function open(count = 2, code: object = {}) {
  const books = await openBooks(app, '2026-01-01');
  for (let index = 0; index < count; index++) {
    const { id: couponId } = await createCoupon(books, { percentOff: '50' });
    await createCode(books, { couponId, code: `hello${index}`, firstPurchaseOnly: true, ...code });
  }
  return { books, customer: await books.shop.customer() };
}

/** Orders a plan of its own with a code. Returns the intent, or the refusal. */
async function order(books: Books, customer: any, promotionCode?: string, fields: object = {}) {
  const price = await books.plan(20, { currency: 'usd' });
  return intend(books, customer, price, { ...(promotionCode && { promotionCode }), ...fields });
}

/** Records the bank transfer for an intent. Returns its subscription's id. */
async function payByBank(books: Books, intentId: string): Promise<string> {
  const [invoice] = await app.backdoor.all(`select id from invoices where intent_id = '${intentId}'`);
  await books.client.graphql(recordPayment, { id: invoice!['id'] });
  const [intent] = await app.backdoor.all(
    `select subscription_id as id from intents where id = '${intentId}'`,
  );
  return intent!['id'] as string;
}

const discountsOf = async (books: Books, id: string) => {
  const query = 'query ($id: ID!) { subscription(id: $id) { discounts { promotionCode { code } } } }';
  const { subscription } = await books.client.graphql(query, { id });
  return subscription.discounts.map(({ promotionCode }: any) => promotionCode.code);
};

describe('another code for the first purchase is refused', () => {
  it.each<[name: string, begin: (books: Books, customer: any) => Promise<unknown>]>([
    [
      'while a bank transfer is awaited',
      async (books, customer) => confirm(books, (await order(books, customer, 'hello0')).id, 'manual'),
    ],
    [
      'while the payer is at the bank',
      async (books, customer) =>
        confirm(books, (await order(books, customer, 'hello0')).id, 'sandbox_requires_action'),
    ],
    [
      'after an order that begins later',
      async (books, customer) =>
        confirm(books, (await order(books, customer, 'hello0', { startDate: '2026-02-01' })).id),
    ],
    [
      'in a trial',
      async (books, customer) =>
        confirm(books, (await order(books, customer, 'hello0', { trialDays: 14 })).id),
    ],
    [
      'after one that was applied to the customer',
      (books, { id }) => apply(books, { customerId: id, promotionCode: 'hello0' }),
    ],
  ])('%s', async (_name, begin) => {
    const { books, customer } = await open();
    const earlier = await order(books, customer, 'hello1');
    expect(await begin(books, customer)).toMatchObject({ id: expect.anything() });
    // The order was made before the first was paid: its payment is refused, as are new orders and discounts.
    expect(await confirm(books, earlier.id)).toBe(refused);
    expect(await order(books, customer, 'hello1')).toBe(refused);
    expect(await apply(books, { customerId: customer.id, promotionCode: 'hello1' })).toBe(refused);
    expect((await order(books, customer)).status).toBe('requires_payment_method');
    const other = await books.shop.customer();
    expect((await confirm(books, (await order(books, other, 'hello1')).id)).status).toBe('succeeded');
  });

  it.each(['manual', 'sandbox_requires_action', 'sandbox_ok'])(
    'for 49 of 50 at once by %s',
    async (method) => {
      const { books, customer } = await open(50);
      const intents = [];
      for (let index = 0; index < 50; index++) intents.push(await order(books, customer, `hello${index}`));
      const answers = await Promise.all(intents.map(({ id }) => confirm(books, id, method)));
      expect(answers.filter((answer) => answer === refused)).toHaveLength(49);
    },
  );
});

describe('the code is free again', () => {
  const begin = async (method: string) => {
    const { books, customer } = await open();
    const { id } = await order(books, customer, 'hello0');
    await confirm(books, id, method);
    expect(await order(books, customer, 'hello1')).toBe(refused);
    return { books, customer, id };
  };

  it.each(['manual', 'sandbox_requires_action'])('after a payment by %s was cancelled', async (method) => {
    const { books, customer, id } = await begin(method);
    await books.client.graphql(document('cancelIntent'), { id });
    expect((await confirm(books, (await order(books, customer, 'hello1')).id)).status).toBe('succeeded');
  });

  it('when the payer did not confirm in time, before the server has noticed and after', async () => {
    const { books, customer } = await begin('sandbox_requires_action');
    const earlier = await order(books, customer);
    await books.advance('2026-01-02T00:00:00.001Z');
    const late = await order(books, customer, 'hello1');
    expect(late.status).toBe('requires_payment_method');
    await runDueWork(app.service, pino({ level: 'silent' }));
    expect((await confirm(books, late.id)).status).toBe('succeeded');
    expect(await confirm(books, earlier.id)).toMatch('intent_not_payable');
  });

  it('after an order that begins later was cancelled', async () => {
    const { books, customer } = await open();
    const later = await order(books, customer, 'hello0', { startDate: '2026-02-01' });
    const { subscriptionId } = await confirm(books, later.id);
    expect(await order(books, customer, 'hello1')).toBe(refused);
    await books.client.graphql('mutation ($id: ID!) { cancelSubscription(id: $id) { status } }', {
      id: subscriptionId,
    });
    expect((await confirm(books, (await order(books, customer, 'hello1')).id)).status).toBe('succeeded');
  });

  it('for the same order after a decline', async () => {
    const { books, customer } = await open();
    const { id } = await order(books, customer, 'hello0');
    expect(await confirm(books, id, 'sandbox_declined')).toMatch('payment_failed');
    expect((await confirm(books, id)).status).toBe('succeeded');
  });
});

describe('when a payment succeeds', () => {
  it('another purchase that was paid meanwhile changes nothing of what the payer confirmed', async () => {
    const { books, customer } = await open();
    const { id } = await order(books, customer, 'hello0');
    await confirm(books, id, 'manual');
    expect((await confirm(books, (await order(books, customer)).id)).status).toBe('succeeded');
    const subscriptionId = await payByBank(books, id);
    expect(await bills(books, subscriptionId)).toEqual(['20 − 10 = 10']);
    await books.advance('2026-02-01');
    expect((await bills(books, subscriptionId)).at(-1)).toBe('20 − 10 = 10');
  });

  it('a second code under way since an earlier release reduces what was confirmed, and nothing later', async () => {
    const { books, customer } = await open();
    const [one, other] = [await order(books, customer, 'hello0'), await order(books, customer, 'hello1')];
    const hide = (status: string) =>
      app.backdoor.execute(`update intents set status = '${status}' where id = '${one.id}'`);
    expect((await confirm(books, one.id, 'manual')).status).toBe('processing');
    // That release compared a code with itself only.
    await hide('cancelled');
    expect((await confirm(books, other.id, 'manual')).status).toBe('processing');
    await hide('processing');
    const [first, second] = [await payByBank(books, one.id), await payByBank(books, other.id)];
    expect(await bills(books, first)).toEqual(['20 − 10 = 10']);
    expect(await bills(books, second)).toEqual(['20 − 10 = 10']);
    expect([await discountsOf(books, first), await discountsOf(books, second)]).toEqual([['hello0'], []]);
    await books.advance('2026-02-01');
    expect((await bills(books, first)).at(-1)).toBe('20 − 10 = 10');
    expect((await bills(books, second)).at(-1)).toBe('20 − 0 = 20');
  });
});
