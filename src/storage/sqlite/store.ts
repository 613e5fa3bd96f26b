import type { MaybePromise } from '../../lib/maybePromise.ts';
import { endTurn } from '../../runtime/eventLoopTurn.ts';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrateSqlite, type Migration } from '../migrate.ts';
import { Queries, type Driver } from '../query/queries.ts';
import { openReaderThread } from './readerThread.ts';
import { createSqliteGroupCommit } from './groupCommit.ts';
import { explainFailure, makeParentFolder, resolveDatabase, takeOwnership } from './fileLock.ts';
import { isLocked, translateSqliteError } from './errors.ts';
import { emptyLog } from './wal.ts';
import { createSqliteBulkWrites } from './bulkWrites.ts';
import { prepareOther, prepareSelect } from './preparedSelect.ts';
import type { Row } from '../model/rowTypes.ts';
import { TenantReads, selectDueRows, type Bulk, type Store } from '../store.ts';
import { measureSqliteJson, sqlite, sqliteHints } from './tables.ts';

// better-sqlite3 waits synchronously: a longer wait would stall every other request.
const busyTimeoutMs = 100;
/** Of work that nobody else waits for. */
const patienceMs = 5000;
// Everybody waits for a checkpoint: 10 ms with this many, 45 with 10,000, which cost a twentieth less in all.
const checkpointPages = 2000;
// The writer's fills up in hours and gains nothing from more; the reader's is emptied by each commit.
const cacheKib = { writer: 4096, reader: 16_384 };
/** Tenants whose row is kept from one transaction to the next. */
const mostKnown = 1000;

const withTranslatedErrors = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
  }
};

interface SqliteOptions {
  path: string;
  migrations: Migration[];
  /** A server owns its file; a short command does not, and relies on SQLite's own write lock. */
  own: boolean;
}

/**
 * Opens (and creates and migrates) the database file: one connection that writes, one that reads.
 * Fails with a plain message when another server owns the file.
 */
export function openSqlite({ path: name, migrations, own }: SqliteOptions): Store {
  makeParentFolder(name);
  const lock = own ? takeOwnership(name) : undefined;
  const path = lock?.path ?? resolveDatabase(name);
  try {
    const writer = openWriter(path);
    migrateSqlite(writer, migrations);
    const reader = new Database(path, { readonly: true, timeout: busyTimeoutMs });
    prepareConnection(reader, cacheKib.reader);
    return sqliteStore(writer, reader, () => lock?.release());
  } catch (error) {
    lock?.release();
    throw explainOpening(path, error);
  }
}

/** Brings the database file to the newest step and closes it; answers the tags of what it performed. */
export function migrateFile(name: string, migrations: Migration[]): string[] {
  makeParentFolder(name);
  const path = resolveDatabase(name);
  let writer: Database.Database | undefined;
  try {
    writer = openWriter(path);
    return migrateSqlite(writer, migrations);
  } catch (error) {
    throw explainOpening(path, error);
  } finally {
    writer?.close();
  }
}

/** A lock that another process holds for a moment is waited for, by its code. */
const explainOpening = (path: string, error: unknown) =>
  isLocked(error) ? error : explainFailure(path, error);

function openWriter(path: string): Database.Database {
  const writer = new Database(path, { timeout: busyTimeoutMs });
  prepareConnection(writer, cacheKib.writer);
  writer.pragma('journal_mode = WAL');
  prepareWriter(writer);
  return writer;
}

function prepareWriter(writer: Database.Database): void {
  writer.pragma('synchronous = FULL');
  // What a savepoint may have to undo is kept in memory: on disk it costs a fifth of a renewal's time.
  writer.pragma('temp_store = MEMORY');
  writer.pragma('foreign_keys = ON');
  // What is removed or replaced is overwritten: erased names must not be found in the file.
  writer.pragma('secure_delete = ON');
  writer.pragma(`wal_autocheckpoint = ${checkpointPages}`);
}

function prepareConnection(connection: Database.Database, keptKib: number): void {
  connection.defaultSafeIntegers(true);
  connection.pragma(`cache_size = -${keptKib}`);
}

function sqliteStore(writer: Database.Database, reader: Database.Database, release: () => void): Store {
  const snapshot = readSnapshot(reader);
  const thread = openReaderThread(reader.name, driver(reader));
  let changes = 0;
  // Of another process nobody knows how many rows it has written.
  const tenants = knownTenants(writer, () => (changes += 1));
  const onWrite = (rows: number, areTenants: boolean) => {
    changes += rows;
    if (areTenants) tenants.touch();
  };
  const written = new Queries({ ...driver(writer, { onWrite }), version: () => changes });
  const committed = new Queries(driver(reader, { beforeRead: snapshot.begin }));
  // From here on the queue waits for locks, so that nobody else has to.
  writer.pragma('busy_timeout = 0');
  const commits = createSqliteGroupCommit({
    writer,
    afterBegin: tenants.begin,
    beforeCommit: snapshot.end,
    changes: () => changes,
  });
  return {
    committed,
    fresh: committed,
    transact: (tenantAlias, unit) =>
      commits.run((isOpen) => {
        endTurn();
        return unit(
          written.during(isOpen),
          tenants.findLatestEvent(tenantAlias),
          tenants.findRow(tenantAlias, written),
        );
      }),
    // One process owns the file: all work is its own.
    beside: thread.beside,
    claim: (tenantAlias, name, selection, passOver) =>
      selectDueRows(new TenantReads(committed, tenantAlias), name, selection, passOver),
    snapshot: (work) => apart(reader.name, true, ({ queries }) => work(queries)),
    load: (work) => apart(reader.name, false, work),
    purgeOldData: () => emptyLog(reader.name),
    ping: () => {
      withTranslatedErrors(() => reader.prepare('SELECT 1').get());
    },
    close: async () => {
      await commits.idle();
      snapshot.end();
      await thread.close();
      reader.close();
      writer.close();
      release();
    },
  };
}

