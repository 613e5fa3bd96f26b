import { deserialize, serialize } from 'node:v8';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError, isTransient, refuse, type Issue, type Reason } from '../lib/errors.ts';
import { toInstant } from '../lib/time.ts';
import type { Match } from '../storage/query/queries.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { currentSpelling } from '../traces/eventTypes.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** A request that its client has named by an `Idempotency-Key`, so that it can be sent again safely. */
export interface IdempotentRequest {
  key: string;
  /** SHA-256 of the request: the same key with another request is refused. */
  hash: string;
  /** When it came, ISO 8601. */
  at: string;
}

/** What became of a mutation: its value, or the refusal that it ended with after it had changed something. */
type Outcome = { value: unknown } | { reason: Reason; issues: Issue[] };

/** Runs a unit of work that belongs to no rule. */
type Write = (rule: (unit: UnitOfWork) => Promise<void>) => Promise<void>;

/** What a unit is to its mutation: the last, one of several, or one whose value a repeat takes over. */
export type StepKind = 'last' | 'more' | 'checkpoint';

/** The value of a step, and whether an interrupted execution had performed it before. */
export interface StepResult<T> {
  value: T;
  isRepeated: boolean;
}

/**
 * How long an execution may work without extending its claim. When its process is killed, a repeat of the request waits
 * for no longer than this. It is no danger when a living one loses its claim: none of its later units commits.
 */
const claimMs = 6000;

/** Thrown inside a unit to leave it: the mutation has been performed before. */
class Performed extends Error {
  constructor(readonly outcome: Outcome) {
    super('The mutation has been performed before.');
  }
}

/**
 * One execution of one mutation of a named request. Its record is written in the transaction of its change: neither is
 * ever there without the other. A mutation of several steps has a record without an outcome until its last, claimed by
 * the execution; when that is interrupted, the claim ends, and the next repeat goes on from the last checkpoint.
 */
export class IdempotentMutation {
  private step: 'none' | 'some' | 'last' = 'none';
  private last: unknown;
  /** How many checkpoints this execution has passed. */
  private passed = 0;
  private mayBeRecorded = false;

  constructor(
    private readonly request: IdempotentRequest,
    /** The mutation within the request, by its name in the answer. */
    private readonly field: string,
    /** A token of this execution alone. */
    private readonly owner: string,
    private readonly nowMs: () => number,
  ) {}

  /** Whether something has been recorded that a repeat of the request will find. */
  get isRecorded(): boolean {
    return this.step !== 'none';
  }

  /** Runs a rule in a unit together with the record of it. */
  async run<T>(
    unit: UnitOfWork,
    rule: (unit: UnitOfWork) => MaybePromise<T>,
    kind: StepKind,
  ): Promise<StepResult<T>> {
    const { hash, at } = this.request;
    const earlier = await unit.one('idempotency', this.recordKey);
    if (earlier) this.assertMayContinue(earlier);
    const kept = earlier?.progress ? (decode(earlier.progress) as unknown[]) : [];
    const isRepeated = kind === 'checkpoint' && this.passed < kept.length;
    const value = isRepeated ? (kept[this.passed] as T) : await rule(unit);
    const progress = kind === 'checkpoint' && !isRepeated ? [...kept, value] : kept;
    // A step without a value does not answer the mutation.
    const isOver = kind === 'last' && value !== undefined;
    const state = {
      outcome: isOver ? encode({ value }) : null,
      progress: isOver || progress.length === 0 ? null : encode(progress),
      owner: this.owner,
      claimedUntil: isOver ? null : this.claimEnd(),
    };
    this.mayBeRecorded = true;
    if (earlier) await unit.updateUntraced('idempotency', this.recordKey, state);
    else
      await unit.insertUntraced('idempotency', {
        ...this.recordKey,
        requestHash: hash,
        createdAt: at,
        ...state,
      });
    return { value, isRepeated };
  }

  /** Notes that a `run` with this result is durable. */
  committed(kind: StepKind, value: unknown): void {
    this.step = kind === 'last' && value !== undefined ? 'last' : 'some';
    this.last = value;
    if (kind === 'checkpoint') this.passed += 1;
  }

  /** Keeps how the mutation ended, unless the record says so already. */
  async finish(outcome: Outcome, write: Write): Promise<void> {
    const isKnown = this.step === 'last' && 'value' in outcome && outcome.value === this.last;
    if (!this.isRecorded || isKnown) return;
    const state = { outcome: encode(outcome), progress: null, claimedUntil: null };
    await this.changeOwn(write, () => state);
  }

  /** Ends the claim of an execution that cannot go on: a repeat of the request goes on in its place. */
  async release(write: Write): Promise<void> {
    if (!this.mayBeRecorded || this.step === 'last') return;
    await this.changeOwn(write, ({ outcome }) => (outcome === null ? released : undefined));
  }

