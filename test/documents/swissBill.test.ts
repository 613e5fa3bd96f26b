/** The Swiss QR-bill of PDFs: its words, its place, and its code, read back from the picture of the page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import jsqr from 'jsqr';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPdfRenderer, type PdfRenderer } from '../../src/documents/pdfRenderer.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { browserStartMs, connectBrowser } from '../support/browser.ts';
import { buildDocuments, listRoles, readPdf } from './pdfFile.ts';
import { plainRecord, withLines } from './records.ts';
import { code, debtor, nobody, seller, swiss } from './swissRecords.ts';

const readQrCode = (jsqr as unknown as { default: typeof jsqr }).default;
const pdfjs = createRequire(import.meta.url).resolve('pdfjs-dist/legacy/build/pdf.mjs');

let renderer: PdfRenderer;
let browser: Browser;
beforeAll(async () => {
  buildDocuments();
  renderer = createPdfRenderer();
  browser = await connectBrowser();
}, browserStartMs);
afterAll(async () => renderer.close());

const millimetre = 72 / 25.4;
const unknown = { ...swiss, buyer: { ...swiss.buyer, companyName: 'شرکت آفتاب' } };

/** Draws a page at 150 dots per inch; returns a letter for each pixel. */
const draw = `async (base64, number) => {
  const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const document_ = await globalThis.pdfjsLib.getDocument({ data }).promise;
  const page = await document_.getPage(number);
  const viewport = page.getViewport({ scale: 150 / 72 });
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [viewport.width, viewport.height];
  await page.render({ canvas, viewport }).promise;
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let shades = '';
  for (let at = 0; at < pixels.length; at += 4) shades += pixels[at] < 128 ? '#' : ' ';
  return { width: canvas.width, height: canvas.height, shades };
}`;

/** Reads the code of a page, with the place of its corners in millimetres from the left and the bottom. */
async function scan(bytes: Buffer, number: number) {
  const page = await browser.newPage();
  try {
    for (const path of [pdfjs.replace('pdf.mjs', 'pdf.worker.mjs'), pdfjs])
      await page.addScriptTag({ type: 'module', content: readFileSync(path, 'utf8') });
    // A module runs some time after it was added.
    await page.waitForFunction('globalThis.pdfjsWorker && globalThis.pdfjsLib');
    const { width, height, shades } = await page.evaluate<{ width: number; height: number; shades: string }>(
      `(${draw})(${JSON.stringify(bytes.toString('base64'))}, ${number})`,
    );
    const colors = Array.from(shades).flatMap((shade) =>
      shade === '#' ? [0, 0, 0, 255] : [255, 255, 255, 255],
    );
    const found = readQrCode(Uint8ClampedArray.from(colors), width, height)!;
    const toMm = (pixels: number) => (pixels / 150) * 25.4;
    const { topLeftCorner, bottomRightCorner } = found.location;
    return {
      lines: Buffer.from(found.binaryData).toString().split('\n'),
      left: toMm(topLeftCorner.x),
      top: toMm(height - topLeftCorner.y),
      right: toMm(bottomRightCorner.x),
      bottom: toMm(height - bottomRightCorner.y),
    };
  } finally {
    await page.close();
  }
}

describe('the code', () => {
  it.each<[string, DocumentRecord, string[]]>([
    ['of a transfer', swiss, code('135.66 CHF')],
    ['without a payer', unknown, code('135.66 CHF', nobody)],
    [
      'with the longest names',
      { ...swiss, buyer: { ...swiss.buyer, companyName: 'Ä'.repeat(90) } },
      code('135.66 CHF', ['S', 'Ä'.repeat(70), ...debtor.slice(2)]),
    ],
  ])('%s is 46 mm wide, at its place', async (_, record, lines) => {
    const bytes = await renderer.render({ record });
    const { document } = await readPdf(bytes);
    const found = await scan(bytes, document.numPages);
    expect(found.lines).toEqual(lines);
    // 67 mm from the left and 17 mm below the edge of the bill, which is 105 mm high.
    for (const [place, at] of Object.entries({ left: 67, right: 113, top: 88, bottom: 42 }))
      expect(Math.abs(found[place as 'left'] - at), place).toBeLessThan(1);
  });
});

/** Returns the texts of a page with their places in millimetres from the left and above the lower edge, and their sizes. */
async function listTexts(bytes: Buffer, number: number) {
  const { document } = await readPdf(bytes);
  const { items } = await (await document.getPage(number)).getTextContent();
  return items.flatMap((item) =>
    'str' in item && item.str.trim() !== ''
      ? [
          {
            text: item.str,
            x: (item.transform as number[])[4]! / millimetre,
            y: (item.transform as number[])[5]! / millimetre,
            size: (item.transform as number[])[0]!,
          },
        ]
      : [],
  );
}

