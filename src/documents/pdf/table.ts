/** The lines of a document and the totals below them. */
import type { DocumentView, LineView } from '../view.ts';
import {
  buildRow,
  buildRule,
  buildSpace,
  lineColor,
  measureText,
  strongLineColor,
  styles,
  type Band,
  type Block,
  type Cell,
  type Frame,
  type Style,
} from './bands.ts';
import { artifact, type Tag } from './canvas.ts';

interface Column {
  key: 'description' | 'quantity' | 'unitPrice' | 'tax' | 'amount';
  header: string;
  x: number;
  width: number;
}

const columnGap = 12;
const padding = 5;
/** The least share of the width for the description, however wide the numbers are. */
const descriptionShare = 0.36;

export interface Table {
  blocks: Block[];
  /** The rows at the end of a page and at the start of the next. */
  buildCarriedOver(carried: string): Band[];
  buildBroughtForward(carried: string): Band[];
}

/** Builds the table of lines. */
export function buildTable(view: DocumentView, frame: Frame): Table {
  const columns = layColumns(view, frame);
  const { texts } = view.language;
  const table: Tag = { name: 'Table' };
  const head: Tag = { name: 'THead', parent: table };
  const body: Tag = { name: 'TBody', parent: table };
  const header = buildHeader(columns, frame, { name: 'TR', parent: head });
  const amount = columns.at(-1)!;
  const buildCarried = (label: string, carried: string) => [
    buildRule(frame, lineColor),
    buildSpace(padding),
    ...buildRow(
      [
        { tag: artifact, text: label, style: styles.soft, x: 0, width: amount.x - columnGap },
        { ...cellOf(amount, carried, styles.soft), tag: artifact },
      ],
      frame,
    ),
  ];
  const blocks = view.table.lines.map((line, index): Block => ({
    bands: buildLine(line, columns, frame, { body, isFirst: index === 0 }),
    gapBefore: 0,
    carried: line.carried,
    withNext: index === view.table.lines.length - 1,
  }));
  return {
    blocks: [{ bands: header, gapBefore: 18, withNext: true }, ...blocks],
    buildCarriedOver: (carried) => buildCarried(texts.carriedOver, carried),
    buildBroughtForward: (carried) => [
      ...buildHeader(columns, frame),
      ...buildCarried(texts.broughtForward, carried).slice(1),
      buildSpace(padding),
      buildRule(frame, lineColor),
    ],
  };
}

function layColumns({ table }: DocumentView, frame: Frame): Column[] {
  const { description, quantity, unitPrice, tax, amount } = table.headers;
  const numeric = [
    { key: 'quantity' as const, header: quantity },
    { key: 'unitPrice' as const, header: unitPrice },
    ...(tax === null ? [] : [{ key: 'tax' as const, header: tax }]),
    { key: 'amount' as const, header: amount },
  ].map(({ key, header }) => ({ key, header, needed: measureColumn(key, header, table.lines, frame) }));
  const wanted = numeric.reduce((total, { needed }) => total + needed + columnGap, 0);
  const share = Math.min(1, (frame.width * (1 - descriptionShare)) / wanted);
  let x = frame.width - wanted * share;
  const columns: Column[] = [{ key: 'description', header: description, x: 0, width: x }];
  for (const { key, header, needed } of numeric) {
    const full = (needed + columnGap) * share;
    columns.push({ key, header, x: x + columnGap, width: full - columnGap });
    x += full;
  }
  return columns;
}

function measureColumn(
  key: 'quantity' | 'unitPrice' | 'tax' | 'amount',
  header: string,
  lines: LineView[],
  frame: Frame,
): number {
  const texts = lines.flatMap((line) => [line[key], ...(key === 'amount' ? [line.carried] : [])]);
  const longest = new Map<number, string>();
  // Digits have one width, so texts of the same length need the same space.
  for (const text of texts) longest.set(text.length, text);
  const widths = Array.from(longest.values(), (text) => measureText(text, styles.text, frame));
  return Math.max(measureText(header, styles.small, frame), ...widths) + 0.5;
}

