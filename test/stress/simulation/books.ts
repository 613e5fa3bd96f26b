import type Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { indexBooks, type Books } from '../../../src/billing/audit/auditSnapshot.ts';
import type { Row, TableName } from '../../../src/storage/model/rowTypes.ts';
import { sqlite } from '../../../src/storage/sqlite/tables.ts';

/** Every row of a table, in the order of its keys, as the rules see it. */
export const readRows = <Name extends TableName>(disk: Database.Database, name: Name): Row<Name>[] =>
  drizzle(disk).select().from(sqlite[name]).all() as Row<Name>[];

/** All that the books of a database say. */
export interface DiskBooks extends Books {
  intents: Map<string, Row<'intents'>>;
}

/** Reads the books. */
export function readBooks(disk: Database.Database): DiskBooks {
  const intents = readRows(disk, 'intents');
  const resumed = disk
    .prepare(
      `SELECT payload ->> '$.resourceId' AS id,
         min(created_at, coalesce(payload ->> '$.changes.resumesAt[0]', created_at)) AS at FROM traces
       WHERE activity_type = 'SubscriptionEvent' AND payload ->> '$.action' = 'resumed'`,
    )
    .all() as { id: string; at: string }[];
  const books = indexBooks({
    subscriptions: readRows(disk, 'subscriptions'),
    invoices: readRows(disk, 'invoices'),
    invoiceLines: readRows(disk, 'invoiceLines'),
    intents,
    payments: readRows(disk, 'payments'),
    balanceEntries: readRows(disk, 'balanceEntries'),
    invoiceItems: readRows(disk, 'invoiceItems'),
    discounts: readRows(disk, 'discounts'),
    creditNotes: readRows(disk, 'creditNotes'),
    resumed,
  });
  return { ...books, intents: new Map(intents.map((intent) => [intent.id, intent])) };
}
