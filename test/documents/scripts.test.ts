/** Text in all scripts: it prints without a missing glyph, can be copied, breaks at the right places, and cannot delay others. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScriptFont } from '../../src/documents/assets.ts';
import { createFontLibrary, type FontFamily } from '../../src/documents/pdf/fonts.ts';
import { breakLines } from '../../src/documents/pdf/text.ts';
import { createPdfRenderer, type PdfRenderer } from '../../src/documents/pdfRenderer.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { listScriptFonts, type ScriptFont } from '../../src/documents/scriptFonts.ts';
import { buildDocuments, listActualTexts, readPdf } from './pdfFile.ts';
import { arabic, plainRecord, withLines } from './records.ts';

const read = (name: string) => readFileSync(`src/documents/fonts/${name}.ttf`);
const library = createFontLibrary({
  latin: read('latin'),
  latinStrong: read('latin-strong'),
  persian: read('persian'),
  persianStrong: read('persian-strong'),
  hebrew: read('hebrew'),
  hebrewStrong: read('hebrew-strong'),
});

let renderer: PdfRenderer;
let family: FontFamily;
beforeAll(() => {
  buildDocuments();
  renderer = createPdfRenderer();
  const names: ScriptFont[] = [
    'thai',
    'bengali',
    'tamil',
    'georgian',
    'armenian',
    'symbols',
    'emoji',
    'chinese',
    'chineseTraditional',
    'japanese',
    'korean',
  ];
  library.add(Object.fromEntries(names.map((name) => [name, readScriptFont(name)])));
  family = library.choose(names);
});
afterAll(async () => renderer.close());

const withName = (companyName: string, others: Partial<DocumentRecord> = {}): DocumentRecord => ({
  ...plainRecord,
  ...others,
  buyer: { ...plainRecord.buyer, companyName },
});
const listFonts = (objects: string) =>
  new Set(Array.from(objects.matchAll(/\/BaseFont \/[A-Z]{6}\+(\S+)/g), ([, name]) => name!.split('-')[0]!));

const everywhere: [script: string, text: string, fonts: string[]][] = [
  ['Greek', 'Παπαδοπούλου & Υιοί ΑΕ', []],
  ['Cyrillic', 'ООО «Ромашка», Київ', []],
  ['Devanagari', 'राष्ट्रीय विद्यार्थी ABCक्षत्रिय', []],
  ['Bengali', 'রাষ্ট্রীয় বিদ্যার্থী ABCক্ষত্রিয়', ['NotoSansBengali']],
  ['Tamil', 'தமிழ் நிறுவனம் கௌரி ஸ்ரீ', ['NotoSansTamil']],
  ['Georgian', 'შპს მაგალითი ᲗᲑᲘᲚᲘᲡᲘ', ['NotoSansGeorgian']],
  ['Armenian', 'Օրինակ ՍՊԸ և Երևան', ['NotoSansArmenian']],
  ['Thai', 'บริษัท น้ำทิพย์ ญี่ปุ่น จำกัด', ['NotoSansThai']],
  ['Chinese', '示例科技股份有限公司，北京（朝阳）', ['NotoSansSC']],
  ['Japanese', '株式会社サンプル・東京', ['NotoSansSC', 'NotoSansJP']],
  ['Korean', '주식회사 예시 서울', ['NotoSansKR']],
  ['emoji', 'Jo 😀 👩‍👩‍👧 🇩🇪 👍🏽 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿', ['NotoEmoji']],
  ['symbols', 'A → B ✓ ★ ① ≠', ['NotoSansSC']],
];

describe('prints', () => {
  it.each(everywhere)('%s in each place for text', async (_, text, fonts) => {
    const address = { ...plainRecord.buyer.address!, line1: text, city: text };
    const record = withLines(
      [{ description: text, details: [text], discounts: [{ name: text, amountMinor: '1' }] }],
      {
        note: text,
        seller: { ...plainRecord.seller, legalName: text, footer: text, address },
        buyer: { ...plainRecord.buyer, name: text, companyName: text, address },
        payment: {
          ...plainRecord.payment,
          bankAccount: {
            ...plainRecord.payment.bankAccount!,
            accountHolder: text,
            bankName: text,
            instructions: text,
          },
        },
      },
    );
    const bytes = await renderer.render({ record });
    const { objects, pages } = await readPdf(bytes);
    expect(pages.join('')).not.toContain('\uFFFD');
    const found = [...pages, ...listActualTexts(bytes)].join('\n').replace(/\s/g, '');
    const first = text.split(' ').map((word) => found.split(word).length - 1);
    // Twelve places; a word may be divided where a line ends.
    for (const count of first) expect(count).toBeGreaterThanOrEqual(10);
    for (const font of fonts) expect(listFonts(objects)).toContain(font);
    expect(objects).not.toMatch(/\/Subtype \/Type1\b/);
  });

  it('several scripts in one line, also within text from right to left', async () => {
    const text = '茶 お茶 차 ชา चाय চা தே ჩაი թեյ شاي תה τσάι чай 🍵';
    for (const record of [withName(text), { ...arabic, buyer: { ...arabic.buyer, companyName: text } }]) {
      const bytes = await renderer.render({ record });
      const { pages } = await readPdf(bytes);
      expect(pages.join('')).not.toContain('\uFFFD');
      expect(listActualTexts(bytes)).toContain(text);
    }
  });

  it('U+FFFD for what no font has, which is copied as it was', async () => {
    const bytes = await renderer.render({ record: withName('Runes ᚠᚢ, Sumerian 𒀀 ok') });
    const { pages } = await readPdf(bytes);
    expect(pages.join('')).toContain('Runes \uFFFD\uFFFD, Sumerian \uFFFD ok');
    expect(listActualTexts(bytes)).toContain('Runes ᚠᚢ, Sumerian 𒀀 ok');
  });

  it('the same bytes whatever was rendered before', async () => {
    const record = withName('会社 〜 ⼀');
    const first = await renderer.render({ record });
    await renderer.render({ record: withName('會社 ～ 一') });
    const other = createPdfRenderer();
    await other.render({ record: withName('～ 一 会社') });
    expect((await other.render({ record })).equals(first)).toBe(true);
    await other.close();
  });
});

describe('loads the fonts of', () => {
  const han = '直';
  it.each<[string, DocumentRecord, ScriptFont[]]>([
    ['nobody for Latin, Greek, Hebrew, Arabic and Devanagari', withName('Ä Ω Ж ש ع क – “€” ⁨1⁩'), []],
    ['Thai readers', withName('ไทย'), ['thai']],
    ['Bengali readers', withName('ক'), ['bengali']],
    ['Tamil readers', withName('க'), ['tamil']],
    ['Georgian readers', withName('ა'), ['georgian']],
    ['Armenian readers', withName('Հ'), ['armenian']],
    ['Japanese by the language', withName(han, { locale: 'ja' }), ['japanese', 'chinese']],
    ['Korean by the language', withName(han, { locale: 'ko-KR' }), ['korean', 'chinese']],
    ['Taiwan by the language', withName(han, { locale: 'zh-TW' }), ['chineseTraditional', 'chinese']],
    ['Hong Kong by the script', withName(han, { locale: 'zh-Hant' }), ['chineseTraditional', 'chinese']],
    ['China by the language', withName(han, { locale: 'zh' }), ['chinese']],
    [
      'a customer in Japan',
      {
        ...plainRecord,
        buyer: { ...plainRecord.buyer, name: han, address: { ...plainRecord.buyer.address!, country: 'JP' } },
      },
      ['japanese', 'chinese'],
    ],
    ['Japanese by its kana', withName(`${han}の`), ['japanese', 'chinese']],
    ['Korean by its letters', withName(`${han}의`), ['korean', 'chinese']],
    ['Chinese otherwise', withName(han), ['chinese']],
    ['emoji', withName('😀'), ['emoji']],
  ])('%s', (_, record, fonts) => expect(listScriptFonts(record)).toEqual(fonts));

  it.each([
    ['zh', 'NotoSansSC'],
    ['zh-TW', 'NotoSansTC'],
    ['ja', 'NotoSansJP'],
    ['ko', 'NotoSansKR'],
  ])('the readers of %s, in their forms of the same characters', async (locale, font) => {
    const { objects } = await readPdf(await renderer.render({ record: withName('直骨令', { locale }) }));
    expect(listFonts(objects)).toContain(font);
  });
});

describe('ends lines', () => {
  const layLines = (text: string, width: number) =>
    breakLines(text, family.regular, width, 'ltr').map(
      ({ actualText, runs }) => actualText ?? runs.map((run) => run.text).join(''),
    );

  it.each<[string, string, number, string[]]>([
    ['between Han characters', '一二三四五六七', 3.1, ['一二三', '四五六', '七']],
    ['not before closing punctuation', '一二三。四', 3.1, ['一二', '三。四']],
    ['not after opening punctuation', '一二（三四', 3.1, ['一二', '（三四']],
    ['not before small kana', 'アアアッア', 3.1, ['アア', 'アッア']],
    ['between words of Thai', 'กรุณาชำระเงิน', 4, ['กรุณา', 'ชำระเงิน']],
    ['at the spaces of Korean', '월간 구독 요금', 5, ['월간 구독', '요금']],
  ])('%s', (_, text, width, lines) => expect(layLines(text, width)).toEqual(lines));

  it.each(everywhere)('no wider than the column, with all of the text: %s', (_, text) => {
    for (const width of [3, 6, 11]) {
      const lines = breakLines(text.repeat(5), family.regular, width, 'ltr');
      expect(lines.length).toBeGreaterThan(2);
      for (const line of lines) expect(line.width).toBeLessThanOrEqual(width);
      const shown = lines.map(({ actualText, runs }) => actualText ?? runs.map((run) => run.text).join(''));
      expect(shown.join('').replace(/\s/g, '')).toBe(text.repeat(5).replace(/\s/g, ''));
    }
  });

  it('puts the tone of the Thai am above its ring', () => {
    const [line] = breakLines('น้ำ', family.regular, 50, 'ltr');
    expect(line).toMatchObject({ runs: [{ text: 'น\u0E4D้า' }], actualText: 'น้ำ' });
  });
});

const hostile: [string, string][] = [
  ['5,000 combining marks', `a${'\u0301\u0316'.repeat(2500)}`],
  ['5,000 Thai marks', `ก${'\u0E49'.repeat(5000)}`],
  ['5,000 signs of Bengali', `ক${'\u09CD'.repeat(2500)}${'\u09BF'.repeat(2500)}`],
  ['5,000 signs of Tamil', `க${'\u0BCD'.repeat(2500)}${'\u0BC6'.repeat(2500)}`],
  ['5,000 signs of Devanagari', `क${'\u094D'.repeat(2500)}${'\u093F'.repeat(2500)}`],
  ['5,000 halves of pairs', '\uD83D'.repeat(5000)],
  ['5,000 joiners', `👩${'\u200D👩'.repeat(2500)}`],
  ['5,000 variation selectors', `❤${'\uFE0F'.repeat(5000)}`],
  ['5,000 flags', '🇩🇪'.repeat(1250)],
  ['5,000 tags', `🏴${'\u{E0067}'.repeat(2500)}`],
  ['5,000 overrides', '\u202Ea\u2066שb'.repeat(1250)],
  ['5,000 control characters', '\u0000\u0007\u001B\u0085x'.repeat(1000)],
  [
    '5,000 Han characters, all different',
    Array.from({ length: 5000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''),
  ],
  ['5,000 Thai letters', 'กรุณาชำระ'.repeat(600)],
  ['5,000 jamos that do not combine', '\u1100\u1161\u11A8\u11A8'.repeat(1250)],
  ['5,000 unknown characters', '\u{12000}'.repeat(2500)],
  ['private, unassigned and noncharacters', '\uE000\u0378\uFDD0\u{1FFFE}\u{10FFFF}'.repeat(500)],
];

describe('survives', () => {
  it.each(hostile)('%s', async (_, text) => {
    const begunAt = performance.now();
    const bytes = await renderer.render({
      record: withLines([{ description: text }], {
        note: text,
        buyer: { ...plainRecord.buyer, companyName: text, name: text },
      }),
    });
    // A document is given up after 30 s.
    expect(performance.now() - begunAt).toBeLessThan(10_000);
    const { pages } = await readPdf(bytes);
    expect(pages.join('')).toContain('135.66');
  });
});
