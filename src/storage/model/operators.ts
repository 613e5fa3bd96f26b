import { boolean, count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, timestamps, type JsonObject, type SavedView } from './common.ts';

export type OperatorRole = 'owner' | 'admin' | 'finance' | 'support' | 'viewer';

const byId = { primary: ['id' as const] };
const operatorKey = [{ columns: ['operatorId' as const], table: 'operators' }];

/**
 * The people who use the console. They belong to the server, so these tables have no tenant. Tokens and codes are stored
 * hashed.
 */
export const operating = {
  operators: table(
    'operators',
    {
      id: text(),
      /** In lower case. */
      email: text(),
      name: nullable(text()),
      /** The parameters, the salt and the hash of the password. */
      passwordHash: nullable(text()),
      /** The secret of the authenticator app, sealed. */
      totpSecret: nullable(text()),
      /** A secret that is not confirmed by a code yet, sealed. */
      pendingTotpSecret: nullable(text()),
      /** The last time step whose code was accepted: a code is accepted once. */
      totpStep: nullable(count()),
      /** The hashes of the unused recovery codes. */
      recoveryCodes: nullable(json<string[]>()),
      /** When the server's administrator or an identity provider confirmed that the address is the operator's. */
      confirmedAt: nullable(instant()),
      /** The role in each tenant that is created later; null for operators of particular tenants. */
      roleInNewTenants: nullable(text<OperatorRole>()),
      ...timestamps,
    },
    { ...byId, indexes: { operators_email: { columns: ['email'], unique: true } } },
  ),

  // Links that sign in once.
  operatorLinks: table(
    'operator_links',
    {
      id: text(),
      operatorId: text(),
      tokenHash: text(),
      /** Whether the server's administrator made it, which confirms the address. */
      confirms: boolean(),
      expiresAt: instant(),
      usedAt: nullable(instant()),
      createdAt: instant(),
    },
    {
      ...byId,
      indexes: {
        operator_links_token: { columns: ['tokenHash'], unique: true },
        operator_links_operator: { columns: ['operatorId'] },
        operator_links_expiry: { columns: ['expiresAt', 'id'] },
      },
      foreign: operatorKey,
    },
  ),

  operatorSessions: table(
    'operator_sessions',
    {
      id: text(),
      operatorId: text(),
      tokenHash: text(),
      /** When the operator last proved who they are. */
      verifiedAt: instant(),
      lastSeenAt: instant(),
      /** When the session ends, used or not. */
      expiresAt: instant(),
      revokedAt: nullable(instant()),
      userAgent: nullable(text()),
      address: nullable(text()),
      /** Whether a link began it: such a session may set up the first credential. Null in sessions of earlier releases. */
      byLink: nullable(boolean()),
      createdAt: instant(),
    },
    {
      ...byId,
      indexes: {
        operator_sessions_token: { columns: ['tokenHash'], unique: true },
        operator_sessions_operator: { columns: ['operatorId', 'createdAt', 'id'] },
        operator_sessions_expiry: { columns: ['expiresAt', 'id'] },
      },
      foreign: operatorKey,
    },
  ),

  operatorPasskeys: table(
    'operator_passkeys',
    {
      id: text(),
      operatorId: text(),
      /** In base64url, as the browser reports it. */
      credentialId: text(),
      /** In base64url (COSE). */
      publicKey: text(),
      /** The signature counter; 0 for authenticators without one. */
      counter: count(),
      transports: json<string[]>(),
      isBackedUp: boolean(),
      name: text(),
      lastUsedAt: nullable(instant()),
      createdAt: instant(),
    },
    {
      ...byId,
      indexes: {
        operator_passkeys_credential: { columns: ['credentialId'], unique: true },
        operator_passkeys_operator: { columns: ['operatorId', 'createdAt', 'id'] },
      },
      foreign: operatorKey,
    },
  ),

  // Ceremonies under way: of a passkey, or of a sign-in at an identity provider. Each can be finished once.
  operatorChallenges: table(
    'operator_challenges',
    {
      id: text(),
      purpose: text<'register' | 'sign_in' | 'step_up' | 'oidc'>(),
      /** The operator who began it; null for a sign-in. */
      operatorId: nullable(text()),
      /** What the finish is compared with. */
      expected: json<JsonObject>(),
      expiresAt: instant(),
      createdAt: instant(),
    },
    {
      ...byId,
      indexes: { operator_challenges_expiry: { columns: ['expiresAt', 'id'] } },
    },
  ),
};

/** What servers record for the commands beside them, which may not read the settings of the service. */
export const serving = {
  serverSettings: table(
    'server_settings',
    { id: text<'public_url'>(), value: text(), updatedAt: instant() },
    byId,
  ),
};

/** Which operators work for a tenant. Its rows belong to the tenant, and their changes are traced. */
export const memberships = {
  operatorMemberships: table(
    'operator_memberships',
    {
      tenantAlias: text(),
      /** The id of the operator. */
      id: text(),
      role: text<OperatorRole>(),
      ...timestamps,
      /** The views that the operator has saved of the lists of the console; null for none. */
      views: nullable(json<SavedView[]>()),
    },
    {
      ...byTenant,
      indexes: {
        operator_memberships_operator: { columns: ['id', 'tenantAlias'] },
        operator_memberships_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        operator_memberships_role: { columns: ['tenantAlias', 'role', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['id'], table: 'operators' }],
    },
  ),
};
