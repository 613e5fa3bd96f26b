/** Every mutation whose response was not stored, as when another gateway performs it: a repeat gets the result, not an error. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { graphqlRows, listRootFields, writeDocument } from '../support/operations.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import { fillTenant } from '../support/world.ts';

const mutations = listRootFields(schema).filter(({ kind }) => kind === 'mutation');

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' });
});
afterAll(() => app.close());

/** Forgets the response to a keyed request; the record of its mutation stays. */
const forgetResponse = (tenantAlias: string, idempotencyKey: string) =>
  app.service.store.transact(tenantAlias, (queries) =>
    queries.remove('idempotency', { tenantAlias, idempotencyKey, field: '' }),
  );

const countTraces = (tenantAlias: string) => app.service.store.fresh.count('traces', { tenantAlias });

async function openTenant(alias: string): Promise<Client> {
  return app.tenant({ alias, test: true });
}

it.each(sampledInCore(sampled(mutations, 6), 2))('$name', async (root) => {
  const alias = `of-${root.name.toLowerCase()}`;
  const client = await openTenant(alias);
  const world = await fillTenant(client, alias);
  const row = graphqlRows[root.name]!;
  const document = writeDocument(schema, root, 0);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await client.post(document, row.call(world), headers);
  expect(first.body.errors, first.text).toBeUndefined();
  await forgetResponse(alias, headers['idempotency-key']);
  const before = await countTraces(alias);
  const again = await client.post(document, row.call(world), headers);
  expect(again.body.errors, again.text).toBeUndefined();
  expect(await countTraces(alias)).toBe(before);
});

const advance = 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }';

it('a check that sees the change of its own request gives way to the result', async () => {
  const client = await openTenant('clocked');
  const to = new Date(Date.now() + 3_600_000).toISOString();
  const headers = { 'idempotency-key': 'first' };
  const first = await client.post(advance, { to }, headers);
  await client.graphql(advance, { to: new Date(Date.now() + 7_200_000).toISOString() });
  // The time is before the clock now.
  const other = await client.post(advance, { to }, { 'idempotency-key': 'second' });
  expect(other.body.errors[0].extensions.reason).toBe('validation_failed');
  await forgetResponse('clocked', 'first');
  const again = await client.post(advance, { to }, headers);
  expect(again.text).toBe(first.text);
});
