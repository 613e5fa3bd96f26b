import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { secondMs, stoppedClock } from '../support/clock.ts';
import { performer, type Perform, type Row } from '../support/scenario.ts';

const clock = stoppedClock('2026-01-31T10:00:00.000Z');
const tenantAlias = 'acme';
const customerKeys = 'id firstName lastName email associatedId tenantAlias metadata createdAt';
const itemKeys = 'id associatedId firstName lastName email createdAt';

let app: TestApp;
let client: Client;
let perform: Perform;

beforeAll(async () => {
  app = await startApp({}, { clock });
  client = await app.tenant({ alias: tenantAlias });
  perform = performer(app, client, tenantAlias);
});
afterAll(() => app.close());

const ada = { tenantAlias, email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };

let lastNumber = 0;
const newCustomer = (fields: object = {}) =>
  perform({
    rest: ['POST', '/customers', { ...ada, associatedId: `c-${++lastNumber}`, ...fields }],
    status: 201,
    keys: customerKeys,
    traces: ['CustomerEvent created'],
  });

const refused: Omit<Row, 'name' | 'send'> = { status: 400, reason: 'validation_failed' };

describe('a customer is created', () => {
  it('with exactly its fields', async () => {
    const metadata = { b: '1', a: '' };
    const created = await newCustomer({ associatedId: 'first', metadata });
    expect(created).toEqual({
      ...ada,
      id: expect.stringMatching(/^cus_[0-9a-z]{26}$/),
      associatedId: 'first',
      metadata,
      createdAt: clock.now(),
    });
    expect(Object.keys(created.metadata)).toEqual(['b', 'a']);
    const path = `/customers/${created.id}`;
    const read = await perform({ rest: ['GET', path, { tenantAlias }], keys: customerKeys });
    expect(read).toEqual(created);
  });

  it('with empty metadata if none is sent', async () => {
    expect(await newCustomer()).toMatchObject({ metadata: {} });
    expect(await newCustomer({ metadata: null })).toMatchObject({ metadata: {} });
  });

  it('once for an associated id, also with concurrent requests', async () => {
    const fields = { ...ada, associatedId: 'taken' };
    const answers = await Promise.all([1, 2, 3].map(() => client.rest('POST', '/customers', fields)));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409']);
    await perform({
      rest: ['POST', '/customers', fields],
      status: 409,
      reason: 'associated_id_exists',
      paths: ['associatedId'],
    });
  });

  const post = (fields: object) => () => ({
    rest: ['POST', '/customers', { ...ada, associatedId: 'never', ...fields }] as ['POST', string, object],
  });
  const long = 'x'.repeat(201);
  const rows: Row[] = [
    {
      name: 'nothing but the tenant',
      send: () => ({ rest: ['POST', '/customers', { tenantAlias }] }),
      ...refused,
      paths: ['email', 'firstName', 'lastName', 'associatedId'],
    },
    {
      name: 'no tenant',
      send: post({ tenantAlias: undefined }),
      ...refused,
      paths: ['tenantAlias'],
    },
    { name: 'an unknown field', send: post({ nickname: 'A' }), ...refused, paths: ['nickname'] },
    {
      name: 'read-only fields',
      send: post({ id: 'x', createdAt: 'y' }),
      ...refused,
      paths: ['id', 'createdAt'],
    },
    { name: 'no address', send: post({ email: 'ada' }), ...refused, paths: ['email'] },
    ...[
      'ada@ example.com',
      'ada@exa\u200bmple.com',
      'a\u202eda@example.com',
      'ada@example..com',
      'é@',
      'ada@-é.com',
    ].map((email) => ({
      name: `the address ${JSON.stringify(email)}`,
      send: post({ email }),
      ...refused,
      paths: ['email'],
    })),
    { name: 'a number for a name', send: post({ firstName: 5 }), ...refused, paths: ['firstName'] },
    { name: 'null for a name', send: post({ lastName: null }), ...refused, paths: ['lastName'] },
    {
      name: 'names that are empty or too long',
      send: post({ firstName: ' ', lastName: long }),
      ...refused,
      paths: ['firstName', 'lastName'],
    },
    { name: 'an empty associated id', send: post({ associatedId: '' }), ...refused, paths: ['associatedId'] },
    { name: 'metadata that is a list', send: post({ metadata: [] }), ...refused, paths: ['metadata'] },
    {
      name: 'metadata that is not text',
      send: post({ metadata: { a: 1, b: 'x', c: null } }),
      ...refused,
      paths: ['metadata.a', 'metadata.c'],
    },
    {
      name: 'metadata whose text is too long',
      send: post({ metadata: { a: 'x'.repeat(501) } }),
      ...refused,
      paths: ['metadata.a'],
    },
  ];
  it.each(rows)('not with $name', ({ name: _, send, ...expected }) => perform({ ...send(), ...expected }));
});

