/** Who gets the link to a payment page, and what opens one: the link acts as the payer, so no reader may have it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { schema } from '../../../src/app/schema.ts';
import { isServerOperation } from '../../support/declarations.ts';
import { roles } from '../../../src/tenancy/permissions.ts';
import { startApp, type Answer, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { follow, listen } from '../../support/follow.ts';
import { graphqlRows, listAllRootFields, operatorRows, writeDocument } from '../../support/operations.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { payPath } from '../../support/payLinks.ts';
import { sampledInCore } from '../../support/sample.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { fillTenant, inject, type World } from '../../support/world.ts';

const publicUrl = 'http://pay.test';
const dayMs = 86_400_000;

type Post = (query: string, variables?: Record<string, unknown>) => Promise<Answer>;

let app: TestApp;
let clock: TestClock;
let client: Client;
let shop: Shop;
let world: World;
const logged: string[] = [];
/** Every caller who may read, by name, with whether they take payments. */
const callers: Record<string, { post: Post; takesPayments: boolean }> = {};

beforeAll(async () => {
  clock = stoppedClock('2026-02-14T10:00:00.000Z');
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  const settings = {
    publicUrl,
    rateLimitPerSecond: '1000000',
    graphqlCost: '1000000',
    webhookAllowPrivate: 'on',
  };
  app = await startApp(settings, { clock, log });
  client = await app.tenant({ alias: 'acme', test: true });
  shop = createShop(client, 'acme');
  world = await fillTenant(client, 'acme');
  const add = (name: string, by: Pick<TestOperator, 'post'> | Client, takesPayments: boolean) =>
    (callers[name] = { post: (query, variables) => by.post(query, variables), takesPayments });
  add('a read key', await app.key('acme', 'read'), false);
  add('a write key', client, true);
  for (const role of roles)
    add(role, await signInOperator(app, { role, tenant: 'acme' }), !['finance', 'viewer'].includes(role));
});
afterAll(() => app.close());

async function newIntent(fields: object = {}): Promise<string> {
  const { price } = await shop.product();
  return (await shop.intent(await shop.customer(), price, fields)).intentId;
}

const fieldsDocument = `query ($id: ID!) {
  intent(id: $id) { paymentUrl actionUrl }
  node(id: $id) { ... on SubscriptionIntent { paymentUrl actionUrl } }
}`;
const findStatus = async (id: string) =>
  (await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id })).intent.status;
const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)![1]!;
const post = (url: string, fields: Record<string, string>) =>
  inject(app, {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test' },
    payload: new URLSearchParams(fields).toString(),
  });

describe('the link', () => {
  const names = ['a read key', 'a write key', ...roles];

  it.each(names)('is shown to %s exactly if they may start subscriptions', async (name) => {
    const { post: ask, takesPayments } = callers[name]!;
    const id = await newIntent();
    await shop.confirm(id, 'sandbox_requires_action');
    const { body } = await ask(fieldsDocument, { id });
    const link = takesPayments ? publicUrl + (await payPath(app, id)) : null;
    const shown = { paymentUrl: link, actionUrl: takesPayments ? 'about:blank' : null };
    expect(body.data).toEqual({ intent: shown, node: shown });
  });

  it('is in the REST interface for keys that may write, and null for others', async () => {
    const id = await newIntent();
    const reader = await app.key('acme', 'read');
    const url = publicUrl + (await payPath(app, id));
    for (const [by, paymentUrl] of [
      [client, url],
      [reader, null],
    ] as const) {
      const { body } = await by.rest('GET', `/subscriptions/intent/${id}`, { tenantAlias: 'acme' });
      expect(body).toEqual({ status: 'requires_payment_method', intentId: id, paymentUrl });
    }
  });

  it('is in no response that a reader gets, whatever they ask for', async () => {
    const secret = (await payPath(app, world.intent)).split('.')[1]!;
    expect(secret).toMatch(/^[\w-]{43}$/);
    const { data } = (await client.post(fieldsDocument, { id: world.intent })).body;
    expect(data.intent.paymentUrl).toContain(secret);
    const queries = listAllRootFields(schema).filter(
      ({ kind, name }) => kind === 'query' && !isServerOperation(name),
    );
    expect(queries.length).toBeGreaterThan(50);
    for (const root of sampledInCore(queries, 3)) {
      const row = operatorRows[root.name] ?? graphqlRows[root.name];
      const document = writeDocument(schema, root, 2);
      for (const name of ['a read key', 'viewer', 'finance']) {
        const { text } = await callers[name]!.post(document, row?.call(world) ?? {});
        expect(text.includes(secret), `${name}: ${root.name}`).toBe(false);
      }
    }
  });

  it('is in no event, no payload of a webhook and no live event', async () => {
    const id = await newIntent();
    const endpoint = `mutation ($query: String!) { createWebhookEndpoint(input: {
      url: "http://127.0.0.1:9/all", query: $query
    }) { endpoint { id } } }`;
    const query = '{ object intent { intentId paymentUrl actionUrl } }';
    await client.graphql(endpoint, { query });
    const url = await listen(app);
    const reader = await app.key('acme', 'read');
    const followed =
      'subscription { traceRecorded { payload event { action changes intent { paymentUrl actionUrl } } } }';
    const live = await follow(url, { apiKey: reader.apiKey }, {}, followed);
    await shop.confirm(id, 'sandbox_requires_action');
    const path = await payPath(app, id);
    const secret = path.split('.')[1]!;
    await app.service.dispatcher.deliverDue(app.service, 'acme', 5000);
    const sent = await app.backdoor.all('select body from webhook_deliveries where body is not null');
    const bodies = JSON.stringify(sent);
    expect(bodies).toContain('paymentUrl');
    await expect.poll(() => JSON.stringify(live.events)).toContain('action_required');
    await live.stop();
    for (const text of [bodies, JSON.stringify(live.events)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('about:blank');
    }
  });

  it('is at rest nowhere, and in no log', async () => {
    const id = await newIntent();
    const order =
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id paymentUrl } }';
    const { price } = await shop.product();
    const customer = await shop.customer();
    const input = { ...shop.intentInput(customer, price), tenantAlias: undefined };
    const repeat = () => client.graphql(order, { input }, { 'idempotency-key': 'order-1' });
    const made = (await repeat()).createSubscriptionIntent;
    expect((await repeat()).createSubscriptionIntent).toEqual(made);
    for (const each of [id, made.id as string]) {
      const path = await payPath(app, each);
      const { text } = await inject(app, { url: path });
      await post(path, { token: tokenIn(text), method: 'sandbox_requires_action' });
      await inject(app, { url: `${path}/return` });
      await inject(app, { url: `${path}x` });
      const secret = path.split('.')[1]!;
      expect(await app.backdoor.dump('acme')).not.toContain(secret);
      expect(logged.join('')).not.toContain(secret);
    }
    expect(logged.join('')).toContain('/pay/:link');
  });

  it('is told to no other site', async () => {
    const { headers } = await inject(app, { url: await payPath(app, await newIntent()) });
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  });
});

