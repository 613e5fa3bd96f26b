/** What the routes of all pages have in common. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getRetryHeaders } from '../../http/retryHeaders.ts';
import type { PageDeps } from '../../http/server.ts';
import { refuse } from '../../lib/errors.ts';
import { createKeptPages, type KeptPages } from './keptPages.ts';
import { setPageHeaders } from './headers.ts';
import { readLanguage } from './readerLanguage.ts';
import { sendPage, type Site, type Visit } from './visit.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The results of forms, until the browser has followed the redirect. */
    keptPages: KeptPages;
  }
}

const formLimitBytes = 4096;

/** Enough for the longest details in any script: forms write a character as up to 9 bytes. */
export const longFormLimitBytes = 16 * 1024;

/** Serves the routes of a site. They accept bodies of forms only, and are limited by IP address. */
export function serveSite<Texts>(
  server: FastifyInstance,
  deps: PageDeps,
  site: Site<Texts>,
  addRoutes: (scope: FastifyInstance) => void,
): void {
  void server.register((scope, _, done) => {
    const { randomBytes, clock } = deps.service;
    scope.decorate(
      'keptPages',
      createKeptPages(randomBytes, () => clock.nowMs()),
    );
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      /^application\/x-www-form-urlencoded(\s*;|$)/,
      { parseAs: 'string', bodyLimit: formLimitBytes },
      (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
    );
    scope.addHook('onRequest', async (request, reply) => {
      setPageHeaders(reply, site.referrerPolicy);
      deps.limits.spend(request.ip, reply);
    });
    scope.setErrorHandler((error, request, reply) => sendError(deps, site, { error, request, reply }));
    addRoutes(scope);
    done();
  });
}

/** Sends the page of an error; that of the tenant if there is a visit. */
export function sendError<Texts>(
  deps: PageDeps,
  site: Site<Texts>,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
  visit?: Visit<Texts>,
): FastifyReply {
  const refusal = deps.toRefusal(error, request);
  const { status } = refusal;
  void reply.headers(getRetryHeaders(refusal) ?? {});
  const language = visit?.language ?? readLanguage(request, null);
  const content = site.describeError(language, refusal);
  if (visit) return visit.send(content, { status });
  setPageHeaders(reply, site.referrerPolicy);
  return sendPage(reply, deps.publicUrl, { status, page: { language, ...content } });
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
