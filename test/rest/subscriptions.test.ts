import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { dayMs, secondMs, stoppedClock } from '../support/clock.ts';
import { performer, type Perform, type Scenario } from '../support/scenario.ts';
import { confirmDocument, createShop, type Shop } from '../support/shop.ts';

const clock = stoppedClock('2026-01-31T10:00:00.000Z');
const tenantAlias = 'acme';
const own = (fields: object = {}) => ({ tenantAlias, ...fields });
const subscriptionKeys =
  'id tenantAlias paymentIntentId customerId productId priceId firstBillingDate nextBillingDate billedCount ' +
  'metadata createdAt cancelledAt';
const historyKeys = 'id customerId productName billing';
const afterTime = (ms: number) => new Date(clock.nowMs() + ms).toISOString();

let app: TestApp;
let client: Client;
let perform: Perform;
let shop: Shop;
/** Customers and products that nobody subscribes to. */
let customer: any;
let product: any;
let price: any;
let otherPrice: any;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  client = await app.tenant({ alias: tenantAlias });
  perform = performer(app, client, tenantAlias);
  shop = createShop(client, tenantAlias);
  customer = await shop.customer();
  ({ product, price } = await shop.product());
  otherPrice = (await shop.product()).price;
});
afterAll(() => app.close());

type Expected = Omit<Scenario, 'rest' | 'graphql'>;

const postIntent = (fields: object): Scenario['rest'] => ['POST', '/subscriptions/intent', fields];
const orderRequest = (fields: object = {}) => postIntent(shop.intentInput(customer, price, fields));
const created: Expected = { status: 201, keys: 'status intentId', traces: ['IntentEvent created'] };
const invalid = (...paths: string[]): Expected => ({ status: 400, reason: 'validation_failed', paths });

const confirm = (id: string, expected: Expected, method = 'sandbox_ok') =>
  perform({ graphql: [confirmDocument, { id, method }], ...expected });
const cancelIntent = (id: string, expected: Expected) =>
  perform({ graphql: ['mutation ($id: ID!) { cancelIntent(id: $id) { id status } }', { id }], ...expected });
const paid: Expected = {
  holds: { status: 'succeeded' },
  traces: [
    'IntentEvent payment_started',
    'IntentEvent succeeded',
    'PaymentMethodEvent created < IntentEvent succeeded',
    'SubscriptionEvent created < IntentEvent succeeded',
    'InvoiceEvent created < SubscriptionEvent created',
    'PaymentEvent succeeded < IntentEvent succeeded',
    'InvoiceEvent paid < PaymentEvent succeeded',
  ],
};
const declined: Expected = {
  reason: 'payment_failed',
  paths: ['paymentMethod'],
  traces: [
    'IntentEvent payment_started',
    'IntentEvent payment_failed',
    'PaymentEvent failed < IntentEvent payment_failed',
  ],
};
const notPayable: Expected = { reason: 'intent_not_payable', paths: ['id'] };

const fetchStatus = async (intentId: string) =>
  (
    await perform({
      rest: ['GET', `/subscriptions/intent/${intentId}`, own()],
      keys: 'status intentId paymentUrl',
    })
  ).status;
const active = async (of: any) =>
  perform({ rest: ['GET', '/subscriptions/active', own({ customer: of.id })], keys: subscriptionKeys });
const history = async (of: any, fields: object = {}) =>
  (await perform({ rest: ['GET', '/subscriptions', own({ customer: of.id, ...fields })], keys: historyKeys }))
    .data;
const cancel = (id: string, of: any, expected: Expected) =>
  perform({ rest: ['DELETE', `/subscriptions/${id}`, own({ customer: of.id })], ...expected });
/** How many rows of a table belong to the customer. */
const count = async (table: 'subscriptions' | 'invoices' | 'payments', of: any) =>
  (await app.service.store.committed.select(table, { where: { tenantAlias, customerId: of.id } })).length;

