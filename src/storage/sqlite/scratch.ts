import type Database from 'better-sqlite3';

export interface ScratchOptions {
  /** Whether the file is deleted after its use: then it need not survive a loss of power. */
  isScratch?: boolean;
}

/** A large log, because writing it back to the file takes time. */
const checkpointPages = 20_000;

/** Prepares the writer of a file that is deleted after its use: it waits for no disk, and overwrites nothing deleted. */
export function prepareScratch(writer: Database.Database): void {
  writer.pragma('synchronous = OFF');
  writer.pragma('secure_delete = OFF');
  writer.pragma(`wal_autocheckpoint = ${checkpointPages}`);
}
