import { gt, gte, inArray, isNotNull, isNull, lt, lte, sql, type SQL } from 'drizzle-orm';

/** Bounds of a column: `from` and `to` belong to the range, `before` and `after` do not. */
export interface Range<Value> {
  from?: Value;
  to?: Value;
  before?: Value;
  after?: Value;
  /** Holds some value at all. */
  isSet?: true;
  /** Text within it, upper and lower case alike. */
  contains?: string;
  /** Names a row of that table which has not been deleted. */
  undeleted?: 'products';
}

type Values = Record<string, unknown>;

/** What a condition is built from. */
interface Parts {
  tables: Record<string, any>;
  /** The column's text in lower case, of every alphabet. */
  lower: (column: any) => SQL;
}

const operators = {
  '=': (column: any, value: any) => sql`${column} = ${value}`,
  '>=': gte,
  '<=': lte,
  '<': lt,
  '>': gt,
} as const;

const bounds = [
  ['from', '>='],
  ['to', '<='],
  ['before', '<'],
  ['after', '>'],
] as const;

/** Names each condition (`column operator [size]`), puts its values aside under that name. */
export function readMatch(where: object, values: Values): string[] {
  const conditions: string[] = [];
  for (const column in where) {
    const wanted = (where as Values)[column];
    if (wanted === undefined) continue;
    if (wanted === null) conditions.push(`${column} null`);
    else if (Array.isArray(wanted)) conditions.push(readMembers(column, wanted, values));
    else if (typeof wanted === 'object') readRange(column, wanted, conditions, values);
    // Indexes are for it: SQLite would plan the statement anew each time it is bound to a word, to see if that is theirs.
    else if (column === 'status' && wanted === 'pending') conditions.push('status pending');
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

/** The condition of that name as SQL. */
export function predicate({ tables, lower }: Parts, table: string, condition: string): SQL {
  const [key, operator, operand] = condition.split(' ') as [string, string, string?];
  const column = tables[table][key];
  if (operator === 'null') return isNull(column);
  if (operator === 'set') return isNotNull(column);
  if (operator === 'none') return sql`false`;
  if (operator === 'pending') return sql`${column} = 'pending'`;
  if (operator === 'undeleted') {
    const { tenantAlias, id, deletedAt } = tables[operand!];
    const isNamed = sql`${tenantAlias} = ${tables[table].tenantAlias} and ${id} = ${column}`;
    return sql`exists (select 1 from ${tables[operand!]} where ${isNamed} and ${deletedAt} is null)`;
  }
  // An encoded parameter: booleans and money differ between the rules and the database.
  const parameter = (name: string) => sql.param(sql.placeholder(name), column);
  if (operator === 'in') {
    return inArray(
      column,
      Array.from({ length: Number(operand) }, (_, index) => parameter(`${key} in${index}`)),
    );
  }
  if (operator === 'contains') return sql`${lower(column)} like ${parameter(condition)} escape '!'`;
  return operators[operator as keyof typeof operators](column, parameter(condition));
}

/** Keyset paging: the rows after (or before) one by the whole sort key, which an index answers at any depth. */
export function beyond(columns: any[], direction: 'asc' | 'desc'): SQL {
  const key = sql.join(
    columns.map((column) => sql`${column}`),
    sql`, `,
  );
  const past = sql.join(
    columns.map((_, index) => sql`${sql.placeholder(`past${index}`)}`),
    sql`, `,
  );
  return direction === 'asc' ? sql`(${key}) > (${past})` : sql`(${key}) < (${past})`;
}
