import type { MaybePromise } from '../../lib/maybePromise.ts';
import { endTurn } from '../../runtime/eventLoopTurn.ts';
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { isOutdated, migrateSqlite, type Migration } from '../migrate.ts';
import { Queries, type Driver } from '../query/queries.ts';
import { prepareConnection, prepareScratch, prepareWriter, type ScratchOptions } from './connections.ts';
import { openReaderThread } from './readerThread.ts';
import { createReadSnapshot } from './readSnapshot.ts';
import { createSqliteGroupCommit } from './groupCommit.ts';
import { explainFailure, makeParentFolder, resolveDatabase, takeOwnership } from './fileLock.ts';
import { isLocked, translateSqliteError } from './errors.ts';
import { giveToService } from './privateFile.ts';
import { emptyLog } from './wal.ts';
import { createSqliteBulkWrites } from './bulkWrites.ts';
import { createSqliteTextIndex } from './textIndex.ts';
import { prepareStatement } from './preparedSelect.ts';
import type { Row } from '../model/rowTypes.ts';
import { TenantReads, selectDueRows, type Bulk, type Store } from '../store.ts';
import { sqlite, sqliteExpressions } from './tables.ts';

// better-sqlite3 waits synchronously: a longer wait would stall all other requests.
const busyTimeoutMs = 100;
/** For work that blocks no other requests. */
const longBusyTimeoutMs = 5000;
// The writer's cache fills within hours and gains nothing from more; each commit empties the reader's.
const cacheKib = { writer: 4096, reader: 16_384 };
/** The number of tenants whose rows are cached between transactions. */
const maxCachedTenants = 1000;

const translateErrors = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
  }
};

interface SqliteOptions extends ScratchOptions {
  path: string;
  migrations: Migration[];
  /** Whether to lock the file, as a server does; short commands rely on SQLite's own write lock. */
  own: boolean;
}

/**
 * Opens the database file, creating and migrating it if necessary, with one connection to write and one to read. Throws
 * an Error with a plain message if another server has locked the file.
 */
export function openSqlite({ path: name, migrations, own, isScratch = false }: SqliteOptions): Store {
  makeParentFolder(name);
  const lock = own ? takeOwnership(name) : undefined;
  const path = lock?.path ?? resolveDatabase(name);
  try {
    const writer = openWriter(path);
    if (isScratch) prepareScratch(writer);
    if (own) migrateSqlite(writer, migrations);
    else migrateUnowned(path, writer, migrations);
    const reader = new Database(path, { readonly: true, timeout: busyTimeoutMs });
    prepareConnection(reader, cacheKib.reader);
    return createStore(writer, reader, () => lock?.release());
  } catch (error) {
    lock?.release();
    throw explainOpening(path, error);
  }
}

/**
 * Performs the pending migrations, unless a server uses the file: one of an earlier release does not know the new tables
 * and columns. A new file is migrated without a lock. Returns their tags.
 */
function migrateUnowned(path: string, writer: Database.Database, migrations: Migration[]): string[] {
  if (!isOutdated(writer, migrations)) return migrateSqlite(writer, migrations);
  const lock = takeOwnership(
    path,
    'has to be migrated, but a server of an earlier release uses it: stop it first',
  );
  try {
    return migrateSqlite(writer, migrations);
  } finally {
    lock.release();
  }
}

/** Performs the pending migrations on a database file and closes it; returns their tags. Error: as `migrateUnowned`. */
export function migrateFile(name: string, migrations: Migration[]): string[] {
  makeParentFolder(name);
  const path = resolveDatabase(name);
  let writer: Database.Database | undefined;
  try {
    writer = openWriter(path);
    return migrateUnowned(path, writer, migrations);
  } catch (error) {
    throw explainOpening(path, error);
  } finally {
    writer?.close();
  }
}

/** Reports a lock held by another process as a transient error, and explains other failures. */
const explainOpening = (path: string, error: unknown) =>
  isLocked(error) ? error : explainFailure(path, error);

function openWriter(path: string): Database.Database {
  const isNew = !existsSync(path);
  const writer = new Database(path, { timeout: busyTimeoutMs });
  // Before SQLite creates its log, which gets the same owner.
  if (isNew) giveToService(path, path);
  prepareConnection(writer, cacheKib.writer);
  writer.pragma('journal_mode = WAL');
  prepareWriter(writer);
  return writer;
}

