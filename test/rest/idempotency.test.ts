import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import { dayMs, stoppedClock } from '../support/clock.ts';
import { runDueWork } from '../../src/app/scheduler.ts';
import { pino } from 'pino';

const clock = stoppedClock('2026-03-01T00:00:00.000Z');
let app: TestApp;
let client: Client;
let other: Client;

beforeAll(async () => {
  app = await startApp({}, { clock });
  client = await app.tenant({ alias: 'acme' });
  other = await app.tenant({ alias: 'other' });
});
afterAll(() => app.close());

const customer = (associatedId: string, tenantAlias = 'acme') => ({
  tenantAlias,
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: 'Lovelace',
  associatedId,
});
const named = (key: string) => ({ 'idempotency-key': key });
const count = async (of = client) =>
  (await of.graphql('{ customers(first: 100) { nodes { id } } }')).customers.nodes.length as number;

describe('Idempotency-Key over REST', () => {
  it('returns the same response byte for byte, and performs the request once', async () => {
    const before = await count();
    const first = await client.rest('POST', '/customers', customer('a'), named('a'));
    const again = await client.rest('POST', '/customers', customer('a'), named('a'));
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await count()).toBe(before + 1);
  });

  it('returns the stored response after later changes', async () => {
    const prices = [{ details: { amount: 5, currency: 'usd' } }];
    const product = { tenantAlias: 'acme', name: 'Basic', description: '', prices };
    const first = await client.rest('POST', '/products', product, named('product'));
    const [price] = first.body.prices;
    const changed = { tenantAlias: 'acme', details: { amount: 6 } };
    await client.rest('PATCH', `/products/${first.body.product.id}/prices/${price.id}`, changed);
    const again = await client.rest('POST', '/products', product, named('product'));
    expect(again.text).toBe(first.text);
  });

  it('refuses a different request with the same key', async () => {
    await client.rest('POST', '/customers', customer('b'), named('b'));
    const another = await client.rest('POST', '/customers', customer('b2'), named('b'));
    expect([another.status, another.body.body.reason]).toEqual([422, 'idempotency_key_reused']);
    expect(another.body.cause.issues[0].path).toBe('idempotency-key');
    const path = await client.rest('POST', '/groups', customer('b'), named('b'));
    expect(path.status).toBe(422);
  });

  it('performs one of many concurrent requests', async () => {
    const before = await count();
    const sent = Array.from({ length: 32 }, () =>
      client.rest('POST', '/customers', customer('c'), named('c')),
    );
    const answers = await Promise.all(sent);
    const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';
    const made = answers.filter((answer) => answer.status === 201);
    // Whoever comes while the first is performed is told so; whoever comes after it is given its answer.
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.body.reason]).toEqual([409, 'request_in_flight']);
    }
    expect(await count()).toBe(before + 1);
    expect((await client.rest('POST', '/customers', customer('c'), named('c'))).status).toBe(201);
  });

  it('stores no refusal, so that the request can be sent again', async () => {
    const wrong = await client.rest('POST', '/customers', { ...customer('d'), email: 'no' }, named('d'));
    expect(wrong.status).toBe(400);
    expect((await client.rest('POST', '/customers', customer('d'), named('d'))).status).toBe(201);
  });

  it('separates the keys of tenants', async () => {
    const own = await client.rest('POST', '/customers', customer('e'), named('e'));
    const theirs = await other.rest('POST', '/customers', customer('e', 'other'), named('e'));
    expect([own.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(own.body.id);
  });

  it('refuses a key that is not 1 to 255 printable ASCII characters', async () => {
    for (const key of ['a b', 'x'.repeat(256)]) {
      const { status, body } = await client.rest('POST', '/customers', customer('f'), named(key));
      expect([status, body.body.reason, body.cause.issues[0].path]).toEqual([
        400,
        'validation_failed',
        'idempotency-key',
      ]);
    }
  });

  it('forgets a key after 24 hours', async () => {
    const first = await client.rest('POST', '/customers', customer('g'), named('g'));
    clock.advance(dayMs + 1);
    await runDueWork(app.service, pino({ level: 'silent' }));
    const again = await client.rest('POST', '/customers', customer('g'), named('g'));
    expect([first.status, again.status]).toEqual([201, 409]);
    expect(again.body.body.reason).toBe('associated_id_exists');
  });
});

