import type { Clock } from './clock.ts';

/** The resource type for each id prefix; `node(id)` uses it. */
const prefixes = {
  cus: 'Customer',
  note: 'CustomerNote',
  areq: 'ActionRequest',
  grp: 'Group',
  prod: 'Product',
  price: 'Price',
  coup: 'Coupon',
  promo: 'PromotionCode',
  disc: 'Discount',
  int: 'SubscriptionIntent',
  sub: 'SubscriptionContract',
  inv: 'Invoice',
  cn: 'CreditNote',
  itm: 'InvoiceItem',
  line: 'InvoiceLine',
  pay: 'Payment',
  pm: 'PaymentMethod',
  pmd: 'MethodDetachment',
  txr: 'TaxRate',
  vic: 'VatIdEvidence',
  bal: 'Credit',
  crg: 'CreditGrant',
  cgu: 'CreditGrantUse',
  cty: 'CreditType',
  atu: 'AutoTopUp',
  mrr: 'MrrMovement',
  mtr: 'Meter',
  feat: 'Feature',
  ent: 'ProductEntitlement',
  eov: 'EntitlementOverride',
  res: 'Reservation',
  use: 'UsageEvent',
  usp: 'UsagePeriod',
  upo: 'UsagePriceOverride',
  usc: 'UsageCheck',
  lic: 'LimitCheck',
  lia: 'LimitAlert',
  cmw: 'CommitmentWindow',
  evt: 'Trace',
  whe: 'WebhookEndpoint',
  whd: 'WebhookDelivery',
  css: 'CustomerSession',
  pss: 'PortalSession',
  pcd: 'PortalCode',
  mail: 'MailDelivery',
  mtpl: 'MailTemplate',
  opr: 'Operator',
  opl: 'OperatorLink',
  ops: 'OperatorSession',
  opk: 'OperatorPasskey',
  opc: 'OperatorChallenge',
} as const;

export type Prefix = keyof typeof prefixes;

/** Returns that many random bytes; tests and the simulator provide their own. */
export type RandomBytes = (length: number) => Uint8Array;

export interface Ids {
  /** Returns a new id such as `cus_01jd…`: it sorts by creation time and cannot be guessed. */
  next(prefix: Prefix): string;
  /** Makes every later id sort after this one, which another process may have created by another clock. */
  follow(id: string | undefined): void;
  /** Returns that many characters of Crockford base 32, with five random bits each. */
  secret(length: number): string;
  /** Returns a trace id of W3C Trace Context: 32 hexadecimal digits. */
  traceId(): string;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 10;
const sequenceLength = 3;
const randomLength = 13;
const traceIdLength = 32;
const sequenceLimit = 32 ** sequenceLength;

// Random bytes are requested in large blocks: a call for a few bytes would cost more than the rest of an id.
const pooledBytes = 4096;

/** Returns a function that cuts pieces from a text, which is generated for hundreds of pieces at once. */
function cutFrom(make: () => string): (length: number) => string {
  let [text, at] = ['', 0];
  return (length) => {
    if (text.length - at < length) [text, at] = [make(), 0];
    at += length;
    return text.slice(at - length, at);
  };
}

/**
 * Creates a generator of ids of 26 characters: milliseconds, a sequence number within the millisecond, and 65 random
 * bits. Unlike ULIDs, ids of one millisecond cannot be derived from each other.
 */
export function createIds(clock: Clock, randomBytes: RandomBytes): Ids {
  let lastMs = 0;
  let sequence = 0;
  const encodeMoment = memoizeLast((ms: number) => encodeBase32(ms, timeLength));

  const chance = cutFrom(() => encodeBytes(randomBytes(pooledBytes)));
  const secret = (length: number) => encodeBytes(randomBytes(length));

  const next = (prefix: Prefix) => {
    const nowMs = clock.nowMs();
    // Ids keep their order if the clock stops or is set back.
    if (nowMs > lastMs) [lastMs, sequence] = [nowMs, 0];
    else if (++sequence === sequenceLimit) [lastMs, sequence] = [lastMs + 1, 0];
    return `${prefix}_${encodeMoment(lastMs)}${encodeBase32(sequence, sequenceLength)}${chance(randomLength)}`;
  };

  const follow = (id: string | undefined) => {
    if (id === undefined) return;
    const start = id.indexOf('_') + 1;
    const madeMs = decodeDigits(id.slice(start, start + timeLength));
    const place = decodeDigits(id.slice(start + timeLength, start + timeLength + sequenceLength));
    if (madeMs > lastMs) [lastMs, sequence] = [madeMs, place];
    else if (madeMs === lastMs) sequence = Math.max(sequence, place);
  };

  const digits = cutFrom(() => Buffer.from(randomBytes(pooledBytes)).toString('hex'));
  const traceId = () => digits(traceIdLength);

  return { next, follow, secret, traceId };
}

function encodeBytes(bytes: Uint8Array): string {
  const text = Buffer.alloc(bytes.length);
  for (let index = 0; index < bytes.length; index++) text[index] = alphabet.charCodeAt(bytes[index]! & 31);
  return text.toString('latin1');
}

/** Wraps a function to cache its last result, because many calls fall into the same millisecond. */
export function memoizeLast(make: (value: number) => string): (value: number) => string {
  let [last, result] = [NaN, ''];
  return (value) => {
    if (value !== last) [last, result] = [value, make(value)];
    return result;
  };
}

function encodeBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value, digit = 0; digit < length; digit++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const decodeDigits = (text: string) =>
  Array.from(text).reduce((value, digit) => value * 32 + alphabet.indexOf(digit), 0);

/** The public id of an API key has no prefix: it is a part of the key. */
const keyId = /^[0-9a-hjkmnp-tv-z]{12}$/;

const idPattern = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/;

export const mostLookupKeyCharacters = 200;

/** The form of a lookup key, a tenant's own name of a record. A key that has the form of an id is refused where it is given. */
export const lookupKeyForm = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,${mostLookupKeyCharacters - 1}}$`);

/** Whether a text has the form of an id that `createIds` makes. */
export function hasIdForm(text: string): boolean {
  const prefix = idPattern.exec(text)?.[1];
  return prefix !== undefined && Object.hasOwn(prefixes, prefix);
}

/**
 * Returns the type of an id, or undefined: the one that its prefix names. The id of an item of a subscription begins with that
 * of the subscription.
 */
export function findIdType(
  id: string,
): (typeof prefixes)[Prefix] | 'ApiKey' | 'SubscriptionItem' | undefined {
  if (keyId.test(id)) return 'ApiKey';
  if (id.startsWith('sub_') && id.includes(':')) return 'SubscriptionItem';
  const prefix = id.slice(0, id.indexOf('_'));
  return Object.hasOwn(prefixes, prefix) ? prefixes[prefix as Prefix] : undefined;
}
