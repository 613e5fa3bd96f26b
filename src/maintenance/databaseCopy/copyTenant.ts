import type { Store } from '../../storage/store.ts';
import { readPages, tableNames } from '../tenantFiles/tableScan.ts';

/**
 * Copies a tenant to another database of this release, in one transaction. Nobody sees a part of it. Throws the
 * database's error if it has a tenant of that alias.
 */
export function copyTenant(
  from: Pick<Store, 'snapshot'>,
  to: Pick<Store, 'load'>,
  alias: string,
): Promise<void> {
  return from.snapshot((source) =>
    to.load(async ({ queries }) => {
      for (const name of tableNames)
        for await (const page of readPages(source, name, alias)) await queries.insertMany(name, page);
    }),
  );
}
