/** Several selections that are read at once return the rows that each returns alone: of every table, with every kind of value. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReadBudget } from '../../src/lib/readBudget.ts';
import type { TenantTable } from '../../src/storage/model/rowTypes.ts';
import { columnNames, keyNames, tables } from '../../src/storage/query/tableMeta.ts';
import { TenantReads } from '../../src/storage/store.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { fillTenant } from '../support/world.ts';

let app: TestApp;
let client: Client;
const open = (alias = 'acme', budget?: ReadBudget) => new TenantReads(app.service.store.fresh, alias, budget);
const ofTenants = tables.filter(
  (name): name is TenantTable => name === 'tenants' || columnNames(name).includes('tenantAlias' as never),
);

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
  client = await app.tenant({ alias: 'acme' });
  await fillTenant(client, 'acme');
  await fillTenant(await app.tenant({ alias: 'other' }), 'other');
}, 120_000);
afterAll(() => app.close());

const select = (name: TenantTable) => ({ where: {}, orderBy: keyNames(name) as never[] });

it('of every table', async () => {
  expect(ofTenants.length).toBeGreaterThan(40);
  let found = 0;
  for (const name of ofTenants) {
    const [own, tenant, [first]] = await open().manyOf(
      [name, select(name)],
      ['tenants', { where: {} }],
      [name, { ...select(name), direction: 'desc', limit: 1 }],
    );
    const alone = await open().many(name, select(name));
    expect({ name, own }).toEqual({ name, own: alone });
    expect(tenant.map(({ alias }) => alias)).toEqual(['acme']);
    expect(first).toEqual(alone.at(-1));
    found += own.length > 0 ? 1 : 0;
  }
  // Empty tables prove nothing.
  expect(found).toBeGreaterThan(30);
}, 60_000);

describe('with conditions', () => {
  it('that have values of their own', async () => {
    const [customers, named, none, subscriptions] = await open().manyOf(
      ['customers', { where: {}, orderBy: ['id'], leaveOut: ['metadata'] }],
      ['customers', { where: { lastName: ['Lovelace', "O'Neill $1 $2"] }, orderBy: ['createdAt', 'id'] }],
      ['customers', { where: { id: 'cus_none' }, limit: 1 }],
      ['subscriptions', { where: {}, filter: { cancelledAt: null }, orderBy: ['createdAt', 'id'] }],
    );
    expect(customers.length).toBeGreaterThan(1);
    expect(named).toEqual(
      await open().many('customers', {
        where: { lastName: ['Lovelace', "O'Neill $1 $2"] },
        orderBy: ['createdAt', 'id'],
      }),
    );
    expect(none).toEqual([]);
    expect(subscriptions.length).toBeGreaterThan(1);
    const ids = customers.map(({ id }) => id);
    const [again] = await open().manyOf([
      'customers',
      { where: { id: { after: ids[0]! } }, orderBy: ['id'], limit: 3 },
    ]);
    expect(again.map(({ id }) => id)).toEqual(ids.slice(1, 4));
  });

  it('never those of another tenant', async () => {
    const [theirs] = await open('other').manyOf(['customers', { where: {}, orderBy: ['id'] }]);
    const [own] = await open().manyOf(['customers', { where: { id: theirs.map(({ id }) => id) } }]);
    expect([theirs.length > 0, own]).toEqual([true, []]);
  });

  it('within the budget of a request', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 10 }, (_, key) => [`key${key}`, 'x'.repeat(400)]),
    );
    const fields = {
      tenantAlias: 'acme',
      email: 'large@example.com',
      firstName: 'Ada',
      lastName: 'Large',
      metadata,
    };
    const { status } = await client.rest('POST', '/customers', { ...fields, associatedId: 'large' });
    expect(status).toBe(201);
    const where = { lastName: 'Large' };
    const read = async (bytes: number) =>
      open('acme', new ReadBudget(bytes)).manyOf(['groups', { where: {} }], ['customers', { where }]);
    await expect(read(1500)).rejects.toMatchObject({ reason: 'result_too_large' });
    expect((await read(10_000))[1]).toMatchObject([{ metadata }]);
  });
});
