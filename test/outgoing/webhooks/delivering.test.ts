/** Events on their way: to whom, in which order, how often, and what is kept of it. */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { computeRetryDelay, parseRetryAfter } from '../../../src/outgoing/queue/backoff.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { dayMs, secondMs } from '../../support/clock.ts';
import { createShop } from '../../support/shop.ts';
import {
  customers,
  createEndpoint,
  isSignedWith,
  fetchDeliveries,
  openReceiver,
  rename,
  status,
  verify,
  type Receiver,
} from './receiver.ts';

/** For endpoints that never answer; all others are waited for as long as a busy machine may take. */
const shortMs = 200;
const settings = { webhookAllowPrivate: 'on', rateLimitPerSecond: '1000000' };
const beginning = '2026-01-31T00:00:00.000Z';
const hourMs = 3600 * secondMs;

let app: TestApp;
let receiver: Receiver;
let client: Client;
let alias: string;
let tenants = 0;

beforeAll(async () => {
  app = await startApp(settings, { webhooks: { timeoutMs: hourMs } });
});
afterAll(() => app.close());

beforeEach(async () => {
  receiver = await openReceiver();
  alias = `acme-${++tenants}`;
  client = await app.tenant({ alias, test: true, clock: beginning });
});
afterEach(() => receiver.close());

/** An app that waits for no endpoint for long, with a tenant. */
async function startImpatient() {
  const own = await startApp(settings, { webhooks: { timeoutMs: shortMs } });
  return {
    app: own,
    client: await own.tenant({ alias: 'acme', test: true, clock: beginning }),
    deliver: () => own.service.dispatcher.deliverDue(own.service, 'acme'),
  };
}

const deliver = () => app.service.dispatcher.deliverDue(app.service, alias);
const advance = (ms: number) =>
  client.graphql('mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', {
    to: new Date(Date.parse(beginning) + ms).toISOString(),
  });
const listTypes = ({ received }: Receiver): string[] => received.map(({ body }) => body.type);
const listNames = ({ received }: Receiver): string[] =>
  received.map(({ body }) => body.data.payload.object.firstName);