describe('its words', () => {
  it.each([
    [
      'de',
      'Empfangsschein',
      'Zahlteil',
      'Konto / Zahlbar an',
      'Referenz',
      'Zusätzliche Informationen',
      'Zahlbar durch',
      'Währung',
      'Betrag',
      'Annahmestelle',
      'Vor der Einzahlung abzutrennen',
    ],
    [
      'fr',
      'Récépissé',
      'Section paiement',
      'Compte / Payable à',
      'Référence',
      'Informations supplémentaires',
      'Payable par',
      'Monnaie',
      'Montant',
      'Point de dépôt',
      'A détacher avant le versement',
    ],
    [
      'it',
      'Ricevuta',
      'Sezione pagamento',
      'Conto / Pagabile a',
      'Riferimento',
      'Informazioni supplementari',
      'Pagabile da',
      'Valuta',
      'Importo',
      'Punto di accettazione',
      'Da staccare prima del versamento',
    ],
    [
      'en',
      'Receipt',
      'Payment part',
      'Account / Payable to',
      'Reference',
      'Additional information',
      'Payable by',
      'Currency',
      'Amount',
      'Acceptance point',
      'Separate before paying in',
    ],
    [
      'fa',
      'Receipt',
      'Payment part',
      'Account / Payable to',
      'Reference',
      'Additional information',
      'Payable by',
      'Currency',
      'Amount',
      'Acceptance point',
      'Separate before paying in',
    ],
  ])('in %s', async (locale, ...words) => {
    const bytes = await renderer.render({
      record: { ...swiss, locale, totals: { ...swiss.totals, payableMinor: '123456789' } },
    });
    const { document } = await readPdf(bytes);
    const texts = await listTexts(bytes, document.numPages);
    const bill = texts.filter(({ y }) => y < 110);
    for (const word of words) expect(bill.map(({ text }) => text)).toContain(word);
    const [receipt, part] = words;
    const at = (text: string) => bill.filter((each) => each.text === text);
    expect(at(receipt)).toMatchObject([{ x: expect.closeTo(5, 0), size: 11 }]);
    expect(at(part)).toMatchObject([{ x: expect.closeTo(67, 0), size: 11 }]);
    expect(at('CH93 0076 2011 6238 5295 7')).toMatchObject([
      { x: expect.closeTo(5, 0), size: 8 },
      { x: expect.closeTo(118, 0), size: 10 },
    ]);
    expect(at('1 234 567.89').map(({ size }) => size)).toEqual([8, 10]);
    expect(at('DE-79098 Freiburg im Breisgau')).toHaveLength(2);
  });

  it('with a field for the payer whom no bank can read', async () => {
    const bytes = await renderer.render({ record: unknown });
    const texts = await listTexts(bytes, (await readPdf(bytes)).document.numPages);
    expect(texts.filter(({ text }) => text === 'Payable by (name/address)')).toHaveLength(2);
  });
});

describe('its place', () => {
  const read = async (record: DocumentRecord) => {
    const bytes = await renderer.render({ record });
    const file = await readPdf(bytes);
    return { ...file, roles: await listRoles(file, file.document.numPages) };
  };
  const short: DocumentRecord = {
    ...swiss,
    dueDate: null,
    period: null,
    taxes: [],
    lines: swiss.lines.map((line) => ({ ...line, period: null, tax: null })),
    seller: { ...seller, footer: null, registration: null, taxIds: [] },
    buyer: { ...swiss.buyer, companyName: null, taxIds: [] },
  };

  it('is the last page if it has room, else a page of its own', async () => {
    const { pages } = await read(short);
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('Payment part');
    expect(pages[0]).toContain('Page 1 of 1');
    for (const count of [2, 8, 14, 25, 60]) {
      const { lines } = withLines(Array.from({ length: count }, () => ({})));
      const long = await read({ ...short, lines });
      expect(long.pages.filter((page) => page.includes('Payment part'))).toEqual([long.pages.at(-1)]);
      expect(long.pages.at(-1)).toContain(`Page ${long.pages.length} of ${long.pages.length}`);
    }
  });

  it('is tagged, and has no second code', async () => {
    const { roles } = await read(short);
    expect(roles.filter((role) => role === 'Figure')).toHaveLength(1);
    expect(roles.filter((role) => role === 'H2').length).toBeGreaterThanOrEqual(2);
  });

  it.each<[string, DocumentRecord]>([
    ['an account elsewhere', plainRecord],
    ['nothing to pay', { ...swiss, totals: { ...swiss.totals, payableMinor: '0' } }],
    [
      'a page of another size',
      { ...swiss, buyer: { ...swiss.buyer, address: { ...swiss.buyer.address!, country: 'US' } } },
    ],
  ])('is nowhere with %s', async (_, record) => {
    const { pages } = await read(record);
    expect(pages.join('')).not.toContain('Payment part');
  });
});
