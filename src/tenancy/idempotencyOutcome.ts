/** How the record of an idempotency key keeps what a mutation has done. */
import { deserialize, serialize } from 'node:v8';
import type { Issue, Reason } from '../lib/errors.ts';
import { toCurrentSpelling } from './traces/eventTypes.ts';

/** The result of a mutation: its value, or the error it ended with after it had changed something. */
export type Outcome = { value: unknown } | { reason: Reason; issues: Issue[] };

/**
 * The values of the checkpoints passed so far, and their names in the same order. Earlier releases recorded no names; they
 * still read the values, so gateways of both can share a database.
 */
export type Progress = unknown[] & { names?: string[] };

/** Encodes a value for a record. Rows contain BigInts, which JSON cannot represent. */
export const encode = (value: unknown): string => serialize(value).toString('base64');

/** Decodes a value of a record. */
export const decode = (text: string): unknown => deserialize(Buffer.from(text, 'base64'));

/** Decodes an outcome, which an earlier release may have recorded. */
export function decodeOutcome(text: string): Outcome {
  const outcome = decode(text) as Outcome;
  const row = 'value' in outcome ? (outcome.value as { status?: unknown } | null | undefined) : undefined;
  if (typeof row?.status === 'string') row.status = toCurrentSpelling(row.status);
  return outcome;
}

/**
 * Encodes the outcome of a mutation whose response is no longer stored: a repeat is refused instead of performed again.
 */
export const encodeRefusal = (reason: Reason, message: string): string =>
  encode({ reason, issues: [{ path: 'idempotency-key', message }] });
