import 'reflect-metadata';
import DataLoader from 'dataloader';
import type { OperationTypeNode } from 'graphql';
import { nameLeftOut } from '../storage/query/columnSets.ts';
import type { Match } from '../storage/query/queries.ts';
import { tableDeclarations, type Row, type TenantTable } from '../storage/model/rowTypes.ts';
import { refuse } from '../lib/errors.ts';
import type { ConsoleClient } from '../tenancy/actor.ts';
import type { Audience, CustomerSession, KeyLimits } from '../tenancy/apiKeyCache.ts';
import { keyPermissions, permissionsByRole, type Permission } from '../tenancy/permissions.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { PointBudget } from '../lib/pointBudget.ts';
import type { Cost } from './rules/cost.ts';

// Databases limit the number of parameters of a statement.
const maxBatchSize = 1000;

// Records refer to each other in cycles (group, products, group): a small result could be repeated without end.
const repeatedRecordsLimit = 20_000;
// Lists without pagination have no limit of their own, and the cost of an operation assumes ten records for each.
const listedRecordsLimit = 10_000;

/** Writes bigints as text, for `JSON.stringify`. */
export const writeBigint = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

type Loader = DataLoader<string, any>;

/** The GraphQL operation of a request, filled while it is processed. */
interface OperationInfo {
  /** For example `query customers`. */
  name?: string;
  kind?: OperationTypeNode;
  cost?: Cost;
  /** The points that are taken from the budget of the caller until the response is known. */
  reservedPoints?: number;
  /** Whether the response includes the cost. */
  reportsCost?: boolean;
}

/**
 * The context of a request's resolvers: the tenant, and data loaders that batch the look-ups of nested fields, so
 * that a list needs one query for each level.
 */
export class Context {
  /** Filled while the operation is processed. Apollo makes a shallow copy of the context, so this object is shared. */
  readonly operation: OperationInfo = {};
  /** Given if the response is a file: takes its bytes, which are encoded as text in other responses. */
  download?: { bytes?: Buffer };
  // Created on first use: most requests look up one record.
  private loaders: { writes: number; byName: Map<string, Loader> } | undefined;
  private lists: Map<string, Set<string>> | undefined;
  private found: Map<string, Promise<unknown>> | undefined;
  private repeatedRecords = 0;
  private listedRecords = 0;
  private listedLists = 0;

  constructor(
    private readonly tenantScope: TenantScope | undefined,
    /** The public base URL of this server, without a trailing slash. */
    readonly publicUrl: string,
    /** The client of a request of the console; undefined for an API key. */
    readonly client?: ConsoleClient,
    /** The caller's points for the cost of its operations; undefined where nothing is charged, as for webhooks. */
    readonly budget?: PointBudget,
    /** For whose sake an operation is executed that another one executes; undefined for a request's own. */
    readonly within?: 'preview' | 'approval',
  ) {}

  /** Whether the request has a tenant. Only requests of the console may have none. */
  get hasTenant(): boolean {
    return this.tenantScope !== undefined;
  }

  /** The tenant of the request. Errors: `sign_in_required`, `tenant_missing`. */
  get tenant(): TenantScope {
    if (this.tenantScope) return this.tenantScope;
    return refuse(this.client?.signedIn ? 'tenant_missing' : 'sign_in_required');
  }

  /** The kind of a browser's credential; undefined for the tenant's own programs and for operators. */
  get audience(): Audience | undefined {
    return this.tenantScope?.caller?.audience;
  }

  /** The session of a customer; undefined for all other callers. */
  get session(): CustomerSession | undefined {
    return this.tenantScope?.caller?.session;
  }

  /**
   * The caller's permissions in the tenant. Credentials of browsers have none. The service itself has none when it renders
   * the payload of a webhook, which everybody sees who may read.
   */
  get permissions(): readonly Permission[] {
    if (this.client) return this.client.role ? permissionsByRole[this.client.role] : [];
    const caller = this.tenantScope?.caller;
    return caller && !caller.audience ? (caller.limits?.permissions ?? keyPermissions[caller.scope]) : [];
  }

  /** The limits of a secret key; undefined for all other callers. */
  get limits(): KeyLimits | undefined {
    return this.tenantScope?.caller?.limits;
  }

  /** Returns a new context of the same request, without what this one has loaded. */
  renew(): Context {
    return new Context(this.tenantScope, this.publicUrl, this.client, this.budget);
  }

  /**
   * Returns a new context of the same caller for one operation in a supervised tenant: the `preview` of what was asked for needs
   * no permission, because nothing of it remains; an `approval` needs that of the operation.
   */
  openWithin(within: 'preview' | 'approval', tenant: TenantScope): Context {
    return new Context(tenant, this.publicUrl, this.client, this.budget, within);
  }

