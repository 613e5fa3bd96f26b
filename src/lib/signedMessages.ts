/** Messages signed as Standard Webhooks specifies: those that are sent, and those that are received. */
import { Webhook } from 'standardwebhooks';
import { secondMs } from './durations.ts';
import { refuse } from './errors.ts';
import { isSameHash, hashToken } from './tokens.ts';

const secretBytes = 32;

/** How long a former secret may stay valid. */
const longestOverlapSeconds = 7 * 86_400;
const usualOverlapSeconds = 86_400;

/** How far the time of a received message may be from now: what a clock is off, and what a message takes. */
const toleranceSeconds = 300;

/** Creates a secret in the format of Standard Webhooks: `whsec_` and base64. */
export const createSecret = (randomBytes: (length: number) => Uint8Array): string =>
  `whsec_${Buffer.from(randomBytes(secretBytes)).toString('base64')}`;

/**
 * Returns how long (ms) a former secret stays valid beside its successor: a day by default, `leastSeconds` to a week. Error:
 * `validation_failed`.
 */
export function parseOverlap(overlapSeconds: number | null | undefined, leastSeconds: number): number {
  const overlap = overlapSeconds ?? usualOverlapSeconds;
  if (!Number.isInteger(overlap) || overlap < leastSeconds || overlap > longestOverlapSeconds) {
    const message = `must be a whole number from ${leastSeconds} to ${longestOverlapSeconds}`;
    refuse('validation_failed', { path: 'overlapSeconds', message });
  }
  return overlap * secondMs;
}

/** Returns the secrets that are valid at `now`: the current one, and the former until its overlap ends. */
export function listValidSecrets(
  current: string | null,
  former: string | null,
  formerUntil: string | null,
  now: string,
): string[] {
  const overlaps = formerUntil !== null && now < formerUntil;
  return [current, overlaps ? former : null].filter((secret) => secret !== null);
}

/** Returns the headers that sign a body at `nowMs` with each secret. */
export const buildSignature = (id: string, body: string, secrets: string[], nowMs: number) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(nowMs / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(nowMs), body)).join(' '),
});

/**
 * Returns the id of a message that was signed with one of the secrets within five minutes of `nowMs`. The signature covers the
 * body, the id and the time. Error: `validation_failed`, which names the header.
 */
export function verifySignature(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  secrets: string[],
  nowMs: number,
): string {
  const read = (name: string, form: RegExp): string => {
    const value = headers[name];
    if (typeof value === 'string' && form.test(value)) return value;
    return refuse('validation_failed', { path: name, message: 'must be that of Standard Webhooks' });
  };
  const id = read('webhook-id', /^[!-~]{1,255}$/);
  const seconds = Number(read('webhook-timestamp', /^\d{1,12}$/));
  const given = read('webhook-signature', /^[ -~]{1,2000}$/).split(' ');
  if (Math.abs(Math.floor(nowMs / 1000) - seconds) > toleranceSeconds)
    refuse('validation_failed', {
      path: 'webhook-timestamp',
      message: `must be within ${toleranceSeconds} seconds of now`,
    });
  const at = new Date(seconds * 1000);
  const isGenuine = secrets.some((secret) => {
    const expected = hashToken(new Webhook(secret).sign(id, at, body));
    return given.some((each) => isSameHash(hashToken(each), expected));
  });
  if (!isGenuine)
    refuse('validation_failed', { path: 'webhook-signature', message: 'must be that of the body' });
  return id;
}
