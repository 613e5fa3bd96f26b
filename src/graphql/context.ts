import 'reflect-metadata';
import DataLoader from 'dataloader';
import type { Match } from '../db/queries.ts';
import type { Row, TableName } from '../db/schema.ts';
import { verifyAlias, type Tenant } from '../tenants/tenant.ts';

// Databases bound the parameters of a statement.
const maxBatchSize = 1000;

type Loader = DataLoader<string, any>;

/**
 * What a resolver is handed, made anew for each request: the tenant, and loaders that gather the look-ups
 * of nested fields so that a list costs as many queries as it has levels.
 */
export class Context {
  private loaders = new Map<string, Loader>();

  constructor(private readonly ownTenant: Tenant) {}

  /** The request's tenant; `tenant_mismatch` when the request names another. */
  tenant(alias?: string | null): Tenant {
    verifyAlias(this.ownTenant, alias);
    return this.ownTenant;
  }

  /** The record of that id, or null; asked for together with its siblings. */
  byId<Name extends TableName>(table: Name, id: string): Promise<Row<Name> | null> {
    return this.loader(`${table} id`, async (ids) => {
      const rows = await this.ownTenant.read.many(table, { where: { id: ids } as unknown as Match<Name> });
      const found = new Map(rows.map((row) => [(row as { id: string }).id, row]));
      return ids.map((each) => found.get(each) ?? null);
    }).load(id);
  }

  /** The records whose `column` is `value`, in the order they were made; asked for together with their siblings. */
  having<Name extends TableName>(
    table: Name,
    column: keyof Row<Name> & string,
    value: string,
    where: Match<Name> = {},
  ): Promise<Row<Name>[]> {
    return this.loader(`${table} ${column} ${JSON.stringify(where)}`, async (values) => {
      const rows = await this.ownTenant.read.many(table, {
        where: { ...where, [column]: values },
        orderBy: ['id'] as never,
      });
      const grouped = new Map<unknown, Row<Name>[]>(values.map((each) => [each, []]));
      for (const row of rows) grouped.get(row[column])!.push(row);
      return values.map((each) => grouped.get(each)!);
    }).load(value);
  }

  private loader(name: string, load: (keys: readonly string[]) => Promise<any[]>): Loader {
    const known = this.loaders.get(name);
    if (known) return known;
    const made: Loader = new DataLoader(load, { maxBatchSize });
    this.loaders.set(name, made);
    return made;
  }
}
