/** Signing in to the portal by a code that is sent to the customer's address. */
import type { CustomerRow } from '../../billing/customers/customers.ts';
import { addMs } from '../../lib/time.ts';
import type { Reads } from '../../storage/store.ts';
import { isErased } from '../../billing/customers/erasedData.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { isSameHash, normalizeEmail } from '../../lib/tokens.ts';
import { hashCode, hashEmail } from './tokens.ts';

/** How long a code can be used. */
export const codeLifetimeMs = 10 * 60 * 1000;
const mostAttempts = 5;
/** An address gets at most this many codes in an hour, so that nobody's mailbox is filled. */
const mostCodes = 5;
const windowMs = 60 * 60 * 1000;
const mostCustomers = 20;

/**
 * Records a code for an address. Returns the customer to send it to; undefined if no customer has the address, or if it
 * has had too many codes. An address without customers gets a code as well, which is sent to nobody, so that both do the
 * same work. `now` is the service's time.
 */
export async function issueCode(
  unit: UnitOfWork,
  email: string,
  code: string,
  now: string,
): Promise<CustomerRow | undefined> {
  const emailHash = hashEmail(unit.tenant, email);
  const earlier = await unit.many('portalCodes', {
    where: { emailHash, createdAt: { from: addMs(now, -windowMs) } },
    limit: mostCodes,
  });
  const [customer] = await findCustomersByEmail(unit, email);
  if (earlier.length === mostCodes) return undefined;
  const id = unit.id('pcd');
  await unit.insertUntraced('portalCodes', {
    id,
    emailHash,
    codeHash: hashCode(unit.tenant, id, code),
    attempts: 0,
    expiresAt: addMs(now, codeLifetimeMs),
    createdAt: now,
  });
  return customer;
}

/**
 * Checks a code that was entered for an address, and uses it up. Returns the customers with the address, newest first;
 * none if the code is wrong, used or older than 10 minutes, if a newer one was sent, or after five attempts.
 */
export async function redeemCode(
  unit: UnitOfWork,
  email: string,
  code: string,
  now: string,
): Promise<CustomerRow[]> {
  const [latest] = await unit.many('portalCodes', {
    where: { emailHash: hashEmail(unit.tenant, email) },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 1,
  });
  if (!latest || latest.usedAt !== null || latest.expiresAt <= now || latest.attempts >= mostAttempts)
    return [];
  const { id, attempts } = latest;
  const isRight = isSameHash(latest.codeHash, hashCode(unit.tenant, id, code));
  const changes = { attempts: attempts + 1, ...(isRight && { usedAt: now }) };
  await unit.updateUntraced('portalCodes', { id }, changes);
  return isRight ? findCustomersByEmail(unit, email) : [];
}

/** Returns the customers with an address, written as given or in lower case; newest first, at most 20. */
export async function findCustomersByEmail(reads: Reads, email: string): Promise<CustomerRow[]> {
  const forms = [...new Set([email.trim(), normalizeEmail(email)])];
  const found = await reads.many('customers', {
    where: { email: forms },
    orderBy: ['email', 'createdAt', 'id'],
    direction: 'desc',
    limit: mostCustomers,
  });
  return found.filter((customer) => !isErased(customer));
}
