import { sql } from 'drizzle-orm';

/**
 * Declares tables independently of the database. A column's kind is the type that rules see; each dialect defines how
 * the database stores it.
 */
export type ColumnKind = 'text' | 'instant' | 'boolean' | 'count' | 'money' | 'json';

interface Column<Value> {
  kind: ColumnKind;
  nullable: boolean;
  /** Never set: carries the type of the value. */
  value?: Value;
}

type Columns = Record<string, Column<unknown>>;

interface Index<Name> {
  columns: Name[];
  unique?: boolean;
  /** A partial index: SQL over the table's columns, or one constant value (a plain word) per column. */
  where?: string | Partial<Record<Name & string, string>>;
}

interface Keys<Name> {
  primary: Name[];
  indexes?: Record<string, Index<Name>>;
  /** Foreign keys to the primary keys of other tables. */
  foreign?: { columns: Name[]; table: string }[];
}

export interface Declaration<C extends Columns = Columns> {
  name: string;
  columns: C;
  keys: Keys<Extract<keyof C, string>>;
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
export const nullable = <Value>(base: Column<Value>): Column<Value | null> => ({
  kind: base.kind,
  nullable: true,
});

/** Declares a table: its name, its columns, and its keys, which begin with the tenant. */
export function table<C extends Columns>(
  name: string,
  columns: C,
  keys: Keys<Extract<keyof C, string>>,
): Declaration<C> {
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

function toCondition(where: NonNullable<Index<string>['where']>): string {
  if (typeof where === 'string') return where;
  return Object.entries(where)
    .map(([key, word]) => `${toSnakeCase(key)} = '${word}'`)
    .join(' and ');
}

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
    const indexes = Object.entries(keys.indexes ?? {}).map(([indexName, { columns: on, unique, where }]) => {
      const begun = (unique ? uniqueIndex : index)(indexName).on(...pick(on, self));
      return where ? begun.where(sql.raw(toCondition(where))) : begun;
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
