import { hash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { BillingError, notInFuture, refuse } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { redactKeys } from '../lib/redaction.ts';
import { toInstant } from '../lib/time.ts';
import { name, parseInput } from '../lib/validation.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { ApiKeyCache, KnownKey, Principal, Scope } from './apiKeyCache.ts';
import { readSessionAlias, verifySession } from './customerSessions.ts';
import { EndedKey } from './endedKey.ts';
import { readPage, type Page, type PageArgs } from './pagination.ts';
import type { TenantScope } from './tenantScope.ts';
import type { Service, Stored, Writing } from './service.ts';
import { findTenant, requireTenant, createOperatorOrigin, transact } from './tenants.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** An API key without its secret. */
export type KeyRecord = Omit<Row<'apiKeys'>, 'secretHash'>;

interface IssuedKey {
  key: KeyRecord;
  /** The whole key, `prn_{tenant}_{id}_{secret}` or `prn_pk_{tenant}_{id}_{secret}`: shown only once, stored only as a hash. */
  apiKey: string;
}

// Every process refuses a revoked key within this time.
const trustedMs = 500;
const maxCachedKeys = 10_000;
const usePrecisionMs = 60 * 60 * 1000;
const keyIdLength = 12;
const secretLength = 40;
// No alias contains `_`, so a secret key of a tenant `pk` has one part less than a publishable key.
const keyForm = /^prn_(pk_)?([a-z0-9-]{1,63})_([0-9a-z]{12})_([0-9a-z]{40})$/;

/**
 * The secret has 200 random bits, so one round of SHA-256 suffices: it cannot be guessed. That of a publishable key is hashed
 * with its kind, so that a release without kinds does not accept it as that of a secret key.
 */
const hashSecret = (secret: string, kind: KeyRecord['kind']) =>
  hash('sha256', kind === null ? secret : `${kind} ${secret}`);

const toKeyRecord = ({ secretHash: _, ...key }: Row<'apiKeys'>): KeyRecord => key;

interface NewKey {
  name?: string | null;
  scope?: Scope;
  expiresAt?: string | null;
  kind?: KeyRecord['kind'];
}

const keyInput = z
  .object({
    name: name.nullish(),
    scope: z.enum(['read', 'write']).nullish(),
    expiresAt: z.string().nullish(),
    kind: z
      .enum(['secret', 'publishable'])
      .nullish()
      .transform((kind) => (kind === 'publishable' ? kind : null)),
  })
  .transform(({ scope, kind, ...key }, context) => {
    const message =
      kind === null ? 'must be given for a secret key' : 'must not be given for a publishable key';
    if ((kind === null) !== (scope != null)) context.addIssue({ code: 'custom', path: ['scope'], message });
    return { ...key, kind, scope: scope ?? ('read' as const) };
  });

/** Returns the part of a key that is no secret, by which people recognize it in their settings. */
export const formatKeyPrefix = ({
  kind,
  tenantAlias,
  id,
}: Pick<KeyRecord, 'kind' | 'tenantAlias' | 'id'>): string =>
  `prn_${kind === null ? '' : 'pk_'}${tenantAlias}_${id}_`;

/** Adds a key to the tenant of the unit. The record that it returns contains neither the key nor its hash. */
async function addKey(
  unit: UnitOfWork,
  { name: label, scope, expiresAt, kind = null }: NewKey,
): Promise<IssuedKey> {
  const { ids } = unit;
  const secret = ids.secret(secretLength);
  const key = await unit.create('apiKeys', {
    id: ids.secret(keyIdLength),
    secretHash: hashSecret(secret, kind),
    scope: scope ?? 'write',
    createdAt: unit.now,
    expiresAt,
    name: label,
    kind,
  });
  return { key: toKeyRecord(key), apiKey: formatKeyPrefix(key) + secret };
}

/**
 * Issues an API key for a tenant; `expiresAt` is an ISO 8601 instant. Error: `validation_failed` for an unknown tenant.
 */
export async function createKey(service: Writing, input: NewKey & { tenant: string }): Promise<IssuedKey> {
  await requireTenant(service, input.tenant);
  return transact(service, input.tenant, createOperatorOrigin(service), (unit) => addKey(unit, input));
}

/**
 * Issues a key for an operator; passes it to `show` alone, because a repeat of the request gets the returned record.
 * Error: `validation_failed`, also for an expiry that is not in the future.
 */
export async function issueKey(
  tenant: TenantScope,
  input: unknown,
  show: (key: KeyRecord, apiKey: string) => void,
): Promise<KeyRecord> {
  const given = parseInput(keyInput, input);
  // Keys expire by the service's clock.
  if (given.expiresAt && given.expiresAt <= tenant.serviceNow())
    refuse('validation_failed', { path: 'expiresAt', ...notInFuture });
  tenant.withholdResponse();
  return tenant.write(async (unit) => {
    const { key, apiKey } = await addKey(unit, given);
    show(key, apiKey);
    return key;
  });
}

/** Lists the tenant's keys by when they were created. Errors: `validation_failed`, `cursor_invalid`. */
export const listTenantKeys = (tenant: TenantScope, page: PageArgs): Promise<Page<Row<'apiKeys'>>> =>
  readPage(
    tenant,
    { name: 'apiKeys', table: 'apiKeys', where: {}, by: ['createdAt', 'id'], leaveOut: ['secretHash'] },
    page,
  );

/** Revokes a key of the tenant; revoking it again changes nothing. Error: `api_key_not_found`. */
export async function revokeTenantKey(unit: UnitOfWork, id: string): Promise<KeyRecord> {
  const key = (await unit.one('apiKeys', { id })) ?? refuse('api_key_not_found');
  return toKeyRecord(await endKey(unit, key));
}

const endKey = (unit: UnitOfWork, key: Row<'apiKeys'>): MaybePromise<Row<'apiKeys'>> =>
  key.revokedAt ? key : unit.change('apiKeys', key, { revokedAt: unit.now }, { action: 'revoked' });

/**
 * Returns the keys of one tenant, or of all tenants, oldest first. Error: `validation_failed` for an unknown tenant.
 */
export async function listKeys(service: Stored, tenant?: string): Promise<KeyRecord[]> {
  if (tenant) await requireTenant(service, tenant);
  const keys = await service.store.fresh.select('apiKeys', {
    where: tenant ? { tenantAlias: tenant } : {},
    orderBy: ['tenantAlias', 'createdAt', 'id'],
  });
  return keys.map(toKeyRecord);
}

/** Revokes a key at once; revoking it again changes nothing. Error: `validation_failed` for an unknown key. */
export async function revokeKey(service: Writing, id: string): Promise<KeyRecord> {
  const key = await findKey(service, id);
  return transact(service, key.tenantAlias, createOperatorOrigin(service), async (unit) =>
    toKeyRecord(await endKey(unit, key)),
  );
}

/**
 * Issues a new key with the same tenant, kind, scope and expiry; the old key remains valid for `overlapMs`, so that clients
 * can switch. Error: `validation_failed` for an unknown or revoked key.
 */
export async function rotateKey(service: Writing, id: string, overlapMs: number): Promise<IssuedKey> {
  const key = await findKey(service, id);
  if (key.revokedAt) refuse('validation_failed', { path: 'id', message: 'the key is revoked' });
  const issued = await createKey(service, {
    tenant: key.tenantAlias,
    name: key.name,
    scope: key.scope,
    expiresAt: key.expiresAt,
    kind: key.kind,
  });
  await transact(service, key.tenantAlias, createOperatorOrigin(service), async (unit) => {
    const end = toInstant(service.clock.nowMs() + overlapMs);
    const expiresAt = key.expiresAt && key.expiresAt < end ? key.expiresAt : end;
    await unit.change('apiKeys', key, { expiresAt }, { action: 'rotated' });
  });
  return issued;
}

async function findKey(service: Stored, id: string): Promise<Row<'apiKeys'>> {
  const [key] = await service.store.fresh.select('apiKeys', { where: { id }, limit: 1 });
  return key ?? refuse('validation_failed', { path: 'id', message: `there is no key ${redactKeys(id)}` });
}

/** What the keys of requests are verified with. */
type Authenticating = Pick<Service, 'store' | 'clock' | 'apiKeyCache' | 'apiKeyUses'>;

/**
 * Returns the principal of the key in a request's header, or of the token of a customer's session. A key verified within
 * the last half second is accepted from the cache, without a hash or a query of the key. Errors: `api_key_missing`, `api_key_invalid`.
 */
export function authenticate(service: Authenticating, header: string | undefined): MaybePromise<Principal> {
  if (!header) throw new BillingError('api_key_missing');
  const nowMs = service.clock.nowMs();
  const known = service.apiKeyCache.get(header);
  const isWarm =
    known !== undefined &&
    performance.now() - known.checkedAtMonotonicMs < trustedMs &&
    nowMs < known.expiresMs;
  if (!isWarm) return verify(service, header, nowMs);
  const { principal } = known;
  return principal.tenant.clockAt === null ? principal : renewTenant(service, principal);
}

/** Reads the record of a tenant with a test clock again, because it contains the current time. */
async function renewTenant(service: Authenticating, principal: Principal): Promise<Principal> {
  const tenant = (await findTenant(service, principal.tenant.alias)) ?? refuse('api_key_invalid');
  return { ...principal, tenant };
}

async function verify(service: Authenticating, header: string, nowMs: number): Promise<Principal> {
  // Taken before the row is read, so that a later revocation takes effect within `trustedMs`.
  const checkedAtMonotonicMs = performance.now();
  const aliasOfSession = readSessionAlias(header);
  const { principal, expiresMs } =
    aliasOfSession === undefined
      ? await verifyKey(service, header, nowMs)
      : await verifySession(service, header, aliasOfSession, nowMs);
  remember(service.apiKeyCache, header, { principal, checkedAtMonotonicMs, expiresMs });
  return principal;
}

async function verifyKey(
  service: Authenticating,
  header: string,
  nowMs: number,
): Promise<Pick<KnownKey, 'principal' | 'expiresMs'>> {
  const [, prefix, alias, id, secret] = keyForm.exec(header) ?? refuse('api_key_invalid');
  const { fresh } = service.store;
  const [key] = await fresh.select('apiKeys', { where: { tenantAlias: alias!, id: id! }, limit: 1 });
  const isPublishable = prefix !== undefined;
  if (!key || (key.kind !== null) !== isPublishable || !isSecretValid(key, secret!))
    return refuse('api_key_invalid');
  // Keys expire by the service's clock, because a test tenant's clock may be stopped.
  const expiresMs = key.expiresAt ? Date.parse(key.expiresAt) : Number.POSITIVE_INFINITY;
  const hasEnded = key.revokedAt !== null || expiresMs <= nowMs;
  if (hasEnded && !isPublishable) refuse('api_key_invalid');
  const tenant = (await findTenant(service, alias!)) ?? refuse('api_key_invalid');
  if (hasEnded) throw new EndedKey(tenant);
  noteUse(service, key);
  const audience = key.kind ?? undefined;
  return { principal: { tenant, keyId: key.id, scope: key.scope, audience }, expiresMs };
}

/** Notes that a key is in use, for `recordKeyUses`; no write delays the request. */
function noteUse(
  { apiKeyUses, clock }: Authenticating,
  { tenantAlias, id, lastUsedAt }: Row<'apiKeys'>,
): void {
  const nowMs = clock.nowMs();
  if (lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < usePrecisionMs) return;
  const uses = apiKeyUses.get(tenantAlias) ?? new Map<string, string>();
  apiKeyUses.set(tenantAlias, uses.set(id, toInstant(nowMs)));
}

/** Writes when the tenant's keys were used; once an hour for each key. */
export async function recordKeyUses(
  service: Writing & Pick<Service, 'apiKeyUses'>,
  alias: string,
): Promise<void> {
  const uses = service.apiKeyUses.get(alias);
  if (!uses) return;
  service.apiKeyUses.delete(alias);
  await transact(service, alias, createOperatorOrigin(service), async (unit) => {
    for (const [id, lastUsedAt] of uses) {
      const key = await unit.one('apiKeys', { id });
      if (key) await unit.change('apiKeys', key, { lastUsedAt });
    }
  });
}

function remember(cache: ApiKeyCache, header: string, known: KnownKey): void {
  if (cache.size >= maxCachedKeys) cache.clear();
  cache.set(header, known);
}

function isSecretValid(key: Row<'apiKeys'>, secret: string): boolean {
  return timingSafeEqual(
    Buffer.from(key.secretHash, 'hex'),
    Buffer.from(hashSecret(secret, key.kind), 'hex'),
  );
}
