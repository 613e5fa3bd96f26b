import type { MaybePromise } from '../lib/maybePromise.ts';
import { refuse } from '../lib/errors.ts';
import type { RandomBytes } from '../lib/ids.ts';
import type { SigningKey } from '../lib/signingKeys.ts';
import { toInstant } from '../lib/time.ts';
import type { Attempts } from '../runtime/attempts.ts';
import type { DocumentRenderer } from '../documents/render.ts';
import type { SharedSources } from '../runtime/sharedSources.ts';
import type { Turns } from '../runtime/turns.ts';
import type { Scan, TableScan } from '../storage/scan.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import type { FoundEntries, TextIndex } from '../storage/textIndex.ts';
import type { IndexedType } from '../storage/model/search.ts';
import { ReadBudget } from '../lib/readBudget.ts';
import { restrictScan, TenantReads, selectDueRows } from '../storage/store.ts';
import type { ReadPreference, Claimable, Work } from '../storage/store.ts';
import type { Providers } from '../providers/registry.ts';
import type { VatRegister } from '../providers/vies.ts';
import { deliverDue, tryServer } from './outgoingCalls.ts';
import type { Caller, ScopeOptions, Supervise } from './scopeOptions.ts';
import {
  IdempotentMutation,
  performOnce,
  type IdempotentRequest,
  type Step,
  type StepResult,
} from './idempotency.ts';
import { signForTenant } from './signatures.ts';
import { findStoredResponse, storeResponse } from './storedResponse.ts';
import type { Mailer, WebhookDispatcher, TenantParts } from './service.ts';
import { findTenant, getCurrentInstant, transact } from './tenants.ts';
import { nameUsage, runRecording, type RecordingParts, type UsageRecorder } from './usageRecorder.ts';
import type { Approval, Origin, UnitOfWork } from './unitOfWork.ts';

/** Scanning a million rows takes about a second; the scans of a tenant wait for each other. */
const scanLimitMs = 10_000;

export type { UsageRecorder } from './usageRecorder.ts';

/** One tenant, as rules and resolvers use it: every read includes the tenant, every write is a unit of work. */
export class TenantScope {
  /** The number of units of work run so far; values cached at another count may be stale. */
  writes = 0;
  /** Whether the changes are stored under the request's idempotency key, so that a repeat finds them. */
  hasRecorded = false;
  /** The new API keys by their ids, for the response alone: the records are stored for repeats of the request. */
  newKeys?: Map<string, string>;
  private providers: { writes: number; found: Promise<Providers> } | undefined;
  private mutation: IdempotentMutation | undefined;
  /** How the response is stored for repeats: as it is, encrypted, or not at all. */
  private responseForm: 'plain' | 'sealed' | 'withheld' = 'plain';

  constructor(
    private readonly service: TenantParts,
    private current: Row<'tenants'>,
    readonly origin: Origin,
    /** Whether the request's key has the write scope; a read-only key neither finds nor stores idempotency records. */
    readonly mayWrite: boolean,
    private readonly options: ScopeOptions = {},
    /** The credential of the request; undefined if the service itself acts. */
    readonly caller?: Caller,
  ) {}

  /** The tenant's own record, with the changes of this request. */
  get record(): Row<'tenants'> {
    return this.current;
  }

  /** The network of the client; undefined unless it is a browser with a credential of its own. */
  get network(): string | undefined {
    return this.options.network;
  }

  /** The idempotency key of the request, for what is recorded beside units of work; undefined for none. */
  get requestKey(): string | undefined {
    return this.options.request?.key;
  }

  get alias(): string {
    return this.record.alias;
  }

  /** Returns the payment providers of the tenant: its own accounts, and for the others those of the server. */
  loadProviders(from: 'tenant' | 'server' = 'tenant'): Promise<Providers> {
    const { charging, ofTenants } = this.service.payments;
    if (from === 'server') return Promise.resolve(charging);
    if (this.providers?.writes !== this.writes)
      this.providers = { writes: this.writes, found: ofTenants.load(this.service, this.record) };
    return this.providers.found;
  }

