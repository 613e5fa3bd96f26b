import { Webhook } from 'standardwebhooks';
import type { Row } from '../storage/model/rowTypes.ts';
import { eventName } from './outbox.ts';
import { version } from '../lib/version.ts';
import type { Message } from './httpClient.ts';

/** The messages of Standard Webhooks: what is sent, and how it is signed. */

const secretBytes = 32;

/** A new secret as Standard Webhooks writes it: `whsec_` and base64. */
export const newSecret = (randomBytes: (length: number) => Uint8Array): string =>
  `whsec_${Buffer.from(randomBytes(secretBytes)).toString('base64')}`;

/** A trace as the interface shows it: without the column that only the index needs. */
export const shownTrace = ({ resourceId: _, ...trace }: Row<'traces'>) => trace;

/** The body: what happened and when, its place in the endpoint's order, and the data. */
export function buildBody(trace: Row<'traces'>, sequence: number, data: unknown, errors?: unknown): string {
  const envelope = { type: eventName(trace), timestamp: trace.createdAt, sequence, data };
  return JSON.stringify(errors === undefined ? envelope : { ...envelope, errors });
}

/** The message of an event, signed at `nowMs` with each secret. */
export function buildMessage(
  { url }: Pick<Row<'webhookEndpoints'>, 'url'>,
  { eventId, body }: { eventId: string; body: string },
  secrets: string[],
  nowMs: number,
): Message {
  const at = new Date(nowMs);
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Perennial/${version}`,
      'webhook-id': eventId,
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(' '),
    },
  };
}
