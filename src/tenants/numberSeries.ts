/** How the documents of a tenant are numbered: the series of each kind of document, and the form of its numbers. */
import * as z from 'zod';
import { refuse } from '../lib/errors.ts';
import { toLocalDate } from '../lib/time.ts';
import { parseInput } from '../lib/validation.ts';
import type { NumberSeries } from '../storage/model/common.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

export type DocumentKind = 'invoice' | 'credit_note';

const defaultSeries: Record<DocumentKind, NumberSeries> = {
  invoice: { prefix: 'INV', pattern: '{prefix}-{yyyy}-{seq:5}', reset: 'yearly' },
  credit_note: { prefix: 'CN', pattern: '{prefix}-{yyyy}-{seq:5}', reset: 'yearly' },
};

const placeholders = /\{(prefix|yyyy|yy|mm|seq(?::(\d+))?)\}/g;
const longestNumber = 40;
const mostDigits = 12;
/** The count with which the length of a pattern is checked. */
const largeCount = 999_999_999;

const safeText = /^[A-Za-z0-9._/-]*$/;
const safeForm = 'may have letters, digits and ._/-';

const seriesChanges = z.object({
  prefix: z.string().max(20, 'must be at most 20 characters').regex(safeText, safeForm).nullish(),
  pattern: z.string().max(100, 'must be at most 100 characters').nullish(),
  reset: z.enum(['yearly', 'never'], 'must be yearly or never').nullish(),
});

/** Returns the series of a kind of document. */
export const findNumberSeries = (
  { numberSeries }: Pick<Row<'tenants'>, 'numberSeries'>,
  kind: DocumentKind,
): NumberSeries => numberSeries?.[kind] ?? defaultSeries[kind];

/** Formats a number by the pattern of its series. `date` is the local date (YYYY-MM-DD) of issue. */
export const formatDocumentNumber = (
  { prefix, pattern }: NumberSeries,
  count: number,
  date: string,
): string =>
  pattern.replace(placeholders, (_, placeholder: string, digits?: string) => {
    if (placeholder === 'prefix') return prefix;
    if (placeholder === 'yyyy') return date.slice(0, 4);
    if (placeholder === 'yy') return date.slice(2, 4);
    if (placeholder === 'mm') return date.slice(5, 7);
    return String(count).padStart(Number(digits ?? 1), '0');
  });

/** Returns the id of the counter of a series on a local date: a series that is reset yearly has one for each year. */
export const findCounterId = (kind: DocumentKind, { reset }: NumberSeries, date: string): string =>
  reset === 'never' ? kind : `${kind}:${date.slice(0, 4)}`;

/** Returns the number that the next document of a kind would have at an instant. */
export async function previewNextNumber(
  reads: Reads,
  tenant: Pick<Row<'tenants'>, 'numberSeries' | 'timezone'>,
  kind: DocumentKind,
  at: string,
): Promise<string> {
  const series = findNumberSeries(tenant, kind);
  const date = toLocalDate(at, tenant.timezone);
  const counter = await reads.one('numberCounters', { id: findCounterId(kind, series, date) });
  return formatDocumentNumber(series, (counter?.value ?? 0) + 1, date);
}

/**
 * Changes the series of a kind of document; omitted fields stay unchanged, null sets their default. Numbers that were given
 * stay as they are, and the count goes on. Error: `validation_failed`.
 */
export async function updateNumberSeries(
  unit: UnitOfWork,
  kind: DocumentKind,
  input: unknown,
): Promise<Row<'tenants'>> {
  const changes = parseInput(seriesChanges, input);
  const before = findNumberSeries(unit.tenant, kind);
  const series: NumberSeries = { ...before };
  if (changes.prefix !== undefined) series.prefix = changes.prefix ?? defaultSeries[kind].prefix;
  if (changes.pattern !== undefined) series.pattern = changes.pattern ?? defaultSeries[kind].pattern;
  if (changes.reset !== undefined) series.reset = changes.reset ?? defaultSeries[kind].reset;
  checkSeries(series);
  await continueCount(unit, kind, before, series);
  await refuseRepeats(unit, kind, series);
  const numberSeries = {
    invoice: findNumberSeries(unit.tenant, 'invoice'),
    credit_note: findNumberSeries(unit.tenant, 'credit_note'),
    [kind]: series,
  };
  return unit.change('tenants', unit.tenant, { numberSeries });
}

/** Checks that the numbers of a series are unique, short and safe in the names of files. Error: `validation_failed`. */
function checkSeries(series: NumberSeries): void {
  const { pattern, reset } = series;
  const counts = [...pattern.matchAll(placeholders)].filter(([, placeholder]) =>
    placeholder!.startsWith('seq'),
  );
  const digits = Number(counts[0]?.[2] ?? 1);
  if (counts.length !== 1) refusePattern('must have {seq} or {seq:5} once');
  if (digits < 1 || digits > mostDigits) refusePattern(`must have 1 to ${mostDigits} digits in {seq:n}`);
  if (reset === 'yearly' && !/\{yyyy\}|\{yy\}/.test(pattern))
    refusePattern('must have {yyyy} or {yy} if the count starts again each year');
  if (!safeText.test(pattern.replace(placeholders, '')))
    refusePattern(`${safeForm} beside {prefix}, {yyyy}, {yy}, {mm} and {seq:n}`);
  if (formatDocumentNumber(series, largeCount, '2026-01-01').length > longestNumber)
    refusePattern(`must make numbers of at most ${longestNumber} characters`);
}

