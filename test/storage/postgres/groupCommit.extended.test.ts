/** How the queues of writes behave where a server may refuse, be slow, or go away. */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUnanswered } from '../../../src/storage/postgres/commitOutcome.ts';
import { translatePostgresError } from '../../../src/storage/postgres/errors.ts';
import type { Queries } from '../../../src/storage/query/queries.ts';
import { BillingError } from '../../../src/lib/errors.ts';
import { addTenant } from '../../support/database.ts';
import { gatewayOfFile } from '../../support/gateway.ts';
import { groupRow } from '../../support/rows.ts';
import { openGateway, wireTo } from '../../support/stores.ts';

const unavailable = { reason: 'unavailable', status: 503, retryAfterSeconds: 1 };

const gateway = gatewayOfFile({
  tenants: ['acme', 'other'],
  settings: '&options=-c%20deadlock_timeout%3D50',
});
beforeEach(() => gateway.scratch.backdoor.execute('DELETE FROM groups'));

const add = (id: string, tenantAlias = 'acme', on = gateway.store) =>
  on.transact(tenantAlias, (queries) => queries.insert('groups', groupRow(id, { tenantAlias })));
const ids = async () =>
  (await gateway.store.fresh.select('groups', { where: {}, orderBy: ['id'] })).map(({ id }) => id);

/** Makes the database do something to each group that is added under a name, until the test is over. */
async function onInsert(name: string, body: string, when = 'BEFORE INSERT') {
  const isDeferred = when !== 'BEFORE INSERT';
  await gateway.scratch.backdoor.execute(`
    CREATE OR REPLACE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NEW; END $$;
    CREATE ${isDeferred ? 'CONSTRAINT' : ''} TRIGGER trouble ${when} ON groups
      ${isDeferred ? 'DEFERRABLE INITIALLY DEFERRED' : ''}
      FOR EACH ROW WHEN (NEW.name = '${name}') EXECUTE FUNCTION trouble()`);
}
afterEach(() => gateway.scratch.backdoor.execute('DROP TRIGGER IF EXISTS trouble ON groups'));

describe('a unit with a conflict', () => {
  it('is repeated after a deadlock', async () => {
    await add('a');
    await add('b', 'other');
    let runs = 0;
    const bothHaveOne = barrier(2);
    const touch = (queries: Queries, tenantAlias: string, id: string) =>
      queries.update('groups', { tenantAlias, id }, { name: `${runs}` });
    const crosswise = (own: string, first: [string, string], second: [string, string]) =>
      gateway.store.transact(own, async (queries) => {
        runs += 1;
        await touch(queries, ...first);
        await bothHaveOne();
        await touch(queries, ...second);
      });
    await Promise.all([
      crosswise('acme', ['acme', 'a'], ['other', 'b']),
      crosswise('other', ['other', 'b'], ['acme', 'a']),
    ]);
    expect(runs).toBeGreaterThan(2);
  });

  it.each(['40001', '40P01'])(
    'is run at most five times (%s), with the other units of its batch',
    async (code) => {
      await onInsert('cursed', `RAISE EXCEPTION 'in the way' USING ERRCODE = '${code}'`);
      let runs = 0;
      const cursed = gateway.store.transact('acme', (queries) => {
        runs += 1;
        return queries.insert('groups', groupRow('cursed'));
      });
      await expect(cursed).rejects.toMatchObject(unavailable);
      expect([runs, await ids()]).toEqual([5, []]);
      await add('a');
    },
  );
});