/** Work on a connection of its own, because it takes longer than a turn of the event loop: one transaction. */
async function apart<T>(path: string, isRead: boolean, work: (bulk: Bulk) => Promise<T>): Promise<T> {
  const connection = new Database(path, { readonly: isRead, timeout: patienceMs });
  try {
    prepareConnection(connection, cacheKib.reader);
    if (!isRead) prepareWriter(connection);
    withTranslatedErrors(() => connection.exec(isRead ? 'BEGIN' : 'BEGIN IMMEDIATE'));
    // What is read is what there is at the first read.
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    const queries = new Queries(driver(connection));
    const value = await work({ queries, attempt: (part) => saved(connection, part) });
    withTranslatedErrors(() => connection.exec('COMMIT'));
    return value;
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    connection.close();
  }
}

async function saved(connection: Database.Database, part: () => MaybePromise<unknown>): Promise<void> {
  connection.exec('SAVEPOINT part');
  try {
    await part();
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK TO part');
    throw error;
  } finally {
    if (connection.inTransaction) connection.exec('RELEASE part');
  }
}

/**
 * What units are told of their tenant: its row, and the latest event that others may have recorded. Both are read once,
 * and again when another connection has written to the file, which none can within a transaction. The row is read
 * again also when a unit may have changed it, and in the next transaction, for that may have been undone.
 */
function knownTenants(writer: Database.Database, whenOther: () => void) {
  const version = writer.prepare<[], bigint>('PRAGMA data_version').pluck();
  const selectLatest = writer
    .prepare<[string], string>(
      'SELECT event_id FROM traces WHERE tenant_alias = ? ORDER BY event_id DESC LIMIT 1',
    )
    .pluck();
  const rows = new Map<string, Row<'tenants'> | undefined>();
  const reported = new Set<string>();
  let lastVersion: bigint | undefined;
  let areTouched = false;

  const begin = () => {
    const now = version.get();
    if (now !== lastVersion) {
      reported.clear();
      whenOther();
    }
    if (now !== lastVersion || areTouched) rows.clear();
    lastVersion = now;
    areTouched = false;
  };
  const touch = () => {
    rows.clear();
    areTouched = true;
  };
  const findRow = (alias: string, queries: Queries) => {
    if (!rows.has(alias)) {
      if (rows.size === mostKnown) rows.clear();
      const found = queries.select('tenants', { where: { alias }, limit: 1 }) as Row<'tenants'>[];
      rows.set(alias, found[0]);
    }
    return rows.get(alias);
  };
  const findLatestEvent = (alias: string) => {
    if (reported.has(alias)) return undefined;
    reported.add(alias);
    return selectLatest.get(alias);
  };
  return { begin, touch, findRow, findLatestEvent };
}

/** What is to be known of a connection: that it is about to read, and how many rows it has written. */
interface Hooks {
  beforeRead?: () => void;
  onWrite?: (rows: number, areTenants: boolean) => void;
}

function driver(
  connection: Database.Database,
  { beforeRead = () => {}, onWrite = () => {} }: Hooks = {},
): Driver {
  const { insertRows, updateRows } = createSqliteBulkWrites(connection);
  return {
    tables: sqlite,
    builder: drizzle(connection),
    prepare: (query, rows) =>
      rows ? prepareSelect(connection, query, rows) : prepareOther(connection, query),
    limitsInText: true,
    hints: sqliteHints,
    measureJson: measureSqliteJson,
    all: ({ prepared }, values) =>
      withTranslatedErrors(() => {
        beforeRead();
        return prepared.all(values);
      }),
    run: ({ prepared, tables }, values) =>
      withTranslatedErrors(() => {
        const { changes } = prepared.run(values);
        onWrite(changes, tables.includes('tenants'));
        return changes;
      }),
    // Told before: where one of the rows fails, those before it have been written.
    insertRows: (name, rows) =>
      withTranslatedErrors(() => {
        onWrite(rows.length, name === 'tenants');
        return insertRows(name, rows);
      }),
    updateRows: (name, by, set, rows) =>
      withTranslatedErrors(() => {
        onWrite(rows.length, name === 'tenants');
        return updateRows(name, by, set, rows);
      }),
  };
}

/**
 * One snapshot serves all reads of an event-loop turn, instead of a lock for each statement. It ends with the turn, or
 * when units of work are committed: nobody misses what they wrote, and the log, which nobody reads then, can begin anew.
 */
function readSnapshot(reader: Database.Database) {
  const beginStatement = reader.prepare('BEGIN');
  const endStatement = reader.prepare('COMMIT');
  const end = () => {
    if (reader.open && reader.inTransaction) endStatement.run();
  };
  const begin = () => {
    if (reader.inTransaction) return;
    beginStatement.run();
    setImmediate(end);
  };
  return { begin, end };
}
