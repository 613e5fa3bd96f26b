/** API keys with permissions and addresses of their own: every root field of the schema, tried without and with its permission. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { recordKeyUses, rotateKey } from '../../../src/tenancy/apiKeys.ts';
import {
  isForOperators,
  keyPermissions,
  permissions,
  type Permission,
} from '../../../src/tenancy/permissions.ts';
import { startApp, type Answer, type Client, type TestApp } from '../../support/app.ts';
import { grantingArguments, isServerOperation, operationPermissions } from '../../support/declarations.ts';
import { engine } from '../../support/engines.ts';
import { graphqlRows, listAllRootFields, operatorRows, writeDocument } from '../../support/operations.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { sampled, sampledInCore } from '../../support/sample.ts';
import { fillTenant, type World } from '../../support/world.ts';

const create = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey key {
  id scope permissions hasOwnPermissions ipAllowlist lastUsedFrom lastRefusal { at permission address } } } }`;
const find = `query ($id: ID!) { node(id: $id) { ... on ApiKey { lastUsedAt lastUsedFrom lastRefusal { permission address } } } }`;
const ask = '{ me { keyId scope permissions } }';
/** What the call needs beyond its operation: the note is of another key, and the link opens the page to cancel. */
const forCall: Partial<Record<string, Permission>> = {
  createPortalSession: 'manage_subscriptions',
  updateCustomerNote: 'manage_settings',
  deleteCustomerNote: 'manage_settings',
  approveActionRequest: 'credit',
  declineActionRequest: 'credit',
  withdrawActionRequest: 'manage_settings',
};

let app: TestApp;
let world: World;
let writer: Client;
let owner: TestOperator;
const keys = new Map<string, Client>();

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000', trustProxy: '1' });
  writer = await app.tenant({ alias: 'acme', test: true });
  await app.tenant({ alias: 'other', test: true });
  world = await fillTenant(writer, 'acme');
  owner = await signInOperator(app, { role: 'owner', tenant: 'acme' });
});
afterAll(() => app.close());

const detail = ({ body }: Answer) => body.errors?.[0]?.extensions;

/** The key with exactly these permissions, made once. */
async function keyWith(granted: readonly Permission[]): Promise<Client> {
  const name = granted.join();
  const known = keys.get(name) ?? (await app.key('acme', granted));
  keys.set(name, known);
  return known;
}

const issue = async (input: object) => {
  const { body, text } = await owner.post(create, { input });
  if (body.errors) throw new Error(text);
  return body.data.createApiKey;
};

/** Asks with a key from an address. */
const askFrom = (apiKey: string, address: string, query = ask) =>
  app.client(apiKey).post(query, {}, { 'x-forwarded-for': address });

const operations = listAllRootFields(schema)
  .filter(({ name }) => !isServerOperation(name) && !(name in operatorRows))
  .map((root) => ({
    ...root,
    needed: operationPermissions[root.name] as Permission,
    document: writeDocument(schema, root, 1),
    call: (each: World) => graphqlRows[root.name]?.call(each) ?? {},
  }));
const changing = operations.filter(({ needed }) => needed !== 'read');
const tested = sampledInCore(sampled(changing, engine === 'postgres' ? 9 : 1), 5);

describe.each(tested)('$kind $name by a key', ({ name, needed, document, call }) => {
  it('is refused without its permission, and changes nothing', async () => {
    // A key that may ask for the operation asks for it.
    const lacking: readonly Permission[] = [needed, 'propose'];
    const key = await keyWith(keyPermissions.write.filter((each) => !lacking.includes(each)));
    const before = await app.backdoor.dump('acme');
    const answer = await key.post(document, call(world));
    expect(detail(answer), answer.text).toMatchObject({
      reason: 'permission_missing',
      status: 403,
      issues: [{ path: 'permission', message: needed }],
    });
    expect(answer.body.data?.[name] ?? null).toBeNull();
    expect(await app.backdoor.dump('acme')).toBe(before);
  });

  it('is open with it', async () => {
    const granting = (grantingArguments[name] ?? []).map((argument) => argument.needed);
    const all = new Set<Permission>(['read', needed, forCall[name] ?? needed, ...granting]);
    const key = await keyWith(keyPermissions.write.filter((each) => all.has(each)));
    expect(detail(await key.post(document, call(world)))?.reason).not.toBe('permission_missing');
  });
});

