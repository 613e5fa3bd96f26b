import { sqliteTables } from './columns.ts';
import { schema } from './schema.ts';

/** The SQLite tables, each under its own name: drizzle-kit reads the exports of this file. */
export const sqlite = sqliteTables(schema);

export const {
  tenants,
  apiKeys,
  customers,
  groups,
  products,
  prices,
  paymentMethods,
  intents,
  subscriptions,
  invoices,
  invoiceLines,
  payments,
  balanceEntries,
  traces,
} = sqlite;
