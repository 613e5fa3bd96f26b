import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { dayMs, stoppedClock } from '../support/clock.ts';
import { sampledRuns } from '../support/sample.ts';
import { createShop, type Shop } from '../support/shop.ts';

const clock = stoppedClock('2026-01-31T10:00:00.000Z');
const count = 23;

let app: TestApp;
let client: Client;
/** The ids of the customers, oldest first; several were made in the same millisecond. */
const ids: string[] = [];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  client = await app.tenant({ alias: 'acme' });
  const shop = createShop(client, 'acme');
  for (let index = 0; index < count; index++) {
    if (index % 4 === 0) clock.advance(1);
    ids.push((await shop.customer()).id);
  }
});
afterAll(() => app.close());

const document = `query ($first: Int, $after: String, $last: Int, $before: String, $order: Order) {
  customers(first: $first, after: $after, last: $last, before: $before, order: $order) {
    edges { cursor node { id } }
    nodes { id }
    nextCursor
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

interface Args {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
  order?: 'ASC' | 'DESC';
}

/** A page, once what it says of itself in several ways has been found to agree. */
async function fetchPage(args: Args) {
  const { edges, nodes, pageInfo, nextCursor } = (await client.graphql(document, { ...args })).customers;
  const cursors: string[] = edges.map(({ cursor }: any) => cursor);
  expect(nodes).toEqual(edges.map(({ node }: any) => node));
  expect(pageInfo.startCursor).toBe(cursors[0] ?? null);
  expect(pageInfo.endCursor).toBe(cursors.at(-1) ?? null);
  expect(nextCursor).toBe(pageInfo.hasNextPage ? pageInfo.endCursor : null);
  return { ids: nodes.map(({ id }: any) => id as string), cursors, ...pageInfo };
}

const inOrder = (order?: 'ASC' | 'DESC') => (order === 'ASC' ? ids : ids.toReversed());

const orders = fc.constantFrom<('ASC' | 'DESC' | undefined)[]>('ASC', 'DESC', undefined);
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

describe('pages of a connection', () => {
  it('add up to the whole list, forward', async () => {
    await fc.assert(
      fc.asyncProperty(orders, sizes, async (order, cycle) => {
        const seen: string[] = [];
        let after: string | undefined;
        for (let turn = 0; ; turn++) {
          const page = await fetchPage({ first: cycle[turn % cycle.length], after, order });
          expect(page.hasPreviousPage).toBe(seen.length > 0);
          seen.push(...page.ids);
          expect(page.hasNextPage).toBe(seen.length < count);
          if (!page.hasNextPage) break;
          after = page.endCursor;
        }
        expect(seen).toEqual(inOrder(order));
      }),
      { numRuns: sampledRuns(20, 3) },
    );
  });

  it('add up to the whole list, backward', async () => {
    await fc.assert(
      fc.asyncProperty(orders, sizes, async (order, cycle) => {
        let seen: string[] = [];
        let before: string | undefined;
        for (let turn = 0; ; turn++) {
          const page = await fetchPage({ last: cycle[turn % cycle.length], before, order });
          expect(page.hasNextPage).toBe(seen.length > 0);
          seen = [...page.ids, ...seen];
          expect(page.hasPreviousPage).toBe(seen.length < count);
          if (!page.hasPreviousPage) break;
          before = page.startCursor;
        }
        expect(seen).toEqual(inOrder(order));
      }),
      { numRuns: sampledRuns(20, 3) },
    );
  });

  it('start at any item, in both directions', async () => {
    const edgeCursors = {
      ASC: (await fetchPage({ first: 100, order: 'ASC' })).cursors,
      DESC: (await fetchPage({ first: 100 })).cursors,
    };
    // A cursor is valid for its order only.
    expect(edgeCursors.DESC.filter((cursor: string) => edgeCursors.ASC.includes(cursor))).toEqual([]);
    const limit = fc.integer({ min: 1, max: 100 });
    const place = fc.integer({ min: 0, max: count - 1 });
    await fc.assert(
      fc.asyncProperty(orders, limit, place, fc.boolean(), async (order, size, at, forward) => {
        const whole = inOrder(order);
        const cursor = edgeCursors[order ?? 'DESC'][at]!;
        const page = await fetchPage(
          forward ? { first: size, after: cursor, order } : { last: size, before: cursor, order },
        );
        const wanted = forward ? whole.slice(at + 1, at + 1 + size) : whole.slice(Math.max(0, at - size), at);
        expect(page.ids).toEqual(wanted);
      }),
      { numRuns: sampledRuns(60, 4) },
    );
  });

  it('have ten items by default', async () => {
    expect((await fetchPage({})).ids).toEqual(inOrder().slice(0, 10));
    const { cursors } = await fetchPage({ first: 12 });
    expect((await fetchPage({ before: cursors[11] })).ids).toEqual(inOrder().slice(1, 11));
  });

  it.each([
    ['by its name', '{ customers(first: 1) { nodes { id metadata updatedAt } } }'],
    ['by another name', '{ customers(first: 1) { nodes { id metadata: metadata updatedAt: updatedAt } } }'],
    [
      'in a fragment',
      '{ customers(first: 1) { nodes { id ...More } } } fragment More on Customer { metadata updatedAt }',
    ],
    [
      'in a fragment in place',
      '{ customers(first: 1) { nodes { id ... on Node { id } ... { metadata updatedAt } } } }',
    ],
    [
      'in one of two lists',
      '{ other: customers(first: 2) { nodes { id } } customers(first: 1) { nodes { id metadata updatedAt } } }',
    ],
  ])('return a column selected %s, as a single item does', async (_, query) => {
    const { customer } = await client.graphql(
      'query ($id: ID!) { customer(id: $id) { id metadata updatedAt } }',
      { id: ids.at(-1)! },
    );
    // Asked for three times, since then it is compiled.
    for (let time = 0; time < 3; time++) {
      expect((await client.graphql(query)).customers.nodes).toEqual([customer]);
    }
  });

  it('have the same cursors as REST', async () => {
    const rest = await client.rest('GET', '/customers', { limit: '7' });
    const { cursors, nextCursor } = { ...(await fetchPage({ first: 7 })), nextCursor: rest.body.nextCursor };
    expect(nextCursor).toBe(cursors[6]);
    expect(nextCursor).toMatch(/^[A-Za-z0-9]+$/);
    const further = await client.rest('GET', '/customers', { limit: '5', cursor: cursors[2]! });
    expect(further.body.data.map(({ id }: any) => id)).toEqual(inOrder().slice(3, 8));
    expect((await fetchPage({ first: 5, after: rest.body.nextCursor })).ids).toEqual(inOrder().slice(7, 12));
  });

  const refused: [string, Args, string, string][] = [
    ['none', { first: 0 }, 'validation_failed', 'first'],
    ['fewer than none', { first: -1 }, 'validation_failed', 'first'],
    ['too many', { first: 101 }, 'validation_failed', 'first'],
    ['none from the back', { last: 0 }, 'validation_failed', 'last'],
    ['too many from the back', { last: 101 }, 'validation_failed', 'last'],
    ['both ends', { first: 1, last: 1 }, 'validation_failed', 'last'],
    ['a cursor of nothing', { after: '' }, 'cursor_invalid', 'after'],
    ['a made-up cursor', { before: 'Y3VzdG9tZXJz' }, 'cursor_invalid', 'before'],
  ];
  it.each(refused)('are refused: %s', async (_, args, reason, path) => {
    const { body } = await client.post(document, { ...args });
    expect(body.errors[0].extensions).toMatchObject({ reason, issues: [{ path }] });
  });
});

describe('filters', () => {
  let mine: Client;
  let shop: Shop;

  beforeAll(async () => {
    mine = await app.tenant({ alias: 'filters' });
    shop = createShop(mine, 'filters');
  });

  const fetchIds = async (query: string, variables: Record<string, unknown> = {}) =>
    (await mine.graphql(query, variables).then((data) => Object.values<any>(data)[0])).nodes.map(
      ({ id }: any) => id,
    );

  it('find customers by email address', async () => {
    const { id } = await shop.customer({ email: 'grace@example.com' });
    const query = 'query ($email: String) { customers(email: $email) { nodes { id } } }';
    expect(await fetchIds(query, { email: 'grace@example.com' })).toEqual([id]);
    expect(await fetchIds(query, { email: 'grace@' })).toEqual([]);
  });

  it('find subscriptions by customer and status', async () => {
    const [customer, other] = [await shop.customer(), await shop.customer()];
    const price = async () => (await shop.product()).price;
    const cancelled = await shop.subscribe(customer, await price());
    const active = await shop.subscribe(customer, await price());
    const later = new Date(clock.nowMs() + dayMs).toISOString();
    const scheduled = await shop.subscribe(customer, await price(), { startDate: later });
    const foreign = await shop.subscribe(other, await price());
    const verified = { tenantAlias: 'filters', customer: customer.id };
    await mine.rest('DELETE', `/subscriptions/${cancelled.id}`, verified);
    const query = `query ($customerId: ID, $status: SubscriptionStatus) {
      subscriptions(customerId: $customerId, status: $status, order: ASC) { nodes { id } }
    }`;
    const rows: [object, any[]][] = [
      [{}, [cancelled, active, scheduled, foreign]],
      [{ customerId: customer.id }, [cancelled, active, scheduled]],
      [{ status: 'active' }, [active, foreign]],
      [{ status: 'scheduled' }, [scheduled]],
      [{ status: 'cancelled' }, [cancelled]],
      [{ customerId: other.id, status: 'cancelled' }, []],
      [{ customerId: 'cus_unknown' }, []],
    ];
    for (const [filter, found] of rows) {
      expect(await fetchIds(query, { ...filter }), JSON.stringify(filter)).toEqual(found.map(({ id }) => id));
    }
    const invoices = `query ($customerId: ID, $subscriptionId: ID, $status: InvoiceStatus) {
      invoices(customerId: $customerId, subscriptionId: $subscriptionId, status: $status) { nodes { id: subscriptionId } }
    }`;
    expect(await fetchIds(invoices, { customerId: customer.id })).toEqual([active.id, cancelled.id]);
    expect(await fetchIds(invoices, { subscriptionId: foreign.id })).toEqual([foreign.id]);
    expect(await fetchIds(invoices, { subscriptionId: foreign.id, status: 'open' })).toEqual([]);
    expect(await fetchIds(invoices, { customerId: other.id, status: 'paid' })).toEqual([foreign.id]);
  });

  it('find traces by executor, activity and time', async () => {
    const before = clock.advance(dayMs);
    const headers = { 'x-executor-id': 'grace' };
    await mine.rest('POST', '/groups', { tenantAlias: 'filters', name: 'Plans' }, headers);
    clock.advance(1);
    await mine.rest('POST', '/products', { tenantAlias: 'filters', name: 'Pro', description: '' }, headers);
    const query = `query ($executorId: String, $activityType: ActivityType, $startDate: DateTime, $endDate: DateTime) {
      traces(executorId: $executorId, activityType: $activityType, startDate: $startDate, endDate: $endDate, order: ASC) {
        nodes { id: activityType }
      }
    }`;
    const rows: [object, string[]][] = [
      [{ executorId: 'grace' }, ['GroupEvent', 'ProductEvent']],
      [{ executorId: 'grace', activityType: 'ProductEvent' }, ['ProductEvent']],
      [{ executorId: 'nobody' }, []],
      [{ startDate: before }, ['GroupEvent', 'ProductEvent']],
      [{ startDate: before, endDate: before }, ['GroupEvent']],
      [{ activityType: 'WebhookEvent' }, []],
    ];
    for (const [filter, found] of rows) expect(await fetchIds(query, { ...filter })).toEqual(found);
  });
});