describe('a key with permissions of its own', () => {
  it('says what it may do, each permission once, and has a scope for those who know no other', async () => {
    const rows: [Permission[], string][] = [
      [['read'], 'read'],
      [['read', 'read', 'export_data', 'read_documents'], 'read'],
      [['refund', 'read'], 'write'],
    ];
    for (const [given, scope] of rows) {
      const { apiKey, key } = await issue({ permissions: given });
      const all = keyPermissions.write.filter((each) => given.includes(each));
      expect(key).toMatchObject({ scope, permissions: all, hasOwnPermissions: true, ipAllowlist: [] });
      expect((await app.client(apiKey).graphql(ask)).me).toEqual({ keyId: key.id, scope, permissions: all });
    }
    expect((await issue({ scope: 'write' })).key).toMatchObject({
      permissions: keyPermissions.write,
      hasOwnPermissions: false,
    });
    expect((await issue({ kind: 'publishable' })).key).toMatchObject({ permissions: [], ipAllowlist: [] });
  });

  it('is limited by REST as by GraphQL', async () => {
    const reader = await keyWith(['read', 'manage_catalog']);
    const fields = {
      tenantAlias: 'acme',
      email: 'a@b.example',
      firstName: 'A',
      lastName: 'B',
      associatedId: 'z',
    };
    const answer = await reader.rest('POST', '/customers', fields);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('permission_missing');
    expect((await reader.rest('GET', '/customers')).status).toBe(200);
  });

  it('gets no stored response of another key, which it might not have been allowed', async () => {
    const refunding =
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id email } }';
    const input = { email: 'stored@b.example', firstName: 'A', lastName: 'B', associatedId: 'stored' };
    const headers = { 'idempotency-key': 'shared-by-two' };
    const { id } = (await writer.graphql(refunding, { input }, headers)).createCustomer;
    const others = await keyWith(['read', 'manage_catalog']);
    const answer = await others.post(refunding, { input }, headers);
    expect(detail(answer).reason).toBe('permission_missing');
    expect(answer.text).not.toContain(id);
    const own = await keyWith(['read', 'manage_customers']);
    const first = await own.post(refunding, { input: { ...input, associatedId: 'stored-2' } }, headers);
    const again = await own.post(refunding, { input: { ...input, associatedId: 'stored-2' } }, headers);
    expect(again.body).toEqual(first.body);
  });

  it.each(['manage_keys', 'manage_operators'])('never has %s', async (permission) => {
    const answer = await owner.post(create, { input: { permissions: ['read', permission] } });
    expect(detail(answer)).toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'permissions.1', message: 'is for operators only' }],
    });
  });

  const refusals: [string, object, string][] = [
    ['both a scope and permissions', { scope: 'read', permissions: ['read'] }, 'permissions'],
    ['neither', {}, 'scope'],
    ['no permission', { permissions: [] }, 'permissions'],
    ['no permission to read', { permissions: ['refund'] }, 'permissions'],
    ['permissions of a publishable key', { kind: 'publishable', permissions: ['read'] }, 'permissions'],
    ['addresses of a publishable key', { kind: 'publishable', ipAllowlist: ['192.0.2.1'] }, 'ipAllowlist'],
    ['no address', { scope: 'read', ipAllowlist: [] }, 'ipAllowlist'],
    [
      '51 addresses',
      { scope: 'read', ipAllowlist: Array.from({ length: 51 }, (_, i) => `192.0.2.${i}`) },
      'ipAllowlist',
    ],
    ...[
      '',
      'localhost',
      '192.0.2.0/33',
      '2001:db8::/129',
      '192.0.2',
      '127.1',
      '0x7f000001',
      '1.2.3.4/-1',
      ' 192.0.2.1',
      '*',
    ].map((text): [string, object, string] => [
      `the address ${JSON.stringify(text)}`,
      { scope: 'read', ipAllowlist: ['192.0.2.1', text] },
      'ipAllowlist.1',
    ]),
  ];
  it.each(refusals)('is refused with %s', async (_, input, path) => {
    const before = (await owner.post('{ apiKeys { totalCount } }')).text;
    const answer = await owner.post(create, { input });
    expect(detail(answer), answer.text).toMatchObject({ reason: 'validation_failed', issues: [{ path }] });
    expect((await owner.post('{ apiKeys { totalCount } }')).text).toBe(before);
  });
});

