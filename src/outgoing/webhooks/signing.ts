import type { Row } from '../../storage/model/rowTypes.ts';
import { getEventName } from './outbox.ts';
import { buildSignature } from '../../lib/signedMessages.ts';
import { version } from '../../lib/version.ts';
import type { Message } from './httpClient.ts';

/** Messages as specified by Standard Webhooks: their content and signature. */

/** Returns a trace without the columns that exist only for their indexes. */
export const toPublicTrace = ({ resourceId: _, customerId: __, ...trace }: Row<'traces'>) => trace;

/** Builds the body: the event type and time, its sequence number for the endpoint, and the data. */
export function buildBody(trace: Row<'traces'>, sequence: number, data: unknown, errors?: unknown): string {
  const envelope = { type: getEventName(trace), timestamp: trace.createdAt, sequence, data };
  return JSON.stringify(errors === undefined ? envelope : { ...envelope, errors });
}

/** Builds the message of an event, signed at `nowMs` with each secret. */
export function buildMessage(
  { url }: Pick<Row<'webhookEndpoints'>, 'url'>,
  { eventId, body }: { eventId: string; body: string },
  secrets: string[],
  nowMs: number,
): Message {
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Perennial/${version}`,
      ...buildSignature(eventId, body, secrets, nowMs),
    },
  };
}
