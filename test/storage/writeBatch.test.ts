/** What is gathered reads as if it had been written, and is written whole. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { WriteBatch } from '../../src/storage/writeBatch.ts';
import { openStore } from '../../src/storage/open.ts';
import type { Queries } from '../../src/storage/query/queries.ts';
import type { Row } from '../../src/storage/model/rowTypes.ts';
import type { Store } from '../../src/storage/store.ts';
import { addTenant } from '../support/database.ts';
import { engine, scratchDatabase, type Scratch } from '../support/engines.ts';
import { groupRow, subscriptionRow } from '../support/rows.ts';

let store: Store;
let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchDatabase();
  store = await openStore({ database: scratch.url, databaseConnections: 2 }, 'drizzle', true, systemClock);
  await addTenant(store, 'acme');
  await addTenant(store, 'globex');
});
afterAll(async () => {
  await store.close();
  await scratch.drop();
});
beforeEach(() =>
  store.transact('acme', async (queries) => {
    await queries.remove('subscriptions', {});
    await queries.remove('groups', {});
  }),
);

/** Runs a unit with gathered writes, and writes them at its end; `earlier` are those of the unit before it. */
const gather = <T>(work: (rows: WriteBatch) => Promise<T>, earlier?: WriteBatch) =>
  store.transact('acme', async (queries) => {
    const rows = new WriteBatch(queries, 'acme', earlier);
    const value = await work(rows);
    await rows.finish();
    return value;
  });

const groups = () => store.fresh.select('groups', { where: {}, orderBy: ['tenantAlias', 'id'] });
const listNames = (rows: Row<'groups'>[]) => rows.map(({ name }) => name);

