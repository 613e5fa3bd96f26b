import { nullable, table, text } from './columns.ts';
import { byTenant, tenantKey } from './common.ts';

/** The types of records that have an entry in the search index. */
export const indexedTypes = [
  'customer',
  'subscription',
  'invoice',
  'credit_note',
  'intent',
  'payment_method',
  'product',
  'price',
  'coupon',
  'promotion_code',
] as const;

export type IndexedType = (typeof indexedTypes)[number];

/**
 * The search index: made from the records, and left out of files and copies. On SQLite triggers on the entries keep the table
 * of FTS5: a migration that rebuilds the table of entries has to create them again.
 */
export const searching = {
  searchEntries: table(
    'search_entries',
    {
      tenantAlias: text(),
      /** The record. */
      id: text(),
      type: text<IndexedType>(),
      /** The texts by which the record is found, folded, one a line. */
      text: text(),
      /** The trigrams of the text for PostgreSQL, which indexes them; null on SQLite, whose FTS5 makes its own. */
      grams: nullable(text()),
    },
    {
      ...byTenant,
      indexes: { search_entries_type: { columns: ['tenantAlias', 'type', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // How far the index follows the events of a tenant. Without a row the index is still to be built.
  searchProgress: table(
    'search_progress',
    { tenantAlias: text(), lastEvent: text() },
    { primary: ['tenantAlias'], foreign: tenantKey },
  ),
};
