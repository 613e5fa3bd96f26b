/** Which language a reader gets, and how each language writes amounts and dates. */
import { describe, expect, it } from 'vitest';
import {
  chooseLanguage,
  createFormats,
  findDigits,
  findLanguage,
  getDirection,
  languageNames,
  parseLocale,
  type Language,
} from '../../src/lib/language.ts';

describe('the language of a reader', () => {
  it.each<[locale: string | null, acceptLanguage: string | undefined, Language]>([
    ['de-AT', 'fr', 'de'],
    ['fa-AF', undefined, 'fa'],
    ['prs', undefined, 'fa'],
    ['pus-AF', undefined, 'ps'],
    ['ar-EG', undefined, 'ar'],
    ['arb', undefined, 'ar'],
    ['iw', undefined, 'he'],
    [null, 'he-IL,he;q=0.9,ar;q=0.8', 'he'],
    ['ja', 'es-MX,es;q=0.9', 'es'],
    [null, 'ja, fr;q=0.2, de;q=0.7', 'de'],
    [null, 'de;q=0, fr;q=0.1', 'fr'],
    [null, 'de;q=2, fr;q=x, es', 'es'],
    [null, '*', 'en'],
    [null, ';;q=1,,__proto__,constructor,de_DE', 'en'],
    ['constructor', '', 'en'],
    [null, undefined, 'en'],
  ])('%s, accepting %s: %s', (locale, acceptLanguage, language) => {
    expect(chooseLanguage(locale, acceptLanguage)).toBe(language);
  });
});

it.each([undefined, '', 'ja', 'x', 'de_DE', 'en--', 'toString'])('%s has no language', (tag) => {
  expect(findLanguage(tag)).toBeUndefined();
});

it('Persian, Pashto, Arabic and Hebrew are written from right to left', () => {
  const languages = Object.keys(languageNames) as Language[];
  expect(languages.filter((language) => getDirection(language) === 'rtl')).toEqual(['fa', 'ps', 'ar', 'he']);
});

it.each<[language: Language, locale: string | undefined, digits: string | undefined]>([
  ['ar', undefined, 'latn'],
  ['ar', 'ar', 'latn'],
  ['ar', 'ar-EG', 'arab'],
  ['ar', 'ar-SA', 'arab'],
  ['ar', 'ar-AE', 'latn'],
  ['ar', 'ar-DE', 'latn'],
  ['ar', 'ar-EG-u-nu-latn', 'latn'],
  ['ar', 'ar-AE-u-nu-arab', 'arab'],
  ['ar', 'ar-EG-u-nu-thai', 'latn'],
  ['fa', 'fa-AF', undefined],
  ['fa', 'fa-u-nu-latn', 'latn'],
  ['he', 'he-IL', undefined],
])('the digits of %s for %s: %s', (language, locale, digits) => {
  expect(findDigits(language, parseLocale(locale))).toBe(digits);
});

it('the digits of Arabic are those of each region in CLDR', () => {
  const codes = Array.from({ length: 26 * 26 }, (_, index) =>
    String.fromCodePoint(65 + Math.floor(index / 26), 65 + (index % 26)),
  );
  const regions = codes.filter((code) => new Intl.DisplayNames('en', { type: 'region' }).of(code) !== code);
  const differing = regions.filter((region) => {
    const { numberingSystem } = new Intl.NumberFormat(`ar-${region}`).resolvedOptions();
    return findDigits('ar', parseLocale(`ar-${region}`)) !== numberingSystem;
  });
  expect(differing).toEqual([]);
});

