/** Documents as HTML: what they show, that text stays text, and that browsers and screen readers can read them. */
import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/documents/html.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { browserStartMs, connectBrowser } from '../support/browser.ts';
import {
  arabic,
  creditNote,
  hebrew,
  mixedRecord,
  persian,
  plainRecord,
  reverseCharge,
  withLines,
} from './records.ts';

/** The text of a page, without its markup. */
const readText = (page: string) =>
  page
    .replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, ' ')
    .replace(/[\u2068\u2069\u200E]/g, '')
    .replace(/\s+/g, ' ');

const shown: Record<string, [record: DocumentRecord, contains: string[]]> = {
  'an invoice in English': [
    plainRecord,
    [
      'Invoice',
      'EUR 135.66 due by 15 Nov 2026',
      'Hoffmann &amp; Söhne KG',
      'VAT 19% on 114.00',
      '1 Nov 2026 – 30 Nov 2026',
    ],
  ],
  'an invoice in the United States': [
    {
      ...plainRecord,
      locale: 'en-US',
      currency: 'usd',
      taxes: [],
      buyer: {
        ...plainRecord.buyer,
        address: {
          line1: '1 Main St',
          line2: 'Suite 4',
          city: 'Springfield',
          region: 'IL',
          postalCode: '62701',
          country: 'US',
        },
      },
    },
    ['Springfield, IL 62701', 'USD 135.66 due by Nov 15, 2026', 'Suite 4', 'United States'],
  ],
  'an invoice in German': [
    { ...mixedRecord, locale: 'de' },
    ['567,61 EUR zahlbar bis 15.11.2026', 'Rabatt: Bundle', '−16,43', '62.500'],
  ],
  'reverse charge in French': [reverseCharge, ['AE: Autoliquidation', 'AE 0 %', 'Facture']],
  'a credit note': [creditNote, ['Credit note', 'RE-2026-00042 of 1 Nov 2026', 'EUR 135.66 refunded']],
  'a credit to the balance': [
    {
      ...creditNote,
      credits: null,
      payment: { ...creditNote.payment, kind: 'credited' },
      totals: { ...plainRecord.totals, payableMinor: '0' },
    },
    ['EUR 135.66 credited', 'added to your balance'],
  ],
  'an invoice paid from the balance': [
    {
      ...plainRecord,
      payment: { ...plainRecord.payment, kind: 'charged' },
      totals: { ...plainRecord.totals, balanceMinor: '13566', payableMinor: '0' },
    },
    ['EUR 135.66 paid', 'Paid from your balance −135.66', 'Amount due EUR 0.00', 'This invoice is paid'],
  ],
  'a paid invoice': [
    { ...plainRecord, payment: { ...plainRecord.payment, kind: 'paid' } },
    ['EUR 135.66 paid', 'Paid −135.66', 'Amount due EUR 0.00'],
  ],
  'prices that contain the tax': [
    {
      ...plainRecord,
      pricesIncludeTax: true,
      totals: {
        ...plainRecord.totals,
        netMinor: '9580',
        taxMinor: '1820',
        totalMinor: '11400',
        payableMinor: '11400',
      },
      taxes: [{ category: 'S', percent: '19', taxableMinor: '9580', taxMinor: '1820' }],
    },
    ['Subtotal including VAT 114.00', 'Total without VAT 95.80', 'VAT 19% on 95.80 18.20', 'Total 114.00'],
  ],
  'Persian with its digits': [
    persian,
    ['۵۶۷٫۶۱ AFN', '۶۲٬۵۰۰', '−۱۶٫۴۳', 'مالیات ۱۹٪ از ۴۳۳٫۸۲', '۱ نوامبر ۲۰۲۶'],
  ],
  'Persian with Latin digits': [
    { ...persian, locale: 'fa-u-nu-latn' },
    ['567.61 AFN', '62,500', '1 نوامبر 2026'],
  ],
  'Arabic with the digits of its region': [
    arabic,
    [
      'فاتورة ضريبية',
      '٥٦٧٫٦١ EGP',
      '٦٢٬٥٠٠',
      '\u061C−١٦٫٤٣',
      'ضريبة القيمة المضافة ١٩٪\u061C على ٤٣٣٫٨٢',
      '١ نوفمبر ٢٠٢٦',
      'مصر',
    ],
  ],
  'Arabic with Latin digits': [
    { ...arabic, locale: 'ar' },
    ['567.61 EGP', '62,500', '−16.43', '19% على 433.82', '1 نوفمبر 2026'],
  ],
  'Arabic of Morocco': [{ ...arabic, locale: 'ar-MA' }, ['567,61 EGP', '62.500', '1 نونبر 2026']],
  'Arabic of the Levant': [{ ...arabic, locale: 'ar-JO' }, ['٥٦٧٫٦١ EGP', '١ تشرين الثاني ٢٠٢٦']],
  Hebrew: [
    hebrew,
    ['חשבונית מס', '567.61 ILS', '62,500', '−16.43', 'מע״מ 19% על 433.82', '1 בנובמבר 2026', 'ישראל'],
  ],
  'Hebrew without a tax': [{ ...hebrew, taxes: [] }, ['חשבונית INV', 'מספר']],
};

