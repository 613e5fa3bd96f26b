import { findIndexCondition, indexedConstants } from '../model/indexedConstants.ts';
import { tableDeclarations, type TableName } from '../model/rowTypes.ts';
import { gt, gte, inArray, isNotNull, isNull, lt, lte, sql, type Param, type SQL } from 'drizzle-orm';

/** Bounds of a column: `from` and `to` are inclusive, `before` and `after` exclusive. */
export interface Range<Value> {
  from?: Value;
  to?: Value;
  before?: Value;
  after?: Value;
  /** Matches null, and values up to this one. */
  unlessAfter?: Value;
  /** Matches null, and values after this one. */
  unlessUpTo?: Value;
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

const bounds = [
  ['from', '>='],
  ['to', '<='],
  ['before', '<'],
  ['after', '>'],
] as const;

/**
 * Names each condition (`column operator [size]`), and adds its values to `values` under that name. The names identify the
 * statement; `buildPredicates` builds its SQL, once, from the conditions themselves.
 */
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
    else if (constants?.[column]?.includes(wanted as string))
      conditions.push(`${column} constant ${wanted as string}`);
    else {
      const name = findNames(column)['='];
      conditions.push(name);
      values[name] = wanted;
    }
  }
  return conditions;
}

const operators = ['=', '>=', '<=', '<', '>', 'unlessAfter', 'unlessUpTo', 'contains'] as const;

type Operator = (typeof operators)[number];

/** `column operator` by the operator. */
type ConditionNames = Record<Operator, string>;

/** The names of each column's conditions. Names of one string each: a newly concatenated one is hashed for each look-up. */
const conditionNames: ReadonlyMap<string, ConditionNames> = new Map(
  Object.values<{ columns: object }>(tableDeclarations).flatMap(({ columns }) =>
    Object.keys(columns).map((column) => [column, nameConditions(column)] as const),
  ),
);

function nameConditions(column: string): ConditionNames {
  return Object.fromEntries(
    operators.map((operator) => [operator, `${column} ${operator}`]),
  ) as ConditionNames;
}

const findNames = (column: string): ConditionNames => conditionNames.get(column)!;

/** By the names of the column's conditions. With new strings a list of 128 takes 37 µs, with these 16. */
const memberNameCache = new WeakMap<ConditionNames, string[]>();

/** Returns `column inN` for at least this many members of a list, counted from 0. */
function nameMembers(column: string, size: number): readonly string[] {
  const key = findNames(column);
  const names = memberNameCache.get(key) ?? [];
  if (names.length >= size) return names;
  for (let index = names.length; index < size; index++) names.push(`${column} in${index}`);
  memberNameCache.set(key, names);
  return names;
}

