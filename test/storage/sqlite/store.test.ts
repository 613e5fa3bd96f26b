import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqlite } from '../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { afterCurrentTurn } from '../../../src/runtime/eventLoopTurn.ts';
import {
  addTenant,
  commitsInLog,
  migrations,
  openWithWriter,
  scratch,
  type Scratch,
} from '../../support/database.ts';
import { startApp } from '../../support/app.ts';
import { placeSqlite } from '../../support/engines.ts';
import { groupRow } from '../../support/rows.ts';

let file: Scratch;
let store: Store;
let writer: Database.Database;

beforeEach(async () => {
  file = scratch();
  placeSqlite(file.path);
  ({ store, writer } = openWithWriter(file.path));
  await addTenant(store, 'acme');
});
afterEach(async () => {
  await store.close();
  file.remove();
});

const add = (id: string, metadata: object = {}) =>
  store.transact('acme', (queries) =>
    queries.insert('groups', groupRow(id, { metadata: metadata as never })),
  );
const ids = async () =>
  (await store.committed.select('groups', { where: {}, orderBy: ['id'] })).map(({ id }) => id);
const unavailable = { reason: 'unavailable', status: 503, retryAfterSeconds: 1 };

/** Stops the time by which the store limits turns and transactions. */
const stopPerformance = (onTestFinished: (restore: () => void) => void) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
};
/** Adds a group in a unit that takes as long as this. */
const addSlowly = (id: string, ms: number, work = () => {}) =>
  store.transact('acme', (queries) => {
    vi.advanceTimersByTime(ms);
    work();
    return queries.insert('groups', groupRow(id));
  });

