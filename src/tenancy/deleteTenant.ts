/** Deleting a test tenant with all of its records. */
import type { Queries } from '../storage/query/queries.ts';
import {
  isServerTable,
  tableDeclarations,
  type TableName,
  type TenantTable,
} from '../storage/model/rowTypes.ts';
import type { Service } from './service.ts';

const rowsAtOnce = 500;
/** Background work may add records while others are deleted. */
const mostPasses = 3;
/** Deleted last, in the same unit as the tenant: a deletion that was interrupted can be repeated. */
const last: TenantTable[] = ['operatorMemberships', 'apiKeys'];

/** The tables of a tenant's records, each before the tables that it refers to. */
export const recordTables = (Object.keys(tableDeclarations) as TableName[])
  .filter((name): name is TenantTable => !isServerTable(name) && name !== 'tenants')
  .filter((name) => !last.includes(name))
  .toReversed();

/**
 * Deletes a tenant with all of its records, a few at a time, so that other requests go on. Nobody can use the tenant
 * from the beginning: its keys are revoked first. Throws an Error if records were added all the time.
 */
export async function deleteTenant(
  { store, apiKeyCache, terms, notifier }: Pick<Service, 'store' | 'apiKeyCache' | 'terms' | 'notifier'>,
  alias: string,
  now: string,
): Promise<void> {
  const run = <T>(unit: (queries: Queries) => Promise<T>) => store.transact(alias, unit);
  await run(async (queries) => {
    await queries.update('apiKeys', { tenantAlias: alias, revokedAt: null }, { revokedAt: now });
  });
  apiKeyCache.clear();
  for (let pass = 1; ; pass++) {
    for (const table of recordTables) while (await run((queries) => deleteSome(queries, table, alias)));
    try {
      await run(async (queries) => {
        for (const table of last) await queries.remove(table, { tenantAlias: alias });
        await queries.remove('tenants', { alias });
      });
      break;
    } catch (error) {
      if (pass === mostPasses) throw error;
    }
  }
  // A new tenant may have the alias.
  terms.forget(alias);
  notifier.notify(alias);
}

/** Deletes some of the rows of a table; returns whether there may be more. */
async function deleteSome(queries: Queries, table: TenantTable, tenantAlias: string): Promise<boolean> {
  const keys = tableDeclarations[table].keys.primary as string[];
  const key = keys.find((name) => name !== 'tenantAlias');
  if (!key) {
    await queries.remove(table, { tenantAlias });
    return false;
  }
  const rows = await queries.select(table, { where: { tenantAlias }, limit: rowsAtOnce });
  if (rows.length === 0) return false;
  const values = [...new Set(rows.map((row) => (row as Record<string, unknown>)[key]))];
  await queries.remove(table, { tenantAlias, [key]: values });
  return true;
}
