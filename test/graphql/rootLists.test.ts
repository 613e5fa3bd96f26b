/** Lists of a tenant's intents, payments, disputes, discounts, invoice items and credits: every filter, alone and together. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createShop } from '../support/shop.ts';

let app: TestApp;
let client: Client;
let ada: any;
let bob: any;
/** The ids of the records, by the names that the rows expect. */
const names = new Map<string, string>();

const dayMs = 86_400_000;
const start = Date.parse('2026-01-01T00:00:00.000Z');
const at = (days: number) => new Date(start + days * dayMs).toISOString();
const advance = (days: number) =>
  client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { alias } }', {
    to: at(days),
  });
const name = (label: string, id: string) => names.set(id, label);

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme', clock: at(0) });
  const shop = createShop(client, 'acme');
  [ada, bob] = [await shop.customer(), await shop.customer()];
  const { price } = await shop.product();
  const expired = await shop.intent(ada, price);
  name('expired', expired.intentId);
  await advance(2);
  const paid = await shop.intent(ada, price);
  name('paid', paid.intentId);
  await shop.confirm(paid.intentId);
  const declined = await shop.intent(bob, price);
  name('declined', declined.intentId);
  await client.post(
    'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_declined" }) { id } }',
    {
      id: declined.intentId,
    },
  );
  const payments = `query ($c: ID!) { payments(customerId: $c, order: ASC) { nodes { id kind status } } }`;
  const [charge] = (await client.graphql(payments, { c: ada.id })).payments.nodes;
  name('charge', charge.id);
  name('failed charge', (await client.graphql(payments, { c: bob.id })).payments.nodes[0].id);
  await client.graphql(
    'mutation ($id: ID!) { simulateDispute(id: $id, input: { status: needs_response }) { id } }',
    { id: charge.id },
  );
  name('dispute', (await client.graphql('{ disputes { nodes { id } } }')).disputes.nodes[0].id);
  const coupon = async (fields: string) =>
    (
      await client.graphql(
        `mutation { createCoupon(input: { name: "Sale", percentOff: 5, ${fields} }) { id } }`,
      )
    ).createCoupon.id;
  const apply =
    'mutation ($c: ID!, $coupon: ID!) { applyDiscount(input: { customerId: $c, couponId: $coupon }) { id } }';
  names.set('coupon', await coupon('duration: forever'));
  const removed = (await client.graphql(apply, { c: ada.id, coupon: names.get('coupon') })).applyDiscount.id;
  name('removed discount', removed);
  await client.graphql('mutation ($id: ID!) { removeDiscount(id: $id) { id } }', { id: removed });
  name(
    'discount',
    (await client.graphql(apply, { c: bob.id, coupon: names.get('coupon') })).applyDiscount.id,
  );
  const other = await coupon('duration: once');
  name('other discount', (await client.graphql(apply, { c: bob.id, coupon: other })).applyDiscount.id);
  const money = '{ amount: 4, currency: "afn" }';
  const add = async (label: string, customer: any) => {
    const made = await client.graphql(
      `mutation ($c: ID!) { createInvoiceItem(input: { customerId: $c, amount: ${money}, description: "Work" }) { id } }`,
      { c: customer.id },
    );
    name(label, made.createInvoiceItem.id);
    return made.createInvoiceItem.id;
  };
  await add('billed', bob);
  await client.graphql(
    `mutation ($c: ID!) { createInvoice(input: { customerId: $c, items: [{ amount: ${money}, description: "More" }], collect: send_invoice }) { id } }`,
    { c: bob.id },
  );
  const deleted = await add('deleted', ada);
  await client.graphql('mutation ($id: ID!) { deleteInvoiceItem(id: $id) { id } }', { id: deleted });
  await add('waiting', ada);
  const grant = async (label: string, customer: any, expiresAt: string | null) => {
    const made = await client.graphql(
      `mutation ($c: ID!, $end: DateTime) { grantCredit(input: { customerId: $c, amount: ${money}, reason: "Thanks", expiresAt: $end }) { id } }`,
      { c: customer.id, end: expiresAt },
    );
    name(label, made.grantCredit.id);
  };
  await grant('expiring', ada, at(3));
  const create = async (label: string, customer: any, fields: string) => {
    const made = await client.graphql(
      `mutation ($c: ID!) { createCreditGrant(input: { customerId: $c, name: "Credit", amount: ${money}, ${fields} }) { id } }`,
      { c: customer.id },
    );
    name(label, made.createCreditGrant.id);
  };
  await create('short grant', ada, `category: paid, expiresAt: "${at(3)}"`);
  await create('later grant', ada, `category: promotional, effectiveAt: "${at(9)}"`);
  await advance(4);
  await grant('credit', bob, null);
  await create('grant', bob, 'category: promotional');
  const open = await shop.intent(bob, (await shop.product()).price);
  name('open', open.intentId);
});
afterAll(() => app.close());

