/** What the routes of all pages have in common. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuse } from '../../lib/errors.ts';
import type { RateLimits } from '../../http/rateLimit.ts';
import { setPageHeaders } from './headers.ts';
import { renderLayout, type Page } from './layout.ts';

const formLimitBytes = 4096;

/** Enough for the longest details in any script: forms write a character as up to 9 bytes. */
export const longFormLimitBytes = 16 * 1024;

/** Makes routes accept bodies of forms only, limits them by IP address, and sets the headers of pages. */
export function acceptForms(scope: FastifyInstance, limits: RateLimits): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded(\s*;|$)/,
    { parseAs: 'string', bodyLimit: formLimitBytes },
    (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
  );
  scope.addHook('onRequest', async (request, reply) => {
    setPageHeaders(reply);
    limits.spend(request.ip, reply);
  });
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Refuses all methods of a path but the `allowed`: `GET, HEAD, POST`. */
export function refuseOtherMethods(scope: FastifyInstance, url: string, allowed: string): void {
  scope.route({
    method: methods.filter((method) => !allowed.split(', ').includes(method)),
    url,
    handler: async (_, reply) => {
      void reply.header('allow', allowed);
      return refuse('method_not_allowed');
    },
  });
}

/** Returns the path prefix of this server's public URL, without a slash at its end. */
export const getBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '');

/** Sends a page whose headers are set. */
export const sendPage = (
  reply: FastifyReply,
  publicUrl: string,
  { status, page }: { status: number; page: Page },
): FastifyReply =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(renderLayout(getBasePath(publicUrl), page));
