import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Match, Queries, Selection } from '../../src/storage/query/queries.ts';
import type { Row } from '../../src/storage/model/rowTypes.ts';
import type { Store } from '../../src/storage/store.ts';
import { addTenant } from './database.ts';
import type { Engine } from './engines.ts';
import { customerRow, groupRow, priceRow, productRow, subscriptionRow } from './rows.ts';

const largestMoney = 2n ** 63n - 1n;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * When a unit that awaits something other than its queries is undone: SQLite sees it at the end of the event-loop
 * turn, PostgreSQL when nothing has come for a while.
 */
const patienceMs = { sqlite: 0, postgres: 300 };

/** The contract of every store. `open` creates an empty, migrated one with the given limits, and returns how to remove it. */
export function storeContract(
  engine: Engine,
  open: (limits: string) => Promise<{ store: Store; discard: () => Promise<void> }>,
) {
  describe(`the store on ${engine}`, () => {
    let store: Store;
    let discard: () => Promise<void>;

    beforeAll(async () => {
      ({ store, discard } = await open(`idle_in_transaction_session_timeout=${patienceMs.postgres}`));
      await addTenant(store, 'acme');
    });
    afterAll(() => discard());
    beforeEach(() =>
      store.transact('acme', async (queries) => {
        for (const name of ['subscriptions', 'prices', 'products', 'groups', 'customers'] as const)
          await queries.remove(name, {});
      }),
    );

    const add = (...groups: Row<'groups'>[]) =>
      store.transact('acme', async (queries) => {
        for (const group of groups) await queries.insert('groups', group);
      });
    const selectIds = async (
      selection: Partial<Selection<'groups'>> = {},
      queries: Queries = store.committed,
    ) => (await queries.select('groups', { where: {}, orderBy: ['id'], ...selection })).map(({ id }) => id);

    describe('runs units of work', () => {
      it('alone, and returns their values', async () => {
        const added = await store.transact('acme', async (queries) =>
          queries.insert('groups', groupRow('a')),
        );
        expect(added).toBe(1);
        expect(await selectIds()).toEqual(['a']);
      });

      it('atomically, independently of other units', async () => {
        const unit = (id: string, fails: boolean) =>
          store.transact('acme', async (queries) => {
            await queries.insert('groups', groupRow(`${id}1`));
            await queries.insert('groups', groupRow(`${id}2`));
            if (fails) throw new Error(`no ${id}`);
            return id;
          });
        const outcomes = await Promise.allSettled(
          ['a', 'b', 'c', 'd'].map((id) => unit(id, id === 'b' || id === 'd')),
        );
        expect(
          outcomes.map((outcome) =>
            outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message,
          ),
        ).toEqual(['a', 'no b', 'c', 'no d']);
        expect(await selectIds()).toEqual(['a1', 'a2', 'c1', 'c2']);
      });

      it('alone and failing, without changes', async () => {
        const failing = store.transact('acme', async (queries) => {
          await queries.insert('groups', groupRow('a'));
          await queries.insert('groups', groupRow('a'));
        });
        await expect(failing).rejects.toThrow();
        expect(await selectIds()).toEqual([]);
        const throwing = store.transact('acme', () => {
          throw new Error('at once');
        });
        await expect(throwing).rejects.toThrow('at once');
      });

      it('in the order of arrival, each seeing earlier ones', async () => {
        const seen = await Promise.all(
          ['a', 'b', 'c'].map((id) =>
            store.transact('acme', async (queries) => {
              await queries.insert('groups', groupRow(id));
              return selectIds({}, queries);
            }),
          ),
        );
        expect(seen).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
      });

      it('invisible to readers until they are durable, and visible at once afterwards', async () => {
        let during: string[] | undefined;
        await selectIds();
        await store.transact('acme', async (queries) => {
          await queries.insert('groups', groupRow('a'));
          during = await selectIds();
        });
        expect(during).toEqual([]);
        expect(await selectIds()).toEqual(['a']);
        for (const id of ['b', 'c']) {
          await add(groupRow(id));
          expect(await selectIds({ where: { id } })).toEqual([id]);
        }
      });

      it('whose queries cannot be used afterwards', async () => {
        let leaked!: Queries;
        await store.transact('acme', (queries) => {
          leaked = queries;
        });
        const late = async () => leaked.insert('groups', groupRow('late'));
        await expect(late()).rejects.toThrow('after it had ended');
        await expect(store.transact('acme', async () => late())).rejects.toThrow('after it had ended');
        expect(await selectIds()).toEqual([]);
      });

      it('and rolls back those that await anything but their queries, without delaying others', async () => {
        const late: unknown[] = [];
        const idle = store.transact('acme', async (queries) => {
          await queries.insert('groups', groupRow('early'));
          await pause(patienceMs[engine] + 50);
          try {
            await queries.insert('groups', groupRow('late'));
          } catch (error) {
            late.push((error as Error).message);
          }
        });
        const neighbours = ['a', 'b', 'c'].map((id) => add(groupRow(id)));
        await expect(idle).rejects.toThrow('awaited something other than its queries');
        await Promise.all(neighbours);
        await add(groupRow('d'));
        await expect.poll(() => late).toEqual(['A unit of work was used after it had ended.']);
        expect(await selectIds()).toEqual(['a', 'b', 'c', 'd']);
      });

      it('and rolls back one that does so alone', async () => {
        const idle = store.transact('acme', async (queries) => {
          await queries.insert('groups', groupRow('early'));
          await pause(patienceMs[engine] + 50);
        });
        await expect(idle).rejects.toThrow('awaited something other than its queries');
        await add(groupRow('a'));
        expect(await selectIds()).toEqual(['a']);
      });

      it('and rolls back those that ignore a failed query', async () => {
        const careless = (id: string) =>
          store.transact('acme', async (queries) => {
            await queries.insert('groups', groupRow(id));
            try {
              await queries.insert('groups', groupRow(id));
            } catch {
              // The rule that this stands for has a fault.
            }
          });
        const outcomes = await Promise.allSettled([careless('a'), add(groupRow('b')), careless('c')]);
        const last = await Promise.allSettled([careless('d')]);
        // SQLite undoes the one statement that failed, PostgreSQL the unit.
        const kept = engine === 'sqlite';
        expect([...outcomes, ...last].map(({ status }) => status === 'fulfilled')).toEqual([
          kept,
          true,
          kept,
          kept,
        ]);
        expect(await selectIds()).toEqual(kept ? ['a', 'b', 'c', 'd'] : ['b']);
      });

      it('one after another: a rule may decide by what it reads', async () => {
        const count = async () =>
          store.transact('acme', async (queries) => {
            const [counter] = await queries.select('groups', { where: { id: 'counter' } });
            const next = String(Number(counter!.name) + 1);
            await queries.update('groups', { id: 'counter' }, { name: next });
            return next;
          });
        await add(groupRow('counter', { name: '0' }));
        const counted = await Promise.all(Array.from({ length: 60 }, count));
        expect(counted).toEqual(Array.from({ length: 60 }, (_, index) => String(index + 1)));
      });

      it('in hundreds at once', async () => {
        const ids = Array.from({ length: 250 }, (_, index) => `g${String(index).padStart(3, '0')}`);
        await Promise.all(ids.map((id) => add(groupRow(id))));
        expect(await selectIds()).toEqual(ids);
      });
    });

    describe('stores values unchanged', () => {
      it.each([0n, 1n, 2n ** 53n + 1n, largestMoney])('money: %s', async (amountMinor) => {
        await store.transact('acme', async (queries) => {
          await queries.insert('products', productRow('p'));
          await queries.insert('prices', priceRow('a', { amountMinor }));
        });
        const [read] = await store.committed.select('prices', { where: { amountMinor } });
        expect(read).toEqual(priceRow('a', { amountMinor }));
        const above = await store.committed.select('prices', {
          where: { amountMinor: { after: amountMinor } },
        });
        expect(above).toEqual([]);
        await store.transact('acme', (queries) =>
          queries.update('prices', { id: 'a' }, { amountMinor: largestMoney }),
        );
        expect((await store.committed.select('prices', { where: {} }))[0]!.amountMinor).toBe(largestMoney);
      });

      it.each([
        '{}',
        '{"z":1,"a":{"y":[1,null,"x"],"b":false}}',
        '{"__proto__":{"polluted":true},"constructor":1}',
        String.raw`{"quote":"'\"\\","line":"\n","😀":"𝄞"}`,
        '{"small":1e-7,"large":1.7976931348623157e+308,"safe":9007199254740991}',
      ])('JSON: %s', async (json) => {
        await add(groupRow('a', { metadata: JSON.parse(json) }));
        const [read] = await store.committed.select('groups', { where: {} });
        expect(JSON.stringify(read!.metadata)).toBe(json);
        expect(({} as any).polluted).toBeUndefined();
      });

      it.each(['', "o'clock; DROP TABLE groups;--", '%_!\\', 'ÄÖÜ 😀', ' x '])('text: "%s"', async (name) => {
        await add(groupRow('a', { name }));
        expect(await selectIds({ where: { name } })).toEqual(['a']);
        expect((await store.committed.select('groups', { where: {} }))[0]!.name).toBe(name);
      });

      it('instants, booleans, counts and null', async () => {
        const rows = [
          productRow('a', { expiresAt: '0001-01-01T00:00:00.000Z', active: false }),
          productRow('b', { expiresAt: '9999-12-31T23:59:59.999Z', active: true }),
          productRow('c'),
        ];
        await store.transact('acme', async (queries) => {
          for (const row of rows) await queries.insert('products', row);
          await queries.insert('prices', priceRow('x', { productId: 'a', period: 2 ** 53 - 1 }));
        });
        expect(await store.committed.select('products', { where: {}, orderBy: ['id'] })).toEqual(rows);
        expect((await store.committed.select('prices', { where: {} }))[0]!.period).toBe(2 ** 53 - 1);
        await store.transact('acme', (queries) =>
          queries.update('products', { id: 'b' }, { expiresAt: null, active: false }),
        );
        expect(await store.committed.select('products', { where: { id: 'b' } })).toEqual([
          productRow('b', { active: false }),
        ]);
      });
    });

    describe('inserts a row if absent', () => {
      it('by its target, and keeps an existing one', async () => {
        const target: ('tenantAlias' | 'associatedId')[] = ['tenantAlias', 'associatedId'];
        const insert = (id: string, associatedId: string) =>
          store.transact('acme', (queries) =>
            queries.insertIfAbsent('customers', customerRow(id, associatedId), target),
          );
        expect(await Promise.all([insert('a', '1'), insert('b', '1'), insert('c', '2')])).toEqual([
          true,
          false,
          true,
        ]);
        const kept = await store.committed.select('customers', { where: {}, orderBy: ['id'] });
        expect(kept.map(({ id }) => id)).toEqual(['a', 'c']);
        await expect(insert('a', '3')).rejects.toThrow();
      });
    });

    describe('finds', () => {
      const many = Array.from({ length: 1500 }, (_, index) => `g${String(index).padStart(4, '0')}`);
      const expectFound = async (where: Match<'products'>, ids: string[]) => {
        const found = await store.committed.select('products', { where, orderBy: ['id'] });
        expect(found.map(({ id }) => id)).toEqual(ids);
      };
      const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;

      beforeEach(() =>
        store.transact('acme', async (queries) => {
          await queries.insert(
            'products',
            productRow('a', { name: '50% off_Now!', active: false, createdAt: day(1) }),
          );
          await queries.insert(
            'products',
            productRow('b', { name: 'ÉCOLE', expiresAt: day(2), createdAt: day(2) }),
          );
          await queries.insert(
            'products',
            productRow('c', { name: 'Straße 50', expiresAt: day(3), createdAt: day(3) }),
          );
        }),
      );

      const rows: [Match<'products'>, string[]][] = [
        [{}, ['a', 'b', 'c']],
        [{ id: undefined, name: 'ÉCOLE' }, ['b']],
        [{ active: false }, ['a']],
        [{ active: [true] }, ['b', 'c']],
        [{ active: [true, false] }, ['a', 'b', 'c']],
        [{ expiresAt: null }, ['a']],
        [{ expiresAt: { isSet: true } }, ['b', 'c']],
        [{ createdAt: { from: day(2) } }, ['b', 'c']],
        [{ createdAt: { after: day(2) } }, ['c']],
        [{ createdAt: { to: day(2) } }, ['a', 'b']],
        [{ createdAt: { before: day(2) } }, ['a']],
        [{ createdAt: { from: day(2), before: day(3) } }, ['b']],
        [{ createdAt: { from: undefined, to: undefined } }, ['a', 'b', 'c']],
        [{ expiresAt: { to: day(2), isSet: true } }, ['b']],
        [{ id: [] }, []],
        [{ id: ['c', 'a', 'c'] }, ['a', 'c']],
        [{ id: ['a', 'b', 'x'], active: true }, ['b']],
        [{ id: [...many, 'b'] }, ['b']],
        [{ nameLower: { contains: '50' } }, ['a', 'c']],
        [{ nameLower: { contains: '%' } }, ['a']],
        [{ nameLower: { contains: 'f_n' } }, ['a']],
        [{ nameLower: { contains: '5_%' } }, []],
        [{ nameLower: { contains: '!' } }, ['a']],
        [{ nameLower: { contains: 'OFF' } }, ['a']],
        [{ nameLower: { contains: 'école' } }, ['b']],
        [{ nameLower: { contains: 'ÉC' } }, ['b']],
        [{ nameLower: { contains: 'straße' } }, ['c']],
        [{ nameLower: { contains: '' } }, ['a', 'b', 'c']],
      ];
      for (const [where, ids] of rows) {
        const title = JSON.stringify(where);
        it(title.length > 80 ? `${title.slice(0, 80)}…` : title, () => expectFound(where, ids));
      }

      it('rows by more than a thousand ids', async () => {
        // A unit that the database hears nothing of for ten seconds ends: on a busy machine a long one takes that time.
        for (let at = 0; at < many.length; at += 250)
          await add(...many.slice(at, at + 250).map((id) => groupRow(id)));
        expect(await selectIds({ where: { id: many } })).toEqual(many);
      });

      it('and changes and removes exactly those, and returns their number', async () => {
        const changed = await store.transact('acme', (queries) =>
          queries.update('products', { expiresAt: { isSet: true } }, { description: 'new' }),
        );
        expect(changed).toBe(2);
        expect(
          await store.transact('acme', (queries) =>
            queries.remove('products', { description: 'new', id: 'b' }),
          ),
        ).toBe(1);
        expect(await store.transact('acme', (queries) => queries.remove('products', { id: [] }))).toBe(0);
        await expectFound({}, ['a', 'c']);
      });
    });

    it('pages by the whole sort key, in both directions', async () => {
      const rows = ['b', 'a', 'd', 'c', 'e'].map((id, index) =>
        groupRow(id, { createdAt: index < 3 ? '2026-01-01T00:00:00.000Z' : '2026-01-02T00:00:00.000Z' }),
      );
      await add(...rows);
      const ordered = ['a', 'b', 'd', 'c', 'e'];
      for (const direction of ['asc', 'desc'] as const) {
        const whole = direction === 'asc' ? ordered : ordered.toReversed();
        for (const [index, id] of whole.entries()) {
          const { createdAt } = rows.find((row) => row.id === id)!;
          const orderBy: ('createdAt' | 'id')[] = ['createdAt', 'id'];
          const next = await selectIds({ orderBy, direction, past: [createdAt, id], limit: 2 });
          expect(next).toEqual(whole.slice(index + 1, index + 3));
        }
      }
    });

    it('claims work in order, up to the limit, except the skipped ids', async () => {
      const due = ['a', 'b', 'c', 'd', 'e'].map((id, index) =>
        subscriptionRow(id, `2026-01-0${5 - index}T00:00:00.000Z`),
      );
      await store.transact('acme', async (queries) => {
        for (const row of due) await queries.insert('subscriptions', row);
      });
      const claimed = await store.claim(
        'acme',
        'subscriptions',
        { where: { dueAt: { to: '2026-01-04T00:00:00.000Z' } }, orderBy: ['dueAt', 'id'], limit: 3 },
        new Set(['d']),
      );
      // PostgreSQL may return fewer: skipped rows count towards its limit.
      expect(claimed.map(({ id }) => id)).toEqual(engine === 'sqlite' ? ['e', 'c', 'b'] : ['e', 'c']);
    });

    it('responds to a ping', async () => {
      expect(await store.ping()).toBeUndefined();
    });
  });
}
