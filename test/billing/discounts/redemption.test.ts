/** What is refused: coupons and codes that nobody may make or redeem, and redemptions beyond a limit. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks, type Books } from '../../support/books.ts';
import { findFaults } from '../../support/faults.ts';
import {
  apply,
  ask,
  bills,
  confirm,
  createCode,
  createCoupon,
  discountsOf,
  intend,
  remove,
  timesRedeemed,
  updateCode,
  updateCoupon,
} from './shop.ts';

let app: TestApp;
let books: Books;
let other: Books;
let customer: any;
let price: any;
let subscriptionId: string;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  [books, other] = [await openBooks(app, '2026-01-01'), await openBooks(app, '2026-01-01')];
  customer = await books.shop.customer();
  price = await books.plan(100, { currency: 'usd' });
  subscriptionId = await books.subscribe(customer, price);
});
afterAll(async () => {
  expect(await findFaults(app)).toEqual([]);
  await app.close();
});

/** Nothing is half written by what is refused. */
async function unchanged<T>(act: () => Promise<T>): Promise<T> {
  const before = await app.backdoor.dump();
  const result = await act();
  expect(await app.backdoor.dump()).toBe(before);
  return result;
}

const usd = (decimal: string) => ({ decimal, currency: 'usd' });
const percentOff = '10';
const mebibyte = 'x'.repeat(1 << 19);
let lastCode = 0;
const freshCode = () => `code-${++lastCode}`;

describe('a coupon is refused', () => {
  const months = { percentOff, duration: 'repeating' };
  test.each<[name: string, input: object, answer: string]>([
    ['of 0 %', { percentOff: '0' }, 'validation_failed percentOff'],
    ['of 100.01 %', { percentOff: '100.01' }, 'validation_failed percentOff'],
    ['of −5 %', { percentOff: '-5' }, 'validation_failed percentOff'],
    ['with 5 decimals', { percentOff: '0.00001' }, 'validation_failed percentOff'],
    ['of 10^12 %', { percentOff: '1000000000000' }, 'validation_failed percentOff'],
    ['of nothing', {}, 'validation_failed percentOff'],
    ['of both', { percentOff, amountOff: usd('5') }, 'validation_failed amountOff'],
    ['of an amount of 0', { amountOff: usd('0') }, 'validation_failed amountOff'],
    ['of a negative amount', { amountOff: usd('-1') }, 'validation_failed amountOff.decimal'],
    [
      'of more than the largest amount',
      { amountOff: usd('10000000000000000.01') },
      'validation_failed amountOff.decimal',
    ],
    [
      'of more than that as a number',
      { amountOff: { amount: 1e17, currency: 'usd' } },
      'validation_failed amountOff.amount',
    ],
    ['finer than the currency', { amountOff: usd('1.001') }, 'amount_precision amountOff.decimal'],
    [
      'in no currency',
      { amountOff: { amount: 1, currency: 'zzz' } },
      'currency_unsupported amountOff.currency',
    ],
    ['of an amount twice', { amountOff: { amount: 1, ...usd('1') } }, 'validation_failed amountOff.decimal'],
    ['repeating without months', months, 'validation_failed durationInMonths'],
    ['for 0 months', { ...months, durationInMonths: 0 }, 'validation_failed durationInMonths'],
    ['for 121 months', { ...months, durationInMonths: 121 }, 'validation_failed durationInMonths'],
    ['forever with months', { percentOff, durationInMonths: 2 }, 'validation_failed durationInMonths'],
    ['without a name', { percentOff, name: '' }, 'validation_failed name'],
    ['with a long name', { percentOff, name: mebibyte }, 'validation_failed name'],
    ['of no product', { percentOff, productIds: [] }, 'validation_failed productIds'],
    ['of an unknown product', { percentOff, productIds: ['prod_x'] }, 'product_not_found'],
    ['of 101 products', { percentOff, productIds: Array(101).fill('p') }, 'validation_failed productIds'],
    ['for 0 redemptions', { percentOff, maxRedemptions: 0 }, 'validation_failed maxRedemptions'],
    ['for −1 redemptions', { percentOff, maxRedemptions: -1 }, 'validation_failed maxRedemptions'],
    ['that has expired', { percentOff, redeemBy: '2026-01-01' }, 'validation_failed redeemBy'],
  ])('%s', async (_name, input, answer) => {
    expect(await unchanged(() => createCoupon(books, input))).toBe(answer);
  });

  it('with a product of another tenant, and its terms are fixed', async () => {
    const { product } = await other.shop.product();
    expect(await createCoupon(books, { percentOff, productIds: [product.id] })).toBe('product_not_found');
    const { id } = await createCoupon(books, { percentOff, name: 'سیب 🍎', metadata: { a: 'ü' } });
    expect(await updateCoupon(books, id, { name: null })).toBe('validation_failed name');
    expect(await updateCoupon(other, id, { name: 'Mine' })).toBe('coupon_not_found');
    const { body } = await ask(
      books,
      'mutation ($id: ID!) { updateCoupon(id: $id, input: { percentOff: "20" }) { id } }',
      { id },
    );
    expect(body.errors[0].message).toMatch('percentOff');
    const { coupons } = await other.client.graphql('{ coupons { nodes { id } } }');
    expect(coupons.nodes).toEqual([]);
  });
});

