import { BillingError } from '../lib/errors.ts';
import type { Queries, Selection } from './query/queries.ts';
import { columnNames } from './query/tableMeta.ts';
import type { Row, TableName } from './model/rowTypes.ts';

/** Rows that one step of a scan looks at unless it is said otherwise: some 20 ms. */
const usualSliceRows = 20_000;
/** More scans of one tenant wait for each other, and those of other tenants do not. */
const mostOfTenant = 2;
const retrySeconds = 5;
/** SQLSTATE of a statement that took longer than its connection allows. */
const queryCanceled = '57014';

/** What no index bounds, in the order in which an index has the rows; `filter` chooses among those of `where`. */
export type TableScan<Name extends TableName> = Selection<Name> & {
  orderBy: readonly (keyof Row<Name> & string)[];
  /** How many rows one step looks at. */
  sliceRows?: number;
};

/** A scan that is under way. */
export interface Scan {
  /** Throws where it has taken too long, or nobody waits for it any more. Error: `query_timeout`. */
  check: () => void;
  /** The rows in order, a slice of the index at a time. Error: `query_timeout`. */
  slices: <Name extends TableName>(name: Name, scan: TableScan<Name>) => AsyncGenerator<Row<Name>[]>;
}

/** Who scans, for how long at most, and whether somebody still waits for it. */
interface ScanLimits {
  tenantAlias: string;
  limitMs: number;
  isGone?: () => boolean;
}

/** Work that reads more than an index bounds, beside the event loop. */
export interface Beside {
  /** Does some work of a tenant within a time limit, its waiting included. Error: `query_timeout`. */
  run<T>(limits: ScanLimits, work: (scan: Scan) => Promise<T>): Promise<T>;
}

/** Scans by these queries, which do not run on the event loop. */
export function createBeside(queries: Queries): Beside {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const enter = async (alias: string) => {
    const others = running.get(alias) ?? 0;
    if (others < mostOfTenant) {
      running.set(alias, others + 1);
      return;
    }
    const queue = waiting.get(alias) ?? [];
    waiting.set(alias, queue);
    // Who leaves hands its place on.
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

  const run: Beside['run'] = async ({ tenantAlias, limitMs, isGone = () => false }, work) => {
    const endsAtMs = performance.now() + limitMs;
    const check = () => {
      if (performance.now() > endsAtMs || isGone()) throw new BillingError('query_timeout', [], retrySeconds);
    };
    await enter(tenantAlias);
    try {
      check();
      return await work({ check, slices: (name, scan) => readSlices(queries, name, scan, check) });
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

async function* readSlices<Name extends TableName>(
  queries: Queries,
  name: Name,
  { filter, sliceRows = usualSliceRows, ...scan }: TableScan<Name>,
  check: () => void,
): AsyncGenerator<Row<Name>[]> {
  const { orderBy, limit = Number.POSITIVE_INFINITY } = scan;
  const others = columnNames(name).filter((key) => !orderBy.includes(key));
  let { past } = scan;
  for (let found = 0; found < limit;) {
    check();
    const [edge] = await queries.select(name, {
      ...scan,
      past,
      skip: sliceRows - 1,
      limit: 1,
      leaveOut: others,
    });
    const upTo = edge && orderBy.map((key) => String(edge[key]));
    check();
    const most = limit === Number.POSITIVE_INFINITY ? undefined : limit - found;
    const rows = await queries.select(name, { ...scan, filter, past, upTo, limit: most });
    found += rows.length;
    yield rows;
    if (!upTo) return;
    past = upTo;
  }
}
