/** The look-ups of records by the beginning of a text, for types without entries in the search index. */
import type { Row, TenantTable } from '../../storage/model/rowTypes.ts';
import type { Match } from '../../storage/query/queries.ts';
import type { SearchType } from './searchedTypes.ts';

interface LookUp<Name extends TenantTable> {
  where: Match<Name>;
  orderBy: (keyof Row<Name> & string)[];
}

/** Matches texts that begin with a prefix; the texts are compared by code points on both databases. */
export const startingWith = (prefix: string) => ({ from: prefix, before: `${prefix}\u{10ffff}` });

const inEachCase = (text: string): string[] => [...new Set([text, text.toLowerCase(), text.toUpperCase()])];

const define = <Name extends TenantTable>(_table: Name, find: (text: string) => LookUp<Name>[]) =>
  find as (text: string) => LookUp<any>[];

/** Returns the look-ups of a type. */
export const beginnings: Partial<Record<SearchType, (text: string) => LookUp<any>[]>> = {
  // A tenant has few.
  webhook_endpoint: define('webhookEndpoints', () => [{ where: {}, orderBy: ['createdAt', 'id'] }]),
  mail: define('mailDeliveries', (text) =>
    inEachCase(text).map((recipient) => ({
      where: { recipient: startingWith(recipient) },
      orderBy: ['recipient', 'createdAt', 'id'],
    })),
  ),
};
