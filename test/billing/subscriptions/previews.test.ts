/** Previews of orders and of one-off invoices: each is what is billed afterwards, line by line. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { openTaxed, parties, type Taxed } from '../../support/taxes.ts';

const lines = `lines {
  kind description quantity periodStart periodEnd amount { decimal } discounts { amount { decimal } }
  tax { amount { decimal } }
}`;
const figures = `total { decimal } subtotal { decimal } discount { decimal } tax { decimal } ${lines}`;
const previewDocument = `query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) {
  effectiveAt warnings { code } ${figures} nextInvoice { date total { decimal } tax { decimal } ${lines} }
} }`;
const orderDocument = `mutation ($input: CreateSubscriptionIntentInput!) {
  createSubscriptionIntent(input: $input) { id }
}`;
const invoicesDocument = `query ($id: ID!) {
  invoices(customerId: $id, order: ASC, first: 100) { nodes { createdAt ${figures} } }
}`;
const items = [
  { amount: { decimal: '12.40', currency: 'usd' }, description: 'Setting up', quantity: 3 },
  { amount: { decimal: '5', currency: 'usd' }, description: 'Travel' },
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
});
afterAll(async () => {
  const { json } = await perennial(app.database, ['doctor', '--json']);
  await app.close();
  expect(json.findings).toEqual([]);
});

interface Case {
  price?: object;
  addOn?: object;
  coupon?: object;
  /** Redeem the coupon by a promotion code. */
  code?: string;
  /** The amount of a coupon that the customer has. */
  ofCustomer?: string;
  credit?: string;
  /** Promotional credit, and its other terms. */
  grant?: { decimal: string; ofPrice?: boolean };
  order?: object;
  item?: string;
  /** The plan that the customer has, in the group of the ordered one. */
  present?: object;
  /** When it starts. */
  presentStart?: string;
}

async function open() {
  const taxed = await openTaxed(app, '2026-01-15', 'DE');
  const customer = await taxed.shop.customer();
  await taxed.move(customer, parties.german!);
  // Prices are in it, so that no exchange rate is needed.
  await taxed.client.graphql('mutation { updateTenant(input: { taxCurrency: "usd" }) { taxCurrency } }');
  return { taxed, customer };
}

const create = async ({ client }: Taxed, field: string, type: string, input: object): Promise<string> =>
  (await client.graphql(`mutation ($input: ${type}!) { ${field}(input: $input) { id } }`, { input }))[field]
    .id;

/** Gives the customer what the case says, and returns the input of the order. */
async function prepare(taxed: Taxed, customer: any, each: Case): Promise<Record<string, unknown>> {
  const { client, shop } = taxed;
  const group = each.present && (await shop.group({}));
  const grouped = group && { groupId: group.id };
  if (each.present) {
    const { price } = await shop.product({ currency: 'usd', ...grouped, price: each.present });
    await taxed.subscribe(customer, price, undefined, { startDate: each.presentStart });
  }
  const off = { duration: 'repeating', durationInMonths: 1, name: 'Sale', ...each.coupon };
  const couponId = each.coupon && (await create(taxed, 'createCoupon', 'CreateCouponInput', off));
  if (each.code)
    await create(taxed, 'createPromotionCode', 'CreatePromotionCodeInput', { couponId, code: each.code });
  if (each.ofCustomer) {
    const amountOff = { decimal: each.ofCustomer, currency: 'usd' };
    const own = { name: 'Own', amountOff, duration: 'once' };
    const id = await create(taxed, 'createCoupon', 'CreateCouponInput', own);
    const document =
      'mutation ($c: ID, $id: ID) { applyDiscount(input: { customerId: $c, couponId: $id }) { id } }';
    await client.graphql(document, { c: customer.id, id });
  }
  const usd = (decimal: string) => ({ decimal, currency: 'usd' });
  if (each.credit)
    await client.graphql(
      'mutation ($id: ID!, $amount: MoneyInput!) { grantCredit(input: { customerId: $id, amount: $amount, reason: "r" }) { id } }',
      { id: customer.id, amount: usd(each.credit) },
    );
  const { price } = await shop.product({ amount: 40, currency: 'usd', ...grouped, price: each.price });
  if (each.grant) {
    const { decimal, ofPrice } = each.grant;
    const appliesTo = ofPrice ? { priceIds: [price.id] } : null;
    const terms = { name: 'Welcome', amount: usd(decimal), category: 'promotional', appliesTo };
    await create(taxed, 'createCreditGrant', 'CreateCreditGrantInput', {
      customerId: customer.id,
      ...terms,
    });
  }
  const addOn = each.addOn && (await shop.product({ currency: 'usd', price: each.addOn })).price;
  if (each.item)
    await client.graphql(
      'mutation ($id: ID!, $amount: MoneyInput!) { createInvoiceItem(input: { customerId: $id, amount: $amount, description: "W" }) { id } }',
      { id: customer.id, amount: usd(each.item) },
    );
  return {
    customerId: customer.id,
    productId: price.productId,
    priceId: price.id,
    ...(addOn && { addOns: [{ priceId: addOn.id }] }),
    ...(each.code ? { promotionCode: each.code } : couponId && { couponId }),
    ...each.order,
  };
}

