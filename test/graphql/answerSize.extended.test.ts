/** An answer has a budget of bytes, which is held before it is written; what repeats is loaded once. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { follow, listen } from '../support/follow.ts';
import { sampled, sampledRuns } from '../support/sample.ts';
import { inject } from '../support/world.ts';

let app: TestApp;
let client: Client;
/** A group with a mebibyte of metadata, as an earlier release took it; others with 15 KiB. */
let large: string;
let heavy: string[];
const heavyMetadata = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`k${index}`, 'a'.repeat(500)]),
);

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '10000' });
  client = await app.tenant({ alias: 'acme' });
  const create = async (metadata: object): Promise<string> => {
    const query = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }';
    return (await client.graphql(query, { input: { name: 'A', metadata } })).createGroup.id;
  };
  large = await create({});
  const metadata = JSON.stringify({ a: Array.from({ length: 349_000 }, () => ({})) });
  await app.backdoor.execute(`update groups set metadata = '${metadata}' where id = '${large}'`);
  heavy = await Promise.all(Array.from({ length: 100 }, () => create(heavyMetadata)));
});
afterAll(() => app.close());

/** How often the table of groups was read, and how many bytes the longest text written as JSON had. */
async function watched<T>(attempt: () => Promise<T>) {
  const select = vi.spyOn(app.service.store.committed, 'select');
  const write = vi.spyOn(JSON, 'stringify');
  try {
    const result = await attempt();
    const lengths = write.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0));
    const reads = select.mock.calls.filter(([table]) => table === 'groups').length;
    return { result, reads, longest: Math.max(0, ...lengths) };
  } finally {
    vi.restoreAllMocks();
  }
}

const nodes = (count: number, each: (index: number) => string) =>
  `{ ${Array.from({ length: count }, (_, index) => `n${index}: nodes(ids: [${each(index)}]) { id ... on Group { metadata } }`).join(' ')} }`;
const same = (id: string, count: number) => Array(count).fill(`"${id}"`).join();
const tooLarge = { reason: 'result_too_large', code: 'RESULT_TOO_LARGE', status: 400 };

describe('a response that is too large', () => {
  const byVariables = `query ($ids: [ID!]!) {
    ${Array.from({ length: 99 }, (_, index) => `n${index}: nodes(ids: $ids) { id ... on Group { metadata } }`).join(' ')} }`;
  const attempts: [what: string, query: () => string, variables?: () => object][] = [
    ['one record 500 times', () => nodes(5, () => same(large, 100))],
    ['one record 9,900 times, by variables', () => byVariables, () => ({ ids: Array(100).fill(large) })],
    ['hundred records 99 times', () => byVariables, () => ({ ids: heavy })],
  ];
  it.each(sampled(attempts, 2))('is refused before it is written: %s', async (_, query, variables) => {
    // The third is compiled.
    for (let turn = 0; turn < 3; turn++) {
      const { result, reads, longest } = await watched(() =>
        client.post(query(), variables?.() as Record<string, unknown>),
      );
      expect(result.status).toBe(400);
      expect(result.body).toEqual({
        errors: [{ message: 'The response is too large; request less at a time.', extensions: tooLarge }],
      });
      expect(longest).toBeLessThan(1_100_000);
      // Where a compiled query fails, it is asked again.
      expect(reads).toBeLessThanOrEqual(2 * new Set([large, ...heavy]).size);
    }
  });

  it('is refused for GET, and for clients that accept application/graphql-response+json', async () => {
    const query = nodes(5, () => same(large, 100));
    const headers = { 'api-key': client.apiKey, accept: 'application/graphql-response+json' };
    const posted = await client.post(query, undefined, headers);
    const got = await inject(app, {
      url: `/graphql?query=${encodeURIComponent(nodes(5, () => same(large, 20)))}`,
      headers,
    });
    for (const answer of [posted, got]) {
      expect([answer.status, answer.body.errors[0].extensions.reason]).toEqual([400, 'result_too_large']);
    }
  });

  it('is refused while its records are read', async () => {
    const lists = Array.from(
      { length: 99 },
      (_, index) => `g${index}: groups(first: 100) { nodes { metadata } }`,
    );
    for (let turn = 0; turn < 3; turn++) {
      const { result, longest } = await watched(() => client.post(`{ ${lists.join(' ')} }`));
      expect(result.body.errors[0].extensions.reason).toBe('result_too_large');
      expect(result.body.data ?? null).toBeNull();
      expect(longest).toBeLessThan(1_100_000);
    }
  });

  it('does not affect later requests', async () => {
    const answer = await client.post(`{ group(id: "${heavy[0]}") { metadata } }`);
    expect(answer.body.data.group.metadata).toEqual(heavyMetadata);
    const one = await client.post(nodes(1, () => same(large, 2)));
    expect(one.body.data.n0).toHaveLength(2);
    expect(one.text.length).toBeGreaterThan(2_000_000);
  });
});

