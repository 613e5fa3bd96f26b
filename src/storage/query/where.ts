import { findIndexCondition, indexedConstants } from '../model/indexedConstants.ts';
import type { TableName } from '../model/rowTypes.ts';
import { gt, gte, inArray, isNotNull, isNull, lt, lte, sql, type SQL } from 'drizzle-orm';

/** Bounds of a column: `from` and `to` are inclusive, `before` and `after` exclusive. */
export interface Range<Value> {
  from?: Value;
  to?: Value;
  before?: Value;
  after?: Value;
  /** Matches null, and values up to this one. */
  unlessAfter?: Value;
  /** Matches any value except null. */
  isSet?: true;
  /** Matches amounts above 0. The 0 is a literal, so that partial indexes of such amounts apply. */
  isPositive?: true;
  /** Matches whole numbers in which this bit is set, counted from 0. */
  hasBit?: number;
  /** Matches a substring of a column stored in lower case, ignoring case. */
  contains?: string;
  /** Matches the rows of this partial index of the table, whichever column it is written at. */
  inIndex?: string;
  /** Matches the id of a row in this table that has not been deleted. */
  undeleted?: 'products';
}

type Values = Record<string, unknown>;

type Operator = (column: any, value: any) => SQL;

const operators = {
  '=': (column, value) => sql`${column} = ${value}`,
  '>=': gte,
  '<=': lte,
  '<': lt,
  '>': gt,
} as const satisfies Record<string, Operator>;

const bounds = [
  ['from', '>='],
  ['to', '<='],
  ['before', '<'],
  ['after', '>'],
] as const;

/** Names each condition (`column operator [size]`), and adds its values to `values` under that name. */
export function readMatch(table: TableName, where: object, values: Values): string[] {
  const conditions: string[] = [];
  const constants = indexedConstants[table];
  for (const column in where) {
    const wanted = (where as Values)[column];
    if (wanted === undefined) continue;
    if (wanted === null) conditions.push(`${column} null`);
    else if (Array.isArray(wanted)) conditions.push(readMembers(column, wanted, values));
    else if (typeof wanted === 'object') readRange(column, wanted, conditions, values);
    // As a literal: with a parameter, SQLite would plan the statement again at each call, to check whether the index
    // applies.
    else if (constants !== undefined && constants[column] === wanted)
      conditions.push(`${column} constant ${constants[column]}`);
    else {
      const name = nameCondition(column, '=');
      conditions.push(name);
      values[name] = wanted;
    }
  }
  return conditions;
}

const names = new Map<string, Map<string | number, string>>();

/**
 * Returns `column operator`, or `column inN` for a member. Cached, because a newly concatenated string must be hashed
 * again for each look-up.
 */
function nameCondition(column: string, suffix: string | number): string {
  const namesOfColumn = names.get(column) ?? new Map<string | number, string>();
  const known = namesOfColumn.get(suffix);
  if (known) return known;
  const name = typeof suffix === 'number' ? `${column} in${suffix}` : `${column} ${suffix}`;
  names.set(column, namesOfColumn.set(suffix, name));
  return name;
}