describe('an intent is created', () => {
  it('to be paid', async () => {
    const intent = await perform({ rest: orderRequest(), ...created });
    expect(intent).toEqual({ status: 'requires_payment_method', intentId: expect.stringMatching(/^int_/) });
    expect(await fetchStatus(intent.intentId)).toBe('requires_payment_method');
    expect(await active(customer)).toEqual([]);
    expect(await history(customer)).toEqual([]);
  });

  it('with all its fields, which GraphQL shows', async () => {
    const fields = {
      orderNumber: 'order-all',
      returnUrl: 'http://example.com/back?x=1',
      startDate: '2026-02-15',
      reason: 'moved house',
    };
    const { intentId } = await perform({ rest: orderRequest(fields), ...created });
    const document = `query ($id: ID!) { intent(id: $id) {
      orderNumber returnUrl startDate reason productName price { amount currency } customer { id } expiresAt subscription { id }
    } }`;
    expect((await client.graphql(document, { id: intentId })).intent).toEqual({
      ...fields,
      startDate: '2026-02-15T00:00:00.000Z',
      productName: product.name,
      price: { amount: 50, currency: 'afn' },
      customer: { id: customer.id },
      expiresAt: afterTime(dayMs),
      subscription: null,
    });
  });

  it('once for an order number', async () => {
    const fields = { orderNumber: 'order-1', startDate: '2026-02-20' };
    const first = await perform({ rest: orderRequest(fields), ...created });
    const again = await perform({ rest: orderRequest(fields), ...created, traces: [] });
    expect(again).toEqual(first);
    const reused: Expected = { status: 409, reason: 'order_number_reused', paths: ['orderNumber'] };
    for (const other of [
      { startDate: '2026-02-21' },
      { reason: 'x' },
      { receiptUrl: 'https://example.com/' },
    ]) {
      await perform({ rest: orderRequest({ ...fields, ...other }), ...reused });
    }
    const requests = [1, 2, 3].map(() =>
      client.rest(
        'POST',
        '/subscriptions/intent',
        shop.intentInput(customer, price, { orderNumber: 'order-2' }),
      ),
    );
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.intentId)).size).toBe(1);
  });

  it('for a future start, or today', async () => {
    for (const startDate of [
      '2026-01-31',
      afterTime(0),
      afterTime(1),
      '2026-02-01',
      '2026-01-31T12:00:00+01:00',
    ]) {
      await perform({ rest: orderRequest({ startDate }), ...created });
    }
  });

  const refused: [string, () => object, Expected][] = [
    [
      'nothing',
      () => ({
        customerId: undefined,
        associatedCustomerId: undefined,
        productId: undefined,
        priceId: undefined,
        receiptUrl: undefined,
      }),
      invalid('customerId', 'associatedCustomerId', 'productId', 'priceId', 'receiptUrl'),
    ],
    [
      'a start in the past',
      () => ({ startDate: afterTime(-1) }),
      { status: 400, reason: 'start_date_in_past', paths: ['startDate'] },
    ],
    [
      'yesterday',
      () => ({ startDate: '2026-01-30' }),
      { status: 400, reason: 'start_date_in_past', paths: ['startDate'] },
    ],
    [
      'this midnight',
      () => ({ startDate: '2026-01-31T00:00:00.000Z' }),
      { status: 400, reason: 'start_date_in_past', paths: ['startDate'] },
    ],
    ['no date', () => ({ startDate: 'soon' }), invalid('startDate')],
    ['no day of the calendar', () => ({ startDate: '2026-02-30' }), invalid('startDate')],
    [
      'an unknown customer',
      () => ({ customerId: 'cus_unknown' }),
      { status: 404, reason: 'customer_not_found' },
    ],
    [
      "another customer's associated id",
      () => ({ associatedCustomerId: 'other' }),
      { status: 403, reason: 'associated_id_mismatch' },
    ],
    [
      'an unknown product',
      () => ({ productId: 'prod_unknown' }),
      { status: 404, reason: 'product_not_found' },
    ],
    ['an unknown price', () => ({ priceId: 'price_unknown' }), { status: 404, reason: 'price_not_found' }],
    [
      "another product's price",
      () => ({ priceId: otherPrice.id }),
      { status: 404, reason: 'price_not_found' },
    ],
    ['an address that is none', () => ({ receiptUrl: 'thanks' }), invalid('receiptUrl')],
    [
      'an address of another kind',
      () => ({ receiptUrl: 'javascript:alert(1)', returnUrl: 'file:///etc/passwd' }),
      invalid('receiptUrl', 'returnUrl'),
    ],
    ['an empty order number', () => ({ orderNumber: '' }), invalid('orderNumber')],
    ['an unknown field', () => ({ coupon: 'FREE' }), invalid('coupon')],
  ];
  it.each(refused)('not with %s', (_, fields, expected) =>
    perform({ rest: orderRequest(fields()), ...expected }),
  );

  it('not for a product that cannot be bought', async () => {
    const inactive = await shop.product({ active: false });
    const expiring = await shop.product({ expiresAt: afterTime(secondMs) });
    await perform({ rest: postIntent(shop.intentInput(customer, inactive.price)), ...invalid('productId') });
    await perform({ rest: postIntent(shop.intentInput(customer, expiring.price)), ...created });
    clock.advance(secondMs);
    await perform({ rest: postIntent(shop.intentInput(customer, expiring.price)), ...invalid('productId') });
    const deleted = await shop.product();
    await client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: deleted.product.id });
    const missing: Expected = { status: 404, reason: 'product_not_found' };
    await perform({ rest: postIntent(shop.intentInput(customer, deleted.price)), ...missing });
  });

  it('and an unknown one is not found', async () => {
    const missing: Expected = { status: 404, reason: 'intent_not_found' };
    await perform({ rest: ['GET', '/subscriptions/intent/int_unknown', own()], ...missing });
    await confirm('int_unknown', { reason: 'intent_not_found' });
    await cancelIntent('int_unknown', { reason: 'intent_not_found' });
  });
});

