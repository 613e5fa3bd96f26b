import type { MaybePromise } from '../lib/maybePromise.ts';
import { refuse } from '../lib/errors.ts';
import { toInstant } from '../lib/time.ts';
import type { Scan, ScanOf } from '../storage/scan.ts';
import type { Row, TableName } from '../storage/model/rowTypes.ts';
import { ownedBy, TenantReads, listDueTenants, type Claimable, type Work } from '../storage/store.ts';
import type { Providers } from '../providers/registry.ts';
import { ReadBudget } from '../lib/readBudget.ts';
import type { Principal, Scope } from './apiKeyCache.ts';
import {
  Performance,
  performOnce,
  refuseOther,
  type NamedRequest,
  type StepKind,
  type StepResult,
} from './idempotency.ts';
import { currentInstant, transact, type Courier, type Service } from './tenants.ts';
import type { Origin, UnitOfWork } from './unitOfWork.ts';

const wholeAnswer = '';
/** A million rows take about a second; a tenant's scans wait for each other. */
const scanLimitMs = 10_000;

/** The API key of a request, and in whose name it acts. */
export interface Caller {
  keyId: string;
  scope: Scope;
  executorId: string;
}

/**
 * What a rule is handed: one tenant, and nothing of any other. Reads carry the tenant in every predicate,
 * writes go through the one gate. Once it has written it reads what is newest, where a replica may lag.
 */
export class TenantScope {
  /** How often it has written: what was read before may be otherwise now. */
  writes = 0;
  /** Whether a repeat of its request will find what it has done. */
  hasRecorded = false;

  private performance: Performance | undefined;
  private hasRevealed = false;

  constructor(
    private readonly service: Service,
    readonly record: Row<'tenants'>,
    private readonly origin: Origin,
    /** Whether its key may write; a key that may only read neither finds nor keeps the records of named requests. */
    readonly mayWrite: boolean,
    /** The request, where its client has named it. */
    private readonly request?: NamedRequest,
    /** Undefined where the service itself acts. */
    readonly caller?: Caller,
    /** How much of large values it may read for the request. */
    private readonly budget?: ReadBudget,
  ) {}

  get alias(): string {
    return this.record.alias;
  }

  get payments(): Providers {
    return this.service.payments;
  }

  get courier(): Courier {
    return this.service.courier;
  }

  /** Delivers the webhooks that are due at the tenant's now. */
  deliverDue(): Promise<void> {
    return this.service.courier.deliverDue(this.service, this.alias);
  }

  /** Opens what was sealed for this tenant, to be shown: an answer that holds it is never kept in clear. */
  reveal(sealed: string): string {
    this.hasRevealed = true;
    return this.courier.vault.open(sealed, this.alias);
  }

  get read(): TenantReads {
    const { fresh, committed } = this.service.store;
    return new TenantReads(this.writes > 0 ? fresh : committed, this.alias, this.budget);
  }

  /** Reads what has been committed by now, also where a replica may lag. */
  get readNewest(): TenantReads {
    // Long searches read by this: they give way to others, and hand nothing of what they read to the client.
    const budget = this.budget && new ReadBudget(Number.POSITIVE_INFINITY);
    return new TenantReads(this.service.store.fresh, this.alias, budget);
  }

  /** Whether the client has left, and nobody waits for the answer. */
  get isAbandoned(): boolean {
    return this.origin.isGone?.() ?? false;
  }

  /** Does work that reads more than an index bounds, in at most `limitMs`. Error: `query_timeout`. */
  scan<T>(work: (scan: Scan) => Promise<T>, limitMs = scanLimitMs): Promise<T> {
    const { alias: tenantAlias } = this;
    const { isGone } = this.origin;
    return this.service.store.beside.run({ tenantAlias, limitMs, isGone }, ({ check, slices }) =>
      work({
        check,
        slices: (name, scan) => slices(name, { ...scan, where: ownedBy(name, tenantAlias, scan.where) }),
      }),
    );
  }

  /** Rows that match, in the order of an index, chosen by `filter` among those that it has. Error: `query_timeout`. */
  search<Name extends TableName>(name: Name, scan: ScanOf<Name>): Promise<Row<Name>[]> {
    return this.scan(async ({ slices }) => {
      const found: Row<Name>[] = [];
      for await (const rows of slices(name, { ...scan, measureLargeJson: true })) found.push(...rows);
      return this.read.complete(name, found);
    });
  }

  /** Resolves when something of the tenant may have been recorded, within a second or so, or when told to stop. */
  news(stop: AbortSignal): Promise<void> {
    return this.service.feed.next(this.alias, stop);
  }

  /** The tenant's now, an ISO 8601 instant. */
  now(): string {
    return currentInstant(this.service, this.record);
  }

  /** The service's own now, an ISO 8601 instant, also where the tenant owns its time. */
  serviceNow(): string {
    return toInstant(this.service.clock.nowMs());
  }

  /** Resolves when what was replaced or removed by now is in no file of the database any more, as far as that can be. */
  purgeRemains(): Promise<void> {
    return this.service.store.purgeRemains();
  }

