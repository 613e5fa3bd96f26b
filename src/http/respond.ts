import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { afterCurrentTurn } from '../runtime/eventLoopTurn.ts';
import { chooseEncoding, compress, type Encoding } from './compression.ts';
import type { SecurityHeaders } from './securityHeaders.ts';
import type { ServerState } from './shutdown.ts';

/** A response before it is sent. */
export interface PreparedResponse {
  status: number;
  type: string;
  text: string;
  /** The bytes of a file, sent instead of `text`. */
  bytes?: Buffer;
  /** The URL of what the request created. */
  location?: string;
  /** Headers of this response only. */
  headers?: Record<string, string>;
}

/**
 * When a response is sent. Reads that complete in one event-loop turn are sent together, so that a client on the
 * same machine wakes up once for all of them. Writes are sent at once: units of work that share a commit already
 * complete together.
 */
type SendTime = 'now' | 'endOfTurn';

/** Sends a response, or returns its text, which the route's handler must return for Fastify to send. */
export type Respond = (
  response: PreparedResponse,
  reply: FastifyReply,
  sendTime: SendTime,
) => MaybePromise<string | Buffer | undefined>;

/** Returns the function that sends responses with the common headers. */
export function createRespond({ list }: SecurityHeaders, state: ServerState): Respond {
  const send = (prepared: PreparedResponse, reply: FastifyReply) => {
    const { status, type, text, bytes, location, headers } = prepared;
    if (headers || !state.acceptsConnections || reply.hasHeader('connection')) {
      void reply
        .headers({ ...headers, ...(location !== undefined && { location }) })
        .code(status)
        .type(type);
      return bytes ?? text;
    }
    // Most responses have no other headers. Fastify's reply would check each header and the text several times.
    const length = Buffer.byteLength(text);
    const own = ['content-type', type, 'content-length', String(length)];
    if (location !== undefined) own.push('location', location);
    reply.raw.writeHead(status, list.concat(reply.limits ?? [], own));
    reply.hijack();
    // ASCII is the same in both encodings; Latin-1 is written without checking each character.
    reply.raw.end(text, length === text.length ? 'latin1' : 'utf8');
    return undefined;
  };
  const sendRead = (response: PreparedResponse, reply: FastifyReply) => {
    const { type, text, bytes } = response;
    const encoding = bytes ? undefined : chooseEncoding(reply.request.headers['accept-encoding'], type, text);
    return encoding ? sendCompressed(response, reply, encoding) : send(response, reply);
  };
  const sendCompressed = async (response: PreparedResponse, reply: FastifyReply, encoding: Encoding) => {
    const vary = reply.request.headers.origin === undefined ? 'accept-encoding' : 'accept-encoding, origin';
    const headers = { ...response.headers, 'content-encoding': encoding, vary };
    return send({ ...response, headers, bytes: await compress(response.text, encoding) }, reply);
  };
  // New secrets are in responses to writes, which are never compressed: the length of a compressed response tells an
  // observer what it has in common with the request.
  return (response, reply, sendTime) =>
    sendTime === 'now' ? send(response, reply) : afterCurrentTurn().then(() => sendRead(response, reply));
}
