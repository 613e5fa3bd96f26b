import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findGroup, removeGroup } from '../../src/billing/catalog/groups.ts';
import { createOperatorOrigin, transact } from '../../src/tenancy/tenants.ts';
import { startApp, type Answer, type Client, type Method, type TestApp } from '../support/app.ts';

let app: TestApp;
let client: Client;
let stranger: Client;
let reader: Client;

beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  stranger = await app.tenant({ alias: 'other' });
  reader = await app.key('acme', 'read');
});
afterAll(() => app.close());

const productKeys =
  'active createdAt description expiresAt groupId id metadata name tenantAlias updatedAt'.split(' ');
const priceKeys = 'createdAt details id productId recurring updatedAt'.split(' ');
const groupKeys = 'createdAt id metadata name prorateUpgrades tenantAlias updatedAt'.split(' ');
const listKeys = (value: object) => Object.keys(value).toSorted();
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const monthly = { executionDate: null, period: 1, frequency: 'Monthly' };
const buildPrice = (amount: number, currency = 'afn') => ({ details: { amount, currency } });

const own = (fields: object = {}) => ({ tenantAlias: 'acme', ...fields });
const send = (method: Method, path: string, fields: object = {}) => client.rest(method, path, own(fields));

async function made(method: Method, path: string, fields: object = {}): Promise<any> {
  const answer = await send(method, path, fields);
  expect(answer.status, answer.text).toBe(method === 'POST' ? 201 : 200);
  return answer.body;
}

const newProduct = (fields: object = {}) =>
  made('POST', '/products', { name: 'Gold', description: 'All of it', ...fields });
const newGroup = (fields: object = {}) => made('POST', '/groups', { name: 'Plans', ...fields });

/** The traces that one request wrote, oldest first. */
async function fetchTraces(traceId: string) {
  const traces = await app.service.store.committed.select('traces', {
    where: { tenantAlias: 'acme', traceId },
    orderBy: ['eventId'],
  });
  return traces.map((trace) => {
    const parent = traces.find(({ eventId }) => eventId === trace.parentId);
    const { action, resourceId, object, changes } = trace.payload as any;
    const because = (parent?.payload as any)?.resourceId ?? null;
    return { type: trace.activityType, action, resourceId, because, isRoot: trace.isRoot, object, changes };
  });
}

let lastTrace = 0;
/** Sends a request with a trace id of its own; answers what it wrote. */
async function traced(method: Method, path: string, fields: object) {
  const traceId = (++lastTrace).toString(16).padStart(32, '0');
  const answer = await client.rest(method, path, own(fields), {
    traceparent: `00-${traceId}-00000000000000aa-01`,
  });
  return { answer, traces: await fetchTraces(traceId) };
}

const countRows = async (table: 'products' | 'prices' | 'traces') =>
  (await app.service.store.committed.select(table, { where: { tenantAlias: 'acme' } })).length;