  /** Runs one rule as a unit of work; resolves when it is durable. Refuses a key that may only read. */
  write<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.transact(rule, 'last').then(({ value }) => value);
  }

  /**
   * The same for a mutation that has more to do after this unit. A repeat of an interrupted request runs the rule again,
   * so it must find by itself what has been done.
   */
  writeStep<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.transact(rule, 'more').then(({ value }) => value);
  }

  /**
   * The same for a rule that must not run again: a repeat of an interrupted request is handed the value that it returned,
   * and goes on from there. The checkpoints of a mutation come in the same order whenever it is performed.
   */
  checkpoint<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<StepResult<T>> {
    return this.transact(rule, 'checkpoint');
  }

  /** Performs a mutation once for a request that its client has named; `field` is its name in the answer. */
  once<T>(field: string, work: () => MaybePromise<T>): MaybePromise<T> {
    return this.request ? this.performNamed(this.request, field, work) : work();
  }

  private async performNamed<T>(
    request: NamedRequest,
    field: string,
    work: () => MaybePromise<T>,
  ): Promise<T> {
    const { service, alias, origin } = this;
    const performance = new Performance(request, field, service.ids.traceId(), () => service.clock.nowMs());
    this.performance = performance;
    const write = (rule: (unit: UnitOfWork) => Promise<void>) => transact(service, alias, origin, rule);
    const release = () => performance.release(write);
    service.underWay.add(release);
    try {
      return await performOnce(performance, work, write);
    } finally {
      service.underWay.delete(release);
      this.hasRecorded ||= performance.isRecorded;
      this.performance = undefined;
    }
  }

  private async transact<T>(
    rule: (unit: UnitOfWork) => MaybePromise<T>,
    kind: StepKind,
  ): Promise<StepResult<T>> {
    if (!this.mayWrite) refuse('insufficient_scope');
    const { performance, service, alias, origin } = this;
    try {
      if (!performance) return { value: await transact(service, alias, origin, rule), isRepeated: false };
      const run = (unit: UnitOfWork) => performance.run(unit, rule, kind);
      const result = await transact(service, alias, origin, run);
      performance.committed(kind, result.value);
      return result;
    } finally {
      this.writes++;
    }
  }

  /** The whole answer that a request of this name was given before. Error: `idempotency_key_reused`. */
  async answerGiven(): Promise<string | undefined> {
    if (!this.request || !this.mayWrite) return undefined;
    const { key, hash } = this.request;
    const reads = new TenantReads(this.service.store.fresh, this.alias);
    const given = await reads.one('idempotency', { idempotencyKey: key, field: wholeAnswer });
    if (!given) return undefined;
    refuseOther(given, hash);
    const { outcome } = given;
    if (outcome === null) return undefined;
    return this.courier.vault.isSealed(outcome) ? this.courier.vault.open(outcome, this.alias) : outcome;
  }

  /** Keeps the whole answer of a named request that has changed something, to be given again. */
  async keepAnswer(answer: string): Promise<void> {
    if (!this.request || !this.hasRecorded) return;
    const { key, hash, at } = this.request;
    const outcome = this.hasRevealed ? this.courier.vault.seal(answer, this.alias) : answer;
    const record = {
      idempotencyKey: key,
      field: wholeAnswer,
      requestHash: hash,
      outcome,
      progress: null,
      owner: null,
      claimedUntil: null,
      createdAt: at,
    };
    await transact(this.service, this.alias, this.origin, async (unit) => {
      const given = await unit.one('idempotency', { idempotencyKey: key, field: wholeAnswer });
      if (!given) await unit.insertUntraced('idempotency', record);
    });
  }

  /**
   * Rows of work to do, for this process alone for a while. The billing of a tenant with a clock is not shared out:
   * whoever moves the clock performs it.
   */
  async claim<Name extends Claimable>(
    name: Name,
    selection: Work<Name>,
    passOver: ReadonlySet<string>,
  ): Promise<Row<Name>[]> {
    // What was sent cannot be taken back: its webhooks, too, are sent by one process alone.
    if (this.record.clockAt !== null && name !== 'webhookDeliveries')
      return listDueTenants(this.read, name, selection, passOver);
    return this.service.store.claim(this.alias, name, selection, passOver);
  }
}

/** The tenant that a request may act for. */
export function openTenant(
  service: Service,
  { tenant, keyId, scope }: Principal,
  origin: Origin,
  { request, budget }: { request?: NamedRequest; budget?: ReadBudget } = {},
): TenantScope {
  const caller = { keyId, scope, executorId: origin.executorId };
  return new TenantScope(service, tenant, origin, scope === 'write', request, caller, budget);
}

/** The tenant in the hands of the service itself, when something falls due or a payment provider tells something. */
export function scheduledTenant(
  service: Service,
  tenant: Row<'tenants'>,
  executorId = 'system:scheduler',
): TenantScope {
  const origin = { traceId: service.ids.traceId(), executorId };
  return new TenantScope(service, tenant, origin, true);
}

/** Verifies the alias that a request names against its key's tenant: it is never trusted, and may be left out. */
export function verifyAlias(tenant: TenantScope, alias: string | null | undefined): void {
  if (alias !== null && alias !== undefined && alias !== tenant.alias) refuse('tenant_mismatch');
}
