/**
 * The search over all records by any part of their ids, numbers, names and addresses. Candidates come from the search index, and
 * from the records that it does not have yet; each is judged by its present texts.
 */
import { findIdType } from '../../lib/ids.ts';
import { refuse } from '../../lib/errors.ts';
import { foldText, listMatches } from '../../lib/searchText.ts';
import { indexedTypes, type IndexedType } from '../../storage/model/search.ts';
import type { SearchedTenant } from '../../tenancy/service.ts';
import { beginnings, startingWith } from './beginnings.ts';
import {
  getRecordId,
  listFoldedTexts,
  searched,
  searchTypes,
  type SearchHit,
  type SearchType,
} from './searchedTypes.ts';
import { loadUnindexed, type Unindexed } from './unindexed.ts';

const [shortestQuery, longestQuery] = [2, 200];

type AnyRow = Record<string, unknown>;

/** A record that has all words of the query, and how well it matches: the less the better. */
interface Match {
  row: AnyRow;
  rank: number;
}

/** The type of the records whose ids have this form. */
const typesById: Record<string, SearchType | undefined> = {
  Customer: 'customer',
  SubscriptionContract: 'subscription',
  Invoice: 'invoice',
  CreditNote: 'credit_note',
  SubscriptionIntent: 'intent',
  Payment: 'payment',
  PaymentMethod: 'payment_method',
  Product: 'product',
  Price: 'price',
  Coupon: 'coupon',
  PromotionCode: 'promotion_code',
  WebhookEndpoint: 'webhook_endpoint',
  MailDelivery: 'mail',
  Trace: 'event',
};

/**
 * Returns the records that a text finds, at most `first`: those that it names exactly, those that begin with it, those with a
 * word that does, then those that contain it; among these by the order of `searchTypes`. A text in the form of an id finds
 * that type by its ids only. Errors: `validation_failed`, `query_timeout`.
 */
export async function searchRecords(
  tenant: SearchedTenant,
  query: string,
  types: readonly SearchType[],
  first: number,
): Promise<SearchHit[]> {
  const text = parseQuery(query, 'query');
  const named = typesById[findIdType(text) ?? ''];
  if (named) return types.includes(named) ? findById(tenant, named, text, first) : [];
  const folded = foldText(text);
  if (folded === '') return [];
  const wanted = searchTypes.filter((type) => types.includes(type));
  const unindexed = await loadUnindexed(tenant);
  const found = await Promise.all(
    wanted.map(async (type) => {
      const rows = await findCandidates(tenant, type, { text, folded, first }, unindexed);
      const matches = rankRows(type, rows, folded).slice(0, first);
      return matches.map(({ row, rank }) => ({ hit: toHit(type, row), rank }));
    }),
  );
  return shareOut(found, first)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ hit }) => hit);
}

/** Returns a query with single spaces. Error: `validation_failed`. */
function parseQuery(query: string, path: string): string {
  const text = query.trim().replace(/\s+/g, ' ');
  if (text.length >= shortestQuery && text.length <= longestQuery) return text;
  return refuse('validation_failed', {
    path,
    message: `must have ${shortestQuery} to ${longestQuery} characters`,
  });
}

/**
 * Returns the ids of the records of a type that the filter `search` of a list finds, the best first. Errors: `validation_failed`,
 * `query_timeout`.
 */
export async function findIds(
  tenant: SearchedTenant,
  type: IndexedType,
  query: string,
  limit: number,
): Promise<string[]> {
  const text = parseQuery(query, 'search');
  const named = typesById[findIdType(text) ?? ''];
  if (named)
    return named === type ? (await findById(tenant, type, text, limit)).map(({ nodeId }) => nodeId) : [];
  const folded = foldText(text);
  if (folded === '') return [];
  const unindexed = await loadUnindexed(tenant);
  const rows = await findCandidates(tenant, type, { text, folded, first: limit }, unindexed);
  const ranked = rankRows(type, rows, folded).slice(0, limit);
  return ranked.map(({ row }) => getRecordId(type, row));
}

async function findById(
  { read }: SearchedTenant,
  type: SearchType,
  text: string,
  limit: number,
): Promise<SearchHit[]> {
  const { table, id = 'id', leaveOut } = searched[type];
  const selection = { where: { [id]: startingWith(text) }, orderBy: [id], limit, leaveOut };
  const rows = (await read.many(table, selection as never)) as AnyRow[];
  return rows.map((row) => toHit(type, row));
}

