import { count, instant, json, nullable, table, text } from './columns.ts';
import { byTenant, tenantKey, type CustomerAction, type PortalFlow } from './common.ts';

/** How customers sign in to the portal. Tokens and codes are stored hashed. */
export const portal = {
  portalSessions: table(
    'portal_sessions',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      /** The hash of the token in the one-use link; null for a session begun by a code. */
      linkHash: nullable(text()),
      linkExpiresAt: nullable(instant()),
      linkUsedAt: nullable(instant()),
      /** The hash of the token in the cookie; null until the link is used. */
      sessionHash: nullable(text()),
      /** When the session ends, used or not. */
      expiresAt: instant(),
      revokedAt: nullable(instant()),
      /** The page that the link opens; null for the overview. */
      flow: nullable(json<PortalFlow>()),
      returnUrl: nullable(text()),
      createdAt: instant(),
      /** The permissions of who made the link, without which its session does less; null for all. */
      permissions: nullable(json<string[]>()),
    },
    {
      ...byTenant,
      indexes: {
        portal_sessions_link: {
          columns: ['tenantAlias', 'linkHash'],
          unique: true,
          where: { linkHash: { isSet: true } },
        },
        portal_sessions_session: {
          columns: ['tenantAlias', 'sessionHash'],
          unique: true,
          where: { sessionHash: { isSet: true } },
        },
        portal_sessions_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        portal_sessions_expiry: { columns: ['tenantAlias', 'expiresAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // Sessions of customers in pages of the tenant, which call GraphQL with their token.
  customerSessions: table(
    'customer_sessions',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      tokenHash: text(),
      /** What it may do besides reading. */
      allow: json<CustomerAction[]>(),
      expiresAt: instant(),
      revokedAt: nullable(instant()),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        customer_sessions_token: { columns: ['tenantAlias', 'tokenHash'], unique: true },
        customer_sessions_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        customer_sessions_expiry: { columns: ['tenantAlias', 'expiresAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  // Codes sent by mail. An address without a customer has one as well, so that both cases look alike.
  portalCodes: table(
    'portal_codes',
    {
      tenantAlias: text(),
      id: text(),
      /** The hash of the address that asked for it. */
      emailHash: text(),
      codeHash: text(),
      attempts: count(),
      usedAt: nullable(instant()),
      expiresAt: instant(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        portal_codes_email: { columns: ['tenantAlias', 'emailHash', 'createdAt', 'id'] },
        portal_codes_expiry: { columns: ['tenantAlias', 'expiresAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),
};