  /**
   * Returns the record with the id, or null, without the columns `leaveOut`. Look-ups of one event-loop turn share a query.
   */
  byId<Name extends TenantTable>(
    table: Name,
    id: string,
    leaveOut?: readonly (keyof Row<Name> & string)[],
  ): Promise<Row<Name> | null> {
    return this.getLoader(`${table} id ${nameLeftOut(table, leaveOut)}`, async (ids) => {
      const where = { id: ids } as unknown as Match<Name>;
      const rows = await this.tenant.read.many(table, { where, leaveOut });
      const found = new Map(rows.map((row) => [(row as { id: string }).id, row]));
      return ids.map((each) => found.get(each) ?? null);
    }).load(id);
  }

  /**
   * Returns the records whose `column` is `value`, in the order of their creation, without the columns `leaveOut`.
   * Look-ups of one event-loop turn share a query. Error: `validation_failed` if a response repeats more than 20,000
   * records, or lists more than 10,000 in several lists; a single list may be longer.
   */
  listBy<Name extends TenantTable>(
    table: Name,
    column: keyof Row<Name> & string,
    value: string,
    where?: Match<Name>,
    leaveOut?: readonly (keyof Row<Name> & string)[],
  ): Promise<Row<Name>[]> {
    const conditions = where ? JSON.stringify(where, writeBigint) : '';
    const name = `${table} ${column} ${nameLeftOut(table, leaveOut)} ${conditions}`;
    const loader = this.getLoader(name, async (values) => {
      this.listedLists += values.length;
      const isSingle = this.listedLists === 1;
      const rows = await this.tenant.read.many(table, {
        where: { ...where, [column]: values },
        leaveOut,
        limit: isSingle ? undefined : listedRecordsLimit + 1,
        // The order of the index on the column, which avoids a sort.
        orderBy: ('createdAt' in tableDeclarations[table].columns
          ? [column, 'createdAt', 'id']
          : [column, 'id']) as never,
      });
      this.listedRecords += rows.length;
      // The read of another list may have started meanwhile.
      if (this.listedLists > 1 && this.listedRecords > listedRecordsLimit) {
        const message = `lists more than ${listedRecordsLimit} records in several lists without pages`;
        return refuse('validation_failed', { path: 'query', message });
      }
      const grouped = new Map<unknown, Row<Name>[]>(values.map((each) => [each, []]));
      for (const row of rows) grouped.get(row[column])!.push(row);
      return values.map((each) => grouped.get(each)!);
    });
    const lists = (this.lists ??= new Map());
    const requested = lists.get(name) ?? new Set();
    const isRepeated = requested.has(value);
    lists.set(name, requested.add(value));
    const loading = loader.load(value) as Promise<Row<Name>[]>;
    return isRepeated ? loading.then((rows) => this.countRepeated(rows)) : loading;
  }

  /** Counts records that a response repeats. The first list over the limit fails; later ones are empty. */
  private countRepeated<R>(rows: R[]): R[] {
    const wereTooMany = this.repeatedRecords > repeatedRecordsLimit;
    this.repeatedRecords += rows.length;
    if (this.repeatedRecords <= repeatedRecordsLimit) return rows;
    if (wereTooMany) return [];
    const message = `repeats more than ${repeatedRecordsLimit} records`;
    return refuse('validation_failed', { path: 'query', message });
  }

  /** Returns the result of `load` for a key, loaded once unless the tenant has written since. */
  memoize<T>(key: string, load: () => Promise<T>): Promise<T> {
    const now = `${this.tenant.writes} ${key}`;
    const found = (this.found ??= new Map());
    const known = found.get(now) as Promise<T> | undefined;
    if (known) return known;
    const loading = load();
    found.set(now, loading);
    return loading;
  }

  /** Returns the value of a key; the keys that are asked for in one event-loop turn are loaded together. */
  load<T>(name: string, key: string, load: (keys: readonly string[]) => Promise<T[]>): Promise<T> {
    return this.getLoader(name, load).load(key);
  }

  private getLoader(name: string, load: (keys: readonly string[]) => Promise<any[]>): Loader {
    const { writes } = this.tenant;
    // A write may change the records, so loaders are not shared across writes.
    if (this.loaders?.writes !== writes) this.loaders = { writes, byName: new Map() };
    const { byName } = this.loaders;
    const known = byName.get(name);
    if (known) return known;
    const made: Loader = new DataLoader(load, { maxBatchSize });
    byName.set(name, made);
    return made;
  }
}
