import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../lib/ids.ts';
import { normalizeEmail } from '../../lib/tokens.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

const codeDigits = 8;

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

// The secret also signs cursors and forms. The prefix differs from theirs, so none can be used as another.
const sign = ({ cursorSecret }: Secret, purpose: string, text: string) =>
  createHmac('sha256', cursorSecret).update(`${purpose}|${text}`).digest('hex');