describe('a large record that a response contains several times', () => {
  const lengths = ({ data }: any) => Object.values(data).map((group: any) => group.metadata.a.length);

  it('is read once for a request, and again for the next one', async () => {
    const fields = Array.from({ length: 3 }, (_, index) => `g${index}: group(id: "${large}") { metadata }`);
    for (let turn = 0; turn < 3; turn++) {
      const { result, reads } = await watched(() => client.post(`{ ${fields.join(' ')} }`));
      expect(lengths(result.body)).toEqual([349_000, 349_000, 349_000]);
      // Each field finds the record and its length; one of them reads the value.
      expect(reads).toBe(3 + 1);
    }
  });

  it('is its new value after a mutation of the same request has changed it', async () => {
    const group = await client.graphql('mutation { createGroup(input: { name: "B" }) { id } }');
    const { id } = group.createGroup;
    const { createProduct: product } = await client.graphql(
      `mutation ($id: ID!) {
        createProduct(input: { name: "P", description: "", groupId: $id, prices: [{ details: { amount: 1, currency: "afn" } }] }) { id }
      }`,
      { id },
    );
    const metadata = JSON.stringify({ a: Array.from({ length: 50_000 }, () => ({})) });
    await app.backdoor.execute(`update groups set metadata = '${metadata}' where id = '${id}'`);
    const rename = (name: string) =>
      `${name}: updateProduct(id: $product, input: { name: "${name}" }) { group { metadata } }`;
    const { body } = await client.post(
      `mutation ($id: ID!, $product: ID!) {
        ${rename('before')} updateGroup(id: $id, input: { metadata: { a: 1 } }) { id } ${rename('after')}
      }`,
      { id, product: product.id },
    );
    expect(body.data.before.group.metadata.a).toHaveLength(50_000);
    expect(body.data.after.group.metadata).toEqual({ a: 1 });
  });
});

describe('nodes', () => {
  const own = (ids: string[]) => ({
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }',
    ids,
  });

  it('reads each id once and returns the objects in the requested order', async () => {
    const [a, b] = heavy as [string, string];
    const { query, ids } = own([a, b, a, 'grp_none', a, 'nothing', b, 'grp_none']);
    for (let turn = 0; turn < 3; turn++) {
      const { result, reads } = await watched(() => client.graphql(query, { ids }));
      expect(result.nodes.map((node: any) => node?.id ?? null)).toEqual([a, b, a, null, a, null, b, null]);
      expect(reads).toBe(3);
    }
  });

  it('and node read an id once for a request', async () => {
    const aliases = Array.from(
      { length: 50 },
      (_, index) => `a${index}: node(id: $id) { id } b${index}: nodes(ids: [$id, $id]) { id }`,
    );
    const { result, reads } = await watched(() =>
      client.graphql(`query ($id: ID!) { ${aliases.join(' ')} }`, { id: heavy[0] }),
    );
    expect(Object.values(result).flat()).toEqual(Array.from({ length: 150 }, () => ({ id: heavy[0] })));
    expect(reads).toBe(1);
  });

  it('returns no objects of another tenant, also after that tenant has read them', async () => {
    const stranger = await app.tenant({ alias: 'other' });
    const { query, ids } = own([large, heavy[0]!, large]);
    expect((await client.graphql(query, { ids })).nodes[0]).toEqual({ id: large, __typename: 'Group' });
    expect((await stranger.graphql(query, { ids })).nodes).toEqual([null, null, null]);
  });

  it('returns 50 objects', async () => {
    const { query, ids } = own([...heavy.slice(0, 99), heavy[0]!]);
    const answers = await Promise.all(
      Array.from({ length: sampledRuns(50, 5) }, () => client.graphql(query, { ids })),
    );
    for (const answer of answers) expect(answer.nodes.map(({ id }: any) => id)).toEqual(ids);
  });
});

it('REST responses and live events have the same size limit', async () => {
  const narrow = await startApp({ maxResponseBytes: '65536' });
  try {
    const wordy = await narrow.tenant({ alias: 'acme' });
    const url = await listen(narrow);
    const query = `subscription { traceRecorded { ${Array.from({ length: 5 }, (_, index) => `p${index}: payload`).join(' ')} } }`;
    const following = await follow(url, wordy, {}, query);
    const fields = { tenantAlias: 'acme', name: 'é', metadata: heavyMetadata };
    for (let made = 0; made < 5; made++)
      expect((await wordy.rest('POST', '/groups', fields)).status).toBe(201);
    const list = (limit: number) => wordy.rest('GET', '/groups', { tenantAlias: 'acme', limit });
    expect((await list(4)).body.data).toHaveLength(4);
    const refused = await list(5);
    expect(refused.status).toBe(400);
    expect(refused.body.body).toMatchObject({ code: 400, reason: 'result_too_large' });
    await expect.poll(() => following.events.length + following.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify([following.events, following.errors])).toContain('result_too_large');
    await following.stop();
  } finally {
    await narrow.close();
  }
});

it('the limit counts bytes, not characters', async () => {
  const narrow = await startApp({ maxResponseBytes: '65536' });
  const wordy = await narrow.tenant({ alias: 'acme' });
  for (const [letter, kept] of [
    ['a', 8],
    ['é', 4],
    ['\u0001', 1],
  ] as const) {
    const metadata = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`k${index}`, letter.repeat(letter === '\u0001' ? 170 : 500)]),
    );
    for (let made = 0; made < 10; made++) {
      const answer = await wordy.rest('POST', '/groups', {
        tenantAlias: 'acme',
        name: letter === '\u0001' ? 'c' : letter,
        metadata,
      });
      expect(answer.status, answer.text.slice(0, 200)).toBe(201);
    }
    const fetchStatus = async (limit: number) =>
      (await wordy.rest('GET', '/groups', { tenantAlias: 'acme', limit })).status;
    expect(await fetchStatus(kept)).toBe(200);
    expect(await fetchStatus(10)).toBe(400);
    const posted = await wordy.post('{ groups { nodes { metadata } } }');
    expect([posted.status, posted.body.errors[0].extensions.reason]).toEqual([400, 'result_too_large']);
  }
  await narrow.close();
});
