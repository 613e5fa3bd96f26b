import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import type { Ids, Prefix } from '../lib/ids.ts';
import type { Match, Queries, Selection, SpanSum, SpanSums } from '../storage/query/queries.ts';
import { completeRow } from '../storage/query/tableMeta.ts';
import type { NewRow, Row, TenantTable } from '../storage/model/rowTypes.ts';
import { TenantWrites, type Reads } from '../storage/store.ts';
import { WriteBatch } from '../storage/writeBatch.ts';
import { ChangedRecords, differs } from './changedRecords.ts';
import { activities, type Activity } from './traces/traceTypes.ts';
import type { EventAction, ActivityType, TableAction, TracedTable } from './traces/eventTypes.ts';

/** The request for an action whose approval executes a unit of work. */
export interface Approval {
  actionRequestId: string;
  /** Who asked for it; the executor is who approved it. */
  requestedBy: string;
}

/** The executor and the request of a unit of work, which all of its traces share. */
export interface Origin {
  traceId: string;
  executorId: string;
  /** Given if somebody else asked for what the unit does. */
  approval?: Approval;
  /** Whether the client has disconnected, so that nothing waits for the response. */
  isGone?: () => boolean;
  /** Computes when the request arrived, by `performance.now()`: reading the clock takes 0.1 µs, and few rules ask. */
  arrivedMs?: () => number;
}

/** How a change is recorded in its trace. */
type EventOptions<Name extends TracedTable> = {
  /** The id of the resource whose change in this unit caused this one; its trace becomes the parent. */
  causedBy?: string;
  /** Figures of the event that the record does not have. */
  details?: Record<string, unknown>;
} & (
  | {
      /** The action of the event; `created`, `updated` or `deleted` by default. */
      action?: TableAction<Name>;
      as?: undefined;
    }
  // A tenant's clock is a column of the tenant, but its changes have an activity type of their own.
  | { action: EventAction<'ClockEvent'>; as: 'ClockEvent' }
);

type Untraced = Exclude<TenantTable, TracedTable>;
/** A document that was issued never changes: only `rewriteDocument` may, to erase personal data. Evidence is kept beside it. */
type Changeable = Exclude<Untraced, 'documents'>;

/** What a unit of work consists of. The units of a batch share the last three. */
interface UnitParts {
  queries: Queries;
  tenant: Row<'tenants'>;
  /** The tenant's current time, an ISO 8601 instant. */
  now: string;
  ids: Ids;
  origin: Origin;
  rows?: TenantWrites;
  events?: Row<'traces'>[];
  changed?: ChangedRecords;
}

/**
 * One unit of work of a tenant: its `now`, its ids, its reads and writes. A change of a traced table cannot be made
 * without its trace, because the same call writes both.
 */
export class UnitOfWork implements Reads {
  /** The number of webhook deliveries the unit has queued; if there are any, their queue is notified. */
  queued = 0;
  /** The number of mails the unit has queued; if there are any, their queue is notified. */
  queuedMails = 0;
  /** The number of e-invoices the unit has queued; if there are any, their queue is notified. */
  queuedEInvoices = 0;
  /** Whether the unit changed the tenant's own record or its API keys, which are cached together. */
  changesKeys = false;
  /** Whether the unit changed what checks of limits read of the operators' settings, which is cached. */
  changesTerms = false;
  readonly tenant: Row<'tenants'>;
  readonly now: string;
  readonly ids: Ids;
  /** The traces written so far. */
  readonly events: Row<'traces'>[];
  /** The records created and changed so far, from which the figures of revenue follow. */
  readonly changed: ChangedRecords;
  private readonly queries: Queries;
  private readonly origin: Origin;
  private readonly rows: TenantWrites;
  private readonly lastEventByResource = new Map<string, string>();

  constructor({ queries, tenant, now, ids, origin, rows, events, changed }: UnitParts) {
    this.queries = queries;
    this.tenant = tenant;
    this.now = now;
    this.ids = ids;
    this.origin = origin;
    this.rows = rows ?? new TenantWrites(queries, tenant.alias);
    this.events = events ?? [];
    this.changed = changed ?? new ChangedRecords();
  }

