import { sql } from 'drizzle-orm';

/**
 * Declares tables independently of the database. A column's kind is the type that rules see; each dialect defines how
 * the database stores it.
 */
export type ColumnKind = 'text' | 'instant' | 'boolean' | 'count' | 'money' | 'json';

interface Column<Value> {
  kind: ColumnKind;
  nullable: boolean;
  /** Whether the interface leaves it out of the resource while it is null. */
  isShownIfSet?: true;
  /** Whether the erasure of a customer makes it null. */
  isPersonal?: true;
  /** Never set: carries the type of the value. */
  value?: Value;
}

interface NullableColumn<Value> extends Column<Value | null> {
  nullable: true;
}

type Columns = Record<string, Column<unknown>>;

/** Which values a partial index has of a column: one, some, all but some, those above 0, or any except null. */
type IndexedValues<Value> =
  Value | readonly Value[] | { noneOf: readonly Value[] } | { isPositive: true } | { isSet: true };

/** The conditions of a partial index, which must all hold. */
type IndexConditions<C extends Columns> = {
  [K in keyof C]?: C[K] extends Column<infer Value> ? IndexedValues<Value> : never;
};

interface Index<C extends Columns> {
  columns: Extract<keyof C, string>[];
  unique?: boolean;
  /** The rows of a partial index. */
  where?: IndexConditions<C>;
  /** The rows of a partial index whose conditions compare columns, as SQL. */
  whereSql?: string;
}

interface Keys<C extends Columns> {
  primary: Extract<keyof C, string>[];
  indexes?: Record<string, Index<C>>;
  /** Foreign keys to the primary keys of other tables. */
  foreign?: { columns: Extract<keyof C, string>[]; table: string }[];
}

export interface Declaration<C extends Columns = Columns> {
  name: string;
  columns: C;
  keys: Keys<C>;
}

/** A row of a declared table, as rules see it. */
export type DeclaredRow<D extends { columns: Columns }> = {
  [K in keyof D['columns']]: D['columns'][K] extends Column<infer Value> ? Value : never;
};

type NullableColumns<Row> = { [K in keyof Row]: null extends Row[K] ? K : never }[keyof Row];

/** A row to insert into a declared table: columns that may be null may be left out. */
export type NewDeclaredRow<D extends { columns: Columns }, R = DeclaredRow<D>> = Omit<R, NullableColumns<R>> &
  Partial<Pick<R, NullableColumns<R>>>;

const column = <Value>(kind: ColumnKind): Column<Value> => ({ kind, nullable: false });

/** Text; `Value` restricts it to certain words. */
export const text = <Value extends string = string>() => column<Value>('text');
/** An instant as ISO 8601 UTC text with milliseconds, so that text order is time order. */
export const instant = () => column<string>('instant');
/** True or false. */
export const boolean = () => column<boolean>('boolean');
/** A whole number below 2^53. */
export const count = () => column<number>('count');
/** Minor units of a currency; exact up to 2^63. */
export const money = () => column<bigint>('money');
/** Any JSON value, stored unchanged, including the order of keys. */
export const json = <Value>() => column<Value>('json');
/** Makes a column nullable. */
export const nullable = <Value>(base: Column<Value>): NullableColumn<Value> => ({
  kind: base.kind,
  nullable: true,
});
/** Makes a column nullable; the interface leaves it out of the resource while it is null. */
export const shownIfSet = <Value>(base: Column<Value>): NullableColumn<Value> => ({
  ...nullable(base),
  isShownIfSet: true,
});
/** Marks personal data of a customer, which their erasure makes null. */
export const personal = <Value>(base: NullableColumn<Value>): NullableColumn<Value> => ({
  ...base,
  isPersonal: true,
});

/** Declares a table: its name, its columns, and its keys, which begin with the tenant. */
export function table<C extends Columns>(name: string, columns: C, keys: Keys<NoInfer<C>>): Declaration<C> {
  return { name, columns, keys };
}

