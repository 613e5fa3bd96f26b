/**
 * The receipt and the payment part of a Swiss QR-bill, at the bottom of a page: SIX, "Style Guide QR-bill" and "Swiss
 * Implementation Guidelines for the QR-bill", version 2.3, chapter 3. Sizes and places are those of the guidelines.
 */
import type { SwissBill } from '../swissBill.ts';
import { buildRow, drawBands, type Band, type Cell, type Frame, type Style } from './bands.ts';
import type { Canvas, Tag } from './canvas.ts';
import type { FontFamily } from './fonts.ts';

const millimetre = 72 / 25.4;
export const swissBillHeight = 105 * millimetre;
/** The note above the bill that says where to cut. */
export const swissBillNoteHeight = 14;
const receiptWidth = 62 * millimetre;
const margin = 5 * millimetre;
const codeSize = 46 * millimetre;
/** From the top of the bill. */
const places = { title: 5, receiptText: 12, code: 17, amounts: 68, acceptance: 82 };
/** The fields in which a payer writes their name. */
const emptyFields = { receipt: [52, 20], payment: [65, 25] } as const;

const black = '#000000';
const styles = {
  title: { size: 11, color: black, weight: 'strong', leading: 13 },
  receiptHeading: { size: 6, color: black, weight: 'strong', leading: 9 },
  receiptValue: { size: 8, color: black, weight: 'regular', leading: 9 },
  heading: { size: 8, color: black, weight: 'strong', leading: 11 },
  value: { size: 10, color: black, weight: 'regular', leading: 11 },
  note: { size: 7, color: black, weight: 'regular', leading: 10 },
} satisfies Record<string, Style>;

/** The two halves, which differ in their sizes. */
interface Half {
  /** From the left of the page. */
  x: number;
  width: number;
  heading: Style;
  value: Style;
  /** The height for the account, the reference and the payer. */
  height: number;
  emptyField: readonly [width: number, height: number];
}

const receipt: Half = {
  x: margin,
  width: receiptWidth - 2 * margin,
  heading: styles.receiptHeading,
  value: styles.receiptValue,
  height: (places.amounts - places.receiptText) * millimetre,
  emptyField: emptyFields.receipt,
};
const payment: Half = {
  x: receiptWidth + margin + codeSize + margin,
  width: 87 * millimetre,
  heading: styles.heading,
  value: styles.value,
  height: 85 * millimetre,
  emptyField: emptyFields.payment,
};

/** Draws the bill with its upper edge at `top`, over the whole width of an A4 page. */
export function drawSwissBill(
  canvas: Canvas,
  bill: SwissBill,
  description: string,
  page: Frame,
  top: number,
): void {
  const frame: Frame = {
    ...page,
    margin: 0,
    width: page.pageWidth,
    direction: 'ltr',
    family: chooseFonts(page),
  };
  const { texts, code } = bill;
  const write = (cell: Omit<Cell, 'tag'>, y: number, tag: Cell['tag'] = { name: 'P' }) =>
    drawBands(canvas, buildRow([{ ...cell, tag }], frame), top + y);
  const codeX = receiptWidth + margin;

  write(
    { text: texts.separate, style: styles.note, x: 0, width: frame.width, align: 'centre' },
    -swissBillNoteHeight,
  );
  drawCuts(canvas, frame, top);
  const receiptTitle = { text: texts.receipt, style: styles.title, x: receipt.x, width: receipt.width };
  write(receiptTitle, places.title * millimetre, { name: 'H2' });
  drawTexts(canvas, { ...bill, message: '' }, receipt, frame, top + places.receiptText * millimetre);
  drawAmounts(canvas, bill, receipt, frame, receipt.x, top);
  write(
    {
      text: texts.acceptancePoint,
      style: styles.receiptHeading,
      x: receipt.x,
      width: receipt.width,
      align: 'right',
    },
    places.acceptance * millimetre,
  );

  write(
    { text: texts.paymentPart, style: styles.title, x: codeX, width: codeSize + margin },
    places.title * millimetre,
    { name: 'H2' },
  );
  const module = codeSize / (code.size - 2 * code.quiet);
  const figure: Tag = { name: 'Figure', alt: description };
  canvas.drawPath(
    figure,
    code.path,
    code.size,
    codeX - code.quiet * module,
    top + places.code * millimetre - code.quiet * module,
    code.size * module,
  );
  drawAmounts(canvas, bill, payment, frame, codeX, top);
  drawTexts(canvas, bill, payment, frame, top + places.title * millimetre);
}

