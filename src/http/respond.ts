import type { FastifyReply } from 'fastify';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Context } from '../graphql/context.ts';
import { roundEnd } from '../runtime/eventLoopTurn.ts';
import type { Prepared } from './idempotency.ts';
import type { Secure } from './securityHeaders.ts';
import type { Standing } from './shutdown.ts';

/** Sends an answer when it may leave, at once or by the text that it resolves with, to be returned by the route's handler. */
export type AnswerWith = (
  prepared: Prepared,
  context: Context,
  reply: FastifyReply,
) => MaybePromise<string | undefined>;

/** Sends answers with the headers that all have. */
export function createAnswers({ list }: Secure, standing: Standing): AnswerWith {
  const send = ({ status, type, text, headers }: Prepared, reply: FastifyReply) => {
    if (headers || !standing.takesConnections || reply.hasHeader('connection')) {
      void reply
        .headers(headers ?? {})
        .code(status)
        .type(type);
      return text;
    }
    // Nearly all say no more than this. Fastify's reply would look at each header and at the text several times.
    const length = Buffer.byteLength(text);
    const own = ['content-type', type, 'content-length', String(length)];
    reply.raw.writeHead(status, list.concat(reply.limits ?? [], own));
    reply.hijack();
    // ASCII is the same in both; Latin-1 is written without a look at each character.
    reply.raw.end(text, length === text.length ? 'latin1' : 'utf8');
    return undefined;
  };
  // What has been written comes out of a commit, which answers all that share it.
  return (prepared, context, reply) =>
    context.tenant.writes > 0 ? send(prepared, reply) : roundEnd().then(() => send(prepared, reply));
}
