/** Lookup keys of products, prices, coupons and features: unique, transferable, and accepted wherever ids are. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { listKeyedFields } from '../../../src/graphql/lookupKeys.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let client: Client;
let other: Client;
const ids = { product: '', price: '', coupon: '', feature: '', customer: '' };

const price = { details: { amount: 20, currency: 'usd' } };
const createProduct = (input: object, by = client) =>
  by.graphql(
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id lookupKey prices { id lookupKey } } }',
    { input: { name: 'Pro', description: '', ...input } },
  );
const addPrices = (productId: string, prices: object[], by = client) =>
  by.post(
    'mutation ($input: CreatePricesInput!) { createPrices(input: $input) { id lookupKey details { amount } } }',
    { input: { productId, prices } },
  );
const refusal = ({ body }: any) => {
  const { reason, issues } = body.errors[0].extensions;
  return `${reason} ${(issues ?? []).map(({ path }: any) => path).join()}`.trim();
};
const send = async (by: Client, query: string, variables: object = {}) => {
  const answer = await by.post(query, variables as Record<string, unknown>);
  return answer.body.errors ? refusal(answer) : answer.body.data;
};

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
  const made = await createProduct({ lookupKey: 'pro', prices: [{ ...price, lookupKey: 'pro_monthly' }] });
  ids.product = made.createProduct.id;
  ids.price = made.createProduct.prices[0].id;
  const { createCoupon } = await client.graphql(
    'mutation { createCoupon(input: {name: "Spring", percentOff: "10", duration: once, productIds: ["pro"], lookupKey: "spring"}) { id lookupKey products { id } } }',
  );
  expect(createCoupon).toEqual({
    id: expect.any(String),
    lookupKey: 'spring',
    products: [{ id: ids.product }],
  });
  ids.coupon = createCoupon.id;
  const { createFeature } = await client.graphql(
    'mutation { createFeature(input: {key: "seats", name: "Seats", kind: limit}) { id } }',
  );
  ids.feature = createFeature.id;
  const { createCustomer } = await client.graphql(
    'mutation { createCustomer(input: {email: "a@b.example", firstName: "A", lastName: "B", associatedId: "a"}) { id } }',
  );
  ids.customer = createCustomer.id;
});
afterAll(() => app.close());

it('knows every argument that is the id of such a record', () => {
  const list = (slots: any[], path: string): string[] =>
    slots.flatMap(({ name, slots: inner }) => (inner ? list(inner, `${path}.${name}`) : [`${path}.${name}`]));
  const found = [...listKeyedFields(schema)].flatMap(([field, slots]) => list(slots, field.name));
  expect(found.toSorted()).toMatchInlineSnapshot(`
    [
      "applyDiscount.input.couponId",
      "archiveFeature.id",
      "archivePrice.id",
      "attachFeature.input.productId",
      "changeSubscription.input.addOns.priceId",
      "changeSubscription.input.priceId",
      "coupon.id",
      "createCoupon.input.productIds",
      "createCreditGrant.input.appliesTo.priceIds",
      "createPrices.input.productId",
      "createPromotionCode.input.couponId",
      "createSubscriptionIntent.input.addOns.priceId",
      "createSubscriptionIntent.input.couponId",
      "createSubscriptionIntent.input.priceId",
      "createSubscriptionIntent.input.productId",
      "deleteProduct.id",
      "detachFeature.input.productId",
      "discounts.couponId",
      "feature.id",
      "overrideUsagePrice.input.priceId",
      "previewAttachFeature.input.productId",
      "previewDetachFeature.input.productId",
      "previewSubscription.input.addOns.priceId",
      "previewSubscription.input.couponId",
      "previewSubscription.input.priceId",
      "previewSubscription.input.productId",
      "previewSubscriptionChange.input.addOns.priceId",
      "previewSubscriptionChange.input.priceId",
      "price.id",
      "price.productId",
      "product.id",
      "promotionCodes.couponId",
      "subscriptions.productId",
      "unarchivePrice.id",
      "updateCoupon.id",
      "updateFeature.id",
      "updatePrice.id",
      "updatePrice.input.productId",
      "updateProduct.id",
      "updateTenant.input.portal.productIds",
      "updateTenant.input.portal.retentionCouponId",
    ]
  `);
});

describe.each<[string, string, (id: string) => object]>([
  ['query ($id: ID!) { product(id: $id) { id } }', 'product', (id) => ({ product: { id } })],
  ['query ($id: ID!) { price(id: $id) { id } }', 'price', (id) => ({ price: { id } })],
  ['query ($id: ID!) { price(id: $id, productId: "pro") { id } }', 'price', (id) => ({ price: { id } })],
  ['query ($id: ID!) { coupon(id: $id) { id } }', 'coupon', (id) => ({ coupon: { id } })],
  ['query ($id: ID!) { feature(id: $id) { id } }', 'feature', (id) => ({ feature: { id } })],
  [
    'mutation ($id: ID!) { updateProduct(id: $id, input: {name: "Pro"}) { id } }',
    'product',
    (id) => ({ updateProduct: { id } }),
  ],
  [
    'mutation ($id: ID!) { updatePrice(id: $id, input: {productId: "pro"}) { id } }',
    'price',
    (id) => ({ updatePrice: { id } }),
  ],
  ['mutation ($id: ID!) { archivePrice(id: $id) { id } }', 'price', (id) => ({ archivePrice: { id } })],
  ['mutation ($id: ID!) { unarchivePrice(id: $id) { id } }', 'price', (id) => ({ unarchivePrice: { id } })],
  [
    'mutation ($id: ID!) { updateCoupon(id: $id, input: {name: "Spring"}) { id } }',
    'coupon',
    (id) => ({ updateCoupon: { id } }),
  ],
  [
    'mutation ($id: ID!) { updateFeature(id: $id, input: {name: "Seats"}) { id } }',
    'feature',
    (id) => ({ updateFeature: { id } }),
  ],
  [
    'mutation ($id: ID!) { attachFeature(input: {productId: $id, feature: "seats", value: 5}) { productId } }',
    'product',
    (productId) => ({ attachFeature: { productId } }),
  ],
  [
    'query ($id: ID!) { subscriptions(productId: $id) { nodes { id } } }',
    'product',
    () => ({ subscriptions: { nodes: [] } }),
  ],
  [
    'mutation ($id: ID!) { updateTenant(input: {portal: {productIds: [$id]}}) { portal { productIds } } }',
    'product',
    (id) => ({ updateTenant: { portal: { productIds: [id] } } }),
  ],
])('%s', (query, kind, expected) => {
  const key = { product: 'pro', price: 'pro_monthly', coupon: 'spring', feature: 'seats' }[kind]!;
  // Three times: the third is a compiled operation.
  it.each([1, 2, 3])('takes the key as it takes the id (%i)', async () => {
    const id = ids[kind as keyof typeof ids];
    expect(await send(client, query, { id })).toEqual(expected(id));
    expect(await send(client, query, { id: key })).toEqual(expected(id));
  });

  it('refuses the key of another tenant and what is no key as it refuses an unknown id', async () => {
    const refused = await send(client, query, {
      id: `${{ product: 'prod', price: 'price', coupon: 'coup', feature: 'feat' }[kind]}_${'0'.repeat(26)}`,
    });
    for (const unknown of ['nobody', 'PRO', '../pro', 'p ro', 'x'.repeat(5000), 'pro\u0001', '😀'])
      expect(await send(client, query, { id: unknown })).toEqual(refused);
    expect(await send(other, query, { id: key })).toEqual(await send(other, query, { id: 'nobody' }));
  });
});

it('orders by key, through GraphQL and REST', async () => {
  const { previewSubscription } = await client.graphql(
    'query ($input: PreviewSubscriptionInput!) { previewSubscription(input: $input) { total { amount } } }',
    { input: { productId: 'pro', priceId: 'pro_monthly', couponId: 'spring' } },
  );
  expect(previewSubscription.total.amount).toBe(18);
  const { body, status } = await client.rest('POST', '/subscriptions/intent', {
    tenantAlias: 'acme',
    customerId: ids.customer,
    associatedCustomerId: 'a',
    productId: 'pro',
    priceId: 'pro_monthly',
    receiptUrl: 'https://shop.example/thanks',
  });
  expect(status).toBe(201);
  const { intents } = await client.graphql('{ intents(first: 2) { nodes { id productId priceId } } }');
  expect(intents.nodes).toEqual([
    { id: body.intentId ?? body.id, productId: ids.product, priceId: ids.price },
  ]);
});

it('shows and takes keys in REST', async () => {
  const made = await client.rest('POST', '/products', {
    tenantAlias: 'acme',
    name: 'Rest',
    description: '',
    lookupKey: 'rest',
    prices: [{ ...price, lookupKey: 'rest_monthly' }],
  });
  expect(made.body).toMatchObject({
    product: { lookupKey: 'rest' },
    prices: [{ lookupKey: 'rest_monthly' }],
  });
  const plain = await client.rest('POST', '/products', {
    tenantAlias: 'acme',
    name: 'Plain',
    description: '',
  });
  expect(plain.body.product).not.toHaveProperty('lookupKey');
  const found = await client.rest('GET', '/products/rest?tenantAlias=acme');
  expect(found.body.id).toBe(made.body.product.id);
  const added = await client.rest('POST', '/products/rest/prices', {
    tenantAlias: 'acme',
    prices: [{ ...price, lookupKey: 'rest_monthly', transferLookupKey: true }],
  });
  const listed = await client.rest('GET', '/products/rest/prices?tenantAlias=acme');
  expect(JSON.stringify(listed.body).match(/rest_monthly/g)).toHaveLength(1);
  const changed = await client.rest('PATCH', '/products/rest/prices/rest_monthly', {
    tenantAlias: 'acme',
    lookupKey: 'rest_m',
  });
  expect(changed.body).toMatchObject({
    id: added.body[0]?.id ?? added.body.prices?.[0]?.id,
    lookupKey: 'rest_m',
  });
  const filtered = await client.rest('GET', '/products?tenantAlias=acme&lookupKey=rest');
  expect(filtered.body.data.map(({ id }: any) => id)).toEqual([made.body.product.id]);
});

describe('a key', () => {
  it.each<[string, unknown, string]>([
    ['empty', '', 'validation_failed lookupKey'],
    ['with a space', 'a b', 'validation_failed lookupKey'],
    ['with a slash', 'a/b', 'validation_failed lookupKey'],
    ['that begins with a dot', '.a', 'validation_failed lookupKey'],
    ['of 201 characters', 'a'.repeat(201), 'validation_failed lookupKey'],
    ['with a line end', 'a\n', 'validation_failed lookupKey'],
    ['in the form of an id', `prod_${'0'.repeat(26)}`, 'validation_failed lookupKey'],
    ['in the form of the id of another type', `cus_${'0'.repeat(26)}`, 'validation_failed lookupKey'],
    ['of another product', 'pro', 'lookup_key_exists lookupKey'],
  ])('%s is refused', async (_, lookupKey, expected) => {
    const create = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }';
    expect(await send(client, create, { input: { name: 'New', description: '', lookupKey } })).toBe(expected);
    const { createProduct: made } = await createProduct({ name: 'Unnamed' });
    const update =
      'mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { id } }';
    expect(await send(client, update, { id: made.id, input: { lookupKey } })).toBe(expected);
    const coupon = 'mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { id } }';
    if (expected.startsWith('validation'))
      expect(
        await send(client, coupon, { input: { name: 'A', percentOff: '1', duration: 'once', lookupKey } }),
      ).toBe(expected);
    expect(
      refusal(
        await addPrices(made.id, [
          price,
          { ...price, lookupKey: lookupKey === 'pro' ? 'pro_monthly' : lookupKey },
        ]),
      ),
    ).toBe(expected.replace('lookupKey', 'prices.1.lookupKey'));
  });

  it.each(['a', 'A'.repeat(200), 'prod_pro', 'price_2027:eur.v1-x', '0'])(
    '%s is accepted',
    async (lookupKey) => {
      const { createProduct: made } = await createProduct({ lookupKey });
      expect(made.lookupKey).toBe(lookupKey);
      expect(await send(client, 'query ($id: ID!) { product(id: $id) { id } }', { id: lookupKey })).toEqual({
        product: { id: made.id },
      });
    },
  );

  it('belongs to one tenant', async () => {
    const { createProduct: made } = await createProduct({ lookupKey: 'pro' }, other);
    expect(await send(other, '{ product(id: "pro") { id } }')).toEqual({ product: { id: made.id } });
    expect(await send(client, '{ product(id: "pro") { id } }')).toEqual({ product: { id: ids.product } });
  });

  it('is removed by null, kept if it is left out, and may be given again', async () => {
    const { createProduct: made } = await createProduct({ lookupKey: 'kept' });
    const update =
      'mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { lookupKey } }';
    const change = (input: object) => send(client, update, { id: made.id, input });
    expect(await change({ name: 'Other' })).toEqual({ updateProduct: { lookupKey: 'kept' } });
    expect(await change({ lookupKey: 'kept' })).toEqual({ updateProduct: { lookupKey: 'kept' } });
    expect(await change({ lookupKey: null })).toEqual({ updateProduct: { lookupKey: null } });
    const { createProduct: next } = await createProduct({ lookupKey: 'kept' });
    expect(next.lookupKey).toBe('kept');
    expect(await change({ lookupKey: 'kept' })).toBe('lookup_key_exists lookupKey');
  });

  it('of a deleted product and its prices may be given again', async () => {
    await createProduct({ lookupKey: 'gone', prices: [{ ...price, lookupKey: 'gone_monthly' }] });
    await client.graphql('mutation { deleteProduct(id: "gone") { id } }');
    expect(await send(client, '{ product(id: "gone") { id } }')).toBe('product_not_found');
    const { createProduct: next } = await createProduct({
      lookupKey: 'gone',
      prices: [{ ...price, lookupKey: 'gone_monthly' }],
    });
    expect(next.prices[0].lookupKey).toBe('gone_monthly');
  });

  it('of an archived price stays, and is transferred to a new price', async () => {
    await createProduct({ lookupKey: 'moved', prices: [{ ...price, lookupKey: 'moved_monthly' }] });
    await client.graphql('mutation { archivePrice(id: "moved_monthly") { id } }');
    expect(refusal(await addPrices('moved', [{ ...price, lookupKey: 'moved_monthly' }]))).toBe(
      'lookup_key_exists prices.0.lookupKey',
    );
    const { body } = await addPrices('moved', [
      { details: { amount: 25, currency: 'usd' }, lookupKey: 'moved_monthly', transferLookupKey: true },
    ]);
    const { product } = await client.graphql(
      '{ product(id: "moved") { prices { active lookupKey details { amount } } } }',
    );
    expect(product.prices).toEqual([
      { active: false, lookupKey: null, details: { amount: 20 } },
      { active: true, lookupKey: 'moved_monthly', details: { amount: 25 } },
    ]);
    const { traces } = await client.graphql(
      '{ traces(activityType: PriceEvent, first: 2) { nodes { payload } } }',
    );
    expect(traces.nodes.map(({ payload }: any) => payload)).toEqual([
      expect.objectContaining({
        action: 'created',
        object: expect.objectContaining({ lookupKey: 'moved_monthly' }),
      }),
      expect.objectContaining({
        action: 'updated',
        changes: expect.objectContaining({ lookupKey: ['moved_monthly', null] }),
      }),
    ]);
    expect(body.data.createPrices[0].lookupKey).toBe('moved_monthly');
    const back =
      'mutation ($id: ID!) { updatePrice(id: $id, input: {lookupKey: "pro_monthly", transferLookupKey: true}) { id lookupKey } }';
    expect(await send(client, back, { id: 'moved_monthly' })).toMatchObject({
      updatePrice: { lookupKey: 'pro_monthly' },
    });
    expect(await send(client, back, { id: ids.price })).toEqual({
      updatePrice: { id: ids.price, lookupKey: 'pro_monthly' },
    });
  });

  it('given fifty times at once is taken once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        send(
          client,
          'mutation { createProduct(input: {name: "Race", description: "", lookupKey: "race"}) { lookupKey } }',
        ),
      ),
    );
    expect(answers.filter((answer) => answer === 'lookup_key_exists lookupKey')).toHaveLength(49);
  });

  it('twice in one request is refused, and nothing is made', async () => {
    const answer = await addPrices('pro', [
      { ...price, lookupKey: 'twice' },
      { ...price, lookupKey: 'twice' },
    ]);
    expect(refusal(answer)).toBe('lookup_key_exists prices.1.lookupKey');
    expect(await send(client, '{ price(id: "twice") { id } }')).toBe('price_not_found');
  });

  it('finds the record in lists and in the search', async () => {
    expect(
      await send(
        client,
        '{ products(lookupKey: "pro") { nodes { id } } coupons(lookupKey: "spring") { nodes { id } } }',
      ),
    ).toEqual({
      products: { nodes: [{ id: ids.product }] },
      coupons: { nodes: [{ id: ids.coupon }] },
    });
    expect(
      await send(
        client,
        '{ products(lookupKey: "pro", active: false) { nodes { id } } coupons(lookupKey: "nobody") { nodes { id } } }',
      ),
    ).toEqual({
      products: { nodes: [] },
      coupons: { nodes: [] },
    });
    const { search } = await client.graphql('{ search(query: "pro_monthly", types: [price]) { title } }');
    expect(search.map(({ title }: any) => title)).toContain('pro_monthly');
  });
});