describe('a lost connection', () => {
  const dying = `PERFORM pg_terminate_backend(pg_backend_pid())`;

  it.each([
    ['in a query', 'BEFORE INSERT'],
    ['in COMMIT', 'AFTER INSERT'],
  ])('%s refuses the units of its batch, and is replaced', async (_, when) => {
    await onInsert('doomed', dying, when);
    const outcomes = await Promise.allSettled(['doomed', 'b', 'c'].map((id) => add(id)));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
    await expect(add('doomed')).rejects.toMatchObject(unavailable);
    expect(await ids()).toEqual([]);
    await add('a');
    expect(await ids()).toEqual(['a']);
  });

  it('between two queries refuses the unit at once', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const cut = gateway.store.transact('acme', async (queries) => {
      await queries.insert('groups', groupRow('a'));
      await gateway.scratch.backdoor.execute(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      await released;
    });
    // Refused while the unit still waits.
    await expect(cut).rejects.toMatchObject(unavailable);
    release();
    await add('b');
    expect(await ids()).toEqual(['b']);
  });

  it('while idle is replaced', async () => {
    await Promise.all([ids(), ids(), add('a')]);
    await gateway.scratch.backdoor.execute(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await expect.poll(() => gateway.store.ping()).toBeUndefined();
    await add('b');
    expect(await ids()).toEqual(['a', 'b']);
  });
});

describe('an unreachable server', () => {
  it('fails requests after a limit, and is used again when it is back', async () => {
    const url = new URL(gateway.scratch.url);
    const wire = await wireTo(Number(url.port));
    url.port = String(wire.port);
    url.searchParams.set('query_timeout', '400');
    const far = await openGateway(url.href);
    await add('a', 'acme', far);
    for (const fail of [wire.cut, wire.silence]) {
      fail();
      const read = async () => far.fresh.select('groups', { where: {} });
      const attempts = [add('lost', 'acme', far), read(), Promise.resolve(far.ping())];
      for (const attempt of await Promise.allSettled(attempts)) {
        expect(attempt).toMatchObject({ status: 'rejected', reason: unavailable });
      }
      wire.mend();
      await expect.poll(async () => far.ping()).toBeUndefined();
      await add(fail.name, 'acme', far);
    }
    expect((await ids()).filter((id) => id !== 'lost')).toEqual(['a', 'cut', 'silence']);
    await far.close();
    await wire.close();
  });
});

describe('a lock that another process holds', () => {
  it('refuses only the writes of that tenant after a while', async () => {
    const two = await openGateway(gateway.scratch.url, 2);
    await gateway.scratch.backdoor.whileLocked('acme', async () => {
      let areRefused = false;
      const refused = Promise.allSettled(
        Array.from({ length: 60 }, (_, index) => add(`g${index}`, 'acme', two)),
      ).finally(() => (areRefused = true));
      expect(await two.fresh.select('groups', { where: {} })).toEqual([]);
      expect(areRefused).toBe(false);
      for (const each of await refused)
        expect(each).toMatchObject({ status: 'rejected', reason: unavailable });
    });
    await add('a', 'acme', two);
    await add('b', 'other', two);
    expect(await ids()).toEqual(['a', 'b']);
    await two.close();
  });
});

it('units of two gateways are serialized: numbers have no gaps, and a unique key is used once', async () => {
  const url = gateway.scratch.url.replace(/lock_timeout=\d+/, 'lock_timeout=60000');
  const stores = [await openGateway(url), await openGateway(url)];
  await add('counter');
  const counted = await Promise.all(
    Array.from({ length: 80 }, (_, index) =>
      stores[index % 2]!.transact('acme', async (queries) => {
        const [counter] = await queries.select('groups', { where: { id: 'counter' } });
        const next = counter!.name === 'counter' ? 1 : Number(counter!.name) + 1;
        await queries.update('groups', { id: 'counter' }, { name: String(next) });
        return next;
      }),
    ),
  );
  expect(counted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
  const taken = await Promise.all(
    stores.map((each) =>
      each.transact('acme', (queries) =>
        queries.insertIfAbsent('groups', groupRow('one'), ['tenantAlias', 'id']),
      ),
    ),
  );
  expect(new Set(taken)).toEqual(new Set([false, true]));
  const made = await Promise.allSettled(stores.map((each) => addTenant(each, 'third')));
  expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await Promise.all(stores.map((store) => store.close()));
});

it('a connection keeps only frequent statements prepared', async () => {
  const narrow = await openGateway(gateway.scratch.url, 2);
  const columns = ['name', 'createdAt', 'updatedAt', 'id', 'tenantAlias'] as const;
  const bounds = ['from', 'to', 'after', 'before'] as const;
  const ranges = columns.map((column, at) =>
    Array.from({ length: at < 2 ? 16 : 3 }, (_, set) => [
      column,
      Object.fromEntries(
        bounds
          .filter((__, bit) => (set >> bit) % 2 === 1)
          .map((bound) => [bound, column.endsWith('At') ? '2026-01-31T00:00:00.000Z' : 'x']),
      ),
    ]),
  );
  for (const one of ranges[0]!) {
    for (const two of ranges[1]!) {
      for (const three of ranges[2]!) {
        await narrow.fresh.select('groups', { where: Object.fromEntries([one, two, three]) });
      }
    }
  }
  const { builder } = (narrow.fresh as any).driver;
  const { rows } = await builder.execute('select count(*)::int as count from pg_prepared_statements');
  expect(rows[0].count).toBeGreaterThan(300);
  expect(rows[0].count).toBeLessThanOrEqual(500);
  await narrow.close();
});

it('transient errors are distinguished from others', () => {
  const isTransient = (error: object) =>
    translatePostgresError(Object.assign(new Error(''), error)) instanceof BillingError;
  const passing = [
    '08006',
    '08P01',
    '28P01',
    '3D000',
    '53100',
    '53300',
    '57014',
    '57P01',
    '57P03',
    '58030',
    '55P03',
    '25006',
    '40001',
  ];
  for (const code of [...passing, 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT'])
    expect(isTransient({ code }), code).toBe(true);
  for (const code of ['23505', '23503', '42P01', '22P02', '25P03', '55000'])
    expect(isTransient({ code }), code).toBe(false);
  for (const message of [
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ]) {
    expect(isTransient({ message }), message).toBe(true);
    expect(isTransient({ message: 'Failed query', cause: new Error(message) }), message).toBe(true);
  }
  expect(isTransient({ message: 'It is due without a next billing date.' })).toBe(false);
  for (const message of lostWorkers) expect(isTransient({ code: 'XX000', message }), message).toBe(true);
  expect(isTransient({ code: 'XX000', message: 'cache lookup failed for relation 1' })).toBe(false);
});

/** What Citus reports if a worker is killed. */
const lostWorkers = [
  'failure on connection marked as essential: 127.0.0.1:5551',
  'SSL SYSCALL error: EOF detected',
  'could not commit transaction for shard 102019 on at least one active node',
];

it('an ERROR of COMMIT leaves its outcome open only if a worker of a distributed database was lost', () => {
  const respond = (code: string, message: string) =>
    isUnanswered(
      Object.assign(new pg.DatabaseError(message, message.length, 'error'), { severity: 'ERROR', code }),
    );
  for (const message of lostWorkers) expect(respond('XX000', message), message).toBe(true);
  expect(respond('08006', 'connection to the remote node postgres@127.0.0.1:5551 failed')).toBe(true);
  expect(respond('XX000', 'cache lookup failed for relation 1')).toBe(false);
  expect(respond('23505', 'duplicate key value violates unique constraint')).toBe(false);
});

/** A gate that opens, for good, when so many stand before it. */
function barrier(size: number) {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let count = 0;
  return () => {
    if (++count === size) open();
    return opened;
  };
}