describe('a customer is changed', () => {
  it('in names and metadata only', async () => {
    const before = await newCustomer({ metadata: { a: '1', b: '2' } });
    const verified = { tenantAlias, associatedId: before.associatedId };
    const path = `/customers/${before.id}`;
    const patch = (fields: object, traces: string[]) =>
      perform({ rest: ['PATCH', path, { ...verified, ...fields }], keys: customerKeys, traces });
    clock.advance(secondMs);
    const updated = ['CustomerEvent updated'];
    expect(await patch({ firstName: 'Augusta' }, updated)).toEqual({ ...before, firstName: 'Augusta' });
    expect(await patch({ metadata: { c: '3' } }, updated)).toMatchObject({ metadata: { c: '3' } });
    expect(await patch({ metadata: null }, updated)).toMatchObject({ metadata: {} });
    const after = { ...before, firstName: 'Augusta', metadata: {} };
    expect(await patch({}, [])).toEqual(after);
    expect(await patch({ firstName: 'Augusta' }, [])).toEqual(after);
  });

  it('only as the interface allows', async () => {
    const { id, associatedId } = await newCustomer();
    const path = `/customers/${id}`;
    const verified = { tenantAlias, associatedId };
    const rows: [object, string, Omit<Row, 'name' | 'send'>][] = [
      [{ ...verified, email: 'new@example.com' }, path, { ...refused, paths: ['email'] }],
      [{ ...verified, firstName: null }, path, { ...refused, paths: ['firstName'] }],
      [{ ...verified, metadata: { a: 1 } }, path, { ...refused, paths: ['metadata.a'] }],
      [{ tenantAlias, firstName: 'X' }, path, { ...refused, paths: ['associatedId'] }],
      [{ associatedId, firstName: 'X' }, path, { ...refused, paths: ['tenantAlias'] }],
      [{ tenantAlias, associatedId: 'other' }, path, { status: 403, reason: 'associated_id_mismatch' }],
      [verified, '/customers/cus_unknown', { status: 404, reason: 'customer_not_found' }],
    ];
    for (const [fields, where, expected] of rows)
      await perform({ rest: ['PATCH', where, fields], ...expected });
  });
});

describe('a customer is removed', () => {
  it('permanently, with the associated id', async () => {
    const customer = await newCustomer();
    const { id, associatedId } = customer;
    const path = `/customers/${id}`;
    const verified = { tenantAlias, associatedId };
    await perform({ rest: ['DELETE', path, { tenantAlias }], ...refused, paths: ['associatedId'] });
    await perform({
      rest: ['DELETE', path, { tenantAlias, associatedId: 'other' }],
      status: 403,
      reason: 'associated_id_mismatch',
    });
    const removed = await perform({
      rest: ['DELETE', path, verified],
      keys: customerKeys,
      traces: ['CustomerEvent deleted'],
    });
    expect(removed).toEqual(customer);
    const missing = { status: 404, reason: 'customer_not_found' } as const;
    await perform({ rest: ['DELETE', path, verified], ...missing });
    await perform({ rest: ['PATCH', path, verified], ...missing });
    await perform({ rest: ['GET', path, { tenantAlias }], ...missing });
    await perform({ rest: ['GET', '/customers', { limit: '100' }], keys: itemKeys, hasNot: [id] });
    expect((await newCustomer({ associatedId })).id).not.toBe(id);
  });
});

describe('customers are listed', () => {
  it('newest first or oldest first, with six fields each', async () => {
    const made: any[] = [];
    for (const _ of [1, 2, 3]) made.push(await newCustomer());
    const newest = await perform({
      rest: ['GET', '/customers', { tenantAlias, limit: '3' }],
      keys: itemKeys,
    });
    expect(newest.data.map(({ id }: any) => id)).toEqual(made.toReversed().map(({ id }) => id));
    const oldest = await perform({
      rest: ['GET', '/customers', { order: 'asc', limit: '1' }],
      keys: itemKeys,
    });
    expect(oldest.data[0].associatedId).toBe('first');
    const { metadata: _, tenantAlias: __, ...item } = made[2];
    expect(newest.data[0]).toEqual(item);
  });

  it('ten at a time by default', async () => {
    for (const _ of Array(11)) await newCustomer();
    expect((await perform({ rest: ['GET', '/customers'], keys: itemKeys })).data).toHaveLength(10);
  });
});
