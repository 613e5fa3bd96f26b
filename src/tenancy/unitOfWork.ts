import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Ids, Prefix } from '../lib/ids.ts';
import type { Match, Queries, Selection } from '../storage/query/queries.ts';
import { copyRow } from '../storage/query/tableMeta.ts';
import type { Row, TableName } from '../storage/model/rowTypes.ts';
import { TenantWrites, type Reads } from '../storage/store.ts';
import { GatheredWrites } from '../storage/writeBatch.ts';
import { activities, type Activity } from '../traces/traceTypes.ts';
import type { ActionOf, ActivityType, TableAction, TracedTable } from '../traces/eventTypes.ts';

/** Who does something, and in which request: what the traces of a unit of work have in common. */
export interface Origin {
  traceId: string;
  executorId: string;
  /** Whether the client has left, and nobody waits for the answer. */
  isGone?: () => boolean;
}

/** How a change is recorded in its trace. */
type EventOptions<Name extends TracedTable> = {
  /** The id of the resource whose change in this unit caused this one. */
  because?: string;
} & (
  | {
      /** What was done; `created`, `updated` or `deleted` unless a better word is given. */
      action?: TableAction<Name>;
      as?: undefined;
    }
  // The clock of a tenant is a column of the tenant, and an activity of its own.
  | { action: ActionOf<'ClockEvent'>; as: 'ClockEvent' }
);

/** Parts of a record that no rule has to write down. */
type Stamped = 'tenantAlias';
type Untraced = Exclude<TableName, TracedTable>;

/**
 * One unit of work of a tenant: its one `now`, its ids, and its reads and writes. A change of a traced table
 * cannot be made without its trace, because the same call writes both.
 */
export class UnitOfWork implements Reads {
  /** How many deliveries it has queued: whoever makes them is woken. */
  queued = 0;
  /** Whether the tenant's own record was changed. */
  changesTenant = false;
  private readonly lastEventOf = new Map<string, string>();

  constructor(
    private readonly queries: Queries,
    readonly tenant: Row<'tenants'>,
    readonly now: string,
    private readonly ids: Ids,
    private readonly origin: Origin,
    private readonly rows = new TenantWrites(queries, tenant.alias),
    /** The traces that have been written so far. */
    readonly told: Row<'traces'>[] = [],
  ) {}

  /**
   * Does the same for many resources in this one transaction. `work` is given their rows, to be read ahead, and makes
   * a unit for each, whose traces tell of that one alone; what all of them write is written together at the end.
   * `earlier` are the rows of a unit that has been committed, which need not be read again where nobody wrote since.
   */
  async batch<T>(
    work: (rows: GatheredWrites, unitOfEach: () => UnitOfWork) => Promise<T>,
    earlier?: GatheredWrites,
  ): Promise<T> {
    const { queries, tenant, now, ids, origin, told } = this;
    const rows = new GatheredWrites(queries, tenant.alias, earlier);
    const value = await work(rows, () => new UnitOfWork(queries, tenant, now, ids, origin, rows, told));
    await rows.finish();
    return value;
  }

  id(prefix: Prefix): string {
    return this.ids.next(prefix);
  }

  /** The one row that matches, or undefined. */
  one<Name extends TableName>(name: Name, where: Match<Name>): MaybePromise<Row<Name> | undefined> {
    return this.rows.one(name, where);
  }

