import { refuse } from '../errors.ts';
import type { Row } from '../db/schema.ts';
import { TenantReads } from '../db/store.ts';
import type { Providers } from '../payments/providers.ts';
import type { Principal } from './keys.ts';
import { nowOf, transact, type Service } from './tenants.ts';
import type { Origin, Unit } from './unit.ts';

/**
 * What a rule is handed: one tenant, and nothing of any other. Reads carry the tenant in every predicate,
 * writes go through the one gate.
 */
export interface Tenant {
  readonly alias: string;
  readonly record: Row<'tenants'>;
  readonly read: TenantReads;
  readonly payments: Providers;
  /** The tenant's now, an ISO 8601 instant. */
  now(): string;
  /** Runs one rule as a unit of work; resolves when it is durable. Refuses a key that may only read. */
  write<T>(rule: (unit: Unit) => Promise<T>): Promise<T>;
}

/** The tenant that a request may act for. */
export function openTenant(service: Service, { tenant, scope }: Principal, origin: Origin): Tenant {
  const opened = tenantFor(service, tenant, origin);
  if (scope === 'write') return opened;
  return { ...opened, write: async () => refuse('insufficient_scope') };
}

/** The tenant in the hands of the service itself, when something falls due. */
export function scheduledTenant(service: Service, tenant: Row<'tenants'>): Tenant {
  return tenantFor(service, tenant, { traceId: service.ids.traceId(), executorId: 'system:scheduler' });
}

function tenantFor(service: Service, tenant: Row<'tenants'>, origin: Origin): Tenant {
  return {
    alias: tenant.alias,
    record: tenant,
    read: new TenantReads(service.store.committed, tenant.alias),
    payments: service.payments,
    now: () => nowOf(service, tenant),
    write: (rule) => transact(service, tenant.alias, origin, rule),
  };
}

/** Verifies the alias that a request names against its key's tenant (DESIGN: never trusted, may be left out). */
export function verifyAlias(tenant: Tenant, alias: string | null | undefined): void {
  if (alias !== null && alias !== undefined && alias !== tenant.alias) refuse('tenant_mismatch');
}
