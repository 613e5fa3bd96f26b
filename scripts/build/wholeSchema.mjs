// Writes drizzle/sqlite/schema.sql: what creates the tables of a new SQLite file at once, as all migrations leave them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { root } from '../setup.mjs';

const folder = path.join(root, 'drizzle/sqlite');
const hash = (text) => createHash('sha256').update(text).digest('hex');

/** Returns the script, from a database in memory on which all migrations were performed. */
export function writeWholeSchema() {
  const { entries } = JSON.parse(readFileSync(path.join(folder, 'meta/_journal.json'), 'utf8'));
  const sources = entries.map(({ tag }) => readFileSync(path.join(folder, `${tag}.sql`), 'utf8'));
  const database = new Database(':memory:');
  database.pragma('foreign_keys = OFF');
  // What a migration fills in JavaScript is a comment in SQL: a new file has no rows.
  for (const statement of sources.join('--> statement-breakpoint').split('--> statement-breakpoint'))
    database.exec(statement);
  const statements = listStatements(database);
  database.close();
  return `-- ${hash(sources.map(hash).join())}\n-- Made by npm run generate.\n${statements.join('\n')}\n`;
}

function listStatements(database) {
  const schema = database
    .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`)
    .all();
  const virtual = schema.filter(({ sql }) => /^CREATE VIRTUAL TABLE/i.test(sql)).map(({ name }) => name);
  // SQLite makes the tables behind a virtual table with it.
  const own = schema.filter(({ name }) => !virtual.some((table) => name.startsWith(`${table}_`)));
  for (const { type, name } of own)
    if (type === 'table' && !virtual.includes(name) && database.prepare(`SELECT 1 FROM "${name}"`).get())
      throw new Error(`A migration writes rows to ${name}, which the script for new files would lack.`);
  const options = virtual.flatMap((table) =>
    database
      .prepare(`SELECT k, v FROM "${table}_config" WHERE k <> 'version' ORDER BY k`)
      .all()
      .map(({ k, v }) => `INSERT INTO "${table}" ("${table}", "rank") VALUES ('${k}', ${Number(v)});`),
  );
  return [...own.map(({ sql }) => `${sql};`), ...options];
}
