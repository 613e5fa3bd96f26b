import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { dayMs, secondMs, stoppedClock } from '../support/clock.ts';
import { performer, type Perform, type Row, type Scenario } from '../support/scenario.ts';

const clock = stoppedClock('2026-01-31T10:00:00.000Z');
const tenantAlias = 'acme';
const traceKeys = 'tenantAlias traceId eventId executorId parentId isRoot activityType payload createdAt';
const traceId = 'a'.repeat(32);

let app: TestApp;
let client: Client;
let perform: Perform;
let keyId: string;

beforeAll(async () => {
  // Kabul is four and a half hours ahead: its days are not those of UTC.
  app = await startApp({}, { clock });
  client = await app.tenant({ alias: tenantAlias, timezone: 'Asia/Kabul' });
  perform = performer(app, client, tenantAlias);
  keyId = client.apiKey.split('_')[2]!;
});
afterAll(() => app.close());

const createGroup = async (headers: Record<string, string> = {}, name = 'Plans') => {
  const { status, body } = await client.rest('POST', '/groups', { tenantAlias, name }, headers);
  expect(status).toBe(201);
  return body;
};
const timeframe = async (fields: object) =>
  (await perform({ rest: ['GET', '/traces/timeframe', { tenantAlias, ...fields }], keys: traceKeys })).data;
const last = async () => (await timeframe({ startDate: '2026-01-01', limit: '1' }))[0];

