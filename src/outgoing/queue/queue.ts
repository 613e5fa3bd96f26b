/** Sends what is due: claims it within the shares of tenants and lanes, makes the attempts, and ends in time. */
import type { Logger } from 'pino';
import { completesWithin } from '../../lib/deadline.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { TenantReads } from '../../storage/store.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { TenantParts, Working } from '../../tenancy/service.ts';
import { findTenant, type TenantRow } from '../../tenancy/tenants.ts';
import { computeLaneShare, computeTenantRoom } from './shares.ts';
import { WorkSignal } from './workSignal.ts';

/** How long attempts under way may take to end when the service stops. */
const graceMs = 3000;
/** How long something waits whose outcome could not be recorded. */
const repeatMs = 1000;
/** How long `sendDue` waits for what another process has claimed. */
const waitMs = 100;

interface QueuedRow {
  id: string;
  tenantAlias: string;
}

/** A part of a tenant's deliveries with a share of its own, for example those to one endpoint. */
interface Lane {
  id: string;
}

/** The signals of an attempt. */
export interface AttemptSignals {
  /** Aborts the attempt. */
  stop: AbortSignal;
  /** Logs an internal error. */
  report: (error: unknown) => void;
}

/** Selects what is due, the earliest first. */
interface DueSelection {
  where: { dueAt: { to: string } };
  orderBy: ['dueAt', 'id'];
  limit: number;
}

/** What differs between the deliveries that are queued. */
export interface DeliveryType<Row extends QueuedRow, L extends Lane> {
  /** How many attempts may be under way. */
  mostAtOnce: number;
  mostPerLane: number;
  /** Whether the tenant has something to send, and a way to send it. */
  isServed(tenant: TenantRow): boolean;
  /** Lists the tenants that may have something due. */
  listTenants(service: TenantParts): Promise<TenantRow[]>;
  listLanes(reads: TenantReads): MaybePromise<L[]>;
  /** Claims due rows of a lane, except those whose ids are in `underWay`. */
  claim(tenant: TenantScope, lane: L, due: DueSelection, underWay: ReadonlySet<string>): Promise<Row[]>;
  /** Returns a row that is due, even if another process has claimed it. */
  findDue(reads: TenantReads, lanes: L[], due: DueSelection['where']): Promise<Row | undefined>;
  /**
   * Makes one attempt and records its outcome, unless it was aborted. Error: `unavailable`; then nothing is recorded and
   * the row is still due.
   */
  attempt(service: TenantParts, lane: L, row: Row, signals: AttemptSignals): Promise<void>;
  log: {
    /** The field with the id of the row. */
    idField: string;
    attemptFailed: string;
    roundFailed: string;
    stoppedEarly: string;
  };
}

/** An attempt under way. */
interface ActiveAttempt {
  alias: string;
  laneId: string;
  /** Resolves with whether the outcome could be recorded. */
  done: Promise<boolean>;
}

/**
 * The queue of one type of delivery. Each tenant has a share of the concurrent attempts, and each of its lanes a part of
 * that, so that slow receivers delay neither other lanes nor other tenants. Each outcome is recorded in its own unit of
 * work. If the process dies, another one claims its rows.
 */
export class DeliveryQueue<Row extends QueuedRow, L extends Lane> {
  /** By id of the row. All other rows are in the database. */
  private readonly active = new Map<string, ActiveAttempt>();
  private readonly signal = new WorkSignal();
  /** Tenants that may have more due rows than their share allowed. */
  private readonly heldBack = new Set<string>();
  /** Resolves when the last claim ends. */
  private lastClaim: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private log?: Logger;

  constructor(private readonly type: DeliveryType<Row, L>) {}

  /** Signals that rows of a tenant have been queued. */
  readonly notify = (alias: string): void => this.signal.notify(alias);

