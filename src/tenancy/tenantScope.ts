import type { MaybePromise } from '../lib/maybePromise.ts';
import { refuse } from '../lib/errors.ts';
import { toInstant } from '../lib/time.ts';
import type { Scan, TableScan } from '../storage/scan.ts';
import type { Row, TableName } from '../storage/model/rowTypes.ts';
import { ReadBudget } from '../lib/readBudget.ts';
import {
  restrictToTenant,
  TenantReads,
  selectDueRows,
  type ReadPreference,
  type Claimable,
  type Work,
} from '../storage/store.ts';
import type { Providers } from '../providers/registry.ts';
import type { Principal } from './apiKeyCache.ts';
import type { Caller, ScopeOptions } from './scopeOptions.ts';
import {
  IdempotentMutation,
  performOnce,
  type IdempotentRequest,
  type StepKind,
  type StepResult,
} from './idempotency.ts';
import { findStoredResponse, storeResponse } from './storedResponse.ts';
import { currentInstant, transact, type WebhookDispatcher, type Service } from './tenants.ts';
import type { Origin, UnitOfWork } from './unitOfWork.ts';

/** A million rows take about a second; a tenant's scans wait for each other. */
const scanLimitMs = 10_000;

/**
 * What a rule is handed: one tenant, and nothing of any other. Reads carry the tenant in every predicate,
 * writes go through the one gate.
 */
export class TenantScope {
  private writeCount = 0;
  /** Whether a repeat of its request will find what it has done. */
  hasRecorded = false;

  private mutation: IdempotentMutation | undefined;
  private hasRevealed = false;

  constructor(
    private readonly service: Service,
    readonly record: Row<'tenants'>,
    private readonly origin: Origin,
    /** Whether its key may write; a key that may only read neither finds nor keeps the records of named requests. */
    readonly mayWrite: boolean,
    private readonly options: ScopeOptions = {},
  ) {}

  /** The key of the request; undefined where the service itself acts. */
  get caller(): Caller | undefined {
    return this.options.caller;
  }

  /** How many units of work it has run: values cached under another count may be stale. */
  get writes(): number {
    return this.writeCount;
  }

  get alias(): string {
    return this.record.alias;
  }

  get payments(): Providers {
    return this.service.payments;
  }

  get dispatcher(): WebhookDispatcher {
    return this.service.dispatcher;
  }

  /** Delivers the webhooks that are due at the tenant's now. */
  deliverDue(): Promise<void> {
    return this.service.dispatcher.deliverDue(this.service, this.alias);
  }

  /** Encrypts a secret of this tenant for the database. */
  seal(secret: string): string {
    return this.service.secretBox.seal(secret, this.alias);
  }

  /** Decrypts a secret to show it once: a response that holds one is never stored in clear. */
  reveal(sealed: string): string {
    this.hasRevealed = true;
    return this.service.secretBox.open(sealed, this.alias);
  }

  /** Reads of the tenant. After a write they go to the primary. */
  get read(): TenantReads {
    const { readFrom = 'replica', budget } = this.options;
    return this.openReads(this.writeCount > 0 ? 'primary' : readFrom, budget);
  }

  /**
   * Reads from the primary that spend no budget: for long searches, which yield to others and return little of what they
   * read.
   */
  get primaryReads(): TenantReads {
    return this.openReads('primary', this.options.budget && new ReadBudget(Number.POSITIVE_INFINITY));
  }

