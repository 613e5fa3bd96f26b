/** The points that a credential has for the cost of its GraphQL operations: what is charged, restored and refused. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPointBudgets, joinBudgets, reservePoints } from '../../src/lib/pointBudget.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { follow, listen } from '../support/follow.ts';
import { signInOperator } from '../support/operators.ts';

const pointsPerSecond = 100;
const most = 1000;
const withCost = { 'x-graphql-cost': '1' };
const groupsQuery = 'query ($n: Int!) { groups(first: $n) { nodes { id } } }';
/** What it requests for a page, and what it costs with three groups. */
const requestedFor = (size: number) => 1 + size;
const actual = 4;

let atMs = 1000;
let app: TestApp;
let url: string;
beforeAll(async () => {
  const settings = {
    graphqlCost: '600',
    graphqlCostPerSecond: String(pointsPerSecond),
    rateLimitPerSecond: '10000',
  };
  app = await startApp(settings, { monotonicMs: () => atMs });
  url = await listen(app);
});
afterAll(() => app.close());

let tenants = 0;
/** A tenant with three groups, and a key that has not been used. */
async function createShop(): Promise<{ alias: string; client: Client; other: Client }> {
  const alias = `shop-${(tenants += 1)}`;
  const other = await app.tenant({ alias });
  for (const name of ['A', 'B', 'C']) {
    await other.graphql('mutation ($name: String!) { createGroup(input: { name: $name }) { id } }', { name });
  }
  return { alias, other, client: await app.key(alias, 'write') };
}

const readCost = async (client: Client, query: string, variables?: Record<string, unknown>) =>
  (await client.post(query, variables, withCost)).body.extensions.cost;
const readLeft = async (client: Client): Promise<number> => {
  const { left } = await readCost(client, '{ __typename }');
  return left;
};
/** Uses all points but `left`, which are at least two fewer: an operation with an error is charged what it requested. */
async function useUp(client: Client, left: number): Promise<void> {
  const failing = 'query ($n: Int!) { groups(first: $n) { nodes { id } } customer(id: "cus_0") { id } }';
  for (let rest = (await readLeft(client)) - left; rest > 0;) {
    const size = rest > 202 ? 100 : Math.min(rest - 2, 100);
    await client.post(failing, { n: size });
    rest -= size + 2;
  }
}

