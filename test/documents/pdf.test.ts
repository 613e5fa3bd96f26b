/** PDFs of all kinds of documents, read back: what they show, and what PDF/A-3b and screen readers require. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPdfRenderer, type PdfRenderer } from '../../src/documents/pdfRenderer.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { sampled, sampledRuns } from '../support/sample.ts';
import { buildDocuments, listActualTexts, listRoles, readObject, readPdf, readStream } from './pdfFile.ts';
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

let renderer: PdfRenderer;
beforeAll(() => {
  buildDocuments();
  renderer = createPdfRenderer();
});
afterAll(async () => renderer.close());

const render = (record: DocumentRecord, attachedXml?: string) => renderer.render({ record, attachedXml });
const read = async (record: DocumentRecord) => readPdf(await render(record));

/** Text in which every sequence of spaces is one space. */
const flatten = (text: string) => text.replace(/\s+/g, ' ');

const shown: Record<string, [record: DocumentRecord, inOrder: string[]]> = {
  'an invoice in English': [
    plainRecord,
    [
      'Invoice',
      'Number',
      'RE-2026-00042',
      'Due date',
      '15 Nov 2026',
      'From',
      'Fernblick Software GmbH',
      'Bill to',
      'Hoffmann & Söhne KG',
      'Clara Hoffmann',
      'VAT ID: DE113298780',
      'EUR 135.66 due by 15 Nov 2026',
      'Quantity',
      'Team plan',
      '12',
      '9.50',
      '19%',
      '114.00',
      'Subtotal',
      'VAT 19% on 114.00',
      '21.66',
      'Amount due',
      'EUR 135.66',
      'DE02 1203 0000 0000 2020 51',
      'RF18 5390 0754 7034',
      'Page 1 of 1',
    ],
  ],
  'discounts and prorations in German': [
    { ...mixedRecord, locale: 'de-AT' },
    [
      'Rechnung',
      '567,61 EUR zahlbar bis 15.11.2026',
      'Team plan',
      'Rabatt: Launch offer (10%)',
      '−11,40',
      '17 of 30 days unused',
      'Übertrag',
      '192,82',
      'Seite 1 von 2',
      'Übertrag',
      '192,82',
      'Zwischensumme',
      '495,22',
      'Rabatte',
      '−13,40',
      'Summe ohne USt.',
      '481,82',
      'USt. 19 % auf 433,82',
      'USt. 7 % auf 48,00',
      'Zu zahlen',
      '567,61 EUR',
      'Seite 2 von 2',
    ],
  ],
  'reverse charge in French': [
    reverseCharge,
    [
      'Facture',
      'Atelier Lumière SARL',
      '69002 Lyon',
      'France',
      'AE 0 %',
      'TVA AE 0 % sur 114,00',
      'Net à payer',
      'AE: Autoliquidation',
      'articles 194 et 196',
    ],
  ],
  'a credit note': [
    creditNote,
    [
      'Credit note',
      'GS-2026-00007',
      'Credits invoice',
      'RE-2026-00042 of 1 Nov 2026',
      'EUR 135.66 refunded',
      'Total',
      'EUR 135.66',
      'refunded to the payment method',
      'Two weeks',
    ],
  ],
};