describe('a payment page', () => {
  const forms = ['', '/trial', '/code', '/details', '/cancel', '/abandon'];

  it('does not open by the id of its intent, and none of its forms does', async () => {
    const id = await newIntent({ returnUrl: 'https://shop.test/back' });
    const path = await payPath(app, id);
    const token = tokenIn((await inject(app, { url: path })).text);
    const secret = path.split('.')[1]!;
    const other = (await payPath(app, await newIntent())).split('.')[1]!;
    const wrong = [
      '',
      '.',
      `.${secret.slice(1)}`,
      `.${secret}A`,
      `.${secret.toLowerCase()}`,
      `.${other}`,
      `.é${secret.slice(1)}`,
    ];
    for (const end of wrong) {
      const base = `/pay/${encodeURIComponent(id + end)}`;
      const got = [await inject(app, { url: base }), await inject(app, { url: `${base}/return` })];
      for (const form of forms) got.push(await post(base + form, { token, method: 'sandbox_ok', code: 'A' }));
      for (const { status, text } of got) {
        expect(status, `${end} ${text}`).toBe(404);
        expect(text).not.toContain('shop.test');
      }
    }
    expect(await findStatus(id)).toBe('requires_payment_method');
    await post(path, { token, method: 'sandbox_ok' });
    expect(await findStatus(id)).toBe('succeeded');
  });

  it('of an intent of an earlier release opens by its id until it expires', async () => {
    const [id, fresh] = [await newIntent(), await newIntent()];
    await app.backdoor.execute(`update intents set has_secret_link = null where id = '${id}'`);
    const show = async (each: string) => (await inject(app, { url: `/pay/${each}` })).status;
    expect(await show(id)).toBe(200);
    expect(await show(fresh)).toBe(404);
    expect((await inject(app, { url: await payPath(app, id) })).status).toBe(200);
    const { text } = await inject(app, { url: `/pay/${id}` });
    const begun = await post(`/pay/${id}`, { token: tokenIn(text), method: 'sandbox_requires_action' });
    expect(begun.headers['location']).toBe(`/pay/${id}?to=bank`);
    expect((await inject(app, { url: `/pay/${id}/return` })).status).toBe(303);
    clock.advance(dayMs);
    expect(await show(id)).toBe(404);
    clock.advance(-dayMs);
    await app.backdoor.execute(`update intents set has_secret_link = (1 = 1) where id = '${id}'`);
  });

  it('opens by its link in its own tenant only, and by one secret only', async () => {
    const id = await newIntent();
    await app.tenant({ alias: 'rival' });
    const foreign = app.service.secretBox.sign(`payment page|${id}`, 'rival');
    expect((await inject(app, { url: `/pay/${id}.${foreign}` })).status).toBe(404);
    const intents = await app.service.store.fresh.select('intents', { where: { tenantAlias: 'acme' } });
    expect(intents.every(({ hasSecretLink }) => hasSecretLink)).toBe(true);
    expect(intents.length).toBeGreaterThan(10);
  });
});
