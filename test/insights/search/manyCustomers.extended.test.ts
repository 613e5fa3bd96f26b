/** The search among 100,000 customers reads an index, by whatever part. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexTenant } from '../../../src/insights/search/indexer.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { minutesAfter, multiply } from '../../support/bulk.ts';

let app: TestApp;
let client: Client;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
  client = await app.tenant({ alias: 'acme' });
  await client.graphql(
    `mutation { createCustomer(input: { firstName: "Éva", lastName: "Bowen", email: "eva@travel.example",
      companyName: "Media Ltd", associatedId: "eva" }) { id } }`,
  );
  await client.graphql(
    `mutation { createCustomer(input: { firstName: "A", lastName: "B", email: "a@b.example", companyName: "Owen",
      associatedId: "owen" }) { id } }`,
  );
  await multiply(app, 'acme', 'customers', 100_000, {
    id: `'cus_01kb' || (100000000 + i) || 'x'`,
    associatedId: `'user-' || i`,
    email: `'owen' || i || '@mail' || (i % 50) || '.example.com'`,
    firstName: `'Owen ' || (i % 977)`,
    companyName: `'Acme ' || (i % 333) || ' Ltd'`,
    createdAt: minutesAfter('2020-01-01T00:00:00Z'),
  });
  const tenant = openScheduledTenant(app.service, (await findTenant(app.service, 'acme'))!);
  await indexTenant(tenant);
}, 600_000);
afterAll(() => app.close());

/** The goal is 50 ms on a machine that does nothing else; to read all records takes seconds. */
const mostMs = 1000;
const tries = 5;

it.each([
  'travel.example',
  'edia ltd',
  'eva bowen',
  'owen',
  'example.com',
  '99999',
  'acme 111 ltd',
  'owen77777@mail27.example.com',
  'mail27 acme 5',
  'nobody at all',
  'wen',
  'ow',
  '99',
])('finds %j in time', async (query) => {
  const times: number[] = [];
  for (let turn = 0; turn < tries; turn += 1) {
    const begunAtMs = performance.now();
    await client.graphql('query ($query: String!) { search(query: $query, first: 12) { nodeId title } }', {
      query,
    });
    times.push(performance.now() - begunAtMs);
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(tries / 2)]!;
  expect(median).toBeLessThan(mostMs);
});

it.each([
  // Exactly, among 100,000 that begin so and are newer.
  ['owen', 'Owen'],
  // The beginning of a text, and of two words, among records that have the letters elsewhere.
  ['ev', 'Media Ltd'],
  ['bo ev', 'Media Ltd'],
])('%j finds the oldest customer %s first', async (query, title) => {
  const { search } = await client.graphql(
    'query ($query: String!) { search(query: $query, types: [customer]) { title } }',
    { query },
  );
  expect(search[0].title).toBe(title);
});
