import type { FastifyReply } from 'fastify';
import type { Context } from '../graphql/context.ts';
import { roundEnd } from '../rounds.ts';
import type { Prepared } from './once.ts';
import type { Secure } from './secure.ts';

/** Sends an answer when it may leave, at once or by the text that it resolves with, to be returned by the route's handler. */
export type AnswerWith = (
  prepared: Prepared,
  context: Context,
  reply: FastifyReply,
) => Promise<string | undefined>;

/** Sends answers with the headers that all have. */
export function createAnswers({ list }: Secure): AnswerWith {
  return async ({ status, type, text, headers }, context, reply) => {
    // What has been written comes out of a commit, which answers all that share it.
    if (context.tenant().writes === 0) await roundEnd();
    if (headers || reply.hasHeader('connection')) {
      void reply
        .headers(headers ?? {})
        .code(status)
        .type(type);
      return text;
    }
    // Nearly all say no more than this. Fastify's reply would look at each header and at the text several times.
    const length = Buffer.byteLength(text);
    const own = ['content-type', type, 'content-length', String(length)];
    reply.raw.writeHead(status, [...list, ...(reply.limits ?? []), ...own]);
    reply.hijack();
    // ASCII is the same in both; Latin-1 is written without a look at each character.
    reply.raw.end(text, length === text.length ? 'latin1' : 'utf8');
    return undefined;
  };
}
