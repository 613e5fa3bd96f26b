import type Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { Row, TableName } from '../../../src/db/schema.ts';
import { sqlite } from '../../../src/db/tables.sqlite.ts';

/** Every row of a table, in the order of its keys, as the rules see it. */
export const rowsOf = <Name extends TableName>(disk: Database.Database, name: Name): Row<Name>[] =>
  drizzle(disk).select().from(sqlite[name]).all() as Row<Name>[];

/** The rows by what `keyOf` says of each. */
export function groupBy<R>(rows: R[], keyOf: (row: R) => string | null): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** All that the books of a database say. */
export interface Books {
  subscriptions: Row<'subscriptions'>[];
  invoices: Row<'invoices'>[];
  intents: Map<string, Row<'intents'>>;
  payments: Row<'payments'>[];
  balanceEntries: Row<'balanceEntries'>[];
  invoiceById: Map<string, Row<'invoices'>>;
  linesOf: (invoiceId: string) => Row<'invoiceLines'>[];
  invoicesOf: (subscriptionId: string) => Row<'invoices'>[];
  intentsOf: (subscriptionId: string) => Row<'intents'>[];
  /** The instants at which a subscription was resumed. */
  resumesOf: (subscriptionId: string) => string[];
}

/** Reads the books. */
export function readBooks(disk: Database.Database): Books {
  const invoices = rowsOf(disk, 'invoices').toSorted((a, b) => a.number - b.number);
  const intents = rowsOf(disk, 'intents');
  const lines = groupBy(rowsOf(disk, 'invoiceLines'), ({ invoiceId }) => invoiceId);
  const bySubscription = groupBy(invoices, ({ subscriptionId }) => subscriptionId);
  const intentsBySubscription = groupBy(
    intents,
    ({ subscriptionId, changesSubscriptionId }) => subscriptionId ?? changesSubscriptionId,
  );
  const resumed = disk
    .prepare(
      `SELECT payload ->> '$.resourceId' AS id, created_at AS at FROM traces
       WHERE activity_type = 'SubscriptionEvent' AND payload ->> '$.action' = 'resumed'`,
    )
    .all() as { id: string; at: string }[];
  const resumes = groupBy(resumed, ({ id }) => id);
  return {
    subscriptions: rowsOf(disk, 'subscriptions'),
    invoices,
    intents: new Map(intents.map((intent) => [intent.id, intent])),
    payments: rowsOf(disk, 'payments'),
    balanceEntries: rowsOf(disk, 'balanceEntries'),
    invoiceById: new Map(invoices.map((invoice) => [invoice.id, invoice])),
    linesOf: (id) => lines.get(id) ?? [],
    invoicesOf: (id) => bySubscription.get(id) ?? [],
    intentsOf: (id) => intentsBySubscription.get(id) ?? [],
    resumesOf: (id) => (resumes.get(id) ?? []).map(({ at }) => at),
  };
}
