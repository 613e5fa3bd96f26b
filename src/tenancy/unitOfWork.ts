import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Ids, Prefix } from '../lib/ids.ts';
import type { Match, Queries, Selection } from '../storage/query/queries.ts';
import type { Row, TableName } from '../storage/model/rowTypes.ts';
import { TenantWrites, type Reads } from '../storage/store.ts';
import { WriteBatch } from '../storage/writeBatch.ts';
import { activities, type Activity } from '../traces/traceTypes.ts';
import type { EventAction, ActivityType, TableAction, TracedTable } from '../traces/eventTypes.ts';

/** Who does something, and in which request: the part that all traces of a unit of work share. */
export interface Origin {
  traceId: string;
  executorId: string;
  /** Whether the client has left, and nobody waits for the answer. */
  isGone?: () => boolean;
}

/** How a change is recorded in its trace. */
type EventOptions<Name extends TracedTable> = {
  /** The id of the resource whose change in this unit caused this one: the parent of the trace. */
  causedBy?: string;
} & (
  | {
      /** What was done; `created`, `updated` or `deleted` unless a better word is given. */
      action?: TableAction<Name>;
      as?: undefined;
    }
  // The clock of a tenant is a column of the tenant, and an activity of its own.
  | { action: EventAction<'ClockEvent'>; as: 'ClockEvent' }
);

/** Parts of a record that no rule has to write down. */
type Stamped = 'tenantAlias';
type Untraced = Exclude<TableName, TracedTable>;

/**
 * One unit of work of a tenant: its one `now`, its ids, and its reads and writes. A change of a traced table
 * cannot be made without its trace, because the same call writes both.
 */
export class UnitOfWork implements Reads {
  /** How many webhook deliveries the unit has queued; more than none wakes the dispatcher. */
  queued = 0;
  /** Whether the tenant's own record was changed. */
  changesTenant = false;
  private readonly lastEventByResource = new Map<string, string>();

  constructor(
    private readonly queries: Queries,
    readonly tenant: Row<'tenants'>,
    readonly now: string,
    private readonly ids: Ids,
    private readonly origin: Origin,
    private readonly rows = new TenantWrites(queries, tenant.alias),
    /** The traces written so far. */
    readonly events: Row<'traces'>[] = [],
  ) {}

  /**
   * Does the same for many resources in this one transaction. `work` preloads the rows it needs and makes a unit for
   * each resource; their writes are gathered and flushed at the end, one statement per table. `earlier` is the batch
   * of a committed unit: its rows are reused unless something has been written since.
   */
  async batch<T>(
    work: (rows: WriteBatch, unitOfEach: () => UnitOfWork) => Promise<T>,
    earlier?: WriteBatch,
  ): Promise<T> {
    const { queries, tenant, now, ids, origin, events } = this;
    const rows = new WriteBatch(queries, tenant.alias, earlier);
    const value = await work(rows, () => new UnitOfWork(queries, tenant, now, ids, origin, rows, events));
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

  /** Adds a record and its trace; returns the record. */
  create<Name extends TracedTable>(
    name: Name,
    values: Omit<Row<Name>, Stamped>,
    options: EventOptions<Name> = {},
  ): MaybePromise<Row<Name>> {
    const row = this.stamp(name, values);
    const added = this.rows.insert(name, row);
    const recorded = mapMaybe(added, () => this.record(name, row, 'created', {}, options));
    return mapMaybe(recorded, () => row);
  }

  /** Adds a record and its trace unless a row has the same values in `target`; returns the record or undefined. */
  createIfAbsent<Name extends TracedTable>(
    name: Name,
    values: Omit<Row<Name>, Stamped>,
    target: (keyof Row<Name> & string)[],
    options: EventOptions<Name> & { partial?: string } = {},
  ): MaybePromise<Row<Name> | undefined> {
    const row = this.stamp(name, values);
    return mapMaybe(this.rows.insertIfAbsent(name, row, target, options.partial), (isNew) => {
      if (!isNew) return undefined;
      return mapMaybe(this.record(name, row, 'created', {}, options), () => row);
    });
  }

  /**
   * Changes a record and writes its trace; without a difference it does neither. Internal columns, which no trace
   * shows, change without a trace. Returns the changed record.
   */
  change<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    changes: Partial<Row<Name>>,
    options: EventOptions<Name> = {},
  ): MaybePromise<Row<Name>> {
    if (!differs(before, changes)) return before;
    const shown = (activities[name] as Activity<Name>).changesBy(changes, before);
    const isVisible = Object.keys(shown).length > 0;
    const columns = Object.keys(changes);
    const after = { ...before, ...changes };
    if (isVisible && 'updatedAt' in after) {
      after.updatedAt = this.now;
      columns.push('updatedAt');
    }
    const changed = this.rows.replace(name, identity(name, before), { before, after, columns });
    const recorded = isVisible
      ? mapMaybe(changed, () => this.record(name, after, 'updated', shown, options))
      : changed;
    return mapMaybe(recorded, () => after);
  }

  /**
   * Writes the trace of a removal, removes the rows that refer to the record (`dependants`), then the record itself:
   * the trace of the cause precedes those of its effects, and no foreign key is violated. Returns the removed record.
   */
  async remove<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    options: EventOptions<Name> = {},
    dependants?: () => Promise<unknown>,
  ): Promise<Row<Name>> {
    await this.record(name, before, 'deleted', {}, options);
    await dependants?.();
    await this.rows.remove(name, identity(name, before));
    return before;
  }

  /**
   * Changes a record without a trace of the difference, only for the erasure of personal data. The caller rewrites the
   * existing traces of the record; `action` adds one that shows its present state.
   */
  async rewrite<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    changes: Partial<Row<Name>>,
    action?: TableAction<Name>,
  ): Promise<Row<Name>> {
    const after = { ...before, ...changes };
    await this.rows.update(name, identity(name, before), changes);
    if (action) await this.record(name, after, action, {}, {});
    return after;
  }

  /** Writes a trace of something that happened to a record without changing it; returns the event's id. */
  async recordEvent<Name extends TracedTable>(
    name: Name,
    row: Row<Name>,
    action: TableAction<Name>,
  ): Promise<string> {
    await this.record(name, row, action, {}, {});
    return this.events.at(-1)!.eventId;
  }

  /** Adds a record of a table without traces of its own, such as an invoice's line. */
  insertUntraced<Name extends Untraced>(
    name: Name,
    values: Omit<Row<Name>, Stamped>,
  ): MaybePromise<Row<Name>> {
    const row = { tenantAlias: this.tenant.alias, ...values } as Row<Name>;
    return mapMaybe(this.rows.insert(name, row), () => row);
  }

  /** Changes records of a table without traces of its own. */
  async updateUntraced<Name extends Untraced>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): Promise<void> {
    await this.rows.update(name, where, changes);
  }

  /** Removes records of a table without traces of its own. */
  async removeUntraced<Name extends Untraced>(name: Name, where: Match<Name>): Promise<void> {
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
    { action, causedBy, as }: { action?: string; causedBy?: string; as?: ActivityType },
  ): MaybePromise<unknown> {
    const { type, show } = activities[name] as Activity<Name>;
    const resourceId = getId(row);
    const eventId = this.ids.next('evt');
    const parentId = (causedBy && this.lastEventByResource.get(causedBy)) || null;
    this.lastEventByResource.set(resourceId, eventId);
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
    this.events.push(trace);
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
