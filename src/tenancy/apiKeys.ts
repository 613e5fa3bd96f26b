import type { MaybePromise } from '../lib/maybePromise.ts';
import { hash, timingSafeEqual } from 'node:crypto';
import { toInstant } from '../lib/time.ts';
import { BillingError, refuse } from '../lib/errors.ts';
import { redactKeys } from '../lib/redaction.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { ApiKeyCache, KnownKey, Principal, Scope } from './apiKeyCache.ts';
import { findTenant, requireTenant, createOperatorOrigin, transact, type Service } from './tenants.ts';

/** An API key without its secret. */
export type KeyRecord = Omit<Row<'apiKeys'>, 'secretHash'>;

interface IssuedKey {
  key: KeyRecord;
  /** The whole key, `prn_{tenant}_{id}_{secret}`: shown only once, stored only as a hash. */
  apiKey: string;
}

// Every process refuses a revoked key within this time.
const trustedMs = 500;
const maxCachedKeys = 10_000;
const keyIdLength = 12;
const secretLength = 40;
const keyForm = /^prn_([a-z0-9-]{1,63})_([0-9a-z]{12})_([0-9a-z]{40})$/;

// The secret has 200 random bits, so one round of SHA-256 suffices: it cannot be guessed.
const hashSecret = (secret: string) => hash('sha256', secret);

const toKeyRecord = ({ secretHash: _, ...key }: Row<'apiKeys'>): KeyRecord => key;

/**
 * Issues an API key for a tenant; `expiresAt` is an ISO 8601 instant. Error: `validation_failed` for an unknown tenant.
 */
export async function createKey(
  service: Service,
  input: { tenant: string; scope?: Scope; expiresAt?: string | null },
): Promise<IssuedKey> {
  await requireTenant(service, input.tenant);
  const id = service.ids.secret(keyIdLength);
  const secret = service.ids.secret(secretLength);
  const key = await transact(service, input.tenant, createOperatorOrigin(service), (unit) =>
    unit.create('apiKeys', {
      id,
      secretHash: hashSecret(secret),
      scope: input.scope ?? 'write',
      createdAt: unit.now,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
    }),
  );
  return { key: toKeyRecord(key), apiKey: `prn_${input.tenant}_${id}_${secret}` };
}

/**
 * Returns the keys of one tenant, or of all tenants, oldest first. Error: `validation_failed` for an unknown tenant.
 */
export async function listKeys(service: Service, tenant?: string): Promise<KeyRecord[]> {
  if (tenant) await requireTenant(service, tenant);
  const keys = await service.store.fresh.select('apiKeys', {
    where: tenant ? { tenantAlias: tenant } : {},
    orderBy: ['tenantAlias', 'createdAt', 'id'],
  });
  return keys.map(toKeyRecord);
}

/** Revokes a key at once; revoking it again changes nothing. Error: `validation_failed` for an unknown key. */
export async function revokeKey(service: Service, id: string): Promise<KeyRecord> {
  const key = await findKey(service, id);
  return transact(service, key.tenantAlias, createOperatorOrigin(service), async (unit) => {
    service.apiKeyCache.clear();
    if (key.revokedAt) return toKeyRecord(key);
    return toKeyRecord(await unit.change('apiKeys', key, { revokedAt: unit.now }, { action: 'revoked' }));
  });
}

/**
 * Issues a new key with the same tenant, scope and expiry; the old key remains valid for `overlapMs`, so that clients
 * can switch. Error: `validation_failed` for an unknown or revoked key.
 */
export async function rotateKey(service: Service, id: string, overlapMs: number): Promise<IssuedKey> {
  const key = await findKey(service, id);
  if (key.revokedAt) refuse('validation_failed', { path: 'id', message: 'the key is revoked' });
  const issued = await createKey(service, {
    tenant: key.tenantAlias,
    scope: key.scope,
    expiresAt: key.expiresAt,
  });
  await transact(service, key.tenantAlias, createOperatorOrigin(service), async (unit) => {
    const end = toInstant(service.clock.nowMs() + overlapMs);
    const expiresAt = key.expiresAt && key.expiresAt < end ? key.expiresAt : end;
    await unit.change('apiKeys', key, { expiresAt }, { action: 'rotated' });
  });
  return issued;
}

async function findKey(service: Service, id: string): Promise<Row<'apiKeys'>> {
  const [key] = await service.store.fresh.select('apiKeys', { where: { id }, limit: 1 });
  return key ?? refuse('validation_failed', { path: 'id', message: `there is no key ${redactKeys(id)}` });
}

/**
 * Returns the principal of the key in a request's header. A key verified within the last half second is accepted from
 * the cache, without a hash or a query. Errors: `api_key_missing`, `api_key_invalid`.
 */
export function authenticate(service: Service, header: string | undefined): MaybePromise<Principal> {
  if (!header) throw new BillingError('api_key_missing');
  const nowMs = service.clock.nowMs();
  const known = service.apiKeyCache.get(header);
  const isWarm =
    known !== undefined &&
    performance.now() - known.checkedAtMonotonicMs < trustedMs &&
    nowMs < known.expiresMs;
  return isWarm ? known.principal : verify(service, header, nowMs);
}

async function verify(service: Service, header: string, nowMs: number): Promise<Principal> {
  // Taken before the row is read, so that a later revocation takes effect within `trustedMs`.
  const checkedAtMonotonicMs = performance.now();
  const [, alias, id, secret] = keyForm.exec(header) ?? refuse('api_key_invalid');
  const { fresh } = service.store;
  const [key] = await fresh.select('apiKeys', { where: { tenantAlias: alias!, id: id! }, limit: 1 });
  if (!key || !isSecretValid(key, secret!)) return refuse('api_key_invalid');
  // Keys expire by the service's clock, because a test tenant's clock may be stopped.
  const expiresMs = key.expiresAt ? Date.parse(key.expiresAt) : Number.POSITIVE_INFINITY;
  if (key.revokedAt || expiresMs <= nowMs) refuse('api_key_invalid');
  const tenant = (await findTenant(service, alias!)) ?? refuse('api_key_invalid');
  const principal: Principal = { tenant, keyId: key.id, scope: key.scope };
  // The record of a tenant with a test clock contains its current time, so it must not be cached.
  if (tenant.clockAt === null)
    remember(service.apiKeyCache, header, { principal, checkedAtMonotonicMs, expiresMs });
  return principal;
}

function remember(cache: ApiKeyCache, header: string, known: KnownKey): void {
  if (cache.size >= maxCachedKeys) cache.clear();
  cache.set(header, known);
}

function isSecretValid(key: Row<'apiKeys'>, secret: string): boolean {
  return timingSafeEqual(Buffer.from(key.secretHash, 'hex'), Buffer.from(hashSecret(secret), 'hex'));
}
