import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import type { Match, Queries, Selection, SpanSum, SpanSums } from './query/queries.ts';
import {
  findId,
  findKeyColumn,
  getMap,
  groupByColumns,
  isAlike,
  isAbsent,
  type Changed,
  type Changes,
} from './pendingChanges.ts';
import { tables, type AnyRow } from './query/tableMeta.ts';
import type { Row, TenantTable } from './model/rowTypes.ts';
import { TenantWrites, type Replacement } from './store.ts';

/**
 * Reads and writes of one tenant for many resources at once, such as the renewals of a batch: rows can be preloaded
 * with one query per table, and writes are collected and flushed with one statement per table. Rows may reach the
 * database in another order than they were written, so the resources must not compete for a unique key. Flushes pending
 * writes before any read they could affect.
 */
export class WriteBatch extends TenantWrites {
  private readonly known: Map<TenantTable, Map<string, AnyRow>>;
  /** For each table, a column and values that no row has in that column. */
  private readonly absent = new Map<TenantTable, { column: string; values: Set<unknown>; among: AnyRow }>();
  /** For each table, a column, and the ids of the rows by their value in that column. */
  private readonly lists = new Map<TenantTable, { column: string; ids: Map<unknown, string[]> }>();
  private readonly numbers = new Map<TenantTable, number>();
  /** The ids that were preloaded and belong to no row. */
  private readonly missing = new Map<TenantTable, Set<string>>();
  private readonly added = new Map<TenantTable, Map<string, AnyRow>>();
  private readonly changed = new Map<TenantTable, Changes>();

  /** The database version at which the known rows are current. */
  private knownVersion: number | undefined;

  /** Reuses the rows known to `earlier` at the end of its unit, unless anything was written since. */
  constructor(queries: Queries, alias: string, earlier?: WriteBatch) {
    super(queries, alias);
    const isNewest = earlier?.knownVersion !== undefined && earlier.knownVersion === queries.version;
    this.known = isNewest ? earlier.known : new Map();
    // The changes made here may be rolled back, so the rows can be reused only once.
    if (earlier) earlier.knownVersion = undefined;
  }

  /** Reads the rows of the ids that are not known yet, and makes them available to `one`. Returns all rows found. */
  async preload<Name extends TenantTable>(name: Name, ids: (string | null)[]): Promise<Row<Name>[]> {
    const known = getMap(this.known, name);
    const id = ids.filter((each) => each !== null && !known.has(each));
    if (id.length > 0) {
      for (const row of await this.many(name, { where: { id } as unknown as Match<Name> }))
        this.remember(name, row);
      this.missing.set(name, new Set(id.filter((each) => each !== null && !known.has(each)) as string[]));
    }
    return ids.flatMap((each) => (known.get(each ?? '') as Row<Name> | undefined) ?? []);
  }

  /**
   * Determines which of the values no row has in the column, so that `many` need not search for them; with `among`, no row
   * that matches these conditions, for searches that have the same conditions.
   */
  async preloadAbsence<Name extends TenantTable>(
    name: Name,
    column: keyof Row<Name> & string,
    values: string[],
    among: Match<Name> = {},
  ): Promise<void> {
    if (values.length === 0) return;
    const where = this.addTenant(name, { ...among, [column]: values });
    const present = new Set(await this.queries.listDistinct(name, column, where));
    const missing = new Set(values.filter((value) => !present.has(value)));
    this.absent.set(name, { column, values: missing, among });
  }

  /** Reads the rows that have one of the values in the column, so that `many` need not search for them. */
  async preloadLists<Name extends TenantTable>(
    name: Name,
    column: keyof Row<Name> & string,
    values: string[],
  ): Promise<Row<Name>[]> {
    const wanted = [...new Set(values)];
    const where = { [column]: wanted } as unknown as Match<Name>;
    const rows = await this.many(name, { where, orderBy: ['id' as keyof Row<Name> & string] });
    const ids = new Map<unknown, string[]>(wanted.map((value) => [value, []]));
    for (const row of rows as AnyRow[]) {
      this.remember(name, row);
      ids.get(row[column])!.push(row['id'] as string);
    }
    this.lists.set(name, { column, ids });
    return rows;
  }

  override one<Name extends TenantTable>(
    name: Name,
    where: Match<Name>,
  ): MaybePromise<Row<Name> | undefined> {
    const id = findId(where) ?? '';
    const known = this.known.get(name)?.get(id);
    if (known) return known as Row<Name>;
    if (this.missing.get(name)?.has(id)) return undefined;
    if (this.isPending(name)) return this.flush().then(() => super.one(name, where));
    return super.one(name, where);
  }

