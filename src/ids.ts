import type { Clock } from './clock.ts';

/** What an id's prefix says it names; `node(id)` finds the type by it. */
const prefixes = {
  cus: 'Customer',
  grp: 'Group',
  prod: 'Product',
  price: 'Price',
  int: 'SubscriptionIntent',
  sub: 'Subscription',
  inv: 'Invoice',
  line: 'InvoiceLine',
  pay: 'Payment',
  pm: 'PaymentMethod',
  bal: 'BalanceEntry',
  evt: 'Trace',
} as const;

export type Prefix = keyof typeof prefixes;

/** Fills with that many random bytes; the tests and the simulator bring their own. */
export type RandomBytes = (length: number) => Uint8Array;

export interface Ids {
  /** A new id such as `cus_01jd…`: sorts by the moment it was made, and cannot be guessed. */
  next(prefix: Prefix): string;
  /** That many characters of Crockford base 32, five random bits each. */
  secret(length: number): string;
  /** A trace id as W3C Trace Context has it: 32 hexadecimal digits. */
  traceId(): string;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 10;
const sequenceLength = 3;
const randomLength = 13;
const sequenceLimit = 32 ** sequenceLength;

/**
 * Makes ids of 26 characters: milliseconds, a sequence within the millisecond, 65 random bits. Like a ULID,
 * save that ids of one millisecond do not follow from each other: an intent's id opens its payment page.
 */
export function createIds(clock: Clock, randomBytes: RandomBytes): Ids {
  let lastMs = 0;
  let sequence = 0;

  const secret = (length: number) => {
    let made = '';
    for (const byte of randomBytes(length)) made += alphabet[byte & 31];
    return made;
  };

  const next = (prefix: Prefix) => {
    const nowMs = clock.nowMs();
    // A clock that stands still or steps back must not disturb the order of what is made.
    if (nowMs > lastMs) [lastMs, sequence] = [nowMs, 0];
    else if (++sequence === sequenceLimit) [lastMs, sequence] = [lastMs + 1, 0];
    return `${prefix}_${base32(lastMs, timeLength)}${base32(sequence, sequenceLength)}${secret(randomLength)}`;
  };

  return { next, secret, traceId: () => Buffer.from(randomBytes(16)).toString('hex') };
}

function base32(value: number, length: number): string {
  let text = '';
  for (let rest = value, digit = 0; digit < length; digit++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The type that an id names by its prefix, or undefined. */
export function typeOfId(id: string): (typeof prefixes)[Prefix] | undefined {
  const prefix = id.slice(0, id.indexOf('_'));
  return Object.hasOwn(prefixes, prefix) ? prefixes[prefix as Prefix] : undefined;
}