  /**
   * Performs the same work for many resources in this transaction. `work` preloads the rows it needs and creates a unit
   * for each resource; their writes are collected and flushed at the end, with one statement per table. `earlier` is
   * the batch of a committed unit: its rows are reused unless anything was written since.
   */
  async batch<T>(
    work: (rows: WriteBatch, unitOfEach: () => UnitOfWork) => Promise<T>,
    earlier?: WriteBatch,
  ): Promise<T> {
    const { queries, tenant, now, ids, origin, events, changed } = this;
    const rows = new WriteBatch(queries, tenant.alias, earlier);
    const units: UnitOfWork[] = [];
    const openUnit = () => {
      const unit = new UnitOfWork({ queries, tenant, now, ids, origin, rows, events, changed });
      units.push(unit);
      return unit;
    };
    const value = await work(rows, openUnit);
    await rows.finish();
    this.changesKeys ||= units.some((unit) => unit.changesKeys);
    this.changesTerms ||= units.some((unit) => unit.changesTerms);
    for (const unit of units) this.queuedEInvoices += unit.queuedEInvoices;
    return value;
  }

  id(prefix: Prefix): string {
    return this.ids.next(prefix);
  }

  /** Returns the one row that matches, or undefined. */
  one<Name extends TenantTable>(name: Name, where: Match<Name>): MaybePromise<Row<Name> | undefined> {
    return this.rows.one(name, where);
  }

  /** Returns the rows that match, in order. */
  many<Name extends TenantTable>(name: Name, selection: Selection<Name>): MaybePromise<Row<Name>[]> {
    return this.rows.many(name, selection);
  }

  /** Sums rows of many spans of time at once, each of the span's own rows. */
  sumSpans<Name extends TenantTable, Own extends keyof Row<Name> & string>(
    name: Name,
    sums: SpanSums<Name, Own>,
  ): MaybePromise<SpanSum[]> {
    return this.rows.sumSpans(name, sums);
  }

  /** Returns the tenant's highest value of a counting column, plus one. */
  next<Name extends TenantTable>(name: Name, column: keyof Row<Name> & string): MaybePromise<number> {
    return this.rows.next(name, column);
  }

  /** Creates a record and its trace; returns the record. */
  create<Name extends TracedTable>(
    name: Name,
    values: NewRow<Name>,
    options: EventOptions<Name> = {},
  ): MaybePromise<Row<Name>> {
    const row = this.complete(name, values);
    const added = this.rows.insert(name, row);
    this.changed.add(name, getId(row), { before: undefined, after: row, createdBy: options.action });
    const recorded = mapMaybe(added, () => this.record(name, row, 'created', {}, options));
    return mapMaybe(recorded, () => row);
  }

  /** Creates a record and its trace unless a row has the same values in `target`; returns the record or undefined. */
  createIfAbsent<Name extends TracedTable>(
    name: Name,
    values: NewRow<Name>,
    target: (keyof Row<Name> & string)[],
    options: EventOptions<Name> = {},
  ): MaybePromise<Row<Name> | undefined> {
    const row = this.complete(name, values);
    return mapMaybe(this.rows.insertIfAbsent(name, row, target), (isNew) => {
      if (!isNew) return undefined;
      return mapMaybe(this.record(name, row, 'created', {}, options), () => row);
    });
  }