  get vatRegister(): VatRegister | undefined {
    return this.service.vatRegister;
  }

  /** Attempts of this server to charge an invoice, which requests at the same time share. */
  get attempts(): Attempts {
    return this.service.attempts;
  }

  /** Changes of a subscription, which run one after another on this server. */
  get changeTurns(): Turns {
    return this.service.changeTurns;
  }

  /** New traces, which several followers share. */
  get sharedTraces(): SharedSources<Row<'traces'>> {
    return this.service.sharedTraces;
  }

  get randomBytes(): RandomBytes {
    return this.service.randomBytes;
  }

  get dispatcher(): WebhookDispatcher {
    return this.service.dispatcher;
  }

  get documentRenderer(): DocumentRenderer {
    return this.service.documentRenderer;
  }

  get mailer(): Mailer {
    return this.service.mailer;
  }

  /** Delivers the webhooks and e-invoices that are due at the tenant's current time; waits for at most `limitMs`. */
  deliverDue(limitMs: number): Promise<void> {
    return deliverDue(this.service, this.alias, limitMs);
  }

  /** Connects to the tenant's own mail server or access point without sending; the account records the outcome. */
  tryServer(account: Row<'accounts'>): Promise<void> {
    return tryServer(this.service, account);
  }

  /** Encrypts a secret of this tenant for the database. */
  seal(secret: string): string {
    return this.service.secretBox.seal(secret, this.alias);
  }

  /** Decrypts a secret to show it once; the response that contains it is stored encrypted. */
  reveal(sealed: string): string {
    if (this.responseForm === 'plain') this.responseForm = 'sealed';
    return this.service.secretBox.open(sealed, this.alias);
  }

  /** Returns the token of this tenant for `text`; the response that shows it is stored encrypted. */
  sign(text: string, isShown = false): string {
    const { secretBox } = this.service;
    if (isShown && this.responseForm === 'plain' && secretBox.hasKey()) this.responseForm = 'sealed';
    return signForTenant(secretBox, this.record, text);
  }

  /** Returns the key that signs what others check without this server; undefined on a server without an encryption key. */
  findSigningKey(): SigningKey | undefined {
    const { signingKeys, clock } = this.service;
    return signingKeys.find(clock.nowMs());
  }

  /** Keeps the response out of the database: a repeat gets the records that the mutations returned, without secrets. */
  withholdResponse(): void {
    this.responseForm = 'withheld';
  }

  /** Reads of the tenant. After a write they go to the primary. */
  get read(): TenantReads {
    const { readFrom = 'replica', budget } = this.options;
    return this.openReads(this.writes > 0 ? 'primary' : readFrom, budget);
  }

  /** Reads from the primary outside of the request's budget, for long searches, which yield to other work. */
  get primaryReads(): TenantReads {
    return this.openReads('primary', this.options.budget && new ReadBudget(Number.POSITIVE_INFINITY));
  }

  /** Reads settings of operators that this server has read within a second, or loads them from the primary. */
  readTerms<T>(key: string, load: (reads: TenantReads) => MaybePromise<T>): MaybePromise<T> {
    return this.service.terms.read(this.alias, key, () => load(this.openReads('primary', undefined)));
  }

  private openReads(preference: ReadPreference, budget: ReadBudget | undefined): TenantReads {
    const { fresh, committed } = this.service.store;
    return new TenantReads(preference === 'primary' ? fresh : committed, this.alias, budget);
  }

  /** Whether the client has disconnected, so that nothing waits for the response. */
  get isAbandoned(): boolean {
    return this.origin.isGone?.() ?? false;
  }

  /** Runs work that reads more than an index bounds, for at most `limitMs`. Error: `query_timeout`. */
  scan<T>(work: (scan: Scan) => Promise<T>, limitMs = scanLimitMs): Promise<T> {
    const { alias: tenantAlias, origin } = this;
    const caller = { tenantAlias, limitMs, isGone: origin.isGone };
    return this.service.store.scanner.run(caller, (scan) => work(restrictScan(scan, tenantAlias)));
  }