describe('Idempotency-Key over GraphQL', () => {
  const create =
    'mutation ($input: CreateCustomerInput!) { a: createCustomer(input: $input) { id createdAt } }';
  const input = (associatedId: string) => {
    const { tenantAlias: _, ...rest } = customer(associatedId);
    return { input: rest };
  };

  it('replays mutations, several in one document', async () => {
    const both =
      'mutation ($input: CreateCustomerInput!, $group: CreateGroupInput!) ' +
      '{ a: createCustomer(input: $input) { id } b: createGroup(input: $group) { id } c: createGroup(input: $group) { id } }';
    const variables = { ...input('h'), group: { name: 'Plans' } };
    const first = await client.post(both, variables, named('h'));
    const again = await client.post(both, variables, named('h'));
    expect(first.body.data.b.id).not.toBe(first.body.data.c.id);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('returns the change of a request whose response was lost', async () => {
    const first = await client.post(create, input('i'), named('i'));
    await app.service.store.transact('acme', (queries) =>
      queries.remove('idempotency', { tenantAlias: 'acme', idempotencyKey: 'i', field: '' }),
    );
    const again = await client.post(create, input('i'), named('i'));
    expect(again.text).toBe(first.text);
  });

  it('replays the refusal of a declined payment without another charge', async () => {
    const shop = {
      group: (await client.graphql('mutation { createGroup(input: { name: "G" }) { id } }')).createGroup.id,
      customer: (await client.graphql(create, input('j'))).a.id,
    };
    const product = await client.graphql(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id prices { id } } }',
      {
        input: {
          name: 'P',
          description: '',
          groupId: shop.group,
          prices: [{ details: { amount: 5, currency: 'usd' } }],
        },
      },
    );
    const { id: productId, prices } = product.createProduct;
    const intent = await client.graphql(
      'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }',
      {
        input: {
          customerId: shop.customer,
          productId,
          priceId: prices[0].id,
          receiptUrl: 'https://example.org/',
        },
      },
    );
    const { id } = intent.createSubscriptionIntent;
    const confirm = (method: string) =>
      `mutation { confirmIntent(id: "${id}", input: { paymentMethod: "${method}" }) { status subscriptionId } }`;
    const declined = await client.post(confirm('sandbox_declined'), {}, named('j1'));
    const again = await client.post(confirm('sandbox_declined'), {}, named('j1'));
    expect(declined.body.errors[0].extensions.reason).toBe('payment_failed');
    expect(again.text).toBe(declined.text);
    const paid = await client.post(confirm('sandbox_ok'), {}, named('j2'));
    const paidAgain = await client.post(confirm('sandbox_ok'), {}, named('j2'));
    expect(paid.body.data.confirmIntent.status).toBe('succeeded');
    expect(paidAgain.text).toBe(paid.text);
    const payments = await app.service.store.fresh.select('payments', {
      where: { tenantAlias: 'acme', intentId: id },
    });
    expect(payments.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
  });

  it('does not affect queries', async () => {
    const query = '{ customers { nodes { id } } }';
    const first = await client.post(query, {}, named('q'));
    await client.graphql(create, input('k'));
    const again = await client.post(query, {}, named('q'));
    expect(again.text).not.toBe(first.text);
  });
});

describe('concurrent equal requests', () => {
  it('one of 32 equal creates succeeds, in fifty repetitions', async () => {
    for (let round = 0; round < 50; round++) {
      const sent = Array.from({ length: 32 }, () =>
        client.rest('POST', '/customers', customer(`race-${round}`)),
      );
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(31);
    }
  });
});
