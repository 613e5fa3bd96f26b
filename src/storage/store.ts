import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Beside } from './scan.ts';
import type { Match, Queries, Selection } from './query/queries.ts';
import type { ReadBudget } from '../lib/readBudget.ts';
import type { Row, TableName } from './model/rowTypes.ts';
import { breathe } from '../runtime/yield.ts';
import { findLargeRows, jsonColumns, type LargeRow } from './query/largeJson.ts';
import { keyNames } from './query/tableMeta.ts';

/** Where reads go: to the primary, or to a replica (where there is one), which may lag behind by a moment. */
export type ReadPreference = 'primary' | 'replica';

/**
 * What a database offers to the rest: reads at any time, and units of work that happen whole or not at all.
 * SQLite and PostgreSQL each give one; nothing above this file knows which.
 */
export interface Store {
  /** Whether other servers may be at work on the same database. */
  readonly isShared?: true;
  /** Reads what has been committed; on a replica, where there is one, it may be a moment old. */
  readonly committed: Queries;
  /** Reads what has been committed by now: a caller sees its own last unit of work. */
  readonly fresh: Queries;
  /**
   * Runs one unit of work of a tenant; resolves when it is durable. Units of a tenant follow each other, so that a
   * rule may decide by what it reads. The unit must await nothing but its queries, and may be run again. Where another
   * process may have recorded something since, it is told the id of the tenant's latest event; and the tenant's row,
   * where that is known.
   */
  transact<T>(
    tenantAlias: string,
    unit: (queries: Queries, latestEvent: string | undefined, tenant?: Row<'tenants'>) => MaybePromise<T>,
  ): Promise<T>;
  /**
   * Rows of work to do, for this process alone for a minute: of several processes each is handed others. What is not
   * done by then, because its process died, is handed out again. Never more than the selection's limit, nor those
   * whose ids are in `passOver`.
   */
  claim<Name extends Claimable>(
    tenantAlias: string,
    name: Name,
    selection: Work<Name>,
    passOver: ReadonlySet<string>,
  ): MaybePromise<Row<Name>[]>;
  /** Hands `work` the database as it is at one instant, however long it takes and whatever is written meanwhile. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Runs `work` as one transaction, however long it takes: all of it is kept, or nothing where it throws. On SQLite
   * nobody else can write meanwhile.
   */
  load<T>(work: (bulk: Bulk) => Promise<T>): Promise<T>;
  /** Sees to it that nothing of what was replaced or removed by now is left in the database's own log. */
  purgeOldData(): Promise<void>;
  /** For what no index bounds: it neither keeps the event loop busy nor the connections that others wait for. */
  readonly beside: Beside;
  /** Fails unless the database answers. */
  ping(): MaybePromise<void>;
  close(): Promise<void>;
}

/** A transaction for rows by the thousand. */
export interface Bulk {
  queries: Queries;
  /** Performs a part that is undone alone, and the error passed on, when it fails. */
  attempt: (part: () => MaybePromise<unknown>) => Promise<void>;
}

/** Tables of work, which have a `claimedUntil`. */
export type Claimable = 'subscriptions' | 'webhookDeliveries';

export type Work<Name extends Claimable> = Selection<Name> & { limit: number };

/** Rows of work to do where no other process is there to share it with. */
export async function selectDueRows<Name extends Claimable>(
  reads: TenantReads,
  name: Name,
  selection: Work<Name>,
  passOver: ReadonlySet<string>,
): Promise<Row<Name>[]> {
  const found = await reads.many(name, { ...selection, limit: selection.limit + passOver.size });
  return withoutIds(found, passOver).slice(0, selection.limit);
}

/** The rows whose ids are not in `passOver`. */
export const withoutIds = <R>(rows: R[], passOver: ReadonlySet<string>): R[] =>
  rows.filter((row) => !passOver.has((row as { id: string }).id));

/** What a rule reads with, inside a unit of work and outside. */
export type Reads = Pick<TenantReads, 'one' | 'many'>;

/** Reads of one tenant: its alias is in every predicate, whatever the caller asks. */
export class TenantReads {
  constructor(
    protected readonly queries: Queries,
    protected readonly alias: string,
    /** What may be read of large values, where that is bounded. */
    private readonly budget?: ReadBudget,
  ) {}