  /** Returns the rows that match `where`, in index order, reduced by `filter`. Error: `query_timeout`. */
  search<Name extends TenantTable>(name: Name, scan: TableScan<Name>): Promise<Row<Name>[]> {
    return this.scan(async ({ slices }) => {
      const found: Row<Name>[] = [];
      for await (const rows of slices(name, { ...scan, measureLargeJson: true })) found.push(...rows);
      return this.read.complete(name, found);
    });
  }

  /** Resolves to true when the tenant may have new events, to false after about a second or when aborted. */
  waitForEvents(stop: AbortSignal): Promise<boolean> {
    return this.service.notifier.next(this.alias, stop);
  }

  /** Resolves to true when usage was recorded on this server, to false after about a second or when aborted. */
  waitForUsage(stop: AbortSignal): Promise<boolean> {
    return this.service.notifier.next(nameUsage(this.alias), stop);
  }

  /** Returns the tenant as it is now, for work that goes on; undefined if it was deleted. Its reads have no budget. */
  async reopen(): Promise<TenantScope | undefined> {
    const { service, origin, mayWrite, options, caller } = this;
    const record = await findTenant(service, this.alias);
    const unlimited = { ...options, budget: undefined };
    return record && new TenantScope(service, record, origin, mayWrite, unlimited, caller);
  }

  /**
   * Opens the tenant once more for an operation of the same caller that is supervised. `approval`: the request that it was asked
   * for with, which its traces name; `request`: the idempotency key under which it is performed.
   */
  openSupervised(
    supervise: Supervise,
    { approval, request }: { approval?: Approval; request?: IdempotentRequest } = {},
  ): TenantScope {
    const { service, current, origin, mayWrite, options, caller } = this;
    const supervised = { ...options, request, supervise };
    return new TenantScope(service, current, { ...origin, approval }, mayWrite, supervised, caller);
  }

  /** Returns the ids of the indexed records of a type whose texts have all of the folded words, newest first. */
  async findText(type: IndexedType, parts: string[], limit: number): Promise<FoundEntries> {
    return this.service.store.textIndex.find({ tenantAlias: this.alias, type, parts, limit });
  }

  /** Returns the ids of the records of a type that a text finds, the best first. Errors: `validation_failed`, `query_timeout`. */
  findIds(type: IndexedType, text: string, limit: number): Promise<string[]> {
    return this.service.search.findIds(this, type, text, limit);
  }

  /** How the database indexes texts. */
  get textIndex(): Pick<TextIndex, 'buildGrams' | 'finishBuild' | 'unitMs'> {
    return this.service.store.textIndex;
  }

  /** Returns the tenant's current time, an ISO 8601 instant. */
  now(): string {
    return getCurrentInstant(this.service, this.record);
  }

  /** Returns the service's current time, an ISO 8601 instant, even if the tenant has its own clock. */
  serviceNow(): string {
    return toInstant(this.service.clock.nowMs());
  }

  /** Removes replaced and deleted data from the database's files as far as the database permits; resolves when done. */
  purgeOldData(): Promise<void> {
    return this.service.store.purgeOldData();
  }

