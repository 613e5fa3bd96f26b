/** API keys as operators manage them: the key is shown once, and nothing but its hash is stored. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordKeyUses } from '../../../src/tenancy/apiKeys.ts';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';

const create = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { apiKey key { id name prefix scope status lastUsedAt expiresAt revokedAt } } }`;
const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { id status revokedAt } }';
const list = '{ apiKeys(first: 100) { totalCount nodes { id name status lastUsedAt } } }';
const getReason = ({ body }: Answer) => body.errors?.[0]?.extensions.reason;

let app: TestApp;
let owner: TestOperator;
let alias: string;
let tenants = 0;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());
beforeEach(async () => {
  alias = `keys-${(tenants += 1)}`;
  await app.tenant({ alias });
  owner = await signInOperator(app, { tenant: alias });
});

const issue = async (input: object = {}, headers = {}) =>
  (await owner.post(create, { input: { scope: 'write', ...input } }, headers)).body.data.createApiKey;

const ask = async (apiKey: string, query = '{ me { keyId scope } }') => {
  const { body } = await app.server.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': apiKey, 'content-type': 'application/json' },
    payload: JSON.stringify({ query }),
  });
  return JSON.parse(body);
};

describe('a new key', () => {
  it.each(['read', 'write'])('works at once, with the scope %s', async (scope) => {
    const { apiKey, key } = await issue({ name: ' Shop ', scope });
    expect(key).toMatchObject({ name: 'Shop', scope, status: 'active', lastUsedAt: null, expiresAt: null });
    expect(apiKey.startsWith(key.prefix)).toBe(true);
    expect(apiKey).toMatch(/^prn_[a-z0-9-]+_[0-9a-z]{12}_[0-9a-z]{40}$/);
    expect((await ask(apiKey)).data.me).toEqual({ keyId: key.id, scope });
  });

  it('is traced as the act of the operator, and stored as its hash alone', async () => {
    const { apiKey, key } = await issue({ name: 'Shop' }, { 'idempotency-key': 'one' });
    const { body } = await owner.post(
      '{ traces(activityType: ApiKeyEvent, first: 1) { nodes { executorId payload } } }',
    );
    const [trace] = body.data.traces.nodes;
    expect(trace.executorId).toBe(`operator:${owner.id}`);
    expect(trace.payload).toMatchObject({ action: 'created', resourceId: key.id, object: { name: 'Shop' } });
    const secret = apiKey.slice(key.prefix.length);
    const everything = await app.backdoor.dump();
    expect(everything).toContain(createHash('sha256').update(secret).digest('hex'));
    expect(everything).not.toContain(secret);
    const stored = await app.backdoor.all('select outcome from idempotency where outcome is not null');
    expect(stored.length).toBeGreaterThan(0);
    for (const { outcome } of stored)
      expect(Buffer.from(String(outcome), 'base64').toString('latin1')).not.toContain(secret);
  });

  it('is created once for repeats of a request, and not shown again', async () => {
    const headers = { 'idempotency-key': 'twice' };
    const first = await issue({ name: 'Shop' }, headers);
    const again = await issue({ name: 'Shop' }, headers);
    expect(again).toEqual({ ...first, apiKey: null });
    expect((await owner.post(list)).body.data.apiKeys.totalCount).toBe(2);
    const other = await owner.post(create, { input: { name: 'Other', scope: 'write' } }, headers);
    expect(getReason(other)).toBe('idempotency_key_reused');
  });

  it('shows a repeat of the request to nobody who may not manage keys', async () => {
    const headers = { 'idempotency-key': 'stolen' };
    const { apiKey } = await issue({}, headers);
    const support = await signInOperator(app, { role: 'support', tenant: alias });
    const answer = await support.post(create, { input: { scope: 'write' } }, headers);
    expect(getReason(answer)).toBe('permission_missing');
    expect(answer.text).not.toContain(apiKey);
  });

  it('comes once of ten requests at the same time with one idempotency key', async () => {
    const headers = { 'idempotency-key': 'many' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.post(create, { input: { scope: 'read' } }, headers)),
    );
    expect(answers.filter(({ body }) => body.data?.createApiKey?.apiKey)).toHaveLength(1);
    expect((await owner.post(list)).body.data.apiKeys.totalCount).toBe(2);
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'a\u0000b' }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('is refused for its %s: %j', async (_, input) => {
    const answer = await owner.post(create, { input: { scope: 'read', ...input } });
    expect(getReason(answer)).toBe('validation_failed');
  });
});

describe('a revoked key', () => {
  it('is refused at once, also while it is in the cache', async () => {
    const { apiKey, key } = await issue();
    expect((await ask(apiKey)).data.me.keyId).toBe(key.id);
    const { body } = await owner.post(revoke, { id: key.id });
    expect(body.data.revokeApiKey).toMatchObject({ id: key.id, status: 'revoked' });
    expect((await ask(apiKey)).errors[0].extensions.reason).toBe('api_key_invalid');
    const again = await owner.post(revoke, { id: key.id });
    expect(again.body.data.revokeApiKey).toEqual(body.data.revokeApiKey);
  });

  it.each(['7v3k9q2m4x8d', '', "' or 1=1 --", 'operator:opr_1'])('cannot be %j', async (id) => {
    expect(getReason(await owner.post(revoke, { id }))).toBe('api_key_not_found');
  });

  it('is never one of another tenant', async () => {
    const { apiKey, key } = await issue();
    await app.tenant({ alias: `other-${alias}` });
    const stranger = await signInOperator(app, { tenant: `other-${alias}` });
    expect(getReason(await stranger.post(revoke, { id: key.id }))).toBe('api_key_not_found');
    expect((await stranger.post(list)).text).not.toContain(key.id);
    expect((await ask(apiKey)).data.me.keyId).toBe(key.id);
  });
});

it('neither lists, creates nor revokes keys by a key', async () => {
  const { apiKey, key } = await issue();
  for (const query of [
    list,
    'mutation { createApiKey(input: { scope: read }) { apiKey } }',
    `mutation { revokeApiKey(id: "${key.id}") { id } }`,
  ])
    expect((await ask(apiKey, query)).errors[0].extensions.reason).toBe('permission_missing');
  expect((await ask(apiKey)).data.me.keyId).toBe(key.id);
});

it('says when keys were used, without a trace', async () => {
  const { apiKey, key } = await issue();
  await recordKeyUses(app.service, alias);
  const find = async () =>
    (await owner.post(list)).body.data.apiKeys.nodes.find(({ id }: any) => id === key.id).lastUsedAt;
  expect(await find()).toBeNull();
  const traces = '{ traces { totalCount } }';
  const before = (await owner.post(traces)).body;
  await ask(apiKey);
  await recordKeyUses(app.service, alias);
  expect(await find()).toMatch(/^\d{4}-/);
  expect((await owner.post(traces)).body).toEqual(before);
});