  override many<Name extends TenantTable>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    const absent = this.absent.get(name);
    if (absent && isAbsent(absent, selection.where)) return [];
    const listed = this.findList(name, selection);
    if (listed) return listed as Row<Name>[];
    if (this.isPending(name)) return this.flush().then(() => super.many(name, selection));
    return super.many(name, selection);
  }

  override sumSpans<Name extends TenantTable, Own extends keyof Row<Name> & string>(
    name: Name,
    sums: SpanSums<Name, Own>,
  ): MaybePromise<SpanSum[]> {
    if (this.isPending(name)) return this.flush().then(() => super.sumSpans(name, sums));
    return super.sumSpans(name, sums);
  }

  override next<Name extends TenantTable>(
    name: Name,
    column: keyof Row<Name> & string,
  ): MaybePromise<number> {
    const last = this.numbers.get(name);
    return mapMaybe(last === undefined ? super.next(name, column) : last + 1, (number) => {
      this.numbers.set(name, number);
      return number;
    });
  }

  override insert<Name extends TenantTable>(name: Name, row: Row<Name>): MaybePromise<unknown> {
    const key = findKeyColumn(name);
    if (key === undefined) return this.flush().then(() => super.insert(name, row));
    // A pending change by another column must not apply to a row inserted after it.
    const changes = this.changed.get(name);
    if (changes && changes.by[0] !== key) return this.flush().then(() => this.insert(name, row));
    const own = this.withTenant(row) as AnyRow;
    this.absent.delete(name);
    this.lists.delete(name);
    getMap(this.added, name).set(own[key] as string, own);
    this.missing.delete(name);
    if (key === 'id') this.remember(name, own);
    return undefined;
  }

  override update<Name extends TenantTable>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): MaybePromise<unknown> {
    const by = Object.keys(where);
    const isKey = (column: string) => typeof (where as AnyRow)[column] === 'string' && !(column in changes);
    // The row of the tenant itself has no column that names its tenant.
    if (name === 'tenants' || !by.every(isKey)) return this.updateNow(name, where, changes);
    const pending = this.changed.get(name);
    if (pending && !isAlike(pending.by, by))
      return this.flush().then(() => this.update(name, where, changes));
    this.absent.delete(name);
    this.lists.delete(name);
    const id = findId(where);
    const known = id === undefined ? undefined : this.known.get(name)?.get(id);
    if (id === undefined) this.known.delete(name);
    const columns = Object.keys(changes);
    if (known) {
      this.gatherKnown(name, { ...known, ...changes }, columns);
      return undefined;
    }
    const row = { tenantAlias: this.alias, ...where, ...changes };
    this.gather(name, by, Object.values(where).join(' '), row, columns);
    return undefined;
  }

  override replace<Name extends TenantTable>(
    name: Name,
    where: Match<Name>,
    { before, after, columns }: Replacement<Row<Name>>,
  ): MaybePromise<unknown> {
    const id = findId(where);
    const isNewest = id !== undefined && this.known.get(name)?.get(id) === before;
    const pending = this.changed.get(name);
    if (!isNewest || (pending && !isAlike(pending.by, ['id']))) {
      this.lists.delete(name);
      return super.replace(name, where, { before, after, columns });
    }
    this.absent.delete(name);
    this.gatherKnown(name, after, columns);
    return undefined;
  }

  override async insertIfAbsent<Name extends TenantTable>(
    name: Name,
    row: Row<Name>,
    target: (keyof Row<Name> & string)[],
  ): Promise<boolean> {
    await this.flush();
    this.absent.delete(name);
    this.lists.delete(name);
    this.missing.delete(name);
    return super.insertIfAbsent(name, row, target);
  }

  override async remove<Name extends TenantTable>(name: Name, where: Match<Name>): Promise<unknown> {
    await this.flush();
    this.known.delete(name);
    this.lists.delete(name);
    return super.remove(name, where);
  }

  /** Flushes the remaining writes. Call it last in the unit. */
  async finish(): Promise<void> {
    await this.flush();
    this.knownVersion = this.queries.version;
  }

  /**
   * Writes the pending changes: inserts rows before those that refer to them, and all inserts before updates. The commit reports
   * failures.
   */
  async flush(): Promise<void> {
    const { queries } = this;
    const [added, changed] = [new Map(this.added), new Map(this.changed)];
    this.added.clear();
    this.changed.clear();
    for (const name of tables) {
      const rows = added.get(name as TenantTable);
      if (!rows) continue;
      await queries.fireAndForget(() => queries.insertMany(name, [...rows.values()] as never[]));
    }
    for (const [name, { by, rows }] of changed) {
      for (const alike of groupByColumns(rows.values()))
        await queries.fireAndForget(() =>
          queries.updateMany(name, ['tenantAlias', ...by], alike.columns, alike.rows),
        );
    }
  }

  private async updateNow<Name extends TenantTable>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): Promise<unknown> {
    await this.flush();
    this.known.delete(name);
    this.absent.delete(name);
    this.lists.delete(name);
    return super.update(name, where, changes);
  }

  /** Returns the preloaded rows of a selection by the column of `preloadLists` alone, in the order of their ids. */
  private findList<Name extends TenantTable>(
    name: Name,
    { where, orderBy, ...rest }: Selection<Name>,
  ): AnyRow[] | undefined {
    const lists = this.lists.get(name);
    if (!lists || Object.keys(rest).length > 0 || orderBy?.join() !== 'id') return undefined;
    if (Object.keys(where).join() !== lists.column) return undefined;
    const known = this.known.get(name);
    return lists.ids.get((where as AnyRow)[lists.column])?.map((id) => known!.get(id)!);
  }

  private isPending(name: TenantTable): boolean {
    return this.added.has(name) || this.changed.has(name);
  }

  private remember(name: TenantTable, row: AnyRow): void {
    getMap(this.known, name).set(row['id'] as string, row);
  }

  /** Records the new state of a known row for the next flush. */
  private gatherKnown(name: TenantTable, row: AnyRow, columns: string[]): void {
    const id = row['id'] as string;
    this.remember(name, row);
    const added = this.added.get(name);
    // The row is pending insertion: insert it in its new state.
    if (added?.has(id)) added.set(id, row);
    else this.gather(name, ['id'], id, row, columns);
  }

  private gather(name: TenantTable, by: string[], key: string, row: AnyRow, columns: string[]): void {
    const { rows } = this.changed.get(name) ?? { rows: new Map<string, Changed>() };
    const earlier = rows.get(key);
    if (earlier) {
      rows.set(key, {
        row: { ...earlier.row, ...row },
        columns: [...new Set([...earlier.columns, ...columns])],
      });
    } else rows.set(key, { row, columns });
    this.changed.set(name, { by, rows });
  }
}