const list = async (query: string): Promise<string[]> => {
  const text = query
    .replaceAll('ADA', JSON.stringify(ada.id))
    .replaceAll('BOB', JSON.stringify(bob.id))
    .replaceAll('COUPON', JSON.stringify(names.get('coupon')));
  const data = await client.graphql(
    `{ list: ${text} { totalCount nodes { id customerId customer { id } } } }`,
  );
  const { nodes, totalCount } = data.list;
  expect(totalCount).toBe(nodes.length);
  for (const { customerId, customer } of nodes) expect(customer).toEqual({ id: customerId });
  return nodes.map(({ id }: any) => names.get(id) ?? id);
};

const afterTwoDays = 'createdAfter: "2026-01-03"';
it.each<[string, string[]]>([
  ['intents(order: ASC)', ['expired', 'paid', 'declined', 'open']],
  ['intents', ['open', 'declined', 'paid', 'expired']],
  ['intents(customerId: ADA)', ['paid', 'expired']],
  ['intents(status: requires_payment_method)', ['open']],
  ['intents(status: succeeded)', ['paid']],
  ['intents(status: expired)', ['declined', 'expired']],
  ['intents(status: expired, customerId: BOB)', ['declined']],
  ['intents(status: processing)', []],
  [`intents(${afterTwoDays})`, ['open', 'declined', 'paid']],
  ['intents(createdBefore: "2026-01-03")', ['expired']],
  [`intents(${afterTwoDays}, createdBefore: "2026-01-04", status: succeeded)`, ['paid']],
  ['intents(createdAfter: "2026-01-04", createdBefore: "2026-01-04")', []],
  ['payments(order: ASC)', ['charge', 'failed charge', 'dispute']],
  ['payments(kind: charge)', ['failed charge', 'charge']],
  ['payments(kind: dispute)', ['dispute']],
  ['payments(kind: refund)', []],
  ['payments(status: failed)', ['failed charge']],
  ['payments(status: failed, kind: refund)', []],
  ['payments(declineCode: card_declined)', ['failed charge']],
  ['payments(declineCode: card_declined, customerId: BOB, kind: charge, status: failed)', ['failed charge']],
  ['payments(declineCode: card_declined, customerId: ADA)', []],
  ['payments(declineCode: card_declined, status: succeeded)', []],
  ['payments(declineCode: expired_card)', []],
  ['payments(status: succeeded)', ['dispute', 'charge']],
  ['payments(status: pending)', []],
  ['payments(customerId: ADA, kind: charge, status: succeeded)', ['charge']],
  [`payments(customerId: BOB, ${afterTwoDays})`, ['failed charge']],
  ['payments(createdBefore: "2026-01-03")', []],
  ['disputes', ['dispute']],
  ['disputes(customerId: BOB)', []],
  ['disputes(status: needs_response)', ['dispute']],
  ['disputes(status: won)', []],
  ['disputes(status: needs_response, customerId: ADA)', ['dispute']],
  ['discounts(order: ASC)', ['removed discount', 'discount', 'other discount']],
  ['discounts(customerId: ADA)', ['removed discount']],
  ['discounts(couponId: COUPON)', ['discount', 'removed discount']],
  ['discounts(couponId: COUPON, customerId: BOB)', ['discount']],
  ['discounts(active: true)', ['discount']],
  ['discounts(active: true, customerId: ADA)', []],
  ['discounts(active: false)', ['other discount', 'discount', 'removed discount']],
  ['invoiceItems(order: ASC)', ['billed', 'deleted', 'waiting']],
  ['invoiceItems(status: waiting)', ['waiting']],
  ['invoiceItems(status: billed)', ['billed']],
  ['invoiceItems(status: deleted)', ['deleted']],
  ['invoiceItems(status: deleted, customerId: BOB)', []],
  ['invoiceItems(customerId: ADA)', ['waiting', 'deleted']],
  ['credits', ['credit', 'expiring']],
  ['credits(usable: true)', ['credit']],
  ['credits(customerId: ADA)', ['expiring']],
  ['credits(customerId: ADA, usable: true)', []],
  ['credits(createdAfter: "2026-01-05")', ['credit']],
  ['creditGrants', ['grant', 'later grant', 'short grant']],
  ['creditGrants(usable: true)', ['grant']],
  ['creditGrants(category: paid)', ['short grant']],
  ['creditGrants(category: promotional, customerId: ADA)', ['later grant']],
  ['creditGrants(customerId: ADA, usable: true)', []],
  ['creditGrants(createdAfter: "2026-01-05")', ['grant']],
  ['creditGrants(creditTypeId: "cty_1")', []],
])('%s', async (query, expected) => {
  expect(await list(query)).toEqual(expected);
});

