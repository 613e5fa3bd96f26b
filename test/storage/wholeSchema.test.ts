/** A new database has what one has that performed the migrations one by one, release for release. */
import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, it } from 'vitest';
import { migratePostgres, migrateSqlite, readMigrations } from '../../src/storage/migrate.ts';
import { engine, scratchDatabase } from '../support/engines.ts';

const migrations = readMigrations(`drizzle/${engine}`);
const tags = migrations.map(({ tag }) => tag);

/** Performs the migrations one by one. */
const releases = migrations.map((_, index) => migrations.slice(0, index + 1)).map(withoutScript);

function withoutScript(list: typeof migrations): typeof migrations {
  return list.map(({ wholeSchema: _, ...migration }) => migration);
}

it.runIf(engine === 'sqlite')('on SQLite, by one script', () => {
  expect(migrations.at(-1)).toHaveProperty('wholeSchema');
  const [atOnce, oneByOne] = [new Database(':memory:'), new Database(':memory:')];
  expect(migrateSqlite(atOnce, migrations)).toEqual(tags);
  expect(releases.flatMap((list) => migrateSqlite(oneByOne, list))).toEqual(tags);
  const readTables = (database: Database.Database) =>
    database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all() as {
      type: string;
      name: string;
      sql: string;
    }[];
  const tables = readTables(atOnce);
  expect(tables.length).toBeGreaterThan(200);
  expect(tables).toEqual(readTables(oneByOne));
  const isRead = (type: string, text: string) => type === 'table' && !text.startsWith('CREATE VIRTUAL');
  for (const { name } of tables.filter(({ type, sql }) => isRead(type, sql))) {
    const rows = (database: Database.Database) => database.prepare(`SELECT * FROM "${name}"`).all();
    expect([name, rows(atOnce)]).toEqual([name, rows(oneByOne)]);
  }
  expect(migrateSqlite(atOnce, migrations)).toEqual([]);
});

it.runIf(engine === 'sqlite')(
  'on SQLite, not a file that has tables, nor by a script of other migrations',
  () => {
    const other = new Database(':memory:');
    other.exec('CREATE TABLE notes (text)');
    migrateSqlite(other, [{ ...migrations.at(-1)!, statements: ['CREATE TABLE one (a)'] }]);
    expect(other.prepare(`SELECT name FROM sqlite_schema WHERE name IN ('one', 'tenants')`).all()).toEqual([
      { name: 'one' },
    ]);
    const earlier = new Database(':memory:');
    expect(migrateSqlite(earlier, migrations.slice(0, 1))).toEqual([tags[0]]);
    expect(migrateSqlite(earlier, migrations)).toEqual(tags.slice(1));
  },
);

const catalog = `
  SELECT table_name AS a, column_name AS b, concat_ws(' ', ordinal_position, data_type, is_nullable, column_default, collation_name) AS c
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT proname, '', prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT relname, relkind::text, array_to_string(reloptions, ',') FROM pg_class
    WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'migrations', position::text, tag || hash FROM migrations
  ORDER BY 1, 2, 3`;

it.runIf(engine === 'postgres')('on PostgreSQL, in one transaction', async () => {
  const perform = async (lists: (typeof migrations)[]) => {
    const scratch = await scratchDatabase(engine, true);
    const client = new pg.Client({ connectionString: scratch.url });
    await client.connect();
    try {
      const performed: string[] = [];
      for (const list of lists) performed.push(...(await migratePostgres(client, list)));
      expect(performed).toEqual(tags);
      return (await client.query(catalog)).rows;
    } finally {
      await client.end();
      await scratch.drop();
    }
  };
  const tables = await perform([migrations]);
  expect(tables.length).toBeGreaterThan(500);
  expect(tables).toEqual(await perform(releases));
});
