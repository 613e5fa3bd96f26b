import { tableDeclarations, type TenantTable } from '../../storage/model/rowTypes.ts';
import { isStorable } from '../../lib/storableText.ts';
import { toInstant } from '../../lib/time.ts';
import { isJsonObject } from '../../lib/json.ts';

/** A row of any table. */
export type JsonRow = Record<string, unknown>;

/**
 * The content of a line of a tenant's file, or the problem with it. `text` is the row as written in the file.
 * `lacksGivenBack` is true for an invoice line of a release that did not store what was credited and refunded.
 */
type Reading =
  | { kind: 'row'; name: TenantTable; row: JsonRow; text: string; lacksGivenBack: boolean }
  | { kind: 'other'; value: Record<string, unknown> }
  | { kind: 'fault'; message: string };

const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const largestMoney = 2n ** 63n - 1n;

const isInstant = (text: string) => {
  const ms = instantForm.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && toInstant(ms) === text;
};

/** Checks the value of each kind of column; returns the problem. */
const valueChecks: Record<string, (value: unknown) => string | undefined> = {
  text: (value) => (isText(value) ? undefined : 'must be text'),
  instant: (value) =>
    isText(value) && isInstant(value) ? undefined : 'must be an instant like 2026-01-31T00:00:00.000Z',
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  count: (value) => (Number.isSafeInteger(value) ? undefined : 'must be a whole number'),
  money: (value) => (isMoney(value) ? undefined : 'must be a whole number of minor units, as text'),
  json: (value) => (value === null ? 'must not be null' : undefined),
};

const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);

function isMoney(value: unknown): boolean {
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return false;
  const minor = BigInt(value);
  return minor <= largestMoney && minor >= -largestMoney;
}

/**
 * Parses one line: a row of a table with valid columns, or another object. A nullable column missing from the line is
 * null, because earlier releases did not have it.
 */
export function readLine(line: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'fault', message: 'is not JSON' };
  }
  if (!isJsonObject(value)) return { kind: 'fault', message: 'is not an object' };
  const reserved = findReservedKey(value);
  if (reserved !== undefined) return { kind: 'fault', message: `has the reserved key ${reserved}` };
  if (!('table' in value)) return { kind: 'other', value };
  const { table, row } = value;
  if (typeof table !== 'string' || !Object.hasOwn(tableDeclarations, table)) {
    return { kind: 'fault', message: `names no table: ${JSON.stringify(table)}` };
  }
  if (!isJsonObject(row)) return { kind: 'fault', message: `has no row of ${table}` };
  const name = table as TenantTable;
  const fault = findFault(name, row);
  if (fault) return { kind: 'fault', message: `${table}.${fault}` };
  const lacksGivenBack = name === 'invoiceLines' && !Object.hasOwn(row, 'creditedMinor');
  return { kind: 'row', name, row: toStoredRow(name, row), text: JSON.stringify(row), lacksGivenBack };
}

/** Keys with which an object could change others of the program. No export has them, except in metadata of clients. */
const reservedKeys = new Set(['__proto__', 'constructor', 'prototype']);

function findReservedKey(line: object): string | undefined {
  const left: object[] = [line];
  for (let object = left.pop(); object; object = left.pop()) {
    for (const [key, value] of Object.entries(object)) {
      if (reservedKeys.has(key)) return key;
      if (key !== 'metadata' && typeof value === 'object' && value !== null) left.push(value as object);
    }
  }
  return undefined;
}

/** Columns that files of earlier releases have, and this release has no more. */
const formerColumns: Partial<Record<TenantTable, readonly string[]>> = {
  customers: ['firstNameLower', 'lastNameLower', 'companyNameLower', 'emailLower'],
  coupons: ['nameLower'],
  prices: ['nicknameLower'],
  promotionCodes: ['codeLower'],
};

type Columns = Record<string, { kind: string; nullable: boolean }>;

function findFault(name: TenantTable, row: Record<string, unknown>): string | undefined {
  const columns = tableDeclarations[name].columns as Columns;
  const former = formerColumns[name] ?? [];
  const unknown = Object.keys(row).find(
    (column) => !Object.hasOwn(columns, column) && !former.includes(column),
  );
  if (unknown !== undefined) return `${unknown} is not a column of this release`;
  for (const [column, { kind, nullable }] of Object.entries(columns)) {
    const value = Object.hasOwn(row, column) ? row[column] : undefined;
    if ((value === undefined || value === null) && nullable) continue;
    if (value === undefined) return `${column} is missing`;
    const message = valueChecks[kind]!(value);
    if (message) return `${column} ${message}`;
  }
  return undefined;
}

/** Converts the row to the store's types, with its columns in declared order. */
function toStoredRow(name: TenantTable, row: Record<string, unknown>): JsonRow {
  const columns = Object.entries(tableDeclarations[name].columns as Columns);
  const values = columns.map(([column, { kind }]) => {
    const value = Object.hasOwn(row, column) ? row[column] : null;
    return [column, kind === 'money' && value !== null ? BigInt(value as string) : value];
  });
  return Object.fromEntries(values);
}
