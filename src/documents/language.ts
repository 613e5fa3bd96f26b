/** The language of a document: its words, and how it writes numbers, amounts and dates. */
import { de } from './texts/de.ts';
import { american, en } from './texts/en.ts';
import { fa, latinDigits } from './texts/fa.ts';
import { fr } from './texts/fr.ts';
import type { Conventions, DocumentTexts } from './texts/types.ts';

export interface DocumentLanguage {
  /** The tag of the language of the words: en, de, fr or fa. */
  tag: string;
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

const languages: Record<string, DocumentTexts> = { en, de, fr, fa };

/** Returns the language of a locale (BCP 47): English for languages without texts. */
export function chooseLanguage(locale: string, { currency, currencyDecimals }: Money): DocumentLanguage {
  const parsed = parseLocale(locale);
  const tag = parsed?.language !== undefined && parsed.language in languages ? parsed.language : 'en';
  const texts = languages[tag]!;
  const conventions = chooseConventions(tag, texts, parsed);
  const code = currency.toUpperCase();
  const formatNumber = (decimal: string) => writeNumber(decimal, conventions);
  const formatMinor = (amountMinor: bigint) => formatNumber(toDecimal(amountMinor, currencyDecimals));
  const names = new Intl.DisplayNames([tag], { type: 'region', fallback: 'code' });
  return {
    tag,
    texts,
    formatNumber,
    formatMinor,
    // The space does not break.
    formatMoney: (amountMinor) =>
      tag === 'en' ? `${code}\u00A0${formatMinor(amountMinor)}` : `${formatMinor(amountMinor)}\u00A0${code}`,
    formatPercent: (decimal) => conventions.percent(formatNumber(decimal)),
    formatDate: (date) => {
      const [year, month, day] = date.split('-').map(Number);
      const write = (value: number) => writeDigits(String(value), conventions);
      return conventions.date(write(day!), month!, write(year!));
    },
    nameCountry: (country) => (/^[A-Z]{2}$/.test(country) ? (names.of(country) ?? country) : country),
  };
}

function parseLocale(locale: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(locale);
  } catch {
    return undefined;
  }
}

function chooseConventions(tag: string, texts: DocumentTexts, locale?: Intl.Locale): Conventions {
  if (tag === 'en' && locale?.region === 'US') return american;
  if (tag === 'fa' && locale?.numberingSystem === 'latn') return latinDigits;
  return texts.conventions;
}

const writeDigits = (text: string, { digits }: Conventions) =>
  digits.startsWith('0') ? text : text.replace(/\d/g, (digit) => digits[Number(digit)]!);

function writeNumber(text: string, conventions: Conventions): string {
  const { decimal, group, minus } = conventions;
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction] = text.replace(/^[-+]/, '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  const number = fraction ? `${grouped}${decimal}${fraction}` : grouped;
  return `${isNegative ? minus : ''}${writeDigits(number, conventions)}`;
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
