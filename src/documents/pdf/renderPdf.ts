/** Documents as PDF/A-3b: laid out here, drawn by pdfkit. The same record gives the same bytes. */
import { createHash } from 'node:crypto';
import { fillText } from '../../lib/texts.ts';
import type { DocumentRecord } from '../record.ts';
import { buildView, type DocumentView, type PartyView } from '../view.ts';
import {
  buildRow,
  buildRule,
  buildSpace,
  drawBands,
  findLeft,
  joinColumns,
  lineColor,
  styles,
  type Band,
  type Block,
  type Frame,
  type Style,
} from './bands.ts';
import { artifact, Canvas, type Tag } from './canvas.ts';
import { orderFamily, type FontFamily } from './fonts.ts';
import { paginate, type PlacedBand } from './paginate.ts';
import { drawSwissBill, swissBillHeight, swissBillNoteHeight } from './swissBill.ts';
import { buildTable, buildTotals } from './table.ts';

const millimetre = 72 / 25.4;
const margin = 20 * millimetre;
/** Where the line with the page's number ends, from the bottom of the page. */
const footerFromBottom = 11 * millimetre;
const pageSizes: Record<DocumentView['paper'], [width: number, height: number]> = {
  a4: [210 * millimetre, 297 * millimetre],
  letter: [612, 792],
};
const sepaCodeSize = 30 * millimetre;
/** The code itself measures 46 mm, as banks ask; the rest is its margin. */
const swissCodeSize = 57 * millimetre;
const logoSize: [width: number, height: number] = [60 * millimetre, 20 * millimetre];
/** Lines of one entry of an address or a fact that are shown. */
const mostLines = 6;

/**
 * Renders a document. `attachedXml` is the same invoice in the syntax CII: with it the file is a Factur-X document of
 * the profile EN 16931.
 */
export async function renderPdf(
  record: DocumentRecord,
  family: FontFamily,
  attachedXml?: string,
): Promise<Buffer> {
  const view = buildView(record);
  const { tag, direction } = view.language;
  const [pageWidth, pageHeight] = pageSizes[view.paper];
  const frame: Frame = {
    margin,
    pageWidth,
    width: pageWidth - 2 * margin,
    direction,
    family: orderFamily(family, tag),
  };
  const table = buildTable(view, frame);
  const pages = paginate(
    [
      ...buildHead(view, frame),
      ...table.blocks,
      buildTotals(view, frame),
      ...buildReasons(view, frame),
      buildPayment(view, frame),
      ...buildTexts(view, frame),
    ],
    { ...table, top: margin, bottom: pageHeight - margin },
  );
  const canvas = new Canvas({
    metadata: {
      title: stripIsolates(view.title),
      author: view.seller.name,
      language: tag,
      createdAt: new Date(record.issuedAt),
    },
    direction,
    size: [pageWidth, pageHeight],
    id: createHash('sha256')
      .update(JSON.stringify(record))
      .update(attachedXml ?? '')
      .digest('hex')
      .slice(0, 32),
  });
  if (attachedXml !== undefined) canvas.attachInvoice(attachedXml, stripIsolates(view.title));
  drawPages(canvas, pages, view, frame, pageHeight);
  return canvas.finish();
}

const stripIsolates = (text: string) => text.replace(/[\u2068\u2069]/g, '');

/** The QR-bill, if the document has one: it is as wide as an A4 page. */
const findSwissBill = ({ paper, payment }: DocumentView) =>
  paper === 'a4' ? payment.code?.swissBill : undefined;

function drawPages(
  canvas: Canvas,
  pages: PlacedBand[][],
  view: DocumentView,
  frame: Frame,
  pageHeight: number,
): void {
  const bill = findSwissBill(view);
  const billTop = pageHeight - swissBillHeight;
  const footerAboveBill = billTop - swissBillNoteHeight - 6 - styles.small.leading;
  if (bill && findEnd(pages.at(-1)!) > footerAboveBill - 12) pages.push([]);
  for (const [index, page] of pages.entries()) {
    canvas.addPage();
    for (const { band, y } of page) band.draw(canvas, y);
    const isBilled = bill && index === pages.length - 1;
    const footer = buildFooter(view, frame, index + 1, pages.length);
    drawBands(
      canvas,
      footer,
      isBilled ? footerAboveBill : pageHeight - footerFromBottom - styles.small.leading,
    );
    if (isBilled) drawSwissBill(canvas, bill, view.payment.code!.description, frame, billTop);
  }
}

/** Returns where the content of a page ends. */
const findEnd = (page: PlacedBand[]) => Math.max(0, ...page.map(({ band, y }) => y + band.height));

/** The title and the number of the page. */
function buildFooter(view: DocumentView, frame: Frame, page: number, pages: number): Band[] {
  const { texts, formatNumber } = view.language;
  const number = fillText(texts.page, {
    page: formatNumber(String(page)),
    pages: formatNumber(String(pages)),
  });
  const half = frame.width / 2;
  return buildRow(
    [
      { tag: artifact, text: view.title, style: styles.small, x: 0, width: half, most: 1 },
      {
        tag: artifact,
        text: number,
        style: styles.small,
        x: half,
        width: half,
        align: frame.direction === 'ltr' ? 'right' : 'left',
      },
    ],
    frame,
  );
}

