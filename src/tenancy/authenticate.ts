import { timingSafeEqual } from 'node:crypto';
import { BillingError, refuse } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { toInstant } from '../lib/time.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { ApiKeyCache, KeyLimits, KeyUse, KnownKey, Principal } from './apiKeyCache.ts';
import { hashSecret } from './apiKeys.ts';
import { readSessionAlias, verifySession } from './customerSessions.ts';
import { EndedKey } from './endedKey.ts';
import { isWithin } from './keyLimits.ts';
import type { Permission } from './permissions.ts';
import type { Service } from './service.ts';
import { findTenant } from './tenants.ts';

// Every process refuses a revoked key within this time.
const trustedMs = 500;
const maxCachedKeys = 10_000;
const usePrecisionMs = 60 * 60 * 1000;
// No alias contains `_`, so a secret key of a tenant `pk` has one part less than a publishable key.
const keyForm = /^prn_(pk_)?([a-z0-9-]{1,63})_([0-9a-z]{12})_([0-9a-z]{40})$/;

/** Whether a text has the form of a secret key: not that of a publishable key, nor of the token of a customer's session. */
export function hasSecretKeyForm(text: string): boolean {
  const parts = keyForm.exec(text);
  return parts !== null && parts[1] === undefined;
}

/** What the keys of requests are verified with. */
type Authenticating = Pick<Service, 'store' | 'clock' | 'apiKeyCache' | 'apiKeyUses'>;

/**
 * Returns the principal of the key in a request's header, or of the token of a customer's session. A key verified within
 * the last half second is accepted from the cache, without a hash or a query of the key. `address`: the IP address of the
 * client. Errors: `api_key_missing`, `api_key_invalid`, `address_not_allowed`.
 */
export function authenticate(
  service: Authenticating,
  header: string | undefined,
  address: string,
): MaybePromise<Principal> {
  if (!header) throw new BillingError('api_key_missing');
  const nowMs = service.clock.nowMs();
  const known = service.apiKeyCache.get(header);
  const isWarm =
    known !== undefined &&
    performance.now() - known.checkedAtMonotonicMs < trustedMs &&
    nowMs < known.expiresMs;
  if (!isWarm) return verify(service, header, address, nowMs);
  const { principal } = known;
  requireAllowedAddress(known, address);
  return principal.tenant.clockAt === null ? principal : renewTenant(service, principal);
}

/** Reads the record of a tenant with a test clock again, because it contains the current time. */
async function renewTenant(service: Authenticating, principal: Principal): Promise<Principal> {
  const tenant = (await findTenant(service, principal.tenant.alias)) ?? refuse('api_key_invalid');
  return { ...principal, tenant };
}

async function verify(
  service: Authenticating,
  header: string,
  address: string,
  nowMs: number,
): Promise<Principal> {
  // Taken before the row is read, so that a later revocation takes effect within `trustedMs`.
  const checkedAtMonotonicMs = performance.now();
  const aliasOfSession = readSessionAlias(header);
  if (aliasOfSession !== undefined) {
    const session = await verifySession(service, header, aliasOfSession, nowMs);
    remember(service.apiKeyCache, header, { ...session, checkedAtMonotonicMs, ipAllowlist: null });
    return session.principal;
  }
  const { key, principal, expiresMs } = await verifyKey(service, header, nowMs);
  const { ipAllowlist } = key;
  const known = { principal, checkedAtMonotonicMs, expiresMs, ipAllowlist };
  remember(service.apiKeyCache, header, known);
  requireAllowedAddress(known, address);
  noteUse(service, key, address);
  return principal;
}

/** Refuses a key that is used from an address where it must not be. Error: `address_not_allowed`. */
function requireAllowedAddress({ ipAllowlist, principal }: KnownKey, address: string): void {
  if (ipAllowlist === null || isWithin(ipAllowlist, address)) return;
  principal.limits?.noteRefusal({ address });
  refuse('address_not_allowed', { path: 'api-key', message: 'is not accepted from this address' });
}

async function verifyKey(
  service: Authenticating,
  header: string,
  nowMs: number,
): Promise<Pick<KnownKey, 'principal' | 'expiresMs'> & { key: Row<'apiKeys'> }> {
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
  const principal = { tenant, keyId: key.id, scope: key.scope, ...describeRights(service, key) };
  return { key, principal, expiresMs };
}

/** What the principal of a key says of its kind and its limits. */
function describeRights(
  service: Authenticating,
  key: Row<'apiKeys'>,
): Pick<Principal, 'audience' | 'limits'> {
  if (key.kind !== null) return { audience: key.kind };
  const permissions = (key.permissions as Permission[] | null) ?? undefined;
  const noteRefusal: KeyLimits['noteRefusal'] = (refused) =>
    note(service, key, { lastRefusal: { at: toInstant(service.clock.nowMs()), ...refused } });
  return { limits: { permissions, noteRefusal } };
}

/** Notes that a key is in use, for `recordKeyUses`; no write delays the request. */
function noteUse(service: Authenticating, key: Row<'apiKeys'>, address: string): void {
  const nowMs = service.clock.nowMs();
  if (key.lastUsedAt !== null && nowMs - Date.parse(key.lastUsedAt) < usePrecisionMs) return;
  note(service, key, { lastUsedAt: toInstant(nowMs), lastUsedFrom: address });
}

function note({ apiKeyUses }: Authenticating, { tenantAlias, id }: Row<'apiKeys'>, use: KeyUse): void {
  const uses = apiKeyUses.get(tenantAlias) ?? new Map<string, KeyUse>();
  apiKeyUses.set(tenantAlias, uses.set(id, { ...uses.get(id), ...use }));
}

function remember(cache: ApiKeyCache, header: string, known: KnownKey): void {
  if (cache.size >= maxCachedKeys) cache.clear();
  cache.set(header, known);
}

function isSecretValid(key: Row<'apiKeys'>, secret: string): boolean {
  return timingSafeEqual(Buffer.from(key.secretHash, 'hex'), Buffer.from(hashSecret(secret, key), 'hex'));
}