function readRange(column: string, range: Range<unknown>, conditions: string[], values: Values) {
  const names = findNames(column);
  for (const [bound, operator] of bounds) {
    const value = range[bound];
    if (value === undefined) continue;
    const name = names[operator];
    conditions.push(name);
    values[name] = value;
  }
  if (range.unlessAfter !== undefined) {
    conditions.push(names.unlessAfter);
    values[names.unlessAfter] = range.unlessAfter;
  }
  if (range.unlessUpTo !== undefined) {
    conditions.push(names.unlessUpTo);
    values[names.unlessUpTo] = range.unlessUpTo;
  }
  if (range.isSet) conditions.push(`${column} set`);
  if (range.isPositive) conditions.push(`${column} positive`);
  if (range.hasBit !== undefined) conditions.push(`${column} hasBit ${range.hasBit}`);
  if (range.inIndex) conditions.push(`${column} inIndex ${range.inIndex}`);
  if (range.undeleted) conditions.push(`${column} undeleted ${range.undeleted}`);
  if (range.contains !== undefined) {
    conditions.push(names.contains);
    values[names.contains] = `%${range.contains.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
  }
}

/** Pads lists to a power of two by repeating their last member, so that few statement shapes serve all lengths. */
function readMembers(column: string, members: readonly unknown[], values: Values): string {
  if (members.length === 0) return `${column} none`;
  const size = computePaddedSize(members);
  const names = nameMembers(column, size);
  for (let index = 0; index < size; index++) {
    values[names[index]!] = members[Math.min(index, members.length - 1)];
  }
  return `${column} in ${size}`;
}

const computePaddedSize = ({ length }: readonly unknown[]): number => 2 ** Math.ceil(Math.log2(length));

/** Lists the tables that a statement on a table with these conditions reads. */
export function listTables(name: TableName, ...conditions: object[]): readonly TableName[] {
  const others = conditions.flatMap((where) => Object.values(where).map((wanted) => wanted?.undeleted));
  return [name, ...others.filter((other) => other !== undefined)];
}

/** How to write conditions so that the database chooses the right index. */
export interface Hints {
  /** Wraps a column so that no index applies. */
  unindexed?: (column: any) => SQL;
  /** Marks a condition that few rows meet. */
  rare?: (condition: SQL) => SQL;
}

/** Builds the SQL of conditions. Their values are bound under the names that `readMatch` gives them. */
export function buildPredicates(
  tables: Record<string, any>,
  name: TableName,
  where: object,
  { unindexed, rare = (equality) => equality }: Hints = {},
): SQL[] {
  return Object.entries(where).flatMap(([key, wanted]) => {
    if (wanted === undefined) return [];
    const declared = tables[name][key];
    const column = unindexed?.(declared) ?? declared;
    // Encodes the parameter: rules and database represent booleans and money differently.
    const bindAs = (placeholder: string) => sql.param(sql.placeholder(placeholder), declared);
    const bind = (operator: Operator) => bindAs(findNames(key)[operator]);
    if (wanted === null) return isNull(column);
    if (Array.isArray(wanted)) {
      if (wanted.length === 0) return sql`false`;
      const size = computePaddedSize(wanted);
      return inArray(column, nameMembers(key, size).slice(0, size).map(bindAs));
    }
    if (typeof wanted === 'object') return buildRange(tables, name, column, wanted, bind);
    if (indexedConstants[name]?.[key]?.includes(wanted as string))
      return sql`${column} = ${sql.raw(`'${wanted}'`)}`;
    const equality = sql`${column} = ${bind('=')}`;
    // Every statement has the tenant, so that condition cannot decide between indexes.
    return key === 'tenantAlias' ? equality : rare(equality);
  });
}

type Bind = (operator: Operator) => SQL | Param;

function buildRange(
  tables: Record<string, any>,
  name: TableName,
  column: any,
  range: Range<unknown>,
  bind: Bind,
): SQL[] {
  const predicates: SQL[] = [];
  if (range.from !== undefined) predicates.push(gte(column, bind('>=')));
  if (range.to !== undefined) predicates.push(lte(column, bind('<=')));
  if (range.before !== undefined) predicates.push(lt(column, bind('<')));
  if (range.after !== undefined) predicates.push(gt(column, bind('>')));
  if (range.unlessAfter !== undefined)
    predicates.push(sql`(${column} is null or ${column} <= ${bind('unlessAfter')})`);
  if (range.unlessUpTo !== undefined)
    predicates.push(sql`(${column} is null or ${column} > ${bind('unlessUpTo')})`);
  if (range.isSet) predicates.push(isNotNull(column));
  if (range.isPositive) predicates.push(sql`${column} > 0`);
  if (range.hasBit !== undefined)
    predicates.push(sql`(${column} >> ${sql.raw(String(range.hasBit))}) & 1 = 1`);
  // Word for word as the index declares it: only then do the planners know that the index has these rows.
  if (range.inIndex) predicates.push(sql.raw(`(${findIndexCondition(name, range.inIndex)})`));
  if (range.undeleted) predicates.push(isUndeleted(tables[range.undeleted], tables[name], column));
  if (range.contains !== undefined) predicates.push(sql`${column} like ${bind('contains')} escape '!'`);
  return predicates;
}

const isUndeleted = (named: any, table: any, column: any): SQL =>
  sql`exists (select 1 from ${named} where ${named.tenantAlias} = ${table.tenantAlias} and ${named.id} = ${column} and ${named.deletedAt} is null)`;

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
