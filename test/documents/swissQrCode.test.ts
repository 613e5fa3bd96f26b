/** The Swiss QR Code of documents, read back from the picture that a browser draws of it. */
import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import jsqr from 'jsqr';
import { renderHtml } from '../../src/documents/html.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { browserStartMs, connectBrowser } from '../support/browser.ts';
import { code, debtor, nobody, seller, swiss, withIban } from './swissRecords.ts';

// The package is CommonJS, whose default export is a field here, against its types.
const readQrCode = (jsqr as unknown as { default: typeof jsqr }).default;

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
}, browserStartMs);

/** A program of the page: draws its code, and returns a letter for each pixel, as a list of numbers is slow to send. */
const draw = `(async () => {
  const drawn = document.querySelector('figure.swiss svg');
  if (!drawn) return undefined;
  const [svg, size] = [drawn.cloneNode(true), 600];
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('width', size);
  svg.setAttribute('height', size);
  const image = new Image();
  image.src = 'data:image/svg+xml;utf8,' + encodeURIComponent(svg.outerHTML);
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size });
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, size, size);
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, size, size);
  let shades = '';
  for (let at = 0; at < data.length; at += 4) shades += data[at] < 128 ? '#' : ' ';
  return { size, shades };
})()`;

/** Draws the code of a document large, as a camera sees it, and reads it; undefined if the document has none. */
async function scan(record: DocumentRecord): Promise<string[] | undefined> {
  const page = await browser.newPage();
  try {
    await page.setContent(renderHtml(record));
    const pixels = await page.evaluate<{ size: number; shades: string } | undefined>(draw);
    if (!pixels) return undefined;
    const { size, shades } = pixels;
    const colors = Array.from(shades).flatMap((shade) =>
      shade === '#' ? [0, 0, 0, 255] : [255, 255, 255, 255],
    );
    const found = readQrCode(Uint8ClampedArray.from(colors), size, size);
    return Buffer.from(found!.binaryData).toString().split('\n');
  } finally {
    await page.close();
  }
}

it.each<[string, DocumentRecord, string[] | undefined]>([
  ['francs', swiss, code('135.66 CHF')],
  ['euros', { ...swiss, currency: 'eur' }, code('135.66 EUR')],
  ['a small amount', { ...swiss, totals: { ...swiss.totals, payableMinor: '5' } }, code('0.05 CHF')],
  [
    'a debtor whose name no bank reads',
    { ...swiss, buyer: { ...swiss.buyer, companyName: 'شرکت آفتاب' } },
    code('135.66 CHF', nobody),
  ],
  [
    'a debtor without an address',
    { ...swiss, buyer: { ...swiss.buyer, address: null } },
    code('135.66 CHF', nobody),
  ],
  [
    'a debtor with a long name',
    { ...swiss, buyer: { ...swiss.buyer, companyName: 'Ä'.repeat(90) } },
    code('135.66 CHF', ['S', 'Ä'.repeat(70), ...debtor.slice(2)]),
  ],
  ['dollars', { ...swiss, currency: 'usd' }, undefined],
  ['a QR-IBAN, which takes other references', withIban('CH44 3199 9123 0008 8901 2'), undefined],
  [
    'a seller without a city',
    { ...swiss, seller: { ...seller, address: { ...seller.address!, city: null } } },
    undefined,
  ],
  ['nothing to pay', { ...swiss, totals: { ...swiss.totals, payableMinor: '0' } }, undefined],
])('with %s', async (_, record, expected) => {
  expect(await scan(record)).toEqual(expected);
});

it.each([
  ['de', 'UID: ⁨CHE-116.281.710 MWST⁩', 'MWST 19'],
  ['fr', 'IDE: ⁨CHE-116.281.710 MWST⁩', 'TVA 19'],
  ['en', 'UID: ⁨CHE-116.281.710 MWST⁩', 'VAT 19'],
])('names the tax of a Swiss seller in %s', (locale, id, tax) => {
  const page = renderHtml({ ...swiss, locale });
  expect(page).toContain(id);
  expect(page).toContain(tax);
  expect(page).not.toContain('USt. ');
});
