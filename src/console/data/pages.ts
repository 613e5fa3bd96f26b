import { useCallback, useEffect, useReducer, useRef } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';
import { readProblem, type Problem } from './errors.ts';

/** A page of a Relay connection. */
export interface Connection<Row> {
  nodes: Row[];
  totalCount?: number;
  pageInfo: { endCursor?: string | null; hasNextPage: boolean };
}

/** The rows of a list that have been loaded so far. */
export interface Pages<Row> {
  rows: Row[];
  total: number | undefined;
  hasMore: boolean;
  loading: boolean;
  problem: Problem | undefined;
  loadMore: () => void;
  /** Loads the list anew from its beginning, and keeps showing the old rows meanwhile. */
  reload: () => void;
}

export interface PagesOptions<Data, Variables extends AnyVariables, Row> {
  document: TypedDocumentNode<Data, Variables>;
  /** The filters and the order, without `first` and `after`. */
  variables: Record<string, unknown>;
  connection: (data: Data) => Connection<Row> | null | undefined;
  pageSize?: number;
}

/** The size of further pages, the most that a list returns: who scrolls wants more than the first sight. */
const furtherSize = 100;

interface Store<Row> {
  pages: Connection<Row>[];
  /** The rows with the filters before, shown until the first page has come. */
  earlier: Connection<Row>[];
  loading: boolean;
  problem: Problem | undefined;
  stop: (() => void)[];
}

const createStore = <Row>(earlier: Connection<Row>[] = []): Store<Row> => ({
  pages: [],
  earlier,
  loading: true,
  problem: undefined,
  stop: [],
});

/**
 * Loads a list page by page. Each loaded page stays subscribed to the cache, so that a change of a record, by a mutation or
 * another screen, shows in its row.
 */
export function usePages<Data, Variables extends AnyVariables, Row>(
  options: PagesOptions<Data, Variables, Row>,
): Pages<Row> {
  const { document, connection, pageSize = 50 } = options;
  const client = useClient();
  const key = JSON.stringify(options.variables);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const store = useRef<Store<Row>>(createStore());
  const pick = useRef(connection);
  pick.current = connection;

  const load = useCallback(
    (into: Store<Row>, index: number, fresh: boolean, onFirst?: () => void) => {
      const after = into.pages[index - 1]?.pageInfo.endCursor ?? undefined;
      const first = index === 0 ? pageSize : furtherSize;
      const variables = { ...(JSON.parse(key) as object), first, after } as unknown as Variables;
      into.loading = true;
      const { unsubscribe } = client
        .query(document, variables, { requestPolicy: fresh ? 'network-only' : 'cache-and-network' })
        .subscribe(({ data, error, stale }) => {
          const page = data && pick.current(data);
          if (page) into.pages[index] = page;
          into.problem = error && !page ? readProblem(error) : undefined;
          if (!stale || page) into.loading = false;
          if (page || into.problem) into.earlier = [];
          onFirst?.();
          render();
        });
      into.stop.push(unsubscribe);
    },
    [client, document, key, pageSize],
  );

  const reloads = useRef(new Set<Store<Row>>());
  const shownDocument = useRef(document);
  useEffect(() => {
    const { pages, earlier } = store.current;
    const isSameList = shownDocument.current === document;
    shownDocument.current = document;
    const own = (store.current = createStore<Row>(isSameList ? (pages.length > 0 ? pages : earlier) : []));
    load(own, 0, false);
    render();
    return () => {
      for (const each of [store.current, ...reloads.current]) end(each);
      reloads.current.clear();
    };
  }, [load, document]);

  const reload = useCallback(() => {
    const next = createStore<Row>();
    reloads.current.add(next);
    load(next, 0, true, () => {
      // Absent once it is shown, and when other filters were chosen meanwhile.
      if (next.pages.length === 0 || !reloads.current.delete(next)) return;
      end(store.current);
      store.current = next;
    });
  }, [load]);

  const { earlier, loading, problem } = store.current;
  const pages = store.current.pages.length > 0 ? store.current.pages : earlier;
  const hasMore = pages !== earlier && (pages.at(-1)?.pageInfo.hasNextPage ?? false);
  const loadMore = useCallback(() => {
    const own = store.current;
    if (own.loading || !own.pages.at(-1)?.pageInfo.hasNextPage) return;
    load(own, own.pages.length, false);
  }, [load]);
  const rows = useRows(pages);
  return { rows, total: pages[0]?.totalCount, hasMore, loading, problem, loadMore, reload };
}

function end({ stop }: Store<unknown>): void {
  for (const each of stop) each();
}

/** Returns the rows of all pages; the same array unless a page has changed. */
function useRows<Row>(pages: Connection<Row>[]): Row[] {
  const known = useRef<{ pages: Connection<Row>[]; rows: Row[] }>({ pages: [], rows: [] });
  const before = known.current.pages;
  const isSame = before.length === pages.length && before.every((page, index) => page === pages[index]);
  if (!isSame) {
    const isLonger =
      pages.length > before.length && before.every((page, index) => page === pages[index]);
    const rows = isLonger
      ? [...known.current.rows, ...pages.slice(before.length).flatMap((page) => page.nodes)]
      : pages.flatMap((page) => page.nodes);
    known.current = { pages: [...pages], rows };
  }
  return known.current.rows;
}