describe('a promotion code', () => {
  test.each<[name: string, input: object, answer: string]>([
    ['empty', { code: '' }, 'validation_failed code'],
    ['with a space', { code: 'A B' }, 'validation_failed code'],
    ['in another alphabet', { code: 'СКИДКА' }, 'validation_failed code'],
    ['of 65 characters', { code: 'a'.repeat(65) }, 'validation_failed code'],
    ['of half a MiB', { code: mebibyte }, 'validation_failed code'],
    ['of an unknown coupon', { couponId: 'coup_x' }, 'coupon_not_found'],
    ['of an unknown customer', { customerId: 'cus_x' }, 'customer_not_found'],
    ['for 0 redemptions', { maxRedemptions: 0 }, 'validation_failed maxRedemptions'],
    ['that has expired', { expiresAt: '2025-12-31' }, 'validation_failed expiresAt'],
    ['from an amount of 0', { minimumAmount: usd('0') }, 'validation_failed minimumAmount'],
    [
      'from an amount in no currency',
      { minimumAmount: { amount: 1, currency: '' } },
      'currency_unsupported minimumAmount.currency',
    ],
  ])('%s is refused', async (_name, input, answer) => {
    const { id: couponId } = await createCoupon(books, { percentOff });
    expect(await unchanged(() => createCode(books, { couponId, code: freshCode(), ...input }))).toBe(answer);
  });

  it('is unique among the active in any case, and of its tenant', async () => {
    const { id: couponId } = await createCoupon(books, { percentOff });
    const first = await createCode(books, { couponId, code: 'Summer' });
    expect(await createCode(books, { couponId, code: 'SUMMER' })).toBe('promotion_code_exists code');
    expect(await createCode(other, { couponId, code: 'SUMMER' })).toBe('coupon_not_found');
    await updateCode(books, first.id, { active: false });
    const second = await createCode(books, { couponId, code: 'SUMMER' });
    expect(second.code).toBe('SUMMER');
    expect(await updateCode(books, first.id, { active: true })).toBe('promotion_code_exists code');
    expect(await updateCode(other, first.id, { active: false })).toBe('promotion_code_not_found');
    expect(await updateCode(books, second.id, { maxRedemptions: 7 })).toMatchObject({ maxRedemptions: 7 });
    expect(await updateCode(books, second.id, { maxRedemptions: null })).toMatchObject({
      maxRedemptions: null,
    });
    const own = await createCoupon(other, { percentOff });
    expect(await createCode(other, { couponId: own.id, code: 'summer' })).toMatchObject({ code: 'summer' });
    // A code belongs to its tenant: the other's coupon is what is redeemed there.
    expect(
      await apply(other, { customerId: (await other.shop.customer()).id, promotionCode: 'Summer' }),
    ).toMatchObject({
      coupon: { id: own.id },
    });
  });
});