function readRange(column: string, range: Range<unknown>, conditions: string[], values: Values) {
  for (const [bound, operator] of bounds) {
    const value = range[bound];
    if (value === undefined) continue;
    const name = nameCondition(column, operator);
    conditions.push(name);
    values[name] = value;
  }
  if (range.unlessAfter !== undefined) {
    conditions.push(`${column} unlessAfter`);
    values[`${column} unlessAfter`] = range.unlessAfter;
  }
  if (range.isSet) conditions.push(`${column} set`);
  if (range.isPositive) conditions.push(`${column} positive`);
  if (range.hasBit !== undefined) conditions.push(`${column} hasBit ${range.hasBit}`);
  if (range.inIndex) conditions.push(`${column} inIndex ${range.inIndex}`);
  if (range.undeleted) conditions.push(`${column} undeleted ${range.undeleted}`);
  if (range.contains !== undefined) {
    conditions.push(`${column} contains`);
    values[`${column} contains`] = `%${range.contains.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
  }
}

/** Pads lists to a power of two by repeating their last member, so that few statement shapes serve all lengths. */
function readMembers(column: string, members: readonly unknown[], values: Values): string {
  if (members.length === 0) return `${column} none`;
  const size = 2 ** Math.ceil(Math.log2(members.length));
  for (let index = 0; index < size; index++) {
    values[nameCondition(column, index)] = members[Math.min(index, members.length - 1)];
  }
  return `${column} in ${size}`;
}

/** Lists the tables that a statement on a table with these conditions reads. */
export function listTables(name: TableName, conditions: readonly string[]): readonly TableName[] {
  const others = conditions
    .map((condition) => condition.split(' '))
    .filter(([, word]) => word === 'undeleted');
  return [name, ...others.map(([, , table]) => table as TableName)];
}

/** How to write conditions so that the database chooses the right index. */
export interface Hints {
  /** Wraps a column so that no index applies. */
  unindexed?: (column: any) => SQL;
  /** Marks a condition that few rows meet. */
  rare?: (condition: SQL) => SQL;
}

/** Builds the SQL of a named condition. */
export function buildPredicate(
  tables: Record<string, any>,
  table: string,
  condition: string,
  { unindexed, rare = (equality) => equality }: Hints = {},
): SQL {
  const [key, operator, operand] = condition.split(' ') as [string, string, string?];
  const declared = tables[table][key];
  const column = unindexed?.(declared) ?? declared;
  if (operator === 'null') return isNull(column);
  if (operator === 'set') return isNotNull(column);
  if (operator === 'positive') return sql`${column} > 0`;
  if (operator === 'none') return sql`false`;
  if (operator === 'hasBit') return sql`(${column} >> ${sql.raw(String(Number(operand)))}) & 1 = 1`;
  // Word for word as the index declares it: only then do the planners know that the index has these rows.
  if (operator === 'inIndex') return sql.raw(`(${findIndexCondition(table as TableName, operand!)})`);
  if (operator === 'constant') return sql`${column} = ${sql.raw(`'${operand}'`)}`;
  if (operator === 'undeleted') {
    const { tenantAlias, id, deletedAt } = tables[operand!];
    const isNamed = sql`${tenantAlias} = ${tables[table].tenantAlias} and ${id} = ${column}`;
    return sql`exists (select 1 from ${tables[operand!]} where ${isNamed} and ${deletedAt} is null)`;
  }
  // Encodes the parameter: rules and database represent booleans and money differently.
  const parameter = (name: string) => sql.param(sql.placeholder(name), declared);
  if (operator === 'in') {
    return inArray(
      column,
      Array.from({ length: Number(operand) }, (_, index) => parameter(`${key} in${index}`)),
    );
  }
  if (operator === 'contains') return sql`${column} like ${parameter(condition)} escape '!'`;
  if (operator === 'unlessAfter') return sql`(${column} is null or ${column} <= ${parameter(condition)})`;
  // Every statement has the tenant, so that condition cannot decide between indexes.
  if (operator === '=' && key !== 'tenantAlias') return rare(operators['='](column, parameter(condition)));
  return operators[operator as keyof typeof operators](column, parameter(condition));
}

/**
 * Keyset pagination: matches the rows on one side of a row by the whole sort key, which an index finds at any depth.
 * The values are bound under the name of the bound.
 */
export function keysetAfter(columns: any[], operator: '>' | '<' | '>=' | '<=', bound: 'past' | 'upTo'): SQL {
  const key = sql.join(
    columns.map((column) => sql`${column}`),
    sql`, `,
  );
  const past = sql.join(
    columns.map((_, index) => sql`${sql.placeholder(`${bound}${index}`)}`),
    sql`, `,
  );
  return sql`(${key}) ${sql.raw(operator)} (${past})`;
}
