/** The promotion code on the payment page: applied and removed by forms, without a script. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { readText } from '../../support/pages.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

let app: TestApp;
let client: Client;
let shop: Shop;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test', rateLimitPerSecond: '10000' });
  client = await app.tenant({ alias: 'acme' });
  shop = createShop(client, 'acme');
});
afterAll(() => app.close());

async function newIntent(): Promise<string> {
  const { price } = await shop.product({ amount: 50, currency: 'usd' });
  return (await shop.intent(await shop.customer(), price)).intentId;
}

async function createCode(code: string, coupon: object = {}, fields: object = {}): Promise<string> {
  const made = await client.graphql(
    'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }',
    {
      input: { name: 'Sale', percentOff: '20', duration: 'once', ...coupon },
    },
  );
  const couponId = made.createCoupon.id;
  const document =
    'mutation ($input: CreatePromotionCodeInput!) { createPromotionCode(input: $input) { id } }';
  return (await client.graphql(document, { input: { couponId, code, ...fields } })).createPromotionCode.id;
}

const page = async (id: string) => (await inject(app, { url: await payPath(app, id) })).text;
const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)![1]!;
const submit = async (id: string, fields: Record<string, string>, path = '/code') =>
  inject(app, {
    method: 'POST',
    url: `${await payPath(app, id)}${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test' },
    payload: new URLSearchParams(fields).toString(),
  });
const send = async (id: string, fields: Record<string, string>, path?: string) =>
  submit(id, { token: tokenIn(await page(id)), ...fields }, path);

describe('the page of an intent', () => {
  it('has no field before the tenant has a code', async () => {
    const text = await page(await newIntent());
    expect(text).not.toContain('/code"');
    expect(readText(text)).toContain('Pay $50.00');
  });

  it('takes a code, shows what it takes off, and charges that', async () => {
    await createCode('SPRING');
    const id = await newIntent();
    expect(await page(id)).toContain('name="code"');
    const applied = await send(id, { code: ' spring ' });
    expect([applied.status, applied.headers['location']]).toEqual([303, await payPath(app, id)]);
    const text = readText(await page(id));
    expect(text).toMatch(/Pro \$50\.00 Subtotal \$50\.00 Discount: SPRING −\$10\.00 Due today \$40\.00/);
    expect(text).toMatch(/Code SPRING Remove the code/);
    expect((await send(id, { method: 'sandbox_ok' }, '')).status).toBe(303);
    const { invoices } = await client.graphql(
      '{ invoices(first: 1) { nodes { status total { decimal } } } }',
    );
    expect(invoices.nodes).toEqual([{ status: 'paid', total: { decimal: '40.00' } }]);
  });

  it('shows each discount of the customer by the name of its coupon, escaped', async () => {
    const [customer, { price }] = [
      await shop.customer(),
      await shop.product({ amount: 50, currency: 'usd' }),
    ];
    for (const [name, percentOff] of [
      ['<b>Friends</b> & "family"', '10'],
      ['Anniversary', '20'],
    ]) {
      const document = 'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }';
      const input = { name, percentOff, duration: 'forever' };
      const couponId = (await client.graphql(document, { input })).createCoupon.id;
      await client.graphql(
        'mutation ($customerId: ID!, $couponId: ID!) { applyDiscount(input: { customerId: $customerId, couponId: $couponId }) { id } }',
        { customerId: customer.id, couponId },
      );
    }
    const text = await page((await shop.intent(customer, price)).intentId);
    expect(text).toContain('Discount: <bdi>&lt;b&gt;Friends&lt;/b&gt; &amp; &quot;family&quot;</bdi>');
    expect(text).not.toContain('<b>');
    expect(readText(text)).toMatch(/−\$5\.00 Discount: Anniversary −\$9\.00 Due today \$36\.00/);
  });

  it('keeps the coupon that the order names, and takes no code', async () => {
    await createCode('WEAKER', { percentOff: '1' });
    const input = { name: 'Ours', percentOff: '50', duration: 'once' };
    const document = 'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }';
    const couponId = (await client.graphql(document, { input })).createCoupon.id;
    const { price } = await shop.product({ amount: 50, currency: 'usd' });
    const { id: customerId } = await shop.customer();
    const order = { customerId, productId: price.productId, priceId: price.id, couponId };
    const { createSubscriptionIntent: intent } = await client.graphql(
      'mutation ($i: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $i) { id } }',
      { i: { ...order, receiptUrl: 'https://shop.example/thanks' } },
    );
    expect(await page(intent.id)).not.toContain('/code"');
    for (const fields of [{ code: 'weaker' }, { remove: 'yes' }] as Record<string, string>[])
      expect((await send(intent.id, fields)).status).toBe(409);
    expect(readText(await page(intent.id))).toMatch(/Discount: Ours −\$25\.00 Due today \$25\.00/);
  });

  it('removes the code again', async () => {
    const id = await newIntent();
    await send(id, { code: 'spring' });
    await send(id, { remove: 'yes' });
    const text = await page(id);
    expect(readText(text)).toContain('Due today $50.00');
    expect(text).toContain('name="code"');
  });

  const refused: [name: string, code: string, prepare?: () => Promise<unknown>][] = [
    ['unknown', 'nope'],
    ['empty', ''],
    ['of letters that no code has', '<script>🍎'],
    [
      'below its least amount',
      'LARGE',
      () => createCode('LARGE', {}, { minimumAmount: { amount: 60, currency: 'usd' } }),
    ],
    [
      'in another currency',
      'EURO',
      () => createCode('EURO', { percentOff: null, amountOff: { amount: 1, currency: 'eur' } }),
    ],
  ];
  test.each(refused)('refuses a code that is %s, and stays payable', async (_name, code, prepare) => {
    await prepare?.();
    const id = await newIntent();
    const answer = await send(id, { code });
    expect(answer.status).toBe(409);
    expect(readText(answer.text)).toMatch(/This code cannot be used for this purchase\..*Due today \$50\.00/);
    expect((await send(id, { method: 'sandbox_ok' }, '')).status).toBe(303);
  });

  it('changes nothing without its own token', async () => {
    const id = await newIntent();
    for (const token of ['', tokenIn(await page(await newIntent()))]) {
      const answer = await submit(id, { token, code: 'spring' });
      expect([answer.status, readText(answer.text).includes('Due today $50.00')]).toEqual([403, true]);
    }
    expect((await inject(app, { url: `${await payPath(app, id)}/code` })).status).toBe(405);
  });

  it('says that a code can no longer be used, and lets the payer remove it', async () => {
    const codeId = await createCode('FLASH');
    const id = await newIntent();
    await send(id, { code: 'flash' });
    const stale = tokenIn(await page(id));
    await client.graphql(
      'mutation ($id: ID!) { updatePromotionCode(id: $id, input: { active: false }) { id } }',
      { id: codeId },
    );
    const answer = await submit(id, { token: stale, method: 'sandbox_ok' }, '');
    expect([answer.status, readText(answer.text)]).toEqual([
      409,
      expect.stringMatching(/the promotion code can no longer be used\. Code FLASH Remove the code/),
    ]);
    await send(id, { remove: 'yes' });
    expect((await send(id, { method: 'sandbox_ok' }, '')).status).toBe(303);
  });
});