describe('groups', () => {
  it('are created, read, updated and listed with exactly their fields', async () => {
    const group = await newGroup();
    expect(listKeys(group)).toEqual(groupKeys);
    expect(group).toMatchObject({ tenantAlias: 'acme', name: 'Plans', metadata: {}, prorateUpgrades: false });
    expect(group.createdAt).toMatch(instant);
    const read = await made('GET', `/groups/${group.id}`);
    expect(read).toEqual({ ...group, products: [] });
    const changes = { name: 'Tariffs', metadata: { a: [1, null] }, prorateUpgrades: true };
    const changed = await made('PATCH', `/groups/${group.id}`, changes);
    expect(changed).toEqual({ ...group, ...changes, updatedAt: changed.updatedAt });
    const same = await made('PATCH', `/groups/${group.id}`, {});
    expect(same).toEqual(changed);
    const list = await made('GET', '/groups', { limit: '1' });
    expect(list.data).toEqual([changed]);
    expect(listKeys(list)).toEqual(['data', 'nextCursor']);
  });

  it('show their products with the mark of deletion', async () => {
    const group = await newGroup({ prorateUpgrades: true });
    expect(group.prorateUpgrades).toBe(true);
    const { product: kept } = await newProduct({ groupId: group.id });
    const { product: gone } = await newProduct({ groupId: group.id });
    await client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { deleted } }', { id: gone.id });
    const { products } = await made('GET', `/groups/${group.id}`);
    expect(products).toEqual([
      { ...kept, deleted: false },
      { ...gone, deleted: true, updatedAt: products[1].updatedAt },
    ]);
  });

  it('are returned when they are deleted', async () => {
    const group = await newGroup();
    await newProduct({ groupId: group.id, prices: [buildPrice(1)] });
    expect(await made('DELETE', `/groups/${group.id}`)).toEqual(group);
    const again = await send('DELETE', `/groups/${group.id}`);
    expect([again.status, again.body.body.reason]).toEqual([404, 'group_not_found']);
  });

  it('are deleted with their content, and each trace names its cause', async () => {
    const group = await newGroup();
    const { product, prices } = await newProduct({
      groupId: group.id,
      prices: [buildPrice(1), buildPrice(2)],
    });
    const { product: second } = await newProduct({ groupId: group.id });
    const { product: other } = await newProduct();
    const traceId = 'f'.repeat(32);
    const origin = { ...createOperatorOrigin(app.service), traceId };
    const steps: string[] = [];
    const removed = await transact(app.service, 'acme', origin, async (unit) => {
      const found = await findGroup(unit, group.id);
      return removeGroup(unit, found, async () =>
        steps.push((await unit.many('traces', { where: { traceId } }))[0]!.activityType),
      );
    });
    expect(removed).toMatchObject(group);
    expect(steps).toEqual(['GroupEvent']);
    const recorded = (await fetchTraces(traceId)).map(({ type, action, resourceId, because, isRoot }) => [
      type,
      action,
      resourceId,
      because,
      isRoot,
    ]);
    expect(recorded).toEqual([
      ['GroupEvent', 'deleted', group.id, null, true],
      ['ProductEvent', 'deleted', product.id, group.id, false],
      ['PriceEvent', 'deleted', prices[0].id, product.id, false],
      ['PriceEvent', 'deleted', prices[1].id, product.id, false],
      ['ProductEvent', 'deleted', second.id, group.id, false],
    ]);
    expect((await send('GET', `/groups/${group.id}`)).body.body.reason).toBe('group_not_found');
    expect((await send('GET', `/products/${product.id}`)).body.body.reason).toBe('product_not_found');
    const price = await send('GET', `/products/${product.id}/prices/${prices[0].id}`);
    expect(price.body.body.reason).toBe('price_not_found');
    await made('GET', `/products/${other.id}`);
  });
});