const money = (amount: string) => ({ details: { decimal: amount, currency: 'usd' } });
const fee = { setupFee: { decimal: '9.99', currency: 'usd' } };

test.each<[name: string, each: Case]>([
  ['a flat price', {}],
  ['a quantity', { price: { ...money('3.33'), model: 'per_unit' }, order: { quantity: 7 } }],
  ['a set-up fee', { price: { ...money('40'), ...fee } }],
  ['an add-on with a fee', { addOn: { ...money('4.05'), ...fee } }],
  ['a coupon', { coupon: { percentOff: '33.3' } }],
  ['a coupon that is used once', { coupon: { percentOff: '20', duration: 'once', durationInMonths: null } }],
  ['a promotion code', { coupon: { percentOff: '20' }, code: 'SPRING' }],
  ['a discount of the customer', { ofCustomer: '11' }],
  ['a part from the balance', { credit: '15.5' }],
  ['more balance than is due', { credit: '150' }],
  ['promotional credit', { grant: { decimal: '15.5' } }],
  ['more promotional credit than is due', { grant: { decimal: '150' } }],
  ['promotional credit and a part from the balance', { grant: { decimal: '15.49' }, credit: '7.77' }],
  ['promotional credit after a coupon', { grant: { decimal: '9.99' }, coupon: { percentOff: '33.3' } }],
  [
    'promotional credit for one price beside an add-on',
    { grant: { decimal: '100', ofPrice: true }, addOn: { ...money('4.05'), ...fee } },
  ],
  [
    'a trial with a fee and promotional credit',
    { price: { ...money('40'), ...fee }, order: { trialDays: 10 }, grant: { decimal: '5' } },
  ],
  ['a later start and promotional credit', { order: { startDate: '2026-02-03' }, grant: { decimal: '15' } }],
  ['a dearer plan of the group and promotional credit', { present: money('10'), grant: { decimal: '5' } }],
  ['a cheaper plan of the group and promotional credit', { present: money('90'), grant: { decimal: '35' } }],
  ['a trial', { order: { trialDays: 10 } }],
  ['a trial with a fee', { price: { ...money('40'), ...fee }, order: { trialDays: 10 } }],
  ['a later start', { order: { startDate: '2026-02-03' } }],
  ['a later start with a fee', { price: { ...money('40'), ...fee }, order: { startDate: '2026-02-03' } }],
  ['a later trial', { order: { startDate: '2026-02-03', trialDays: 5 } }],
  [
    'a later trial with a fee',
    { price: { ...money('40'), ...fee }, order: { startDate: '2026-02-03', trialDays: 5 } },
  ],
  ['a line that waits for an invoice', { item: '7' }],
  ['a dearer plan of the group', { present: money('10') }],
  ['a cheaper plan of the group', { present: money('90') }],
  [
    'another plan during a trial whose fee waits',
    { present: { ...money('10'), ...fee, trialDays: 30 }, presentStart: '2026-01-20' },
  ],
])('an order is billed as it was previewed: %s', async (_, each) => {
  const { taxed, customer } = await open();
  const { client, shop } = taxed;
  const input = await prepare(taxed, customer, each);
  if (each.present) await taxed.advance('2026-01-25');
  const before = (await client.graphql(invoicesDocument, { id: customer.id })).invoices.nodes.length;
  const { nextInvoice, effectiveAt, warnings, ...now } = (await client.graphql(previewDocument, { input }))
    .previewSubscription;
  expect(warnings).toEqual(each.present ? [{ code: 'order_changes_plan' }] : []);
  expect(Date.parse(effectiveAt)).toBeGreaterThan(0);
  const { createSubscriptionIntent } = await client.graphql(orderDocument, {
    input: { ...input, receiptUrl: 'https://shop.example/thanks' },
  });
  expect(await shop.confirm(createSubscriptionIntent.id)).toMatchObject({ status: 'succeeded' });
  const list = async () =>
    (await client.graphql(invoicesDocument, { id: customer.id })).invoices.nodes.slice(before);
  const [first, ...others] = await list();
  expect(others).toEqual([]);
  if (now.lines.length === 0) expect(first).toBeUndefined();
  else {
    const { createdAt: _at, ...billed } = first;
    expect(billed).toEqual(now);
  }
  await taxed.advance(nextInvoice.date);
  const { createdAt, ...next } = (await list()).at(-1);
  const { date, ...expected } = nextInvoice;
  expect({ date: createdAt, ...next }).toMatchObject({ date, ...expected });
});

