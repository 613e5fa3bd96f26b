/** Usage sent as a batch of CloudEvents, and what a meter would count of it before it is created. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock } from '../../support/clock.ts';

const clock = stoppedClock('2026-06-10T10:07:00.000Z');
const batch = { 'content-type': 'application/cloudevents-batch+json' };
let app: TestApp;
let client: Client;
let other: Client;
let customerId: string;

const createCustomer = async (of: Client, associatedId: string): Promise<string> => {
  const input = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId };
  const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  return (await of.graphql(document, { input })).createCustomer.id;
};
const send = (events: unknown, headers: Record<string, string> = batch, of = client) =>
  of.rest('POST', '/usage', JSON.stringify(events), headers);
const cloudEvent = (fields: object = {}) => ({
  specversion: '1.0',
  id: '1',
  source: '/gateway',
  type: 'tokens',
  subject: 'user-1',
  ...fields,
});
const preview = (input: object, rest: object = {}, of = client) =>
  of.post(
    `query ($input: CreateMeterInput!, $from: DateTime!, $until: DateTime!, $customerId: ID, $by: UsageStep, $groupBy: [String!]) {
      previewMeter(input: $input, from: $from, until: $until, customerId: $customerId, by: $by, groupBy: $groupBy) {
        value events uncounted windows { from until group value events }
      }
    }`,
    { input: { name: 'Preview', ...input }, from: '2026-06-10', until: '2026-06-11', ...rest },
  );

beforeAll(async () => {
  app = await startApp({ graphqlCost: '1000000' }, { clock });
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
  customerId = await createCustomer(client, 'user-1');
});
afterAll(() => app.close());

it('takes a batch of CloudEvents, each unique by its source and id', async () => {
  const events = [
    cloudEvent({
      data: { n: 5, model: 'large' },
      time: '2026-06-10T10:00:00+00:00',
      dataschema: 'x',
      traceparent: 'y',
    }),
    cloudEvent({ source: '/other', data: { n: '2.5', model: 'small' } }),
    cloudEvent({
      id: '2',
      subject: 'left',
      customerid: customerId,
      datacontenttype: 'application/json; charset=utf-8',
    }),
    cloudEvent({ id: '3', subject: 'later' }),
    cloudEvent({ id: '4', customerid: await createCustomer(other, 'foreign') }),
    cloudEvent({ id: '5', data: { n: {} } }),
    cloudEvent({ id: '6', time: '2026-04-01T00:00:00Z' }),
  ];
  const { status, body } = await send(events);
  expect(status).toBe(201);
  expect(body).toMatchObject({ accepted: 4, duplicates: 0, conflicts: [], unassigned: 1 });
  expect(body.refused.map(({ path, reason }: any) => `${path} ${reason}`)).toEqual([
    'events.4.customerId customer_not_found',
    'events.5.properties.n validation_failed',
    'events.6.at validation_failed',
  ]);
  expect((await send(events.slice(0, 4))).body).toMatchObject({ accepted: 0, duplicates: 4 });
  expect((await send([cloudEvent({ type: 'calls' })])).body).toMatchObject({
    conflicts: [{ index: 0, id: '/gateway 1' }],
  });
  const { usageEvents } = await client.graphql(
    '{ usageEvents { nodes { eventId event customerId at properties } } }',
  );
  expect(usageEvents.nodes).toContainEqual({
    eventId: '/gateway 1',
    event: 'tokens',
    customerId,
    at: '2026-06-10T10:00:00.000Z',
    properties: { n: 5, model: 'large' },
  });
});

it.each<[string, unknown, string]>([
  ['an object', cloudEvent(), 'body'],
  ['null', null, 'body'],
  ['no event', [], 'events'],
  ['1,001 events', Array.from({ length: 1001 }, (_, index) => cloudEvent({ id: `${index}` })), 'events'],
])('refuses %s', async (_, events, path) => {
  const { status, body } = await send(events);
  expect({ status, issues: body.cause.issues }).toMatchObject({ status: 400, issues: [{ path }] });
});

const misshapen: [what: string, event: unknown, path: string][] = [
  ['a text', 'x', 'events.1'],
  ['a list', [], 'events.1'],
  ['another version', cloudEvent({ specversion: '0.3' }), 'events.1.specversion'],
  ['no source', cloudEvent({ source: undefined }), 'events.1.source'],
  ['an empty id', cloudEvent({ id: '' }), 'events.1.id'],
  ['a number as id', cloudEvent({ id: 5 }), 'events.1.id'],
  ['a number as subject', cloudEvent({ subject: 5 }), 'events.1.subject'],
  ['a number as customer', cloudEvent({ customerid: 5.5 }), 'events.1.customerid'],
  ['a list as data', cloudEvent({ data: [1] }), 'events.1.data'],
  ['bytes', cloudEvent({ data_base64: 'AA==' }), 'events.1.data_base64'],
  ['XML', cloudEvent({ datacontenttype: 'text/xml' }), 'events.1.datacontenttype'],
  ['an impossible time', cloudEvent({ time: '2026-02-30T00:00:00Z' }), 'events.1.at'],
  ['a number as time', cloudEvent({ time: 1 }), 'events.1.at'],
  ['no customer', cloudEvent({ subject: undefined }), 'events.1.customerId'],
];

it.each(misshapen)('refuses %s alone, and takes the events beside it', async (what, event, path) => {
  const beside = ['before', 'after'].map((id) =>
    cloudEvent({ id, source: `/beside ${what}`, type: 'beside' }),
  );
  const { status, body } = await send([beside[0], event, beside[1]]);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { accepted: 2, refused: [{ index: 1, reason: 'validation_failed', path }] },
  });
});

it('refuses all events of a batch of which none has the right form', async () => {
  const { status, body } = await send(misshapen.map(([, event]) => event));
  expect(status).toBe(201);
  expect(body.accepted).toBe(0);
  expect(body.refused.map(({ path }: any) => path)).toEqual(
    misshapen.map(([, , path], index) => path.replace('events.1', `events.${index}`)),
  );
});

it('takes the media type at that route alone', async () => {
  expect((await client.rest('POST', '/customers', '[]', batch)).status).toBe(415);
  const graphql = await app.server.inject({
    method: 'POST',
    url: '/graphql',
    headers: { ...batch, 'api-key': client.apiKey },
    payload: '[]',
  });
  expect(graphql.statusCode).toBe(415);
  expect((await send([cloudEvent()], { 'content-type': 'application/cloudevents+json' })).status).toBe(415);
});

it('shows what a meter would count, which is what it counts', async () => {
  const sum = { event: 'tokens', aggregation: 'sum', value: 'n', groupBy: ['model'] };
  const whole = await preview(sum, { by: 'day', groupBy: ['model'] });
  expect(whole.body.data.previewMeter).toEqual({
    value: '7.5',
    events: 2,
    uncounted: 1,
    windows: [
      {
        from: '2026-06-10T00:00:00.000Z',
        until: '2026-06-11T00:00:00.000Z',
        group: { model: 'large' },
        value: '5',
        events: 1,
      },
      {
        from: '2026-06-10T00:00:00.000Z',
        until: '2026-06-11T00:00:00.000Z',
        group: { model: 'small' },
        value: '2.5',
        events: 1,
      },
    ],
  });
  for (const [input, value] of [
    [{ event: 'tokens', aggregation: 'count' }, '3'],
    [{ event: 'tokens', aggregation: 'unique', value: 'model' }, '2'],
    [
      { event: 'tokens', aggregation: 'max', value: 'n', filter: [{ property: 'model', values: ['small'] }] },
      '2.5',
    ],
    [{ event: 'none', aggregation: 'count' }, '0'],
  ] as const) {
    expect((await preview(input)).body.data.previewMeter).toMatchObject({ value });
    expect((await preview(input, { customerId })).body.data.previewMeter).toMatchObject({ value });
    expect((await preview(input, {}, other)).body.data.previewMeter).toMatchObject({ value: '0' });
  }
  // The meter itself counts from the beginning of the quarter of an hour on.
  const { createMeter } = await client.graphql(
    'mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id startsAt } }',
    { input: { name: 'Tokens', ...sum } },
  );
  const { usage } = await client.graphql(
    'query ($id: ID!) { usage(meterId: $id, from: "2026-06-10T10:00:00Z", until: "2026-06-10T10:15:00Z") { value events } }',
    { id: createMeter.id },
  );
  const span = { from: createMeter.startsAt, until: '2026-06-10T10:15:00Z' };
  expect((await preview(sum, span)).body.data.previewMeter).toMatchObject(usage);
  expect((await client.graphql('{ meters { nodes { id } } }')).meters.nodes).toHaveLength(1);
});

it.each<[string, object, object, string, string]>([
  [
    'count with a property',
    { event: 'e', aggregation: 'count', value: 'n' },
    {},
    'validation_failed',
    'value',
  ],
  [
    'an unknown group',
    { event: 'e', aggregation: 'count' },
    { groupBy: ['x'] },
    'validation_failed',
    'groupBy',
  ],
  [
    'an end before the beginning',
    { event: 'e', aggregation: 'count' },
    { until: '2026-06-09' },
    'validation_failed',
    'until',
  ],
  [
    'minutes of a year',
    { event: 'e', aggregation: 'count' },
    { from: '2025-06-10', by: 'minute' },
    'validation_failed',
    'by',
  ],
  [
    'a customer who does not exist',
    { event: 'e', aggregation: 'count' },
    { customerId: 'cus_0' },
    'customer_not_found',
    'customerId',
  ],
])('does not preview %s', async (_, input, rest, reason, path) => {
  const { body } = await preview(input, rest);
  expect(body.data.previewMeter).toBeNull();
  expect(body.errors[0].extensions).toMatchObject({ reason, issues: [{ path }] });
});