/**
 * Drizzle's building blocks for one database: how it stores each kind of value, and how it declares tables and keys.
 */
export interface Dialect {
  columns: Record<ColumnKind, (name: string) => any>;
  table: any;
  index: any;
  uniqueIndex: any;
  primaryKey: any;
  foreignKey: any;
}

/** Converts a field's name (`tenantAlias`) to its column's name (`tenant_alias`). */
export const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the quoted SQL name of a field's column. */
export const quoteColumn = (name: string) => `"${toSnakeCase(name)}"`;

/**
 * Wraps a column's encoder so that null passes through: Drizzle calls a prepared statement's encoders for null as well.
 */
export const encodeUnlessNull =
  <Value, Driver>(encode: (value: Value) => Driver) =>
  (value: Value): Driver =>
    value === null ? (null as Driver) : encode(value);

/**
 * Builds Drizzle's tables from the declarations, under the same keys. A table must be declared after the tables it
 * refers to.
 */
export function buildTables<Name extends string>(
  declarations: Record<Name, Declaration<any>>,
  dialect: Dialect,
): Record<Name, any> {
  const made = {} as Record<Name, any>;
  for (const [name, declaration] of Object.entries<Declaration>(declarations)) {
    made[name as Name] = buildTable(declaration, dialect, (other) => ({
      columns: made[other as Name],
      primary: declarations[other as Name].keys.primary,
    }));
  }
  return made;
}

/** Returns the condition of a partial index as SQL; undefined for an index of all rows. */
export function writeIndexCondition({
  where,
  whereSql,
}: Pick<Index<Columns>, 'where' | 'whereSql'>): string | undefined {
  if (!where) return whereSql;
  return Object.entries(where)
    .map(
      ([key, values]) => `${toSnakeCase(key)} ${writeIndexedValues(values as IndexedValues<string | null>)}`,
    )
    .join(' and ');
}

function writeIndexedValues(values: IndexedValues<string | null>): string {
  if (values === null) return 'is null';
  if (typeof values === 'string') return `= '${values}'`;
  if ('isSet' in values) return 'is not null';
  if ('isPositive' in values) return '> 0';
  return 'noneOf' in values ? `not in ${writeWords(values.noneOf)}` : `in ${writeWords(values)}`;
}

const writeWords = (words: readonly (string | null)[]) => `(${words.map((word) => `'${word}'`).join(', ')})`;

interface Referred {
  columns: Record<string, any>;
  primary: string[];
}

function buildTable(
  { name, columns, keys }: Declaration,
  { columns: kinds, table: declare, index, uniqueIndex, primaryKey, foreignKey }: Dialect,
  referred: (table: string) => Referred,
): any {
  const builders = Object.entries(columns).map(([key, { kind, nullable: canBeNull }]) => {
    const builder = kinds[kind](toSnakeCase(key));
    return [key, canBeNull ? builder : builder.notNull()];
  });
  const pick = (names: string[], from: Record<string, any>) => names.map((key) => from[key]);
  return declare(name, Object.fromEntries(builders), (self: Record<string, any>) => {
    const indexes = Object.entries(keys.indexes ?? {}).map(([indexName, declared]) => {
      const begun = (declared.unique ? uniqueIndex : index)(indexName).on(...pick(declared.columns, self));
      const condition = writeIndexCondition(declared);
      return condition === undefined ? begun : begun.where(sql.raw(condition));
    });
    const foreign = (keys.foreign ?? []).map(({ columns: on, table: target }) => {
      const other = referred(target);
      return foreignKey({
        name: `${name}_${toSnakeCase(on.at(-1)!)}_fk`,
        columns: pick(on, self),
        foreignColumns: pick(other.primary, other.columns),
      });
    });
    return [primaryKey({ columns: pick(keys.primary, self) }), ...indexes, ...foreign];
  });
}
