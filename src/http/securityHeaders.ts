import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** The rate-limit headers, and those that let a page read the response: names and values in turn. */
    limits?: readonly string[];
  }
}

const yearSeconds = 365 * 24 * 60 * 60;

/** Security headers of every response. Pages that need a wider policy set their own. */
const secureHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** The headers of every response. */
export interface SecurityHeaders {
  /** Sets them on a reply, with the rate-limit headers, unless the reply has its own. */
  put: (reply: FastifyReply) => void;
  /** Names and values in turn. */
  list: readonly string[];
}

/** Adds security headers to every response; Strict-Transport-Security only if `publicUrl` is https. */
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
