/**
 * Reads a Buchungsstapel strictly by DATEV's description
 * (https://developer.datev.de/datev/platform/de/dtvf/formate/header and …/buchungsstapel): the expression of each field that a
 * file may fill; all others have to be empty.
 */
import { expect } from 'vitest';

const text = (most: number) => new RegExp(`^"([^"\\r\\n]|""){0,${2 * most}}"$`);

const head: RegExp[] = [
  /^"EXTF"$/,
  /^700$/,
  /^21$/,
  /^"Buchungsstapel"$/,
  /^13$/,
  /^20\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d\d{3}$/,
  /^$/,
  /^"\w{0,2}"$/,
  /^""$/,
  /^""$/,
  /^(\d{4,7})$/,
  /^[1-9]\d{0,4}$/,
  /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/,
  /^[4-8]$/,
  /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/,
  /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/,
  text(30),
  /^"([A-Z]{2})?"$/,
  /^[12]$/,
  /^(0|30|40|50|64)$/,
  /^[01]$/,
  /^"[A-Z]{3}"$/,
  /^$/,
  /^""$/,
  /^$/,
  /^$/,
  /^"(\d{2})?"$/,
  /^$/,
  /^$/,
  /^""$/,
  /^""$/,
];

const amount = /^(?!0{1,10},00)\d{1,10},\d{2}$/;
const account = /^(?!0{1,9}$)\d{1,9}$/;
const required: Record<number, RegExp> = {
  1: amount,
  2: /^"[SH]"$/,
  3: /^"[A-Z]{3}"$/,
  7: account,
  8: account,
  10: /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])$/,
};
const optional: Record<number, RegExp> = {
  9: /^"\d{4}"$/,
  11: /^"[\w$%\-/]{0,36}"$/,
  14: text(60),
  40: text(15),
  41: /^\d{2},\d{2}$/,
  117: /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])20\d{2}$/,
};
for (let nth = 0; nth < 8; nth += 1)
  Object.assign(optional, { [21 + 2 * nth]: text(20), [22 + 2 * nth]: text(210) });

const windows1252 = new TextDecoder('windows-1252', { fatal: true });

/** A line of a file, by the numbers of its fields from 1. */
export type DatevLine = Record<number, string>;

/** Returns the head and the lines of a file, and expects each field to have its form. */
export function readDatevFile(bytes: Buffer): { head: string[]; lines: DatevLine[] } {
  const whole = windows1252.decode(bytes);
  expect(whole.endsWith('\r\n')).toBe(true);
  const [first, names, ...rows] = whole.slice(0, -2).split('\r\n');
  expect(whole.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const fields = splitLine(first!);
  expect(fields).toHaveLength(head.length);
  for (const [nth, field] of fields.entries()) expect(field, `head ${nth + 1}`).toMatch(head[nth]!);
  expect(splitLine(names!)).toHaveLength(125);
  return { head: fields, lines: rows.map(readLine) };
}

function readLine(row: string): DatevLine {
  const fields = splitLine(row);
  expect(fields).toHaveLength(125);
  const line: DatevLine = {};
  for (const [at, field] of fields.entries()) {
    const number = at + 1;
    if (required[number]) expect(field, `${row} field ${number}`).toMatch(required[number]);
    else if (field !== '') expect(field, `${row} field ${number}`).toMatch(optional[number] ?? /^$/);
    if (field !== '') line[number] = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  }
  return line;
}

/** Splits at semicolons outside of quotation marks. */
const splitLine = (row: string): string[] =>
  row
    .match(/("([^"]|"")*"|[^;"]*)(;|$)/g)!
    .slice(0, row.endsWith(';') ? undefined : -1)
    .map((part) => part.replace(/;$/, ''));
