/**
 * Exchange rates as the European Central Bank publishes them: how much of a currency one euro is worth. Conversions between
 * other currencies go through the euro (directive 2006/112/EC, article 91(2)).
 */
import { formatDecimal, parseDecimal, readDecimal } from './decimal.ts';
import { countDecimals, divideRoundHalfUp } from './money.ts';
import { addDays } from './time.ts';

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

/** The first day of the euro. */
export const firstRateDay = '1999-01-01';

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

/**
 * Returns the first day from a day on for which the European Central Bank publishes rates: it does on business days of the TARGET
 * system, which is closed on 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December.
 */
export function findPublicationDay(day: string): string {
  const easter = findEaster(Number(day.slice(0, 4)));
  const closed = new Set([addDays(easter, -2), addDays(easter, 1)]);
  const isClosed =
    [0, 6].includes(new Date(`${day}T00:00:00.000Z`).getUTCDay()) ||
    ['01-01', '05-01', '12-25', '12-26'].includes(day.slice(5)) ||
    closed.has(day);
  return isClosed ? findPublicationDay(addDays(day, 1)) : day;
}

/** Returns Easter Sunday of a year (J. M. Oudin, 1940). */
function findEaster(year: number): string {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const shift = Math.floor((century - 17) / 25);
  const epact =
    (century - Math.floor(century / 4) - Math.floor((century - shift) / 3) + 19 * golden + 15) % 30;
  const moon =
    epact -
    Math.floor(epact / 28) *
      (1 - Math.floor(epact / 28) * Math.floor(29 / (epact + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4)) % 7;
  return addDays(`${year}-03-28`, moon - weekday);
}