describe('products', () => {
  it('say what is sold, if that was set, and have no field for it otherwise', async () => {
    const { product } = await newProduct({ kind: 'goods' });
    expect(product).toMatchObject({ kind: 'goods' });
    const place = `/products/${product.id}`;
    expect((await made('GET', place)).kind).toBe('goods');
    expect((await made('PATCH', place, { kind: 'service' })).kind).toBe('service');
    const { data } = await made('GET', '/products', { limit: 1 });
    expect(data).toMatchObject([{ id: product.id, kind: 'service' }]);
    expect(listKeys(await made('PATCH', place, { kind: null }))).toEqual(productKeys);
    expect(listKeys(await made('GET', place))).toEqual(productKeys);
    for (const kind of ['Goods', 'x'.repeat(5000), 7, ['goods'], {}, '__proto__'])
      for (const [method, path] of [
        ['POST', '/products'],
        ['PATCH', place],
      ] as const) {
        const { status, body } = await send(method, path, { name: 'Gold', description: 'All of it', kind });
        expect({ status, reason: body.body?.reason ?? body.reason }).toEqual({
          status: 400,
          reason: 'validation_failed',
        });
        expect(JSON.stringify(body)).toContain('kind');
      }
    expect(listKeys(await made('GET', place))).toEqual(productKeys);
  });

  it('are created with prices, exactly their fields, in the order sent', async () => {
    const group = await newGroup();
    const { product, prices, ...rest } = await newProduct({
      groupId: group.id,
      active: false,
      expiresAt: '2030-01-31T02:00:00+02:00',
      metadata: { z: 1, a: { b: [true] } },
      prices: [
        buildPrice(10.5, 'AFN'),
        { ...buildPrice(0, 'jpy'), recurring: { frequency: 'Yearly' } },
        { ...buildPrice(1.005, 'kwd'), recurring: { executionDate: '2026-01-31', period: 3 } },
      ],
    });
    expect(rest).toEqual({});
    expect(listKeys(product)).toEqual(productKeys);
    expect(product).toMatchObject({
      groupId: group.id,
      tenantAlias: 'acme',
      name: 'Gold',
      active: false,
      description: 'All of it',
      metadata: { z: 1, a: { b: [true] } },
      expiresAt: '2030-01-31T00:00:00.000Z',
    });
    for (const price of prices) {
      expect(listKeys(price)).toEqual(priceKeys);
      expect(price.productId).toBe(product.id);
    }
    expect(prices.map(({ details }: any) => details)).toEqual([
      { amount: 10.5, currency: 'afn' },
      { amount: 0, currency: 'jpy' },
      { amount: 1.005, currency: 'kwd' },
    ]);
    expect(prices.map(({ recurring }: any) => recurring)).toEqual([
      monthly,
      { executionDate: null, period: 1, frequency: 'Yearly' },
      { executionDate: '2026-01-31T00:00:00.000Z', period: 3, frequency: 'Monthly' },
    ]);
    expect(await made('GET', `/products/${product.id}`)).toEqual(product);
    expect(await made('GET', `/products/${product.id}/prices`)).toEqual(prices);
  });

  it('need neither group nor prices', async () => {
    const { product, prices } = await newProduct({
      description: '',
      groupId: null,
      metadata: null,
      prices: null,
    });
    expect(product).toMatchObject({ groupId: null, active: true, metadata: {}, expiresAt: null });
    expect(prices).toEqual([]);
  });

  it('keep metadata in the order sent, `__proto__` and all', async () => {
    const metadata = '{"b":1,"__proto__":{"x":"y"},"a":null}';
    const created = await client.rest(
      'POST',
      '/products',
      `{"tenantAlias":"acme","name":"P","description":"","metadata":${metadata}}`,
    );
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"metadata":${metadata}`);
    const read = await send('GET', `/products/${created.body.product.id}`);
    expect(read.text).toContain(`"metadata":${metadata}`);
    expect(({} as any).x).toBeUndefined();
  });

  it('update sent fields, clear nullable ones, and keep the others', async () => {
    const group = await newGroup();
    const { product } = await newProduct({ expiresAt: '2031-05-01', metadata: { a: 1 } });
    const path = `/products/${product.id}`;
    const moved = await made('PATCH', path, { groupId: group.id, name: 'Silver', active: false });
    expect(moved).toEqual({
      ...product,
      groupId: group.id,
      name: 'Silver',
      active: false,
      updatedAt: moved.updatedAt,
    });
    const cleared = await made('PATCH', path, { groupId: null, expiresAt: null, metadata: null });
    expect(cleared).toMatchObject({ name: 'Silver', groupId: null, expiresAt: null, metadata: {} });
    const again = await made('PATCH', path, { description: '', expiresAt: '2032-02-29T12:00:00.123456Z' });
    expect(again).toMatchObject({ description: '', expiresAt: '2032-02-29T12:00:00.123Z' });
  });

  it('are listed by group, activity and part of the name, page by page', async () => {
    const group = await newGroup();
    const names = ['100% Able_A', 'able B', 'Cable', 'Delta'];
    const made4 = [];
    for (const [index, name] of names.entries()) {
      made4.push((await newProduct({ name, groupId: group.id, active: index % 2 === 0 })).product);
    }
    const named = async (filter: object) =>
      (await made('GET', '/products', { groupId: group.id, ...filter })).data.map(({ name }: any) => name);
    expect(await named({})).toEqual(names.toReversed());
    expect(await named({ order: 'asc' })).toEqual(names);
    expect(await named({ name: 'ABLE' })).toEqual(['Cable', 'able B', '100% Able_A']);
    expect(await named({ name: '%' })).toEqual(['100% Able_A']);
    expect(await named({ name: '_' })).toEqual(['100% Able_A']);
    expect(await named({ active: 'false' })).toEqual(['Delta', 'able B']);
    expect(await named({ active: 'true', name: 'able' })).toEqual(['Cable', '100% Able_A']);
    expect(await named({ groupId: 'grp_unknown' })).toEqual([]);
    const page = await made('GET', '/products', { groupId: group.id, limit: '3' });
    expect(page.data[0]).toEqual(made4[3]);
    const rest = await made('GET', '/products', { groupId: group.id, cursor: page.nextCursor });
    expect(rest).toEqual({ data: [made4[0]], nextCursor: null });
    const whole = await client.rest('GET', '/products', { limit: '100' });
    expect(whole.body.data.every((item: object) => listKeys(item).join() === productKeys.join())).toBe(true);
  });

  it('that are deleted are not found', async () => {
    const { product, prices } = await newProduct({ name: 'Unfindable', prices: [buildPrice(1)] });
    await client.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: product.id });
    const path = `/products/${product.id}`;
    const rows: [Method, string, object, string][] = [
      ['GET', path, {}, 'product_not_found'],
      ['PATCH', path, { name: 'Back' }, 'product_not_found'],
      ['GET', `${path}/prices`, {}, 'product_not_found'],
      ['POST', `${path}/prices`, { prices: [buildPrice(1)] }, 'product_not_found'],
      ['GET', `${path}/prices/${prices[0].id}`, {}, 'price_not_found'],
      ['PATCH', `${path}/prices/${prices[0].id}`, { details: { amount: 2 } }, 'price_not_found'],
    ];
    for (const [method, url, fields, reason] of rows) {
      const answer = await send(method, url, fields);
      expect([answer.status, answer.body.body.reason], `${method} ${url}`).toEqual([404, reason]);
    }
    expect((await made('GET', '/products', { name: 'unfindable' })).data).toEqual([]);
  });
});

describe('prices', () => {
  it('are created, read and changed with exactly their fields', async () => {
    const { product } = await newProduct();
    const path = `/products/${product.id}/prices`;
    const prices = await made('POST', path, {
      prices: [
        { ...buildPrice(49.99), recurring: null },
        { ...buildPrice(5, 'usd'), recurring: { frequency: 'Daily', period: 10 } },
      ],
    });
    expect(prices.map(listKeys)).toEqual([priceKeys, priceKeys]);
    expect(prices[0]).toMatchObject({ productId: product.id, recurring: monthly, ...buildPrice(49.99) });
    const [, price] = prices;
    expect(price.recurring).toEqual({ executionDate: null, period: 10, frequency: 'Daily' });
    expect(await made('GET', `${path}/${price.id}`)).toEqual(price);

    const steps: [changes: object, then: object][] = [
      [{ details: { amount: 7.25 } }, { details: { amount: 7.25, currency: 'usd' } }],
      [{ details: { currency: 'EUR' } }, { details: { amount: 7.25, currency: 'eur' } }],
      [{ details: { amount: 100, currency: 'jpy' } }, { details: { amount: 100, currency: 'jpy' } }],
      [
        { recurring: { executionDate: '2027-03-31T00:00:00Z' } },
        { recurring: { executionDate: '2027-03-31T00:00:00.000Z', period: 10, frequency: 'Daily' } },
      ],
      [
        { recurring: { frequency: 'Yearly', period: 2, executionDate: null } },
        { recurring: { executionDate: null, period: 2, frequency: 'Yearly' } },
      ],
      [{}, { details: { amount: 100, currency: 'jpy' } }],
    ];
    let before = price;
    for (const [changes, then] of steps) {
      const after = await made('PATCH', `${path}/${price.id}`, changes);
      expect(after).toEqual({ ...before, ...then, updatedAt: after.updatedAt });
      before = after;
    }
  });

  it('are read in the time zone of the tenant', async () => {
    const kabul = await app.tenant({ alias: 'kabul', timezone: 'Asia/Kabul' });
    const { status, body } = await kabul.rest('POST', '/products', {
      tenantAlias: 'kabul',
      name: 'P',
      description: '',
      expiresAt: '2026-01-31',
      prices: [{ ...buildPrice(1), recurring: { executionDate: '2026-01-31' } }],
    });
    expect(status).toBe(201);
    expect(body.product.expiresAt).toBe('2026-01-30T19:30:00.000Z');
    expect(body.prices[0].recurring.executionDate).toBe('2026-01-30T19:30:00.000Z');
  });
});

const listIssuePaths = ({ body }: Answer) => (body.cause?.issues ?? []).map(({ path }: any) => path);

describe('refusals', () => {
  /** What is wrong with one price; its paths are below `prices.0`. */
  const badPrices: [price: unknown, reason: string, ...paths: string[]][] = [
    [buildPrice(19.999), 'amount_precision', 'details.amount'],
    [buildPrice(1.5, 'jpy'), 'amount_precision', 'details.amount'],
    [buildPrice(5, 'zzz'), 'currency_unsupported', 'details.currency'],
    [buildPrice(5, 'xau'), 'currency_unsupported', 'details.currency'],
    [buildPrice(5, "';drop table prices"), 'currency_unsupported', 'details.currency'],
    [buildPrice(-1), 'validation_failed', 'details.amount'],
    [buildPrice(1e300), 'validation_failed', 'details.amount'],
    [{ details: { amount: '5', currency: 'afn' } }, 'validation_failed', 'details.amount'],
    [{ details: { amount: 5, currency: 5 } }, 'validation_failed', 'details.currency'],
    [{ details: { amount: null, currency: 'afn' } }, 'validation_failed', 'details.amount'],
    [{ details: { currency: 'afn' } }, 'validation_failed', 'details'],
    [{ details: [] }, 'validation_failed', 'details'],
    [{}, 'validation_failed', 'details'],
    [null, 'validation_failed', ''],
    ['x', 'validation_failed', ''],
    [{ ...buildPrice(1), id: 'price_1' }, 'validation_failed', 'id'],
    [{ ...buildPrice(1), recurring: { period: 0 } }, 'validation_failed', 'recurring.period'],
    [{ ...buildPrice(1), recurring: { period: 37 } }, 'validation_failed', 'recurring.period'],
    [{ ...buildPrice(1), recurring: { period: 1.5 } }, 'validation_failed', 'recurring.period'],
    [{ ...buildPrice(1), recurring: { frequency: 'daily' } }, 'validation_failed', 'recurring.frequency'],
    [
      { ...buildPrice(1), recurring: { executionDate: 'soon' } },
      'validation_failed',
      'recurring.executionDate',
    ],
    [
      { ...buildPrice(1), recurring: { executionDate: '2026-02-30' } },
      'validation_failed',
      'recurring.executionDate',
    ],
    [
      { ...buildPrice(5, 'zzz'), recurring: { period: 37, executionDate: '2026-02-30' } },
      'validation_failed',
      'details.currency',
      'recurring.executionDate',
      'recurring.period',
    ],
  ];

  it.each(badPrices)('of the price %j: %s', async (price, reason, ...paths) => {
    const { product } = await newProduct();
    const before = [await countRows('products'), await countRows('prices'), await countRows('traces')];
    const fields = { name: 'P', description: '', prices: [buildPrice(1), price] };
    const answers = [
      await send('POST', '/products', fields),
      await send('POST', `/products/${product.id}/prices`, { prices: fields.prices }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.body.reason], answer.text).toEqual([400, reason]);
      const expected = paths.map((path) => (path ? `prices.1.${path}` : 'prices.1'));
      expect(listIssuePaths(answer).toSorted()).toEqual(expected.toSorted());
    }
    expect([await countRows('products'), await countRows('prices'), await countRows('traces')]).toEqual(
      before,
    );
  });

  it('name every fault of every price, and of the product', async () => {
    const prices = [buildPrice(1.999), buildPrice(1), buildPrice(1, 'zzz'), buildPrice(2.5, 'jpy')];
    const mixed = await send('POST', '/products', { name: ' ', description: '', prices });
    expect(mixed.body.body.reason).toBe('validation_failed');
    expect(listIssuePaths(mixed)).toEqual([
      'name',
      'prices.0.details.amount',
      'prices.2.details.currency',
      'prices.3.details.amount',
    ]);
    const alike = await send('POST', '/products', {
      name: 'P',
      description: '',
      prices: [prices[0], prices[3]],
    });
    expect(alike.body.body.reason).toBe('amount_precision');
    expect(listIssuePaths(alike)).toEqual(['prices.0.details.amount', 'prices.1.details.amount']);
  });

  it('name an amount beyond any number, and accept minus zero', async () => {
    const { product } = await newProduct();
    const text = (amount: string) =>
      `{"tenantAlias":"acme","prices":[{"details":{"amount":${amount},"currency":"afn"}}]}`;
    const path = `/products/${product.id}/prices`;
    const endless = await client.rest('POST', path, text('1e400'));
    expect([endless.status, endless.body.body.reason]).toEqual([400, 'validation_failed']);
    expect(listIssuePaths(endless)).toEqual(['prices.0.details.amount']);
    const zero = await client.rest('POST', path, text('-0'));
    expect(zero.status).toBe(201);
    expect(zero.text).toContain('"amount":0,');
  });

  const long = 'x'.repeat(5000);
  const rows: [
    what: string,
    Method,
    path: string,
    fields: object,
    status: number,
    reason: string,
    ...paths: string[],
  ][] = [
    ['no name or description', 'POST', '/products', {}, 400, 'validation_failed', 'name', 'description'],
    ['an empty name', 'POST', '/products', { name: ' ', description: '' }, 400, 'validation_failed', 'name'],
    ['a long name', 'POST', '/products', { name: long, description: '' }, 400, 'validation_failed', 'name'],
    [
      'a long description',
      'POST',
      '/products',
      { name: 'P', description: `${long}x` },
      400,
      'validation_failed',
      'description',
    ],
    [
      'an id of their own',
      'POST',
      '/products',
      { name: 'P', description: '', id: 'prod_1' },
      400,
      'validation_failed',
      'id',
    ],
    [
      'a mark of deletion',
      'POST',
      '/products',
      { name: 'P', description: '', deleted: true },
      400,
      'validation_failed',
      'deleted',
    ],
    [
      'active as text',
      'POST',
      '/products',
      { name: 'P', description: '', active: 'true' },
      400,
      'validation_failed',
      'active',
    ],
    [
      'a date that is none',
      'POST',
      '/products',
      { name: 'P', description: '', expiresAt: '2026-02-30' },
      400,
      'validation_failed',
      'expiresAt',
    ],
    [
      'metadata that is a list',
      'POST',
      '/products',
      { name: 'P', description: '', metadata: [] },
      400,
      'validation_failed',
      'metadata',
    ],
    [
      'too much metadata',
      'POST',
      '/products',
      {
        name: 'P',
        description: '',
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])),
      },
      400,
      'validation_failed',
      'metadata',
    ],
    [
      'an unknown group',
      'POST',
      '/products',
      { name: 'P', description: '', groupId: 'grp_x' },
      404,
      'group_not_found',
      'groupId',
    ],
    [
      'an empty group',
      'POST',
      '/products',
      { name: 'P', description: '', groupId: '' },
      404,
      'group_not_found',
      'groupId',
    ],
    [
      'a foreign group',
      'POST',
      '/products',
      { name: 'P', description: '', groupId: '{foreign.group}' },
      404,
      'group_not_found',
      'groupId',
    ],
    [
      '101 prices',
      'POST',
      '/products',
      { name: 'P', description: '', prices: Array.from({ length: 101 }, () => buildPrice(1)) },
      400,
      'validation_failed',
      'prices',
    ],
    [
      '101 more prices',
      'POST',
      '/products/{product}/prices',
      { prices: Array.from({ length: 101 }, () => buildPrice(1)) },
      400,
      'validation_failed',
      'prices',
    ],
    ['no prices', 'POST', '/products/{product}/prices', { prices: [] }, 400, 'validation_failed', 'prices'],
    ['prices left out', 'POST', '/products/{product}/prices', {}, 400, 'validation_failed', 'prices'],
    [
      'prices of an unknown product',
      'POST',
      '/products/prod_x/prices',
      { prices: [buildPrice(1)] },
      404,
      'product_not_found',
    ],
    [
      'prices of a foreign product',
      'POST',
      '/products/{foreign.product}/prices',
      { prices: [buildPrice(1)] },
      404,
      'product_not_found',
    ],
    ['an unknown product', 'PATCH', '/products/prod_x', { name: 'P' }, 404, 'product_not_found'],
    ['a long product id', 'PATCH', `/products/${'p'.repeat(5000)}`, { name: 'P' }, 404, 'product_not_found'],
    ['a foreign product', 'PATCH', '/products/{foreign.product}', { name: 'P' }, 404, 'product_not_found'],
    ['a foreign product to read', 'GET', '/products/{foreign.product}', {}, 404, 'product_not_found'],
    [
      'the prices of a foreign product',
      'GET',
      '/products/{foreign.product}/prices',
      {},
      404,
      'product_not_found',
    ],
    [
      'a move to an unknown group',
      'PATCH',
      '/products/{product}',
      { groupId: 'grp_x' },
      404,
      'group_not_found',
      'groupId',
    ],
    [
      'a move to an empty group',
      'PATCH',
      '/products/{product}',
      { groupId: '' },
      404,
      'group_not_found',
      'groupId',
    ],
    [
      'a move to a foreign group',
      'PATCH',
      '/products/{product}',
      { groupId: '{foreign.group}' },
      404,
      'group_not_found',
      'groupId',
    ],
    [
      'null for a name',
      'PATCH',
      '/products/{product}',
      { name: null, active: null },
      400,
      'validation_failed',
      'name',
      'active',
    ],
    ['an unknown price', 'GET', '/products/{product}/prices/price_x', {}, 404, 'price_not_found'],
    ['the price of another product', 'GET', '/products/{second}/prices/{price}', {}, 404, 'price_not_found'],
    ['the price of no product', 'GET', '/products/prod_x/prices/{price}', {}, 404, 'price_not_found'],
    [
      'a foreign price',
      'GET',
      '/products/{foreign.product}/prices/{foreign.price}',
      {},
      404,
      'price_not_found',
    ],
    [
      'a change to the price of another product',
      'PATCH',
      '/products/{second}/prices/{price}',
      { details: { amount: 1 } },
      404,
      'price_not_found',
    ],
    [
      'a change to a foreign price',
      'PATCH',
      '/products/{foreign.product}/prices/{foreign.price}',
      { details: { amount: 1 } },
      404,
      'price_not_found',
    ],
    [
      'a changed amount',
      'PATCH',
      '/products/{product}/prices/{price}',
      { details: { amount: 0.001 } },
      400,
      'amount_precision',
      'details.amount',
    ],
    [
      'a currency that the amount does not fit',
      'PATCH',
      '/products/{product}/prices/{price}',
      { details: { currency: 'jpy' } },
      400,
      'amount_precision',
      'details.amount',
    ],
    [
      'a changed currency',
      'PATCH',
      '/products/{product}/prices/{price}',
      { details: { currency: 'zzz' } },
      400,
      'currency_unsupported',
      'details.currency',
    ],
    [
      'a frequency that the period does not fit',
      'PATCH',
      '/products/{product}/prices/{price}',
      { recurring: { frequency: 'Yearly' } },
      400,
      'validation_failed',
      'recurring.period',
    ],
    [
      'null for details',
      'PATCH',
      '/products/{product}/prices/{price}',
      { details: null },
      400,
      'validation_failed',
      'details',
    ],
    [
      'null for an amount',
      'PATCH',
      '/products/{product}/prices/{price}',
      { details: { amount: null } },
      400,
      'validation_failed',
      'details.amount',
    ],
    [
      'null for a period',
      'PATCH',
      '/products/{product}/prices/{price}',
      { recurring: { period: null } },
      400,
      'validation_failed',
      'recurring.period',
    ],
    ['a group without a name', 'POST', '/groups', {}, 400, 'validation_failed', 'name'],
    ['a group with an empty name', 'POST', '/groups', { name: '' }, 400, 'validation_failed', 'name'],
    [
      'proration as text',
      'POST',
      '/groups',
      { name: 'G', prorateUpgrades: 'yes' },
      400,
      'validation_failed',
      'prorateUpgrades',
    ],
    [
      'products of a group',
      'POST',
      '/groups',
      { name: 'G', products: [] },
      400,
      'validation_failed',
      'products',
    ],
    ['an unknown group to read', 'GET', '/groups/grp_x', {}, 404, 'group_not_found'],
    ['a foreign group to read', 'GET', '/groups/{foreign.group}', {}, 404, 'group_not_found'],
    [
      'a change to a foreign group',
      'PATCH',
      '/groups/{foreign.group}',
      { name: 'G' },
      404,
      'group_not_found',
    ],
    [
      'null for proration',
      'PATCH',
      '/groups/{group}',
      { prorateUpgrades: null },
      400,
      'validation_failed',
      'prorateUpgrades',
    ],
    [
      'a filter longer than any name',
      'GET',
      '/products',
      { name: 'x'.repeat(201) },
      400,
      'validation_failed',
      'name',
    ],
    [
      'a filter that is no truth value',
      'GET',
      '/products',
      { active: 'yes' },
      400,
      'validation_failed',
      'active',
    ],
    ['a limit of nothing', 'GET', '/products', { limit: '0' }, 400, 'validation_failed', 'limit'],
    ['a cursor of another list', 'GET', '/groups', { cursor: '{cursor}' }, 400, 'cursor_invalid', 'cursor'],
  ];

  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const group = await newGroup();
    const recurring = { frequency: 'Daily', period: 30 };
    const { product, prices } = await newProduct({ prices: [{ ...buildPrice(1.5), recurring }] });
    const foreign = await stranger.rest('POST', '/groups', { tenantAlias: 'other', name: 'G' });
    const goods = await stranger.rest('POST', '/products', {
      tenantAlias: 'other',
      name: 'P',
      description: '',
      prices: [buildPrice(1)],
    });
    Object.assign(ids, {
      group: group.id,
      product: product.id,
      price: prices[0].id,
      second: (await newProduct()).product.id,
      cursor: (await made('GET', '/products', { limit: '1' })).nextCursor,
      'foreign.group': foreign.body.id,
      'foreign.product': goods.body.product.id,
      'foreign.price': goods.body.prices[0].id,
    });
  });
  const filled = (text: string) => text.replace(/\{([a-z.]+)\}/g, (_, name: string) => ids[name]!);

  it.each(rows)('of %s', async (_, method, path, fields, status, reason, ...paths) => {
    const answer = await send(method, filled(path), JSON.parse(filled(JSON.stringify(fields))));
    expect([answer.status, answer.body.body.reason], answer.text).toEqual([status, reason]);
    expect(listIssuePaths(answer).toSorted()).toEqual(paths.toSorted());
  });

  const operations: [Method, string, object][] = [
    ['POST', '/products', { name: 'P', description: '' }],
    ['PATCH', '/products/{product}', { name: 'P' }],
    ['GET', '/products', {}],
    ['GET', '/products/{product}', {}],
    ['POST', '/products/{product}/prices', { prices: [buildPrice(1)] }],
    ['GET', '/products/{product}/prices', {}],
    ['GET', '/products/{product}/prices/{price}', {}],
    ['PATCH', '/products/{product}/prices/{price}', { details: { amount: 1 } }],
    ['POST', '/groups', { name: 'G' }],
    ['GET', '/groups/{group}', {}],
    ['PATCH', '/groups/{group}', { name: 'G' }],
    ['GET', '/groups', {}],
  ];

  it.each(operations)(
    '%s %s of another tenant, without a tenant, and with a key that may only read',
    async (method, path, fields) => {
      const url = filled(path);
      const foreign = await client.rest(method, url, { ...fields, tenantAlias: 'other' });
      expect([foreign.status, foreign.body.body.reason]).toEqual([403, 'tenant_mismatch']);
      const bare = await client.rest(method, url, fields);
      const isList = method === 'GET' && !path.includes('{');
      expect(bare.status).toBe(isList ? 200 : 400);
      if (!isList) expect(listIssuePaths(bare)).toEqual(['tenantAlias']);
      const read = await reader.rest(method, url, own(fields));
      expect(read.status).toBe(method === 'GET' ? 200 : 403);
      if (method !== 'GET') expect(read.body.body.reason).toBe('insufficient_scope');
    },
  );
});

describe('traces', () => {
  it('of a product lead to its prices', async () => {
    const { answer, traces } = await traced('POST', '/products', {
      name: 'P',
      description: 'D',
      prices: [buildPrice(1.5), buildPrice(2)],
    });
    const { product, prices } = answer.body;
    expect(traces).toMatchObject([
      {
        type: 'ProductEvent',
        action: 'created',
        resourceId: product.id,
        isRoot: true,
        because: null,
        object: product,
      },
      {
        type: 'PriceEvent',
        action: 'created',
        resourceId: prices[0].id,
        isRoot: false,
        because: product.id,
        object: prices[0],
      },
      {
        type: 'PriceEvent',
        action: 'created',
        resourceId: prices[1].id,
        isRoot: false,
        because: product.id,
        object: prices[1],
      },
    ]);
  });

  it('list the changes, and exist only for changes', async () => {
    const group = await newGroup();
    const { product, prices } = await newProduct({ prices: [buildPrice(1)] });
    const rows: [Method, string, object, string, object][] = [
      ['PATCH', `/groups/${group.id}`, { name: 'N' }, 'GroupEvent', { name: ['Plans', 'N'] }],
      [
        'PATCH',
        `/products/${product.id}`,
        { groupId: group.id },
        'ProductEvent',
        { groupId: [null, group.id] },
      ],
      [
        'PATCH',
        `/products/${product.id}/prices/${prices[0].id}`,
        { details: { amount: 2.5 } },
        'PriceEvent',
        {
          details: [
            { amount: 1, currency: 'afn' },
            { amount: 2.5, currency: 'afn' },
          ],
        },
      ],
    ];
    for (const [method, path, fields, type, changes] of rows) {
      const { traces } = await traced(method, path, fields);
      expect(traces).toMatchObject([{ type, action: 'updated', isRoot: true, because: null }]);
      expect(traces[0]!.changes).toEqual(changes);
      expect((await traced(method, path, fields)).traces).toEqual([]);
    }
    const added = await traced('POST', `/products/${product.id}/prices`, { prices: [buildPrice(3)] });
    expect(added.traces).toMatchObject([{ type: 'PriceEvent', action: 'created', isRoot: true }]);
    const created = await traced('POST', '/groups', { name: 'G' });
    expect(created.traces).toMatchObject([{ type: 'GroupEvent', action: 'created', isRoot: true }]);
  });
});
