import { refuse } from '../errors.ts';
import type { Row } from '../db/schema.ts';
import { TenantReads } from '../db/store.ts';
import type { Principal } from './keys.ts';
import { nowOf, transact, type Books, type Service } from './tenants.ts';
import type { Origin, Unit } from './unit.ts';

/**
 * What a rule is handed: one tenant, and nothing of any other. Reads carry the tenant in every predicate,
 * writes go through the one gate.
 */
export interface Tenant extends Books {
  readonly alias: string;
  readonly record: Row<'tenants'>;
  /** The tenant's now, an ISO 8601 instant. */
  now(): string;
  /** Runs one rule as a unit of work; resolves when it is durable. Refuses a key that may only read. */
  write<T>(rule: (unit: Unit) => Promise<T>): Promise<T>;
}

/** The tenant that a request may act for. */
export function openTenant(service: Service, principal: Principal, origin: Origin): Tenant {
  const { tenant, scope } = principal;
  return {
    alias: tenant.alias,
    record: tenant,
    read: new TenantReads(service.store.committed, tenant.alias),
    payments: service.payments,
    now: () => nowOf(service, tenant),
    write: async (rule) => {
      if (scope !== 'write') refuse('insufficient_scope');
      return transact(service, tenant.alias, origin, rule);
    },
  };
}

/** Verifies the alias that a request names against its key's tenant (DESIGN: never trusted, may be left out). */
export function verifyAlias(tenant: Tenant, alias: string | null | undefined): void {
  if (alias !== null && alias !== undefined && alias !== tenant.alias) refuse('tenant_mismatch');
}
