import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** What is left of the limits: names and values of headers, one after the other. */
    limits?: readonly string[];
  }
}

const yearSeconds = 365 * 24 * 60 * 60;

/** What browsers are told with every answer; a page that needs more says so itself. */
const secureHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** The headers that every answer has. */
export interface SecurityHeaders {
  /** Puts them on a reply, with what is left of the limits, unless it has its own. */
  put: (reply: FastifyReply) => void;
  /** Their names and values, one after the other. */
  list: readonly string[];
}

/** Lets every answer have the headers that make browsers careful; https is held to where browsers reach the server by it. */
export function addSecurityHeaders(server: FastifyInstance, publicUrl: string): SecurityHeaders {
  const isHttps = publicUrl.startsWith('https:');
  const transport = isHttps ? { 'strict-transport-security': `max-age=${yearSeconds}` } : {};
  const list = Object.entries({ ...secureHeaders, ...transport }).flat();
  const put = (reply: FastifyReply) => {
    const all = [...list, ...(reply.limits ?? [])];
    for (let index = 0; index < all.length; index += 2) {
      const [name = '', value] = all.slice(index, index + 2);
      if (!reply.hasHeader(name)) void reply.header(name, value);
    }
  };
  server.addHook('onSend', (_, reply, payload, done) => {
    put(reply);
    done(null, payload);
  });
  return { put, list };
}