const cellOf = ({ key, x, width }: Column, text: string, style: Style): Omit<Cell, 'tag'> => ({
  text,
  style,
  x,
  width,
  align: key === 'description' ? undefined : 'right',
});

function buildHeader(columns: Column[], frame: Frame, row?: Tag): Band[] {
  const cells = columns.map((column): Cell => ({
    ...cellOf(column, column.header, styles.small),
    tag: row ? ({ name: 'TH', parent: row, scope: 'Column' } as const) : artifact,
  }));
  return [
    ...buildRow(cells, frame),
    buildSpace(padding - 1),
    buildRule(frame, strongLineColor),
    buildSpace(padding - 1),
  ];
}

function buildLine(
  line: LineView,
  columns: Column[],
  frame: Frame,
  { body, isFirst }: { body: Tag; isFirst: boolean },
): Band[] {
  const row: Tag = { name: 'TR', parent: body };
  const heading: Tag = { name: 'TH', parent: row, scope: 'Row' };
  const [description, ...numeric] = columns as [Column, ...Column[]];
  const first: Cell = { ...cellOf(description, line.description, styles.text), tag: heading };
  const numbers = numeric.map((column) => ({
    ...cellOf(column, line[column.key], styles.text),
    tag: { name: 'TD', parent: row },
  }));
  const details = line.details.map((text) => ({
    ...cellOf({ ...description, width: frame.width * 0.62 }, text, styles.small),
    tag: heading,
  }));
  return [
    ...(isFirst ? [] : [buildRule(frame, lineColor)]),
    buildSpace(isFirst ? 0 : padding),
    ...buildRow([first, ...numbers], frame),
    ...details.flatMap((cell) => buildRow([cell], frame)),
    ...line.discounts.flatMap((discount) => buildDiscount(discount, columns, frame, body)),
    buildSpace(padding),
  ];
}

function buildDiscount(
  { label, amount }: LineView['discounts'][number],
  columns: Column[],
  frame: Frame,
  body: Tag,
): Band[] {
  const row: Tag = { name: 'TR', parent: body };
  const last = columns.at(-1)!;
  return [
    buildSpace(2),
    ...buildRow(
      [
        {
          tag: { name: 'TH', parent: row, scope: 'Row' },
          text: label,
          style: styles.small,
          x: 0,
          width: last.x - columnGap,
        },
        { ...cellOf(last, amount, styles.small), tag: { name: 'TD', parent: row } },
      ],
      frame,
    ),
  ];
}

/** Builds the rows from the subtotal to the amount due, which never begin a page without a line before them. */
export function buildTotals({ totals }: DocumentView, frame: Frame): Block {
  const table: Tag = { name: 'Table' };
  const x = frame.width * 0.42;
  const styleOf = { normal: styles.text, strong: styles.strong, due: styles.due };
  const widest = Math.max(...totals.map(({ amount, weight }) => measureText(amount, styleOf[weight], frame)));
  const amountWidth = Math.min(widest + 0.5, frame.width * 0.4);
  const bands = totals.flatMap(({ label, amount, weight }, index) => {
    const row: Tag = { name: 'TR', parent: table };
    const style = styleOf[weight];
    const width = frame.width - x - amountWidth - columnGap;
    const rule =
      weight === 'normal' && index > 0
        ? []
        : [buildRule(frame, index === 0 || weight === 'due' ? strongLineColor : lineColor, x)];
    return [
      ...rule,
      buildSpace(weight === 'due' ? 4 : 2.5),
      ...buildRow(
        [
          { tag: { name: 'TH', parent: row, scope: 'Row' }, text: label, style, x, width },
          {
            tag: { name: 'TD', parent: row },
            text: amount,
            style,
            x: frame.width - amountWidth,
            width: amountWidth,
            align: 'right',
          },
        ],
        frame,
      ),
      buildSpace(2.5),
    ];
  });
  return { bands, gapBefore: 3 };
}
