import { useMemo } from 'react';
import { readMachineClock } from '../data/clock.tsx';
import { dayMs, findLastDay, hourMs, minuteMs, secondMs } from '../data/periods.ts';
import { useZone } from '../data/zone.ts';
import { useLanguage, type Language } from './language.tsx';

/** Writes numbers, amounts and times for one language and time zone. */
export interface Format {
  number(value: number, options?: Intl.NumberFormatOptions): string;
  percent(share: number): string;
  /** The figures of an amount, without the currency. */
  figures(amount: Amount): string;
  /** An amount in a sentence: €12.40. */
  money(amount: Amount): string;
  /** 3 Mar; with the year if it is not the present one. */
  date(instant: string): string;
  /** The first and the last day of a period, of which the end is exclusive: 3 Mar – 2 Apr. */
  days(start: string, end: string): string;
  /** 3 Mar, 14:05. */
  dateTime(instant: string): string;
  /** All of an instant, with its zone. */
  full(instant: string): string;
  /** Mar 2026, of the Gregorian calendar. */
  month(instant: string): string;
  /** in 3 days; now for what was due before. */
  future(instant: string, now: number): string;
  /** 2 hours ago; now for what the machine's clock has not reached. */
  past(instant: string, now: number): string;
  list(words: string[]): string;
  country(code: string): string;
}

/** Returns the format of the operator's language and the tenant's time zone. */
export function useFormat(): Format {
  const { language } = useLanguage();
  const timeZone = useZone();
  return useMemo(() => createFormat(language, timeZone), [language, timeZone]);
}

/** Creates the format of a language; `timeZone` is a name of the IANA database. */
export function createFormat(language: Language, timeZone: string): Format {
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { timeZone, ...options });
    return (instant: string) => format.format(new Date(instant));
  };
  const year = date({ year: 'numeric' });
  const thisYear = year(new Date(readMachineClock()).toISOString());
  const [day, dayOfYear, full] = [
    date({ day: 'numeric', month: 'short' }),
    date({ day: 'numeric', month: 'short', year: 'numeric' }),
    date({ dateStyle: 'full', timeStyle: 'long' }),
  ];
  const minute = date({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
  const minuteOfYear = date({ dateStyle: 'medium', timeStyle: 'short' });
  const isPresent = (instant: string) => year(instant) === thisYear;
  const writeDate = (instant: string) => (isPresent(instant) ? day : dayOfYear)(instant);
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  return {
    number: (value, options) => withMinus(new Intl.NumberFormat(language, options).format(value)),
    percent: (share) =>
      withMinus(
        new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share),
      ),
    figures: (amount) => formatAmount(language, amount, { style: 'decimal' }),
    money: (amount) =>
      formatAmount(language, amount, {
        style: 'currency',
        currency: amount.currency.toUpperCase(),
        currencyDisplay: 'narrowSymbol',
      }),
    date: writeDate,
    days: (start, end) => {
      const [first, last] = [writeDate(start), writeDate(findLastDay(start, end, timeZone))];
      return first === last ? first : `${first} – ${last}`;
    },
    dateTime: (instant) => (isPresent(instant) ? minute : minuteOfYear)(instant),
    full,
    // Reports are by months of this calendar in every language.
    month: date({ month: 'short', year: 'numeric', calendar: 'gregory' }),
    future: (instant, now) => formatRelative(relative, Math.max(0, Date.parse(instant) - now)),
    past: (instant, now) => formatRelative(relative, Math.min(0, Date.parse(instant) - now)),
    list: (words) => list.format(words),
    country: (code) => names.of(code.toUpperCase()) ?? code,
  };
}

/** Takes the exact decimal as text: a number would round long amounts. */
function formatAmount(language: Language, { decimal }: Amount, options: Intl.NumberFormatOptions): string {
  const digits = decimal.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(language, {
    ...options,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return withMinus(format.format(decimal as `${number}`));
}

const withMinus = (text: string) => text.replace('-', '−');

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * dayMs],
  ['month', 30 * dayMs],
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
  ['second', secondMs],
];

function formatRelative(format: Intl.RelativeTimeFormat, differenceMs: number): string {
  const [unit, size] = units.find(([, ms]) => Math.abs(differenceMs) >= ms) ?? units.at(-1)!;
  return format.format(Math.round(differenceMs / size), unit);
}

/** An amount as the schema has it: `decimal` is exact, `currency` a code of ISO 4217 in lower case. */
export interface Amount {
  decimal: string;
  currency: string;
}
