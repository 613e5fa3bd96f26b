import type Database from 'better-sqlite3';

/** A snapshot that the reads of an event-loop turn share. */
interface ReadSnapshot {
  /** Begins the snapshot unless it has begun. */
  begin: () => void;
  end: () => void;
}

/**
 * Shares one snapshot among all reads of an event-loop turn, instead of locking for each statement. It ends with the
 * turn or with the next commit, so every read sees the latest commit, and the log without readers can be reset.
 */
export function createReadSnapshot(reader: Database.Database): ReadSnapshot {
  const beginStatement = reader.prepare('BEGIN');
  const commitStatement = reader.prepare('COMMIT');
  const rollbackStatement = reader.prepare('ROLLBACK');
  const end = () => {
    if (!reader.open || !reader.inTransaction) return;
    try {
      commitStatement.run();
    } catch {
      // Reports a damaged page again, whose read has already failed. Later reads and commits must not fail as well.
      if (reader.inTransaction) rollbackStatement.run();
    }
  };
  const begin = () => {
    if (reader.inTransaction) return;
    beginStatement.run();
    setImmediate(end);
  };
  return { begin, end };
}
