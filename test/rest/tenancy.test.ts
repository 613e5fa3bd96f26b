/** Who may do what: every route of the table with keys, aliases and ids that are not its own. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { catalogue, type Reason } from '../../src/lib/errors.ts';
import { describeFields } from '../../src/rest/adapter.ts';
import { routes } from '../../src/rest/routes.ts';
import { createKey, revokeKey } from '../../src/tenancy/apiKeys.ts';
import { getNamedType, parse } from 'graphql';
import { startApp, type Answer, type Client, type TestApp } from '../support/app.ts';
import { engine } from '../support/engines.ts';
import {
  isWrite,
  formatRoute,
  buildRequest,
  restOperations,
  restRows,
  valueAt,
  withValue,
} from '../support/operations.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import { expectSound, fillTenant, inject, type World } from '../support/world.ts';

let app: TestApp;
let owner: Client;
let attacker: Client;
let reader: Client;
let victim: World;
let own: World;
let keysOfVictim: { name: string; key: string }[];

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
  owner = await app.tenant({ alias: 'victim' });
  victim = await fillTenant(owner, 'victim');
  attacker = await app.tenant({ alias: 'attacker' });
  own = await fillTenant(attacker, 'attacker');
  reader = await app.key('victim', 'read');
  keysOfVictim = await badKeys();
});
afterAll(() => app.close());

/** Keys that were the victim's, or look as if they were. */
async function badKeys() {
  const { apiKey: revoked, key } = await createKey(app.service, { tenant: 'victim' });
  await revokeKey(app.service, key.id);
  const expiresAt = '2020-01-01T00:00:00.000Z';
  const { apiKey: expired } = await createKey(app.service, { tenant: 'victim', expiresAt });
  const { apiKey } = owner;
  const last = apiKey.at(-1) === '0' ? '1' : '0';
  return Object.entries({
    revoked,
    expired,
    altered: apiKey.slice(0, -1) + last,
    truncated: apiKey.slice(0, -1),
    lengthened: `${apiKey}0`,
    'in capitals': apiKey.toUpperCase(),
    'twice, as two headers are joined': `${apiKey}, ${apiKey}`,
    "of another tenant under the victim's name": attacker.apiKey.replace('prn_attacker_', 'prn_victim_'),
    'of nobody': 'prn_victim_000000000000_0000000000000000000000000000000000000000',
    'of no tenant': apiKey.replace('prn_victim_', 'prn_nobody_'),
    text: 'hello',
    SQL: "' OR 1=1 --",
    long: 'x'.repeat(5000),
  }).map(([name, bad]) => ({ name, key: bad }));
}

