/** One route of Express, Hono and Next.js: sessions for the pages of a customer, and webhooks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecret } from '../../src/lib/signedMessages.ts';
import { buildMessage } from '../../src/outgoing/webhooks/signing.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { importSdk } from '../support/sdk.ts';

const { Perennial } = await importSdk();
const { createWebhookHandler } = await importSdk('webhooks');
const routes = {
  express: (await importSdk('express')).perennialRoute,
  hono: (await importSdk('hono')).perennialRoute,
  next: (await importSdk('next')).perennialRoute,
};
const secret = createSecret((length) => randomBytes(length));

let app: TestApp;
let client: Client;
let url: string;
beforeAll(async () => {
  app = await startApp();
  client = await app.tenant({ alias: 'acme', test: true });
  url = await listen(app);
  const input = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', associatedId: 'ada' };
  await client.graphql('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
    input,
  });
});
afterAll(() => app.close());

/** A site whose visitors are signed in by a cookie. */
const findCustomer = (cookie: string | null | undefined) =>
  cookie === 'user=ada' ? { associatedId: 'ada', allow: ['cancel_subscription'] } : null;

type Post = (headers: Record<string, string>, body?: string) => Promise<Response>;

/** Opens a route of a framework; `post` sends it a request. */
async function openRoute(
  name: keyof typeof routes,
  webhooks?: unknown,
): Promise<{ post: Post; close: () => unknown }> {
  const perennial = new Perennial({ url, key: client.apiKey });
  if (name === 'express') {
    const customer = ({ headers }: IncomingMessage) => findCustomer(headers.cookie);
    const route = routes.express({ perennial, webhooks, customer });
    const server = createServer((request, response) => {
      route(request, response, (error: unknown) => {
        response.statusCode = 599;
        response.end(String(error));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return {
      post: (headers, body) => fetch(address, { method: 'POST', headers, body }),
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }
  const build = (headers: Record<string, string>, body?: string) => {
    // A Request of a page keeps its cookies from its script; a server sees them.
    const request = new Request('https://shop.example/perennial', { method: 'POST', body });
    for (const [key, value] of Object.entries(headers)) request.headers.set(key, value);
    return request;
  };
  const readCookie = (request: Request) => findCustomer(request.headers.get('cookie'));
  if (name === 'next') {
    const { POST } = routes.next({ perennial, webhooks, customer: readCookie });
    return { post: (headers, body) => POST(build(headers, body)), close: () => {} };
  }
  const route = routes.hono({ perennial, webhooks, customer: (context: any) => readCookie(context.req.raw) });
  return { post: (headers, body) => route({ req: { raw: build(headers, body) } }), close: () => {} };
}

describe.each(['express', 'hono', 'next'] as const)('the route of %s', (name) => {
  it('creates a session for the customer who is signed in, and for nobody else', async () => {
    const { post, close } = await openRoute(name);
    try {
      const answer = await post({ cookie: 'user=ada' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const { token, expiresAt } = (await answer.json()) as { token: string; expiresAt: string };
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
      const viewer = new Perennial({ url, key: () => token });
      const { viewer: shown } = await viewer.graphql('{ viewer { allow customer { associatedId } } }');
      expect(shown).toEqual({ allow: ['cancel_subscription'], customer: { associatedId: 'ada' } });

      for (const cookie of ['user=bob', '']) expect((await post({ cookie })).status).toBe(401);
      expect((await post({ cookie: 'user=ada', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await post({ cookie: 'user=ada', 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    } finally {
      await close();
    }
  });

  it('receives webhooks', async () => {
    const seen: string[] = [];
    const webhooks = createWebhookHandler({ secret }).on('invoice.paid', ({ id }: any) => seen.push(id));
    const { post, close } = await openRoute(name, webhooks);
    try {
      const body = JSON.stringify({ type: 'InvoiceEvent.paid', data: {} });
      const target = { url: 'https://shop.example' };
      const message = buildMessage(target, { eventId: 'evt_1', body }, [secret], Date.now());
      const headers = message.headers;
      expect((await post(headers, body)).status).toBe(200);
      // A cookie makes no session of a message.
      expect((await post({ ...headers, cookie: 'user=ada' }, `${body} `)).status).toBe(400);
      expect(seen).toEqual(['evt_1']);
    } finally {
      await close();
    }
    const without = await openRoute(name);
    expect((await without.post({ 'webhook-signature': 'v1,' })).status).toBe(404);
    await without.close();
  });
});