  /** Rows that match, in order. */
  many<Name extends TableName>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    return this.rows.many(name, selection);
  }

  /** The number after the highest of the tenant in a column that counts. */
  next<Name extends TableName>(name: Name, column: keyof Row<Name> & string): MaybePromise<number> {
    return this.rows.next(name, column);
  }

  /** Adds a record and its trace; answers the record. */
  create<Name extends TracedTable>(
    name: Name,
    values: Omit<Row<Name>, Stamped>,
    telling: EventOptions<Name> = {},
  ): MaybePromise<Row<Name>> {
    const row = this.stamp(name, values);
    const added = this.rows.insert(name, row);
    const told = mapMaybe(added, () => this.record(name, row, 'created', {}, telling));
    return mapMaybe(told, () => row);
  }

  /** Adds a record and its trace unless one with the same `target` is there; answers the record or undefined. */
  createUnlessPresent<Name extends TracedTable>(
    name: Name,
    values: Omit<Row<Name>, Stamped>,
    target: (keyof Row<Name> & string)[],
    telling: EventOptions<Name> & { partial?: string } = {},
  ): MaybePromise<Row<Name> | undefined> {
    const row = this.stamp(name, values);
    return mapMaybe(this.rows.insertIfAbsent(name, row, target, telling.partial), (isNew) => {
      if (!isNew) return undefined;
      return mapMaybe(this.record(name, row, 'created', {}, telling), () => row);
    });
  }

  /**
   * Changes a record and writes its trace; where nothing differs it does neither. Columns that an activity does not
   * show are the books' own, and leave no trace. Answers the record as it is now.
   */
  change<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    changes: Partial<Row<Name>>,
    telling: EventOptions<Name> = {},
  ): MaybePromise<Row<Name>> {
    if (!differs(before, changes)) return before;
    const shown = (activities[name] as Activity<Name>).changesBy(changes, before);
    const isTold = Object.keys(shown).length > 0;
    const columns = Object.keys(changes);
    const after = Object.assign(copyRow(name, before), changes);
    if (isTold && 'updatedAt' in after) {
      after.updatedAt = this.now;
      columns.push('updatedAt');
    }
    const changed = this.rows.replace(name, identity(name, before), { before, after, columns });
    const told = isTold
      ? mapMaybe(changed, () => this.record(name, after, 'updated', shown, telling))
      : changed;
    return mapMaybe(told, () => after);
  }

  /**
   * Writes the trace of a removal, removes what refers to the record (`dependants`), then the record itself: so
   * the cause is told before its effects, and no foreign key is left dangling. Answers the record that was.
   */
  async remove<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    telling: EventOptions<Name> = {},
    dependants?: () => Promise<unknown>,
  ): Promise<Row<Name>> {
    await this.record(name, before, 'deleted', {}, telling);
    await dependants?.();
    await this.rows.remove(name, identity(name, before));
    return before;
  }

  /**
   * Changes a record without telling what it was or became before: for what must be forgotten, and for that alone. The
   * traces that show the record are rewritten by the caller; `action` adds one that shows it as it is now.
   */
  async rewrite<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    changes: Partial<Row<Name>>,
    action?: TableAction<Name>,
  ): Promise<Row<Name>> {
    const after = Object.assign(copyRow(name, before), changes);
    await this.rows.update(name, identity(name, before), changes);
    if (action) await this.record(name, after, action, {}, {});
    return after;
  }

  /** Tells of something that befell a record without changing it; answers the id of the event. */
  async tell<Name extends TracedTable>(
    name: Name,
    row: Row<Name>,
    action: TableAction<Name>,
  ): Promise<string> {
    await this.record(name, row, action, {}, {});
    return this.told.at(-1)!.eventId;
  }

  /** Adds a record that is part of a traced one, such as an invoice's line. */
  insertUntraced<Name extends Untraced>(
    name: Name,
    values: Omit<Row<Name>, Stamped>,
  ): MaybePromise<Row<Name>> {
    const row = { tenantAlias: this.tenant.alias, ...values } as Row<Name>;
    return mapMaybe(this.rows.insert(name, row), () => row);
  }

  /** Changes records that are parts of a traced one. */
  async changeParts<Name extends Untraced>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): Promise<void> {
    await this.rows.update(name, where, changes);
  }

  /** Removes records that are parts of a traced one. */
  async removeParts<Name extends Untraced>(name: Name, where: Match<Name>): Promise<void> {
    await this.rows.remove(name, where);
  }

  private stamp<Name extends TracedTable>(name: Name, values: Omit<Row<Name>, Stamped>): Row<Name> {
    return (name === 'tenants' ? values : { tenantAlias: this.tenant.alias, ...values }) as Row<Name>;
  }

  private record<Name extends TracedTable>(
    name: Name,
    row: Row<Name>,
    done: string,
    changes: Record<string, unknown>,
    { action, because, as }: { action?: string; because?: string; as?: ActivityType },
  ): MaybePromise<unknown> {
    const { type, show } = activities[name] as Activity<Name>;
    const resourceId = getId(row);
    const eventId = this.ids.next('evt');
    const parentId = (because && this.lastEventOf.get(because)) || null;
    this.lastEventOf.set(resourceId, eventId);
    const trace: Row<'traces'> = {
      tenantAlias: this.tenant.alias,
      eventId,
      traceId: this.origin.traceId,
      parentId,
      isRoot: parentId === null,
      executorId: this.origin.executorId,
      activityType: as ?? type,
      payload: { action: action ?? done, resourceId, object: show(row), changes },
      createdAt: this.now,
      resourceId,
    };
    const written = this.rows.insert('traces', trace);
    this.told.push(trace);
    if (name === 'tenants') this.changesTenant = true;
    return written;
  }
}

function differs<R extends object>(before: R, changes: Partial<R>): boolean {
  for (const key in changes) {
    const [was, is] = [before[key], changes[key]];
    if (was !== is && !isDeepStrictEqual(was, is)) return true;
  }
  return false;
}

const getId = (row: object) => ('id' in row ? (row.id as string) : (row as Row<'tenants'>).alias);

const identity = <Name extends TracedTable>(name: Name, row: Row<Name>) =>
  (name === 'tenants' ? {} : { id: getId(row) }) as Match<Name>;