describe('group commit', () => {
  it('commits all queued units together', async ({ onTestFinished }) => {
    stopPerformance(onTestFinished);
    const before = commitsInLog(file.path);
    await Promise.all(Array.from({ length: 100 }, (_, index) => add(`g${index}`)));
    expect(commitsInLog(file.path) - before).toBe(1);
    await Promise.all(Array.from({ length: 250 }, (_, index) => add(`h${index}`)));
    expect(commitsInLog(file.path) - before).toBe(1 + 3);
  });

  it('commits units that arrive in successive event-loop turns together', async ({ onTestFinished }) => {
    // The store gathers units for a few milliseconds, in which a busy machine may have one turn.
    stopPerformance(onTestFinished);
    const before = commitsInLog(file.path);
    const added: Promise<unknown>[] = [];
    const addInTurn = (names: string[]) => {
      const [first, ...others] = names;
      if (others.length > 0) setImmediate(() => addInTurn(others));
      added.push(add(first!));
    };
    addInTurn(['a', 'b', 'c', 'd']);
    await added[0];
    expect([added.length, commitsInLog(file.path) - before]).toEqual([4, 1]);
    await Promise.all(added);
    expect(commitsInLog(file.path) - before).toBe(1);
  });

  it('lets other work run between units that take long, and commits them together', async ({
    onTestFinished,
  }) => {
    stopPerformance(onTestFinished);
    const before = commitsInLog(file.path);
    const seen: string[] = [];
    const note = (id: string) => () => {
      seen.push(id);
      setImmediate(() => seen.push(`after ${id}`));
    };
    await Promise.all(['a', 'b', 'c'].map((id) => addSlowly(id, 3, note(id))));
    expect(seen.slice(0, 5)).toEqual(['a', 'after a', 'b', 'after b', 'c']);
    expect(commitsInLog(file.path) - before).toBe(1);
  });

  it('gives the units after 50 ms a transaction of their own', async ({ onTestFinished }) => {
    stopPerformance(onTestFinished);
    const before = commitsInLog(file.path);
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => addSlowly(id, 30)));
    expect(commitsInLog(file.path) - before).toBe(2);
    expect(await ids()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets a load wait for a transaction that has let other work run', async ({ onTestFinished }) => {
    stopPerformance(onTestFinished);
    let loading: Promise<unknown> | undefined;
    const load = () =>
      setImmediate(() => {
        loading = store.load(({ queries }) =>
          Promise.resolve(queries.insertMany('groups', [{ ...groupRow('loaded'), tenantAlias: 'acme' }])),
        );
      });
    await Promise.all([addSlowly('a', 3, load), addSlowly('b', 3), addSlowly('c', 3)]);
    await loading;
    expect(await ids()).toEqual(['a', 'b', 'c', 'loaded']);
  });

  it('commits each awaited unit separately', async () => {
    const before = commitsInLog(file.path);
    for (const id of ['a', 'b', 'c']) await add(id);
    expect(commitsInLog(file.path) - before).toBe(3);
  });

  it('sends responses that await the end of the turn before it commits', async () => {
    const before = commitsInLog(file.path);
    const added = add('a');
    const commitsSeen = await afterCurrentTurn().then(() => commitsInLog(file.path));
    await added;
    expect([commitsSeen - before, commitsInLog(file.path) - before]).toEqual([0, 1]);
  });

  it('commits nothing if every unit fails', async () => {
    const before = commitsInLog(file.path);
    await Promise.allSettled([add('a', undefined), add('a')]);
    const written = commitsInLog(file.path);
    await Promise.allSettled([add('a'), add('a')]);
    expect([before, written, commitsInLog(file.path)]).toEqual([before, before + 1, before + 1]);
    expect(await ids()).toEqual(['a']);
  });

  /** Units by what they do, each counting how often it is run. */
  const kinds = {
    good: (id: string) => ({ id, fails: false, writes: true }),
    refusedAtOnce: (id: string) => ({ id, fails: true, writes: false }),
    failsAfterWriting: (id: string) => ({ id, fails: true, writes: true }),
  };
  const { good, refusedAtOnce, failsAfterWriting } = kinds;

  it.each([
    ['a failure before any write does not affect other units', [good, refusedAtOnce, good], [1, 1, 1]],
    [
      'a failure after a write is rolled back, and the other units run again',
      [good, failsAfterWriting, good],
      [2, 1, 1],
    ],
    [
      'several failures are rolled back',
      [good, failsAfterWriting, refusedAtOnce, failsAfterWriting, good],
      [2, 1, 1, 1, 1],
    ],
    ['a unit that fails alone is run once', [failsAfterWriting], [1]],
  ])('%s', async (_, batch, runs) => {
    const units = batch.map((kind, index) => ({ ...kind(`g${index}`), runs: 0 }));
    const outcomes = await Promise.allSettled(
      units.map((unit) =>
        store.transact('acme', async (queries) => {
          unit.runs += 1;
          if (unit.writes) await queries.insert('groups', groupRow(unit.id));
          if (unit.fails) throw new Error('no');
          return unit.id;
        }),
      ),
    );
    const kept = units.filter(({ fails }) => !fails).map(({ id }) => id);
    expect(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))).toEqual(
      kept,
    );
    expect(await ids()).toEqual(kept);
    expect(units.map((unit) => unit.runs)).toEqual(runs);
    await add('later');
    expect(await ids()).toEqual([...kept, 'later']);
  });

  it('rolls back a unit that awaits anything but its queries, and commits the others', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    let rule: Promise<void> | undefined;
    const slow = store.transact('acme', (queries) => {
      rule = (async () => {
        await queries.insert('groups', groupRow('b'));
        await released;
        await queries.insert('groups', groupRow('b2'));
      })();
      return rule;
    });
    const outcomes = await Promise.allSettled([add('a'), slow, add('c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    release();
    await expect(rule).rejects.toThrow();
    await add('d');
    expect(await ids()).toEqual(['a', 'c', 'd']);
  });

  it('shows what a load has committed to a turn that has read before', async () => {
    await store.load(async ({ queries }) => {
      await queries.insertMany('groups', [groupRow('loaded')]);
      expect(await ids()).toEqual([]);
    });
    expect(await ids()).toEqual(['loaded']);
  });

  it('finishes queued units before it closes', async () => {
    const units = ['a', 'b', 'c'].map((id) => add(id));
    await store.close();
    await Promise.all(units);
    store = openSqlite({ path: file.path, migrations, own: true });
    expect(await ids()).toEqual(['a', 'b', 'c']);
  });
});

describe('the log', () => {
  const pageBytes = 4096;
  const mostPages = 2000;
  const metadata = { text: 'a'.repeat(50 * pageBytes) };

  it('restarts when it is full, also with a reader during every commit', async () => {
    for (let index = 0; index < 160; index++) {
      await store.transact('acme', async (queries) => {
        await store.committed.select('tenants', { where: {} });
        return queries.insert('groups', groupRow(`g${index}`, { metadata }));
      });
    }
    expect(statSync(`${file.path}-wal`).size).toBeLessThan(1.5 * mostPages * pageBytes);
    expect(await ids()).toHaveLength(160);
  });
});

