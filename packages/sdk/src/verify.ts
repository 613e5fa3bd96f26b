import type { WebhookEvent } from './event.ts';
import { eventNames } from './generated/eventNames.ts';
import type { WebhookEvents } from './generated/events.ts';

/** An event of any type: `event.name` says which. */
export type AnyWebhookEvent = WebhookEvents[keyof WebhookEvents];

/** The headers of a request: of the web, of Node, or an object. */
export type HeadersLike =
  { get(name: string): string | null | undefined } | Record<string, string | string[] | undefined>;

/** How a message is verified. */
export interface VerifyOptions {
  /** How far the time of the message may be from now. Default: 300. */
  toleranceSeconds?: number;
  /** The time, in milliseconds since 1970. Default: that of the machine. */
  nowMs?: number;
}

/** A message that is not of the server: its signature, time or form is wrong. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const defaultToleranceSeconds = 300;
const prefix = 'whsec_';
const encoder = new TextEncoder();

/**
 * Verifies a message by the Standard Webhooks specification and returns its event. `secret` may be a list, such as the
 * former and the present one. Error: WebhookVerificationError.
 */
export function verifyWebhook(
  request: Request,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<AnyWebhookEvent>;
export function verifyWebhook(
  payload: string | Uint8Array,
  headers: HeadersLike,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<AnyWebhookEvent>;
export async function verifyWebhook(
  first: Request | string | Uint8Array,
  second: HeadersLike | string | readonly string[],
  third?: string | readonly string[] | VerifyOptions,
  fourth?: VerifyOptions,
): Promise<AnyWebhookEvent> {
  if (typeof first === 'string' || first instanceof Uint8Array) {
    return verify(first, second as HeadersLike, third as string | readonly string[], fourth);
  }
  const body = new Uint8Array(await first.arrayBuffer());
  return verify(
    body,
    first.headers,
    second as string | readonly string[],
    third as VerifyOptions | undefined,
  );
}

async function verify(
  payload: string | Uint8Array,
  headers: HeadersLike,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, nowMs = Date.now() }: VerifyOptions = {},
): Promise<AnyWebhookEvent> {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  );
  if (!id || !timestamp || !signature) refuse('The headers of a webhook are missing.');
  if (!/^\d{1,12}$/.test(timestamp)) refuse('webhook-timestamp is not a time.');
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds)
    refuse('The message is too old, or from the future.');
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const signatures = signature
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => decodeBase64(each.slice(3)));
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs a secret');
  if (!(await isSigned(signed, signatures, secrets))) refuse('No signature of the message is valid.');
  return parseEvent(id, typeof payload === 'string' ? payload : new TextDecoder().decode(payload));
}

function refuse(message: string): never {
  throw new WebhookVerificationError(message);
}

function readHeader(headers: HeadersLike, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined;
  const value = Object.entries(headers as Record<string, string | string[] | undefined>).find(
    ([key]) => key.toLowerCase() === name,
  )?.[1];
  return Array.isArray(value) ? value.join(' ') : value;
}

/** Whether one of the secrets made one of the signatures. Web Crypto compares them in constant time. */
async function isSigned(
  signed: Uint8Array,
  signatures: readonly (Uint8Array | undefined)[],
  secrets: readonly string[],
): Promise<boolean> {
  const results = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = decodeBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
      if (!bytes || bytes.length === 0)
        throw new TypeError('The secret of a webhook endpoint begins with whsec_');
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      const key = await crypto.subtle.importKey('raw', bytes as BufferSource, algorithm, false, ['verify']);
      const readable = signatures.filter((each) => each !== undefined);
      const checks = readable.map((each) =>
        crypto.subtle.verify('HMAC', key, each as BufferSource, signed as BufferSource),
      );
      return (await Promise.all(checks)).includes(true);
    }),
  );
  return results.includes(true);
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parseEvent(id: string, text: string): AnyWebhookEvent {
  const body = JSON.parse(text) as WebhookEvent;
  // An event of a later server has its own name.
  return { ...body, id, name: eventNames[body.type] ?? body.type } as unknown as AnyWebhookEvent;
}