/** The guidelines allow few fonts, of which Liberation Sans is free. */
function chooseFonts({ family }: Frame): FontFamily {
  const choose = (fonts: FontFamily['regular']) => [
    ...fonts.filter(({ isOfSlips }) => isOfSlips),
    ...fonts.filter(({ isOfSlips }) => !isOfSlips),
  ];
  return { regular: choose(family.regular), strong: choose(family.strong) };
}

/** Draws the account, the reference, the message and the payer below each other. */
function drawTexts(canvas: Canvas, bill: SwissBill, half: Half, frame: Frame, top: number): void {
  const { texts, account, reference, message, debtor } = bill;
  const entries: [heading: string, lines: string[]][] = [
    [texts.account, account],
    ...(reference ? [[texts.reference, [reference]] satisfies [string, string[]]] : []),
    ...(message ? [[texts.message, [message]] satisfies [string, string[]]] : []),
    debtor ? [texts.debtor, debtor] : [texts.emptyDebtor, []],
  ];
  const { x, width } = half;
  const built = entries.map(([heading, lines]) => [
    ...buildRow([{ tag: { name: 'P' }, text: heading, style: half.heading, x, width }], frame),
    ...lines.flatMap((text) =>
      buildRow([{ tag: { name: 'P' }, text, style: half.value, x, width, most: 2 }], frame),
    ),
  ]);
  const [fieldWidth, fieldHeight] = half.emptyField.map((length) => length * millimetre) as [number, number];
  const used = built.flat().reduce((total, { height }) => total + height, 0);
  const left = half.height - used - (debtor ? 0 : fieldHeight);
  const gap = Math.max(0, Math.min(half.value.leading, left / (built.length - 1)));
  let y = top;
  for (const bands of built) y = drawBands(canvas, bands, y) + gap;
  if (!debtor) drawCorners(canvas, x, y - gap + 2, fieldWidth, fieldHeight);
}

function drawAmounts(
  canvas: Canvas,
  { texts, currency, amount }: SwissBill,
  { heading, value }: Half,
  frame: Frame,
  x: number,
  top: number,
): void {
  const right = x + (heading.size === 6 ? 12 : 16) * millimetre;
  const width = 34 * millimetre;
  const row = (style: Style, left: string, other: string): Band[] =>
    buildRow(
      [
        { tag: { name: 'P' }, text: left, style, x, width: right - x },
        { tag: { name: 'P' }, text: other, style, x: right, width },
      ],
      frame,
    );
  drawBands(
    canvas,
    [...row(heading, texts.currency, texts.amount), ...row(value, currency, amount)],
    top + places.amounts * millimetre,
  );
}

const cornerLength = 3 * millimetre;

/** Marks the corners of a field. */
function drawCorners(canvas: Canvas, x: number, y: number, width: number, height: number): void {
  const [right, bottom, length] = [x + width, y + height, cornerLength];
  const path = [
    `M${x} ${y + length}V${y}H${x + length}`,
    `M${right - length} ${y}H${right}V${y + length}`,
    `M${right} ${bottom - length}V${bottom}H${right - length}`,
    `M${x + length} ${bottom}H${x}V${bottom - length}`,
  ];
  canvas.drawStrokes(path.join(''), 0.75);
}

/** Draws the lines above the bill and between its halves, each with scissors. */
function drawCuts(canvas: Canvas, { pageWidth }: Frame, top: number): void {
  const bottom = top + swissBillHeight;
  canvas.drawStrokes(`M0 ${top}H${pageWidth}M${receiptWidth} ${top}V${bottom}`, 0.5);
  const [x, y] = [margin, top + 6 * millimetre];
  canvas.drawStrokes(
    buildScissors((along, across) => `${x + along} ${top + across}`),
    0.6,
  );
  canvas.drawStrokes(
    buildScissors((along, across) => `${receiptWidth + across} ${y + along}`),
    0.6,
  );
}

/** Two rings and two blades that cross; `place` turns distances along and across the line into a point. */
function buildScissors(place: (along: number, across: number) => string): string {
  const side = (sign: 1 | -1) => {
    const ring = `M${place(0, sign * 2)}A1.6 1.6 0 1 0 ${place(3.2, sign * 2)}A1.6 1.6 0 1 0 ${place(0, sign * 2)}`;
    return `${ring}M${place(2.8, sign * 1.1)}L${place(10, sign * -2)}`;
  };
  return side(1) + side(-1);
}