describe('an endpoint', () => {
  it('receives every event, signed and in order', async () => {
    const { id, secret } = await createEndpoint(client, { url: receiver.url });
    const shop = createShop(client, alias);
    const { price } = await shop.product();
    await shop.subscribe(await shop.customer(), price);
    await deliver();
    const { traces } = await client.graphql(
      '{ traces(first: 100, order: ASC) { nodes { eventId activityType payload } } }',
    );
    const recorded = traces.nodes.filter(
      ({ activityType }: any) => !/^(Tenant|ApiKey|Webhook)/.test(activityType),
    );
    const received = receiver.received.toSorted((a, b) => a.body.sequence - b.body.sequence);
    expect(received.map(({ body }) => body.data.eventId)).toEqual(
      recorded.map(({ eventId }: any) => eventId),
    );
    expect(received.map(({ body }) => body.sequence)).toEqual(
      recorded.map((_: any, index: number) => index + 1),
    );
    for (const message of received) {
      const { body, headers } = message;
      expect(verify(secret, message)).toEqual(body);
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': body.data.eventId });
      expect(body.type).toBe(`${body.data.activityType}.${body.data.payload.action}`);
      expect(body.timestamp).toBe(beginning);
    }
    const log = await fetchDeliveries(client, id);
    expect(log.map(({ status: stands, attemptCount }) => [stands, attemptCount])).toEqual(
      recorded.map(() => ['delivered', 1]),
    );
    expect(log[0].attempts).toMatchObject([{ statusCode: 204, error: null }]);
    // What belongs to one subscription came in the order in which it happened.
    const chain = receiver.received.filter(({ body }) =>
      /^(Intent|Subscription|Invoice|Payment)Event/.test(body.type),
    );
    expect(chain.map(({ body }) => body.sequence)).toEqual(
      chain.map(({ body }) => body.sequence).toSorted((a, b) => a - b),
    );
  });

  it('receives the trace as the API shows it', async () => {
    await createEndpoint(client, { url: receiver.url });
    await customers(client, 'ada');
    await deliver();
    const { data } = receiver.received[0]!.body;
    const { eventId, traceId, createdAt: timestamp } = data;
    const trace = await client.rest('GET', '/traces/event', {
      tenantAlias: alias,
      eventId,
      traceId,
      timestamp,
    });
    expect(data).toEqual(trace.body);
  });

  it.each([
    [[], ['CustomerEvent.created', 'GroupEvent.created', 'CustomerEvent.updated']],
    [['CustomerEvent'], ['CustomerEvent.created', 'CustomerEvent.updated']],
    [['CustomerEvent.updated'], ['CustomerEvent.updated']],
    [
      ['GroupEvent.created', 'CustomerEvent.created'],
      ['CustomerEvent.created', 'GroupEvent.created'],
    ],
    [['InvoiceEvent'], []],
  ])('with the filter %j receives %j', async (events, types) => {
    await createEndpoint(client, { url: receiver.url, events });
    const [ada] = await customers(client, 'ada');
    await client.graphql('mutation { createGroup(input: { name: "A" }) { id } }');
    await rename(client, ada.id, 'Grace');
    await deliver();
    expect(listTypes(receiver).toSorted()).toEqual(types.toSorted());
  });

  it('that is disabled receives nothing, and its pending deliveries are cancelled', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    const [ada] = await customers(client, 'ada');
    await client.graphql(
      'mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { active: false }) { active } }',
      { id },
    );
    await rename(client, ada.id, 'Grace');
    await deliver();
    expect(receiver.received).toEqual([]);
    expect(await fetchDeliveries(client, id)).toMatchObject([{ status: 'cancelled', attemptCount: 0 }]);
    const [{ id: delivery }] = await fetchDeliveries(client, id);
    await client.graphql('mutation ($id: ID!) { replayDelivery(id: $id) { id } }', { id: delivery });
    await deliver();
    expect(listTypes(receiver)).toEqual(['CustomerEvent.created']);
  });

  it('that is deleted keeps its log', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    await customers(client, 'ada');
    await deliver();
    await customers(client, 'bob');
    await client.graphql('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) { id } }', { id });
    await deliver();
    await advance(dayMs);
    expect(receiver.received).toHaveLength(1);
    expect((await fetchDeliveries(client)).map((each) => each.status)).toEqual(['delivered', 'cancelled']);
    const [{ id: delivery }] = await fetchDeliveries(client);
    const answer = await client.post('mutation ($id: ID!) { replayDelivery(id: $id) { id } }', {
      id: delivery,
    });
    expect(answer.body.errors[0].extensions.reason).toBe('webhook_endpoint_not_found');
  });
});

