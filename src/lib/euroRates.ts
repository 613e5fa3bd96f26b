/**
 * Exchange rates as the European Central Bank publishes them: how much of a currency one euro is worth. Conversions between
 * other currencies go through the euro (directive 2006/112/EC, article 91(2)).
 */
import { formatDecimal, parseDecimal, readDecimal } from './decimal.ts';
import { dayMs } from './durations.ts';
import { countDecimals, divideRoundHalfUp } from './money.ts';
import { addMs } from './time.ts';

/** The rates that were published for a day. */
export interface DayRates {
  day: string;
  rates: Record<string, string>;
}

/** The largest rate that is accepted: no currency is worth less. */
export const largestRate = 1_000_000_000n;

/** Returns a rate without trailing zeros; undefined unless it is above 0, at most 10^9, and has at most 12 decimals. */
export function readRate(text: string): string | undefined {
  const rate = parseDecimal(text);
  if (!rate || rate.digits <= 0n || rate.digits > largestRate * 10n ** BigInt(rate.scale)) return undefined;
  return formatDecimal(rate);
}

/** Whether the text is a date of the calendar, such as 2026-01-31. */
export const isDay = (text: string): boolean => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** The first day of the euro. */
export const firstRateDay = '1999-01-01';

/** Returns the calendar date a number of days later. */
export const addDays = (day: string, days: number): string =>
  addMs(`${day}T00:00:00.000Z`, days * dayMs).slice(0, 10);

/** How much of currencies one euro is worth, by their codes in lower case. The euro itself may be left out. */
export type EuroRates = Readonly<Record<string, string>>;

/** Lists the currencies of a conversion that need a rate. */
export const listRated = (...currencies: string[]): string[] =>
  [...new Set(currencies)].filter((currency) => currency !== 'eur');

const findRate = (rates: EuroRates, currency: string) =>
  readDecimal(currency === 'eur' ? '1' : rates[currency]!);

/** Converts minor units from one currency to another through the euro: exactly, and rounded half away from zero once. */
export function convertMinor(
  amountMinor: bigint,
  { from, to }: { from: string; to: string },
  rates: EuroRates,
): bigint {
  const [given, wanted] = [findRate(rates, from), findRate(rates, to)];
  const scale = (count: number) => 10n ** BigInt(count);
  return divideRoundHalfUp(
    amountMinor * wanted.digits * scale(given.scale + countDecimals(to)),
    given.digits * scale(wanted.scale + countDecimals(from)),
  );
}