  /**
   * Sends what is due at the tenant's current time, and what becomes due as a result; resolves when done, at the latest
   * after `limitMs`; attempts under way then go on. Error: `unavailable` if an outcome cannot be recorded.
   */
  async sendDue(service: TenantParts, alias: string, limitMs = Number.POSITIVE_INFINITY): Promise<void> {
    const endMs = performance.now() + limitMs;
    for (;;) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return;
      const record = await findTenant(service, alias);
      if (!record || !this.type.isServed(record)) return;
      await this.claim(service, record);
      const own = this.listActive(alias);
      if (own.length > 0) {
        if (!(await awaitFirst(own, leftMs))) throw new BillingError('unavailable', [], 1);
      } else if (!(await this.hasDue(service, record))) return;
      // Another process has claimed it.
      else await pause(waitMs);
    }
  }

  /** Starts to send rows as they become due. */
  start(service: TenantParts, log: Logger): Working {
    this.log = log;
    const polling = this.signal.start(async (aliases) => {
      try {
        const records = aliases
          ? await listTenantRows(service, aliases)
          : await this.type.listTenants(service);
        for (const record of records) await this.claim(service, record);
      } catch (error) {
        log.error({ err: error }, this.type.log.roundFailed);
      }
    });
    return {
      stop: async (limitMs) => {
        const isInTime = await completesWithin(this.endAttempts(polling.stop()), limitMs);
        this.stopping.abort();
        if (!isInTime) log.warn(this.type.log.stoppedEarly);
      },
    };
  }

  /** Claims due rows of a tenant within its share. Claims run one after another, so that none is made twice. */
  private claim(service: TenantParts, record: TenantRow): Promise<void> {
    const claim = this.lastClaim.then(() => this.claimByLane(service, record));
    this.lastClaim = claim.catch(() => {});
    return claim;
  }

  private async claimByLane(service: TenantParts, record: TenantRow): Promise<void> {
    const { type, active, heldBack, stopping } = this;
    const { alias } = record;
    if (!type.isServed(record) || stopping.signal.aborted) return;
    const tenant = openScheduledTenant(service, record);
    const lanes = await type.listLanes(new TenantReads(service.store.fresh, alias));
    const byLane = new Map(lanes.map(({ id }) => [id, new Set<string>()]));
    for (const [id, attempt] of active) if (attempt.alias === alias) byLane.get(attempt.laneId)?.add(id);
    const countActive = ({ id }: L) => byLane.get(id)!.size;
    // Lanes with the fewest attempts under way come first, otherwise the same few would take every free slot.
    for (const lane of lanes.toSorted((a, b) => countActive(a) - countActive(b))) {
      const own = this.listActive(alias).length;
      const room = computeTenantRoom(active.size, own, type.mostAtOnce);
      const share = computeLaneShare(own, room, lanes.length, type.mostPerLane);
      const limit = Math.min(share - countActive(lane), room);
      // A lane at its own maximum continues when its own attempts end.
      const isHeld = countActive(lane) + Math.max(0, limit) < type.mostPerLane;
      if (limit <= 0 && isHeld) heldBack.add(alias);
      if (limit <= 0) continue;
      const due = await type.claim(tenant, lane, selectDue(tenant.now(), limit), byLane.get(lane.id)!);
      for (const row of due) this.startAttempt(service, lane, row);
      if (due.length === limit && isHeld) heldBack.add(alias);
    }
  }

  private startAttempt(service: TenantParts, lane: L, row: Row): void {
    const { id, tenantAlias: alias } = row;
    const { idField, attemptFailed } = this.type.log;
    const report = (error: unknown) =>
      this.log?.error({ err: error, tenant: alias, [idField]: id }, attemptFailed);
    const attempt = this.type.attempt(service, lane, row, { stop: this.stopping.signal, report });
    const done = confirmRecorded(attempt, report).finally(() => {
      this.active.delete(id);
      this.notifyHeldBack(alias);
    });
    this.active.set(id, { alias, laneId: lane.id, done });
  }

  /** Signals the tenant whose attempt ended, and those that wait for the slot it had. */
  private notifyHeldBack(alias: string): void {
    for (const held of this.heldBack) this.notify(held);
    this.heldBack.clear();
    this.notify(alias);
  }

  private listActive(alias: string): ActiveAttempt[] {
    return [...this.active.values()].filter((attempt) => attempt.alias === alias);
  }

  private async hasDue(service: TenantParts, record: TenantRow): Promise<boolean> {
    const reads = new TenantReads(service.store.fresh, record.alias);
    const lanes = await this.type.listLanes(reads);
    const { where } = selectDue(openScheduledTenant(service, record).now(), 1);
    return (await this.type.findDue(reads, lanes, where)) !== undefined;
  }

  /** Waits for the last claim, lets the attempts under way end within a grace period, then aborts them. */
  private async endAttempts(working: Promise<void>): Promise<void> {
    await working;
    const ended = Promise.all([...this.active.values()].map(({ done }) => done));
    await Promise.race([ended, pause(graceMs)]);
    this.stopping.abort();
    await ended;
  }
}

const selectDue = (now: string, limit: number): DueSelection => ({
  where: { dueAt: { to: now } },
  orderBy: ['dueAt', 'id'],
  limit,
});

/** Resolves with `value`, or after an internal error, which is reported, with `otherwise`. Error: `unavailable`. */
export const reportInternalError = <T>(
  value: Promise<T>,
  report: AttemptSignals['report'],
  otherwise: T,
): Promise<T> =>
  value.catch((error: unknown) => {
    if (error instanceof BillingError && isTransient(error.reason)) throw error;
    report(error);
    return otherwise;
  });

/** Resolves with whether the outcome of an attempt could be recorded. */
const confirmRecorded = (attempt: Promise<void>, report: AttemptSignals['report']): Promise<boolean> =>
  attempt.then(
    () => true,
    async (error: unknown) => {
      report(error);
      // Nothing was recorded, so the row is still due; wait before it is claimed again.
      await pause(repeatMs);
      return false;
    },
  );

/** Resolves when one of the attempts ends, with whether its outcome could be recorded, or after `limitMs`. */
function awaitFirst(attempts: ActiveAttempt[], limitMs: number): Promise<boolean> {
  const ended = Promise.race(attempts.map(({ done }) => done));
  return Number.isFinite(limitMs) ? Promise.race([ended, pause(limitMs).then(() => true)]) : ended;
}

/** Resolves after a time that does not keep the process alive. */
const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** Returns the tenants with these aliases that exist. */
async function listTenantRows(service: TenantParts, aliases: string[]): Promise<TenantRow[]> {
  const found = await Promise.all(aliases.map((alias) => findTenant(service, alias)));
  return found.filter((record) => record !== undefined);
}
