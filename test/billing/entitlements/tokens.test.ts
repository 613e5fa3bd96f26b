/** What a customer may do as a signed token, which applications check without the server. */
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { dayMs, stoppedClock } from '../../support/clock.ts';
import { createSigningKeys } from '../../../src/lib/signingKeys.ts';
import { openFeatureShop, openLimit, type FeatureShop } from './shop.ts';

const clock = stoppedClock('2026-06-10T10:07:00.000Z');
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' }, { clock });
});
afterAll(() => app.close());

const askKeys = () => app.server.inject({ url: '/.well-known/jwks.json' });

/** Verifies a token as an application does that belongs to a tenant. */
const verify = async (token: string, audience: string, currentDate = new Date(clock.nowMs())) =>
  jwtVerify(token, createLocalJWKSet((await askKeys()).json()), {
    audience,
    currentDate,
    algorithms: ['EdDSA'],
    typ: 'entitlements+jwt',
  });

const ask = ({ client }: Pick<FeatureShop, 'client'>, customerId: string) =>
  app.server.inject({
    url: `/api/v1/customers/${customerId}/entitlements.jwt`,
    headers: { 'api-key': client.apiKey },
  });

async function askToken(shop: Pick<FeatureShop, 'client' | 'customer'>): Promise<string> {
  const { statusCode, headers, body } = await ask(shop, shop.customer.id);
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'application/jwt',
    'no-store',
  ]);
  return body;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());

it('has all features for five minutes', async () => {
  const shop = await openLimit(app, '100');
  const [size, sso] = ['size', 'sso'];
  for (const [key, kind] of [
    [size, 'config'],
    [sso, 'boolean'],
  ])
    await shop.client.graphql(
      'mutation ($input: CreateFeatureInput!) { createFeature(input: $input) { key } }',
      {
        input: { key, name: 'Feature', kind },
      },
    );
  await shop.override(size, { gigabytes: 5 }, { endsAt: '2026-06-10T10:08:00.000Z' });
  await shop.consume(shop.feature, 40);
  const token = await askToken(shop);
  const { payload, protectedHeader } = await verify(token, shop.alias);
  expect(protectedHeader).toEqual({
    alg: 'EdDSA',
    typ: 'entitlements+jwt',
    kid: expect.stringMatching(/^entitlements-\d+$/),
  });
  expect(payload).toMatchObject({
    iss: 'http://localhost:4000',
    sub: shop.customer.id,
    aud: shop.alias,
    iat: clock.nowMs() / 1000,
    exp: clock.nowMs() / 1000 + 300,
  });
  expect(payload['entitlements']).toEqual({
    [shop.feature]: {
      kind: 'limit',
      allowed: true,
      value: '100',
      limit: '100',
      used: '40',
      reserved: '0',
      remaining: '60',
      overage: '0',
      resetsAt: expect.any(String),
      because: 'included',
    },
    [size]: expect.objectContaining({ kind: 'config', value: { gigabytes: 5 }, because: 'override' }),
    [sso]: expect.objectContaining({ kind: 'boolean', allowed: false, because: 'not_included' }),
  });
  await verify(token, shop.alias, new Date(clock.nowMs() + 299_000));
  await expect(verify(token, shop.alias, new Date(clock.nowMs() + 301_000))).rejects.toThrow(/exp/);
  await expect(verify(token, 'other')).rejects.toThrow(/aud/);
  const { entitlementToken } = await shop.client.graphql(
    'query ($id: String!) { entitlementToken(associatedId: $id) { token expiresAt } }',
    { id: shop.customer.associatedId },
  );
  expect(entitlementToken.expiresAt).toBe('2026-06-10T10:12:00.000Z');
  expect((await verify(entitlementToken.token, shop.alias)).payload).toEqual(payload);
});

it('is refused after any change, and from any other key', async () => {
  const shop = await openLimit(app, '100');
  const [header, body, signature] = (await askToken(shop)).split('.') as [string, string, string];
  const more = decode(body);
  more.entitlements[shop.feature].limit = '1000';
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const { kid } = decode(header);
  const forged: [string, string, RegExp][] = [
    ['other content', [header, encode(more), signature].join('.'), /signature/],
    ['no signature', [encode({ alg: 'none' }), body, ''].join('.'), /alg/i],
    ['a shared secret', [encode({ ...decode(header), alg: 'HS256' }), body, signature].join('.'), /alg/],
    ['another type', [encode({ ...decode(header), typ: 'JWT' }), body, signature].join('.'), /signature|typ/],
    [
      'another key of the same name',
      await new SignJWT(more)
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'entitlements+jwt' })
        .sign(stranger),
      /signature/,
    ],
    [
      'an unknown key',
      await new SignJWT(more)
        .setProtectedHeader({ alg: 'EdDSA', kid: 'x', typ: 'entitlements+jwt' })
        .sign(stranger),
      /no applicable key/,
    ],
  ];
  for (const [name, token, message] of forged)
    await expect(verify(token, shop.alias), name).rejects.toThrow(message);
});

it('is signed by a key that changes every 90 days, which is known before and after', async () => {
  const shop = await openLimit(app, '100');
  const before = await askToken(shop);
  const answer = await askKeys();
  const { keys } = answer.json();
  expect(answer.headers).toMatchObject({
    'content-type': 'application/jwk-set+json; charset=utf-8',
    'cache-control': 'public, max-age=3600',
  });
  expect(keys).toHaveLength(3);
  for (const key of keys) {
    // A private key would have `d`.
    expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    expect(Buffer.from(key.x, 'base64url')).toHaveLength(32);
  }
  clock.advance(90 * dayMs);
  const after = await askToken(shop);
  const kid = (token: string) => decodeProtectedHeader(token).kid;
  expect(kid(after)).not.toBe(kid(before));
  expect(keys.map((key: any) => key.kid)).toContain(kid(after));
  await verify(after, shop.alias);
  await verify(before, shop.alias, new Date(clock.nowMs() - 90 * dayMs));
  clock.advance(90 * dayMs);
  await expect(verify(before, shop.alias, new Date(clock.nowMs() - 180 * dayMs))).rejects.toThrow(
    /no applicable key/,
  );
});

it('is for customers of the tenant', async () => {
  const [shop, other] = [await openFeatureShop(app), await openFeatureShop(app)];
  const answer = await ask(shop, other.customer.id);
  expect([answer.statusCode, answer.json().body.reason]).toEqual([404, 'customer_not_found']);
  const { statusCode } = await app.server.inject({
    url: `/api/v1/customers/${shop.customer.id}/entitlements.jwt`,
  });
  expect(statusCode).toBe(401);
});

it('is refused by a server without a key that encrypts secrets', async () => {
  const { find, listPublic } = createSigningKeys({ sign: () => undefined });
  expect([find(clock.nowMs()), listPublic(clock.nowMs())]).toEqual([undefined, []]);
});