function createStore(writer: Database.Database, reader: Database.Database, release: () => void): Store {
  const snapshot = createReadSnapshot(reader);
  const thread = openReaderThread(reader.name, buildDriver(reader));
  let changes = 0;
  // The number of rows written by another process is unknown.
  const tenants = createTenantCache(writer, () => (changes += 1));
  const onWrite = (rows: number, areTenants: boolean) => {
    changes += rows;
    if (areTenants) tenants.touch();
  };
  const written = new Queries({ ...buildDriver(writer, { onWrite }), version: () => changes });
  const committed = new Queries(buildDriver(reader, { beforeRead: snapshot.begin }));
  // From now on the commit queue waits for locks, so that no other code blocks on them.
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
          written.restrictTo(isOpen),
          tenants.findLatestEvent(tenantAlias),
          tenants.findRow(tenantAlias, written),
        );
      }),
    record: (tenantAlias, recording) =>
      commits.run((isOpen) => {
        endTurn();
        return recording(written.restrictTo(isOpen), undefined, tenants.findRow(tenantAlias, written));
      }),
    transactServer: (unit) => commits.run((isOpen) => unit(written.restrictTo(isOpen))),
    // One process owns the file, so nothing needs to be claimed.
    scanner: thread.scanner,
    textIndex: createSqliteTextIndex(reader, snapshot.begin),
    claim: (tenantAlias, name, selection, passOver) =>
      selectDueRows(new TenantReads(committed, tenantAlias), name, selection, passOver),
    snapshot: (work) => runAlone(reader.name, true, ({ queries }) => work(queries)),
    load: async (work) => {
      // It waits for the lock without giving way, also to the transaction that has it.
      await commits.idle();
      const value = await runAlone(reader.name, false, work);
      // Its commit is not in the queue: a snapshot that a read of this turn began would hide it.
      snapshot.end();
      return value;
    },
    purgeOldData: () => emptyLog(reader.name),
    ping: () => {
      translateErrors(() => reader.prepare('SELECT 1').get());
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

/** Runs one transaction on a connection of its own, because it takes longer than an event-loop turn. */
async function runAlone<T>(path: string, isRead: boolean, work: (bulk: Bulk) => Promise<T>): Promise<T> {
  const connection = new Database(path, { readonly: isRead, timeout: longBusyTimeoutMs });
  try {
    prepareConnection(connection, cacheKib.reader);
    if (!isRead) prepareWriter(connection);
    translateErrors(() => connection.exec(isRead ? 'BEGIN' : 'BEGIN IMMEDIATE'));
    // The first read fixes the snapshot.
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    const queries = new Queries(buildDriver(connection));
    const value = await work({ queries, attempt: (part) => runInSavepoint(connection, part) });
    translateErrors(() => connection.exec('COMMIT'));
    return value;
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    connection.close();
  }
}

async function runInSavepoint(db: Database.Database, part: () => MaybePromise<unknown>): Promise<void> {
  db.exec('SAVEPOINT part');
  try {
    await part();
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK TO part');
    throw error;
  } finally {
    if (db.inTransaction) db.exec('RELEASE part');
  }
}

/**
 * Caches what a unit needs to know of its tenant: its row, and the latest event that other processes may have recorded.
 * Both are read again only after another connection has written to the file, which cannot happen within a transaction.
 * The row is also read again after a unit may have changed it, and once more in the next transaction, because the
 * change may have been rolled back.
 */
function createTenantCache(writer: Database.Database, onOtherWrite: () => void) {
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
      onOtherWrite();
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
      if (rows.size === maxCachedTenants) rows.clear();
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

/** Hooks of a connection: before each read, and after writes with the number of rows. */
interface Hooks {
  beforeRead?: () => void;
  onWrite?: (rows: number, areTenants: boolean) => void;
}

function buildDriver(
  connection: Database.Database,
  { beforeRead = () => {}, onWrite = () => {} }: Hooks = {},
): Driver {
  const { insertRows, updateRows, upsertRows } = createSqliteBulkWrites(connection);
  return {
    tables: sqlite,
    builder: drizzle(connection),
    prepare: (...statement) => prepareStatement(connection, ...statement),
    limitsInText: true,
    lateralRanges: false,
    ...sqliteExpressions,
    all: ({ prepared }, values) =>
      translateErrors(() => {
        beforeRead();
        return prepared.all(values);
      }),
    run: ({ prepared, tables }, values) =>
      translateErrors(() => {
        const { changes } = prepared.run(values);
        onWrite(changes, tables.includes('tenants'));
        return changes;
      }),
    // Called first: if one row fails, earlier ones have already been written.
    insertRows: (name, rows) =>
      translateErrors(() => {
        onWrite(rows.length, name === 'tenants');
        return insertRows(name, rows);
      }),
    updateRows: (name, by, set, rows) =>
      translateErrors(() => {
        onWrite(rows.length, name === 'tenants');
        return updateRows(name, by, set, rows);
      }),
    upsertRows: (name, set, rows) =>
      translateErrors(() => {
        onWrite(rows.length, name === 'tenants');
        return upsertRows(name, set, rows);
      }),
  };
}