describe('a failed delivery', () => {
  it('delays only later deliveries of its chain', async () => {
    await createEndpoint(client, { url: receiver.url, events: ['CustomerEvent'] });
    const [ada, bob] = await customers(client, 'ada', 'bob');
    let failures = 2;
    receiver.answer((response, { body }) =>
      response.writeHead(body.data.payload.resourceId === ada.id && failures-- > 0 ? 500 : 200).end(),
    );
    await rename(client, ada.id, 'ada-2');
    await rename(client, bob.id, 'bob-2');
    await rename(client, ada.id, 'ada-3');
    await deliver();
    expect(listNames(receiver).toSorted()).toEqual(['ada', 'bob', 'bob-2']);
    await advance(10 * secondMs);
    expect(listNames(receiver).slice(3)).toEqual(['ada']);
    await rename(client, ada.id, 'ada-4');
    await advance(10 * secondMs);
    expect(listNames(receiver)).toHaveLength(4);
    await advance(100 * secondMs);
    expect(listNames(receiver).slice(4)).toEqual(['ada', 'ada-2', 'ada-3', 'ada-4']);
    // The same message each time, under the same id; only its signature is of another moment.
    const tries = receiver.received.filter(({ body }) => body.data.payload.object.firstName === 'ada');
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1);
    expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('is retried for three days, then fails, and the next one is sent', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    const [ada] = await customers(client, 'ada');
    await rename(client, ada.id, 'Grace');
    receiver.answer((response, { body }) =>
      response.writeHead(body.data.payload.action === 'created' ? 503 : 200).end(),
    );
    await deliver();
    await advance(6 * dayMs);
    const [first, second] = await fetchDeliveries(client, id);
    expect(first).toMatchObject({ status: 'failed', attemptCount: 11, nextAttemptAt: null });
    expect(first.attempts[0]).toMatchObject({ statusCode: 503, error: 'answered 503', at: beginning });
    const lastedMs = Date.parse(first.finishedAt) - Date.parse(first.createdAt);
    expect(lastedMs / dayMs).toBeGreaterThan(2.6);
    expect(lastedMs / dayMs).toBeLessThan(3.4);
    expect(second).toMatchObject({ status: 'delivered', attemptCount: 1, finishedAt: first.finishedAt });
  });

  it.each<[string, (now: number) => string, number, number]>([
    ['seconds', () => '120', 120, 1],
    ['seconds without end', () => '999999999', 86_400, 1],
    ['less than it waits anyway', () => '1', 4.5, 1],
    ['a date', (now) => new Date(now + 600_000).toUTCString(), 600, 3],
    ['nonsense', () => 'soon', 4.5, 1],
  ])('waits for the Retry-After of the endpoint: %s', async (_, retryAfter, seconds, within) => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    receiver.answer(status(429, { 'retry-after': retryAfter(Date.now()) }));
    await customers(client, 'ada');
    await deliver();
    const [{ nextAttemptAt }] = await fetchDeliveries(client, id);
    const waitedMs = Date.parse(nextAttemptAt) - Date.parse(beginning);
    expect(waitedMs / 1000).toBeGreaterThan(seconds - within);
    expect(waitedMs / 1000).toBeLessThan(seconds + within + 1);
  });

  it('with 410 Gone disables its endpoint', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url, events: ['CustomerEvent'] });
    const other = await openReceiver();
    await createEndpoint(client, { url: other.url, events: ['WebhookEvent.disabled'] });
    receiver.answer(status(410));
    const [ada] = await customers(client, 'ada');
    await rename(client, ada.id, 'Grace');
    await deliver();
    await rename(client, ada.id, 'Hedy');
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect((await fetchDeliveries(client, id)).map((each) => each.status)).toEqual(['failed', 'cancelled']);
    const { webhookEndpoint } = await client.graphql(
      'query ($id: ID!) { webhookEndpoint(id: $id) { active disabledReason } }',
      { id },
    );
    expect(webhookEndpoint).toEqual({ active: false, disabledReason: 'it answered 410 Gone' });
    expect(other.received.map(({ body }) => body.data.payload.changes)).toEqual([
      { active: [true, false], disabledReason: [null, 'it answered 410 Gone'] },
    ]);
    const back = await client.graphql(
      'mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { active: true }) { active disabledReason } }',
      { id },
    );
    expect(back.updateWebhookEndpoint).toEqual({ active: true, disabledReason: null });
    await other.close();
  });

  it.each([301, 302, 303, 307, 308])(
    'was answered by a redirect (%d), which is not followed',
    async (code) => {
      const { id } = await createEndpoint(client, { url: receiver.url });
      const elsewhere = await openReceiver();
      receiver.answer(status(code, { location: elsewhere.url }));
      await customers(client, 'ada');
      await deliver();
      expect(elsewhere.connections()).toBe(0);
      expect(await fetchDeliveries(client, id)).toMatchObject([
        { status: 'pending', attempts: [{ statusCode: code, error: `answered ${code}` }] },
      ]);
      await elsewhere.close();
    },
  );

  it('without a response delays no other endpoint', async () => {
    const other = await openReceiver();
    await createEndpoint(client, { url: receiver.url });
    await createEndpoint(client, { url: other.url });
    const waiting: ServerResponse[] = [];
    receiver.answer((response) => void waiting.push(response));
    await customers(client, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    const delivering = deliver();
    await expect.poll(() => other.received.length).toBe(8);
    // Four at a time, none of which has ended.
    await expect.poll(() => waiting.length).toBe(4);
    receiver.answer(status(200));
    for (const response of waiting) response.end();
    await delivering;
    await other.close();
  });

  it('times out', async () => {
    const impatient = await startImpatient();
    const { id } = await createEndpoint(impatient.client, { url: receiver.url });
    let [underWay, most] = [0, 0];
    receiver.answer((response) => {
      most = Math.max(most, (underWay += 1));
      response.on('close', () => (underWay -= 1));
    });
    await customers(impatient.client, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    await impatient.deliver();
    expect(receiver.received).toHaveLength(8);
    expect(most).toBeLessThanOrEqual(4);
    for (const { attempts } of await fetchDeliveries(impatient.client, id)) {
      expect(attempts).toMatchObject([{ statusCode: null, error: 'timeout' }]);
      expect(attempts[0].durationMs).toBeGreaterThanOrEqual(shortMs - 5);
    }
    await impatient.app.close();
  });

  it.each([
    ['refuses connections', 'http://127.0.0.1:9/', /^ECONNREFUSED$/],
    ['has a name that is none', 'http://nothing.invalid/', /^(ENOTFOUND|EAI_AGAIN)$/],
  ])('at an endpoint that %s reports the reason without an address', async (_, url, error) => {
    const { id } = await createEndpoint(client, { url });
    await customers(client, 'ada');
    await deliver();
    const [{ attempts }] = await fetchDeliveries(client, id);
    expect(attempts[0].error).toMatch(error);
  });
});

