/** Renews the statistics of tables that grow fast, before PostgreSQL does it by itself. */
import type { Driver } from '../query/queries.ts';
import { quoteTable, type TableName } from '../model/rowTypes.ts';

const watched: readonly TableName[] = ['usageEvents', 'usageIds', 'usageBuckets', 'usageTotals'];

/**
 * After how many rows that this server has written. PostgreSQL keeps the plan that it chose for an empty table until somebody analyzes
 * the table, which autovacuum does after a minute or more: until then each recording of usage read the whole tables of ids and
 * of counts (1,000 events a second after 40,000, and 11,000 with statistics).
 */
const steps = [1000, 10_000, 100_000];

/** Counts the rows that are written to tables that grow fast. */
export function watchGrowth() {
  const written = new Map<TableName, number>();
  const due = new Set<TableName>();
  const note = (name: TableName, rows: number) => {
    if (!watched.includes(name)) return;
    const before = written.get(name) ?? 0;
    written.set(name, before + rows);
    if (steps.some((step) => before < step && before + rows >= step)) due.add(name);
  };
  return {
    /** Returns a driver whose written rows are counted. */
    watch: (driver: Driver): Driver => ({
      ...driver,
      insertRows: (name, rows) => {
        note(name, rows.length);
        return driver.insertRows(name, rows);
      },
      updateRows: (name, by, set, rows) => {
        note(name, rows.length);
        return driver.updateRows(name, by, set, rows);
      },
      upsertRows: (name, set, rows) => {
        note(name, rows.length);
        return driver.upsertRows(name, set, rows);
      },
    }),
    /** Analyzes the tables that have grown, outside a transaction. Without it the next recordings are slower, no more. */
    renewStatistics: async (query: (text: string) => Promise<unknown>): Promise<void> => {
      const names = [...due];
      due.clear();
      for (const name of names) await query(`analyze ${quoteTable(name)}`).catch(() => undefined);
    },
  };
}
