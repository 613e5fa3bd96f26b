/** Lines of text in a PDF: none is wider than its column, and together they are the text, in the order in which it is read. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openFonts, orderFamily } from '../../src/documents/pdf/fonts.ts';
import { breakLines } from '../../src/documents/pdf/text.ts';
import type { DocumentTag } from '../../src/documents/texts.ts';

const read = (name: string) => readFileSync(`src/documents/fonts/${name}.ttf`);
const family = openFonts({
  latin: read('latin'),
  latinStrong: read('latin-strong'),
  persian: read('persian'),
  persianStrong: read('persian-strong'),
  hebrew: read('hebrew'),
  hebrewStrong: read('hebrew-strong'),
});

const withoutSpaces = (text: string) => text.normalize('NFC').replace(/\s/g, '');

const rows: [tag: DocumentTag, name: string, text: string][] = [
  ['ar', 'words and digits of two scripts', 'اشتراك شهري في الباقة (Team plan) لعدد ١٢ مستخدمًا، من 3 أقسام'],
  ['ar', 'one long word', 'الاستخدامات'.repeat(30)],
  ['ar', 'vowel marks', 'مُحَمَّدٌ وَلَا إِلٰهَ '.repeat(5)],
  ['he', 'words and digits', 'מינוי חודשי (Team plan) עבור 12 משתמשים, כולל תמיכה מסביב לשעון'],
  ['he', 'one long word', 'שלום'.repeat(60)],
  ['he', 'vowel points', 'בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם '.repeat(3)],
  ['he', 'a name in Arabic', 'לכבוד فاطمة الزهراء, חיפה'],
  ['fa', 'joiners', 'اشتراک ماهانهٔ طرح حرفه‌ای با پشتیبانی شبانه‌روزی برای ۱۲ کاربر'],
  ['en', 'names in both scripts', 'For אורן תוכנה בע״מ and شركة النيل, by transfer '.repeat(3)],
];

describe.each(rows)('in %s: %s', (tag, _, text) => {
  it.each([5, 8, 13, 40])('in a column of %i', (width) => {
    const fonts = orderFamily(family, tag);
    const lines = breakLines(text, fonts.regular, width, tag === 'en' ? 'ltr' : 'rtl');
    for (const line of lines) expect(line.width).toBeLessThanOrEqual(width);
    const shown = lines.map(({ actualText, runs }) => actualText ?? runs.map((run) => run.text).join(''));
    expect(withoutSpaces(shown.join(''))).toBe(withoutSpaces(text));
    for (const run of lines.flatMap(({ runs }) => runs)) expect(run.text).not.toContain('\uFFFD');
  });
});
