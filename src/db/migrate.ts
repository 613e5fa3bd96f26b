import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';

/** One step of the schema, as drizzle-kit generated it. */
export interface Migration {
  tag: string;
  statements: string[];
  hash: string;
}

/** Reads the migrations of a folder in the order of its journal. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as {
    entries: { tag: string }[];
  };
  return journal.entries.map(({ tag }) => {
    const source = readFileSync(join(folder, `${tag}.sql`), 'utf8');
    return {
      tag,
      statements: source.split('--> statement-breakpoint').map((statement) => statement.trim()),
      hash: createHash('sha256').update(source).digest('hex'),
    };
  });
}

/**
 * Brings the database to the newest step, each whole or not at all. Refuses a database that a newer release
 * made, or whose steps differ from this release's. Answers the tags it performed.
 */
export function migrateSqlite(connection: Database.Database, migrations: Migration[]): string[] {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS migrations (position INTEGER PRIMARY KEY, tag TEXT NOT NULL, hash TEXT NOT NULL)',
  );
  const done = connection.prepare('SELECT tag, hash FROM migrations ORDER BY position').all() as {
    tag: string;
    hash: string;
  }[];
  if (done.length > migrations.length) {
    throw new Error(`The database is newer than this release: it has ${done.at(-1)!.tag}.`);
  }
  for (const [index, step] of done.entries()) {
    if (step.hash === migrations[index]!.hash) continue;
    throw new Error(`The database has another ${step.tag} than this release: it was not made by it.`);
  }
  const due = migrations.slice(done.length);
  for (const migration of due) perform(connection, migration);
  return due.map(({ tag }) => tag);
}

function perform(connection: Database.Database, { tag, statements, hash }: Migration) {
  // A rebuilt table is dropped and renamed; with foreign keys on, the drop would delete its children.
  connection.pragma('foreign_keys = OFF');
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const statement of statements) connection.exec(statement);
    const broken = connection.pragma('foreign_key_check') as unknown[];
    if (broken.length) throw new Error(`Migration ${tag} would break ${broken.length} references.`);
    connection.prepare('INSERT INTO migrations (tag, hash) VALUES (?, ?)').run(tag, hash);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  } finally {
    connection.pragma('foreign_keys = ON');
  }
}
