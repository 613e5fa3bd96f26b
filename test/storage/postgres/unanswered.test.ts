/** What becomes of a unit that does not wait for its writes, and of those that share its commit. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Row } from '../../../src/storage/model/rowTypes.ts';
import { TenantWrites } from '../../../src/storage/store.ts';
import { gatewayOfFile } from '../../support/gateway.ts';
import { groupRow } from '../../support/rows.ts';

const gateway = gatewayOfFile();
beforeEach(() => gateway.scratch.backdoor.execute('DELETE FROM groups; DELETE FROM traces'));

const unit = <T>(work: (rows: TenantWrites, tenant: Row<'tenants'> | undefined) => Promise<T>) =>
  gateway.store.transact('acme', (queries, _, tenant) => work(new TenantWrites(queries, 'acme'), tenant));
const add = (id: string) => unit(async (rows) => rows.insert('groups', groupRow(id)));
const groups = async () =>
  (await gateway.store.fresh.select('groups', { where: {}, orderBy: ['id'] })).map(({ id }) => id);

const traceRow = (eventId: string): Row<'traces'> => ({
  tenantAlias: 'acme',
  eventId,
  traceId: 't',
  parentId: null,
  isRoot: true,
  executorId: 'x',
  activityType: 'GroupEvent',
  payload: { z: `'"\\ École 🦉`, a: [1, null, { b: true }] },
  createdAt: '2026-01-31T00:00:00.500Z',
  resourceId: null,
  customerId: null,
});
const traces = () => gateway.store.fresh.select('traces', { where: {}, orderBy: ['eventId'] });

describe('a unit with a failed write', () => {
  const clash = async (rows: TenantWrites) => {
    await rows.insert('groups', groupRow('taken'));
    await rows.insert('groups', groupRow('own'));
  };
  const afterwards: [string, (rows: TenantWrites) => unknown][] = [
    ['that is its last', () => 'done'],
    ['and that goes on to read', (rows) => rows.one('groups', { id: 'own' })],
    ['and that goes on to refuse', () => Promise.reject(new Error('refused'))],
    [
      'and that goes on with a statement which is new to the connection, twice',
      async (rows) => {
        const metadata = { k: 'v' } as never;
        await rows.update('groups', { id: 'own', name: 'own' }, { metadata, name: 'other' });
        await rows.update('groups', { id: 'own', name: 'own' }, { metadata, name: 'other' });
        return rows.many('groups', { where: {} });
      },
    ],
  ];

  it.each(afterwards)('%s, fails with the error of that write', async (_, goOn) => {
    await add('taken');
    const failing = () =>
      unit(async (rows) => {
        await clash(rows);
        return goOn(rows);
      });
    const error = { code: '23505', constraint: 'groups_tenant_alias_id_pk' };
    await expect(failing()).rejects.toMatchObject(error);
    const [before, among, after] = await Promise.allSettled([add('a'), failing(), add('b')]);
    expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(among).toMatchObject({ status: 'rejected', reason: error });
    expect(await groups()).toEqual(['a', 'b', 'taken']);
  });
});

describe('a batch of units', () => {
  const refuse = () => Promise.reject(new Error('refused'));
  const failing: [string, (rows: TenantWrites) => unknown, number][] = [
    ['is run once when one fails that has changed nothing', refuse, 1],
    [
      'is run once when one fails whose row was there',
      async (rows) => (await rows.insertIfAbsent('groups', groupRow('c'), ['tenantAlias', 'id'])) || refuse(),
      1,
    ],
    [
      'is run again when one fails that has changed something',
      async (rows) => {
        await rows.insert('groups', groupRow('undone'));
        await refuse();
      },
      2,
    ],
    [
      'is run again when one fails that has a row held back',
      async (rows) => {
        await rows.insert('traces', traceRow('undone'));
        await refuse();
      },
      2,
    ],
  ];

  it.each(failing)('%s', async (_, fail, times) => {
    await add('c');
    const runs = [0, 0];
    const counted = (index: number) =>
      unit(async (rows) => {
        runs[index]! += 1;
        await rows.insert('groups', groupRow(`${index}`));
        await rows.insert('traces', traceRow(`${index}`));
      });
    // The first is under way alone while the others gather.
    const all = [add('first'), counted(0), unit(async (rows) => fail(rows)), counted(1)];
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[2]).toMatchObject({ reason: new Error('refused') });
    // Who comes after the one that fails has not been run by then.
    expect(runs).toEqual([times, 1]);
    expect(await groups()).toEqual(['0', '1', 'c', 'first']);
    expect((await traces()).map(({ eventId }) => eventId)).toEqual(['0', '1']);
  });

  it('reads its tenant again after a change, and not after a rollback', async () => {
    const nameIn = (change?: string, fails = false) =>
      unit(async (rows, known) => {
        const { name } = known ?? (await rows.one('tenants', {}))!;
        if (change) await rows.update('tenants', {}, { name: change });
        if (fails) throw new Error('undone');
        return name;
      });
    const all = [
      nameIn(),
      nameIn(),
      nameIn('New'),
      nameIn(),
      nameIn('Newer', true),
      nameIn(),
      nameIn('acme'),
    ];
    const outcomes = await Promise.allSettled(all);
    const seen = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'undone'));
    expect(seen).toEqual(['acme', 'acme', 'acme', 'New', 'undone', 'New', 'New']);
    expect(await nameIn()).toBe('acme');
  });
});

describe('deferred rows', () => {
  it('are stored unchanged, in any number', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => traceRow(`e${1000 + index}`));
    await unit(async (writes) => {
      for (const row of rows) await writes.insert('traces', row);
    });
    const found = await traces();
    expect(found).toEqual(rows);
    expect(JSON.stringify(found[0]!.payload)).toBe(JSON.stringify(rows[0]!.payload));
  });

  it('are written before their table is read or changed', async () => {
    const seen = await unit(async (rows) => {
      await rows.insert('traces', traceRow('a'));
      const one = await rows.one('traces', { eventId: 'a' });
      await rows.insert('traces', traceRow('b'));
      await rows.update('traces', { eventId: 'b' }, { executorId: 'y' });
      await rows.insert('traces', traceRow('c'));
      await rows.remove('traces', { eventId: 'c' });
      return one;
    });
    expect(seen).toEqual(traceRow('a'));
    expect(await traces()).toEqual([traceRow('a'), { ...traceRow('b'), executorId: 'y' }]);
  });

  it('fail only their own unit', async () => {
    await unit(async (rows) => rows.insert('traces', traceRow('taken')));
    const twice = () => unit(async (rows) => rows.insert('traces', traceRow('taken')));
    await expect(twice()).rejects.toMatchObject({ code: '23505' });
    const outcomes = await Promise.allSettled([add('a'), add('b'), twice(), add('c')]);
    expect(outcomes[2]).toMatchObject({ reason: { code: '23505' } });
    expect(await groups()).toEqual(['a', 'b', 'c']);
  });
});