describe('an intent is paid', () => {
  it('and the subscription, its history and its invoice exist', async () => {
    const [payer, mine] = [await shop.customer(), await shop.product({ name: 'Gold', amount: 12.5 })];
    const { intentId } = await shop.intent(payer, mine.price);
    const { subscriptionId } = await confirm(intentId, paid);
    const subscription = {
      id: subscriptionId,
      tenantAlias,
      paymentIntentId: intentId,
      customerId: payer.id,
      productId: mine.product.id,
      priceId: mine.price.id,
      firstBillingDate: clock.now(),
      nextBillingDate: '2026-02-28T10:00:01.000Z',
      billedCount: 1,
      metadata: {},
      createdAt: clock.now(),
      cancelledAt: null,
    };
    expect(clock.now()).toBe('2026-01-31T10:00:01.000Z');
    expect(await active(payer)).toEqual([subscription]);
    const one = await perform({
      rest: ['GET', `/subscriptions/${subscriptionId}`, own()],
      keys: subscriptionKeys,
    });
    expect(one).toEqual(subscription);
    expect(await history(payer)).toEqual([
      {
        id: expect.any(String),
        customerId: payer.id,
        productName: 'Gold',
        billing: {
          price: { amount: 12.5, currency: 'afn' },
          startDate: clock.now(),
          endDate: subscription.nextBillingDate,
        },
      },
    ]);
    const { invoices } = await client.graphql(
      'query ($id: ID) { invoices(customerId: $id) { nodes { status total { amount } lines { kind } } } }',
      { id: payer.id },
    );
    expect(invoices.nodes).toEqual([{ status: 'paid', total: { amount: 12.5 }, lines: [{ kind: 'cycle' }] }]);
    expect(await fetchStatus(intentId)).toBe('succeeded');
  });

  it('with another method after a decline; and only once', async () => {
    const payer = await shop.customer();
    const { intentId } = await shop.intent(payer, price);
    for (const method of ['sandbox_declined', 'sandbox_declined']) await confirm(intentId, declined, method);
    expect(await fetchStatus(intentId)).toBe('requires_payment_method');
    expect([await active(payer), await history(payer)]).toEqual([[], []]);
    await confirm(intentId, paid);
    await confirm(intentId, notPayable);
    expect([await count('subscriptions', payer), await count('invoices', payer)]).toEqual([1, 1]);
    expect(await count('payments', payer)).toBe(3);
  });

  it('once, also with two concurrent confirmations', async () => {
    const payer = await shop.customer();
    const { intentId: id } = await shop.intent(payer, price);
    const confirmations = [1, 2, 3].map(() => client.post(confirmDocument, { id, method: 'sandbox_ok' }));
    const reasons = (await Promise.all(confirmations)).map(({ body }) => body.errors?.[0].extensions.reason);
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'intent_not_payable')).toHaveLength(2);
    for (const table of ['subscriptions', 'invoices', 'payments'] as const)
      expect(await count(table, payer)).toBe(1);
  });

  it('once for a product, when two intents for it are confirmed at the same time', async () => {
    const payer = await shop.customer();
    const intents = [await shop.intent(payer, price), await shop.intent(payer, price)];
    const confirmations = intents.map(({ intentId: id }) =>
      client.post(confirmDocument, { id, method: 'sandbox_ok' }),
    );
    const answers = await Promise.all(confirmations);
    expect(answers.filter(({ body }) => body.errors)).toHaveLength(1);
    for (const table of ['subscriptions', 'invoices', 'payments'] as const)
      expect(await count(table, payer)).toBe(1);
    const late = answers.findIndex(({ body }) => body.errors);
    await confirm(intents[late]!.intentId, { reason: 'subscription_exists', paths: ['productId'] });
  });

  it('not after it is cancelled', async () => {
    const { intentId } = await shop.intent(await shop.customer(), price);
    await cancelIntent(intentId, { holds: { status: 'cancelled' }, traces: ['IntentEvent cancelled'] });
    await confirm(intentId, notPayable);
    await cancelIntent(intentId, notPayable);
    expect(await fetchStatus(intentId)).toBe('cancelled');
  });

  it('and cannot be cancelled afterwards', async () => {
    const payer = await shop.customer();
    const { intentId } = await shop.intent(payer, price);
    await confirm(intentId, paid);
    await cancelIntent(intentId, notPayable);
    expect(await active(payer)).toHaveLength(1);
  });

  it('within 24 hours', async () => {
    const [soon, late] = [await shop.customer(), await shop.customer()];
    const [first, second] = [
      await shop.intent(soon, price),
      await shop.intent(late, price, { orderNumber: 'late' }),
    ];
    clock.advance(dayMs - 1);
    await confirm(first.intentId, paid);
    clock.advance(1);
    expect(await fetchStatus(second.intentId)).toBe('expired');
    await confirm(second.intentId, notPayable);
    await cancelIntent(second.intentId, notPayable);
    const again = postIntent(shop.intentInput(late, price, { orderNumber: 'late' }));
    expect((await perform({ rest: again, ...created, traces: [] })).status).toBe('expired');
    expect([await active(late), await fetchStatus(first.intentId)]).toEqual([[], 'succeeded']);
  });

  it('for a future start: nothing is charged until then', async () => {
    const payer = await shop.customer();
    const startDate = afterTime(5 * dayMs);
    const { intentId } = await shop.intent(payer, price, { startDate });
    const { subscriptionId } = await confirm(intentId, {
      holds: { status: 'succeeded' },
      traces: paid.traces!.slice(0, 4),
    });
    const path = `/subscriptions/${subscriptionId}`;
    const waiting = {
      firstBillingDate: startDate,
      nextBillingDate: startDate,
      billedCount: 0,
      cancelledAt: null,
    };
    await perform({ rest: ['GET', path, own()], keys: subscriptionKeys, holds: waiting });
    expect([await active(payer), await history(payer)]).toEqual([[], []]);
    expect([await count('invoices', payer), await count('payments', payer)]).toEqual([0, 0]);
    await perform({
      rest: postIntent(shop.intentInput(payer, price)),
      status: 409,
      reason: 'subscription_exists',
      paths: ['productId'],
    });
  });

  it('and a second intent for the product is refused until the subscription is cancelled', async () => {
    const payer = await shop.customer();
    const { id } = await shop.subscribe(payer, price);
    const again = postIntent(shop.intentInput(payer, price));
    await perform({ rest: again, status: 409, reason: 'subscription_exists', paths: ['productId'] });
    await cancel(id, payer, { traces: ['SubscriptionEvent cancelled'] });
    const { intentId } = await perform({ rest: again, ...created });
    // The card is known already.
    const traces = paid.traces!.filter((trace) => !trace.startsWith('PaymentMethodEvent'));
    await confirm(intentId, { ...paid, traces });
    expect(await active(payer)).toHaveLength(1);
    expect(await history(payer)).toHaveLength(2);
  });
});