describe('a unit receives the current record of its tenant', () => {
  const nameTold = () => store.transact('acme', (_, __, tenant) => tenant?.name);
  const rename = (name: string, isUndone = false) =>
    store.transact('acme', async (queries) => {
      await queries.update('tenants', { alias: 'acme' }, { name });
      if (isUndone) throw new Error('no');
    });

  it('after a change by a unit', async () => {
    await nameTold();
    const [, seen] = await Promise.all([rename('New'), nameTold()]);
    expect([seen, await nameTold()]).toEqual(['New', 'New']);
  });

  it('after a change that was rolled back, alone or in a batch', async () => {
    const name = await nameTold();
    await expect(rename('Undone', true)).rejects.toThrow('no');
    expect(await nameTold()).toBe(name);
    const [first, , last] = await Promise.allSettled([nameTold(), rename('Undone', true), nameTold()]);
    expect([first, last]).toEqual([first, last].map(() => ({ status: 'fulfilled', value: name })));
    const refused = [rename('a', true), rename('b', true)].map((unit) => expect(unit).rejects.toThrow('no'));
    await Promise.all(refused);
    expect(await nameTold()).toBe(name);
  });

  it('after a change by another process', async () => {
    await nameTold();
    const other = new Database(file.path);
    other.exec("UPDATE tenants SET name = 'Theirs' WHERE alias = 'acme'");
    other.close();
    expect(await nameTold()).toBe('Theirs');
  });
});

describe('one server owns a file', () => {
  it('and a second one is refused with a plain message', async () => {
    expect(() => openSqlite({ path: file.path, migrations, own: true })).toThrow(
      `${file.path} is in use by another server; a database file has one.`,
    );
    await store.close();
    store = openSqlite({ path: file.path, migrations, own: true });
    await store.ping();
  });

  it('and a short command works beside it', async () => {
    const command = openSqlite({ path: file.path, migrations, own: false });
    await command.transact('acme', (queries) => queries.insert('groups', groupRow('a')));
    await command.close();
    expect(await ids()).toEqual(['a']);
    await add('b');
    expect(await ids()).toEqual(['a', 'b']);
  });
});

describe('while another process holds the write lock', () => {
  let other: Database.Database;

  beforeEach(() => {
    other = new Database(file.path);
    other.exec('BEGIN IMMEDIATE');
  });
  afterEach(() => other.close());

  it('units are refused, reads work, and units work afterwards', async () => {
    const units = [add('a'), add('b')].map((unit) => expect(unit).rejects.toMatchObject(unavailable));
    await Promise.all(units);
    expect(await ids()).toEqual([]);
    other.exec('COMMIT');
    await add('c');
    expect(await ids()).toEqual(['c']);
  });
});

it('a client gets 503 with Retry-After while the database is locked', async () => {
  const app = await startApp();
  const client = await app.tenant({ alias: 'acme' });
  const other = new Database(app.path);
  const send = () => client.rest('POST', '/groups', { tenantAlias: 'acme', name: 'Plans' });
  other.exec('BEGIN IMMEDIATE');
  const refused = await send();
  expect([refused.status, refused.body.body.reason, refused.headers['retry-after']]).toEqual([
    503,
    'unavailable',
    '1',
  ]);
  const overGraphql = await client.post('mutation { createGroup(input: { name: "Plans" }) { id } }');
  expect(overGraphql.body.errors[0].extensions).toMatchObject({
    reason: 'unavailable',
    retryAfterSeconds: 1,
  });
  expect((await client.rest('GET', '/groups')).body.data).toEqual([]);
  other.close();
  expect((await send()).status).toBe(201);
  await app.close();
});

describe('when the disk is full', () => {
  const large = { text: 'x'.repeat(100_000) };
  const fill = () =>
    writer.pragma(`max_page_count = ${String(writer.pragma('page_count', { simple: true }))}`);
  const makeRoom = () => writer.pragma('max_page_count = 1000000');

  it('a unit is refused, and works once there is room', async () => {
    fill();
    await expect(add('a', large)).rejects.toMatchObject(unavailable);
    expect(await ids()).toEqual([]);
    makeRoom();
    await add('a', large);
    expect(await ids()).toEqual(['a']);
  });

  it('no unit of a batch is acknowledged unless it is committed', async () => {
    fill();
    const outcomes = await Promise.allSettled([add('a'), add('b', large), add('c')]);
    const done = outcomes.flatMap(({ status }, index) =>
      status === 'fulfilled' ? ['a', 'b', 'c'][index]! : [],
    );
    expect(await ids()).toEqual(done);
    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: unavailable });
    makeRoom();
    await add('d', large);
    expect(await ids()).toEqual([...done, 'd']);
  });

  it('a unit that ignores the error is refused', async () => {
    fill();
    const careless = () =>
      store.transact('acme', async (queries) => {
        try {
          await queries.insert('groups', groupRow('a', { metadata: large }));
        } catch {
          // The rule that this stands for has a fault.
        }
      });
    for (const units of [[careless()], [careless(), add('b')]]) {
      const refusals = await Promise.allSettled(units);
      for (const refusal of refusals)
        expect(refusal).toMatchObject({ status: 'rejected', reason: unavailable });
    }
    makeRoom();
    await add('c');
    expect(await ids()).toEqual(['c']);
  });
});
