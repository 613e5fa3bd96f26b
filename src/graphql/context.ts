import 'reflect-metadata';
import DataLoader from 'dataloader';
import type { OperationTypeNode } from 'graphql';
import type { Match } from '../storage/query/queries.ts';
import { tableDeclarations, type Row, type TableName } from '../storage/model/rowTypes.ts';
import { refuse } from '../lib/errors.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { Cost } from './rules/cost.ts';

// Databases bound the parameters of a statement.
const maxBatchSize = 1000;

// A group has products, each has its group, which has products: what is read once could be answered without end.
const repeatedRecordsLimit = 20_000;
// Lists that are not paged are as long as they are: the cost of an operation takes each for ten records.
const listedRecordsLimit = 10_000;

const bigintAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

type Loader = DataLoader<string, any>;

/** The GraphQL operation of a request, as far as it has been read. */
interface OperationInfo {
  /** Such as `query customers`. */
  name?: string;
  kind?: OperationTypeNode;
  cost?: Cost;
  /** Whether the response includes the cost. */
  reportsCost?: boolean;
}

/**
 * What a resolver is handed, made anew for each request: the tenant, and loaders that gather the look-ups
 * of nested fields so that a list costs as many queries as it has levels.
 */
export class Context {
  /** Filled while the operation is read. Apollo copies a context, but not deeply. */
  readonly operation: OperationInfo = {};
  // Most requests look up one record, and need neither.
  private loaders: Map<string, Loader> | undefined;
  private lists: Map<string, Set<string>> | undefined;
  private found: Map<string, Promise<unknown>> | undefined;
  private repeatedRecords = 0;
  private listedRecords = 0;
  private listedLists = 0;

  constructor(
    /** The tenant of the request's key. */
    readonly tenant: TenantScope,
    /** Where browsers reach this server, without a slash at the end. */
    readonly publicUrl: string,
  ) {}

  /** The record of that id, or null; asked for together with its siblings. */
  byId<Name extends TableName>(table: Name, id: string): Promise<Row<Name> | null> {
    return this.loader(`${table} id`, async (ids) => {
      const rows = await this.tenant.read.many(table, { where: { id: ids } as unknown as Match<Name> });
      const found = new Map(rows.map((row) => [(row as { id: string }).id, row]));
      return ids.map((each) => found.get(each) ?? null);
    }).load(id);
  }

  /**
   * The records whose `column` is `value`, in the order they were made; asked for together with their siblings.
   * Refuses to repeat more than 20,000 records in one answer, and to list more than 10,000 in several lists
   * (`validation_failed`); a single list may be longer.
   */
  async listBy<Name extends TableName>(
    table: Name,
    column: keyof Row<Name> & string,
    value: string,
    where?: Match<Name>,
  ): Promise<Row<Name>[]> {
    const name = `${table} ${column} ${where ? JSON.stringify(where, bigintAsText) : ''}`;
    const loader = this.loader(name, async (values) => {
      this.listedLists += values.length;
      const isSingle = this.listedLists === 1;
      const rows = await this.tenant.read.many(table, {
        where: { ...where, [column]: values },
        limit: isSingle ? undefined : listedRecordsLimit + 1,
        // As the index on the column has them, which then answers without a sort.
        orderBy: ('createdAt' in tableDeclarations[table].columns
          ? [column, 'createdAt', 'id']
          : [column, 'id']) as never,
      });
      this.listedRecords += rows.length;
      // Another list may have begun to be read meanwhile.
      if (this.listedLists > 1 && this.listedRecords > listedRecordsLimit) {
        const message = `lists more than ${listedRecordsLimit} records in several lists without pages`;
        return refuse('validation_failed', { path: 'query', message });
      }
      const grouped = new Map<unknown, Row<Name>[]>(values.map((each) => [each, []]));
      for (const row of rows) grouped.get(row[column])!.push(row);
      return values.map((each) => grouped.get(each)!);
    });
    const lists = (this.lists ??= new Map());
    const told = lists.get(name) ?? new Set();
    const isRepeated = told.has(value);
    lists.set(name, told.add(value));
    const rows = await loader.load(value);
    return isRepeated ? this.repeated(rows) : rows;
  }

  /** Lets records be answered again; the first that are too many are refused, and what follows is left out. */
  private repeated<R>(rows: R[]): R[] {
    const wereTooMany = this.repeatedRecords > repeatedRecordsLimit;
    this.repeatedRecords += rows.length;
    if (this.repeatedRecords <= repeatedRecordsLimit) return rows;
    if (wereTooMany) return [];
    const message = `repeats more than ${repeatedRecordsLimit} records`;
    return refuse('validation_failed', { path: 'query', message });
  }

  /** What `load` finds for a key: found once, unless something has been written since. */
  memoize<T>(key: string, load: () => Promise<T>): Promise<T> {
    const now = `${this.tenant.writes} ${key}`;
    const found = (this.found ??= new Map());
    const known = found.get(now) as Promise<T> | undefined;
    if (known) return known;
    const loading = load();
    found.set(now, loading);
    return loading;
  }

  private loader(name: string, load: (keys: readonly string[]) => Promise<any[]>): Loader {
    // What was loaded before a write may be otherwise after it.
    const now = `${this.tenant.writes} ${name}`;
    const loaders = (this.loaders ??= new Map());
    const known = loaders.get(now);
    if (known) return known;
    const made: Loader = new DataLoader(load, { maxBatchSize });
    loaders.set(now, made);
    return made;
  }
}
