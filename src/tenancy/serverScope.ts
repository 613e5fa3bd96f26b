import { refuse } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Prefix } from '../lib/ids.ts';
import { toInstant } from '../lib/time.ts';
import { createToken } from '../lib/tokens.ts';
import type { PasswordHasher } from '../lib/passwords.ts';
import type { Queries, Match, Selection } from '../storage/query/queries.ts';
import { completeRow } from '../storage/query/tableMeta.ts';
import type { SavedView } from '../storage/model/common.ts';
import type { NewRow, Row, ServerTable } from '../storage/model/rowTypes.ts';
import { deleteTenant } from './deleteTenant.ts';
import type { Service, Writing } from './service.ts';
import { createTenant, transact, type NewTenant } from './tenants.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** Reads of the server's own tables, inside and outside of a unit of work. */
export class ServerReads {
  constructor(protected readonly queries: Queries) {}

  /** Returns the rows that match, in order. */
  many<Name extends ServerTable>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    return this.queries.select(name, selection);
  }

  /** Returns the one row that matches, or undefined. */
  async one<Name extends ServerTable>(name: Name, where: Match<Name>): Promise<Row<Name> | undefined> {
    const [row] = await this.queries.select(name, { where, limit: 1 });
    return row;
  }
}

/** What the server's own records are read and written with. */
export type ServerParts = Writing & Pick<Service, 'randomBytes' | 'secretBox' | 'passwords'>;

/** One unit of work on the server's own tables: its `now`, its ids, its reads and writes. */
export class ServerUnit extends ServerReads {
  constructor(
    queries: Queries,
    /** The service's time, an ISO 8601 instant. */
    readonly now: string,
    private readonly service: ServerParts,
  ) {
    super(queries);
  }

  /** Returns a new id. */
  id(prefix: Prefix): string {
    return this.service.ids.next(prefix);
  }

  /** Returns a new token of 256 random bits. */
  token(): string {
    return createToken(this.service.randomBytes);
  }

  /** Returns characters of Crockford base 32, with five random bits each. */
  secret(length: number): string {
    return this.service.ids.secret(length);
  }

  /** Inserts a row and returns it. */
  async insert<Name extends ServerTable>(name: Name, values: NewRow<Name>): Promise<Row<Name>> {
    const row = completeRow(name, values);
    await this.queries.insert(name, row);
    return row;
  }

  /** Updates the rows that match; returns their number. */
  update<Name extends ServerTable>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): MaybePromise<number> {
    return this.queries.update(name, where, changes);
  }

  /** Deletes the rows that match; returns their number. */
  remove<Name extends ServerTable>(name: Name, where: Match<Name>): MaybePromise<number> {
    return this.queries.remove(name, where);
  }
}

/** A tenant that an operator works for. */
export interface Membership {
  membership: Row<'operatorMemberships'>;
  tenant: Row<'tenants'>;
}

/** The name under which secrets of an operator are encrypted; no tenant has it. */
export const nameSecretOwner = (operatorId: string): string => `operator:${operatorId}`;

/** The server's own records: operators and their sessions. Its types admit no table of a tenant. */
export class ServerScope {
  constructor(private readonly service: ServerParts) {}

  /** Reads of the latest committed data. */
  get read(): ServerReads {
    return new ServerReads(this.service.store.fresh);
  }

  /** Runs one unit of work; resolves when it is durable. All units run one after another. */
  write<T>(rule: (unit: ServerUnit) => MaybePromise<T>): Promise<T> {
    const { service } = this;
    return service.store.transactServer((queries) => rule(new ServerUnit(queries, this.now(), service)));
  }

  /** Returns the service's time, an ISO 8601 instant. */
  now(): string {
    return toInstant(this.service.clock.nowMs());
  }

  /** Returns random bytes. */
  randomBytes(length: number): Uint8Array {
    return this.service.randomBytes(length);
  }

  /** Hashes the passwords of operators. */
  get passwords(): PasswordHasher {
    return this.service.passwords;
  }

  /** Encrypts a secret of an operator for the database. */
  seal(secret: string, operatorId: string): string {
    return this.service.secretBox.seal(secret, nameSecretOwner(operatorId));
  }

  /** Decrypts a secret of an operator. */
  open(sealed: string, operatorId: string): string {
    return this.service.secretBox.open(sealed, nameSecretOwner(operatorId));
  }

  /** Returns the tenants that an operator works for, sorted by alias. */
  async listMemberships(operatorId: string): Promise<Membership[]> {
    const { fresh } = this.service.store;
    const memberships = await fresh.select('operatorMemberships', {
      where: { id: operatorId },
      orderBy: ['tenantAlias'],
    });
    const aliases = memberships.map(({ tenantAlias }) => tenantAlias);
    const tenants = await fresh.select('tenants', { where: { alias: aliases }, orderBy: ['alias'] });
    const byAlias = new Map(tenants.map((tenant) => [tenant.alias, tenant]));
    // A tenant may have been deleted between the two reads.
    return memberships.flatMap((membership) => {
      const tenant = byAlias.get(membership.tenantAlias);
      return tenant ? [{ membership, tenant }] : [];
    });
  }

  /** Returns a tenant and the operator's membership; undefined if there is no tenant or membership. */
  async findMembership(operatorId: string, tenantAlias: string): Promise<Membership | undefined> {
    const { fresh } = this.service.store;
    const [[membership], [tenant]] = await Promise.all([
      fresh.select('operatorMemberships', { where: { tenantAlias, id: operatorId }, limit: 1 }),
      fresh.select('tenants', { where: { alias: tenantAlias }, limit: 1 }),
    ]);
    return membership && tenant && { membership, tenant };
  }

  /** Changes the views that an operator has saved in a tenant. Without a trace: they concern nobody else. Error: `tenant_mismatch`. */
  async changeViews(
    operatorId: string,
    tenantAlias: string,
    change: (views: SavedView[]) => SavedView[],
  ): Promise<void> {
    const origin = { traceId: this.service.ids.traceId(), executorId: nameSecretOwner(operatorId) };
    await transact(this.service, tenantAlias, origin, async (unit) => {
      const membership = await unit.one('operatorMemberships', { id: operatorId });
      if (!membership) return refuse('tenant_mismatch');
      return unit.changeViews(operatorId, change(membership.views ?? []));
    });
  }

  /** Creates a tenant, with its first records in the same unit. Error: `validation_failed`. */
  createTenant(
    input: NewTenant,
    executorId: string,
    begin: (unit: UnitOfWork) => MaybePromise<unknown>,
  ): Promise<Row<'tenants'>> {
    const origin = { traceId: this.service.ids.traceId(), executorId };
    return createTenant(this.service, input, origin, begin);
  }

  /** Deletes a tenant with all of its records. */
  deleteTenant(alias: string): Promise<void> {
    return deleteTenant(this.service, alias, this.now());
  }
}
