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
  // Asking the driver at each read would cost as much as the look-up of its statement.
  let hasBegun = false;
  const end = () => {
    hasBegun = false;
    if (!reader.open || !reader.inTransaction) return;
    try {
      commitStatement.run();
    } catch {
      // Reports a damaged page again, whose read has already failed. Later reads and commits must not fail as well.
      if (reader.inTransaction) rollbackStatement.run();
    }
  };
  const begin = () => {
    if (hasBegun) return;
    if (!reader.inTransaction) beginStatement.run();
    hasBegun = true;
    setImmediate(end);
  };
  return { begin, end };
}
