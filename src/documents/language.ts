/** The language of a document: its words, and how it writes numbers, amounts and dates. */
import { findDigits, getDirection, parseLocale } from '../lib/language.ts';
import {
  american,
  brazilian,
  buildArabic,
  conventions,
  latinDigits,
  swissFrench,
  swissGerman,
  swissItalian,
  type Conventions,
} from './conventions.ts';
import { chooseTag, documentTexts, isDocumentTag, type DocumentTag, type DocumentTexts } from './texts.ts';

export interface DocumentLanguage {
  /** The tag of the language of the texts. */
  tag: DocumentTag;
  direction: 'ltr' | 'rtl';
  texts: DocumentTexts;
  /** Formats an exact decimal such as `-1234.5`. */
  formatNumber: (decimal: string) => string;
  /** Formats minor units without the currency, with all its decimals. */
  formatMinor: (amountMinor: bigint) => string;
  /** Formats minor units with the code of the currency. */
  formatMoney: (amountMinor: bigint) => string;
  formatPercent: (decimal: string) => string;
  /** Formats a calendar date (YYYY-MM-DD). */
  formatDate: (date: string) => string;
  /** Returns the name of a country (ISO 3166-1), or its code. */
  nameCountry: (code: string) => string;
}

interface Money {
  currency: string;
  currencyDecimals: number;
}

/** Returns how documents in a locale (BCP 47) write an exact decimal such as `-1234.5`. */
export function chooseNumberFormat(locale: string): DocumentLanguage['formatNumber'] {
  const { forms } = findConventions(locale);
  return (decimal) => writeNumber(decimal, forms);
}

function findConventions(locale: string): { tag: DocumentTag; forms: Conventions } {
  // Parsing a tag takes 20 µs, and each line of a document asks several times.
  if (isDocumentTag(locale)) return { tag: locale, forms: chooseConventions(locale, undefined) };
  const parsed = parseLocale(locale);
  const tag = chooseTag(parsed?.language);
  return { tag, forms: chooseConventions(tag, parsed) };
}

/** Returns the language of a locale (BCP 47): English for languages without texts. */
export function chooseLanguage(locale: string, { currency, currencyDecimals }: Money): DocumentLanguage {
  const { tag, forms } = findConventions(locale);
  const direction = getDirection(tag);
  const code = currency.toUpperCase();
  const formatNumber = (decimal: string) => writeNumber(decimal, forms);
  const formatMinor = (amountMinor: bigint) => formatNumber(toDecimal(amountMinor, currencyDecimals));
  const names = new Intl.DisplayNames([tag], { type: 'region', fallback: 'code' });
  return {
    tag,
    direction,
    texts: documentTexts[tag],
    formatNumber,
    formatMinor,
    // The space does not break. Right to left, the mark keeps the code after the digits, also where it stands alone.
    formatMoney: (amountMinor) =>
      tag === 'en'
        ? `${code}\u00A0${formatMinor(amountMinor)}`
        : `${direction === 'rtl' ? '\u200F' : ''}${formatMinor(amountMinor)}\u00A0${code}`,
    formatPercent: (decimal) => forms.percent(formatNumber(decimal)),
    formatDate: (date) => {
      const [year, month, day] = date.split('-').map(Number);
      const write = (value: number) => writeDigits(String(value), forms);
      return forms.date(write(day!), month!, write(year!));
    },
    nameCountry: (country) => (/^[A-Z]{2}$/.test(country) ? (names.of(country) ?? country) : country),
  };
}

const swiss: Partial<Record<DocumentTag, Conventions>> = {
  de: swissGerman,
  fr: swissFrench,
  it: swissItalian,
};

function chooseConventions(tag: DocumentTag, locale?: Intl.Locale): Conventions {
  const ofSwitzerland = locale?.region === 'CH' || locale?.region === 'LI' ? swiss[tag] : undefined;
  if (ofSwitzerland) return ofSwitzerland;
  if (tag === 'en' && locale?.region === 'US') return american;
  if (tag === 'pt' && locale?.region === 'BR') return brazilian;
  if (tag === 'fa' && findDigits(tag, locale) === 'latn') return latinDigits;
  if (tag === 'ar') return buildArabic(findDigits(tag, locale) === 'arab', locale?.region);
  return conventions[tag];
}

const writeDigits = (text: string, { digits }: Conventions) =>
  digits.startsWith('0') ? text : text.replace(/\d/g, (digit) => digits[Number(digit)]!);

function writeNumber(text: string, forms: Conventions): string {
  const { decimal, group, minus } = forms;
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction] = text.replace(/^[-+]/, '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const number = fraction ? `${grouped}${decimal}${fraction}` : grouped;
  return `${isNegative ? minus : ''}${writeDigits(number, forms)}`;
}

function toDecimal(amountMinor: bigint, decimals: number): string {
  const sign = amountMinor < 0n ? '-' : '';
  const digits = String(amountMinor)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  return decimals === 0
    ? `${sign}${digits}`
    : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
