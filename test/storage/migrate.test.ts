import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrateSqlite, type Migration } from '../../src/storage/migrate.ts';
import { migrateFile, openSqlite } from '../../src/storage/sqlite/store.ts';
import { startApp } from '../support/app.ts';
import { migrations, scratch, type Scratch } from '../support/database.ts';
import { createShop } from '../support/shop.ts';

let file: Scratch;
let connection: Database.Database;

beforeEach(() => {
  file = scratch();
  connection = new Database(file.path);
  connection.pragma('foreign_keys = ON');
});
afterEach(() => {
  connection.close();
  file.remove();
});

const step = (tag: string, ...statements: string[]): Migration => ({
  tag,
  statements,
  hash: createHash('sha256').update(statements.join()).digest('hex'),
});
const migrate = (...steps: Migration[]) => migrateSqlite(connection, steps);
const listTables = (database: Database.Database) =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[];
const enforcesKeys = () => connection.pragma('foreign_keys', { simple: true }) === 1;

const parent = 'CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT)';
const child =
  'CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents ON DELETE CASCADE)';
const first = step('0000_first', parent);
const second = step(
  '0001_second',
  child,
  "INSERT INTO parents VALUES (1, 'a')",
  'INSERT INTO children VALUES (1, 1)',
);

describe('migrations', () => {
  it('create a database, and change nothing the second time', () => {
    const tags = migrations.map(({ tag }) => tag);
    const path = `${file.path}.fresh`;
    expect(migrateFile(path, migrations)).toEqual(tags);
    expect(migrateFile(path, migrations)).toEqual([]);
    const made = new Database(path);
    expect(listTables(made)).toEqual(
      expect.arrayContaining(['tenants', 'customers', 'traces', 'migrations']),
    );
    expect(made.pragma('journal_mode', { simple: true })).toBe('wal');
    made.close();
  });

  it('perform the missing steps', () => {
    expect(migrate(first)).toEqual(['0000_first']);
    expect(migrate(first, second)).toEqual(['0001_second']);
    expect(listTables(connection)).toEqual(['children', 'migrations', 'parents']);
  });

  it('refuse a database that a newer release made', () => {
    migrate(first, second);
    expect(() => migrate(first)).toThrow('The database is newer than this release: it has 0001_second.');
  });

  it('refuse a database with another history', () => {
    migrate(first);
    const altered = step('0000_first', 'CREATE TABLE parents (id TEXT)');
    expect(() => migrate(altered, second)).toThrow('The database has another 0000_first than this release');
    expect(listTables(connection)).toEqual(['migrations', 'parents']);
  });

  it('roll back a failed step and keep the earlier ones', () => {
    const failing = step('0002_failing', 'CREATE TABLE half (id INTEGER)', 'INSERT INTO nowhere VALUES (1)');
    expect(() => migrate(first, second, failing)).toThrow('nowhere');
    expect(listTables(connection)).toEqual(['children', 'migrations', 'parents']);
    expect(connection.inTransaction).toBe(false);
    expect(enforcesKeys()).toBe(true);
    expect(migrate(first, second, step('0002_mended', 'CREATE TABLE whole (id INTEGER)'))).toEqual([
      '0002_mended',
    ]);
  });

  it('refuse a step that breaks foreign keys', () => {
    const careless = step('0002_careless', 'DELETE FROM parents');
    expect(() => migrate(first, second, careless)).toThrow(
      'Migration 0002_careless would break 1 references.',
    );
    expect(connection.prepare('SELECT count(*) FROM parents').pluck().get()).toBe(1);
  });

  it('rebuild a table and keep its children', () => {
    migrate(first, second);
    const rebuild = step(
      '0002_rebuild',
      'PRAGMA foreign_keys=OFF;',
      'CREATE TABLE `__new_parents` (id INTEGER PRIMARY KEY, name TEXT NOT NULL)',
      'INSERT INTO `__new_parents` SELECT id, name FROM parents',
      'DROP TABLE parents',
      'ALTER TABLE `__new_parents` RENAME TO parents',
      'PRAGMA foreign_keys=ON;',
    );
    expect(migrate(first, second, rebuild)).toEqual(['0002_rebuild']);
    expect(connection.prepare('SELECT * FROM children').all()).toEqual([{ id: 1, parent: 1 }]);
    expect(enforcesKeys()).toBe(true);
    expect(() => connection.exec('INSERT INTO children VALUES (2, 9)')).toThrow('FOREIGN KEY');
    connection.exec('DELETE FROM parents');
    expect(connection.prepare('SELECT * FROM children').all()).toEqual([]);
  });

  it('rebuild every table of a database in use without losing a row', async () => {
    const app = await startApp({ database: `sqlite:${file.path}.used` });
    const shop = createShop(await app.tenant({ alias: 'acme' }), 'acme');
    const group = await shop.group();
    const { price } = await shop.product({ groupId: group.id });
    await shop.subscribe(await shop.customer(), price);
    await app.close();

    const used = new Database(`${file.path}.used`);
    const rebuilt = listTables(used)
      // The tables of FTS5, and those that its triggers fill, are not rebuilt.
      .filter((table) => table !== 'migrations' && !/^search_(index|scopes)/.test(table));
    const countRows = () =>
      rebuilt.map((table) => [table, used.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()]);
    const before = countRows();
    const rebuilds = rebuilt.map((table) => step(`rebuild_${table}`, ...writeRebuild(used, table)));
    used.pragma('foreign_keys = ON');
    migrateSqlite(used, [...migrations, ...rebuilds]);
    expect(countRows()).toEqual(before);
    expect(used.pragma('foreign_key_check')).toEqual([]);
    used.close();

    const store = openSqlite({
      path: `${file.path}.used`,
      migrations: [...migrations, ...rebuilds],
      own: true,
    });
    expect(await store.committed.select('prices', { where: {} })).toHaveLength(1);
    await store.close();
  });
});

/** The steps by which drizzle-kit rebuilds a table, here to the same form. */
function writeRebuild(database: Database.Database, table: string): string[] {
  const made = database
    .prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?")
    .pluck()
    .get(table);
  const indexes = database
    .prepare("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .pluck()
    .all(table) as string[];
  return [
    'PRAGMA foreign_keys=OFF;',
    (made as string).replace(new RegExp(`[\`"]${table}[\`"]`), `\`__new_${table}\``),
    `INSERT INTO \`__new_${table}\` SELECT * FROM \`${table}\``,
    `DROP TABLE \`${table}\``,
    `ALTER TABLE \`__new_${table}\` RENAME TO \`${table}\``,
    'PRAGMA foreign_keys=ON;',
    ...indexes,
  ];
}
