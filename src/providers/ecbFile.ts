/**
 * The files in which the European Central Bank publishes its reference rates (https://www.ecb.europa.eu/stats/eurofxref):
 * `eurofxref-hist.csv`, and `eurofxref-daily.xml`, `-hist-90d.xml` and `-hist.xml`.
 */
import { firstRateDay, readRate, type DayRates } from '../lib/euroRates.ts';
import { isDay } from '../lib/time.ts';
import { isCurrency } from '../lib/money.ts';

/** A line of a file that cannot be read. */
class RatesFileError extends Error {}

/** Reads a file in either form. Throws a `RatesFileError` with the line and the field of the first mistake; a file counts as a whole. */
export function parseRatesFile(text: string, latest: string): DayRates[] {
  const content = text.replace(/^\uFEFF/, '').trim();
  const days = content.startsWith('<') ? parseXml(content, latest) : parseCsv(content, latest);
  if (days.length === 0) throw new RatesFileError('The file has no rates.');
  const seen = new Set<string>();
  for (const { day } of days) {
    if (seen.has(day)) throw new RatesFileError(`The file has the day ${day} twice.`);
    seen.add(day);
  }
  return days;
}

const fail = (line: number, field: string, message: string): never => {
  throw new RatesFileError(`Line ${line}, ${field}: ${message}`);
};

function parseCsv(content: string, latest: string): DayRates[] {
  const [head = '', ...lines] = content.split(/\r?\n/);
  const [date, ...codes] = splitLine(head);
  if (date !== 'Date') return fail(1, 'Date', 'must be the first column, as in eurofxref-hist.csv');
  for (const [nth, code] of codes.entries())
    if (!/^[A-Z]{3}$/.test(code) || codes.indexOf(code) !== nth)
      return fail(1, `column ${nth + 2}`, `must be the code of another currency, not ${quote(code)}`);
  return lines.flatMap((text, nth) => {
    if (text.trim() === '') return [];
    const line = nth + 2;
    const [day = '', ...values] = splitLine(text);
    checkDay(day, latest, line);
    if (values.length !== codes.length)
      fail(line, 'columns', `must be ${codes.length + 1} values, not ${values.length + 1}`);
    const rates: Record<string, string> = {};
    for (const [at, value] of values.entries())
      if (value !== 'N/A' && value !== '') addRate(rates, codes[at]!, value, line);
    return [{ day, rates }];
  });
}

/** Each line of the bank ends with a comma. */
const splitLine = (text: string): string[] =>
  text
    .replace(/,\s*$/, '')
    .split(',')
    .map((value) => value.trim());

const tag = /<(\/?)([\w:.-]+)([^<>]*?)\/?>/g;

function parseXml(content: string, latest: string): DayRates[] {
  if (/<!(DOCTYPE|ENTITY)/i.test(content)) throw new RatesFileError('A document type is not read.');
  if (!/<\/(\w+:)?Envelope>$/.test(content)) throw new RatesFileError('The file ends before its last tag.');
  const days: DayRates[] = [];
  let line = 1;
  let counted = 0;
  for (const { 1: end, 2: name, 3: attributes = '', index } of content.matchAll(tag)) {
    for (; counted < index; counted += 1) if (content[counted] === '\n') line += 1;
    if (end !== '' || !/^(\w+:)?Cube$/.test(name!)) continue;
    const [time, currency, rate] = ['time', 'currency', 'rate'].map((key) => readAttribute(attributes, key));
    if (time !== undefined) {
      checkDay(time, latest, line);
      days.push({ day: time, rates: {} });
    } else if (currency !== undefined || rate !== undefined) {
      const rates = days.at(-1)?.rates ?? fail(line, 'time', 'must precede the rates');
      if (!/^[A-Z]{3}$/.test(currency ?? '') || Object.hasOwn(rates, currency!.toLowerCase()))
        fail(line, 'currency', `must be the code of another currency, not ${quote(currency ?? '')}`);
      addRate(rates, currency!, rate ?? '', line);
    }
  }
  return days;
}

const readAttribute = (attributes: string, key: string): string | undefined =>
  new RegExp(`(?:^|\\s)${key}\\s*=\\s*(?:'([^']*)'|"([^"]*)")`)
    .exec(attributes)
    ?.slice(1)
    .find((value) => value !== undefined);

/** Adds a rate; currencies that no invoice can have any more are left out. */
function addRate(rates: Record<string, string>, code: string, text: string, line: number): void {
  const rate =
    readRate(text) ?? fail(line, code, `must be a rate above 0 with at most 12 decimals, not ${quote(text)}`);
  const currency = code.toLowerCase();
  if (isCurrency(currency)) rates[currency] = rate;
}

function checkDay(day: string, latest: string, line: number): void {
  if (!isDay(day) || day < firstRateDay)
    fail(line, 'date', `must be a date from ${firstRateDay} on, not ${quote(day)}`);
  if (day > latest) fail(line, 'date', `must not be after ${latest}, not ${day}`);
}

const quote = (text: string) => JSON.stringify(text.slice(0, 40));
