import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { secondMs, stoppedClock } from '../support/clock.ts';
import { sampledRuns } from '../support/sample.ts';
import { performer, type Perform } from '../support/scenario.ts';
import { createShop, type Shop } from '../support/shop.ts';

const clock = stoppedClock('2026-01-31T10:00:00.000Z');
const tenantAlias = 'acme';
const count = 13;

let app: TestApp;
let client: Client;
let perform: Perform;
let shop: Shop;
/** The customer who has a history. */
let customer: string;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' }, { clock });
  client = await app.tenant({ alias: tenantAlias });
  perform = performer(app, client, tenantAlias);
  shop = createShop(client, tenantAlias);
  const subscriber = await shop.customer();
  customer = subscriber.id;
  for (let index = 0; index < count; index++) {
    if (index % 3 === 0) clock.advance(1);
    const group = { tenantAlias, name: `Group ${index}` };
    await client.rest('POST', '/groups', group, { 'x-executor-id': 'grace' });
    const { price } = await shop.product({ name: `Product ${index}` });
    await shop.subscribe(subscriber, price);
    if (index > 0) await shop.customer();
  }
});
afterAll(() => app.close());

interface List {
  path: string;
  fields: Record<string, string>;
  getId: (item: any) => string;
}

const byId = ({ id }: any) => id;
const lists = (): List[] => [
  { path: '/customers', fields: {}, getId: byId },
  { path: '/groups', fields: {}, getId: byId },
  { path: '/products', fields: {}, getId: byId },
  { path: '/subscriptions', fields: { customer }, getId: byId },
  { path: '/traces/user', fields: { executorId: 'grace' }, getId: ({ eventId }) => eventId },
  { path: '/traces/timeframe', fields: { startDate: '2026-01-01' }, getId: ({ eventId }) => eventId },
];
const paths = lists().map(({ path }) => path);
const listAt = (path: string) => lists().find((list) => list.path === path)!;

async function fetchPage({ path, fields, getId: idOf }: List, more: Record<string, string>) {
  const { data, nextCursor } = await perform({ rest: ['GET', path, { tenantAlias, ...fields, ...more }] });
  return { ids: data.map(idOf) as string[], nextCursor: nextCursor as string | null };
}

/** The whole list, `limit` at a time; `between` runs at the same time as each request. */
async function walk(list: List, more: Record<string, string>, between?: (page: number) => Promise<unknown>) {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const request = fetchPage(list, { ...more, ...(cursor && { cursor }) });
    const [page] = await Promise.all([request, between?.(pages.length)]);
    pages.push(page.ids);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

describe.each(paths)('%s', (path) => {
  it('is the same list with any page size, and reversed in the other order', async () => {
    const list = listAt(path);
    const newest = (await walk(list, { limit: '100' })).flat();
    expect(new Set(newest).size).toBe(newest.length);
    for (const limit of ['1', '4', '13']) {
      const pages = await walk(list, { limit });
      expect(pages.flat()).toEqual(newest);
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(Number(limit));
      expect(pages.at(-1)).not.toHaveLength(0);
      expect((await walk(list, { limit, order: 'asc' })).flat()).toEqual(newest.toReversed());
    }
    expect((await fetchPage(list, {})).ids).toEqual(newest.slice(0, 10));
  });

  it('accepts whole limits from 1 to 100', async () => {
    const { fields } = listAt(path);
    const send = (limit: string) =>
      ['GET', path, { tenantAlias, ...fields, limit }] as ['GET', string, object];
    for (const limit of ['1', '5.0', '100']) await perform({ rest: send(limit) });
    for (const limit of [
      '0',
      '-1',
      '-0',
      '101',
      '1.5',
      'a',
      '',
      '1e1',
      ' 5',
      '99999999999999999999',
      'NaN',
      '0x5',
    ]) {
      await perform({ rest: send(limit), status: 400, reason: 'validation_failed', paths: ['limit'] });
    }
  });

  it('accepts only its own cursors', async () => {
    const { fields } = listAt(path);
    const { nextCursor } = await fetchPage(listAt(path), { limit: '1' });
    const other = listAt(path === '/customers' ? '/groups' : '/customers');
    const foreign = (await fetchPage(other, { limit: '1' })).nextCursor!;
    const middle = nextCursor && Math.floor(nextCursor.length / 2);
    const altered =
      nextCursor &&
      middle &&
      nextCursor.slice(0, middle) + (nextCursor[middle] === 'A' ? 'B' : 'A') + nextCursor.slice(middle + 1);
    const wrong = [
      foreign,
      altered,
      nextCursor?.slice(1),
      nextCursor && `${nextCursor}AAAA`,
      `${foreign}=`,
      '',
      'x',
      '%',
      'a'.repeat(5000),
    ];
    for (const cursor of wrong) {
      if (cursor === null || cursor === undefined) continue;
      const rest = ['GET', path, { tenantAlias, ...fields, cursor }] as ['GET', string, object];
      await perform({ rest, status: 400, reason: 'cursor_invalid', paths: ['cursor'] });
    }
  });

  it('has the orders asc and desc', async () => {
    const { fields } = listAt(path);
    const rest = ['GET', path, { tenantAlias, ...fields, order: 'newest' }] as ['GET', string, object];
    await perform({ rest, status: 400, reason: 'validation_failed', paths: ['order'] });
  });
});

it('a cursor of another tenant is refused', async () => {
  const other = await app.tenant({ alias: 'other' });
  const { nextCursor } = await fetchPage(listAt('/customers'), { limit: '1' });
  const { status, body } = await other.rest('GET', '/customers', { cursor: nextCursor! });
  expect([status, body.body.reason]).toEqual([400, 'cursor_invalid']);
});

describe('during concurrent inserts and deletions', () => {
  const order = fc.constantFrom('asc', 'desc');
  const limit = fc.integer({ min: 1, max: 5 });
  const added = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 });
  const removed = fc.array(fc.array(fc.nat({ max: 100 }), { maxLength: 3 }), { maxLength: 6 });

  it('no item is listed twice, and every permanent item is listed', async () => {
    await fc.assert(
      fc.asyncProperty(order, limit, added, removed, async (direction, size, additions, removals) => {
        const list = listAt('/groups');
        for (let missing = 8; missing > 0; missing--) await shop.group();
        const before = (await walk(list, { limit: '100', order: direction })).flat();
        const left = new Set(before);
        const pages = await walk(list, { limit: String(size), order: direction }, async (page) => {
          clock.advance(secondMs);
          const doomed = (removals[page] ?? []).map((index) => before[index % before.length]!);
          await Promise.all([
            ...Array.from({ length: additions[page] ?? 0 }, () => shop.group()),
            ...doomed.map((id) => left.delete(id) && client.rest('DELETE', `/groups/${id}`, { tenantAlias })),
          ]);
        });
        const seen = pages.flat();
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => left.has(id))).toEqual(before.filter((id) => left.has(id)));
        for (const id of [...left].slice(5)) await client.rest('DELETE', `/groups/${id}`, { tenantAlias });
      }),
      { numRuns: sampledRuns(15, 5) },
    );
  });

  it('the item of the cursor can be deleted', async () => {
    const list = listAt('/groups');
    const before = (await walk(list, { limit: '100' })).flat();
    const { ids, nextCursor } = await fetchPage(list, { limit: '2' });
    await client.rest('DELETE', `/groups/${ids[1]}`, { tenantAlias });
    expect((await fetchPage(list, { limit: '2', cursor: nextCursor! })).ids).toEqual(before.slice(2, 4));
  });
});
