import type { Prefix } from '../../lib/ids.ts';
import { nullable, table, text } from './columns.ts';
import { byTenant, tenantKey } from './common.ts';

/** The types of records that have an entry in the search index, and how their ids begin. */
export const idPrefixes = {
  customer: 'cus',
  subscription: 'sub',
  invoice: 'inv',
  credit_note: 'cn',
  intent: 'int',
  payment_method: 'pm',
  product: 'prod',
  price: 'price',
  coupon: 'coup',
  promotion_code: 'promo',
} as const satisfies Record<string, Prefix>;

export type IndexedType = keyof typeof idPrefixes;

export const indexedTypes = Object.keys(idPrefixes) as IndexedType[];

/**
 * The search index: made from the records, and left out of files and copies. On SQLite an entry has a column more, `position`,
 * its row in the table of FTS5, which triggers keep: a migration that rebuilds the entries has to create them again.
 */
export const searching = {
  searchEntries: table(
    'search_entries',
    {
      tenantAlias: text(),
      /** The record. */
      id: text(),
      type: text<IndexedType>(),
      /** The texts by which the record is found, folded and joined. */
      text: text(),
      /** The trigrams of the text for PostgreSQL, which indexes them; null on SQLite, whose FTS5 makes its own. */
      grams: nullable(text()),
    },
    { ...byTenant, foreign: tenantKey },
  ),

  // How far the index follows the events of a tenant. Without a row the index is still to be built.
  searchProgress: table(
    'search_progress',
    { tenantAlias: text(), lastEvent: text() },
    { primary: ['tenantAlias'], foreign: tenantKey },
  ),
};
