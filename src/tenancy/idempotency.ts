import type { MaybePromise } from '../lib/maybePromise.ts';
import { BillingError, isTransient, refuse } from '../lib/errors.ts';
import { toInstant } from '../lib/time.ts';
import type { Match } from '../storage/query/queries.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { decode, decodeOutcome, encode, type Outcome, type Progress } from './idempotencyOutcome.ts';
import type { UnitOfWork } from './unitOfWork.ts';
import { minuteMs } from '../lib/durations.ts';

/** A request with an `Idempotency-Key`, which its client can safely send again. */
export interface IdempotentRequest {
  key: string;
  /** SHA-256 of the request: a different request with the same key is refused. */
  hash: string;
  /** The instant at which the request arrived, ISO 8601. */
  at: string;
}

/** Runs a unit of work outside of any rule. */
type Write = (rule: (unit: UnitOfWork) => Promise<void>) => Promise<void>;

/**
 * The role of a unit in its mutation: the last one, one of several, or one whose value a repeat reuses by its name. With a
 * value of which `completes` holds, a checkpoint is the last one.
 */
export type Step =
  'last' | 'more' | { checkpoint: string; completes?: ((value: any) => boolean) | undefined };

/** The value of a step, and whether it was reused from an interrupted execution. */
export interface StepResult<T> {
  value: T;
  isRepeated: boolean;
}

/**
 * How long a claim lasts without an extension. After its process is killed, a repeat of the request waits at most this
 * long. A running execution that loses its claim does no harm: none of its later units commits.
 */
const claimMs = 6000;

/** A claim that lasts longer is ignored: the clock has been set back since. Clocks of servers may differ by this much. */
const longestClaimMs = minuteMs;

/** Thrown inside a unit to abort it: the mutation has already been performed. */
class Performed extends Error {
  constructor(readonly outcome: Outcome) {
    super('The mutation has been performed before.');
  }
}

/**
 * One execution of one mutation of a request with an idempotency key. Its record is written in the same transaction as
 * its change, so neither can exist without the other. While a mutation of several steps is under way, its record has no
 * outcome and is claimed by the execution. If the execution is interrupted, the claim expires and the next repeat
 * continues from the last checkpoint.
 */
export class IdempotentMutation {
  private step: 'none' | 'some' | 'last' = 'none';
  private last: unknown;
  /** The names of the checkpoints this execution has passed. */
  private readonly passed: string[] = [];
  private mayBeRecorded = false;

  constructor(
    private readonly request: IdempotentRequest,
    /** The mutation's name within the response. */
    private readonly field: string,
    /** A token unique to this execution. */
    private readonly owner: string,
    private readonly nowMs: () => number,
  ) {}

  /** Whether anything was recorded that a repeat of the request will find. */
  get isRecorded(): boolean {
    return this.step !== 'none';
  }