  /** Rows that match, in order. */
  many<Name extends TableName>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    return this.select(name, { ...selection, where: this.addTenant(name, selection.where) });
  }

  /** The one row that matches, or undefined. */
  one<Name extends TableName>(name: Name, where: Match<Name>): MaybePromise<Row<Name> | undefined> {
    const rows = this.select(name, { where: this.addTenant(name, where), limit: 1 });
    return rows instanceof Promise ? rows.then((found) => found[0]) : rows[0];
  }

  private select<Name extends TableName>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    const { budget } = this;
    if (!budget) return this.queries.select(name, selection);
    budget.refuseSpent();
    const turn = budget.turn();
    if (turn) return turn.then(() => this.select(name, selection)).finally(() => budget.wakeNext());
    const pause = budget.hasReadMuch() ? breathe() : undefined;
    if (pause) return pause.then(() => this.select(name, selection));
    const measureLargeJson = jsonColumns(name).length > 0;
    const rows = this.queries.select(name, Object.assign({}, selection, { measureLargeJson }));
    if (rows instanceof Promise) return budget.during(rows).then((read) => this.complete(name, read));
    return this.complete(name, budget.spend(rows));
  }

  /**
   * The rows with all their JSON, where large values were only measured. Each is read by itself, and others have their
   * turn between two of them. Error: `result_too_large`, before any is read.
   */
  complete<Name extends TableName>(name: Name, rows: Row<Name>[]): MaybePromise<Row<Name>[]> {
    const large = findLargeRows(name, rows);
    if (large.length === 0) return rows;
    for (const { bytes } of large) this.budget?.take(bytes);
    return this.completeEach(name, large).then(() => rows);
  }

  private async completeEach<Name extends TableName>(
    name: Name,
    large: LargeRow<Row<Name>>[],
  ): Promise<void> {
    for (const { row, columns } of large) {
      await breathe();
      const where: Record<string, unknown> = {};
      for (const key of keyNames(name)) where[key] = row[key as keyof Row<Name>];
      const [whole] = await this.queries.select(name, { where: where as Match<Name>, limit: 1 });
      // Removed meanwhile: as an erased record shows it.
      for (const key of columns) Object.assign(row, { [key]: whole ? whole[key as keyof Row<Name>] : {} });
    }
  }

  /** How many rows match. */
  count<Name extends TableName>(name: Name, where: Match<Name>): Promise<number> {
    return this.queries.count(name, this.addTenant(name, where));
  }

  protected addTenant<Name extends TableName>(name: Name, where: Match<Name>): Match<Name> {
    return restrictToTenant(name, this.alias, where);
  }
}

/** Conditions that rows of one tenant alone can meet. */
export function restrictToTenant<Name extends TableName>(
  name: Name,
  alias: string,
  where: Match<Name>,
): Match<Name> {
  return name === 'tenants' ? { ...where, alias } : { ...where, tenantAlias: alias };
}

/** A row as it was read and as it is to be, which differ in no more than those columns. */
export interface Replacement<R> {
  before: R;
  after: R;
  columns: string[];
}

/** Reads and writes of one tenant inside a unit of work. */
export class TenantWrites extends TenantReads {
  /** The number after the highest of the tenant in a column that counts. */
  next<Name extends TableName>(name: Name, column: keyof Row<Name> & string): MaybePromise<number> {
    return this.queries.highest(name, column, this.addTenant(name, {})).then((highest) => highest + 1);
  }

  insert<Name extends TableName>(name: Name, row: Row<Name>): MaybePromise<unknown> {
    return this.queries.add(name, this.withTenant(row));
  }

  /** Adds the row unless one with the same `target` is there; answers whether it was added. */
  insertIfAbsent<Name extends TableName>(
    name: Name,
    row: Row<Name>,
    target: (keyof Row<Name> & string)[],
    partial?: string,
  ): MaybePromise<boolean> {
    return this.queries.insertIfAbsent(name, this.withTenant(row), target, partial);
  }

  update<Name extends TableName>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): MaybePromise<unknown> {
    return this.queries.fireAndForget(() => this.queries.update(name, this.addTenant(name, where), changes));
  }

  /** Writes what a row that was read has become. */
  replace<Name extends TableName>(
    name: Name,
    where: Match<Name>,
    { after, columns }: Replacement<Row<Name>>,
  ): MaybePromise<unknown> {
    const changes: Record<string, unknown> = {};
    for (const column of columns) changes[column] = after[column as keyof Row<Name>];
    return this.update(name, where, changes as Partial<Row<Name>>);
  }

  remove<Name extends TableName>(name: Name, where: Match<Name>): MaybePromise<unknown> {
    return this.queries.fireAndForget(() => this.queries.remove(name, this.addTenant(name, where)));
  }

  /** The row if it is the tenant's, otherwise a copy that is. */
  protected withTenant<R extends object>(row: R & { tenantAlias?: string }): R {
    if (row.tenantAlias === this.alias) return row;
    const own: R & { tenantAlias?: string } = { ...row };
    own.tenantAlias = this.alias;
    return own;
  }
}
