import { later } from '../instants.ts';
import type { Tenant } from './tenant.ts';

const keptMs = 24 * 60 * 60 * 1000;
const forgottenAtOnce = 200;

/** Forgets requests that were named more than a day before `now`, a few at a time; answers how many. */
export async function forgetRequests(tenant: Tenant, now: string): Promise<number> {
  const createdAt = { before: later(now, -keptMs) };
  const old = await tenant.read.many('idempotency', { where: { createdAt }, limit: forgottenAtOnce });
  if (old.length === 0) return 0;
  const idempotencyKey = [...new Set(old.map((request) => request.idempotencyKey))];
  await tenant.write((unit) => unit.removeParts('idempotency', { idempotencyKey, createdAt }));
  return old.length;
}