describe('a response of an endpoint', () => {
  it('without end is read up to the limit, and its status counts', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    let written = 0;
    receiver.answer((response) => {
      response.writeHead(200);
      const more = () => {
        if (response.destroyed) return;
        written += 16_384;
        if (response.write(Buffer.alloc(16_384))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    await customers(client, 'ada');
    await deliver();
    expect(await fetchDeliveries(client, id)).toMatchObject([
      { status: 'delivered', attempts: [{ statusCode: 200 }] },
    ]);
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  const beginAnswer = (then: (response: ServerResponse) => void) =>
    receiver.answer((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('a', () => then(response));
    });

  it('that is too slow fails the delivery', async () => {
    const impatient = await startImpatient();
    const { id } = await createEndpoint(impatient.client, { url: receiver.url });
    beginAnswer(() => {});
    await customers(impatient.client, 'ada');
    await impatient.deliver();
    const attempts = [{ statusCode: null, error: 'timeout' }];
    expect(await fetchDeliveries(impatient.client, id)).toMatchObject([{ status: 'pending', attempts }]);
    await impatient.app.close();
  });

  it('that breaks off fails the delivery', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    beginAnswer((response) => setTimeout(() => response.destroy(), 20));
    await customers(client, 'ada');
    await deliver();
    const attempts = [{ statusCode: 200, error: 'answer_broken' }];
    expect(await fetchDeliveries(client, id)).toMatchObject([{ status: 'pending', attempts }]);
  });
});

describe('a secret', () => {
  const rotate = `mutation ($id: ID!, $overlap: Int) {
    rotateWebhookSecret(id: $id, input: { overlapSeconds: $overlap }) { secret endpoint { previousSecretUntil } }
  }`;

  it('that is rotated also signs until the end of the overlap', async () => {
    const { id, secret: old } = await createEndpoint(client, { url: receiver.url });
    const { rotateWebhookSecret: rotated } = await client.graphql(rotate, { id, overlap: 60 });
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(old);
    expect(rotated.endpoint.previousSecretUntil).toBe('2026-01-31T00:01:00.000Z');
    const [ada] = await customers(client, 'ada');
    await deliver();
    const during = receiver.received.at(-1)!;
    expect([isSignedWith(old, during), isSignedWith(rotated.secret, during)]).toEqual([true, true]);
    await advance(60 * secondMs);
    await rename(client, ada.id, 'Grace');
    await deliver();
    const after = receiver.received.at(-1)!;
    expect([isSignedWith(old, after), isSignedWith(rotated.secret, after)]).toEqual([false, true]);
  });

  it.each([0, -1, 604_801])('does not overlap for %d seconds', async (overlap) => {
    const { id } = await createEndpoint(client, { url: receiver.url });
    const { body } = await client.post(rotate, { id, overlap });
    expect(body.errors[0].extensions).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'overlapSeconds' }],
    });
  });
});