  /**
   * Changes a record and writes its trace; does neither if nothing differs. Internal columns, which traces omit, change
   * without a trace. Returns the changed record.
   */
  change<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    changes: Partial<Row<Name>>,
    options: EventOptions<Name> = {},
  ): MaybePromise<Row<Name>> {
    if (!differs(before, changes)) return before;
    const shown = (activities[name] as Activity<Name>).computeChanges(changes, before);
    const isVisible = Object.keys(shown).length > 0;
    this.noteCached(name);
    const columns = Object.keys(changes);
    const after = { ...before, ...changes };
    if (isVisible && 'updatedAt' in after) {
      after.updatedAt = this.now;
      columns.push('updatedAt');
    }
    const changed = this.rows.replace(name, matchRecord(name, before), { before, after, columns });
    this.changed.add(name, getId(before), { before, after });
    const recorded = isVisible
      ? mapMaybe(changed, () => this.record(name, after, 'updated', shown, options))
      : changed;
    return mapMaybe(recorded, () => after);
  }

  /**
   * Writes the trace of a removal, removes the rows that refer to the record (`dependants`), then the record itself. In
   * this order the trace of the cause precedes those of its effects, and no foreign key is violated. Returns the
   * removed record.
   */
  async remove<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    options: EventOptions<Name> = {},
    dependants?: () => Promise<unknown>,
  ): Promise<Row<Name>> {
    await this.record(name, before, 'deleted', {}, options);
    await dependants?.();
    await this.rows.remove(name, matchRecord(name, before));
    return before;
  }

  /**
   * Changes a record without a trace of the difference; only for the erasure of personal data. The caller rewrites the
   * existing traces of the record; `action` adds a trace that shows its new state.
   */
  async rewrite<Name extends TracedTable>(
    name: Name,
    before: Row<Name>,
    changes: Partial<Row<Name>>,
    action?: TableAction<Name>,
  ): Promise<Row<Name>> {
    const after = { ...before, ...changes };
    await this.rows.update(name, matchRecord(name, before), changes);
    if (action) await this.record(name, after, action, {}, {});
    return after;
  }

  /**
   * Writes a trace of an event that did not change the record; returns the event's id. `details` are figures of the event
   * that the record does not have. `causedBy` is as for a change.
   */
  async recordEvent<Name extends TracedTable>(
    name: Name,
    row: Row<Name>,
    action: TableAction<Name>,
    details?: Record<string, unknown>,
    causedBy?: string,
  ): Promise<string> {
    await this.record(name, row, action, {}, { details, causedBy });
    return this.events.at(-1)!.eventId;
  }

  /** Creates a record of a table without traces, such as an invoice line. */
  insertUntraced<Name extends Untraced>(name: Name, values: NewRow<Name>): MaybePromise<Row<Name>> {
    const row = this.complete(name, values);
    return mapMaybe(this.rows.insert(name, row), () => row);
  }

  /** Changes records of a table without traces. */
  async updateUntraced<Name extends Changeable>(
    name: Name,
    where: Match<Name>,
    changes: Partial<Row<Name>>,
  ): Promise<void> {
    await this.rows.update(name, where, changes);
  }

  /** Removes records of a table without traces. */
  async removeUntraced<Name extends Changeable>(name: Name, where: Match<Name>): Promise<void> {
    await this.rows.remove(name, where);
  }

  /** Removes records of any table with nothing to show for it; only for the reset of a test tenant. */
  async clear<Name extends Exclude<TenantTable, 'tenants'>>(name: Name, where: Match<Name>): Promise<void> {
    await this.rows.remove(name, where);
  }

  /** Waits until no recording of usage is under way, and keeps others away until the unit ends. */
  lockUsage(): MaybePromise<unknown> {
    return this.rows.lockUsage();
  }

  /** The writes of the tenant's usage, which has no traces; the unit has to lock it. */
  get usage(): TenantWrites {
    return this.rows;
  }

  /** Changes a document; only for the erasure of its customer, and at the end of its retention. */
  async rewriteDocument(id: string, changes: Partial<Row<'documents'>>): Promise<void> {
    await this.rows.update('documents', { id }, changes);
  }

  /** Keeps what shows where the customer is beside a document that is not paid; the document itself does not change. */
  async addEvidence(id: string, evidence: Row<'documents'>['evidence']): Promise<void> {
    await this.rows.update('documents', { id }, { evidence });
  }

  /** Changes the saved views of an operator, which concern nobody else and leave no trace. */
  async changeViews(id: string, views: Row<'operatorMemberships'>['views']): Promise<void> {
    await this.rows.update('operatorMemberships', { id }, { views });
  }

  /** Adds amounts to a row of sums, or inserts it. */
  accumulate<Name extends Changeable>(
    name: Name,
    values: NewRow<Name>,
    sums: readonly (keyof Row<Name> & string)[],
  ): MaybePromise<unknown> {
    const row = this.complete(name, values);
    return this.rows.accumulate(name, row, sums);
  }

  private complete<Name extends TenantTable>(name: Name, values: NewRow<Name>): Row<Name> {
    return completeRow(name, values, this.tenant.alias);
  }

  private record<Name extends TracedTable>(
    name: Name,
    row: Row<Name>,
    defaultAction: string,
    changes: Record<string, unknown>,
    {
      action,
      causedBy,
      as,
      details,
    }: { action?: string; causedBy?: string; as?: ActivityType; details?: Record<string, unknown> },
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
      payload: {
        action: action ?? defaultAction,
        resourceId,
        object: show(row),
        changes,
        ...(details && { details }),
        ...(this.origin.approval && { approval: this.origin.approval }),
      },
      createdAt: this.now,
      resourceId,
      customerId:
        name === 'customers' ? resourceId : ((row as { customerId?: string | null }).customerId ?? null),
    };
    const written = this.rows.insert('traces', trace);
    this.events.push(trace);
    this.noteCached(name);
    return written;
  }

  private noteCached(name: TracedTable): void {
    if (name === 'tenants' || name === 'apiKeys') this.changesKeys = true;
    if (name === 'tenants' || termTables.has(name)) this.changesTerms = true;
  }
}

const termTables: ReadonlySet<TracedTable> = new Set([
  'features',
  'productEntitlements',
  'meters',
  'creditTypes',
]);

const getId = (row: object) => ('id' in row ? (row.id as string) : (row as Row<'tenants'>).alias);

const matchRecord = <Name extends TracedTable>(name: Name, row: Row<Name>) =>
  (name === 'tenants' ? {} : { id: getId(row) }) as Match<Name>;