let address = 0;
/** Every request comes from an address of its own, or the guesses would soon be refused as too many. */
const nextAddress = () => `10.${(++address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;

const call = (
  { route }: (typeof restOperations)[number],
  apiKey: string | undefined,
  fields: Record<string, unknown>,
) =>
  inject(app, {
    ...buildRequest(route, fields, apiKey === undefined ? {} : { 'api-key': apiKey }),
    remoteAddress: nextAddress(),
  });

const expectReason = (answer: Answer, reason: Reason) => {
  expect(answer.body?.body?.reason, answer.text).toBe(reason);
  expect(answer.status).toBe(catalogue[reason].status);
};

/** What an answer says itself, without the request that an error gives back. */
const pickError = ({ status, body }: Answer) => {
  if (!body?.body?.request) return { status, body };
  return { status, body: { ...body, body: { ...body.body, request: null } } };
};

async function unchanged(attempt: () => Promise<unknown>) {
  const before = await app.backdoor.dump('victim');
  await attempt();
  expect(await app.backdoor.dump('victim')).toBe(before);
}

test('every route has a row here, and every row a route', () => {
  expect(Object.keys(restRows).toSorted()).toEqual(routes.map(formatRoute).toSorted());
});

test('every route verifies the alias, and every id has a row with its result for an id of another tenant', () => {
  for (const { name, route, row } of restOperations) {
    const variables = [...describeFields(schema, route, parse(route.document)).values()];
    expect(
      variables.map((variable) => variable.name),
      name,
    ).toContain('tenantAlias');
    const ids = variables.filter(({ type }) => getNamedType(type).name === 'ID').map((each) => each.name);
    expect(Object.keys(row.foreign ?? {}), name).toEqual(expect.arrayContaining(ids));
  }
});

// On PostgreSQL each operation has a price: some of them are enough to see that its rows are kept apart as well.
const tested = sampledInCore(sampled(restOperations, engine === 'postgres' ? 9 : 1), 5);

describe.each(tested)('$name', (operation) => {
  const { row, route } = operation;
  const buildFields = (world: World, alias = world.alias) => ({ tenantAlias: alias, ...row.call(world) });

  it('needs a key', () =>
    unchanged(async () => {
      expectReason(await call(operation, undefined, buildFields(victim)), 'api_key_missing');
      expectReason(await call(operation, '', buildFields(victim)), 'api_key_missing');
    }));

  it('accepts only a valid API key', () =>
    unchanged(async () => {
      for (const { key } of keysOfVictim) {
        expectReason(await call(operation, key, buildFields(victim)), 'api_key_invalid');
      }
    }));

  it('returns the same error for the alias of another tenant and an unknown alias', () =>
    unchanged(async () => {
      const foreign = await call(operation, attacker.apiKey, buildFields(victim));
      expectReason(foreign, 'tenant_mismatch');
      const mixed = await call(operation, attacker.apiKey, buildFields(own, 'victim'));
      for (const alias of ['nobody', '', 'VICTIM', ' victim', 'victim ', "victim' --", 'attackér']) {
        const unknown = await call(operation, attacker.apiKey, buildFields(victim, alias));
        expect(pickError(unknown), alias).toEqual(pickError(foreign));
      }
      expect(pickError(mixed)).toEqual(pickError(foreign));
    }));

  it("finds nothing by another tenant's ids", () =>
    unchanged(async () => {
      const mine = await app.backdoor.dump('attacker');
      for (const [name, outcome] of Object.entries(row.foreign ?? {})) {
        const theirs = { ...row.call(victim), ...row.others?.(victim) };
        const fields = withValue(buildFields(own), name, valueAt(theirs, name));
        const answer = await call(operation, attacker.apiKey, fields);
        if (outcome === 'empty') expect(pickError(answer)).toMatchObject({ status: 200, body: { data: [] } });
        else expectReason(answer, outcome as Reason);
        // A foreign id and one that nobody has look the same.
        if (outcome === 'empty') continue;
        const unknown = await call(operation, attacker.apiKey, withValue(fields, name, 'none_0'));
        expect(pickError(unknown)).toEqual(pickError(answer));
      }
      const all = await call(operation, attacker.apiKey, buildFields(victim, 'attacker'));
      if (row.foreign && all.status < 300) expect(all.body.data).toEqual([]);
      if (row.foreign) {
        expect(JSON.stringify(pickError(all).body)).not.toContain('victim');
        expect(await app.backdoor.dump('attacker')).toBe(mine);
      }
    }));

  it.runIf(isWrite(route))('refuses a key with the scope read', () =>
    unchanged(async () => {
      expectReason(await call(operation, reader.apiKey, buildFields(victim)), 'insufficient_scope');
    }),
  );
});

/** Keys begin with the tenant, so two tenants may have the very same ids: then only the tenant tells them apart. */
describe('a tenant with the same ids', () => {
  it.each(tested)('$name reads and changes only records of the caller', async (operation) => {
    const { row, route } = operation;
    const alias = `twin-${restOperations.indexOf(operation)}`;
    const twin = await app.tenant({ alias });
    await app.backdoor.twin('victim', alias);
    await unchanged(async () => {
      const before = await app.backdoor.dump(alias);
      const fields = { tenantAlias: alias, ...row.call({ ...victim, alias, associatedId: `${alias}-1` }) };
      const answer = await call(operation, twin.apiKey, fields);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect(answer.text).not.toContain('victim');
      if (row.mayChangeNothing) return;
      expect((await app.backdoor.dump(alias)) === before).toBe(!isWrite(route));
    });
  });
});

test('the header perennial-tenant is verified, by REST and by live events', async () => {
  const read = (alias: string) => owner.rest('GET', '/customers', {}, { 'perennial-tenant': alias });
  expect((await read('victim')).status).toBe(200);
  for (const alias of ['attacker', 'nobody', '']) expectReason(await read(alias), 'tenant_mismatch');
  const headers = { 'api-key': owner.apiKey, 'perennial-tenant': 'attacker' };
  const stream = await inject(app, { method: 'GET', url: '/graphql/stream?query=x', headers });
  expect([stream.status, stream.text]).toEqual([403, expect.stringContaining('tenant_mismatch')]);
});

test('the database is intact afterwards', () => expectSound(app));