describe('a test', () => {
  const test = 'mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id type status sequence } }';

  it('is sent once, only to that endpoint, regardless of its filter', async () => {
    const { id, secret } = await createEndpoint(client, { url: receiver.url, events: ['InvoiceEvent'] });
    const other = await openReceiver();
    await createEndpoint(client, { url: other.url });
    receiver.answer(status(500));
    const { testWebhookEndpoint: made } = await client.graphql(test, { id });
    expect(made).toMatchObject({ type: 'WebhookEvent.tested', status: 'pending', sequence: 1 });
    await deliver();
    verify(secret, receiver.received[0]!);
    expect(receiver.received).toHaveLength(1);
    expect(other.received).toEqual([]);
    expect(await fetchDeliveries(client, id)).toMatchObject([{ status: 'failed', attemptCount: 1 }]);
    await other.close();
  });
});

describe('a replay', () => {
  const replay = 'mutation ($id: ID!) { replayDelivery(id: $id) { id status attemptCount } }';

  it('sends the same message again, without delaying others', async () => {
    const { id, secret } = await createEndpoint(client, { url: receiver.url });
    const [ada] = await customers(client, 'ada');
    await deliver();
    const [{ id: delivery }] = await fetchDeliveries(client, id);
    receiver.answer(status(500));
    const named = { 'idempotency-key': 'again' };
    const first = await client.post(replay, { id: delivery }, named);
    expect(first.body.data.replayDelivery).toEqual({ id: delivery, status: 'pending', attemptCount: 0 });
    expect((await client.post(replay, { id: delivery }, named)).text).toBe(first.text);
    await client.graphql(replay, { id: delivery });
    await deliver();
    const [once, again] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(again!.text).toBe(once!.text);
    expect(again!.headers['webhook-id']).toBe(once!.headers['webhook-id']);
    verify(secret, again!);
    receiver.answer(status(200));
    await rename(client, ada.id, 'Grace');
    await deliver();
    expect(listTypes(receiver).at(-1)).toBe('CustomerEvent.updated');
    await client.graphql(replay, { id: delivery });
    await deliver();
    expect((await fetchDeliveries(client, id)).map((each) => [each.status, each.attempts.length])).toEqual([
      ['delivered', 3],
      ['delivered', 1],
    ]);
  });
});

describe('the log', () => {
  it('is kept for 90 days', async () => {
    const { id } = await createEndpoint(client, { url: receiver.url, events: ['CustomerEvent'] });
    const [ada] = await customers(client, 'ada');
    await deliver();
    const forget = () => runDueWork(app.service, pino({ level: 'silent' }));
    await advance(89 * dayMs);
    await rename(client, ada.id, 'Grace');
    await deliver();
    await forget();
    expect(await fetchDeliveries(client, id)).toHaveLength(2);
    await advance(90 * dayMs + 1);
    await forget();
    expect((await fetchDeliveries(client, id)).map(({ type }) => type)).toEqual(['CustomerEvent.updated']);
  });
});

describe('the wait between attempts', () => {
  const hours = (attempt: number, random: number) => (computeRetryDelay(attempt, random) ?? 0) / 3_600_000;

  it('grows, varies by a tenth, and adds up to three days', () => {
    const sum = (random: number) =>
      Array.from({ length: 10 }, (_, index) => hours(index + 1, random)).reduce((all, each) => all + each);
    expect(sum(0.5)).toBeCloseTo(71.6, 1);
    expect(sum(0)).toBeCloseTo(64.4, 1);
    expect(sum(1)).toBeCloseTo(78.8, 1);
    expect(computeRetryDelay(1, 0)).toBe(4500);
    expect(computeRetryDelay(1, 1)).toBe(5500);
    expect(computeRetryDelay(11, 0.5)).toBeUndefined();
    expect(computeRetryDelay(11, 0.5, 60_000)).toBeUndefined();
  });

  it.each([
    [undefined, 0],
    ['', 0],
    ['0', 0],
    [' 7 ', 7000],
    ['-1', 0],
    ['1.5', 0],
    ['1e9', 0],
    ['9999999999', 0],
    ['2026', 2_026_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000 - 1000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['2030-01-01', 0],
  ])('is read from Retry-After %j', (header, ms) => {
    expect(parseRetryAfter(header, 1000)).toBe(ms);
  });
});