describe('a key with addresses', () => {
  const ranges: [string[], string[], string[], string[]][] = [
    [['192.0.2.1'], ['192.0.2.1'], ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '::1', '2001:db8::1']],
    [['192.0.2.77/24'], ['192.0.2.0/24'], ['192.0.2.0', '192.0.2.255'], ['192.0.3.0', '10.0.0.1']],
    [
      ['2001:DB8:0::/48', '10.0.0.0/8', '10.0.0.0/8'],
      ['2001:db8::/48', '10.0.0.0/8'],
      ['2001:db8:0:ffff::1', '10.255.0.1'],
      ['2001:db8:1::1', '11.0.0.1', 'unknown'],
    ],
    [['0.0.0.0/0'], ['0.0.0.0/0'], ['203.0.113.9'], ['2001:db8::1']],
  ];
  it.each(ranges)('%j is accepted from them alone', async (ipAllowlist, stored, inside, outside) => {
    const { apiKey, key } = await issue({ scope: 'write', ipAllowlist });
    expect(key.ipAllowlist).toEqual(stored);
    // Twice, for the second answer comes from the cache of verified keys.
    for (const address of [...inside, ...outside, ...inside, ...outside]) {
      const answer = await askFrom(apiKey, address);
      if (inside.includes(address)) expect(answer.body.data?.me.keyId, address).toBe(key.id);
      else
        expect([answer.status, detail(answer)?.reason ?? answer.text], address).toEqual([
          403,
          'address_not_allowed',
        ]);
    }
  });

  it('is refused by REST and a live connection, too', async () => {
    const { apiKey } = await issue({ scope: 'read', ipAllowlist: ['192.0.2.1'] });
    expect((await app.client(apiKey).rest('GET', '/customers')).text).toContain('address_not_allowed');
    const stream = await app.server.inject({
      method: 'POST',
      url: '/graphql/stream',
      headers: { 'api-key': apiKey, 'content-type': 'application/json', accept: 'text/event-stream' },
      payload: JSON.stringify({ query: 'subscription { traceCreated { id } }' }),
    });
    expect(stream.body).toContain('address_not_allowed');
  });
});

it('tells the owner from where a key was used, and what it was refused', async () => {
  const { apiKey, key } = await issue({ permissions: ['read'], ipAllowlist: ['192.0.2.0/24'] });
  const read = async () => {
    await recordKeyUses(app.service, 'acme');
    return (await owner.post(find, { id: key.id })).body.data.node;
  };
  expect(await read()).toEqual({ lastUsedAt: null, lastUsedFrom: null, lastRefusal: null });
  await askFrom(apiKey, '203.0.113.5');
  expect(await read()).toEqual({
    lastUsedAt: null,
    lastUsedFrom: null,
    lastRefusal: { permission: null, address: '203.0.113.5' },
  });
  await askFrom(apiKey, '192.0.2.9');
  await askFrom(apiKey, '192.0.2.9', 'mutation { createApiKey(input: { scope: read }) { apiKey } }');
  expect(await read()).toMatchObject({
    lastUsedAt: expect.stringMatching(/^\d{4}-/),
    lastUsedFrom: '192.0.2.9',
    lastRefusal: { permission: 'manage_keys', address: null },
  });
});

it('keeps permissions and addresses when a key is rotated', async () => {
  const { key } = await issue({ permissions: ['read', 'refund'], ipAllowlist: ['192.0.2.1'] });
  const { apiKey } = await rotateKey(app.service, key.id, 60_000);
  expect((await askFrom(apiKey, '192.0.2.1')).body.data.me.permissions).toEqual(['read', 'refund']);
  expect(detail(await askFrom(apiKey, '192.0.2.2')).reason).toBe('address_not_allowed');
});

it('gives a key no permission of operators, whatever the list of permissions becomes', () => {
  const ofOperators = (Object.keys(permissions) as Permission[]).filter(isForOperators);
  expect(ofOperators).toEqual(['manage_keys', 'manage_operators']);
});