describe('a redemption is refused', () => {
  const someone = async () => (await books.shop.customer()).id as string;

  test.each<[name: string, of: (couponId: string) => object, answer: string]>([
    ['without a coupon', () => ({ subscriptionId }), 'validation_failed couponId'],
    ['for nobody', (couponId) => ({ couponId }), 'validation_failed subscriptionId'],
    [
      'for both',
      (couponId) => ({ couponId, subscriptionId, customerId: customer.id }),
      'validation_failed subscriptionId',
    ],
    [
      'by both',
      (couponId) => ({ couponId, subscriptionId, promotionCode: 'A' }),
      'validation_failed couponId',
    ],
    ['of an unknown coupon', () => ({ couponId: 'coup_x', subscriptionId }), 'coupon_not_found'],
    ['of an empty id', () => ({ couponId: '', subscriptionId }), 'coupon_not_found'],
    [
      'of an unknown code',
      () => ({ promotionCode: 'nope', subscriptionId }),
      'promotion_code_not_found promotionCode',
    ],
    [
      'of a code that is no code',
      () => ({ promotionCode: 'ünï 🍎', subscriptionId }),
      'promotion_code_not_found promotionCode',
    ],
    [
      'of a code of half a MiB',
      () => ({ promotionCode: mebibyte, subscriptionId }),
      'validation_failed promotionCode',
    ],
    [
      'for an unknown subscription',
      (couponId) => ({ couponId, subscriptionId: 'sub_x' }),
      'subscription_not_found',
    ],
    ['for an unknown customer', (couponId) => ({ couponId, customerId: 'cus_x' }), 'customer_not_found'],
  ])('%s', async (_name, of, answer) => {
    const { id } = await createCoupon(books, { percentOff });
    expect(await unchanged(() => apply(books, of(id) as Record<string, unknown>))).toBe(answer);
  });

  it("with another tenant's ids", async () => {
    const [own, theirs] = [
      await createCoupon(books, { percentOff }),
      await createCoupon(other, { percentOff }),
    ];
    expect(await apply(books, { customerId: customer.id, couponId: theirs.id })).toBe('coupon_not_found');
    expect(await apply(other, { subscriptionId, couponId: theirs.id })).toBe('subscription_not_found');
    expect(await apply(other, { customerId: customer.id, couponId: theirs.id })).toBe('customer_not_found');
    const given = await apply(books, { customerId: await someone(), couponId: own.id });
    expect(await remove(other, given.id)).toBe('discount_not_found');
  });

  test.each<
    [name: string, coupon: object, code: object | undefined, of: () => Promise<object>, answer: string]
  >([
    [
      'in another currency',
      { amountOff: { amount: 5, currency: 'eur' } },
      undefined,
      async () => ({ subscriptionId }),
      'currency_mismatch couponId',
    ],
    [
      'of a code in another currency',
      { percentOff },
      { minimumAmount: { amount: 5, currency: 'eur' } },
      async () => ({ subscriptionId }),
      'currency_mismatch promotionCode',
    ],
    [
      'below the least amount',
      { percentOff },
      { minimumAmount: usd('100.01') },
      async () => ({ subscriptionId }),
      'coupon_not_redeemable promotionCode',
    ],
    [
      'of a code with a least amount for a customer',
      { percentOff },
      { minimumAmount: usd('1') },
      async () => ({ customerId: await someone() }),
      'coupon_not_redeemable promotionCode',
    ],
    [
      'after the first purchase',
      { percentOff },
      { firstPurchaseOnly: true },
      async () => ({ subscriptionId }),
      'coupon_not_redeemable promotionCode',
    ],
  ])('%s', async (_name, coupon, code, of, answer) => {
    const { id: couponId } = await createCoupon(books, coupon);
    const promotionCode = code && (await createCode(books, { couponId, code: freshCode(), ...code })).code;
    const holder = await of();
    const offer = promotionCode ? { promotionCode } : { couponId };
    expect(await unchanged(() => apply(books, { ...offer, ...holder }))).toBe(answer);
  });

  it('of what is inactive, spent, expired or meant for somebody else', async () => {
    const scope = await openBooks(app, '2026-01-01');
    const { id: customerId } = await scope.shop.customer();
    const { id } = await createCoupon(scope, { percentOff, redeemBy: '2026-02-01', maxRedemptions: 3 });
    const late = await createCode(scope, { couponId: id, code: 'late', expiresAt: '2026-01-10' });
    await createCode(scope, { couponId: id, code: 'single', maxRedemptions: 1 });
    const { id: friend } = await scope.shop.customer();
    await createCode(scope, { couponId: id, code: 'friend', customerId: friend });
    const redeem = (of: object, holder = customerId) => apply(scope, { customerId: holder, ...of });
    const refused = 'coupon_not_redeemable promotionCode';
    expect(await redeem({ promotionCode: 'friend' })).toBe(refused);
    expect(await redeem({ promotionCode: 'FRIEND' }, friend)).toMatchObject({ active: true });
    expect(await redeem({ promotionCode: 'single' })).toMatchObject({ promotionCode: { code: 'single' } });
    const { id: third } = await scope.shop.customer();
    expect(await redeem({ promotionCode: 'single' }, third)).toBe(refused);
    await updateCoupon(scope, id, { active: false });
    expect(await redeem({ couponId: id }, third)).toBe('coupon_not_redeemable couponId');
    await updateCoupon(scope, id, { active: true });
    await scope.advance('2026-01-10');
    expect(await redeem({ promotionCode: 'late' }, third)).toBe(refused);
    expect(await updateCode(scope, late.id, { expiresAt: null })).toMatchObject({ active: true });
    expect(await redeem({ promotionCode: 'late' }, third)).toMatchObject({ active: true });
    const { id: fourth } = await scope.shop.customer();
    expect(await redeem({ couponId: id }, fourth)).toBe('coupon_not_redeemable couponId');
    const fresh = await createCoupon(scope, { percentOff, redeemBy: '2026-02-01' });
    await scope.advance('2026-02-01');
    expect(await redeem({ couponId: fresh.id }, fourth)).toBe('coupon_not_redeemable couponId');
  });

  it('of one coupon twice, also by a code of it, and beyond 20 discounts', async () => {
    const customerId = await someone();
    const { id: couponId } = await createCoupon(books, { percentOff });
    const { code } = await createCode(books, { couponId, code: freshCode() });
    const { id } = await apply(books, { customerId, couponId });
    expect(await apply(books, { customerId, couponId })).toBe('coupon_not_redeemable couponId');
    expect(await apply(books, { customerId, promotionCode: code })).toBe(
      'coupon_not_redeemable promotionCode',
    );
    await remove(books, id);
    expect(await apply(books, { customerId, promotionCode: code })).toMatchObject({ active: true });
    const many = await Promise.all(
      Array.from({ length: 20 }, () => createCoupon(books, { percentOff: '1' })),
    );
    const answers = await Promise.all(
      many.map((coupon) => apply(books, { customerId, couponId: coupon.id })),
    );
    expect(answers.filter((answer) => answer === 'coupon_not_redeemable couponId')).toHaveLength(1);
    const document = 'query ($id: ID!) { customer(id: $id) { discounts { id } } }';
    const { customer: holder } = await books.client.graphql(document, { id: customerId });
    expect(holder.discounts).toHaveLength(20);
  });

  it('with an intent, which is not made', async () => {
    const { id: couponId } = await createCoupon(books, { amountOff: { amount: 5, currency: 'eur' } });
    const { code } = await createCode(books, { couponId, code: freshCode() });
    const { id: holder } = await createCoupon(books, { percentOff });
    await createCode(books, { couponId: holder, code: 'newcomers', firstPurchaseOnly: true });
    const plan = await books.plan(20, { currency: 'usd' });
    for (const [promotionCode, answer] of [
      ['nope', 'promotion_code_not_found promotionCode'],
      ['', 'promotion_code_not_found promotionCode'],
      [code, 'currency_mismatch promotionCode'],
      ['newcomers', 'coupon_not_redeemable promotionCode'],
    ]) {
      expect(await unchanged(() => intend(books, customer, plan, { promotionCode }))).toBe(answer);
    }
    const newcomer = await books.shop.customer();
    const intent = await intend(books, newcomer, plan, { promotionCode: 'NEWCOMERS' });
    const made = await confirm(books, intent.id);
    expect(await bills(books, made.subscriptionId)).toEqual(['20 − 2 = 18']);
  });
});