it.each(['waiting', 'billed', 'deleted'])('shows an item as %s', async (status) => {
  const { invoiceItems } = await client.graphql(`{ invoiceItems(status: ${status}) { nodes { status } } }`);
  expect(invoiceItems.nodes).toEqual([{ status }]);
});

it.each([
  ['intents', 'createdAfter: "yesterday"', 'validation_failed'],
  ['payments', 'createdBefore: "2026-02-30"', 'validation_failed'],
  ['credits', 'first: 101', 'validation_failed'],
  ['creditGrants', 'first: 101', 'validation_failed'],
  ['intents', 'after: CURSOR', 'cursor_invalid'],
  ['payments', 'customerId: "cus_1", after: CURSOR', 'cursor_invalid'],
  ['payments', 'declineCode: expired_card, after: CURSOR', 'cursor_invalid'],
  ['payments', 'declineCode: unknown', 'validation_failed'],
  ['payments', 'createdAfter: "2026-01-03", after: CURSOR', 'cursor_invalid'],
  ['disputes', 'after: CURSOR', 'cursor_invalid'],
])('refuses %s(%s)', async (field, args, reason) => {
  const { payments } = await client.graphql('{ payments(first: 1) { nextCursor } }');
  const given = args.replace('CURSOR', JSON.stringify(payments.nextCursor));
  const { body, status } = await client.post(`{ ${field}(${given}) { nodes { id } } }`);
  expect([body.errors[0].extensions.reason, status < 500]).toEqual([reason, true]);
});

it('continues a list of what can pay although time goes by', async () => {
  const page = (after: string | null) =>
    client.graphql(
      'query ($after: String) { discounts(active: true, first: 1, after: $after) { nextCursor } }',
      {
        after,
      },
    );
  const query = `{ discounts(active: true, first: 1) { pageInfo { endCursor } } }`;
  const { endCursor } = (await client.graphql(query)).discounts.pageInfo;
  await advance(4.5);
  expect((await page(endCursor)).discounts).toEqual({ nextCursor: null });
});
