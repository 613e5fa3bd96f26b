/**
 * The tenant is in the first place of every key, which is what lets the tables be sharded by it, on either engine. The
 * few tables of the server have no tenant, and refer to each other only.
 */
import { getTableName, type Table } from 'drizzle-orm';
import { getTableConfig as pgConfigOf } from 'drizzle-orm/pg-core';
import { getTableConfig as sqliteConfigOf } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { postgres } from '../../src/storage/postgres/tables.ts';
import { sqlite } from '../../src/storage/sqlite/tables.ts';
import { isServerTable, tableDeclarations, type TableName } from '../../src/storage/model/rowTypes.ts';
import { readMigrations } from '../../src/storage/migrate.ts';

interface Keys {
  name: string;
  primaryKeys: { columns: { name: string }[] }[];
  uniqueConstraints: { columns: { name: string }[] }[];
  indexes: { config: { unique: boolean; columns: unknown[] } }[];
  foreignKeys: {
    reference(): { columns: { name: string }[]; foreignColumns: { name: string; table: Table }[] };
  }[];
  columns: { name: string; primary: boolean; isUnique: boolean }[];
}

const engines: [name: string, tables: Keys[]][] = [
  ['sqlite', Object.values(sqlite).map((table) => sqliteConfigOf(table as never) as unknown as Keys)],
  ['postgres', Object.values(postgres).map((table) => pgConfigOf(table as never) as unknown as Keys)],
];

const getFirstName = (columns: unknown[]) => (columns[0] as { name: string }).name;

const serverTables = Object.entries(tableDeclarations)
  .filter(([name]) => isServerTable(name as TableName))
  .map(([, { name }]) => name);
const serverName = `["\`](?:${serverTables.join('|')})["\`]`;
const ofServerTable = new RegExp(`(?:CREATE TABLE|ALTER TABLE|INDEX \\S+ ON) ${serverName}`);
const toServerTable = new RegExp(
  `FOREIGN KEY \\([^)]*\\) REFERENCES (?:"public"\\.)?${serverName}\\([^)]*\\)`,
  'g',
);
const isOfServer = (name: string) => serverTables.includes(name);

describe.each(engines)('on %s', (engine, tables) => {
  const ofServer = tables.filter(({ name }) => isOfServer(name));
  it('the tables of the server', () => {
    for (const table of ofServer) {
      expect(table.columns.map(({ name }) => name)).not.toContain('tenant_alias');
      expect(table.primaryKeys.map(({ columns }) => columns.map(({ name }) => name))).toEqual([['id']]);
      for (const { columns, foreignColumns } of table.foreignKeys.map((key) => key.reference())) {
        expect(columns.map(({ name }) => name)).toEqual(['operator_id']);
        expect(foreignColumns.map(({ name }) => name)).toEqual(['id']);
        // A reference table of Citus may refer to reference tables only.
        expect(serverTables).toContain(getTableName(foreignColumns[0]!.table));
      }
    }
    expect(ofServer.map(({ name }) => name)).toEqual(serverTables);
  });

  const ofTenants = tables.filter(({ name }) => !isOfServer(name));
  it.each(ofTenants.map((table) => [table.name, table] as const))('%s', (name, table) => {
    const tenant = name === 'tenants' ? 'alias' : 'tenant_alias';
    expect(table.primaryKeys.map(({ columns }) => getFirstName(columns))).toEqual([tenant]);
    expect(table.uniqueConstraints).toEqual([]);
    expect(table.columns.filter(({ primary, isUnique }) => primary || isUnique)).toEqual([]);
    for (const { config } of table.indexes)
      if (config.unique) expect(getFirstName(config.columns)).toBe(tenant);
    const references = table.foreignKeys
      .map((key) => key.reference())
      .filter(({ foreignColumns }) => !isOfServer(getTableName(foreignColumns[0]!.table)));
    for (const { columns, foreignColumns } of references) {
      expect(getFirstName(columns)).toBe(tenant);
      expect(getFirstName(foreignColumns)).toMatch(/^(tenant_)?alias$/);
    }
    if (name !== 'tenants') expect(references.length).toBeGreaterThan(0);
  });

  it('the migrations say the same', () => {
    const statements = readMigrations(`drizzle/${engine}`)
      .flatMap((migration) => migration.statements)
      .filter((statement) => !ofServerTable.test(statement))
      .map((statement) => statement.replaceAll(toServerTable, ''));
    const keys = statements.flatMap((statement) => [
      ...statement.matchAll(/(?:PRIMARY KEY|UNIQUE INDEX [^(]*|FOREIGN KEY|REFERENCES [^(]*) ?\(([^)]*)\)/g),
    ]);
    expect(keys.length).toBeGreaterThan(tables.length * 2);
    for (const [whole, columns] of keys) expect(columns, whole).toMatch(/^["`](tenant_alias|alias)["`]/);
    expect(statements.join()).not.toMatch(/\bUNIQUE\b(?! INDEX)/);
  });
});
