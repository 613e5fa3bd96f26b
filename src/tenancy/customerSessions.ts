/** The tokens of customers' sessions: how they are made, and who sends one. */
import { refuse } from '../lib/errors.ts';
import type { Ids } from '../lib/ids.ts';
import { hashToken } from '../lib/tokens.ts';
import type { Principal } from './apiKeyCache.ts';
import { EndedKey } from './endedKey.ts';
import type { Service } from './service.ts';
import { findTenant } from './tenants.ts';

const nameLength = 12;
const secretLength = 40;
const tokenForm = /^prn_cs_([a-z0-9-]{1,63})_[0-9a-z]{12}_[0-9a-z]{40}$/;

/** The executor that traces record for a customer. */
export const nameCustomerExecutor = (customerId: string): string => `customer:${customerId}`;

/** Creates the token of a session of a tenant, `prn_cs_{tenant}_{12}_{40}`, with 260 random bits. */
export const createSessionToken = (ids: Pick<Ids, 'secret'>, tenantAlias: string): string =>
  `prn_cs_${tenantAlias}_${ids.secret(nameLength)}_${ids.secret(secretLength)}`;

/** Returns the alias of the tenant in the token of a session; undefined for another text. */
export const readSessionAlias = (text: string): string | undefined => tokenForm.exec(text)?.[1];

/**
 * Returns the principal of a session's token, and when it ends. A session ends with its customer. Sessions expire by the service's
 * clock. Error: `api_key_invalid`.
 */
export async function verifySession(
  service: Pick<Service, 'store'>,
  token: string,
  tenantAlias: string,
  nowMs: number,
): Promise<{ principal: Principal; expiresMs: number }> {
  const { fresh } = service.store;
  const where = { tenantAlias, tokenHash: hashToken(token) };
  const [session] = await fresh.select('customerSessions', { where, limit: 1 });
  if (!session) return refuse('api_key_invalid');
  const tenant = (await findTenant(service, tenantAlias)) ?? refuse('api_key_invalid');
  const { id, customerId, allow, expiresAt } = session;
  const expiresMs = Date.parse(expiresAt);
  const [customer] = await fresh.select('customers', { where: { tenantAlias, id: customerId }, limit: 1 });
  if (session.revokedAt !== null || expiresMs <= nowMs || !customer) throw new EndedKey(tenant);
  const principal: Principal = {
    tenant,
    keyId: id,
    scope: 'write',
    audience: 'customer',
    session: { id, customerId, allow, expiresAt },
  };
  return { principal, expiresMs };
}
