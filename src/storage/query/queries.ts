import { mapMaybe, type MaybePromise } from '../../lib/maybePromise.ts';
import { and, asc, sql, type SQL } from 'drizzle-orm';
import { listTables, buildPredicates, readMatch, type Hints } from './where.ts';
import type { Row, TableName } from '../model/rowTypes.ts';
import type { MeasureJson } from './largeJson.ts';
import type { SelectedRows, StatementResult } from './results.ts';
import type { Built } from './sharedStatements.ts';
import { addOnConflict, readGrouping, type Group, type Grouping } from './grouping.ts';
import { readSpanSums, type SpanSum, type SpanSums } from './spanSums.ts';
import { matchAll, readSelection, type Match, type Selection, type WriteRow } from './select.ts';

export type { Match, Selection, SpanSum, SpanSums };

/** A prepared query, and the tables that it reads or writes. */
export interface Statement {
  prepared: any;
  tables: readonly TableName[];
}

/** A selection among several that are run at once. */
export interface SelectPart {
  shape: string;
  build: () => Built;
  rows: SelectedRows;
  values: Record<string, unknown>;
}

/** Runs the statements that Drizzle builds; each database implements it. */
export interface Driver {
  tables: Record<TableName, any>;
  /** Drizzle's query builder for the connection. */
  builder: any;
  /** Prepares the query that `build` makes; connections to databases of one kind share what has the same `shape`. */
  prepare(shape: string, build: () => Built, result?: StatementResult): Statement;
  /** Whether limits are written as literals: SQLite plans a statement again for each limit bound as a parameter. */
  limitsInText: boolean;
  /** Whether ranges are joined by a lateral query. */
  lateralRanges: boolean;
  /** Builds the exact sum of a column of decimals, as the list of decimals that `SpanSum` has. */
  sumDecimals: (column: any) => SQL;
  hints?: Hints;
  measureJson: MeasureJson;
  writeRow?: WriteRow;
  all: (statement: Statement, values: Record<string, unknown>) => MaybePromise<any[]>;
  /** Runs several selections as one statement, and returns the rows of each; absent if that saves nothing. */
  allOf?: ((selections: readonly SelectPart[]) => Promise<any[][]>) | undefined;
  /** Returns the number of changed rows. */
  run: (statement: Statement, values: Record<string, unknown>) => MaybePromise<number>;
  /** Inserts whole rows into a table. */
  insertRows: (name: TableName, rows: readonly object[]) => MaybePromise<void>;
  /** Updates the rows whose columns `by` equal those of one of `rows`: their columns `set` get that row's values. */
  updateRows: (name: TableName, by: string[], set: string[], rows: readonly object[]) => MaybePromise<void>;
  /** Inserts whole rows; those whose primary key is there replace its columns `set`. No two rows have the same key. */
  upsertRows: (name: TableName, set: string[], rows: readonly object[]) => MaybePromise<void>;
  /**
   * Performs a write without waiting for its response. If it fails, the statements after it and the unit fail as well.
   */
  fireAndForget?: (write: () => MaybePromise<unknown>) => unknown;
  /** Defers an insert, to send it later in the unit together with others; returns whether it was deferred. */
  deferInsert?: (name: TableName, row: object) => boolean;
  /** Takes the lock of the usage of a tenant until the transaction ends; absent if transactions do not run at the same time. */
  lockUsage?: (tenantAlias: string) => MaybePromise<unknown>;
  /** Returns a number that changes with every write to the database by any process; absent if the database has none. */
  version?: () => number;
}

type Values = Record<string, unknown>;
const maxPrepared = 2000;

/**
 * The queries of one connection, built by Drizzle once for each shape and prepared. A call costs naming the shape and a
 * look-up, instead of a build (4 µs instead of 34).
 */
export class Queries {
  constructor(
    private readonly connection: Driver,
    private readonly statements = new Map<string, Statement>(),
    private readonly isOpen = () => true,
  ) {}

  /** Returns the same queries, usable while `isOpen` returns true; afterwards they throw an Error. */
  restrictTo(isOpen: () => boolean): Queries {
    return new Queries(this.connection, this.statements, isOpen);
  }

  private get driver(): Driver {
    if (this.isOpen()) return this.connection;
    throw new Error('A unit of work was used after it had ended.');
  }

  /** A number that changes with every write; undefined if the database has none. */
  get version(): number | undefined {
    return this.driver.version?.();
  }

  /** Waits until no recording of usage of the tenant is under way, and keeps others away until the transaction ends. */
  lockUsage(tenantAlias: string): MaybePromise<unknown> {
    return this.driver.lockUsage?.(tenantAlias);
  }

