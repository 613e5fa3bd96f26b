/** Hashes of passwords: scrypt (RFC 7914) with parameters that the hash names, so that they can be raised later. */
import { scrypt, timingSafeEqual } from 'node:crypto';
import { BillingError } from './errors.ts';
import type { RandomBytes } from './ids.ts';

/** How much work the hash of a password takes (RFC 7914). */
export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

/** 32 MiB and about a quarter of a second (OWASP Password Storage Cheat Sheet). */
export const standardScryptCost: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };

const keyBytes = 32;
const saltBytes = 16;
const mostWaiting = 20;

/** A hash that no password has. Unknown accounts are compared with it, so that they take as long as known ones. */
const createNobodysHash = ({ N, r, p }: ScryptCost): string =>
  `scrypt:${N}:${r}:${p}:${'A'.repeat(22)}:${'A'.repeat(43)}`;

/** Hashes the passwords of operators, with one cost for new hashes. */
export class PasswordHasher {
  private running: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(
    private readonly cost: ScryptCost,
    private readonly randomBytes: RandomBytes,
  ) {}

  /** Hashes a password for the database. Error: `rate_limited`. */
  async hash(password: string): Promise<string> {
    const salt = Buffer.from(this.randomBytes(saltBytes));
    const key = await this.derive(password, salt, this.cost);
    const { N, r, p } = this.cost;
    return `scrypt:${N}:${r}:${p}:${salt.toString('base64url')}:${key.toString('base64url')}`;
  }

  /**
   * Whether a password has this hash; false, after the time that a hash of this cost takes, without a hash. Error:
   * `rate_limited`.
   */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const [, N, r, p, salt, key] = (hash ?? createNobodysHash(this.cost)).split(':');
    const cost = { N: Number(N), r: Number(r), p: Number(p) };
    const derived = await this.derive(password, Buffer.from(salt!, 'base64url'), cost);
    return timingSafeEqual(derived, Buffer.from(key!, 'base64url')) && hash !== null;
  }

  /** Derives keys one after another: many at the same time would take the memory of the server. */
  private derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
    if (this.waiting >= mostWaiting) throw new BillingError('rate_limited');
    this.waiting += 1;
    const made = this.running.then(() => deriveKey(password, salt, cost));
    this.running = made.catch(() => {}).then(() => (this.waiting -= 1));
    return made;
  }
}

const deriveKey = (password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const maxmem = 256 * N * r;
    // The same letters may be typed as different characters.
    scrypt(password.normalize('NFKC'), salt, keyBytes, { N, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