describe('shows', () => {
  it.each(sampled(Object.entries(shown), 2))('%s', async (_, [record, inOrder]) => {
    const { pages } = await read(record);
    const text = flatten(pages.join('\n'));
    let from = 0;
    for (const part of inOrder.map(flatten)) {
      const at = text.indexOf(part, from);
      expect(at, `${part} after ${text.slice(Math.max(0, from - 40), from)}: ${text}`).toBeGreaterThanOrEqual(
        from,
      );
      from = at + part.length;
    }
  });

  it('Persian from right to left, with its digits or Latin ones', async () => {
    const bytes = await render(persian);
    const { document, pages } = await readPdf(bytes);
    const content = await (await document.getPage(1)).getTextContent();
    const find = (text: string) => {
      const item = content.items.find((each) => 'str' in each && each.str.includes(text));
      expect(item, text).toBeDefined();
      return (item as { transform: number[] }).transform[4]!;
    };
    // The description is at the right, the amount at the left, and digits are not reversed.
    expect(find('۱۱۴٫۰۰')).toBeLessThan(find('۹٫۵۰'));
    expect(find('۹٫۵۰')).toBeLessThan(find('INV-1405-00021') + 60);
    expect(find('Team')).toBeGreaterThan(350);
    const latin = (await read({ ...persian, locale: 'fa-AF-u-nu-latn' })).pages.join('\n');
    expect(latin).toContain('114.00');
    expect(latin).not.toContain('۱۱۴٫۰۰');
    expect(pages[1]).toMatch(/۵۶۷٫۶۱/);
  });

  it.each<[string, DocumentRecord, inOrder: string[]]>([
    [
      'Arabic',
      arabic,
      [
        'شركة النيل للبرمجيات (ش.م.م)',
        'فاتورة ضريبية',
        '١ نوفمبر ٢٠٢٦',
        'مؤسسة Cloud Egypt (القاهرة)',
        'المبلغ ٥٦٧٫٦١ EGP مستحق الدفع حتى ١٥ نوفمبر ٢٠٢٦',
        'الوصف',
        'الاشتراك الشهري، الباقة 1 (Team)',
        '١١٤٫٠٠',
        'خصم: عرض الإطلاق NILE10',
        '−١١٫٤٠',
        'الأيام: ٧٫٤ من ٣١، بسعر ٢٩٫٠٠ EGP',
        'المبلغ المستحق',
        '٥٦٧٫٦١ EGP',
      ],
    ],
    [
      'Hebrew',
      hebrew,
      [
        'אורן תוכנה בע״מ',
        'חשבונית מס',
        '1 בנובמבר 2026',
        'Galil Robotics (גליל) בע״מ',
        'דָּוִד כהן',
        'شارع بولس 3',
        '567.61 ILS לתשלום עד 15 בנובמבר 2026',
        'תיאור',
        'מינוי חודשי, תוכנית 1 (Team)',
        'הנחה: מבצע OREN10',
        '7.4 מתוך 31 ימים, לפי 29.00 ILS',
        'יתרה לתשלום',
        '567.61 ILS',
      ],
    ],
  ])('%s in the order in which it is read, without a missing letter', async (_, record, inOrder) => {
    const bytes = await render(record);
    const text = flatten(listActualTexts(bytes).join('\n').normalize('NFC'));
    expect(text).not.toContain('\uFFFD');
    let from = 0;
    for (const part of inOrder.map((each) => flatten(each.normalize('NFC')))) {
      const at = text.indexOf(part, from);
      expect(at, `${part} in ${text.slice(from)}`).toBeGreaterThanOrEqual(from);
      from = at + part.length;
    }
    const { document, objects } = await readPdf(bytes);
    expect((await document.getMetadata()).info).toMatchObject({ Language: record.locale.slice(0, 2) });
    expect(objects).not.toContain('/BaseFont /Helvetica');
  });

  it('names in Hebrew and Arabic within an English document', async () => {
    const bytes = await render({
      ...plainRecord,
      buyer: { ...plainRecord.buyer, companyName: 'אורן בע״מ', name: 'فاطمة الزهراء' },
    });
    const { objects } = await readPdf(bytes);
    const names = [...objects.matchAll(/\/BaseFont \/[A-Z]{6}\+(\S+)/g)].map(([, name]) => name!);
    expect([...new Set(names)].toSorted()).toEqual([
      'NotoSans-Regular',
      'NotoSans-SemiBold',
      'NotoSansHebrew-SemiBold',
      'Vazirmatn-Regular',
    ]);
    const texts = listActualTexts(bytes);
    expect(texts).toContain('אורן בע״מ');
    expect(texts).toContain('فاطمة الزهراء');
  });

  it('a long invoice on many pages, with the sum carried over', async () => {
    const count = sampledRuns(500, 4);
    const record = withLines(
      Array.from({ length: count }, (_, index) => ({
        description: `Service ${index + 1}`,
        details: index % 11 === 0 ? ['17 of 30 days'] : [],
      })),
      { buyer: { ...plainRecord.buyer, address: { ...plainRecord.buyer.address!, country: 'US' } } },
    );
    const file = await read(record);
    expect(file.pages.length).toBeGreaterThan(count / 25);
    expect(file.objects).toContain('/MediaBox [0 0 612 792]');
    const services = file.pages.map((page) =>
      [...page.matchAll(/Service (\d+)/g)].map(([, number]) => Number(number)),
    );
    expect(services.flat()).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    for (const [index, page] of file.pages.slice(0, -1).entries()) {
      const last = services[index]!.at(-1);
      if (last === undefined || last === count) continue;
      const sum = (114 * last).toLocaleString('en', { minimumFractionDigits: 2 });
      expect(page).toMatch(new RegExp(`Carried over\\s*${sum}`));
      expect(file.pages[index + 1]).toMatch(new RegExp(`Brought forward\\s*${sum}`));
    }
    // The total is below a line, and small print below its own line.
    const page = file.pages.find((text) => text.includes('Amount due'))!;
    expect(page).toContain(`Service ${count}`);
    for (const text of file.pages) expect(text).not.toMatch(/Brought forward[\s\d,.]*17 of 30 days/);
  });
});

