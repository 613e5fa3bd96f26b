/** What a customer may do as a signed token, from which an application answers when this server does not. */
import { minuteMs, secondMs } from '../../lib/durations.ts';
import { refuse } from '../../lib/errors.ts';
import { toInstant } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listEntitlements } from './entitlements.ts';
import type { Entitlement } from './evaluate.ts';
import { findCustomerId, type CustomerRef } from './facts.ts';

const lifetimeSeconds = (5 * minuteMs) / secondMs;

/** The type in the header, so that no token for another purpose is taken for one of these (RFC 8725, section 3.11). */
const tokenType = 'entitlements+jwt';

// Loaded when the first token is asked for.
const loadLibrary = () => import('jose');

export interface EntitlementToken {
  /** A JSON Web Token, signed with EdDSA. */
  token: string;
  expiresAt: string;
}

/**
 * Signs what a customer may do with each feature, for five minutes by the clock of the server. Errors: `customer_not_found`,
 * `validation_failed`.
 */
export async function issueEntitlementToken(
  tenant: TenantScope,
  who: CustomerRef,
  issuer: string,
): Promise<EntitlementToken> {
  const issuedAt = Math.floor(Date.parse(tenant.serviceNow()) / secondMs);
  const key = tenant.findSigningKey();
  if (!key)
    return refuse('validation_failed', {
      path: 'customerId',
      message: 'has no token: the operator of the server must set PERENNIAL_SECRET_KEY',
    });
  const customerId = await findCustomerId(tenant.read, who);
  const entitlements = await listEntitlements(tenant, { customerId });
  const { SignJWT } = await loadLibrary();
  const token = await new SignJWT({ entitlements: Object.fromEntries(entitlements.map(buildClaim)) })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: tokenType })
    .setIssuer(issuer)
    .setAudience(tenant.alias)
    .setSubject(customerId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(key.privateKey);
  return { token, expiresAt: toInstant((issuedAt + lifetimeSeconds) * secondMs) };
}

const buildClaim = ({
  feature,
  customerId: _,
  alertPeriod: __,
  ...rest
}: Entitlement): [key: string, claim: object] => [feature.key, { kind: feature.kind, ...rest }];
