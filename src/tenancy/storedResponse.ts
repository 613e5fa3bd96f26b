import type { Reads } from '../storage/store.ts';
import { assertSameRequest, type IdempotentRequest } from './idempotency.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** The `field` of the record that stores the response as a whole. */
const wholeResponse = '';

/** Returns the response stored for a request's key, or undefined. Error: `idempotency_key_reused`. */
export async function findStoredResponse(
  reads: Reads,
  { key, hash }: IdempotentRequest,
): Promise<string | undefined> {
  const stored = await reads.one('idempotency', { idempotencyKey: key, field: wholeResponse });
  if (!stored) return undefined;
  assertSameRequest(stored, hash);
  return stored.outcome ?? undefined;
}

/** Stores a response under the key of its request, unless one is stored already. */
export async function storeResponse(
  unit: UnitOfWork,
  { key, hash, at }: IdempotentRequest,
  response: string,
): Promise<void> {
  const stored = await unit.one('idempotency', { idempotencyKey: key, field: wholeResponse });
  if (stored) return;
  await unit.insertUntraced('idempotency', {
    idempotencyKey: key,
    field: wholeResponse,
    requestHash: hash,
    outcome: response,
    createdAt: at,
  });
}
