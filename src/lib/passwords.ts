/** Hashes of passwords: scrypt (RFC 7914) with parameters that the hash names, so that they can be raised later. */
import { scrypt, timingSafeEqual } from 'node:crypto';
import { BillingError } from './errors.ts';
import type { RandomBytes } from './ids.ts';
import type { ScryptCost } from './scryptCost.ts';

const keyBytes = 32;
const saltBytes = 16;
const mostWaiting = 20;

/** A hash that no password has. Unknown accounts are compared with it, so that they take as long as known ones. */
const createNobodysHash = ({ N, r, p }: ScryptCost): string =>
  `scrypt:${N}:${r}:${p}:${'A'.repeat(22)}:${'A'.repeat(43)}`;

let running = Promise.resolve<unknown>(undefined);
let waiting = 0;

/** Derives keys one after another: many at the same time would take the memory of the server. Error: `rate_limited`. */
function derive(password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
  if (waiting >= mostWaiting) throw new BillingError('rate_limited');
  waiting += 1;
  const made = running.then(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        const maxmem = 256 * N * r;
        // The same letters may be typed as different characters.
        scrypt(password.normalize('NFKC'), salt, keyBytes, { N, r, p, maxmem }, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
  running = made.catch(() => {}).then(() => (waiting -= 1));
  return made;
}

/** Hashes a password for the database. */
export async function hashPassword(
  password: string,
  randomBytes: RandomBytes,
  cost: ScryptCost,
): Promise<string> {
  const salt = Buffer.from(randomBytes(saltBytes));
  const key = await derive(password, salt, cost);
  const { N, r, p } = cost;
  return `scrypt:${N}:${r}:${p}:${salt.toString('base64url')}:${key.toString('base64url')}`;
}

/** Whether a password has this hash; false, after the time that a hash of this cost takes, without a hash. */
export async function isPassword(password: string, hash: string | null, cost: ScryptCost): Promise<boolean> {
  const [, N, r, p, salt, key] = (hash ?? createNobodysHash(cost)).split(':');
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt!, 'base64url'), parameters);
  return timingSafeEqual(derived, Buffer.from(key!, 'base64url')) && hash !== null;
}
