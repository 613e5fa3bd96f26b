import { hash, timingSafeEqual } from 'node:crypto';
import { refuse } from '../lib/errors.ts';
import { isGiven } from '../lib/validation.ts';
import { parseInstant } from '../lib/time.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Match } from '../storage/query/queries.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import { searchList, type ListSearch, type Source } from './searchedList.ts';
import type { TenantScope } from './tenantScope.ts';

/** The requested part of a list, by the Relay Cursor Connections Specification and the REST interface. */
export interface PageArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  order?: 'asc' | 'desc' | null;
}

/** One page of rows, and whether there are rows before and after it. */
export interface Page<R> {
  rows: R[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Counts the rows of the whole list. Error: `query_timeout`. */
  countAll: () => Promise<number>;
  /** Returns the opaque cursor of a row. */
  toCursor: (row: R) => string;
}

/** A list of rows of a table that match conditions, in the order of a key. */
interface List<Name extends TenantTable> {
  /** Names the list to its cursors: a cursor is valid for one list only. */
  name: string;
  table: Name;
  where: Match<Name>;
  /** The filter of the request, if its conditions change with time: a cursor is valid for one filter only. */
  request?: unknown;
  /** Further conditions, checked on the rows that an index finds by `where`. */
  filter?: Match<Name>;
  /** Whether `filter` may have to check many rows to fill a page; the search then runs outside of the event loop. */
  isScan?: boolean;
  /** The sort key: a time, then an id, so that it is unique and covered by an index. */
  by: readonly (keyof Row<Name> & string)[];
  /** Columns that the caller does not read. */
  leaveOut?: readonly (keyof Row<Name> & string)[];
  /** Reads and counts the rows of a list that no single index has in order. */
  source?: Source<Name>;
  /** Only the records that are found by this. */
  search?: ListSearch;
}

/** When the rows of a list were created; an end that is not given is open. */
export interface CreatedRange {
  /** Inclusive. */
  createdAfter?: string | null;
  /** Exclusive. */
  createdBefore?: string | null;
}

/** Returns the condition on `createdAt` of a range. Error: `validation_failed`. */
export const matchCreated = (
  { record: { timezone } }: Pick<TenantScope, 'record'>,
  { createdAfter, createdBefore }: CreatedRange,
): { from?: string; before?: string } => ({
  from: createdAfter ? parseInstant(createdAfter, timezone, 'createdAfter') : undefined,
  before: createdBefore ? parseInstant(createdBefore, timezone, 'createdBefore') : undefined,
});

const defaultLimit = 10;
const maximumLimit = 100;
const signatureLength = 16;
/** In characters; genuine cursors have about 150. */
const maxCursorLength = 2048;

/**
 * Returns one page of a list, newest first unless ordered otherwise. Errors: `validation_failed`, `cursor_invalid`,
 * `query_timeout`.
 */
export async function readPage<Name extends TenantTable>(
  tenant: TenantScope,
  requested: List<Name>,
  args: PageArgs,
): Promise<Page<Row<Name>>> {
  const { search, table } = requested;
  const source = search ? await searchList(tenant, table, requested, search) : requested.source;
  const list = source ? { ...requested, source } : requested;
  const backward = isBackward(args);
  const limit = parseLimit(args, backward);
  const cursor = (backward ? args.before : args.after) ?? undefined;
  const order = args.order ?? 'desc';
  const binding = describeList(list, order);
  const selection = {
    where: list.where,
    filter: list.filter,
    orderBy: list.by,
    direction: backward === (order === 'desc') ? 'asc' : 'desc',
    past:
      cursor === undefined ? undefined : readCursor(tenant, binding, cursor, backward ? 'before' : 'after'),
    limit: limit + 1,
    leaveOut: list.leaveOut,
  } as const;
  const rows = await readRows(tenant, list, selection);
  const more = rows.length > limit;
  const shown = rows.slice(0, limit);
  const isWhole = !more && cursor === undefined;
  return {
    rows: backward ? shown.toReversed() : shown,
    hasNextPage: backward ? cursor !== undefined : more,
    hasPreviousPage: backward ? more : cursor !== undefined,
    countAll: async () => (isWhole ? rows.length : countRows(tenant, list)),
    toCursor: (row) => encodeCursor(tenant, binding, list.by.map((key) => row[key]).join('|')),
  };
}

/** A list in the order of creation, of one customer if `where` names one. */
type CreatedList<Name extends TenantTable> = Omit<List<Name>, 'by' | 'isScan' | 'request'> & {
  request?: Record<string, unknown>;
};

/**
 * Returns one page of a list in the order of creation, within the range of `args`. A filter may have to check many rows,
 * unless they are those of one customer. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export function readCreatedPage<Name extends TenantTable>(
  tenant: TenantScope,
  { where, filter = {}, request, ...list }: CreatedList<Name>,
  args: PageArgs & CreatedRange,
): Promise<Page<Row<Name>>> {
  const createdAt = matchCreated(tenant, args);
  const isOfCustomer = (where as { customerId?: unknown }).customerId !== undefined;
  const created = {
    ...list,
    where: { ...where, createdAt },
    filter,
    request: request && { ...request, createdAt },
    isScan: !isOfCustomer && hasConditions(filter),
    by: ['createdAt', 'id'],
  };
  return readPage(tenant, created as unknown as List<Name>, args);
}

const hasConditions = (filter: object): boolean =>
  Object.values(filter).some((condition) => condition !== undefined);

function readRows<Name extends TenantTable>(
  tenant: TenantScope,
  { source, isScan = false, table }: List<Name>,
  selection: Parameters<Source<Name>['read']>[0] & { orderBy: List<Name>['by'] },
): MaybePromise<Row<Name>[]> {
  if (source) return source.read(selection);
  return isScan ? tenant.search(table, selection) : tenant.read.many(table, selection);
}

/** A list of several tables, read in the order of a key. */
interface MergedList<R> {
  name: string;
  /** The filter of the request: a cursor is valid for one filter only. */
  request: unknown;
  /** Returns up to `limit` rows beyond the row with the key `past`, in ascending or descending order of their keys. */
  read: (part: { past?: string; ascending: boolean; limit: number }) => Promise<R[]>;
  /** Counts the rows of the whole list. Error: `query_timeout`. */
  count: () => Promise<number>;
  /** Returns the unique key of a row, whose order as text is that of the rows. */
  toKey: (row: R) => string;
}

/**
 * Returns one page of a list of several tables, newest first unless ordered otherwise. Errors: `validation_failed`,
 * `cursor_invalid`, `query_timeout`.
 */
export async function readMergedPage<R>(
  tenant: TenantScope,
  { name, request, read, count, toKey }: MergedList<R>,
  args: PageArgs,
): Promise<Page<R>> {
  const backward = isBackward(args);
  const limit = parseLimit(args, backward);
  const cursor = (backward ? args.before : args.after) ?? undefined;
  const order = args.order ?? 'desc';
  const binding = JSON.stringify([name, order, request]);
  const past =
    cursor === undefined
      ? undefined
      : readCursor(tenant, binding, cursor, backward ? 'before' : 'after').join('|');
  const found = await read({ past, ascending: backward === (order === 'desc'), limit: limit + 1 });
  const more = found.length > limit;
  const shown = found.slice(0, limit);
  const isWhole = !more && cursor === undefined;
  return {
    rows: backward ? shown.toReversed() : shown,
    hasNextPage: backward ? cursor !== undefined : more,
    hasPreviousPage: backward ? more : cursor !== undefined,
    countAll: () => (isWhole ? Promise.resolve(found.length) : count()),
    toCursor: (row) => encodeCursor(tenant, binding, toKey(row)),
  };
}

/** Counts a list outside of the event loop, because it may be long. */
function countRows<Name extends TenantTable>(
  tenant: TenantScope,
  { source, table, where, filter = {}, by }: List<Name>,
): Promise<number> {
  if (source) return source.count();
  return tenant.scan((scan) =>
    scan.count(table, { where, filter: hasConditions(filter) ? filter : undefined, orderBy: by }),
  );
}

function isBackward({ first, after, last, before }: PageArgs): boolean {
  const backward = isGiven(last) || isGiven(before);
  if (backward && (isGiven(first) || isGiven(after))) {
    refuse('validation_failed', {
      path: isGiven(last) ? 'last' : 'before',
      message: 'cannot be combined with first or after',
    });
  }
  return backward;
}

function parseLimit(args: PageArgs, backward: boolean): number {
  const path = backward ? 'last' : 'first';
  const limit = args[path] ?? defaultLimit;
  if (Number.isInteger(limit) && limit >= 1 && limit <= maximumLimit) return limit;
  return refuse('validation_failed', { path, message: `must be a whole number from 1 to ${maximumLimit}` });
}

/** Describes what a cursor is valid for: the list, its order and its filter. */
const describeList = <Name extends TenantTable>(
  { name, where, filter, request, search }: List<Name>,
  order: 'asc' | 'desc',
): string =>
  JSON.stringify([name, order, request ?? [where, filter], ...(search === undefined ? [] : [search.text])]);

/** Returns a signed cursor of a position, which is ASCII; it is valid for what `binding` names. */
export function encodeCursor(tenant: TenantScope, binding: string, position: string): string {
  const text = `${position}|${sign(tenant, binding, position)}`;
  // The text is ASCII, padded to a multiple of three bytes: its base64 has no `+`, `/` or `=`, and needs no escaping in
  // a URL.
  return Buffer.from(text.padEnd(Math.ceil(text.length / 3) * 3)).toString('base64');
}

/** Returns the parts of the position of a cursor. Error: `cursor_invalid` at `path`. */
export function readCursor(tenant: TenantScope, binding: string, cursor: string, path: string): string[] {
  if (cursor.length > maxCursorLength) return refuseCursor(path);
  const text = Buffer.from(cursor, 'base64').toString('latin1');
  const position = text.slice(0, Math.max(0, text.lastIndexOf('|')));
  const given = Buffer.from(cursor);
  // Compares the whole encoded cursor: Node ignores characters outside of base64 when it decodes, so a cursor with
  // extra characters would pass otherwise.
  const genuine = Buffer.from(encodeCursor(tenant, binding, position));
  const isGenuine = given.length === genuine.length && timingSafeEqual(given, genuine);
  return isGenuine ? position.split('|') : refuseCursor(path);
}

const refuseCursor = (path: string) =>
  refuse('cursor_invalid', { path, message: 'is not a cursor of this list' });

// Truncated to a quarter, so a hash that begins with the secret cannot be extended; HMAC would cost twice as much.
const sign = (tenant: TenantScope, binding: string, position: string) =>
  hash('sha256', `${tenant.record.cursorSecret}|${binding}|${position}`).slice(0, signatureLength);
