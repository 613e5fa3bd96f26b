/** The parts of a page: horizontal bands with text and images in them, which are drawn once their place is known. */
import { artifact, type Canvas, type Tag, type TextStyle } from './canvas.ts';
import type { DocumentFont, FontFamily } from './fonts.ts';
import { breakLines, type TextLine } from './text.ts';

/** A horizontal part of a page that is never divided. */
export interface Band {
  height: number;
  draw(canvas: Canvas, y: number): void;
}

/** Bands that follow each other. */
export interface Block {
  bands: Band[];
  gapBefore: number;
  /** Stays on the page of the next block. */
  withNext?: boolean;
  /** The sum of the lines so far, for a line of the table. */
  carried?: string;
}

export interface Frame {
  /** Distance of the page's sides from its content. */
  margin: number;
  pageWidth: number;
  width: number;
  direction: 'ltr' | 'rtl';
  family: FontFamily;
}

export interface Style extends TextStyle {
  weight: keyof FontFamily;
  /** The height of a line. */
  leading: number;
}

export const styles = {
  text: { size: 9.5, color: '#16191d', weight: 'regular', leading: 13.5 },
  strong: { size: 9.5, color: '#16191d', weight: 'strong', leading: 13.5 },
  soft: { size: 9.5, color: '#565d66', weight: 'regular', leading: 13.5 },
  small: { size: 8, color: '#565d66', weight: 'regular', leading: 11 },
  brand: { size: 13, color: '#16191d', weight: 'strong', leading: 17 },
  title: { size: 20, color: '#16191d', weight: 'strong', leading: 26 },
  summary: { size: 13, color: '#16191d', weight: 'strong', leading: 18 },
  due: { size: 12, color: '#16191d', weight: 'strong', leading: 17 },
} satisfies Record<string, Style>;

export const lineColor = '#d5d9de';
export const strongLineColor = '#16191d';

/** Text in a column of a band: `x` and `width` from the side where lines begin. */
export interface Cell {
  tag: Tag | typeof artifact;
  text: string;
  style: Style;
  x: number;
  width: number;
  /** At the side where lines begin, or at a side in every language: numbers end at the right. */
  align?: 'left' | 'right' | 'centre';
  /** Lines that are shown at most. */
  most?: number;
}

const fontsOf = (style: Style, { family }: Frame): DocumentFont[] => family[style.weight];

/** Returns the width of text on one line. */
export const measureText = (text: string, style: Style, frame: Frame): number =>
  Math.max(...breakLines(text, fontsOf(style, frame), Infinity, frame.direction).map(({ width }) => width)) *
  style.size;

/** Breaks a cell into lines. */
function layCell({ text, style, width, most = Infinity }: Cell, frame: Frame): TextLine[] {
  const fonts = fontsOf(style, frame);
  const lines = breakLines(text, fonts, width / style.size, frame.direction);
  if (lines.length <= most) return lines;
  const ellipsis = breakLines('…', fonts, Infinity, frame.direction)[0]!;
  return [...lines.slice(0, most - 1), ellipsis];
}

/** Builds bands of cells beside each other, one for each line of text. */
export function buildRow(cells: Cell[], frame: Frame): Band[] {
  const laid = cells.map((cell) => ({ cell, lines: layCell(cell, frame) }));
  const count = Math.max(...laid.map(({ lines }) => lines.length));
  return Array.from({ length: count }, (_, index) => {
    const present = laid.filter(({ lines }) => lines[index]);
    return {
      height: Math.max(...present.map(({ cell }) => cell.style.leading)),
      draw: (canvas: Canvas, y: number) => {
        for (const { cell, lines } of present) drawCell(canvas, cell, lines[index]!, y, frame);
      },
    };
  });
}

function drawCell(canvas: Canvas, cell: Cell, line: TextLine, y: number, frame: Frame): void {
  const { style, tag, align, x, width } = cell;
  const left = frame.direction === 'rtl' ? frame.pageWidth - frame.margin - x - width : frame.margin + x;
  const space = width - line.width * style.size;
  const side = align ?? (frame.direction === 'rtl' ? 'right' : 'left');
  const begin = left + { left: 0, centre: space / 2, right: space }[side];
  // The letters are centred in the line.
  const capHeight = fontsOf(style, frame)[0]!.capHeight * style.size;
  canvas.drawLine(tag, line, begin, y + (style.leading + capHeight) / 2, style);
}

/** Puts columns of bands beside each other into one band. */
export function joinColumns(columns: Band[][]): Band {
  const heights = columns.map((bands) => bands.reduce((total, { height }) => total + height, 0));
  return {
    height: Math.max(...heights, 0),
    draw: (canvas, y) => {
      for (const bands of columns) drawBands(canvas, bands, y);
    },
  };
}

/** Draws bands below each other; returns where the next one begins. */
export function drawBands(canvas: Canvas, bands: Band[], y: number): number {
  let top = y;
  for (const band of bands) {
    band.draw(canvas, top);
    top += band.height;
  }
  return top;
}

/** Empty space. */
export const buildSpace = (height: number): Band => ({ height, draw: () => {} });

/** A line across a part of the content. */
export const buildRule = (frame: Frame, color: string, x = 0, width = frame.width - x): Band => ({
  height: 0,
  draw: (canvas, y) => canvas.drawRule(findLeft(frame, x, width), y, width, color),
});

/** Returns the left side of a column on the page. */
export const findLeft = ({ direction, pageWidth, margin }: Frame, x: number, width: number): number =>
  direction === 'rtl' ? pageWidth - margin - x - width : margin + x;