  private openReads(preference: ReadPreference, budget: ReadBudget | undefined): TenantReads {
    const { fresh, committed } = this.service.store;
    return new TenantReads(preference === 'primary' ? fresh : committed, this.alias, budget);
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
        slices: (name, scan) =>
          slices(name, { ...scan, where: restrictToTenant(name, tenantAlias, scan.where) }),
      }),
    );
  }

  /** Rows that match, in the order of an index, chosen by `filter` among those that it has. Error: `query_timeout`. */
  search<Name extends TableName>(name: Name, scan: TableScan<Name>): Promise<Row<Name>[]> {
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
  purgeOldData(): Promise<void> {
    return this.service.store.purgeOldData();
  }

  /**
   * Runs the one unit of work of a mutation; resolves when it is durable. A repeat of the request gets the value of the
   * rule. A mutation of several units takes a `SteppedTenant`. Refuses a key that may only read.
   */
  write<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.transact(rule, 'last').then(({ value }) => value);
  }

  /** Runs the last of several units: a repeat of the request gets its value. Without a value the mutation goes on. */
  writeLast<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.write(rule);
  }

  /**
   * Runs one of several units. A repeat of an interrupted request runs the rule again, so it must find out by itself
   * which of its changes have been made.
   */
  writeStep<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.transact(rule, 'more').then(({ value }) => value);
  }

  /**
   * Runs one of several units whose rule must not run again: a repeat of an interrupted request gets the value that it
   * returned, and goes on from there. A mutation always passes its checkpoints in the same order.
   */
  checkpoint<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<StepResult<T>> {
    return this.transact(rule, 'checkpoint');
  }

  /** Performs a mutation once for a request that its client has named; `field` is its name in the answer. */
  once<T>(field: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const { request } = this.options;
    return request ? this.performIdempotently(request, field, work) : work();
  }

  private async performIdempotently<T>(
    request: IdempotentRequest,
    field: string,
    work: () => MaybePromise<T>,
  ): Promise<T> {
    const { service, alias, origin } = this;
    const mutation = new IdempotentMutation(request, field, service.ids.traceId(), () =>
      service.clock.nowMs(),
    );
    this.mutation = mutation;
    const write = (rule: (unit: UnitOfWork) => Promise<void>) => transact(service, alias, origin, rule);
    const release = () => mutation.release(write);
    service.underWay.add(release);
    try {
      return await performOnce(mutation, work, write);
    } finally {
      service.underWay.delete(release);
      this.hasRecorded ||= mutation.isRecorded;
      this.mutation = undefined;
    }
  }

  private async transact<T>(
    rule: (unit: UnitOfWork) => MaybePromise<T>,
    kind: StepKind,
  ): Promise<StepResult<T>> {
    if (!this.mayWrite) refuse('insufficient_scope');
    const { mutation, service, alias, origin } = this;
    try {
      if (!mutation) return { value: await transact(service, alias, origin, rule), isRepeated: false };
      const run = (unit: UnitOfWork) => mutation.run(unit, rule, kind);
      const result = await transact(service, alias, origin, run);
      mutation.committed(kind, result.value);
      return result;
    } finally {
      this.writeCount++;
    }
  }

  /** The response that was stored for the request's idempotency key. Error: `idempotency_key_reused`. */
  async findStoredResponse(): Promise<string | undefined> {
    const { request } = this.options;
    if (!request || !this.mayWrite) return undefined;
    const stored = await findStoredResponse(new TenantReads(this.service.store.fresh, this.alias), request);
    if (stored === undefined) return undefined;
    const { secretBox } = this.service;
    return secretBox.isSealed(stored) ? secretBox.open(stored, this.alias) : stored;
  }

  /** Stores the response to a request with an idempotency key that has changed something. */
  async storeResponse(response: string): Promise<void> {
    const { request } = this.options;
    if (!request || !this.hasRecorded) return;
    const { service, alias, origin } = this;
    const outcome = this.hasRevealed ? service.secretBox.seal(response, alias) : response;
    await transact(service, alias, origin, (unit) => storeResponse(unit, request, outcome));
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
      return selectDueRows(this.read, name, selection, passOver);
    return this.service.store.claim(this.alias, name, selection, passOver);
  }
}

/**
 * A tenant for a mutation of several units of work. It has no `write`, whose value would end the mutation: a repeat
 * after a crash would get the value of a step as the result of the whole.
 */
export type SteppedTenant = Omit<TenantScope, 'write'>;

/** The tenant that a request may act for. */
export function openTenant(
  service: Service,
  { tenant, keyId, scope }: Principal,
  origin: Origin,
  options: Omit<ScopeOptions, 'caller'> = {},
): TenantScope {
  const caller = { keyId, scope, executorId: origin.executorId };
  return new TenantScope(service, tenant, origin, scope === 'write', { ...options, caller });
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