interface Wanted {
  text: string;
  folded: string;
  first: number;
}

const mostEndpoints = 50;

/** Reads the records of a type that may match. */
async function findCandidates(
  tenant: SearchedTenant,
  type: SearchType,
  { text, folded, first }: Wanted,
  unindexed: Unindexed,
): Promise<AnyRow[]> {
  if (isIndexed(type)) {
    const [known, others] = await Promise.all([
      // What changed meanwhile may have its place among the first for its former texts.
      readIndexed(tenant, type, folded, first + unindexed.count(type)),
      unindexed.find(type, folded.split(' ')),
    ]);
    return [...known, ...others];
  }
  const { table, leaveOut } = searched[type];
  const limit = type === 'webhook_endpoint' ? mostEndpoints : first;
  const lookUps = (beginnings[type]?.(text) ?? []).map(
    async ({ where, orderBy }): Promise<AnyRow[]> =>
      (await tenant.read.many(table, { where, orderBy, limit, leaveOut })) as unknown as AnyRow[],
  );
  return (await Promise.all(lookUps)).flat();
}

const isIndexed = (type: SearchType): type is IndexedType =>
  (indexedTypes as readonly string[]).includes(type);

async function readIndexed(
  tenant: SearchedTenant,
  type: IndexedType,
  folded: string,
  limit: number,
): Promise<AnyRow[]> {
  const id = await findEntries(tenant, type, folded, limit);
  if (id.length === 0) return [];
  const { table, leaveOut } = searched[type];
  const rows = (await tenant.read.many(table, { where: { id }, leaveOut } as never)) as AnyRow[];
  const byId = new Map<unknown, AnyRow>(rows.map((row) => [row['id'], row]));
  return id.flatMap<AnyRow>((each) => byId.get(each) ?? []);
}

/** Returns the ids of the entries that match best. */
async function findEntries(
  tenant: SearchedTenant,
  type: IndexedType,
  folded: string,
  limit: number,
): Promise<string[]> {
  const better = listMatches(folded);
  const anywhere = await tenant.findText(type, better.pop()!, limit);
  // Usually these are all.
  if (anywhere.isComplete) return anywhere.ids;
  const ids = new Set<string>();
  for (const parts of better) {
    if (ids.size >= limit) break;
    for (const id of (await tenant.findText(type, parts, limit)).ids) ids.add(id);
  }
  for (const id of anywhere.ids) ids.add(id);
  return [...ids].slice(0, limit);
}

/** Returns each record once that has all words of the query, the best first. */
function rankRows(type: SearchType, rows: AnyRow[], folded: string): Match[] {
  const words = folded.split(' ');
  const matches = new Map<string, Match>();
  for (const row of rows) {
    const id = getRecordId(type, row);
    if (matches.has(id)) continue;
    const texts = listFoldedTexts(type, row);
    const isMatch = words.every((word) => texts.some((text) => text.includes(word)));
    if (isMatch) matches.set(id, { row, rank: Math.min(...texts.map((text) => rankText(text, folded))) });
  }
  return [...matches.values()].toSorted((a, b) => a.rank - b.rank);
}

/** Returns how well a text matches: 0 if it is the query, then its beginning, the beginning of a word, a part, or none. */
function rankText(text: string, folded: string): number {
  if (text.startsWith(folded)) return text.length === folded.length ? 0 : 1;
  if (text.includes(` ${folded}`)) return 2;
  return text.includes(folded) ? 3 : 4;
}

const toHit = (type: SearchType, row: AnyRow): SearchHit => ({
  customerId: null,
  parentId: null,
  ...searched[type].show(row),
  type,
  nodeId: getRecordId(type, row),
});

/** Takes the best of each type in turn, so that one type does not push out the others. */
function shareOut<T>(found: T[][], most: number): T[] {
  const total = found.reduce((sum, { length }) => sum + length, 0);
  const counts = found.map(() => 0);
  for (let left = Math.min(most, total); left > 0;) {
    for (const [index, { length }] of found.entries()) {
      if (left === 0 || counts[index]! >= length) continue;
      counts[index]! += 1;
      left -= 1;
    }
  }
  return found.flatMap((hits, index) => hits.slice(0, counts[index]));
}
