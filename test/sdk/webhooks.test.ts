/** Webhooks as an adopter receives them: signatures of the server's own function, and handlers behind real servers. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/tenancy/traces/eventTypes.ts';
import examples from '../../src/outgoing/webhooks/eventExamples.json' with { type: 'json' };
import { createSecret } from '../../src/lib/signedMessages.ts';
import { buildMessage } from '../../src/outgoing/webhooks/signing.ts';
import { importSdk } from '../support/sdk.ts';

const { createWebhookHandler, memoryStore, verifyWebhook, WebhookVerificationError } =
  await importSdk('webhooks');

const nowMs = Date.parse('2026-01-31T00:00:00Z');
const newSecret = () => createSecret((length) => randomBytes(length));
const secret = newSecret();

/** A message as the server sends it. */
const send = (body: string, secrets = [secret], atMs = nowMs, eventId = 'evt_1') =>
  buildMessage({ url: 'https://shop.example' }, { eventId, body }, secrets, atMs);

const paid = JSON.stringify(examples['InvoiceEvent.paid']);
const expectRefused = (work: Promise<unknown>) =>
  expect(work).rejects.toBeInstanceOf(WebhookVerificationError);

describe('verifyWebhook', () => {
  it('returns the event of a message, from text, bytes or a Request', async () => {
    const { body, headers } = send(paid);
    const expected = { ...JSON.parse(paid), id: 'evt_1', name: 'invoice.paid' };
    const bytes = new TextEncoder().encode(body);
    const request = () => new Request('https://shop.example', { method: 'POST', body, headers });
    for (const event of [
      await verifyWebhook(body, headers, secret, { nowMs }),
      await verifyWebhook(bytes, new Headers(headers), secret, { nowMs }),
      await verifyWebhook(
        body,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
        [secret],
        { nowMs },
      ),
      await verifyWebhook(request(), secret, { nowMs }),
    ])
      expect(event).toEqual(expected);
  });

  it('accepts what the server signs, whatever the text, with any of the secrets', async () => {
    const property = fc.asyncProperty(fc.json(), fc.integer({ min: 0, max: 2 }), async (json, index) => {
      const secrets = [newSecret(), newSecret(), newSecret()];
      const body = JSON.stringify({ type: 'InvoiceEvent.paid', data: JSON.parse(json) });
      const { headers } = send(body, [secrets[index]!]);
      expect(await verifyWebhook(body, headers, secrets, { nowMs })).toMatchObject({ name: 'invoice.paid' });
      await expectRefused(verifyWebhook(body, headers, secrets.toSpliced(index, 1), { nowMs }));
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('accepts a message with two signatures while the secret is rotated', async () => {
    const former = newSecret();
    const { body, headers } = send(paid, [secret, former]);
    for (const each of [secret, former])
      expect(await verifyWebhook(body, headers, each, { nowMs })).toMatchObject({ id: 'evt_1' });
    await expectRefused(verifyWebhook(body, headers, newSecret(), { nowMs }));
  });

  it.each<[string, (headers: Record<string, string>) => [string, Record<string, string>]]>([
    ['another body', (headers) => [`${paid} `, headers]],
    ['another id', (headers) => [paid, { ...headers, 'webhook-id': 'evt_2' }]],
    ['another time', (headers) => [paid, { ...headers, 'webhook-timestamp': String(nowMs / 1000 + 1) }]],
    ['no signature', ({ 'webhook-signature': _, ...headers }) => [paid, headers]],
    ['no time', ({ 'webhook-timestamp': _, ...headers }) => [paid, headers]],
    ['no id', ({ 'webhook-id': _, ...headers }) => [paid, headers]],
    ['a time that is no number', (headers) => [paid, { ...headers, 'webhook-timestamp': 'now' }]],
    ['an empty signature', (headers) => [paid, { ...headers, 'webhook-signature': 'v1,' }]],
    ['a signature that is not Base64', (headers) => [paid, { ...headers, 'webhook-signature': 'v1,@@@' }]],
    [
      'a signature of another version',
      (headers) => [
        paid,
        { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v2,') },
      ],
    ],
    [
      'a part of the signature',
      (headers) => [paid, { ...headers, 'webhook-signature': headers['webhook-signature']!.slice(0, 20) }],
    ],
  ])('refuses %s', async (_what, change) => {
    const [body, headers] = change(send(paid).headers);
    await expectRefused(verifyWebhook(body, headers, secret, { nowMs }));
  });

  it.each([
    [-301, undefined, false],
    [-300, undefined, true],
    [300, undefined, true],
    [301, undefined, false],
    [3000, 3600, true],
  ])(
    'of a message %i seconds away, with a tolerance of %s: %s',
    async (seconds, toleranceSeconds, isAccepted) => {
      const { body, headers } = send(paid, [secret], nowMs + seconds * 1000);
      const verified = verifyWebhook(body, headers, secret, { nowMs, toleranceSeconds });
      if (isAccepted) expect(await verified).toMatchObject({ id: 'evt_1' });
      else await expectRefused(verified);
    },
  );

  it('tells a wrong secret from a wrong message', async () => {
    const { body, headers } = send(paid);
    for (const wrong of ['', 'whsec_', 'whsec_@'])
      await expect(verifyWebhook(body, headers, wrong, { nowMs })).rejects.toBeInstanceOf(TypeError);
    await expect(verifyWebhook(body, headers, [], { nowMs })).rejects.toBeInstanceOf(TypeError);
  });

  it('names each event of the server', async () => {
    expect(eventTypes.length).toBeGreaterThan(150);
    const names = new Set<string>();
    for (const { name: type } of eventTypes) {
      const { body, headers } = send(JSON.stringify({ type }));
      const { name } = await verifyWebhook(body, headers, secret, { nowMs });
      expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/);
      names.add(name);
    }
    expect(names.size).toBe(eventTypes.length);
  });
});

/** A message about a subscription's invoice, at the present time. */
const sendNow = (eventId: string, subscriptionId: string, type = 'InvoiceEvent.paid') => {
  const data = { payload: { resourceId: `inv_${eventId}`, object: { subscriptionId } } };
  return send(JSON.stringify({ type, data }), [secret], Date.now(), eventId);
};

/** A promise that is settled by hand. */
function createGate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

describe('a handler', () => {
  it('calls the functions of an event once, and answers repeats', async () => {
    const seen: string[] = [];
    const handler = createWebhookHandler({ secret })
      .on('invoice.paid', ({ id }: any) => seen.push(`paid ${id}`))
      .on('*', ({ name }: any) => seen.push(name));
    const { body, headers } = sendNow('evt_1', 'sub_1');
    expect(await handler.handle(body, headers)).toMatchObject({ status: 200 });
    expect(await handler.handle(body, headers)).toMatchObject({ status: 200 });
    const other = sendNow('evt_2', 'sub_1', 'InvoiceEvent.created');
    expect(await handler.handle(other.body, other.headers)).toMatchObject({ status: 200 });
    expect(seen).toEqual(['paid evt_1', 'invoice.paid', 'invoice.created']);
  });

  it('joins a repeat to the call that is under way', async () => {
    const gate = createGate();
    let calls = 0;
    const handler = createWebhookHandler({ secret }).on('invoice.paid', () => {
      calls += 1;
      return gate.passed;
    });
    const { body, headers } = sendNow('evt_1', 'sub_1');
    const answers = [handler.handle(body, headers), handler.handle(body, headers)];
    await expect.poll(() => calls).toBe(1);
    gate.open();
    expect(await Promise.all(answers)).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(calls).toBe(1);
  });

  it('keeps the order of a subscription, while others go on', async () => {
    const gate = createGate();
    const seen: string[] = [];
    const handler = createWebhookHandler({ secret }).on('*', async ({ id }: any) => {
      if (id === 'evt_1') await gate.passed;
      seen.push(id);
    });
    const handle = async (eventId: string, subscriptionId: string) => {
      const { body, headers } = sendNow(eventId, subscriptionId);
      return handler.handle(body, headers);
    };
    const first = handle('evt_1', 'sub_1');
    await handle('evt_3', 'sub_2');
    const second = handle('evt_2', 'sub_1');
    await handle('evt_4', 'sub_2');
    expect(seen).toEqual(['evt_3', 'evt_4']);
    gate.open();
    await Promise.all([first, second]);
    expect(seen).toEqual(['evt_3', 'evt_4', 'evt_1', 'evt_2']);
  });

  it('answers 500 if a function fails, and calls it again with the repeat', async () => {
    const errors: string[] = [];
    let calls = 0;
    const onError = (error: Error, event: any) => errors.push(`${error.message} ${event.id}`);
    const handler = createWebhookHandler({ secret, onError }).on('invoice.paid', () => {
      calls += 1;
      if (calls === 1) throw new Error('no database');
    });
    const { body, headers } = sendNow('evt_1', 'sub_1');
    expect(await handler.handle(body, headers)).toMatchObject({ status: 500 });
    expect(await handler.handle(body, headers)).toMatchObject({ status: 200 });
    expect(errors).toEqual(['no database evt_1']);
    expect(calls).toBe(2);
  });

  it('refuses what is not signed, and an event that there is not', async () => {
    const handler = createWebhookHandler({ secret });
    expect(await handler.handle(paid, {})).toMatchObject({ status: 400 });
    expect(() => handler.on('invoice.payed', () => {})).toThrow('There is no event invoice.payed');
  });

  it('remembers the last ids only', () => {
    const store = memoryStore(2);
    for (const id of ['a', 'b', 'c']) store.add(id);
    expect(['a', 'b', 'c'].map((id) => store.has(id))).toEqual([false, true, true]);
  });

  it.each<[string, (handler: any) => Promise<{ url: string; close: () => Promise<unknown> }>]>([
    [
      'Node',
      async (handler) => {
        const server = createServer((request, response) => void handler.node(request, response));
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const close = async () => {
          server.closeAllConnections();
          server.close();
        };
        return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, close };
      },
    ],
    [
      'Fastify',
      async (handler) => {
        const server = fastify();
        await server.register(handler.fastify('/hooks'));
        // The parser of the plugin is its own.
        server.post('/json', (request) => request.body);
        return {
          url: `${await server.listen({ port: 0, host: '127.0.0.1' })}/hooks`,
          close: () => server.close(),
        };
      },
    ],
  ])('receives messages behind %s', async (_name, start) => {
    const seen: string[] = [];
    const handler = createWebhookHandler({ secret }).on('invoice.paid', ({ id }: any) => seen.push(id));
    const { url, close } = await start(handler);
    try {
      const { body, headers } = sendNow('evt_9', 'sub_1');
      const post = (text: string) =>
        fetch(url, { method: 'POST', body: text, headers: { ...headers, 'webhook-id': 'evt_1' } });
      expect((await post(body)).status).toBe(400);
      const good = sendNow('evt_1', 'sub_1');
      const answer = await fetch(url, { method: 'POST', body: good.body, headers: good.headers });
      expect(answer.status).toBe(200);
      expect(seen).toEqual(['evt_1']);
    } finally {
      await close();
    }
  });

  it('receives a Request, and a body that Express has read', async () => {
    const seen: string[] = [];
    const handler = createWebhookHandler({ secret }).on('invoice.paid', ({ id }: any) => seen.push(id));
    const one = sendNow('evt_1', 'sub_1');
    const request = new Request('https://shop.example', {
      method: 'POST',
      body: one.body,
      headers: one.headers,
    });
    expect((await handler.fetch(request)).status).toBe(200);
    const two = sendNow('evt_2', 'sub_1');
    const response = { statusCode: 0, setHeader: () => {}, end: () => {} };
    await handler.node({ headers: two.headers, body: Buffer.from(two.body) }, response);
    expect(response.statusCode).toBe(200);
    const parsed = handler.node({ headers: two.headers, body: JSON.parse(two.body) }, response);
    await expect(parsed).rejects.toThrow('before express.json()');
    expect(seen).toEqual(['evt_1', 'evt_2']);
  });
});
