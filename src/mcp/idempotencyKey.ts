import * as z from 'zod';

/** The form of an idempotency key, as the header has it. */
const idempotencyKeyForm = /^[\x21-\x7e]{1,255}$/;

/** The argument by which a repeated call returns what the first has done. */
export const idempotencyKey = z
  .string()
  .regex(idempotencyKeyForm, 'must be 1 to 255 printable ASCII characters')
  .optional()
  .describe('Any text of your own; the same text with the same arguments does nothing a second time.');

/** The id of a plan, which is the idempotency key of the call that applies it. */
export const planId = z
  .string()
  .regex(idempotencyKeyForm, 'must be that of a plan')
  .describe('That of the plan, for the step apply.');

/** Returns the idempotency key in the arguments of a tool; undefined for none, and for a wrong one, which the tool refuses. */
export function findIdempotencyKey(args: Record<string, unknown>): string | undefined {
  const key = args['idempotencyKey'] ?? args['planId'];
  return typeof key === 'string' && idempotencyKeyForm.test(key) ? key : undefined;
}