describe('a subscription is cancelled', () => {
  it('at once, for its own customer, one time', async () => {
    const [payer, stranger] = [await shop.customer(), await shop.customer()];
    const subscription = await shop.subscribe(payer, price);
    const missing: Expected = { status: 404, reason: 'subscription_not_found' };
    await cancel(subscription.id, stranger, missing);
    await cancel('sub_unknown', payer, missing);
    await perform({ rest: ['DELETE', `/subscriptions/${subscription.id}`, own()], ...invalid('customer') });
    const cancelledAt = clock.advance(secondMs);
    const traces = ['SubscriptionEvent cancelled'];
    const ended = await cancel(subscription.id, payer, { keys: subscriptionKeys, traces });
    expect(ended).toEqual({ ...subscription, nextBillingDate: null, cancelledAt });
    await cancel(subscription.id, payer, { status: 409, reason: 'subscription_not_active' });
    expect(await active(payer)).toEqual([]);
    expect(await history(payer)).toHaveLength(1);
    await perform({ rest: ['GET', `/subscriptions/${subscription.id}`, own()], holds: { cancelledAt } });
    await perform({ rest: ['GET', '/subscriptions/sub_unknown', own()], ...missing });
  });
});

describe('the history of a customer', () => {
  let payer: any;
  /** The beginnings of the periods, oldest first: one each day at 10:00. */
  const begins: string[] = [];

  beforeAll(async () => {
    payer = await shop.customer();
    clock.advance(Date.parse('2026-02-10T10:00:00.000Z') - clock.nowMs());
    for (let index = 0; index < 5; index++) {
      const { price: each } = await shop.product({ name: `Product ${index}`, amount: index });
      await shop.subscribe(payer, each);
      begins.push(clock.now());
      clock.advance(dayMs);
    }
  });

  const found = async (fields: object) =>
    (await history(payer, fields)).map(({ billing }: any) => billing.startDate);

  it('has the paid periods in both orders', async () => {
    expect(await found({})).toEqual(begins.toReversed());
    expect(await found({ order: 'desc' })).toEqual(begins.toReversed());
    expect(await found({ order: 'asc' })).toEqual(begins);
    const names = (await history(payer, { order: 'asc' })).map(({ productName }: any) => productName);
    expect(names).toEqual([0, 1, 2, 3, 4].map((index) => `Product ${index}`));
  });

  it('is bounded by dates, both included', async () => {
    const rows: [object, string[]][] = [
      [{ startDate: '2026-02-12' }, begins.slice(2)],
      [{ endDate: '2026-02-12' }, begins.slice(0, 3)],
      [{ startDate: '2026-02-11', endDate: '2026-02-12' }, begins.slice(1, 3)],
      [{ startDate: '2026-02-12', endDate: '2026-02-12' }, begins.slice(2, 3)],
      [{ startDate: begins[1], endDate: begins[3] }, begins.slice(1, 4)],
      [{ startDate: '2026-02-11T10:00:00.001Z', endDate: '2026-02-13T09:59:59.999Z' }, begins.slice(2, 3)],
      [{ startDate: '2026-02-11T14:30:00+04:30', endDate: '2026-02-11T14:30:00+04:30' }, begins.slice(1, 2)],
      [{ endDate: '2026-02-12T00:00:00Z' }, begins.slice(0, 2)],
      [{ startDate: '2026-03-01' }, []],
      [{ startDate: '2026-02-14', endDate: '2026-02-10' }, []],
    ];
    for (const [bounds, wanted] of rows) expect(await found({ ...bounds, order: 'asc' })).toEqual(wanted);
  });

  it('is paged', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    for (const size of [2, 2, 1]) {
      const fields = own({
        customer: payer.id,
        limit: '2',
        startDate: '2026-02-10',
        ...(cursor && { cursor }),
      });
      const { data, nextCursor } = await perform({
        rest: ['GET', '/subscriptions', fields],
        keys: historyKeys,
      });
      expect(data).toHaveLength(size);
      seen.push(...data.map(({ billing }: any) => billing.startDate));
      cursor = nextCursor;
    }
    expect(seen).toEqual(begins.toReversed());
    expect(cursor).toBeNull();
  });

  it('is limited to customers of the tenant', async () => {
    const get = (fields: object): Scenario['rest'] => ['GET', '/subscriptions', own(fields)];
    await perform({ rest: get({}), ...invalid('customer') });
    await perform({ rest: get({ customer: 'cus_unknown' }), status: 404, reason: 'customer_not_found' });
    await perform({ rest: get({ customer: payer.id, startDate: 'x' }), ...invalid('startDate') });
    await perform({ rest: get({ customer: payer.id, endDate: '2026-13-01' }), ...invalid('endDate') });
    const missing: Expected = { status: 404, reason: 'customer_not_found' };
    await perform({ rest: ['GET', '/subscriptions/active', own({ customer: 'cus_unknown' })], ...missing });
    await perform({ rest: ['GET', '/subscriptions/active', own()], ...invalid('customer') });
  });

  it('lists active subscriptions newest first', async () => {
    const beginnings = (await active(payer)).map(({ firstBillingDate }: any) => firstBillingDate);
    expect(beginnings).toEqual(begins.toReversed());
  });
});

