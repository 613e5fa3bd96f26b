import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../lib/ids.ts';
import type { Row } from '../storage/model/rowTypes.ts';

const tokenBytes = 32;
const codeDigits = 8;

/** Creates the token of a link or a session: 256 random bits, for a URL or a cookie. */
export const createToken = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(tokenBytes)).toString('base64url');

/** Hashes a token for the database. It has 256 random bits, so one round of SHA-256 suffices: it cannot be guessed. */
export const hashToken = (token: string): string => hash('sha256', token);

/** Creates a code of 8 digits that a person types. */
export function createCode(randomBytes: RandomBytes): string {
  // A 64-bit number modulo 10^8 prefers no code by more than 10^-11.
  const number = Buffer.from(randomBytes(8)).readBigUInt64BE() % 10n ** BigInt(codeDigits);
  return String(number).padStart(codeDigits, '0');
}

type Secret = Pick<Row<'tenants'>, 'cursorSecret'>;

/** Hashes an address for the database, so that a code does not contain it. Letter case does not matter. */
export const hashEmail = (tenant: Secret, email: string): string =>
  sign(tenant, 'portal email', normalizeEmail(email));

/** Hashes a code for the database; the same code has another hash in each record. */
export const hashCode = (tenant: Secret, id: string, code: string): string =>
  sign(tenant, 'portal code', `${id}|${code}`);

/** Returns an address without surrounding spaces, in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Compares two hashes in constant time. */
export const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

// The secret also signs cursors and forms. The prefix differs from theirs, so none can be used as another.
const sign = ({ cursorSecret }: Secret, purpose: string, text: string) =>
  createHmac('sha256', cursorSecret).update(`${purpose}|${text}`).digest('hex');
