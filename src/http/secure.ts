import type { FastifyInstance, FastifyReply } from 'fastify';

const yearSeconds = 365 * 24 * 60 * 60;

/** What browsers are told with every answer; a page that needs more says so itself. */
const secureHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Puts the headers on a reply; https is held to where browsers reach the server by it. */
type Secure = (reply: FastifyReply) => void;

/** Lets every answer begin with the headers that make browsers careful. */
export function secureAnswers(server: FastifyInstance, publicUrl: string): Secure {
  const headers = publicUrl.startsWith('https:')
    ? { ...secureHeaders, 'strict-transport-security': `max-age=${yearSeconds}` }
    : secureHeaders;
  const secure: Secure = (reply) => void reply.headers(headers);
  server.addHook('onRequest', (_, reply, done) => {
    secure(reply);
    done();
  });
  return secure;
}