describe('shows', () => {
  it.each(Object.entries(shown))('%s', (_, [record, contains]) => {
    const page = renderHtml(record);
    const text = readText(page);
    for (const part of contains) expect(text).toContain(part.replace(/\s+/g, ' '));
    expect(page).toBe(renderHtml(structuredClone(record)));
  });
});

it.each(['fa', 'ar', 'he'])('in %s the number of a law keeps its own order', (locale) => {
  expect(renderHtml({ ...reverseCharge, locale })).toContain(' \u20662006/112/EC\u2069)');
});

it('reads from right to left what begins with a name in Latin letters, and names alone as they are', () => {
  const description = 'Team plan, דמי הקמה';
  const [line] = hebrew.lines;
  const page = renderHtml({
    ...hebrew,
    lines: [
      { ...line!, description },
      { ...line!, description: 'Backups (daily)' },
    ],
  });
  expect(page).toContain(`<bdi dir="rtl">${description}</bdi>`);
  expect(page).toContain('<bdi>Backups (daily)</bdi>');
  expect(renderHtml(withLines([{ description }]))).toContain(`<bdi>${description}</bdi>`);
});

it('is one page without scripts or resources of other places, under its own policy', () => {
  const logo = { contentType: 'image/png' as const, base64: 'iVBORw0KGgo=' };
  const page = renderHtml({ ...persian, seller: { ...persian.seller, logo } });
  expect(page).toMatch(/^<!doctype html>/i);
  expect(page).toMatch(/<html lang="fa" dir="rtl">/);
  expect(page).not.toMatch(/<script|https?:|\son\w+=|\sstyle=|url\(/i);
  const [, style] = /<style>([\s\S]*?)<\/style>/.exec(page)!;
  const hash = createHash('sha256').update(style!).digest('base64');
  expect(page).toContain(
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:`.replaceAll("'", '&#39;'),
  );
});

it('escapes all text, and removes characters that control its direction', () => {
  const evil = `</title><script>alert(1)</script>"'&\u202E\u0000`;
  const page = renderHtml({
    ...withLines([{ description: evil, details: [evil], discounts: [{ name: evil, amountMinor: '1' }] }]),
    number: evil,
    note: evil,
    locale: evil,
    seller: {
      ...plainRecord.seller,
      legalName: evil,
      footer: evil,
      registration: evil,
      taxIds: [{ type: 'other', value: evil }],
    },
    buyer: { ...plainRecord.buyer, name: evil, companyName: evil, email: evil },
    payment: {
      ...plainRecord.payment,
      reference: evil,
      bankAccount: { accountHolder: evil, iban: evil, bic: evil, bankName: evil, instructions: evil },
    },
  });
  expect(page).not.toContain('<script');
  expect(page).not.toContain('\u202E');
  expect(page).not.toContain('\u0000');
  expect(page.match(/&lt;script&gt;/g)!.length).toBeGreaterThan(12);
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectBrowser();
  }, browserStartMs);

  it.each([
    ['a phone', 360],
    ['a desk', 1280],
  ])('fits the window of %s', async (_, width) => {
    const long = withLines([
      { description: 'W'.repeat(300), quantity: '1'.repeat(30), unitPrice: '9'.repeat(30) },
    ]);
    for (const record of [plainRecord, mixedRecord, persian, { ...long, number: 'N'.repeat(100) }]) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.setContent(renderHtml(record));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(complaints).toEqual([]);
      const text = await page.evaluate<string>('document.body.innerText');
      // Quantity and price are in a column or below the description, never in both.
      const [line] = record.lines;
      if (record === plainRecord) expect(text.split(line!.unitPrice).length - 1).toBe(1);
      await page.close();
    }
  });

  it('gives tables headers and names', async () => {
    const page = await browser.newPage();
    await page.setContent(renderHtml({ ...mixedRecord, locale: 'de' }));
    const tree = await page.locator('main').ariaSnapshot();
    expect(tree).toContain('heading "Rechnung" [level=1]');
    expect(tree).toContain('table "Leistungen"');
    expect(tree).toContain('table "Summen"');
    expect(tree).toContain('columnheader "Einzelpreis"');
    expect(tree).toMatch(/rowheader "Gesamtbetrag"/);
    expect(tree).toContain('img "QR-Code mit den Angaben zur Überweisung"');
    await page.close();
  });
});