const hostile: Record<string, [record: Partial<DocumentRecord>, contains: string[]]> = {
  'a name of 10,000 characters without spaces': [
    { buyer: { ...plainRecord.buyer, companyName: 'W'.repeat(10_000) } },
    ['WWWWWW', '…', 'EUR 135.66'],
  ],
  'a description longer than a page': [
    withLines([{ description: 'd'.repeat(10_000) }]),
    ['dddddd', 'EUR 135.66'],
  ],
  'emoji, other scripts and overrides of the direction': [
    withLines([{ description: 'Tea 👩‍👩‍👧 中文 שלום \u202E321\u202C \u0000\u0007 \u{12000} ok' }]),
    ['Tea', '中文', '321', '\uFFFD', 'ok'],
  ],
  'an amount of 40 digits': [
    { totals: { ...plainRecord.totals, payableMinor: '1234567890123456789012345678901234567890' } },
    ['12,345,678,901,234,567,890,123,456,789,012,345,678.90'],
  ],
  'text that looks like markup or PDF': [
    withLines([{ description: '<b>&amp; (a\\) >> endstream endobj' }], { number: ']]> & <x>) /Root' }),
    ['<b>&amp; (a\\) >> endstream endobj', ']]> & <x>) /Root'],
  ],
  'an unknown language and no address': [
    { locale: 'zz-not-a-locale-', seller: { ...plainRecord.seller, address: null }, taxes: [] },
    ['Invoice', 'Team plan'],
  ],
  'a currency without decimals': [
    { currency: 'jpy', currencyDecimals: 0 },
    ['Amount (JPY)', '11,400', 'JPY 13,566'],
  ],
};

describe('survives', () => {
  it.each(sampled(Object.entries(hostile), 2))('%s', async (_, [changed, contains]) => {
    const { pages, metadata } = await read({ ...plainRecord, ...changed });
    const text = flatten(pages.join(' '));
    for (const part of contains) expect(text.replaceAll(' ', '')).toContain(part.replaceAll(' ', ''));
    expect(metadata).not.toMatch(/&(?!amp;|lt;|gt;|quot;)/);
  });
});