  /** Runs a rule in a unit and writes the mutation's record in the same unit. */
  async run<T>(
    unit: UnitOfWork,
    rule: (unit: UnitOfWork) => MaybePromise<T>,
    step: Step,
  ): Promise<StepResult<T>> {
    const { hash, at } = this.request;
    const earlier = await unit.one('idempotency', this.recordKey);
    if (earlier) this.assertMayContinue(earlier);
    const kept: Progress = earlier?.progress ? (decode(earlier.progress) as Progress) : [];
    const name = getCheckpoint(step);
    const known = name === undefined ? undefined : this.findPassed(kept, name);
    const value = known ? (known.value as T) : await rule(unit);
    const progress = name === undefined || known ? kept : this.addPassed(kept, name, value);
    const isOver = !known && isComplete(step, value);
    const state = {
      outcome: isOver ? encode({ value }) : null,
      progress: isOver || progress.length === 0 ? null : encode(progress),
      owner: this.owner,
      claimedUntil: isOver ? null : this.computeClaimEnd(),
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
    return { value, isRepeated: known !== undefined };
  }

  /** Records that a `run` with this result is durable. */
  recordCommit(step: Step, { value, isRepeated }: StepResult<unknown>): void {
    this.step = !isRepeated && isComplete(step, value) ? 'last' : 'some';
    this.last = value;
    const name = getCheckpoint(step);
    if (name !== undefined) this.passed.push(name);
  }

  /** Returns the recorded value of a checkpoint, which may be undefined; undefined if an earlier execution did not reach it. */
  private findPassed(kept: Progress, name: string): { value: unknown } | undefined {
    if (this.passed.includes(name)) throw new Error(`The checkpoint "${name}" is passed twice.`);
    const position = kept.names ? kept.names.indexOf(name) : this.passed.length;
    return position >= 0 && position < kept.length ? { value: kept[position] } : undefined;
  }

  private addPassed(kept: Progress, name: string, value: unknown): Progress {
    return Object.assign([...kept, value], { names: [...(kept.names ?? this.passed), name] });
  }

  /**
   * Checks an error that an execution met before its first unit: the cause may be the mutation itself, performed or under
   * way at another gateway, of which a check saw the change. Errors: as of `run`.
   */
  async assertUnknown(write: Write): Promise<void> {
    if (this.isRecorded) return;
    await write(async (unit) => {
      const record = await unit.one('idempotency', this.recordKey);
      if (record) this.assertMayContinue(record);
    });
  }

  /** Stores the outcome of the mutation, unless its record already contains it. */
  async finish(outcome: Outcome, write: Write): Promise<void> {
    const isKnown = this.step === 'last' && 'value' in outcome && outcome.value === this.last;
    if (!this.isRecorded || isKnown) return;
    const state = { outcome: encode(outcome), progress: null, claimedUntil: null };
    await this.changeOwn(write, () => state);
  }

  /** Releases the claim of an execution that cannot continue, so that a repeat can take over. */
  async release(write: Write): Promise<void> {
    if (!this.mayBeRecorded || this.step === 'last') return;
    await this.changeOwn(write, ({ outcome }) => (outcome === null ? released : undefined));
  }

  /** Extends the claim of an execution that is working between two steps. */
  async extendClaim(write: Write): Promise<void> {
    if (this.step !== 'some') return;
    await this.changeOwn(write, ({ outcome }) =>
      outcome === null ? { claimedUntil: this.computeClaimEnd() } : undefined,
    );
  }

  private get recordKey() {
    return { idempotencyKey: this.request.key, field: this.field };
  }

  private computeClaimEnd(): string {
    return toInstant(this.nowMs() + claimMs);
  }

  /** Changes the record if this execution still owns it. */
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

  /**
   * Allows this execution to continue a record that it owns or that is unfinished. Errors: `idempotency_key_reused`,
   * `request_in_flight`; throws `Performed` if the mutation is complete.
   */
  private assertMayContinue(record: Row<'idempotency'>): void {
    const { outcome, owner, claimedUntil } = record;
    if (this.isRecorded && owner === this.owner) return;
    assertSameRequest(record, this.request.hash);
    const known = outcome === null ? undefined : decodeOutcome(outcome);
    if (known && !('reason' in known && isTransient(known.reason))) throw new Performed(known);
    // The claim expired, and another execution has taken over.
    const isLost = this.isRecorded;
    const claimLeftMs = claimedUntil === null ? 0 : Date.parse(claimedUntil) - this.nowMs();
    const isClaimed = claimLeftMs > 0 && claimLeftMs <= longestClaimMs;
    if (isLost || isClaimed) refuseInFlight();
  }
}

const getCheckpoint = (step: Step): string | undefined =>
  typeof step === 'string' ? undefined : step.checkpoint;

/** Whether a step with this value completes its mutation; one without a value does not. */
const isComplete = (step: Step, value: unknown): boolean =>
  typeof step === 'string' ? step === 'last' && value !== undefined : (step.completes?.(value) ?? false);

const released = { owner: null, claimedUntil: null };
const retryAfterSeconds = 1;

/** Refuses a request whose first sending is still being processed. Error: `request_in_flight`. */
export function refuseInFlight(): never {
  const issue = {
    path: 'idempotency-key',
    message: 'the first request with this key is still being processed',
  };
  throw new BillingError('request_in_flight', [issue], retryAfterSeconds);
}

/** Matches the records of interrupted mutations: their claims expired at or before an instant. */
export const matchInterrupted = (instant: string): Match<'idempotency'> => ({
  outcome: null,
  claimedUntil: { to: instant },
});

/** Releases the claims of interrupted mutations, so that a repeat can continue them at once. */
export const releaseClaims = (unit: UnitOfWork, instant: string): Promise<void> =>
  unit.updateUntraced('idempotency', matchInterrupted(instant), released);

/** Refuses a request that reuses the key of a different request. Error: `idempotency_key_reused`. */
export function assertSameRequest(
  { requestHash }: Pick<Row<'idempotency'>, 'requestHash'>,
  hash: string,
): void {
  if (requestHash === hash) return;
  refuse('idempotency_key_reused', { path: 'idempotency-key', message: 'belongs to a different request' });
}

/** Whether an error is the final result of a request, which a repeat must get too. */
const isRefusal = (error: unknown): error is BillingError =>
  error instanceof BillingError && !isTransient(error.reason);

/**
 * Performs a mutation unless it has been performed before; then returns the recorded outcome. Transient and internal
 * errors are not recorded: a repeat performs the remaining steps. Errors: `idempotency_key_reused`,
 * `request_in_flight`, and those of the mutation.
 */
export async function performOnce<T>(
  mutation: IdempotentMutation,
  work: () => MaybePromise<T>,
  write: Write,
): Promise<T> {
  const timer = setInterval(() => void mutation.extendClaim(write).catch(() => {}), claimMs / 3);
  timer.unref();
  try {
    const value = await workOrKnow(mutation, work, write);
    await mutation.finish({ value }, write);
    return value;
  } catch (error) {
    if (error instanceof Performed) return replay(error.outcome) as T;
    if (isRefusal(error)) {
      await mutation.finish({ reason: error.reason, issues: error.issues }, write);
    } else {
      // If this write fails too, the claim expires by itself.
      await mutation.release(write).catch(() => {});
    }
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Performs the work; an error that its own request may have caused at another gateway gives way to what is recorded. */
async function workOrKnow<T>(
  mutation: IdempotentMutation,
  work: () => MaybePromise<T>,
  write: Write,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) await mutation.assertUnknown(write);
    throw error;
  }
}

function replay(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  return refuse(outcome.reason, ...outcome.issues);
}
