import type Database from 'better-sqlite3';
import { isServerTable, tableDeclarations, type TableName } from '../../../src/storage/model/rowTypes.ts';

/** Lists the tenants whose rows changed since it began, by triggers in the database. */
export interface Watch {
  begin(): void;
  /** Throws when a row of another tenant was changed meanwhile. */
  expectOnly(alias: string, during: string): void;
}

/** Has the database note the tenant of every row that is added, changed or removed. */
export function watchTenants(disk: Database.Database): Watch {
  disk.exec(
    'CREATE TABLE touched (alias TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (alias, place)) WITHOUT ROWID',
  );
  for (const [key, { name, columns }] of Object.entries(tableDeclarations)) {
    if (isServerTable(key as TableName)) continue;
    const column = 'tenantAlias' in columns ? 'tenant_alias' : 'alias';
    // The conflict clause of a statement, such as of an upsert, would replace that of its triggers.
    for (const [event, row] of [
      ['INSERT', 'new'],
      ['UPDATE', 'new'],
      ['DELETE', 'old'],
    ] as const) {
      disk.exec(`CREATE TRIGGER touched_${name}_${event} AFTER ${event} ON ${name}
        BEGIN INSERT INTO touched SELECT ${row}.${column}, '${name}' WHERE NOT EXISTS
          (SELECT 1 FROM touched WHERE alias = ${row}.${column} AND place = '${name}'); END`);
    }
  }
  const clear = disk.prepare('DELETE FROM touched');
  const others = disk.prepare('SELECT alias, place FROM touched WHERE alias <> ?');
  return {
    begin: () => clear.run(),
    expectOnly: (alias, during) => {
      const touched = others.all(alias);
      if (touched.length > 0) throw new Error(`${during} in ${alias} changed ${JSON.stringify(touched)}`);
    },
  };
}