describe('amounts, numbers and dates', () => {
  const plain = (text: string) =>
    text
      .replaceAll('\u00A0', ' ')
      .replaceAll('\u202F', ' ')
      .replace(/[\u061C\u200E\u200F]/g, '');
  it.each<[locale: string, string[]]>([
    ['en', ['€1,234,567.50', '−€0.05', '$0.000375', '1,234.5', '19.5%', '2 March 2026', 'Germany']],
    ['de', ['1.234.567,50 €', '−0,05 €', '0,000375 $', '1.234,5', '19,5 %', '2. März 2026', 'Deutschland']],
    ['fr', ['1 234 567,50 €', '−0,05 €', '0,000375 $US', '1 234,5', '19,5 %', '2 mars 2026', 'Allemagne']],
    [
      'es',
      ['1.234.567,50 €', '−0,05 €', '0,000375 US$', '1234,5', '19,5 %', '2 de marzo de 2026', 'Alemania'],
    ],
    ['fa', ['€۱٬۲۳۴٬۵۶۷٫۵۰', '−€۰٫۰۵', '$۰٫۰۰۰۳۷۵', '۱٬۲۳۴٫۵', '۱۹٫۵٪', '۲ مارس ۲۰۲۶', 'آلمان']],
    ['ps', ['€ ۱٬۲۳۴٬۵۶۷٫۵۰', '−€ ۰٫۰۵', '$ ۰٫۰۰۰۳۷۵', '۱٬۲۳۴٫۵', '۱۹٫۵٪', '۲۰۲۶ مارچ ۲', 'المان']],
    ['ar', ['1,234,567.50 €', '−0.05 €', '0.000375 US$', '1,234.5', '19.5%', '2 مارس 2026', 'ألمانيا']],
    ['ar-EG', ['١٬٢٣٤٬٥٦٧٫٥٠ €', '−٠٫٠٥ €', '٠٫٠٠٠٣٧٥ US$', '١٬٢٣٤٫٥', '١٩٫٥٪', '٢ مارس ٢٠٢٦', 'ألمانيا']],
    ['ar-LB', ['١٬٢٣٤٬٥٦٧٫٥٠ €', '−٠٫٠٥ €', '٠٫٠٠٠٣٧٥ US$', '١٬٢٣٤٫٥', '١٩٫٥٪', '٢ آذار ٢٠٢٦', 'ألمانيا']],
    [
      'ar-SA-u-ca-islamic',
      ['١٬٢٣٤٬٥٦٧٫٥٠ €', '−٠٫٠٥ €', '٠٫٠٠٠٣٧٥ US$', '١٬٢٣٤٫٥', '١٩٫٥٪', '٢ مارس ٢٠٢٦', 'ألمانيا'],
    ],
    ['ar-MA', ['1.234.567,50 €', '−0,05 €', '0,000375 US$', '1.234,5', '19,5%', '2 مارس 2026', 'ألمانيا']],
    ['he-IL', ['1,234,567.50 €', '−0.05 €', '0.000375 $', '1,234.5', '19.5%', '2 במרץ 2026', 'גרמניה']],
    ['fa-u-nu-latn', ['€ 1,234,567.50', '−€ 0.05', '$ 0.000375', '1,234.5', '19.5%', '2 مارس 2026', 'آلمان']],
  ])('in %s', (locale, expected) => {
    const formats = createFormats(findLanguage(locale)!, 'Asia/Tokyo', locale);
    const { money, unitAmount, number, percent, day, country } = formats;
    const written = [
      money(123_456_750n, 'eur'),
      money(-5n, 'eur'),
      unitAmount('0.000375', 'usd'),
      number('1234.5'),
      percent('19.5'),
      day('2026-03-01T20:00:00.000Z'),
      country('DE'),
    ];
    expect(written.map(plain)).toEqual(expected);
  });

  it('an amount from right to left begins with a mark, so that a sentence after it is read so', () => {
    const begins = Object.keys(languageNames).filter((language) =>
      createFormats(language as Language, 'UTC')
        .money(5n, 'eur')
        .startsWith('\u200F'),
    );
    expect(begins).toEqual(['fa', 'ps', 'ar', 'he']);
  });

  it.each([
    ['afn', 5000n, 'AFN 50.00'],
    ['jpy', 1500n, '¥1,500'],
    ['kwd', 1n, 'KWD 0.001'],
    ['usd', 10n ** 18n + 1n, '$10,000,000,000,000,000.01'],
  ])('%s has the decimals of ISO 4217, and all digits', (currency, amountMinor, written) => {
    expect(plain(createFormats('en', 'UTC').money(amountMinor, currency))).toBe(written);
  });

  it('no text breaks at a space', () => {
    for (const language of Object.keys(languageNames)) {
      const { money, unitAmount, day } = createFormats(language as Language, 'UTC');
      const written = [money(-5n, 'afn'), unitAmount('1234567.5', 'eur'), day('2026-03-01T20:00:00.000Z')];
      expect(written.join('')).not.toContain(' ');
    }
  });

  it('a country without a name is its code', () => {
    expect(createFormats('en', 'UTC').country('QQ')).toBe('QQ');
    expect(createFormats('en', 'UTC').country('not a code')).toBe('not a code');
  });
});