describe('gathered writes', () => {
  it('add rows of any kind of value, the same as one by one', async () => {
    const row = subscriptionRow('s', '2026-02-01T00:00:00.500Z', {
      amountMinor: 2n ** 63n - 1n,
      period: 2 ** 53 - 1,
      cancelAtPeriodEnd: true,
      productName: `'"\\ École 🦉`,
      metadata: { z: '1', a: 'é', 'a b': 'true' },
    });
    await gather(async (rows) => rows.insert('subscriptions', row));
    const [found] = await store.fresh.select('subscriptions', { where: {} });
    expect(found).toEqual(row);
    expect(JSON.stringify(found!.metadata)).toBe(JSON.stringify(row.metadata));
  });

  it('are found by id and by other columns before they are written', async () => {
    await gather(async (rows) => {
      await rows.insert('groups', groupRow('a'));
      await rows.update('groups', { id: 'a' }, { name: 'first' });
      expect((await rows.one('groups', { id: 'a' }))!.name).toBe('first');
      await rows.insert('groups', groupRow('b'));
      expect(listNames(await rows.many('groups', { where: {}, orderBy: ['id'] }))).toEqual(['first', 'b']);
      await rows.update('groups', { id: 'b' }, { name: 'second' });
      expect((await rows.one('groups', { name: 'second' }))!.id).toBe('b');
    });
    expect(listNames(await groups())).toEqual(['first', 'second']);
  });

  it('change preloaded rows: the last change of each column wins', async () => {
    await gather(async (rows) => {
      for (const id of ['a', 'b', 'c']) await rows.insert('groups', groupRow(id));
    });
    await gather(async (rows) => {
      expect(await rows.preload('groups', ['a', null, 'b'])).toHaveLength(2);
      await rows.update('groups', { id: 'a' }, { name: 'one' });
      await rows.update('groups', { id: 'a' }, { name: 'two', prorateUpgrades: true });
      await rows.update('groups', { id: 'b' }, { metadata: { kept: 1 } });
      expect(await rows.one('groups', { id: 'a' })).toMatchObject({ name: 'two', prorateUpgrades: true });
    });
    expect(await groups()).toMatchObject([
      { name: 'two', prorateUpgrades: true, metadata: {} },
      { name: 'b', prorateUpgrades: false, metadata: { kept: 1 } },
      { name: 'c' },
    ]);
  });

  it('replace a row without losing changes since it was read', async () => {
    await gather(async (rows) => {
      for (const id of ['a', 'b', 'c']) await rows.insert('groups', groupRow(id));
    });
    await gather(async (rows) => {
      const [a, b] = await rows.preload('groups', ['a', 'b']);
      const c = (await rows.one('groups', { id: 'c' }))!;
      const rename = (before: Row<'groups'>, name: string) =>
        rows.replace('groups', { id: before.id }, { before, after: { ...before, name }, columns: ['name'] });
      await rename(a!, 'one');
      await rows.update('groups', { id: 'b' }, { prorateUpgrades: true });
      await rename(b!, 'two');
      await rename(c, 'three');
      expect(await rows.one('groups', { id: 'a' })).toMatchObject({ name: 'one' });
      expect(await rows.one('groups', { id: 'b' })).toMatchObject({ name: 'two', prorateUpgrades: true });
      await rows.insert('groups', groupRow('d'));
      await rename((await rows.one('groups', { id: 'd' }))!, 'four');
      await rows.update('groups', { name: 'four' }, { prorateUpgrades: true });
      await rename(a!, 'last');
    });
    expect(await groups()).toMatchObject([
      { name: 'last', prorateUpgrades: false },
      { name: 'two', prorateUpgrades: true },
      { name: 'three' },
      { name: 'four', prorateUpgrades: true },
    ]);
  });

  it('by another column than the id apply to rows added before, and not to later ones', async () => {
    await gather(async (rows) => {
      await rows.insert('groups', groupRow('a', { name: 'old' }));
      await rows.update('groups', { name: 'old' }, { prorateUpgrades: true });
      await rows.insert('groups', groupRow('b', { name: 'old' }));
      expect((await rows.one('groups', { id: 'a' }))!.prorateUpgrades).toBe(true);
      await rows.update('groups', { name: 'old' }, { name: 'new' });
      await rows.insert('groups', groupRow('c', { name: 'old' }));
    });
    expect((await groups()).map(({ name, prorateUpgrades }) => [name, prorateUpgrades])).toEqual([
      ['new', true],
      ['new', false],
      ['old', false],
    ]);
  });

  it('remember preloaded absence until a row is added', async () => {
    await gather(async (rows) => {
      await rows.insert('groups', groupRow('a', { name: 'taken' }));
      await rows.flush();
      await rows.preloadAbsence('groups', 'name', ['taken', 'free']);
      const named = async (name: string) => rows.many('groups', { where: { name } });
      expect([await named('taken'), await named('free')].map(({ length }) => length)).toEqual([1, 0]);
      await rows.insert('groups', groupRow('b', { name: 'free' }));
      expect(await named('free')).toHaveLength(1);
    });
  });

  it('can remove rows and add absent ones', async () => {
    await gather(async (rows) => {
      await rows.insert('groups', groupRow('a'));
      expect(await rows.insertIfAbsent('groups', groupRow('a'), ['tenantAlias', 'id'])).toBe(false);
      await rows.remove('groups', { id: 'a' });
      expect(await rows.one('groups', { id: 'a' })).toBeUndefined();
    });
    expect(await groups()).toEqual([]);
  });

  it('affect only rows of the tenant', async () => {
    await store.transact('globex', async (queries) =>
      queries.insert('groups', groupRow('a', { tenantAlias: 'globex' })),
    );
    await gather(async (rows) => {
      await rows.insert('groups', groupRow('a', { tenantAlias: 'globex' }));
      await rows.flush();
      await rows.update('groups', { id: 'a' }, { name: 'mine' });
    });
    expect((await groups()).map(({ tenantAlias, name }) => [tenantAlias, name])).toEqual([
      ['acme', 'mine'],
      ['globex', 'a'],
    ]);
    await store.transact('globex', async (queries) => queries.remove('groups', {}));
  });

  it('change the row of the tenant itself, and of no other', async () => {
    const at = '2026-02-01T00:00:00.000Z';
    await gather(async (rows) => rows.update('tenants', { alias: 'acme' }, { invoiceItemsSince: at }));
    const tenants = await store.fresh.select('tenants', { where: {}, orderBy: ['alias'] });
    expect(tenants.map(({ alias, invoiceItemsSince }) => [alias, invoiceItemsSince])).toEqual([
      ['acme', at],
      ['globex', null],
    ]);
  });

  it('are rolled back with their unit', async () => {
    const failing = gather(async (rows) => {
      await rows.insert('groups', groupRow('a'));
      await rows.flush();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await groups()).toEqual([]);
  });

  it('count on from the highest number', async () => {
    const [first, second] = await gather(async (rows) => [
      await rows.next('subscriptions', 'period'),
      await rows.next('subscriptions', 'period'),
    ]);
    expect([first, second]).toEqual([1, 2]);
    await gather(async (rows) => rows.insert('subscriptions', subscriptionRow('s', null, { period: 7 })));
    expect(await gather(async (rows) => rows.next('subscriptions', 'period'))).toBe(8);
  });
});

describe('rows known from the previous unit', () => {
  const rename = (name: string) => (queries: Queries) =>
    queries.update('groups', { tenantAlias: 'acme', id: 'a' }, { name });
  const meanwhile: [what: string, happens: () => Promise<unknown>, name: string][] = [
    ['nobody has written', async () => {}, 'first'],
    ['a unit has written', () => store.transact('acme', rename('second')), 'second'],
    [
      'another connection has written',
      () => store.load(async ({ queries }) => rename('second')(queries)),
      'second',
    ],
    [
      'a unit has written and was undone',
      () =>
        store
          .transact('acme', async (queries) => {
            await rename('second')(queries);
            throw new Error('undone');
          })
          .catch(() => {}),
      'first',
    ],
    [
      'a unit that knew it has failed',
      async () => {
        const failing = gather(async (rows) => {
          const [a] = await rows.preload('groups', ['a']);
          await rows.replace(
            'groups',
            { id: 'a' },
            { before: a!, after: { ...a!, name: 'no' }, columns: ['name'] },
          );
          throw new Error('failed');
        }, known);
        await failing.catch(() => {});
      },
      'first',
    ],
  ];
  let known: WriteBatch;

  it.each(meanwhile)('are read again if %s', async (_, happens, name) => {
    known = await gather(async (rows) => {
      await rows.insert('groups', groupRow('a'));
      await rows.update('groups', { id: 'a' }, { name: 'first' });
      return rows;
    });
    await happens();
    await gather(async (rows) => {
      const [a] = await rows.preload('groups', ['a', 'b']);
      expect(a).toEqual({ ...groupRow('a'), name });
      expect(await rows.one('groups', { id: 'a' })).toEqual(a);
    }, known);
  });

  it('are not read again by SQLite without writes in between', async () => {
    const [a, rows] = await gather(async (first) => {
      await first.insert('groups', groupRow('a'));
      return [await first.one('groups', { id: 'a' }), first];
    });
    const again = await gather(async (next) => next.one('groups', { id: 'a' }), rows);
    expect(again).toEqual(a);
    expect(again === a).toBe(engine === 'sqlite');
  });
});
