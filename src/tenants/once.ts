import { deserialize, serialize } from 'node:v8';
import type { Awaitable } from '../awaitable.ts';
import { BillingError, refuse, type Issue, type Reason } from '../errors.ts';
import type { Row } from '../db/schema.ts';
import type { Unit } from './unit.ts';

/** A request that its client has named by an `Idempotency-Key`, so that it can be sent again safely. */
export interface NamedRequest {
  key: string;
  /** SHA-256 of the request: the same key with another request is refused. */
  hash: string;
  /** When it came, ISO 8601. */
  at: string;
}

/** What became of a mutation: its value, or the refusal that it ended with after it had changed something. */
type Outcome = { value: unknown } | { reason: Reason; issues: Issue[] };

/** Thrown inside a unit to leave it: the mutation has been performed before. */
class Performed extends Error {
  constructor(readonly outcome: Outcome) {
    super('The mutation has been performed before.');
  }
}

/**
 * One mutation of a named request. Its record is written in the transaction of its change: neither is ever there
 * without the other. A mutation of several steps has a record without an outcome until its last.
 */
export class Performance {
  private step: 'none' | 'some' | 'last' = 'none';
  private last: unknown;

  constructor(
    private readonly request: NamedRequest,
    /** The mutation within the request, by its name in the answer. */
    private readonly field: string,
  ) {}

  /** Whether something has been recorded that a repeat of the request will find. */
  get isRecorded(): boolean {
    return this.step !== 'none';
  }

  /** Runs a rule in a unit together with the record of it. */
  async run<T>(unit: Unit, rule: (unit: Unit) => Awaitable<T>, isLast: boolean): Promise<T> {
    const { key, hash, at } = this.request;
    if (!this.isRecorded) await this.leaveIfPerformed(unit);
    const value = await rule(unit);
    const outcome = isLast ? encode({ value }) : null;
    if (this.isRecorded) {
      await unit.changeParts('idempotency', { idempotencyKey: key, field: this.field }, { outcome });
    } else {
      const record = { idempotencyKey: key, field: this.field, requestHash: hash, outcome, createdAt: at };
      await unit.addPart('idempotency', record);
    }
    this.last = value;
    return value;
  }

  /** Tells that the last `run` is durable. */
  committed(isLast: boolean): void {
    this.step = isLast ? 'last' : 'some';
  }

  /** Keeps how the mutation ended, unless the record says so already. */
  async finish(
    outcome: Outcome,
    write: (rule: (unit: Unit) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const isKnown = this.step === 'last' && 'value' in outcome && outcome.value === this.last;
    if (!this.isRecorded || isKnown) return;
    const which = { idempotencyKey: this.request.key, field: this.field };
    await write((unit) => unit.changeParts('idempotency', which, { outcome: encode(outcome) }));
  }

  private async leaveIfPerformed(unit: Unit): Promise<void> {
    const { key, hash } = this.request;
    const earlier = await unit.one('idempotency', { idempotencyKey: key, field: this.field });
    if (!earlier) return;
    refuseOther(earlier, hash);
    if (earlier.outcome !== null) throw new Performed(decode(earlier.outcome));
    refuse('request_in_flight', {
      path: 'idempotency-key',
      message: 'the first request with it is under way',
    });
  }
}

/** Refuses a request that comes under the key of another. Error: `idempotency_key_reused`. */
export function refuseOther({ requestHash }: Pick<Row<'idempotency'>, 'requestHash'>, hash: string): void {
  if (requestHash === hash) return;
  refuse('idempotency_key_reused', { path: 'idempotency-key', message: 'names a different request' });
}

/**
 * Performs a mutation unless it has been performed before, and then answers what it answered.
 * Errors: `idempotency_key_reused`, `request_in_flight`, and what the mutation itself refuses.
 */
export async function performOnce<T>(
  performance: Performance,
  work: () => Awaitable<T>,
  write: (rule: (unit: Unit) => Promise<void>) => Promise<void>,
): Promise<T> {
  try {
    const value = await work();
    await performance.finish({ value }, write);
    return value;
  } catch (error) {
    if (error instanceof Performed) return replay(error.outcome) as T;
    if (error instanceof BillingError) {
      await performance.finish({ reason: error.reason, issues: error.issues }, write);
    }
    throw error;
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
const encode = (outcome: Outcome): string => serialize(outcome).toString('base64');
const decode = (text: string): Outcome => deserialize(Buffer.from(text, 'base64')) as Outcome;