describe('the points of a key', () => {
  it('are charged what comes back, compiled and by GET too', async () => {
    const { client, other } = await createShop();
    for (let request = 1; request <= 4; request++) {
      expect(await readCost(client, groupsQuery, { n: 50 })).toEqual({
        requested: requestedFor(50),
        actual,
        limit: 600,
        left: most - request * actual,
      });
    }
    const address = `/graphql?${new URLSearchParams({ query: '{ groups { nodes { id } } }' }).toString()}`;
    const headers = { 'api-key': client.apiKey, ...withCost };
    const answer = await app.server.inject({ url: address, headers });
    expect(answer.json().extensions.cost).toMatchObject({ requested: 11, actual, left: most - 5 * actual });
    // The other key has made the three groups.
    expect(await readLeft(other)).toBe(most - 3 * 11);
  });

  it('are restored by the time that passes, up to those of ten seconds', async () => {
    const { client } = await createShop();
    await useUp(client, 100);
    expect(await readLeft(client)).toBe(100);
    for (const [passedMs, left] of [
      [10, 101],
      [4990, 600],
      [3999, 999],
      [60_000, most],
    ] as const) {
      atMs += passedMs;
      expect(await readLeft(client)).toBe(left);
    }
  });

  it('are counted for each key and each operator', async () => {
    const { alias, client, other } = await createShop();
    await useUp(client, 10);
    const refused = await client.post('{ groups { nodes { id } } }');
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: {
        errors: [
          {
            message: 'The operation costs 11, and 10 points are left.',
            extensions: { reason: 'rate_limited', code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 1 },
          },
        ],
        extensions: { cost: { requested: 11, actual: 0, limit: 600, left: 10 } },
      },
    });
    expect(refused.body.data).toBeUndefined();
    expect((await client.post('{ groups(first: 9) { nodes { id } } }')).status).toBe(200);
    // REST has the limit of requests alone.
    expect((await client.rest('GET', '/customers')).status).toBe(200);
    expect(await readLeft(other)).toBe(most - 3 * 11);
    const operator = await signInOperator(app, { tenant: alias });
    const { body } = await operator.post(
      '{ groups { nodes { id } } }',
      {},
      { ...operator.headers, ...withCost },
    );
    expect(body.extensions.cost).toMatchObject({ actual, left: most - actual });
    expect(await readLeft(client)).toBe(10 - actual);
  });

  it('are lacking only as long as the response says, and the refused change nothing', async () => {
    const { client, other } = await createShop();
    const create = 'mutation { createGroup(input: { name: "D" }) { id products { id } } }';
    const requested = 21;
    for (const [left, waitSeconds] of [
      [requested - 1, 1],
      [0, 1],
    ] as const) {
      await useUp(client, left);
      const accept = 'application/graphql-response+json';
      const { status, headers } = await client.post(create, {}, { accept, 'idempotency-key': 'one' });
      expect([status, headers['retry-after']]).toEqual([429, String(waitSeconds)]);
    }
    const search = await client.post(
      '{ groups(first: 100) { nodes { id } } a: groups(first: 100) { nodes { id } } }',
    );
    expect([search.status, search.headers['retry-after']]).toEqual([429, '3']);
    const { groups } = await other.graphql('{ groups { nodes { name } } }');
    expect(groups.nodes).toHaveLength(3);
    atMs += 1000;
    // The refusal is not the response that a repeat gets.
    const repeated = await client.post(create, {}, { 'idempotency-key': 'one' });
    expect(repeated.body.data.createGroup.products).toEqual([]);
    // 100 less the 11 that the mutation costs without products.
    expect(await readLeft(client)).toBe(89);
  });

  it('are charged for failures what they requested, and for refusals nothing', async () => {
    const { client } = await createShop();
    const rows: [query: string, cost: number][] = [
      ['{ groups(first: 50) { nodes { id } } customer(id: "cus_0") { id } }', 52],
      ['mutation { deleteGroup(id: "grp_0") { id } }', 11],
      ['{ groups(first: 1000) { nodes { id } } }', 101],
      ['{ products(name: "x") { nodes { id } } }', 0],
      ['{ nothing }', 0],
      ['{ customer(id: 5.5) { id } }', 0],
      ['{ __typename }', 0],
    ];
    let left = most;
    for (const [query, cost] of rows) {
      const { body } = await client.post(query, undefined, withCost);
      left -= cost;
      expect(body.extensions?.cost.actual ?? 0, query).toBe(cost);
      expect(await readLeft(client), query).toBe(left);
    }
  });

  it('are reserved, so that fifty operations at once share them', async () => {
    const { client } = await createShop();
    const aliases = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: groups(first: 100) { nodes { id } }`);
    const query = `{ ${aliases.join(' ')} }`;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => client.post(query, undefined, withCost)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    for (const { body } of answers) expect(body.extensions.cost.left).toBeGreaterThanOrEqual(0);
    const performed = answers.filter(({ status }) => status === 200).length;
    expect(await readLeft(client)).toBe(most - performed * 5 * actual);
  });
});

describe('a live connection', () => {
  const trace = 'subscription { traceRecorded { id } }';

  it('is charged one event when it begins, and its events cost nothing', async () => {
    const { client, other } = await createShop();
    const following = await follow(url, client, {}, trace);
    const left = await readLeft(client);
    expect(left).toBe(most - 1);
    await other.graphql('mutation { createGroup(input: { name: "live" }) { id } }');
    await expect.poll(() => following.events.length).toBeGreaterThan(0);
    expect(await readLeft(client)).toBe(left);
    await following.stop();
  });

  it('is refused without the points, over WebSockets and server-sent events', async () => {
    const { client } = await createShop();
    await useUp(client, 0);
    const refused = { reason: 'rate_limited', status: 429, retryAfterSeconds: 1 };
    const following = await follow(url, client, {}, trace);
    expect(following.errors).toMatchObject([
      { message: 'The operation costs 1, and 0 points are left.', extensions: refused },
    ]);
    await following.stop();
    for (const path of ['/graphql', '/graphql/stream']) {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: {
          'api-key': client.apiKey,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({ query: trace }),
      });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
      expect(((await answer.json()) as any).errors[0].extensions).toMatchObject(refused);
    }
  });
});

describe('credentials of browsers', () => {
  const products =
    'query ($n: Int!) { products(first: $n) { nodes { id prices { id } } } missing: product(id: "prd_0") { id } }';
  const requested = 1 + 50 * 11 + 1;

  it('have points by client and by network, apart from those of the secret keys', async () => {
    const { alias, client } = await createShop();
    const left = await readLeft(client);
    const keys: string[] = [];
    for (let key = 0; key < 4; key++) {
      const { apiKey } = await createKey(app.service, { tenant: alias, kind: 'publishable', scope: 'read' });
      keys.push(apiKey);
    }
    const send = async (key: string, remoteAddress: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...withCost };
      const payload = JSON.stringify({ query: products, variables: { n: 50 } });
      const answer = await app.server.inject({
        method: 'POST',
        url: '/graphql',
        remoteAddress,
        headers,
        payload,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
    };
    const countUntilRefused = async (key: string, address: string) => {
      for (let sent = 0; sent < 200; sent++) {
        const { status, body, headers } = await send(key, address);
        if (status === 429) {
          expect(body.extensions.cost.left).toBeLessThan(requested);
          expect(Number(headers['retry-after'])).toBe(1);
          return sent;
        }
      }
      return undefined;
    };
    const ofClient = Math.floor(20_000 / requested);
    const counts = [];
    for (const key of keys) counts.push(await countUntilRefused(key, '192.0.2.1'));
    // The fourth key of the network finds nothing left.
    expect(counts).toEqual([ofClient, ofClient, ofClient, Math.floor(60_000 / requested) - 3 * ofClient]);
    expect((await send(keys[0]!, '192.0.2.2')).body.extensions.cost.left).toBe(20_000 - requested);
    expect(await readLeft(client)).toBe(left);
  });
});

describe('the rule', () => {
  it('never goes below zero or above the most, and tells a sufficient time to wait', () => {
    const act = fc.record({
      passedMs: fc.integer({ min: 0, max: 30_000 }),
      points: fc.integer({ min: 0, max: most }),
      used: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(act), (acts) => {
        let nowMs = 0;
        const find = createPointBudgets({ pointsPerSecond, most }, () => nowMs);
        for (const { passedMs, points, used } of acts) {
          nowMs += passedMs;
          const budget = joinBudgets(find('one'), find('other'));
          const before = budget.left;
          const waitSeconds = budget.computeWaitSeconds(points);
          if (waitSeconds > 0) {
            expect(() => reservePoints(budget, points)).toThrow();
            expect(budget.left).toBe(before);
            nowMs += waitSeconds * 1000;
          }
          reservePoints(budget, points);
          expect(budget.left).toBeGreaterThanOrEqual(0);
          budget.giveBack(Math.floor(points * used));
          expect(budget.left).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