describe('the agreed terms stay', () => {
  it('when the catalogue is edited and deleted', async () => {
    const payer = await shop.customer();
    const group = await shop.group();
    const mine = await shop.product({ groupId: group.id, name: 'Old name', amount: 20 });
    const subscription = await shop.subscribe(payer, mine.price);
    const document = `query ($id: ID!) { subscription(id: $id) { productName agreedPrice { amount currency } status } }`;
    const agreed = async () => (await client.graphql(document, { id: subscription.id })).subscription;
    const before = { agreed: await agreed(), history: await history(payer) };
    expect(before.agreed).toEqual({
      productName: 'Old name',
      agreedPrice: { amount: 20, currency: 'afn' },
      status: 'active',
    });

    const path = `/products/${mine.product.id}`;
    const edits: [Scenario['rest'], ...string[]][] = [
      [
        ['PATCH', path, own({ name: 'New name', active: false, expiresAt: '2026-01-01' })],
        'ProductEvent updated',
      ],
      [
        ['PATCH', `${path}/prices/${mine.price.id}`, own({ details: { amount: 99, currency: 'usd' } })],
        'PriceEvent updated',
      ],
      [
        ['PATCH', path, own({ groupId: null })],
        'ProductEvent updated',
        'SubscriptionEvent group_changed < ProductEvent updated',
      ],
    ];
    for (const [rest, ...traces] of edits) {
      await perform({ rest, traces });
      expect({ agreed: await agreed(), history: await history(payer) }).toEqual(before);
    }
    await client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: mine.product.id });
    expect({ agreed: await agreed(), history: await history(payer) }).toEqual(before);
    expect(await active(payer)).toEqual([subscription]);
    const now = 'query ($id: ID!) { subscription(id: $id) { product { deleted } price { id } } }';
    const { product: gone } = (await client.graphql(now, { id: subscription.id })).subscription;
    expect(gone).toEqual({ deleted: true });
  });
});

