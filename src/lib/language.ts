/** The languages of customers' pages and mails, and how each writes amounts, numbers and dates. */
import { formatFixed, parseDecimal } from './decimal.ts';
import { makeOnce } from './makeOnce.ts';
import { countDecimals, decimalText } from './money.ts';
import { findLastDay } from './time.ts';

/** English, German, French, Spanish, Persian, Pashto, Arabic and Hebrew. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'fa' | 'ps' | 'ar' | 'he';

/** The languages by their names in themselves, in the order in which a page lists them. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  fa: 'فارسی',
  ps: 'پښتو',
  ar: 'العربية',
  he: 'עברית',
};

/** The name of each language in English. */
export const englishNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  fa: 'Persian',
  ps: 'Pashto',
  ar: 'Arabic',
  he: 'Hebrew',
};

/** A text of which each language has its own version. */
export type Translated<Texts> = Readonly<Record<Language, Texts>>;

/** Dari is the Persian of Afghanistan. */
const sameLanguage: Record<string, Language> = { prs: 'fa' };

const rightToLeft: ReadonlySet<string> = new Set<Language>(['fa', 'ps', 'ar', 'he']);

/** Returns the direction in which a language is written; documents have more languages than pages. */
export const getDirection = (language: string): 'ltr' | 'rtl' => (rightToLeft.has(language) ? 'rtl' : 'ltr');

/** Returns the parts of a tag (BCP 47); undefined for text that is no tag. */
export function parseLocale(tag: string | null | undefined): Intl.Locale | undefined {
  if (!tag) return undefined;
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

/** Returns the language of a tag (BCP 47); undefined for one without texts, and for text that is no tag. */
export function findLanguage(tag: string | null | undefined): Language | undefined {
  const language = parseLocale(tag)?.language;
  if (language === undefined) return undefined;
  const named = sameLanguage[language] ?? language;
  return Object.hasOwn(languageNames, named) ? (named as Language) : undefined;
}

/** Regions whose Arabic has digits of its own (CLDR 48). In all others, and without a region, Arabic has Latin digits. */
const arabicDigitRegions = new Set(
  'BH DJ EG ER IL IQ JO KM KW LB MR OM PS QA SA SD SO SS SY TD YE'.split(' '),
);

/**
 * Returns the digits of a language for a reader with a locale, as a numbering system of CLDR: those that the locale names
 * (`fa-u-nu-latn`), in Arabic otherwise those of its region; undefined for those that the language always has.
 */
export function findDigits(language: string, locale: Intl.Locale | undefined): 'latn' | 'arab' | undefined {
  const named = locale?.numberingSystem;
  if (named === 'latn') return 'latn';
  if (language !== 'ar') return undefined;
  if (named !== undefined) return named === 'arab' ? 'arab' : 'latn';
  return arabicDigitRegions.has(locale?.region ?? '') ? 'arab' : 'latn';
}

/**
 * Returns the language for a reader: that of the customer's locale, otherwise the first that the browser accepts
 * (RFC 9110, 12.5.4), otherwise English.
 */
export function chooseLanguage(locale: string | null | undefined, acceptLanguage = ''): Language {
  const [accepted] = readAcceptLanguage(acceptLanguage).flatMap((tag) => findLanguage(tag) ?? []);
  return findLanguage(locale) ?? accepted ?? 'en';
}

/** Lists the tags of an `Accept-Language` header by descending weight, without those of weight 0. */
export function readAcceptLanguage(header: string): string[] {
  const ranges = header.split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter));
    return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
  });
  return ranges
    .filter(({ weight }) => weight > 0 && weight <= 1)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** How a language writes amounts, numbers and dates. All texts have spaces that do not break. */