describe('a trace contains', () => {
  it('the action, the resource and the changes', async () => {
    const group = await createGroup();
    expect(await last()).toEqual({
      tenantAlias,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventId: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      executorId: keyId,
      parentId: null,
      isRoot: true,
      activityType: 'GroupEvent',
      payload: { action: 'created', resourceId: group.id, object: group, changes: {} },
      createdAt: clock.now(),
    });
    const updatedAt = clock.advance(secondMs);
    const path = `/groups/${group.id}`;
    await client.rest('PATCH', path, { tenantAlias, name: 'Tariffs', metadata: { a: 1 } });
    expect((await last()).payload).toEqual({
      action: 'updated',
      resourceId: group.id,
      object: { ...group, name: 'Tariffs', metadata: { a: 1 }, updatedAt },
      changes: { name: ['Plans', 'Tariffs'], metadata: [{}, { a: 1 }] },
    });
    const { status } = await client.rest('DELETE', path, { tenantAlias });
    expect([status, (await last()).payload.action]).toEqual([200, 'deleted']);
  });

  const executors: [string, string | undefined, boolean][] = [
    ['an id', 'user-7', true],
    ['an address', 'mailto:ada@example.com', true],
    ['255 characters', 'x'.repeat(255), true],
    ['256 characters', 'x'.repeat(256), false],
    ['a space within', 'ada lovelace', false],
    ['nothing', '', false],
    ['no header', undefined, false],
  ];
  it.each(executors)('the executor: %s in x-executor-id', async (_, sent, isTaken) => {
    await createGroup(sent === undefined ? {} : { 'x-executor-id': sent });
    expect((await last()).executorId).toBe(isTaken ? sent : keyId);
  });

  const parents: [string, string, boolean][] = [
    ['a traceparent', `00-${traceId}-00f067aa0ba902b7-01`, true],
    ['one not sampled', `00-${traceId}-00f067aa0ba902b7-00`, true],
    ['one of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, false],
    ['one in capitals', `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`, false],
    ['one cut short', `00-${traceId}`, false],
    ['something else', 'DROP TABLE traces', false],
  ];
  it.each(parents)('the trace id of the request: %s', async (_, traceparent, isTaken) => {
    await createGroup({ traceparent });
    const trace = await last();
    expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(trace.traceId === traceId).toBe(isTaken);
  });

  it('one trace id for each request', async () => {
    const first = clock.advance(secondMs);
    await client.graphql(
      'mutation { a: createGroup(input: {name: "A"}) { id } b: createGroup(input: {name: "B"}) { id } }',
    );
    await createGroup();
    const ids = (await timeframe({ startDate: first, order: 'asc' })).map((trace: any) => trace.traceId);
    expect(ids).toHaveLength(3);
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
  });

  it('no secret', async () => {
    await perform({
      rest: [
        'GET',
        '/traces/timeframe',
        { tenantAlias, startDate: '2026-01-01', limit: '100', order: 'asc' },
      ],
      keys: traceKeys,
      has: ['TenantEvent', 'ApiKeyEvent', 'system:operator'],
      hasNot: ['secretHash', 'cursorSecret', client.apiKey.split('_')[3]!],
    });
  });
});

describe('nothing is traced', () => {
  it('of a request that is refused or only reads', async () => {
    const { id } = await createGroup();
    const body = { tenantAlias, name: 'x'.repeat(201) };
    await perform({ rest: ['PATCH', `/groups/${id}`, body], status: 400, reason: 'validation_failed' });
    await perform({ rest: ['GET', `/groups/${id}`, { tenantAlias }] });
    await perform({ rest: ['PATCH', `/groups/${id}`, { tenantAlias, name: 'Plans' }] });
  });
});

describe('one trace', () => {
  it('is found by its exact identifiers', async () => {
    await createGroup();
    const trace = await last();
    const exact = { traceId: trace.traceId, eventId: trace.eventId, timestamp: trace.createdAt };
    const get = (fields: object): Scenario['rest'] => [
      'GET',
      '/traces/event',
      { tenantAlias, ...exact, ...fields },
    ];
    expect(await perform({ rest: get({}), keys: traceKeys })).toEqual(trace);
    const elsewhere = new Date(Date.parse(trace.createdAt) + 2 * 60 * 60 * secondMs).toISOString();
    const sameInstant = elsewhere.replace('Z', '+02:00');
    expect(await perform({ rest: get({ timestamp: sameInstant }) })).toEqual(trace);

    const missing: Partial<Row> = { status: 404, reason: 'trace_not_found' };
    const malformed: Partial<Row> = { status: 400, reason: 'validation_failed', paths: ['timestamp'] };
    const rows: [object, Partial<Row>][] = [
      [{ timestamp: new Date(Date.parse(trace.createdAt) + 1).toISOString() }, missing],
      [{ timestamp: '2026-01-31' }, missing],
      [{ traceId: 'b'.repeat(32) }, missing],
      [{ eventId: 'evt_unknown' }, missing],
      [{ eventId: "' OR 1=1 --" }, missing],
      [{ timestamp: 'yesterday' }, malformed],
      [{ timestamp: '' }, malformed],
      [{ timestamp: '2026-02-30T00:00:00Z' }, malformed],
    ];
    for (const [fields, expected] of rows) await perform({ rest: get(fields), ...expected });
    await perform({
      rest: ['GET', '/traces/event', { tenantAlias }],
      status: 400,
      reason: 'validation_failed',
      paths: ['traceId', 'timestamp', 'eventId'],
    });
  });
});

describe('traces of a user', () => {
  const executorId = 'grace';
  /** When each of five groups was made: one a day. */
  const days: string[] = [];

  beforeAll(async () => {
    for (let index = 0; index < 5; index++) {
      days.push(clock.advance(dayMs));
      await createGroup({ 'x-executor-id': executorId });
      await createGroup();
    }
  });

  const of = async (fields: object = {}) => {
    const rest = ['GET', '/traces/user', { tenantAlias, executorId, ...fields }] as ['GET', string, object];
    const { data, nextCursor } = await perform({ rest, keys: traceKeys });
    for (const trace of data) expect(trace.executorId).toBe(executorId);
    return { at: data.map(({ createdAt }: any) => createdAt), nextCursor };
  };

  it('are filtered by user and dates, in both orders', async () => {
    expect((await of()).at).toEqual(days.toReversed());
    expect((await of({ order: 'asc' })).at).toEqual(days);
    expect((await of({ startDate: days[1], endDate: days[3], order: 'asc' })).at).toEqual(days.slice(1, 4));
    expect((await of({ startDate: days[3], endDate: days[1] })).at).toEqual([]);
    expect((await of({ endDate: days[0] })).at).toEqual(days.slice(0, 1));
    expect((await of({ executorId: 'nobody' })).at).toEqual([]);
  });

  it('are paged', async () => {
    const first = await of({ limit: '2' });
    const second = await of({ limit: '2', cursor: first.nextCursor });
    const third = await of({ limit: '2', cursor: second.nextCursor });
    expect([...first.at, ...second.at, ...third.at]).toEqual(days.toReversed());
    expect(third.nextCursor).toBeNull();
  });

  it('have the API key as executor by default', async () => {
    const { data } = await perform({
      rest: ['GET', '/traces/user', { tenantAlias, executorId: keyId, limit: '5' }],
    });
    expect(data).toHaveLength(5);
    await perform({
      rest: ['GET', '/traces/user', { tenantAlias }],
      status: 400,
      reason: 'validation_failed',
      paths: ['executorId'],
    });
  });
});

describe('traces of a time frame', () => {
  it('include both ends, to the millisecond', async () => {
    const start = clock.advance(dayMs);
    await createGroup({}, 'first');
    const end = clock.advance(1);
    await createGroup({}, 'second');
    clock.advance(1);
    await createGroup({}, 'third');
    const names = async (fields: object) =>
      (await timeframe({ order: 'asc', ...fields })).map(({ payload }: any) => payload.object.name);
    expect(await names({ startDate: start })).toEqual(['first', 'second', 'third']);
    expect(await names({ startDate: start, endDate: end })).toEqual(['first', 'second']);
    expect(await names({ startDate: end, endDate: end })).toEqual(['second']);
    expect(await names({ startDate: clock.advance(1) })).toEqual([]);
    expect(await names({ startDate: end, endDate: start })).toEqual([]);
  });

  it('of dates cover whole days in the time zone of the tenant', async () => {
    clock.advance(10 * dayMs);
    const midnight = '2026-03-01T19:30:00.000Z';
    clock.advance(Date.parse(midnight) - clock.nowMs() - 1);
    const names: Record<string, string> = {};
    for (const name of ['last of 1 March', 'first of 2 March']) {
      await createGroup({}, name);
      names[clock.now()] = name;
      clock.advance(1);
    }
    clock.advance(dayMs - 2);
    await createGroup({}, 'last of 2 March');
    clock.advance(1);
    await createGroup({}, 'first of 3 March');
    const found = async (startDate: string, endDate: string) =>
      (await timeframe({ startDate, endDate, order: 'asc' })).map(({ payload }: any) => payload.object.name);
    expect(names[midnight]).toBe('first of 2 March');
    expect(await found('2026-03-02', '2026-03-02')).toEqual(['first of 2 March', 'last of 2 March']);
    expect(await found('2026-03-01', '2026-03-01')).toEqual(['last of 1 March']);
    expect(await found('2026-03-03', '2026-03-04')).toEqual(['first of 3 March']);
  });

  const rows: Row[] = [
    {
      name: 'no start',
      send: () => ({ rest: ['GET', '/traces/timeframe', { tenantAlias }] }),
      paths: ['startDate'],
    },
    {
      name: 'a start that is no date',
      send: () => ({ rest: ['GET', '/traces/timeframe', { tenantAlias, startDate: 'soon' }] }),
      paths: ['startDate'],
    },
    {
      name: 'a day that is not in the calendar',
      send: () => ({ rest: ['GET', '/traces/timeframe', { tenantAlias, startDate: '2026-02-30' }] }),
      paths: ['startDate'],
    },
    {
      name: 'an order of its own',
      send: () => ({
        rest: ['GET', '/traces/timeframe', { tenantAlias, startDate: '2026-01-01', order: 'up' }],
      }),
      paths: ['order'],
    },
    {
      name: 'a cursor of another list',
      send: () => ({
        rest: ['GET', '/traces/timeframe', { tenantAlias, startDate: '2026-01-01', cursor: 'abcd' }],
      }),
      reason: 'cursor_invalid',
      paths: ['cursor'],
    },
  ];
  it.each(rows)('are refused with $name', ({ name: _, send, ...expected }) =>
    perform({ ...send(), status: 400, reason: 'validation_failed', ...expected }),
  );
});
