import { hash } from 'node:crypto';
import * as z from 'zod';
import { notInFuture, refuse } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { redactKeys } from '../lib/redaction.ts';
import { toInstant } from '../lib/time.ts';
import { isGiven, name, parseInput } from '../lib/validation.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Scope } from './apiKeyCache.ts';
import { addressList, findScope, permissionList } from './keyLimits.ts';
import type { Permission } from './permissions.ts';
import { readPage, type Page, type PageArgs } from './pagination.ts';
import type { TenantScope } from './tenantScope.ts';
import type { Service, Stored, Writing } from './service.ts';
import { requireTenant, createOperatorOrigin, transact } from './tenants.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** An API key without its secret. */
export type KeyRecord = Omit<Row<'apiKeys'>, 'secretHash'>;

interface IssuedKey {
  key: KeyRecord;
  /** The whole key, `prn_{tenant}_{id}_{secret}` or `prn_pk_{tenant}_{id}_{secret}`: shown only once, stored only as a hash. */
  apiKey: string;
}

const keyIdLength = 12;
const secretLength = 40;

/**
 * The secret has 200 random bits, so one round of SHA-256 suffices: it cannot be guessed. That of a publishable or limited key
 * is hashed with a word, so that an earlier release does not accept it as that of a secret key without limits.
 */
export function hashSecret(
  secret: string,
  key: Pick<KeyRecord, 'kind' | 'permissions' | 'ipAllowlist'>,
): string {
  const isLimited = key.permissions !== null || key.ipAllowlist !== null;
  const word = key.kind ?? (isLimited ? 'limited' : null);
  return hash('sha256', word === null ? secret : `${word} ${secret}`);
}

const toKeyRecord = ({ secretHash: _, ...key }: Row<'apiKeys'>): KeyRecord => key;

interface NewKey {
  name?: string | null;
  scope?: Scope;
  expiresAt?: string | null;
  kind?: KeyRecord['kind'];
  permissions?: Permission[] | null;
  ipAllowlist?: string[] | null;
}

const keyInput = z
  .object({
    name: name.nullish(),
    scope: z.enum(['read', 'write']).nullish(),
    permissions: permissionList.nullish(),
    ipAllowlist: addressList.nullish(),
    expiresAt: z.string().nullish(),
    kind: z
      .enum(['secret', 'publishable'])
      .nullish()
      .transform((kind) => (kind === 'publishable' ? kind : null)),
  })
  .transform(({ scope, ...key }, context) => {
    const { kind, permissions } = key;
    const complain = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (kind === null && scope == null && permissions == null)
      complain('scope', 'must be given for a secret key, unless it has permissions');
    if (scope != null && permissions != null) complain('permissions', 'must not be given with a scope');
    for (const path of ['scope', 'permissions', 'ipAllowlist'] as const)
      if (kind !== null && isGiven(path === 'scope' ? scope : key[path]))
        complain(path, 'must not be given for a publishable key');
    return { ...key, scope: scope ?? ('read' as const) };
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
  { name: label, scope, expiresAt, kind = null, permissions = null, ipAllowlist = null }: NewKey,
): Promise<IssuedKey> {
  const { ids } = unit;
  const secret = ids.secret(secretLength);
  const key = await unit.create('apiKeys', {
    id: ids.secret(keyIdLength),
    secretHash: hashSecret(secret, { kind, permissions, ipAllowlist }),
    scope: permissions === null ? (scope ?? 'write') : findScope(permissions),
    createdAt: unit.now,
    expiresAt,
    name: label,
    kind,
    permissions,
    ipAllowlist,
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
 * Issues a new key with the same tenant, kind, rights and expiry; the old key remains valid for `overlapMs`, so that clients
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
    permissions: key.permissions as Permission[] | null,
    ipAllowlist: key.ipAllowlist,
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

/** Writes when and from where the tenant's keys were used and refused. */
export async function recordKeyUses(
  service: Writing & Pick<Service, 'apiKeyUses'>,
  alias: string,
): Promise<void> {
  const uses = service.apiKeyUses.get(alias);
  if (!uses) return;
  service.apiKeyUses.delete(alias);
  await transact(service, alias, createOperatorOrigin(service), async (unit) => {
    for (const [id, use] of uses) {
      const key = await unit.one('apiKeys', { id });
      if (key) await unit.change('apiKeys', key, use);
    }
  });
}