test('a preview changes nothing, and refuses what the order would', async () => {
  const { taxed, customer } = await open();
  const { client } = taxed;
  const input = await prepare(taxed, customer, { coupon: { percentOff: '20' }, code: 'SPRING' });
  const traces = async () => (await client.graphql('{ traces { totalCount } }', {})).traces.totalCount;
  const count = await traces();
  await client.graphql(previewDocument, { input });
  expect(await traces()).toBe(count);
  const refusals: [change: object, reason: string][] = [
    [{ customerId: 'cus_none' }, 'customer_not_found'],
    [{ priceId: 'price_none' }, 'price_not_found'],
    [{ promotionCode: 'NONE' }, 'promotion_code_not_found'],
    [{ couponId: 'coupon_none', promotionCode: null }, 'coupon_not_found'],
    [{ couponId: 'coupon_none' }, 'validation_failed'],
    [{ quantity: 2 }, 'validation_failed'],
    [{ trialDays: -1 }, 'validation_failed'],
    [{ startDate: '2026-01-01' }, 'start_date_in_past'],
  ];
  for (const [change, reason] of refusals) {
    const { body } = await client.post(previewDocument, { input: { ...input, ...change } });
    expect(body.errors?.[0].extensions.reason, JSON.stringify(change)).toBe(reason);
    const order = { ...input, ...change, receiptUrl: 'https://shop.example/thanks' };
    const ordered = await client.post(orderDocument, { input: order });
    expect(ordered.body.errors?.[0].extensions.reason, JSON.stringify(change)).toBe(reason);
  }
});

it.each<[name: string, each: Case]>([
  ['charges alone', {}],
  [
    'with a waiting line, a discount and a part from the balance',
    { item: '7', ofCustomer: '11', credit: '15.5' },
  ],
  ['less than the balance', { credit: '500' }],
])('one-off charges are billed as they were previewed: %s', async (_, each) => {
  const { taxed, customer } = await open();
  const { client } = taxed;
  await prepare(taxed, customer, each);
  const variables = { id: customer.id, items };
  const { previewInvoice } = await client.graphql(
    `query ($id: ID!, $items: [OneOffChargeInput!]!) { previewInvoice(customerId: $id, items: $items) {
      ${figures} nextInvoice { date } } }`,
    variables,
  );
  const { createInvoice } = await client.graphql(
    `mutation ($id: ID!, $items: [OneOffChargeInput!]!) { createInvoice(input: { customerId: $id, items: $items, collect: send_invoice }) { ${figures} } }`,
    variables,
  );
  expect(previewInvoice).toEqual({ ...createInvoice, nextInvoice: null });
});
