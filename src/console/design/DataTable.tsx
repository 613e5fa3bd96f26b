import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useEffect,
  useMemo,
  useRef,
  useState,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { AnyVariables, TypedDocumentNode } from 'urql';
import { Link, useLocation } from 'wouter';
import { isFollowed, type Follows } from '../data/query.tsx';
import { useLive } from '../data/live.tsx';
import { usePages, type Connection } from '../data/pages.ts';
import { useUrlValue } from '../data/url.ts';
import { useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import type { Column } from './column.ts';
import { Empty, ProblemNote, Skeleton } from './Feedback.tsx';
import { useFilterValues, type Filter } from './filters.tsx';
import { TableTools } from './TableTools.tsx';
import { useNarrow } from './narrow.ts';
import { isolate } from './Values.tsx';
import { texts } from './texts.ts';
import { useShortcuts } from '../app/shortcuts.tsx';
import './DataTable.css';

interface DataTableProps<Data, Variables extends AnyVariables, Row> {
  /** The name of the CSV file, and of the stored choice of columns. */
  name: string;
  /** Says what the list shows, to screen readers. */
  caption: string;
  /** Takes `first`, `after` and, with `ordered`, `order`. Its connection has nodes, pageInfo and totalCount. */
  document: TypedDocumentNode<Data, Variables>;
  connection: (data: Data) => Connection<Row> | null | undefined;
  /** Variables beside those of the filters, whose names are those of the variables. */
  variables?: Record<string, unknown>;
  columns: Column<Row>[];
  filters?: Filter[];
  /** Whether the list can be turned around. Default: true. */
  ordered?: boolean;
  /** Where a row leads. */
  href?: (row: Row) => string;
  /** Which events change the list. */
  follows?: Follows;
  /** Shown if there is nothing at all. */
  empty: ReactNode;
}

/** Browsers may return a promise from `scrollTo`, which an effect must not. */
function scrollToTop(frame: RefObject<HTMLElement | null>): void {
  frame.current?.scrollTo(0, 0);
}

const rowHeight = 37;
/** On a phone a row is a card with a line for each column. */
const cardLineHeight = 24;
const cardPadding = 21;
const overscan = 12;
/** While one scrolls, the next page is requested this many rows before the end, so that one seldom reaches a gap. */
const loadAhead = 100;

/**
 * A list of any length: it loads by pages as one scrolls, and renders only the rows in sight. Filters, order and columns
 * are part of the address.
 */
export function DataTable<Data, Variables extends AnyVariables, Row extends { id: string }>(
  props: DataTableProps<Data, Variables, Row>,
) {
  const {
    name,
    caption,
    document,
    connection,
    variables,
    columns,
    filters = [],
    follows = {},
    empty,
  } = props;
  const ordered = props.ordered ?? true;
  const t = useTexts(texts);
  const values = useFilterValues(filters);
  const [order, setOrder] = useUrlValue('order');
  const all = useMemo(
    () => ({ ...variables, ...values, ...(ordered && { order: order === 'ASC' ? 'ASC' : 'DESC' }) }),
    [variables, values, ordered, order],
  );
  const pages = usePages({ document, variables: all, connection });
  const { rows, problem, loading } = pages;
  const [changed, setChanged] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const scrollTo = useRef<(index: number) => void>(undefined);
  useRowKeys(frame, rows, scrollTo);
  // Other filters lead to the beginning of another list.
  useEffect(() => scrollToTop(frame), [all]);
  const renew = () => {
    // Rows that move away under somebody's eyes are worse than a list that is a moment old.
    if ((frame.current?.scrollTop ?? 0) < rowHeight) pages.reload();
    else setChanged(true);
  };
  useLive((traces) => {
    if (traces.some((trace) => isFollowed(trace, follows))) renew();
  }, renew);
  const reload = () => {
    setChanged(false);
    scrollToTop(frame);
    pages.reload();
  };
  const isFiltered = Object.values(values).some((value) => value !== undefined);
  const [shown, chooseColumns] = useShownColumns(columns);
  const isEmpty = rows.length === 0 && !loading && !problem;
  return (
    <>
      {(filters.length > 0 || !isEmpty) && (
        <TableTools
          {...{ name, document, connection, columns, filters, shown, chooseColumns, pages }}
          variables={all}
          order={ordered ? [order === 'ASC', (ascending) => setOrder(ascending ? 'ASC' : '')] : undefined}
        />
      )}
      {changed && (
        <Button look="quiet" className="table-changed" onClick={reload}>
          {t.changed}
        </Button>
      )}
      {problem && <ProblemNote problem={problem} retry={pages.reload} />}
      {isEmpty && (isFiltered ? <Empty title={t.noMatch} /> : empty)}
      {rows.length === 0 && loading && <Skeleton lines={10} />}
      {rows.length > 0 && (
        <Rows {...{ caption, rows, frame, scrollTo }} columns={shown} href={props.href} pages={pages} />
      )}
    </>
  );
}

/** The columns that the address names, or those that are not hidden at first. */
function useShownColumns<Row>(columns: Column<Row>[]): [Column<Row>[], (ids: string[]) => void] {
  const [named, setNamed] = useUrlValue('columns');
  const initial = columns.filter(({ hidden }) => !hidden).map(({ id }) => id);
  const shown = useMemo(() => {
    const ids = named ? named.split(',') : initial;
    const found = ids.flatMap((id) => columns.find((column) => column.id === id) ?? []);
    return found.length > 0 ? found : columns.slice(0, 1);
  }, [named, columns]);
  const choose = (chosen: string[]) => setNamed(chosen.join() === initial.join() ? '' : chosen.join());
  return [shown, choose];
}

interface RowsProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  href: ((row: Row) => string) | undefined;
  frame: RefObject<HTMLDivElement | null>;
  scrollTo: RefObject<((index: number) => void) | undefined>;
  pages: { hasMore: boolean; total: number | undefined; loadMore: () => void };
}