/** The logo and the facts, the parties, and the amount. */
function buildHead(view: DocumentView, frame: Frame): Block[] {
  const half = (frame.width - 16) / 2;
  const right = frame.width - half;
  const heading: Tag = { name: 'H1' };
  const facts = [
    ...buildRow([{ tag: heading, text: view.heading, style: styles.title, x: right, width: half }], frame),
    buildSpace(6),
    ...view.facts.flatMap(({ label, value }) => buildFact(label, value, right, half, frame)),
  ];
  const summary = buildRow(
    [
      {
        tag: { name: 'P' },
        text: view.summary,
        style: styles.summary,
        x: 0,
        width: frame.width,
        most: mostLines,
      },
    ],
    frame,
  );
  return [
    { bands: [joinColumns([[buildBrand(view, frame, half)], facts])], gapBefore: 0 },
    {
      bands: [
        joinColumns([buildParty(view.seller, 0, half, frame), buildParty(view.buyer, right, half, frame)]),
      ],
      gapBefore: 26,
    },
    { bands: summary, gapBefore: 26, withNext: true },
  ];
}

function buildBrand({ logo, seller, language }: DocumentView, frame: Frame, width: number): Band {
  if (!logo) {
    return joinColumns([
      buildRow(
        [{ tag: { name: 'P' }, text: seller.name, style: styles.brand, x: 0, width, most: mostLines }],
        frame,
      ),
    ]);
  }
  const image = Buffer.from(logo.base64, 'base64');
  const tag: Tag = { name: 'Figure', alt: fillText(language.texts.logo, { seller: seller.name }) };
  return {
    height: logoSize[1],
    draw: (canvas, y) => canvas.drawImage(tag, image, findLeft(frame, 0, logoSize[0]), y, logoSize),
  };
}

function buildFact(label: string, value: string, x: number, width: number, frame: Frame): Band[] {
  const tag: Tag = { name: 'P' };
  const labelWidth = width * 0.42;
  return buildRow(
    [
      { tag, text: label, style: styles.soft, x, width: labelWidth - 8 },
      { tag, text: value, style: styles.text, x: x + labelWidth, width: width - labelWidth, most: mostLines },
    ],
    frame,
  );
}

function buildParty({ title, name, lines }: PartyView, x: number, width: number, frame: Frame): Band[] {
  const build = (text: string, style: Style, tag: Tag) =>
    buildRow([{ tag, text, style, x, width, most: mostLines }], frame);
  return [
    ...build(title, styles.small, { name: 'H2' }),
    buildSpace(1),
    ...build(name, styles.strong, { name: 'P' }),
    ...lines.flatMap((line) => build(line, styles.text, { name: 'P' })),
  ];
}

/** The tax in the seller's currency, and why no tax is charged. */
function buildReasons({ homeTax, reasons }: DocumentView, frame: Frame): Block[] {
  const texts = homeTax === null ? reasons : [homeTax, ...reasons];
  if (texts.length === 0) return [];
  const bands = texts.flatMap((text) =>
    buildRow([{ tag: { name: 'P' }, text, style: styles.text, x: 0, width: frame.width }], frame),
  );
  return [{ bands, gapBefore: 16 }];
}

/** How the document is paid, with the code of the transfer beside it. */
function buildPayment(view: DocumentView, frame: Frame): Block {
  const { title, sentence, facts, instructions } = view.payment;
  // The QR-bill has the code.
  const code = findSwissBill(view) ? null : view.payment.code;
  const codeSize = code?.swissBill ? swissCodeSize : sepaCodeSize;
  const width = code ? frame.width - codeSize - 24 : frame.width;
  const paragraph = (text: string) => ({ tag: { name: 'P' }, text, style: styles.text, x: 0, width });
  const text = [
    ...buildRow([{ ...paragraph(title), tag: { name: 'H2' }, style: styles.strong }], frame),
    ...buildRow([paragraph(sentence)], frame),
    buildSpace(facts.length > 0 ? 5 : 0),
    ...facts.flatMap(({ label, value }) => buildFact(label, value, 0, Math.min(width, 300), frame)),
  ];
  const further = instructions === null ? [] : [buildSpace(5), ...buildRow([paragraph(instructions)], frame)];
  if (!code) return { bands: [...text, ...further], gapBefore: 24 };
  const x = frame.width - codeSize;
  const picture: Band = {
    height: codeSize,
    draw: (canvas, y) => {
      const { path, size } = code.image;
      const tag: Tag = { name: 'Figure', alt: code.description };
      canvas.drawPath(tag, path, size, findLeft(frame, x, codeSize), y, codeSize);
    },
  };
  const caption = buildRow(
    [{ tag: { name: 'P' }, text: code.caption, style: styles.small, x, width: codeSize, align: 'centre' }],
    frame,
  );
  return { bands: [joinColumns([text, [picture, ...caption]]), ...further], gapBefore: 24 };
}

/** The seller's note on this document and text on all documents. */
function buildTexts({ note, footer }: DocumentView, frame: Frame): Block[] {
  const build = (text: string, style: Style) =>
    buildRow([{ tag: { name: 'P' }, text, style, x: 0, width: frame.width }], frame);
  return [
    ...(note === null ? [] : [{ bands: build(note, styles.text), gapBefore: 16 }]),
    ...(footer === null
      ? []
      : [
          {
            bands: [buildRule(frame, lineColor), buildSpace(8), ...build(footer, styles.small)],
            gapBefore: 20,
          },
        ]),
  ];
}
