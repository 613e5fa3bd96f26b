import { BillingError } from '../lib/errors.ts';
import type { Group, Grouping } from './query/grouping.ts';
import type { Queries, Selection } from './query/queries.ts';
import { columnNames } from './query/tableMeta.ts';
import type { Row, TenantTable } from './model/rowTypes.ts';

/** The number of rows per step of a scan by default; a step takes about 20 ms. */
const defaultSliceRows = 20_000;
/** The number of concurrent scans of one tenant; further ones wait, without delaying other tenants. */
const maxScansPerTenant = 2;
const retrySeconds = 5;
/** SQLSTATE of a statement that exceeded the timeout of its connection. */
const queryCanceled = '57014';

/** A selection that no index bounds, in the order of an index; `filter` is applied to the rows of `where`. */
export type TableScan<Name extends TenantTable> = Selection<Name> & {
  orderBy: readonly (keyof Row<Name> & string)[];
  /** How many rows one step reads. */
  sliceRows?: number;
  /** How many rows the first step reads, if a few may suffice; each further one reads four times as many, up to `sliceRows`. */
  firstRows?: number;
};

/** A scan in progress. */
export interface Scan {
  /** Throws if the time limit has passed or the client has disconnected. Error: `query_timeout`. */
  check: () => void;
  /** Iterates over the rows in order, one slice of the index at a time. Error: `query_timeout`. */
  slices: <Name extends TenantTable>(name: Name, scan: TableScan<Name>) => AsyncGenerator<Row<Name>[]>;
  /** Returns the rows of one query, which an index has to bound. Error: `query_timeout`. */
  select: <Name extends TenantTable>(name: Name, selection: Selection<Name>) => Promise<Row<Name>[]>;
  /** Counts the rows, one slice of the index at a time. Error: `query_timeout`. */
  count: <Name extends TenantTable>(name: Name, scan: TableScan<Name>) => Promise<number>;
  /** Sums columns in groups, in one query. Error: `query_timeout`. */
  sum: <Name extends TenantTable>(name: Name, grouping: Grouping<Name>) => Promise<Group[]>;
}

/** The tenant of a scan, its time limit, and whether its client has disconnected. */
interface ScanLimits {
  tenantAlias: string;
  limitMs: number;
  isGone?: () => boolean;
}

/** Runs work that reads more than an index bounds, outside of the event loop. */
export interface Scanner {
  /** Runs work of a tenant within a time limit that includes its waiting time. Error: `query_timeout`. */
  run<T>(limits: ScanLimits, work: (scan: Scan) => Promise<T>): Promise<T>;
}

/** Creates a runner of scans from queries that do not block the event loop. */
export function createScanner(queries: Queries): Scanner {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const enter = async (alias: string) => {
    const others = running.get(alias) ?? 0;
    if (others < maxScansPerTenant) {
      running.set(alias, others + 1);
      return;
    }
    const queue = waiting.get(alias) ?? [];
    waiting.set(alias, queue);
    // A finished scan hands its place over to the next one.
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const leave = (alias: string) => {
    const next = waiting.get(alias)?.shift();
    if (next) return next();
    waiting.delete(alias);
    const left = running.get(alias)! - 1;
    if (left === 0) running.delete(alias);
    else running.set(alias, left);
  };

  const run: Scanner['run'] = async ({ tenantAlias, limitMs, isGone = () => false }, work) => {
    const endsAtMs = performance.now() + limitMs;
    const check = () => {
      if (performance.now() > endsAtMs || isGone()) throw new BillingError('query_timeout', [], retrySeconds);
    };
    await enter(tenantAlias);
    try {
      check();
      return await work({
        check,
        slices: (name, scan) => readSlices(queries, name, scan, check),
        select: async (name, selection) => {
          check();
          return queries.select(name, selection);
        },
        count: (name, scan) => countSlices(queries, name, scan, check),
        sum: async (name, grouping) => {
          check();
          return queries.sum(name, grouping);
        },
      });
    } catch (error) {
      throw isCanceled(error) ? new BillingError('query_timeout', [], retrySeconds) : error;
    } finally {
      leave(tenantAlias);
    }
  };
  return { run };
}

const isCanceled = (error: unknown) =>
  error instanceof BillingError && (error.cause as { code?: string } | undefined)?.code === queryCanceled;

async function* readSlices<Name extends TenantTable>(
  queries: Queries,
  name: Name,
  { filter, sliceRows = defaultSliceRows, firstRows = sliceRows, ...scan }: TableScan<Name>,
  check: () => void,
): AsyncGenerator<Row<Name>[]> {
  const { limit = Number.POSITIVE_INFINITY } = scan;
  let { past } = scan;
  let stepRows = firstRows;
  for (let found = 0; found < limit; stepRows = Math.min(stepRows * 4, sliceRows)) {
    const upTo = await findSliceEnd(queries, name, { ...scan, past, sliceRows: stepRows }, check);
    const most = limit === Number.POSITIVE_INFINITY ? undefined : limit - found;
    const rows = await queries.select(name, { ...scan, filter, past, upTo, limit: most });
    found += rows.length;
    yield rows;
    if (!upTo) return;
    past = upTo;
  }
}

/** Counts the rows of a scan in ascending order. A slice without a filter has a known number of rows, except the last. */
async function countSlices<Name extends TenantTable>(
  queries: Queries,
  name: Name,
  { where, filter, orderBy, sliceRows = defaultSliceRows }: TableScan<Name>,
  check: () => void,
): Promise<number> {
  let total = 0;
  for (let past: string[] | undefined; ;) {
    const upTo = await findSliceEnd(queries, name, { where, orderBy, past, sliceRows }, check);
    const isFull = upTo !== undefined && filter === undefined;
    total += isFull ? sliceRows : await queries.count(name, where, { filter, orderBy, past, upTo });
    if (!upTo) return total;
    past = upTo;
  }
}

/** Returns the key of the last row of the slice after `past`; undefined if the rest is shorter than a slice. */
async function findSliceEnd<Name extends TenantTable>(
  queries: Queries,
  name: Name,
  { sliceRows, ...scan }: TableScan<Name> & { sliceRows: number },
  check: () => void,
): Promise<string[] | undefined> {
  const { orderBy } = scan;
  const leaveOut = columnNames(name).filter((key) => !orderBy.includes(key));
  check();
  const [end] = await queries.select(name, { ...scan, skip: sliceRows - 1, limit: 1, leaveOut });
  check();
  return end && orderBy.map((key) => String(end[key]));
}
