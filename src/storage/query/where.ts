import { indexedConstants } from '../model/indexedConstants.ts';
import type { TableName } from '../model/rowTypes.ts';
import { gt, gte, inArray, isNotNull, isNull, lt, lte, sql, type SQL } from 'drizzle-orm';

/** Bounds of a column: `from` and `to` belong to the range, `before` and `after` do not. */
export interface Range<Value> {
  from?: Value;
  to?: Value;
  before?: Value;
  after?: Value;
  /** Holds some value at all. */
  isSet?: true;
  /** Text within it, of a column that is kept in lower case; upper and lower case of the text are alike. */
  contains?: string;
  /** Names a row of that table which has not been deleted. */
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

/** Names each condition (`column operator [size]`), puts its values aside under that name. */
export function readMatch(table: TableName, where: object, values: Values): string[] {
  const conditions: string[] = [];
  const constants = indexedConstants[table];
  for (const column in where) {
    const wanted = (where as Values)[column];
    if (wanted === undefined) continue;
    if (wanted === null) conditions.push(`${column} null`);
    else if (Array.isArray(wanted)) conditions.push(readMembers(column, wanted, values));
    else if (typeof wanted === 'object') readRange(column, wanted, conditions, values);
    // Bound to a parameter, it would make SQLite plan the statement anew each time to see if the index serves it.
    else if (constants !== undefined && constants[column] === wanted)
      conditions.push(`${column} constant ${constants[column]}`);
    else {
      const name = named(column, '=');
      conditions.push(name);
      values[name] = wanted;
    }
  }
  return conditions;
}

const names = new Map<string, Map<string | number, string>>();

/** `column operator`, or `column inN` for a member: a text that is put together anew must be hashed anew, to find a value by it. */
function named(column: string, about: string | number): string {
  const ofColumn = names.get(column) ?? new Map<string | number, string>();
  const known = ofColumn.get(about);
  if (known) return known;
  const name = typeof about === 'number' ? `${column} in${about}` : `${column} ${about}`;
  names.set(column, ofColumn.set(about, name));
  return name;
}

function readRange(column: string, range: Range<unknown>, conditions: string[], values: Values) {
  for (const [bound, operator] of bounds) {
    const value = range[bound];
    if (value === undefined) continue;
    const name = named(column, operator);
    conditions.push(name);
    values[name] = value;
  }
  if (range.isSet) conditions.push(`${column} set`);
  if (range.undeleted) conditions.push(`${column} undeleted ${range.undeleted}`);
  if (range.contains !== undefined) {
    conditions.push(`${column} contains`);
    values[`${column} contains`] = `%${range.contains.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
  }
}

/** Lists are padded to a power of two with their last member, so that few shapes serve all lengths. */
function readMembers(column: string, members: readonly unknown[], values: Values): string {
  if (members.length === 0) return `${column} none`;
  const size = 2 ** Math.ceil(Math.log2(members.length));
  for (let index = 0; index < size; index++) {
    values[named(column, index)] = members[Math.min(index, members.length - 1)];
  }
  return `${column} in ${size}`;
}

/** The tables of a statement on one of them with these conditions. */
export function listTables(name: TableName, conditions: readonly string[]): readonly TableName[] {
  const others = conditions
    .map((condition) => condition.split(' '))
    .filter(([, word]) => word === 'undeleted');
  return [name, ...others.map(([, , table]) => table as TableName)];
}

/** How conditions are written so that a database takes the index that serves them. */
export interface Hints {
  /** The column in a form that no index serves. */
  unindexed?: (column: any) => SQL;
  /** A condition that few rows meet. */
  rare?: (condition: SQL) => SQL;
}

/** The condition of that name as SQL. */
export function predicate(
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
  if (operator === 'none') return sql`false`;
  if (operator === 'constant') return sql`${column} = ${sql.raw(`'${operand}'`)}`;
  if (operator === 'undeleted') {
    const { tenantAlias, id, deletedAt } = tables[operand!];
    const isNamed = sql`${tenantAlias} = ${tables[table].tenantAlias} and ${id} = ${column}`;
    return sql`exists (select 1 from ${tables[operand!]} where ${isNamed} and ${deletedAt} is null)`;
  }
  // An encoded parameter: booleans and money differ between the rules and the database.
  const parameter = (name: string) => sql.param(sql.placeholder(name), declared);
  if (operator === 'in') {
    return inArray(
      column,
      Array.from({ length: Number(operand) }, (_, index) => parameter(`${key} in${index}`)),
    );
  }
  if (operator === 'contains') return sql`${column} like ${parameter(condition)} escape '!'`;
  // Every statement has the tenant in it: it makes no difference between indexes.
  if (operator === '=' && key !== 'tenantAlias') return rare(operators['='](column, parameter(condition)));
  return operators[operator as keyof typeof operators](column, parameter(condition));
}

/**
 * Keyset paging: the rows on one side of a row by the whole sort key, which an index answers at any depth. The values
 * are bound under the name of the bound.
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