const refusePattern = (message: string): never => refuse('validation_failed', { path: 'pattern', message });

/** Lets the count go on where the counter changes, so that no number is given twice: the counter moves. */
async function continueCount(
  unit: UnitOfWork,
  kind: DocumentKind,
  before: NumberSeries,
  after: NumberSeries,
): Promise<void> {
  const date = toLocalDate(unit.now, unit.tenant.timezone);
  const [from, to] = [findCounterId(kind, before, date), findCounterId(kind, after, date)];
  if (from === to) return;
  const last = await unit.one('numberCounters', { id: from });
  const known = await unit.one('numberCounters', { id: to });
  if (!last) return;
  // Together the counters hold how many numbers were given, which `doctor` compares with the documents.
  await unit.removeUntraced('numberCounters', { id: from });
  const value = last.value + (known?.value ?? 0);
  if (known) await unit.updateUntraced('numberCounters', { id: to }, { value });
  else await unit.insertUntraced('numberCounters', { id: to, value });
}

const numbersPerPage = 1000;

/** Checks that the series will give no number that an earlier pattern or prefix gave. Error: `validation_failed`. */
async function refuseRepeats(unit: UnitOfWork, kind: DocumentKind, series: NumberSeries): Promise<void> {
  const date = toLocalDate(unit.now, unit.tenant.timezone);
  const counter = await unit.one('numberCounters', { id: findCounterId(kind, series, date) });
  const willGive = recognizeNumbers(series, (counter?.value ?? 0) + 1, date);
  const start = findStart(series, date);
  // Numbers consist of letters, digits and ._/-, which all precede the tilde.
  let range: { from?: string; after?: string; to: string } = { from: start.from, to: `${start.text}~` };
  for (;;) {
    const numbers = await listNumbers(unit, kind, range);
    const repeated = numbers.find(willGive);
    if (repeated !== undefined) refusePattern(`would give ${repeated} again`);
    if (numbers.length < numbersPerPage) return;
    range = { after: numbers.at(-1)!, to: range.to };
  }
}

async function listNumbers(
  reads: Reads,
  kind: DocumentKind,
  documentNumber: { from?: string; after?: string; to: string },
): Promise<string[]> {
  const page = { orderBy: ['documentNumber' as const], limit: numbersPerPage };
  const documentKind = kind === 'invoice' ? null : kind;
  const invoices = await reads.many('invoices', { where: { documentNumber, documentKind }, ...page });
  const notes =
    kind === 'invoice' ? [] : await reads.many('creditNotes', { where: { documentNumber }, ...page });
  const numbers = [...invoices, ...notes].flatMap((document) => document.documentNumber ?? []);
  // Both tables have the same order, so what either left out follows the page.
  return numbers.toSorted().slice(0, numbersPerPage);
}

/** Returns the text with which all numbers of a series start, and the first number that it can still give, or less. */
function findStart({ prefix, pattern }: NumberSeries, date: string): { text: string; from: string } {
  const [text = '', first] = pattern.replaceAll('{prefix}', prefix).split(/[{}]/);
  return { text, from: first === 'yyyy' ? text + date.slice(0, 4) : text };
}

/** Returns a function that finds whether a series can give a number, from a count and a date on. */
function recognizeNumbers(
  { prefix, pattern, reset }: NumberSeries,
  next: number,
  date: string,
): (number: string) => boolean {
  const names: string[] = [];
  const groups: Record<string, string> = {
    yyyy: String.raw`(\d{4})`,
    yy: String.raw`(\d{2})`,
    mm: String.raw`(\d{2})`,
  };
  const source = pattern.split(/(\{[^}]*\})/).map((part) => {
    if (part === '{prefix}') return escapeText(prefix);
    if (!part.startsWith('{')) return escapeText(part);
    names.push(part.slice(1, -1));
    return groups[names.at(-1)!] ?? String.raw`(\d+)`;
  });
  const form = new RegExp(`^${source.join('')}$`);
  return (number) => {
    const values = form.exec(number)?.slice(1);
    if (!values) return false;
    const countAt = names.findIndex((name) => name.startsWith('seq'));
    const digits = Number(names[countAt]!.slice('seq:'.length) || 1);
    const count = Number(values[countAt]);
    if (String(count).padStart(digits, '0') !== values[countAt]) return false;
    const yearAt = names.findIndex((name) => name.startsWith('yy'));
    const ahead = yearAt < 0 ? 0 : Number(values[yearAt]) - Number(date.slice(4 - names[yearAt]!.length, 4));
    return (ahead > 0 && reset === 'yearly') || (ahead >= 0 && count >= next);
  };
}

const escapeText = (text: string) => text.replaceAll(/[.\-/]/g, String.raw`\$&`);
