/** Metered usage: events that are counted once, what meters make of them, and what is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';

const clock = stoppedClock('2026-06-10T10:07:00.000Z');
let app: TestApp;
let client: Client;
let other: Client;
let reader: Client;
let customerId: string;
let count = 0;

const createCustomer = async (of: Client, associatedId: string): Promise<string> => {
  const input = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId };
  const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  return (await of.graphql(document, { input })).createCustomer.id;
};

const resultFields = 'accepted duplicates conflicts { index id } refused { index reason path } unassigned';
const record = async (events: object[], of = client) =>
  (
    await of.graphql(
      `mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { ${resultFields} } }`,
      { events },
    )
  ).recordUsage;
const voidIds = async (ids: string[]) =>
  (
    await client.graphql(
      'mutation ($ids: [String!]!) { voidUsage(input: { ids: $ids }) { voided alreadyVoided unknownIds } }',
      { ids },
    )
  ).voidUsage;
const createMeter = async (input: object): Promise<string> =>
  (
    await client.graphql('mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }', {
      input: { name: 'Meter', ...input },
    })
  ).createMeter.id;
const usage = async (meterId: string, rest: object = {}) =>
  (
    await client.graphql(
      `query ($meterId: ID!, $customerId: ID, $from: DateTime!, $until: DateTime!, $by: UsageStep, $groupBy: [String!]) {
        usage(meterId: $meterId, customerId: $customerId, from: $from, until: $until, by: $by, groupBy: $groupBy) {
          value events windows { from until group value events }
        }
      }`,
      { meterId, customerId, from: '2026-06-10', until: '2026-06-11', ...rest },
    )
  ).usage;
const nothing = { accepted: 0, duplicates: 0, conflicts: [], refused: [], unassigned: 0 };
const nextId = () => `event-${(count += 1)}`;
const event = (fields: object = {}) => ({ id: nextId(), event: 'call', customerId, ...fields });

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' }, { clock });
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
  reader = await app.key('acme', 'read');
});
beforeEach(async () => {
  customerId = await createCustomer(client, nextId());
});
afterAll(async () => {
  expect((await examine(app.service, () => {})).findings).toEqual([]);
  await app.close();
});

it('counts an event once, whatever is sent again, and tells what differs', async () => {
  const name = nextId();
  const meter = await createMeter({ event: name, aggregation: 'sum', value: 'tokens' });
  const first = event({ event: name, properties: { tokens: 10, model: 'large' }, at: clock.now() });
  expect(await record([first, first])).toEqual({ ...nothing, accepted: 1, duplicates: 1 });
  const reordered = { ...first, properties: { model: 'large', tokens: 10 } };
  const withoutTime = { ...first, at: undefined };
  expect(await record([first, reordered, withoutTime])).toEqual({ ...nothing, duplicates: 3 });
  const changed = [
    { ...first, properties: { tokens: 11, model: 'large' } },
    { ...first, properties: { tokens: 10 } },
    { ...first, event: 'other' },
    { ...first, at: '2026-06-10T10:06:00Z' },
    { ...first, customerId: await createCustomer(client, nextId()) },
  ];
  const conflicts = changed.map((_, index) => ({ index, id: first.id }));
  expect(await record(changed)).toEqual({ ...nothing, conflicts });
  expect(await usage(meter)).toMatchObject({ value: '10', events: 1 });
});

it('takes an id again after 35 days from its receipt, and not before', async () => {
  const again = event({ event: nextId() });
  expect(await record([{ ...again, at: clock.now() }])).toMatchObject({ accepted: 1 });
  clock.advance(35 * dayMs - 1);
  expect(await record([again])).toMatchObject({ duplicates: 1 });
  clock.advance(1);
  expect(await record([again])).toMatchObject({ accepted: 1, duplicates: 0 });
  expect(await record([again])).toMatchObject({ duplicates: 1 });
});

describe('meters', () => {
  // Facts published by others: each row is computed from its events alone.
  const tokens = [10, 20, 30, 30].map((value) => ({ tokens: value, user: `user-${value}` }));
  it.each<[string, object, object[], string, number]>([
    ['count', { aggregation: 'count' }, tokens, '4', 4],
    ['sum', { aggregation: 'sum', value: 'tokens' }, tokens, '90', 4],
    ['max', { aggregation: 'max', value: 'tokens' }, tokens, '30', 4],
    ['min', { aggregation: 'min', value: 'tokens' }, tokens, '10', 4],
    ['latest', { aggregation: 'latest', value: 'tokens' }, tokens, '30', 4],
    ['unique', { aggregation: 'unique', value: 'user' }, tokens, '3', 4],
    ['exact decimals', { aggregation: 'sum', value: 'n' }, [{ n: '0.1' }, { n: 0.2 }], '0.3', 2],
    [
      'twelve decimals',
      { aggregation: 'sum', value: 'n' },
      [{ n: '0.000000000001' }, { n: 1e-12 }],
      '0.000000000002',
      2,
    ],
    [
      'numbers of 15 digits',
      { aggregation: 'sum', value: 'n' },
      [{ n: 12345678901.2345 }, { n: 1e15 }],
      '1000012345678901.2345',
      2,
    ],
    ['a negative sum', { aggregation: 'sum', value: 'n' }, [{ n: -5 }, { n: '2.5' }], '-2.5', 2],
    ['a multiplier', { aggregation: 'sum', value: 'n', unitMultiplier: '0.001' }, [{ n: 1500 }], '1.5', 1],
    [
      'events without the property',
      { aggregation: 'sum', value: 'n' },
      [{ n: 1 }, { m: 2 }, { n: null }],
      '1',
      1,
    ],
    [
      'a filter',
      { aggregation: 'count', filter: [{ property: 'm', values: ['a', 'b'] }] },
      [{ m: 'a' }, { m: 'b' }, { m: 'c' }, {}],
      '2',
      2,
    ],
    [
      'a filter by number',
      { aggregation: 'count', filter: [{ property: 'm', values: ['1'] }] },
      [{ m: 1 }, { m: '1' }, { m: true }],
      '2',
      2,
    ],
    [
      '18 digits',
      { aggregation: 'sum', value: 'n' },
      [{ n: '999999999999999999' }, { n: '999999999999999999' }],
      '1999999999999999998',
      2,
    ],
  ])('compute %s', async (_, input, properties, value, events) => {
    const name = nextId();
    const meter = await createMeter({ event: name, ...input });
    await record(properties.map((each) => event({ event: name, properties: each })));
    expect(await usage(meter, { until: '2027-01-01' })).toMatchObject({ value, events });
  });

  it('weigh each level by the time for which it lasts, and carry it into the next month', async () => {
    const name = nextId();
    clock.advance(Date.parse('2027-03-01T00:00:00Z') - clock.nowMs());
    const meter = await createMeter({
      event: name,
      aggregation: 'weighted_sum',
      value: 'seats',
      persistent: true,
    });
    clock.advance(4 * dayMs);
    await record([event({ event: name, properties: { seats: 2500 } })]);
    clock.advance(30 * dayMs);
    await record([event({ event: name, properties: { seats: -2000 } })]);
    clock.advance(2 * dayMs);
    await record([event({ event: name, properties: { seats: -200 } })]);
    const { windows } = await usage(meter, { from: '2027-03-01', until: '2027-05-01', by: 'month' });
    // 2500 × 27 / 31, then (2500 × 3 + 500 × 2 + 300 × 25) / 30.
    expect(windows.map((window: { value: string }) => window.value)).toEqual([
      '2177.41935483871',
      '533.333333333333',
    ]);
  });

  it('count an event of five minutes ago that was received before they were created', async () => {
    const name = nextId();
    await record([event({ event: name })]);
    expect(
      await usage(await createMeter({ event: name, aggregation: 'count' }), {
        from: '2027-01-01',
        until: '2028-01-01',
      }),
    ).toMatchObject({ value: '1' });
  });

  it('are archived with the quarter of an hour, and count nothing later', async () => {
    const name = nextId();
    const meter = await createMeter({ event: name, aggregation: 'count' });
    await record([event({ event: name })]);
    const { archiveMeter } = await client.graphql(
      'mutation ($id: ID!) { archiveMeter(id: $id) { archivedAt startsAt } }',
      { id: meter },
    );
    expect(archiveMeter.archivedAt > archiveMeter.startsAt || archiveMeter.archivedAt === clock.now()).toBe(
      true,
    );
    clock.advance(dayMs);
    expect(await record([event({ event: name })])).toMatchObject({ accepted: 1 });
    expect(await usage(meter, { from: '2027-01-01', until: '2028-01-01' })).toMatchObject({
      events: archiveMeter.archivedAt === archiveMeter.startsAt ? 0 : 1,
    });
    const { traces } = await client.graphql('{ traces(first: 1) { nodes { activityType payload } } }');
    expect(traces.nodes[0]).toMatchObject({
      activityType: 'MeterEvent',
      payload: { action: 'archived', resourceId: meter },
    });
  });
});

it('breaks usage down by windows and properties, in the calendar of the tenant', async () => {
  const kabul = await app.tenant({ alias: 'kabul', timezone: 'Asia/Kabul' });
  const buyer = await createCustomer(kabul, 'buyer');
  const document = `mutation { createMeter(input: { name: "M", event: "call", aggregation: sum, value: "n", groupBy: ["model", "region"] }) { id } }`;
  const meterId = (await kabul.graphql(document)).createMeter.id;
  const at = clock.now();
  const day = at.slice(0, 10);
  // Midnight in Kabul is 19:30 UTC.
  clock.advance(Date.parse(`${day}T19:29:00Z`) + dayMs - Date.parse(at));
  const sent = [
    { id: '1', event: 'call', customerId: buyer, properties: { n: 1, model: 'a', region: 'x' } },
    { id: '2', event: 'call', customerId: buyer, properties: { n: 2, model: 'b' } },
  ];
  expect(await record(sent, kabul)).toMatchObject({ accepted: 2 });
  clock.advance(2 * 60_000);
  expect(
    await record([{ id: '3', event: 'call', customerId: buyer, properties: { n: 4, model: 'a' } }], kabul),
  ).toMatchObject({ accepted: 1 });
  const read = (rest: string) =>
    kabul.graphql(
      `query ($meterId: ID!, $customerId: ID!, $from: DateTime!, $until: DateTime!) {
        usage(meterId: $meterId, customerId: $customerId, from: $from, until: $until, ${rest}) { value windows { from value group } }
      }`,
      {
        meterId,
        customerId: buyer,
        from: new Date(clock.nowMs() - dayMs).toISOString(),
        until: new Date(clock.nowMs() + 60_000).toISOString(),
      },
    );
  const days = (await read('by: day')).usage;
  expect(days.value).toBe('7');
  expect(days.windows.map((window: { value: string }) => window.value)).toEqual(['3', '4']);
  expect(days.windows[1].from).toMatch(/T19:30:00.000Z$/);
  const groups = (await read('groupBy: ["model"]')).usage.windows;
  expect(groups.map(({ group, value }: { group: object; value: string }) => ({ group, value }))).toEqual([
    { group: { model: 'a' }, value: '5' },
    { group: { model: 'b' }, value: '2' },
  ]);
  const minutes = (await read('by: minute').catch((error: Error) => error.message)) as string;
  expect(minutes).toMatch(/at most 1000 windows/);
});

it('gives waiting events to the customer who is created, and not to that of another tenant', async () => {
  const [name, associatedId] = [nextId(), nextId()];
  const meter = await createMeter({ event: name, aggregation: 'count' });
  const early = { id: nextId(), event: name, associatedId };
  expect(await record([early])).toEqual({ ...nothing, accepted: 1, unassigned: 1 });
  await createCustomer(other, associatedId);
  const whole = { from: '2026-01-01', until: '2028-01-01' };
  expect(await usage(meter, { ...whole, customerId: undefined })).toMatchObject({ events: 0 });
  const id = await createCustomer(client, associatedId);
  expect(await usage(meter, { ...whole, customerId: id })).toMatchObject({ value: '1' });
  expect(await record([early])).toEqual({ ...nothing, duplicates: 1 });
});

it('takes events back, and recomputes what they had made', async () => {
  const name = nextId();
  const inputs = { sum: 'sum', highest: 'max', unique: 'unique', latest: 'latest' };
  const meters: Record<string, string> = {};
  for (const [key, aggregation] of Object.entries(inputs))
    meters[key] = await createMeter({ event: name, aggregation, value: 'n' });
  const sent = [5, 9, 9, 7].map((n) => event({ event: name, properties: { n } }));
  await record(sent);
  const read = async () => {
    const values: Record<string, string> = {};
    for (const [key, id] of Object.entries(meters))
      values[key] = (await usage(id, { from: '2026-01-01', until: '2028-01-01' })).value;
    return values;
  };
  expect(await read()).toEqual({ sum: '30', highest: '9', unique: '3', latest: '7' });
  const ids = [sent[1]!.id, sent[2]!.id, sent[3]!.id];
  expect(await voidIds([...ids, 'never'])).toEqual({ voided: 3, alreadyVoided: 0, unknownIds: ['never'] });
  expect(await read()).toEqual({ sum: '5', highest: '5', unique: '1', latest: '5' });
  expect(await voidIds(ids)).toEqual({ voided: 0, alreadyVoided: 3, unknownIds: [] });
  expect(await record(sent)).toEqual({ ...nothing, duplicates: 4 });
  expect(await read()).toMatchObject({ sum: '5' });
});

describe('refuses events one by one', () => {
  const far = (ms: number) => new Date(clock.nowMs() + ms).toISOString();
  it.each<[string, () => object, string, string?]>([
    ['more than 12 decimals', () => ({ properties: { n: '0.1234567890123' } }), 'properties.n'],
    ['an exponent', () => ({ properties: { n: 1e300 } }), 'properties.n'],
    ['19 digits', () => ({ properties: { n: '1234567890123456789' } }), 'properties.n'],
    ['a number above 2^53', () => ({ properties: { n: 9_007_199_254_740_992 } }), 'properties.n'],
    ['a number with 16 digits', () => ({ properties: { n: 123456789012.3456 } }), 'properties.n'],
    ['a text that is no number', () => ({ properties: { n: 'NaN' } }), 'properties.n'],
    ['true as a number', () => ({ properties: { n: true } }), 'properties.n'],
    ['an object', () => ({ properties: { n: {} } }), 'properties.n'],
    ['a list', () => ({ properties: { m: [1] } }), 'properties.m'],
    ['a long key', () => ({ properties: { ['k'.repeat(5000)]: 1 } }), 'properties'],
    ['an empty key', () => ({ properties: { '': 1 } }), 'properties'],
    ['__proto__', () => ({ properties: JSON.parse('{"__proto__": 1}') }), 'properties'],
    ['constructor', () => ({ properties: { constructor: 1 } }), 'properties'],
    [
      '51 properties',
      () => ({ properties: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])) }),
      'properties',
    ],
    ['a long text', () => ({ properties: { m: 'x'.repeat(501) } }), 'properties.m'],
    ['an empty id', () => ({ id: '' }), 'id'],
    ['a long id', () => ({ id: 'x'.repeat(256) }), 'id'],
    ['no customer', () => ({ customerId: null }), 'customerId'],
    ['two customers', () => ({ associatedId: 'x' }), 'associatedId'],
    ['a customer who does not exist', () => ({ customerId: 'cus_none' }), 'customerId', 'customer_not_found'],
    ['a clock ahead', () => ({ at: far(5 * 60_000 + 1) }), 'at'],
    ['36 days ago', () => ({ at: far(-35 * dayMs - 1) }), 'at'],
    ['a time that is none', () => ({ at: 'yesterday' }), 'at'],
    ['a day that is none', () => ({ at: '2026-02-30' }), 'at'],
    ['a time without a zone', () => ({ at: '2026-01-01T00:00:00' }), 'at'],
    ['a number as a time', () => ({ at: 1_767_225_600 }), 'at'],
    ['an object as a time', () => ({ at: { seconds: 5 } }), 'at'],
    ['the year 9999', () => ({ at: '9999-12-31T23:59:59Z' }), 'at'],
  ])('%s', async (_, wrong, path, reason = 'validation_failed') => {
    const name = nextId();
    const meter = await createMeter({ event: name, aggregation: 'sum', value: 'n' });
    const right = event({ event: name, properties: { n: 1 } });
    const result = await record([right, { ...event({ event: name, properties: { n: 1 } }), ...wrong() }]);
    expect(result).toEqual({
      ...nothing,
      accepted: 1,
      refused: [{ index: 1, reason, path: `events.1.${path}` }],
    });
    expect(await usage(meter, { from: '2026-01-01', until: '2028-01-01' })).toMatchObject({ value: '1' });
  });

  it('a customer of another tenant, and nothing of it is seen there', async () => {
    const foreign = await createCustomer(other, nextId());
    expect(await record([event({ customerId: foreign })])).toMatchObject({
      accepted: 0,
      refused: [{ reason: 'customer_not_found', path: 'events.0.customerId' }],
    });
    const { usageEvents } = await other.graphql('{ usageEvents { nodes { id } } }');
    expect(usageEvents.nodes).toEqual([]);
  });
});

it.each<[string, () => Promise<{ status: number; body: any }>, number, string]>([
  ['no events', () => client.rest('POST', '/usage', { events: [] }), 400, 'validation_failed'],
  [
    '1,001 events',
    () => client.rest('POST', '/usage', { events: Array.from({ length: 1001 }, () => event()) }),
    400,
    'validation_failed',
  ],
  [
    'an unknown field',
    () => client.rest('POST', '/usage', { events: [{ ...event(), amount: 1 }] }),
    400,
    'validation_failed',
  ],
  ['a read-only key', () => reader.rest('POST', '/usage', { events: [event()] }), 403, 'insufficient_scope'],
])('refuses a request with %s', async (_, send, status, reason) => {
  const answer = await send();
  expect([answer.status, answer.body.reason ?? answer.body.body?.reason]).toEqual([status, reason]);
});

it.each([
  ['value', { value: '__proto__' }, 'value'],
  ['group', { value: 'n', groupBy: ['model', 'constructor'] }, 'groupBy.1'],
  ['condition', { value: 'n', filter: [{ property: 'prototype', values: ['a'] }] }, 'filter.0.property'],
])('refuses a meter by a property that no event may have, as %s', async (_, terms, path) => {
  const input = { name: 'Tokens', event: nextId(), aggregation: 'sum', ...terms };
  const document = 'mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id } }';
  const { body } = await client.post(document, { input });
  expect(body.errors[0].extensions).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
});

it.each<[string, unknown, string, string]>([
  ['no object', 5, 'events.1', 'must be an object'],
  ['a list', [], 'events.1', 'must be an object'],
  ['no id', { id: undefined }, 'events.1.id', 'is required'],
  ['a number as id', { id: 5 }, 'events.1.id', 'must be text'],
  ['null as event', { event: null }, 'events.1.event', 'is required'],
  ['an object as customer', { customerId: {} }, 'events.1.customerId', 'must be text'],
  ['a number as time', { at: 1_700_000_000 }, 'events.1.at', 'must be text'],
  ['text as properties', { properties: 'n=1' }, 'events.1.properties', 'must be an object'],
])('refuses an event with %s alone by REST', async (_, wrong, path, message) => {
  const second = typeof wrong === 'object' && !Array.isArray(wrong) ? { ...event(), ...wrong } : wrong;
  const { status, body } = await client.rest('POST', '/usage', { events: [event(), second, event()] });
  const refused = [{ index: 1, reason: 'validation_failed', path, message }];
  expect([status, body]).toEqual([201, { ...nothing, accepted: 2, refused }]);
});

it('records many events of several customers in pieces, each as it is alone', async () => {
  const name = nextId();
  const meterId = await createMeter({ event: name, aggregation: 'sum', value: 'n' });
  const customers = [
    customerId,
    await createCustomer(client, nextId()),
    await createCustomer(client, nextId()),
  ];
  const events = Array.from({ length: 400 }, (_, index) =>
    event({ event: name, customerId: customers[index % 3], properties: { n: index } }),
  );
  events[7] = { ...events[7]!, customerId: 'cus_none' };
  Object.assign(events[301]!, { at: '2020-01-01' });
  const refused = [
    { index: 7, reason: 'customer_not_found', path: 'events.7.customerId' },
    { index: 301, reason: 'validation_failed', path: 'events.301.at' },
  ];
  expect(await record(events)).toEqual({ ...nothing, accepted: 398, refused });
  const sum = (399 * 400) / 2 - 7 - 301;
  const all = { customerId: null, from: '2026-01-01', until: '2028-01-01' };
  expect(await usage(meterId, all)).toMatchObject({ value: String(sum), events: 398 });
  // An id that the request has twice: the first one counts, in whichever piece the second is.
  const twice = Array.from({ length: 250 }, (_, index) =>
    event({ event: name, customerId: customers[index % 3], properties: { n: 1 } }),
  );
  twice[240] = { ...twice[240]!, id: twice[2]!.id };
  twice[120] = { ...twice[120]!, id: twice[1]!.id };
  const conflicts = [
    { index: 120, id: twice[1]!.id },
    { index: 240, id: twice[2]!.id },
  ];
  expect(await record(twice)).toEqual({ ...nothing, accepted: 248, conflicts });
});

it('records by REST, 1,000 at once', async () => {
  const name = nextId();
  const meterId = await createMeter({ event: name, aggregation: 'count' });
  const events = Array.from({ length: 1000 }, () => event({ event: name }));
  const { status, body } = await client.rest('POST', '/usage', { events });
  expect([status, body]).toEqual([201, { ...nothing, accepted: 1000 }]);
  expect(await usage(meterId, { from: '2026-01-01', until: '2028-01-01' })).toMatchObject({ value: '1000' });
});

it('counts 32 writers with the same events exactly once', async () => {
  const name = nextId();
  const meterId = await createMeter({ event: name, aggregation: 'sum', value: 'n' });
  const events = Array.from({ length: 60 }, (_, n) => event({ event: name, properties: { n } }));
  const results = await Promise.all(
    Array.from({ length: 32 }, (_, writer) => record(events.slice(writer, writer + 29))),
  );
  const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
  const duplicates = results.reduce((sum, result) => sum + result.duplicates, 0);
  expect([accepted, accepted + duplicates]).toEqual([60, 32 * 29]);
  expect(await usage(meterId, { from: '2026-01-01', until: '2028-01-01' })).toMatchObject({
    value: String((59 * 60) / 2),
    events: 60,
  });
});

it('forgets the usage of an erased customer', async () => {
  const [name, associatedId] = [nextId(), nextId()];
  const meterId = await createMeter({ event: name, aggregation: 'unique', value: 'user' });
  const id = await createCustomer(client, associatedId);
  await record([{ id: nextId(), event: name, associatedId, properties: { user: 'secret-person' } }]);
  await client.graphql('mutation ($id: ID!) { eraseCustomer(id: $id) { id } }', { id });
  const { usageEvents } = await client.graphql(
    'query ($id: ID!) { usageEvents(customerId: $id) { nodes { id } } }',
    { id },
  );
  expect(usageEvents.nodes).toEqual([]);
  expect(
    await usage(meterId, { customerId: undefined, from: '2026-01-01', until: '2028-01-01' }),
  ).toMatchObject({ value: '0', events: 0 });
});
