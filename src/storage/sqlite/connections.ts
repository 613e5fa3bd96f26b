import type Database from 'better-sqlite3';

/** How a database file is opened that is deleted after its use. */
export interface ScratchOptions {
  /** Whether the file is deleted after its use: then it need not survive a loss of power. */
  isScratch?: boolean;
}

// A checkpoint blocks all requests: 10 ms at this size; at 10,000 pages 45 ms, but a twentieth less in total.
const checkpointPages = 2000;
/** Of a scratch file, which serves no requests. */
const scratchCheckpointPages = 20_000;

/** Prepares any connection; its cache has at most `keptKib`. */
export function prepareConnection(connection: Database.Database, keptKib: number): void {
  connection.defaultSafeIntegers(true);
  connection.pragma(`cache_size = -${keptKib}`);
}

/** Prepares a connection that writes. */
export function prepareWriter(writer: Database.Database): void {
  writer.pragma('synchronous = FULL');
  // Savepoint journals are kept in memory: on disk they cost a fifth of a renewal's time.
  writer.pragma('temp_store = MEMORY');
  writer.pragma('foreign_keys = ON');
  // Deleted and replaced data is overwritten, so that erased names cannot be recovered from the file.
  writer.pragma('secure_delete = ON');
  writer.pragma(`wal_autocheckpoint = ${checkpointPages}`);
}

/** Prepares the writer of a scratch file: it waits for no disk, and overwrites nothing that is deleted. */
export function prepareScratch(writer: Database.Database): void {
  writer.pragma('synchronous = OFF');
  writer.pragma('secure_delete = OFF');
  writer.pragma(`wal_autocheckpoint = ${scratchCheckpointPages}`);
}