  /** Extends the claim of an execution that is at work between two of its steps. */
  async extendClaim(write: Write): Promise<void> {
    if (this.step !== 'some') return;
    await this.changeOwn(write, ({ outcome }) =>
      outcome === null ? { claimedUntil: this.claimEnd() } : undefined,
    );
  }

  private get recordKey() {
    return { idempotencyKey: this.request.key, field: this.field };
  }

  private claimEnd(): string {
    return toInstant(this.nowMs() + claimMs);
  }

  /** Changes the record as long as it is this execution's. */
  private changeOwn(
    write: Write,
    decideChanges: (record: Row<'idempotency'>) => Partial<Row<'idempotency'>> | undefined,
  ): Promise<void> {
    return write(async (unit) => {
      const record = await unit.one('idempotency', this.recordKey);
      const changes = record?.owner === this.owner ? decideChanges(record) : undefined;
      if (changes) await unit.updateUntraced('idempotency', this.recordKey, changes);
    });
  }

  /** Lets this execution go on with a record: its own, or one that was left unfinished. */
  private assertMayContinue(record: Row<'idempotency'>): void {
    const { outcome, owner, claimedUntil } = record;
    if (this.isRecorded && owner === this.owner) return;
    assertSameRequest(record, this.request.hash);
    const known = outcome === null ? undefined : decodeOutcome(outcome);
    if (known && !('reason' in known && isTransient(known.reason))) throw new Performed(known);
    // Its claim ended, and another execution has taken over.
    const isLost = this.isRecorded;
    const isClaimed = claimedUntil !== null && claimedUntil > toInstant(this.nowMs());
    if (isLost || isClaimed) refuseInFlight();
  }
}

const released = { owner: null, claimedUntil: null };
const retryAfterSeconds = 1;

/** Refuses a request whose first sending is being performed. Error: `request_in_flight`. */
export function refuseInFlight(): never {
  const issue = {
    path: 'idempotency-key',
    message: 'the first request with this key is still being processed',
  };
  throw new BillingError('request_in_flight', [issue], retryAfterSeconds);
}

/** The records of mutations that nobody performs any more: their claims ended at or before an instant. */
export const interruptedBefore = (instant: string): Match<'idempotency'> => ({
  outcome: null,
  claimedUntil: { to: instant },
});

/** What becomes of the record of an interrupted mutation: a repeat may go on with it at once. */
export const releaseClaims = (unit: UnitOfWork, instant: string): Promise<void> =>
  unit.updateUntraced('idempotency', interruptedBefore(instant), released);

/** Refuses a request that comes under the key of another. Error: `idempotency_key_reused`. */
export function assertSameRequest(
  { requestHash }: Pick<Row<'idempotency'>, 'requestHash'>,
  hash: string,
): void {
  if (requestHash === hash) return;
  refuse('idempotency_key_reused', { path: 'idempotency-key', message: 'belongs to a different request' });
}

/**
 * Performs a mutation unless it has been performed before, and then answers what it answered. What fails in passing, or
 * by a fault of ours, is not kept: a repeat performs what is left of it.
 * Errors: `idempotency_key_reused`, `request_in_flight`, and what the mutation itself refuses.
 */
export async function performOnce<T>(
  performance: IdempotentMutation,
  work: () => MaybePromise<T>,
  write: Write,
): Promise<T> {
  const timer = setInterval(() => void performance.extendClaim(write).catch(() => {}), claimMs / 3);
  timer.unref();
  try {
    const value = await work();
    await performance.finish({ value }, write);
    return value;
  } catch (error) {
    if (error instanceof Performed) return replay(error.outcome) as T;
    if (error instanceof BillingError && !isTransient(error.reason)) {
      await performance.finish({ reason: error.reason, issues: error.issues }, write);
    } else {
      // Where not even this can be written, the claim ends by itself.
      await performance.release(write).catch(() => {});
    }
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** How a mutation is recorded whose answer is not kept any more: its repeat is refused, and performed no second time. */
export const refusalToRepeat = (reason: Reason, message: string): string =>
  encode({ reason, issues: [{ path: 'idempotency-key', message }] });

function replay(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  return refuse(outcome.reason, ...outcome.issues);
}

// Rows hold BigInts, which JSON does not know.
const encode = (value: unknown): string => serialize(value).toString('base64');
const decode = (text: string): unknown => deserialize(Buffer.from(text, 'base64'));

function decodeOutcome(text: string): Outcome {
  const outcome = decode(text) as Outcome;
  const row = 'value' in outcome ? (outcome.value as { status?: unknown } | null | undefined) : undefined;
  // It may have been recorded by the release before.
  if (typeof row?.status === 'string') row.status = currentSpelling(row.status);
  return outcome;
}
