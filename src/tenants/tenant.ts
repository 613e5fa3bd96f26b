import { refuse } from '../errors.ts';
import type { Row } from '../db/schema.ts';
import type { Selection } from '../db/queries.ts';
import { TenantReads, type Claimable } from '../db/store.ts';
import type { Providers } from '../payments/providers.ts';
import type { Principal } from './keys.ts';
import { nowOf, transact, type Service } from './tenants.ts';
import type { Origin, Unit } from './unit.ts';

/**
 * What a rule is handed: one tenant, and nothing of any other. Reads carry the tenant in every predicate,
 * writes go through the one gate. Once it has written it reads what is newest, where a replica may lag.
 */
export class Tenant {
  /** How often it has written: what was read before may be otherwise now. */
  writes = 0;

  constructor(
    private readonly service: Service,
    readonly record: Row<'tenants'>,
    private readonly origin: Origin,
    private readonly mayWrite: boolean,
  ) {}

  get alias(): string {
    return this.record.alias;
  }

  get payments(): Providers {
    return this.service.payments;
  }

  get read(): TenantReads {
    const { fresh, committed } = this.service.store;
    return new TenantReads(this.writes > 0 ? fresh : committed, this.alias);
  }

  /** The tenant's now, an ISO 8601 instant. */
  now(): string {
    return nowOf(this.service, this.record);
  }

  /** Runs one rule as a unit of work; resolves when it is durable. Refuses a key that may only read. */
  async write<T>(rule: (unit: Unit) => Promise<T>): Promise<T> {
    if (!this.mayWrite) refuse('insufficient_scope');
    try {
      return await transact(this.service, this.alias, this.origin, rule);
    } finally {
      this.writes++;
    }
  }

  /** Rows of work to do, for this process alone for a while. The work of a test tenant is not shared out. */
  async claim<Name extends Claimable>(name: Name, selection: Selection<Name>): Promise<Row<Name>[]> {
    if (this.record.test) return this.read.many(name, selection);
    return this.service.store.claim(this.alias, name, selection);
  }
}

/** The tenant that a request may act for. */
export function openTenant(service: Service, { tenant, scope }: Principal, origin: Origin): Tenant {
  return new Tenant(service, tenant, origin, scope === 'write');
}

/** The tenant in the hands of the service itself, when something falls due. */
export function scheduledTenant(service: Service, tenant: Row<'tenants'>): Tenant {
  const origin = { traceId: service.ids.traceId(), executorId: 'system:scheduler' };
  return new Tenant(service, tenant, origin, true);
}

/** Verifies the alias that a request names against its key's tenant (DESIGN: never trusted, may be left out). */
export function verifyAlias(tenant: Tenant, alias: string | null | undefined): void {
  if (alias !== null && alias !== undefined && alias !== tenant.alias) refuse('tenant_mismatch');
}
