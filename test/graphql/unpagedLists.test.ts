/** Lists without pages, such as the products of a group: one may be long, and many together are bounded. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/tenancy/traces/eventTypes.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { multiply } from '../support/bulk.ts';

const perGroup = 6000;
let app: TestApp;
let client: Client;
let groups: string[];
beforeAll(async () => {
  app = await startApp({ maxResponseBytes: '100000000', graphqlCost: '100000' });
  client = await app.tenant({ alias: 'acme' });
  groups = [];
  for (const name of ['A', 'B']) {
    const { createGroup: group } = await client.graphql(
      `mutation { createGroup(input: { name: "${name}" }) { id } }`,
    );
    groups.push(group.id);
  }
  await client.graphql(
    `mutation { createProduct(input: { name: "P", description: "", groupId: "${groups[0]}" }) { id } }`,
  );
  await multiply(app, 'acme', 'products', 2 * perGroup, {
    id: `'prod_many' || i`,
    groupId: `case when i <= ${perGroup} then '${groups[0]}' else '${groups[1]}' end`,
  });
});
afterAll(() => app.close());

describe('the products of groups', () => {
  it('of one group are complete, over GraphQL and REST', async () => {
    const query = 'query ($id: ID!) { group(id: $id) { products { id } } }';
    const { group } = await client.graphql(query, { id: groups[1] });
    expect(group.products).toHaveLength(perGroup);
    const answer = await client.rest('GET', `/groups/${groups[1]}`, { tenantAlias: 'acme' });
    expect([answer.status, answer.body.products.length]).toEqual([200, perGroup]);
  });

  it.each([
    ['in a list', '{ groups { nodes { id products { id } } } }'],
    [
      'by aliases',
      '{ a: groups(first: 1) { nodes { products { id } } } b: groups(last: 1) { nodes { products { id } } } }',
    ],
  ])('of several groups are refused above the limit, %s', async (_, query) => {
    const { body } = await client.post(query);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('10000'),
      extensions: { reason: 'validation_failed' },
    });
    expect(body.errors.length).toBeLessThanOrEqual(2);
  });
});

it('examples of events cost their number', async () => {
  const measureCost = async (query: string) =>
    (await client.post(query, {}, { 'x-graphql-cost': '1' })).body.extensions.cost;
  const plain = await measureCost('{ eventTypes { name } }');
  expect(plain).toMatchObject({ requested: eventTypes.length, actual: eventTypes.length });
  const withExamples = await measureCost('{ eventTypes { name example } }');
  expect(withExamples).toMatchObject({ requested: 21 * eventTypes.length, actual: 21 * eventTypes.length });
});
