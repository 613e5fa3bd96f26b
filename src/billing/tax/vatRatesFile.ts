/** A file that renews the standard VAT rates: JSON, or CSV with a heading. */
import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { compareDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { addDays, isDay } from '../../lib/time.ts';
import { isMemberState } from '../../lib/countries.ts';
import type { RenewedRate, RenewedRates } from '../../storage/model/renewedRates.ts';
import { territories } from './euRates.ts';
import { byPlace, namePlace } from './standardRates.ts';
import { mostDecimals } from './taxRates.ts';

/** The rates of a file, and how many of its rows are of kinds that the program does not need. */
export interface VatRatesFile extends RenewedRates {
  leftOut: number;
}

/** As the Taxes in Europe Database names them. Reduced rates depend on what is sold, so they are rates of the tenant. */
const kinds = ['standard', 'reduced', 'super_reduced', 'parking', 'zero'];
const columns = ['country', 'territory', 'kind', 'percent', 'valid_from', 'valid_until'] as const;
/** The first member state had VAT from that year on. */
const firstDay = '1967-01-01';
const mostRows = 2000;
/** How many mistakes a message has. */
const mostNamed = 20;

type Cells = Record<(typeof columns)[number], string>;

/** A row as it was written, and what a message calls it: `Line 3`. */
interface WrittenRow {
  at: string;
  cells: Cells;
}

/** A row of a standard rate. */
interface ParsedRow extends RenewedRate {
  at: string;
  validUntil: string;
}

/** The mistakes of a file. */
class VatRatesFileError extends Error {
  constructor(mistakes: string[]) {
    const more = mistakes.length - mostNamed;
    super([...mistakes.slice(0, mostNamed), ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
  }
}

/** Reads a file. Throws a `VatRatesFileError` with the rows and fields of its mistakes; a file counts as a whole. */
export function parseVatRates(text: string, today: string): VatRatesFile {
  const content = text.replace(/^\uFEFF/, '').trim();
  const { checkedUntil, rows } = content.startsWith('{') ? readJson(content) : readCsv(content);
  const mistakes: string[] = [];
  if (!isDay(checkedUntil))
    mistakes.push(`checked until: must be a date, such as 2026-01-31, not ${quote(checkedUntil)}`);
  else if (checkedUntil > today) mistakes.push(`checked until: must not be after today, ${today}`);
  if (rows.length > mostRows) mistakes.push(`rates: must be at most ${mostRows}`);
  const parsed = rows.slice(0, mostRows).flatMap((row) => parseRow(row, mistakes) ?? []);
  if (mistakes.length === 0) findConflicts(parsed, mistakes);
  if (mistakes.length > 0) throw new VatRatesFileError(mistakes);
  const rates = parsed.map(({ country, territory, effectiveFrom, percent }) => ({
    country,
    territory,
    effectiveFrom,
    percent,
  }));
  return { checkedUntil, rates, leftOut: rows.length - parsed.length };
}

const jsonFile = z.object({
  checkedUntil: z.string(),
  rates: z.array(
    z.object({
      country: z.string(),
      territory: z.string().nullish(),
      kind: z.string(),
      percent: z.union([z.string(), z.number()]),
      validFrom: z.string(),
      validUntil: z.string().nullish(),
    }),
  ),
});

function readJson(content: string): { checkedUntil: string; rows: WrittenRow[] } {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new VatRatesFileError([`The JSON cannot be read: ${(error as Error).message}`]);
  }
  const result = jsonFile.safeParse(value);
  if (!result.success)
    throw new VatRatesFileError(
      result.error.issues.map(
        ({ path, message }) => `${path.map(nameStep).join(', ') || 'file'}: ${message}`,
      ),
    );
  const rows = result.data.rates.map(({ validFrom, validUntil, percent, territory, ...row }, nth) => ({
    at: `Rate ${nth + 1}`,
    cells: {
      ...row,
      territory: territory ?? '',
      percent: String(percent),
      valid_from: validFrom,
      valid_until: validUntil ?? '',
    },
  }));
  return { checkedUntil: result.data.checkedUntil, rows };
}

const nameStep = (step: PropertyKey) => (typeof step === 'number' ? `Rate ${step + 1}` : String(step));

/** Reads CSV with commas or semicolons; its first line says `# checked until 2026-01-31`. */
function readCsv(content: string): { checkedUntil: string; rows: WrittenRow[] } {
  const checkedUntil = /^# checked until:? (\S+)/i.exec(content)?.[1];
  if (checkedUntil === undefined)
    throw new VatRatesFileError([
      'Line 1: must be "# checked until 2026-01-31", with the date of the last check',
    ]);
  const heading =
    content.split(/\r\n|\r|\n/).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
  let records: { info: { lines: number }; record: Cells }[];
  try {
    records = parse(content, {
      columns: (names: string[]) => checkHeading(names.map((name) => name.trim())),
      comment: '#',
      comment_no_infix: true,
      delimiter: heading.includes(';') ? ';' : ',',
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      trim: true,
    }) as unknown as typeof records;
  } catch (error) {
    throw error instanceof VatRatesFileError ? error : new VatRatesFileError([(error as Error).message]);
  }
  return {
    checkedUntil,
    rows: records.map(({ info, record }) => ({ at: `Line ${info.lines}`, cells: record })),
  };
}

function checkHeading(names: string[]): string[] {
  if (names.join() === columns.join()) return names;
  throw new VatRatesFileError([`The heading must be ${columns.join(',')}, not ${quote(names.join())}`]);
}

/** Parses a row and notes its mistakes; undefined for a mistake, and for a kind that is left out. */
function parseRow({ at, cells }: WrittenRow, mistakes: string[]): ParsedRow | undefined {
  const before = mistakes.length;
  const fail = (field: string, message: string) => void mistakes.push(`${at}, ${field}: ${message}`);
  const code = cells.country.toUpperCase();
  // The Commission writes EL for Greece.
  const country = code === 'EL' ? 'GR' : code;
  if (!isMemberState(country))
    fail('country', `must be the code of a member state, not ${quote(cells.country)}`);
  const territory = findTerritory(country, cells.territory, fail);
  if (!kinds.includes(cells.kind))
    fail('kind', `must be one of ${kinds.join(', ')}, not ${quote(cells.kind)}`);
  const percent = readPercent(cells.percent, cells.kind === 'standard');
  if (percent === undefined)
    fail(
      'percent',
      `must be above 0 and at most 100, with at most ${mostDecimals} decimals, not ${quote(cells.percent)}`,
    );
  const { valid_from: from, valid_until: until } = cells;
  if (!isDay(from) || from < firstDay)
    fail('valid_from', `must be a date from ${firstDay} on, not ${quote(from)}`);
  if (until !== '' && (!isDay(until) || until < from))
    fail('valid_until', `must be empty or a date from ${quote(from)} on, not ${quote(until)}`);
  if (mistakes.length > before || percent === undefined || cells.kind !== 'standard') return undefined;
  return { at, country, territory, percent, effectiveFrom: from, validUntil: until };
}

function findTerritory(
  country: string,
  name: string,
  fail: (field: string, message: string) => void,
): string | null {
  if (name === '') return null;
  const own = territories.filter((each) => each.country === country);
  const found = own.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const names = own.flatMap((each) => (each.rates.length > 0 ? quote(each.name) : []));
  if (!found)
    fail('territory', `must be empty${names.map((each) => ` or ${each}`).join('')}, not ${quote(name)}`);
  else if (found.rates.length === 0)
    fail('territory', `has no rate: ${found.name} is outside the scope of VAT`);
  return found?.name ?? null;
}

function readPercent(text: string, isStandard: boolean): string | undefined {
  const percent = parseDecimal(text);
  if (!percent || percent.scale > mostDecimals || compareDecimals(percent, wholeDecimal(100)) > 0)
    return undefined;
  return percent.digits < 0n || (isStandard && percent.digits === 0n) ? undefined : formatDecimal(percent);
}

/** Notes rates of a place that overlap, or leave days without a rate. */
function findConflicts(rows: ParsedRow[], mistakes: string[]): void {
  const sorted = rows.toSorted(byPlace);
  for (const [nth, row] of sorted.entries()) {
    const { at, validUntil, effectiveFrom } = row;
    const following = sorted[nth + 1];
    const next = following && namePlace(following) === namePlace(row) ? following : undefined;
    if (next?.effectiveFrom === effectiveFrom)
      mistakes.push(`${next.at}, valid_from: has the date of ${at} for the same place`);
    else if (!next && validUntil !== '')
      mistakes.push(
        `${at}, valid_until: must be empty, or a row with the rate from the day after must follow`,
      );
    else if (next && validUntil !== '' && addDays(validUntil, 1) !== next.effectiveFrom)
      mistakes.push(
        `${at}, valid_until: must be the day before ${next.effectiveFrom}, from when ${next.at} is valid`,
      );
  }
}

const quote = (text: string) => JSON.stringify(text.slice(0, 40));