function Rows<Row extends { id: string }>(props: RowsProps<Row>) {
  const { caption, columns, rows, href, frame, scrollTo, pages } = props;
  const isNarrow = useNarrow();
  const height = isNarrow ? columns.length * cardLineHeight + cardPadding : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    overscan,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isScrolled = (items[0]?.index ?? 0) > 0;
  const { hasMore, loadMore } = pages;
  useEffect(() => {
    if (hasMore && last >= rows.length - (isScrolled ? loadAhead : 1)) loadMore();
  }, [hasMore, last, isScrolled, rows.length, loadMore]);
  useEffect(() => {
    scrollTo.current = (index) => virtual.scrollToIndex(index);
  }, [scrollTo, virtual]);
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div ref={frame} className="data-table" role="region" aria-label={caption} tabIndex={0}>
      <table
        // A table whose rows are no table rows to the browser is still one to screen readers.
        role={isNarrow ? 'table' : undefined}
        className={isNarrow ? 'cards' : undefined}
        aria-rowcount={(pages.total ?? rows.length) + 1}
        style={isNarrow ? undefined : { minWidth: columns.reduce((sum, { width = 160 }) => sum + width, 0) }}
      >
        <caption className="unseen">{caption}</caption>
        {!isNarrow && (
          <colgroup>
            {columns.map(({ id, width = 160 }) => (
              <col key={id} style={{ width }} />
            ))}
          </colgroup>
        )}
        <thead role={isNarrow ? 'rowgroup' : undefined}>
          <tr role={isNarrow ? 'row' : undefined} aria-rowindex={1}>
            {columns.map(({ id, header, align }) => (
              <th key={id} scope="col" role={isNarrow ? 'columnheader' : undefined} className={align}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={isNarrow ? 'rowgroup' : undefined}>
          {before > 0 && <Space height={before} columns={columns.length} />}
          {items.map(({ index }) => (
            <MemoRow key={rows[index]!.id} {...{ columns, href, index, isNarrow }} row={rows[index]!} />
          ))}
          {after > 0 && <Space height={after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

/** The place of the rows that are not in sight. */
const Space = ({ height, columns }: { height: number; columns: number }) => (
  <tr aria-hidden="true" className="data-space">
    <td colSpan={columns} style={{ height }} />
  </tr>
);

interface DataRowProps<Row> {
  columns: Column<Row>[];
  row: Row;
  index: number;
  href: ((row: Row) => string) | undefined;
  isNarrow: boolean;
}

function DataRow<Row>({ columns, row, index, href, isNarrow }: DataRowProps<Row>) {
  const [, navigate] = useLocation();
  const target = href?.(row);
  // The whole row can be pressed; its first cell has the link, for keyboards and screen readers.
  const follow = (event: MouseEvent<HTMLTableRowElement>) => {
    if (!target || (event.target as Element).closest('a, button, input, label')) return;
    if (getSelection()?.toString()) return;
    if (event.metaKey || event.ctrlKey)
      window.open(`${location.pathname.replace(/(\/t\/[^/]+).*/, '$1')}${target}`);
    else navigate(target);
  };
  return (
    <tr
      role={isNarrow ? 'row' : undefined}
      aria-rowindex={index + 2}
      data-row={index}
      className={target && 'pressable'}
      onClick={follow}
    >
      {columns.map(({ id, header, align, cell }, nth) => (
        <td key={id} role={isNarrow ? 'cell' : undefined} data-label={header} className={align}>
          {nth === 0 && target ? (
            <Link href={target} className="data-link">
              {isolate(cell(row))}
            </Link>
          ) : (
            isolate(cell(row))
          )}
        </td>
      ))}
    </tr>
  );
}

/** Rows that stay in sight are not rendered again while one scrolls (`npm run bench -- console`). */
const MemoRow = memo(DataRow) as typeof DataRow;

/**
 * j and k move the focus from row to row. A key that is pressed while rows are loading counts when they have come, and the
 * place in the list keeps the focus when other rows come. `scrollTo` brings a row into sight.
 */
function useRowKeys(
  frame: RefObject<HTMLElement | null>,
  rows: readonly unknown[],
  scrollTo: RefObject<((index: number) => void) | undefined>,
): void {
  /** The row that has the focus, or is to have it. */
  const wanted = useRef<number>(undefined);
  const focusWanted = () => {
    const row = frame.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] :is(a, button)`);
    if (row && row !== document.activeElement) row.focus({ preventScroll: true });
  };
  const move = (step: number) => {
    wanted.current = Math.max((wanted.current ?? -1) + step, 0);
    if (rows.length === 0) return;
    wanted.current = Math.min(wanted.current, rows.length - 1);
    scrollTo.current?.(wanted.current);
    // The row may be rendered only now that it is in sight.
    requestAnimationFrame(() => requestAnimationFrame(focusWanted));
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });

  useEffect(() => {
    const follow = ({ target }: Event) => {
      const row = target instanceof Element ? target.closest('[data-row]') : null;
      wanted.current = row ? Number(row.getAttribute('data-row')) : undefined;
    };
    document.addEventListener('focusin', follow);
    document.addEventListener('pointerdown', follow);
    return () => {
      document.removeEventListener('focusin', follow);
      document.removeEventListener('pointerdown', follow);
    };
  }, []);

  useEffect(() => {
    if (wanted.current === undefined || rows.length === 0) return;
    wanted.current = Math.min(wanted.current, rows.length - 1);
    if (document.activeElement === document.body) focusWanted();
  }, [rows]);
}