  /** Returns the rows of a table that match, in order. */
  select<Name extends TableName>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    const { shape, build, rows, values } = this.readPart(name, selection);
    return this.driver.all(this.statement(shape, build, rows), values);
  }

  /** Returns the rows of several selections, read at once. */
  selectEach(
    selections: readonly (readonly [name: TableName, selection: Selection<any>])[],
  ): MaybePromise<any[][]> {
    const { allOf } = this.driver;
    if (allOf) return allOf(selections.map(([name, selection]) => this.readPart(name, selection)));
    const found = selections.map(([name, selection]) => this.select(name, selection));
    return found.some((rows) => rows instanceof Promise)
      ? Promise.all(found as Promise<any[]>[])
      : (found as any[][]);
  }

  private readPart<Name extends TableName>(name: Name, selection: Selection<Name>): SelectPart {
    const { shape, values, bound, build } = readSelection(name, selection, this.driver.limitsInText);
    const rows = { table: name, leaveOut: selection.leaveOut ?? [], bound, isOne: selection.limit === 1 };
    return { shape, build: () => build(this.driver), rows, values };
  }

  /**
   * Claims the matching rows that are not claimed at `now`, until `until`; returns them in order. Skips rows that
   * another process is claiming.
   */
  async claim<Name extends TableName>(
    name: Name,
    selection: Selection<Name>,
    now: string,
    until: string,
  ): Promise<Row<Name>[]> {
    const { where, orderBy = [], limit = 1 } = selection;
    const values: Values = { limit, now, until };
    const conditions = readMatch(name, where, values);
    const shape = `claim ${name} ${conditions.join()} ${orderBy.join()}`;
    const statement = this.statement(shape, () => {
      const { builder, tables } = this.driver;
      const table = tables[name];
      // Not a subquery: the planner may run a subquery more than once, and each run would lock other rows.
      const free = builder.$with('free').as(
        builder
          .select({ tenantAlias: table.tenantAlias, id: table.id })
          .from(table)
          .where(
            and(
              ...buildPredicates(tables, name, where),
              sql`(${table.claimedUntil} is null or ${table.claimedUntil} <= ${sql.placeholder('now')})`,
            ),
          )
          .orderBy(...orderBy.map((key) => asc(table[key])))
          .limit(sql.placeholder('limit'))
          // Weaker than `update`, so that a new invoice may refer to the row meanwhile.
          .for('no key update', { skipLocked: true }),
      );
      const query = builder
        .with(free)
        .update(table)
        .set({ claimedUntil: sql.placeholder('until') })
        .where(sql`(${table.tenantAlias}, ${table.id}) in (select * from ${free})`)
        .returning();
      return { query, tables: listTables(name, where) };
    });
    const rows = await this.driver.all(statement, values);
    const orderKey = (row: Row<Name>) => orderBy.map((key) => String(row[key])).join(' ');
    return rows.toSorted((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1));
  }

  /** Inserts a row. A unique violation is a programming error. */
  insert<Name extends TableName>(name: Name, row: Row<Name>): MaybePromise<number> {
    const build = () => ({ query: this.buildInsert(name, row), tables: [name] });
    const statement = this.statement(`insert ${name}`, build, 'changes');
    return this.driver.run(statement, row);
  }

  /** Inserts many rows. A unique violation is a programming error. */
  insertMany<Name extends TableName>(name: Name, rows: Row<Name>[]): MaybePromise<void> {
    if (rows.length > 0) return this.driver.insertRows(name, rows);
  }

  /** Updates many rows, identified by their columns `by`: each gets the columns `set` of its counterpart in `rows`. */
  updateMany(name: TableName, by: string[], set: string[], rows: object[]): MaybePromise<void> {
    if (set.length > 0) return this.driver.updateRows(name, by, set, rows);
  }

  /** Inserts many rows; those whose primary key is there replace its columns `set`. No two rows have the same key. */
  upsertMany<Name extends TableName>(name: Name, set: string[], rows: Row<Name>[]): MaybePromise<void> {
    if (rows.length > 0) return this.driver.upsertRows(name, set, rows);
  }

  /** Performs a write of a unit whose result is not needed. Sends it without awaiting; the commit reports failures. */
  fireAndForget(write: () => MaybePromise<unknown>): MaybePromise<unknown> {
    return this.driver.fireAndForget ? void this.driver.fireAndForget(write) : write();
  }

  /** Inserts a row in a unit like `insert`, if the result is not needed. */
  add<Name extends TableName>(name: Name, row: Row<Name>): MaybePromise<unknown> {
    return this.driver.deferInsert?.(name, row)
      ? undefined
      : this.fireAndForget(() => this.insert(name, row));
  }

  /** Returns the highest value of a counting column; 0 if no row matches. */
  async findHighest<Name extends TableName>(
    name: Name,
    column: keyof Row<Name> & string,
    where: Match<Name>,
  ): Promise<number> {
    const values: Values = {};
    const conditions = readMatch(name, where, values);
    const statement = this.statement(`highest ${name} ${column} ${conditions.join()}`, () => {
      const table = this.driver.tables[name];
      const highest = sql`coalesce(max(${table[column]}), 0)`.mapWith(Number);
      return this.buildFiltered(this.driver.builder.select({ value: highest }).from(table), name, where);
    });
    return (await this.driver.all(statement, values))[0].value;
  }

  /** Returns the distinct values of a text column among the rows that match. */
  async listDistinct<Name extends TableName>(
    name: Name,
    column: keyof Row<Name> & string,
    where: Match<Name>,
  ): Promise<string[]> {
    const values: Values = {};
    const conditions = readMatch(name, where, values);
    const statement = this.statement(`distinct ${name} ${column} ${conditions.join()}`, () => {
      const table = this.driver.tables[name];
      const query = this.driver.builder.selectDistinct({ value: table[column] }).from(table);
      return this.buildFiltered(query, name, where);
    });
    return (await this.driver.all(statement, values)).map(({ value }) => value);
  }

  /** Sums columns of the rows that match, in groups. */
  sum<Name extends TableName>(name: Name, grouping: Grouping<Name>): MaybePromise<Group[]> {
    const { shape, values, computed, build } = readGrouping(name, grouping);
    const statement = this.statement(shape, () => build(this.driver), { computed });
    return this.driver.all(statement, values);
  }

  /** Sums rows of many spans of time at once, each of the span's own rows. */
  sumSpans<Name extends TableName, Own extends keyof Row<Name> & string>(
    name: Name,
    sums: SpanSums<Name, Own>,
  ): MaybePromise<SpanSum[]> {
    const { shape, values, computed, build } = readSpanSums(name, sums);
    const statement = this.statement(shape, () => build(this.driver), { computed });
    return this.driver.all(statement, values) as MaybePromise<SpanSum[]>;
  }

  /** Adds the columns `sums` of a row to those of the row with the same primary key, or inserts it; one statement. */
  accumulate<Name extends TableName>(
    name: Name,
    row: Row<Name>,
    sums: readonly (keyof Row<Name> & string)[],
  ): MaybePromise<number> {
    const build = () => ({
      query: addOnConflict(this.buildInsert(name, row), name, this.driver.tables[name], sums),
      tables: [name],
    });
    return this.driver.run(this.statement(`accumulate ${name} ${sums.join()}`, build, 'changes'), row);
  }

  /** Returns the number of rows that match; with a range, of the rows within it. */
  async count<Name extends TableName>(
    name: Name,
    where: Match<Name>,
    range: Pick<Selection<Name>, 'filter' | 'orderBy' | 'past' | 'upTo'> = {},
  ): Promise<number> {
    const selection = { ...range, where };
    const { shape, values, build } = readSelection(name, selection, this.driver.limitsInText, true);
    const statement = this.statement(shape, () => build(this.driver));
    return (await this.driver.all(statement, values))[0].value;
  }

  /** Inserts a row unless one with the same values in `target` exists; returns whether it was inserted. */
  insertIfAbsent<Name extends TableName>(
    name: Name,
    row: Row<Name>,
    target: (keyof Row<Name> & string)[],
  ): MaybePromise<boolean> {
    const build = () => ({
      query: this.buildInsert(name, row).onConflictDoNothing({
        target: target.map((key) => this.driver.tables[name][key]),
      }),
      tables: [name],
    });
    const shape = `insert ${name} unless ${target.join()}`;
    const statement = this.statement(shape, build, 'changes');
    return mapMaybe(this.driver.run(statement, row), (added) => added === 1);
  }

  /** Updates the rows that match; returns their number. */
  update<Name extends TableName>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): MaybePromise<number> {
    const values: Values = {};
    const conditions = readMatch(name, where, values);
    const changed = Object.keys(changes);
    for (const key of changed) values[`set${key}`] = changes[key as keyof Row<Name>];
    const build = () => {
      const table = this.driver.tables[name];
      const set = Object.fromEntries(changed.map((key) => [key, sql.placeholder(`set${key}`)]));
      return this.buildFiltered(this.driver.builder.update(table).set(set), name, where);
    };
    const shape = `update ${name} ${changed.join()} ${conditions.join()}`;
    const statement = this.statement(shape, build, 'changes');
    return this.driver.run(statement, values);
  }

  /** Deletes the rows that match; returns their number. */
  remove<Name extends TableName>(name: Name, where: Match<Name>): MaybePromise<number> {
    const values: Values = {};
    const conditions = readMatch(name, where, values);
    const build = () => this.buildFiltered(this.driver.builder.delete(this.driver.tables[name]), name, where);
    const statement = this.statement(`delete ${name} ${conditions.join()}`, build, 'changes');
    return this.driver.run(statement, values);
  }

  /** Builds the query for the rows that meet the conditions. */
  private buildFiltered(query: any, name: TableName, where: object): Built {
    return {
      query: query.where(matchAll(this.driver, name, where)),
      tables: listTables(name, where),
    };
  }

  private buildInsert(name: TableName, row: object) {
    const values = Object.fromEntries(Object.keys(row).map((key) => [key, sql.placeholder(key)]));
    return this.driver.builder.insert(this.driver.tables[name]).values(values);
  }

  private statement(shape: string, build: () => Built, result?: StatementResult): Statement {
    const known = this.statements.get(shape);
    if (known) return known;
    const made = this.driver.prepare(shape, build, result);
    // Filters and changes combine to many shapes, of which few are used again.
    if (this.statements.size === maxPrepared) this.statements.clear();
    this.statements.set(shape, made);
    return made;
  }
}