export interface Formats {
  /** Formats minor units of a currency: `€1,234.50`, `1.234,50 €`. */
  money: (amountMinor: bigint, currency: string) => string;
  /** Formats a unit amount in major units, which may be finer than the currency: `$0.000375`. */
  unitAmount: (amount: string, currency: string) => string;
  /** Formats a number, or a decimal: `1,234.5`. */
  number: (number: number | bigint | string) => string;
  /** Formats a decimal as a percentage: `19.5%`. */
  percent: (decimal: string) => string;
  /** Formats an instant as a calendar date in the time zone: `1 March 2026`. */
  day: (instant: string) => string;
  /** Formats a number of seconds from now, in minutes rounded up: `in 9 minutes`. */
  wait: (seconds: number) => string;
  /** Formats the last day of a period, of which the end is exclusive. */
  lastDay: (start: string, end: string) => string;
  /** Returns the name of a country (ISO 3166-1), or its code. */
  country: (code: string) => string;
}

/** English dates begin with the day, so that no reader takes the month for it. */
const dateTags: Partial<Record<Language, string>> = { en: 'en-GB' };

/**
 * Returns the tag by which `Intl` writes the numbers of a language. The reader's locale decides the digits, and in Arabic
 * its region the separators and the names of months; other languages are written in one way for all regions.
 */
function findNumberTag(language: Language, readerLocale: string | null | undefined): string {
  const locale = findLanguage(readerLocale) === language ? parseLocale(readerLocale) : undefined;
  const digits = findDigits(language, locale);
  const region = language === 'ar' && locale?.region ? `-${locale.region}` : '';
  return `${language}${region}${digits ? `-u-nu-${digits}` : ''}`;
}

/**
 * Creates the formats of a language, with dates of the Gregorian calendar in a time zone. `readerLocale` is the locale of
 * the reader, if known.
 */
export function createFormats(language: Language, timeZone: string, readerLocale?: string | null): Formats {
  const tag = findNumberTag(language, readerLocale);
  // Formats are slow to make, and few texts need all of them.
  const day = makeOnce(
    () =>
      new Intl.DateTimeFormat(dateTags[language] ?? tag, {
        calendar: 'gregory',
        dateStyle: 'long',
        timeZone,
      }),
  );
  const isRightToLeft = rightToLeft.has(language);
  const money = (amount: string, currency: string) => formatCurrency(tag, isRightToLeft, amount, currency);
  const formatDay = (instant: string) => joinWords(day().format(new Date(instant)));
  const number = makeOnce(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 12 }));
  const percent = makeOnce(() => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 6 }));
  const wait = makeOnce(() => new Intl.RelativeTimeFormat(tag));
  const countries = makeOnce(() => new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }));
  return {
    money: (amountMinor, currency) => money(decimalText(amountMinor, currency), currency),
    unitAmount: money,
    number: (value) => number().format(typeof value === 'string' ? (value as Decimal) : value),
    percent: (decimal) => joinWords(percent().format(toHundredth(decimal))),
    day: formatDay,
    lastDay: (start, end) => formatDay(findLastDay(start, end, timeZone)),
    wait: (seconds) => joinWords(wait().format(Math.ceil(seconds / 60), 'minute')),
    country: (code) => (/^[A-Z]{2}$/.test(code) ? (countries().of(code) ?? code) : code),
  };
}

const rightToLeftMark = '\u200F';

/** `Intl` reads decimal text exactly, also beyond the digits of a double (ECMA-402, NumberFormat v3). */
type Decimal = Intl.StringNumericLiteral;

/** Formats a decimal with all decimals of the currency by ISO 4217, and more if the amount has them. */
function formatCurrency(tag: string, isRightToLeft: boolean, amount: string, currency: string): string {
  const decimals = Math.max(countDecimals(currency), amount.split('.')[1]?.length ?? 0);
  const form = new Intl.NumberFormat(tag, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const text = joinWords(form.format(amount as Decimal)).replace('-', '−');
  // A sentence that begins with an amount is read in the direction of its language.
  return isRightToLeft && !text.startsWith(rightToLeftMark) ? `${rightToLeftMark}${text}` : text;
}

/** Returns the exact hundredth of a decimal. */
function toHundredth(decimal: string): Decimal {
  const { digits, scale } = parseDecimal(decimal)!;
  return formatFixed({ digits, scale: scale + 2 }) as Decimal;
}

/** Replaces the spaces within a number or date, so that no line ends there. */
const joinWords = (text: string) => text.replaceAll(' ', '\u00A0');