describe('the first purchase', () => {
  it('is one, also of two intents that are paid at once', async () => {
    const scope = await openBooks(app, '2026-01-01');
    const someone = await scope.shop.customer();
    const { id: couponId } = await createCoupon(scope, { percentOff });
    await createCode(scope, { couponId, code: 'hello', firstPurchaseOnly: true });
    const plans = [await scope.plan(10, { currency: 'usd' }), await scope.plan(20, { currency: 'usd' })];
    const intents = await Promise.all(
      plans.map((plan) => intend(scope, someone, plan, { promotionCode: 'hello' })),
    );
    const paid = await Promise.all(intents.map(({ id }) => confirm(scope, id, 'sandbox_requires_action')));
    expect(paid.filter((answer) => answer === 'coupon_not_redeemable promotionCode')).toHaveLength(1);
    expect(await timesRedeemed(scope, couponId)).toBe(1);
  });
});

describe('50 at once', () => {
  it('redeem a coupon and its code as often as is allowed, on subscriptions and by payments', async () => {
    const scope = await openBooks(app, '2026-01-01');
    const plan = await scope.plan(100, { currency: 'usd' });
    const people = await Promise.all(Array.from({ length: 50 }, () => scope.shop.customer()));
    const { id: couponId } = await createCoupon(scope, { percentOff, maxRedemptions: 7 });
    const { code } = await createCode(scope, { couponId, code: 'rush', maxRedemptions: 5 });
    const intents = await Promise.all(
      people.map((person) => intend(scope, person, plan, { promotionCode: code })),
    );
    const paid = await Promise.all(intents.map(({ id }) => confirm(scope, id)));
    expect(paid.filter(({ status }: any) => status === 'succeeded')).toHaveLength(5);
    const applied = await Promise.all(people.map(({ id }) => apply(scope, { customerId: id, couponId })));
    expect(applied.filter((answer) => typeof answer === 'object')).toHaveLength(2);
    expect(await timesRedeemed(scope, couponId)).toBe(7);
    const own = paid.find(({ status }: any) => status === 'succeeded');
    expect((await discountsOf(scope, own.subscriptionId)).own).toEqual([couponId]);
  });
});

describe('the doctor', () => {
  test.each<[name: string, spoil: string, restore: string]>([
    [
      'counts the redemptions again',
      'update coupons set times_redeemed = times_redeemed + 1',
      'update coupons set times_redeemed = times_redeemed - 1',
    ],
    [
      'looks for the discounts of lines',
      "update discounts set customer_id = 'c' || customer_id",
      'update discounts set customer_id = substr(customer_id, 2)',
    ],
  ])('%s', async (_name, spoil, restore) => {
    await app.backdoor.execute(spoil);
    const found = await findFaults(app);
    await app.backdoor.execute(restore);
    expect(found.some((fault) => fault.startsWith('discounts: '))).toBe(true);
  });
});
