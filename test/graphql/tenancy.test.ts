/** Who may do what: every root field of the schema with keys, aliases and ids that are not its own. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { catalogue, type Reason } from '../../src/lib/errors.ts';
import { createKey, revokeKey } from '../../src/tenancy/apiKeys.ts';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import { engine } from '../support/engines.ts';
import {
  writeDocument,
  graphqlRows,
  listIdArguments,
  listRootFields,
  type Outcome,
  valueAt,
  withValue,
} from '../support/operations.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import { fillTenant, inject, type World } from '../support/world.ts';

const rootFields = listRootFields(schema);
const operations = rootFields.flatMap((root) => {
  const row = graphqlRows[root.name];
  return row ? [{ ...root, row, document: writeDocument(schema, root, 2) }] : [];
});
type Operation = (typeof operations)[number];
// On PostgreSQL each operation has a price: some of them are enough to see that its rows are kept apart as well.
const tested = sampledInCore(sampled(operations, engine === 'postgres' ? 9 : 1), 8);

let app: TestApp;
let attacker: Client;
let reader: Client;
let victim: World;
let own: World;
let keysOfVictim: string[];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' });
  const owner = await app.tenant({ alias: 'victim', test: true });
  victim = await fillTenant(owner, 'victim');
  attacker = await app.tenant({ alias: 'attacker', test: true });
  own = await fillTenant(attacker, 'attacker');
  reader = await app.key('victim', 'read');
  const { apiKey: revoked, key } = await createKey(app.service, { tenant: 'victim' });
  await revokeKey(app.service, key.id);
  const expiresAt = '2020-01-01T00:00:00.000Z';
  const { apiKey: expired } = await createKey(app.service, { tenant: 'victim', expiresAt });
  const altered = owner.apiKey.slice(0, -1) + (owner.apiKey.endsWith('0') ? '1' : '0');
  keysOfVictim = [revoked, expired, altered, owner.apiKey.slice(0, -1)];
});
afterAll(() => app.close());

let address = 0;

const call = ({ document }: Operation, apiKey: string | undefined, variables: object, tenantAlias?: string) =>
  inject(app, {
    method: 'POST',
    url: '/graphql',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== undefined && { 'api-key': apiKey }),
      ...(tenantAlias !== undefined && { 'perennial-tenant': tenantAlias }),
    },
    payload: JSON.stringify({ query: document, variables }),
    remoteAddress: `10.1.${(++address >> 8) & 255}.${address & 255}`,
  });

const expectReason = ({ body, text, status }: Answer, reason: Reason) => {
  expect(body?.errors?.[0]?.extensions, text).toMatchObject({
    reason,
    code: reason.toUpperCase(),
    status: catalogue[reason].status,
  });
  expect(status).toBeLessThan(500);
  const values = Object.values(body.data ?? {});
  expect(values.every((value) => value === null)).toBe(true);
};

const pickBody = ({ status, body }: Answer) => ({ status, body });

async function unchanged(attempt: () => Promise<unknown>) {
  const before = await app.backdoor.dump('victim');
  await attempt();
  expect(await app.backdoor.dump('victim')).toBe(before);
}

function expectOutcome(answer: Answer, name: string, outcome: Outcome) {
  if (outcome !== 'empty' && outcome !== 'null' && outcome !== 'refused')
    return expectReason(answer, outcome);
  expect(answer.body.errors, answer.text).toBeUndefined();
  const value = answer.body.data[name];
  if (outcome === 'refused') return expect(value).toMatchObject({ accepted: 0, refused: [{ index: 0 }] });
  if (outcome === 'null') return expect([value].flat()).toEqual([null]);
  return expect(value).toMatchObject({ edges: [], nodes: [], nextCursor: null });
}

test('every root field has a row here, and every row a root field', () => {
  expect(Object.keys(graphqlRows).toSorted()).toEqual(rootFields.map(({ name }) => name).toSorted());
});

test('every id argument has a row with its result for an id of another tenant', () => {
  for (const root of rootFields) {
    const rows = Object.keys(graphqlRows[root.name]?.foreign ?? {});
    expect(rows, root.name).toEqual(expect.arrayContaining(listIdArguments(root)));
  }
});

describe.each(tested)('$kind $name', (operation) => {
  const { name, row, kind } = operation;

  it('needs a valid API key', () =>
    unchanged(async () => {
      const variables = row.call(victim);
      const answer = await call(operation, undefined, variables);
      expectReason(answer, 'api_key_missing');
      expect(answer.status).toBe(401);
      for (const key of keysOfVictim) {
        expectReason(await call(operation, key, variables), 'api_key_invalid');
      }
    }));

  it('returns the same error for the alias of another tenant and an unknown alias', () =>
    unchanged(async () => {
      const foreign = await call(operation, attacker.apiKey, row.call(victim), 'victim');
      expectReason(foreign, 'tenant_mismatch');
      for (const tenantAlias of ['nobody', '', 'VICTIM', 'attacker, victim', "victim' --"]) {
        const unknown = await call(operation, attacker.apiKey, row.call(victim), tenantAlias);
        expect(pickBody(unknown), tenantAlias).toEqual(pickBody(foreign));
      }
      const mixed = await call(operation, attacker.apiKey, row.call(own), 'victim');
      expect(pickBody(mixed)).toEqual(pickBody(foreign));
    }));

  it("finds nothing by another tenant's ids", () =>
    unchanged(async () => {
      const mine = await app.backdoor.dump('attacker');
      for (const [path, outcome] of Object.entries(row.foreign ?? {})) {
        const foreign = valueAt({ ...row.call(victim), ...row.others?.(victim) }, path);
        const answer = await call(operation, attacker.apiKey, withValue(row.call(own), path, foreign));
        expectOutcome(answer, name, outcome);
        const unknown = await call(operation, attacker.apiKey, withValue(row.call(own), path, 'none_0'));
        expect(pickBody(unknown)).toEqual(pickBody(answer));
      }
      if (!row.foreign) return;
      const all = await call(operation, attacker.apiKey, row.call(victim));
      expect(all.text).not.toContain('victim');
      expect(await app.backdoor.dump('attacker')).toBe(mine);
    }));

  it.runIf(kind === 'mutation')('refuses a key with the scope read', () =>
    unchanged(async () => {
      expectReason(await call(operation, reader.apiKey, row.call(victim)), 'insufficient_scope');
    }),
  );
});

/** Keys begin with the tenant, so two tenants may have the very same ids: then only the tenant tells them apart. */
describe('a tenant with the same ids', () => {
  it.each(tested)('$name reads and changes only records of the caller', async (operation) => {
    const alias = `twin-${operations.indexOf(operation)}`;
    const twin = await app.tenant({ alias, test: true });
    await app.backdoor.twin('victim', alias);
    await unchanged(async () => {
      const before = await app.backdoor.dump(alias);
      const world = { ...victim, alias, associatedId: `${alias}-1`, spareAssociatedId: `${alias}-2` };
      const answer = await call(operation, twin.apiKey, operation.row.call(world), alias);
      expect(answer.body.errors, answer.text).toBeUndefined();
      expect(answer.body.data[operation.name] === null).toBe(operation.row.isNullToKeys ?? false);
      expect(answer.text).not.toContain('victim');
      if (operation.row.mayChangeNothing) return;
      expect((await app.backdoor.dump(alias)) === before).toBe(operation.kind === 'query');
    });
  });
});

test('a record that refers to records of another tenant shows none of them', async () => {
  const owner = `tenant_alias = 'attacker'`;
  await app.backdoor.execute(`
    update subscriptions set customer_id = '${victim.customer}', product_id = '${victim.product}',
      price_id = '${victim.price}' where id = '${own.subscription}';
    update products set group_id = '${victim.group}' where ${owner};
    update prices set product_id = '${victim.product}' where ${owner};
    update invoice_lines set invoice_id = '${victim.invoice}' where ${owner};
    update intents set customer_id = '${victim.customer}', subscription_id = '${victim.subscription}' where ${owner};
  `);
  for (const operation of operations.filter(({ kind }) => kind === 'query')) {
    const answer = await call(operation, attacker.apiKey, operation.row.call(own));
    expect(answer.text, operation.name).not.toContain('victim');
  }
});