  /**
   * Runs the only unit of work of a mutation; resolves when it is durable. A repeat gets the rule's value. A mutation of
   * several units takes a `SteppedTenant`. Error: `insufficient_scope` for a read-only key.
   */
  write<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.transact(rule, 'last').then(({ value }) => value);
  }

  /** Runs the last of several units: a repeat of the request gets its value. If it is undefined, the mutation continues. */
  writeLast<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.write(rule);
  }

  /** Runs one of several units. A repeat runs the rule again, so it must detect which changes were already made. */
  writeStep<T>(rule: (unit: UnitOfWork) => MaybePromise<T>): Promise<T> {
    return this.transact(rule, 'more').then(({ value }) => value);
  }

  /**
   * Runs one of several units, only once: a repeat gets the value recorded under this name. No name is used twice. A value of
   * which `completes` holds is that of the mutation, as with `writeLast`.
   */
  checkpoint<T>(
    name: string,
    rule: (unit: UnitOfWork) => MaybePromise<T>,
    completes?: (value: T) => boolean,
  ): Promise<StepResult<T>> {
    return this.transact(rule, { checkpoint: name, completes });
  }

  /** Performs a mutation once for a request with an idempotency key; `field` is the mutation's name in the response. */
  performOnce<T>(field: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const { request } = this.options;
    return request && this.mayWrite ? this.performIdempotently(request, field, work) : work();
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

  private async transact<T>(rule: (unit: UnitOfWork) => MaybePromise<T>, step: Step): Promise<StepResult<T>> {
    if (!this.mayWrite) refuse('insufficient_scope');
    const { mutation, service, alias, origin } = this;
    let opened = undefined as UnitOfWork | undefined;
    const { supervise } = this.options;
    const isSupervised = supervise !== undefined && step !== 'more';
    const perform = (unit: UnitOfWork) => {
      opened = unit;
      return isSupervised ? supervise(unit, rule) : rule(unit);
    };
    try {
      if (!mutation) return { value: await transact(service, alias, origin, perform), isRepeated: false };
      const run = (unit: UnitOfWork) => mutation.run(unit, perform, step);
      const result = await transact(service, alias, origin, run);
      mutation.recordCommit(step, result);
      return result;
    } finally {
      // A later mutation of the request, and the rest of this one, follow what it set.
      if (opened?.changesKeys) this.current = (await findTenant(service, alias)) ?? this.current;
      this.writes++;
    }
  }

  /** Returns the response stored for the request's idempotency key, or undefined. Error: `idempotency_key_reused`. */
  async findStoredResponse(): Promise<string | undefined> {
    const { request } = this.options;
    if (!request || !this.mayWrite) return undefined;
    const { store, secretBox } = this.service;
    const stored = await findStoredResponse(new TenantReads(store.fresh, this.alias), request);
    return stored && secretBox.isSealed(stored) ? secretBox.open(stored, this.alias) : stored;
  }

  /** Stores the response to a request that has an idempotency key and has changed something. */
  async storeResponse(response: string): Promise<void> {
    const { request } = this.options;
    if (!request || !this.hasRecorded || this.responseForm === 'withheld') return;
    const { service, alias, origin } = this;
    const outcome = this.responseForm === 'sealed' ? service.secretBox.seal(response, alias) : response;
    await transact(service, alias, origin, (unit) => storeResponse(unit, request, outcome));
  }

  /**
   * Records usage, which is no unit of work: it has no traces, and renewals do not wait for it. Resolves when it is durable.
   * Error: `insufficient_scope` for a read-only key.
   */
  recordUsage<T>(recording: (recorder: UsageRecorder) => MaybePromise<T>): Promise<T> {
    return this.runRecordings((parts) => runRecording(parts, this.alias, recording));
  }

  /** Runs recordings of usage of the tenant. Error: `insufficient_scope` for a read-only key. */
  async runRecordings<T>(run: (parts: RecordingParts) => Promise<T>): Promise<T> {
    if (!this.mayWrite) refuse('insufficient_scope');
    try {
      return await run(this.service);
    } finally {
      this.writes++;
    }
  }

  /** Claims due rows for a limited time; not renewals of a tenant with a test clock, which `advanceClock` performs. */
  async claim<Name extends Claimable>(
    name: Name,
    selection: Work<Name>,
    passOver: ReadonlySet<string>,
  ): Promise<Row<Name>[]> {
    // A sent webhook or mail cannot be undone, so deliveries are claimed even for a tenant with a test clock.
    if (this.record.clockAt !== null && name === 'subscriptions')
      return selectDueRows(this.read, name, selection, passOver);
    return this.service.store.claim(this.alias, name, selection, passOver);
  }
}

/** A tenant for a mutation of several units of work. It has no `write`, whose value a repeat gets as that of the mutation. */
export type SteppedTenant = Omit<TenantScope, 'write'>;