describe('deletion includes', () => {
  it('subscriptions and open intents of a customer, but not the books', async () => {
    const payer = await shop.customer();
    const subscription = await shop.subscribe(payer, price);
    const scheduled = await shop.subscribe(payer, otherPrice, { startDate: afterTime(dayMs) });
    const third = (await shop.product()).price;
    const { intentId } = await shop.intent(payer, third);
    await perform({
      rest: ['DELETE', `/customers/${payer.id}`, own({ associatedId: payer.associatedId })],
      traces: [
        'CustomerEvent deleted',
        'SubscriptionEvent cancelled < CustomerEvent deleted',
        'SubscriptionEvent cancelled < CustomerEvent deleted',
        'IntentEvent cancelled < CustomerEvent deleted',
        'PaymentMethodEvent removed < CustomerEvent deleted',
      ],
    });
    for (const { id } of [subscription, scheduled]) {
      const ended = { cancelledAt: clock.now(), nextBillingDate: null };
      await perform({ rest: ['GET', `/subscriptions/${id}`, own()], holds: ended });
    }
    await confirm(intentId, notPayable);
    expect(await fetchStatus(intentId)).toBe('cancelled');
    expect([await count('invoices', payer), await count('payments', payer)]).toEqual([1, 1]);
    const rest: Scenario['rest'] = ['GET', '/subscriptions', own({ customer: payer.id })];
    await perform({ rest, status: 404, reason: 'customer_not_found' });
  });

  it('products, prices, subscriptions and open intents of a group', async () => {
    const [payer, other] = [await shop.customer(), await shop.customer()];
    const group = await shop.group();
    const mine = await shop.product({ groupId: group.id });
    const kept = await shop.subscribe(payer, price);
    const lost = await shop.subscribe(payer, mine.price);
    const { intentId } = await shop.intent(other, mine.price);
    const before = await history(payer);
    await perform({
      rest: ['DELETE', `/groups/${group.id}`, own()],
      keys: 'id tenantAlias name metadata createdAt updatedAt prorateUpgrades',
      traces: [
        'GroupEvent deleted',
        'SubscriptionEvent cancelled < GroupEvent deleted',
        'IntentEvent cancelled < GroupEvent deleted',
        'ProductEvent deleted < GroupEvent deleted',
        'PriceEvent deleted < ProductEvent deleted',
      ],
    });
    expect(await active(payer)).toEqual([kept]);
    const ended = { cancelledAt: clock.now(), nextBillingDate: null };
    await perform({ rest: ['GET', `/subscriptions/${lost.id}`, own()], holds: ended });
    expect(await history(payer)).toEqual(before);
    await confirm(intentId, notPayable);
    const missing: Expected = { status: 404, reason: 'product_not_found' };
    await perform({ rest: postIntent(shop.intentInput(other, mine.price)), ...missing });
    await perform({ rest: ['DELETE', `/groups/${group.id}`, own()], status: 404, reason: 'group_not_found' });
  });
});
