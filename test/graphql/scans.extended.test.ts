/** Searches and forecasts of large tenants: what they find, for how long, and that nobody waits for them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BillingError } from '../../src/lib/errors.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { minutesAfter, multiply } from '../support/bulk.ts';
import { listen } from '../support/follow.ts';
import { createShop } from '../support/shop.ts';

const many = 20_000;
const start = '2026-01-31T00:00:00.000Z';

let app: TestApp;
let url: string;
let client: Client;
let other: Client;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  url = await listen(app);
  client = await app.tenant({ alias: 'acme', test: true, clock: start });
  other = await app.tenant({ alias: 'other' });
  const shop = createShop(client, 'acme');
  await shop.subscribe(await shop.customer(), (await shop.product({ name: 'Template' })).price);
  const at = minutesAfter(start);
  await multiply(app, 'acme', 'products', many, {
    id: "'prod_' || i",
    createdAt: at,
    name: `case when i % 1000 = 7 then 'Étoile ' || i else 'Plan ' || i end`,
    nameLower: `case when i % 1000 = 7 then 'étoile ' || i else 'plan ' || i end`,
    active: 'i % 2 = 0',
  });
  await multiply(app, 'acme', 'subscriptions', many, {
    id: "'sub_' || i",
    customerId: "'cus_' || i",
    createdAt: at,
  });
});
afterAll(() => app.close());

const listNames = ({ nodes }: any) => nodes.map(({ name }: any) => name);
const search = async (args: string, who = client) =>
  (await who.graphql(`{ products(${args}) { nodes { name } nextCursor } }`)).products;

/** How often the server says that it lives while something is done. */
async function livezDuring(work: () => Promise<unknown>) {
  let isDone = false;
  const done = work().finally(() => (isDone = true));
  let requests = 0;
  while (!isDone) {
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    requests += 1;
  }
  await done;
  return { requests };
}

describe('a search by name', () => {
  const expected = Array.from({ length: 20 }, (_, index) => `Étoile ${index * 1000 + 7}`);

  it('finds all of 20,000 in either order, page by page, upper and lower case alike', async () => {
    for (const [order, wanted] of [
      ['ASC', expected],
      ['DESC', expected.toReversed()],
    ] as const) {
      const found: string[] = [];
      for (let after: string | null = null; ;) {
        const page: any = await search(
          `name: "éTOILE", order: ${order}, first: 7 ${after ? `after: "${after}"` : ''}`,
        );
        found.push(...listNames(page));
        after = page.nextCursor;
        if (!after) break;
      }
      expect(found).toEqual(wanted);
    }
    expect(listNames(await search('name: "étoile", last: 3, order: ASC'))).toEqual(expected.slice(-3));
    expect(listNames(await search('name: "étoile 1", active: false, order: ASC, first: 2'))).toEqual([
      'Étoile 1007',
      'Étoile 10007',
    ]);
    expect(listNames(await search('name: "no such name"'))).toEqual([]);
    expect(listNames(await search('name: "étoile"', other))).toEqual([]);
  });

  it('finds records written just before, and changed names', async () => {
    const make = 'mutation { createProduct(input: { name: "ΟΔΟΣ", description: "" }) { id } }';
    const { createProduct: made } = await other.graphql(make);
    for (const name of ['οδος', 'ΟΔΟΣ', 'οδο'])
      expect(listNames(await search(`name: "${name}"`, other))).toEqual(['ΟΔΟΣ']);
    await other.graphql(`mutation { updateProduct(id: "${made.id}", input: { name: "İstanbul" }) { id } }`);
    expect(listNames(await search('name: "οδο"', other))).toEqual([]);
    expect(listNames(await search('name: "İSTANBUL"', other))).toEqual(['İstanbul']);
  });

  it('repeated as often as a request allows does not delay others', async () => {
    const aliases = Array.from(
      { length: 9 },
      (_, index) => `p${index}: products(name: "zz${index}") { nodes { id } }`,
    );
    const { requests } = await livezDuring(async () => {
      const { body } = await client.post(`{ ${aliases.join(' ')} }`);
      const reasons = (body.errors ?? []).map(({ extensions }: any) => extensions.reason);
      // On a machine that is busy with other things they may take too long.
      expect(new Set([...reasons, 'query_timeout'])).toEqual(new Set(['query_timeout']));
    });
    // On the event loop it would be one, or none.
    expect(requests).toBeGreaterThan(5);
  });

  it('does not wait for searches of another tenant', async () => {
    let finished = 0;
    const crowd = Array.from({ length: 50 }, async (_, index) => {
      await client.post(`{ products(name: "zz${index}") { nodes { id } } }`);
      finished += 1;
    });
    await search('name: "a"', other);
    expect(finished).toBeLessThan(25);
    await Promise.all(crowd);
  });
});

describe('work beside the event loop', () => {
  const slices = (limits: { limitMs: number; isGone?: () => boolean }) =>
    app.service.store.scanner.run({ tenantAlias: 'acme', ...limits }, async (scan) => {
      let rows = 0;
      for await (const found of scan.slices('products', {
        where: { tenantAlias: 'acme', deletedAt: null },
        orderBy: ['createdAt', 'id'],
        sliceRows: 1000,
      }))
        rows += found.length;
      return rows;
    });

  it('returns every row once', async () => {
    expect(await slices({ limitMs: 60_000 })).toBe(many + 1);
  });

  it('ends at its time limit and when its client has left', async () => {
    const timedOut = { reason: 'query_timeout', status: 503 };
    await expect(slices({ limitMs: 0 })).rejects.toMatchObject(timedOut);
    let requests = 0;
    await expect(slices({ limitMs: 60_000, isGone: () => ++requests > 3 })).rejects.toMatchObject(timedOut);
    expect(requests).toBe(4);
    await expect(slices({ limitMs: 0 })).rejects.toBeInstanceOf(BillingError);
    // Whoever is refused leaves the place to others.
    expect(await slices({ limitMs: 60_000 })).toBe(many + 1);
  });
});

describe('the forecast of a tenant', () => {
  it('of 20,000 subscriptions is correct and does not delay others', async () => {
    const document = `query ($until: DateTime!) {
      tenant { forecast(until: $until) { date charges total { amount currency } } }
    }`;
    let sums: any[] = [];
    const { requests } = await livezDuring(async () => {
      sums = (await client.graphql(document, { until: '2026-03-15' })).tenant.forecast;
    });
    expect(sums.map(({ charges, total }) => [charges, total.amount])).toEqual([[many + 1, (many + 1) * 50]]);
    expect(requests).toBeGreaterThan(10);
  });
});