describe('PDF/A-3b and accessibility', () => {
  it('states the standard, the colours, the language and the title', async () => {
    const bytes = await render({ ...mixedRecord, locale: 'de', number: 'R&D-1' });
    const file = await readPdf(bytes);
    const { document, objects, metadata } = file;
    expect(objects).toMatch(/^%PDF-1\.7\n%[\x80-\xFF]{4}\n/);
    expect(metadata).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(metadata).toContain('<pdfaid:conformance>B</pdfaid:conformance>');
    expect(metadata).toContain('<rdf:li xml:lang="x-default">Rechnung R&amp;D-1</rdf:li>');
    expect(metadata).toContain('<xmp:CreateDate>2026-11-01T08:30:00Z</xmp:CreateDate>');
    const { info } = await document.getMetadata();
    expect(info).toMatchObject({
      Title: 'Rechnung R&D-1',
      CreationDate: 'D:20261101083000Z',
      Language: 'de',
    });
    expect(objects).toContain('/DisplayDocTitle true');
    const [, profile] = /\/S \/GTS_PDFA1[\s\S]*?\/DestOutputProfile (\d+) 0 R/.exec(objects)!;
    expect(readStream(bytes, profile!).subarray(36, 40).toString()).toBe('acsp');
    expect(objects).toMatch(/\/ID \[<([0-9a-f]{32})> <\1>\]/);
    expect(objects).not.toMatch(/\/(JavaScript|Launch|Encrypt|OpenAction|AA|URI)\b/);
  });

  it('embeds a subset of every font', async () => {
    const { objects } = await read(persian);
    const fonts = [
      ...objects.matchAll(
        /\/Type \/Font\n\/Subtype \/Type0\n\/BaseFont \/(\S+)[\s\S]*?\/DescendantFonts \[(\d+) 0 R\]/g,
      ),
    ];
    expect(fonts.map(([, name]) => name!.replace(/^[A-Z]{6}\+/, '')).toSorted()).toEqual([
      'Vazirmatn-Regular',
      'Vazirmatn-SemiBold',
    ]);
    for (const [, name, descendant] of fonts) {
      expect(name).toMatch(/^[A-Z]{6}\+/);
      const [, descriptor] = /\/FontDescriptor (\d+) 0 R/.exec(readObject(objects, descendant!))!;
      expect(readObject(objects, descriptor!)).toMatch(/\/FontFile2 \d+ 0 R/);
    }
    expect(objects).not.toMatch(/\/Subtype \/Type1\b/);
  });

  it('uses no glyph that stands for a missing one', async () => {
    const bytes = await render(withLines([{ description: 'Tea 👩‍👩‍👧 中文 \u{12000} ไทย →' }]));
    const { objects } = await readPdf(bytes);
    const pages = [...objects.matchAll(/\/Contents (\d+) 0 R/g)];
    expect(pages.length).toBeGreaterThan(0);
    for (const [, number] of pages) {
      const text = [
        ...readStream(bytes, number!)
          .toString('latin1')
          .matchAll(/<((?:[0-9a-f]{4})+)>/g),
      ];
      expect(text.length).toBeGreaterThan(20);
      for (const [, glyphs] of text) expect(glyphs!.match(/.{4}/g)).not.toContain('0000');
    }
  });

  it('tags headings, tables and figures, and marks the rest as artifacts', async () => {
    const bytes = await render(plainRecord);
    const file = await readPdf(bytes);
    const roles = await listRoles(file, 1);
    expect(roles.filter((role) => /^(Document|H\d|Table|Figure)$/.test(role))).toEqual([
      'Document',
      'H1',
      'H2',
      'H2',
      'Table',
      'Table',
      'H2',
      'Figure',
    ]);
    expect(roles.filter((role) => role === 'TR')).toHaveLength(6);
    expect(roles.filter((role) => role === 'TH')).toHaveLength(5 + 1 + 4);
    expect(file.objects).toMatch(/\/Scope \/Column/);
    expect(file.objects).toContain('/Alt (QR code with the details of the transfer)');
    expect(file.objects).toContain('/Marked true');
    const [, contents] = /\/Contents (\d+) 0 R/.exec(file.objects)!;
    const content = readStream(bytes, contents!).toString('latin1');
    // Every piece of text is inside marked content.
    let depth = 0;
    expect(content).toMatch(/\bTJ\b/);
    for (const [operator] of content.matchAll(/\b(BDC|BMC|EMC|TJ)\b/g)) {
      if (operator === 'TJ') expect(depth).toBeGreaterThan(0);
      else depth += operator === 'EMC' ? -1 : 1;
    }
    expect(depth).toBe(0);
  });

  it('attaches the e-invoice as Factur-X requires', async () => {
    const xml = '<?xml version="1.0" encoding="UTF-8"?>\n<invoice>é</invoice>\n';
    const file = await readPdf(await render(plainRecord, xml));
    const attachments = await file.document.getAttachments();
    expect(Object.keys(attachments)).toEqual(['factur-x.xml']);
    expect(Buffer.from(attachments['factur-x.xml'].content).toString('utf8')).toBe(xml);
    const [, specification] = /\/AF \[(\d+) 0 R\]/.exec(file.objects)!;
    const filespec = readObject(file.objects, specification!);
    expect(filespec).toContain('/AFRelationship /Alternative');
    expect(filespec).toMatch(/\/F \(factur-x\.xml\)[\s\S]*\/UF \(factur-x\.xml\)/);
    const [, embedded] = /\/EF <<\n\/F (\d+) 0 R/.exec(filespec)!;
    expect(readObject(file.objects, embedded!)).toMatch(
      /\/ModDate \(D:20261101083000Z\)[\s\S]*\/Subtype \/text#2Fxml/,
    );
    expect(file.metadata).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>');
    expect(file.metadata).toContain(
      '<pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>',
    );
    const plain = await readPdf(await render(plainRecord));
    expect(await plain.document.getAttachments()).toBeNull();
    expect(plain.metadata).not.toContain('fx:');
  });
});

it('renders the same bytes again, also in another process', async () => {
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const first = hash(await render(persian, '<a/>'));
  await render(mixedRecord);
  expect(hash(await render(persian, '<a/>'))).toBe(first);
  const other = createPdfRenderer();
  expect(hash(await other.render({ record: persian, attachedXml: '<a/>' }))).toBe(first);
  await other.close();
  expect(hash(await render({ ...persian, number: 'INV-2' }, '<a/>'))).not.toBe(first);
  const program = `
    const { Worker } = require('node:worker_threads');
    const { readFileSync } = require('node:fs');
    const read = (name) => readFileSync('dist/documents/' + name);
    const workerData = {
      fonts: { latin: read('latin.ttf'), latinStrong: read('latin-strong.ttf'), persian: read('persian.ttf'), persianStrong: read('persian-strong.ttf'), hebrew: read('hebrew.ttf'), hebrewStrong: read('hebrew-strong.ttf') },
      colorProfile: read('srgb.icc'),
    };
    const worker = new Worker('./dist/documents/thread.cjs', { workerData });
    worker.on('message', ({ bytes }) => {
      console.log(require('node:crypto').createHash('sha256').update(bytes).digest('hex'));
      process.exit();
    });
    worker.postMessage({ ...JSON.parse(readFileSync(0, 'utf8')), scriptFonts: [], newFonts: {} });`;
  const input = JSON.stringify({ record: persian, attachedXml: '<a/>' });
  expect(execFileSync(process.execPath, ['-e', program], { input, encoding: 'utf8' }).trim()).toBe(first);
});
