/** The documentation: static pages below `/docs`, which the build has made. */
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { hasAsset } from '../lib/assets.ts';
import { refuse } from '../lib/errors.ts';
import { sendAsset, sendFile } from './staticFiles.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the documentation from its build folder. Returns false if the folder does not contain it. */
export function serveDocs(server: FastifyInstance, folder: string): boolean {
  if (!hasAsset(path.join(folder, 'index.html'))) {
    server.log.warn({ folder }, 'the documentation is missing: it has not been built');
    return false;
  }
  const servePage = (url: string) =>
    server.get<{ Params: { '*'?: string } }>(url, ({ params, headers }, reply) => {
      const name = params['*'] ?? 'index';
      if (!/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/i.test(name)) return refuse('route_not_found');
      void reply
        .header('content-security-policy', contentSecurityPolicy)
        .header('cross-origin-opener-policy', 'same-origin')
        .header('cache-control', 'no-cache');
      return sendFile(reply, path.join(folder, `${name}.html`), headers['accept-encoding']);
    });
  servePage('/docs');
  servePage('/docs/*');
  server.get<{ Params: { name: string } }>('/docs/assets/:name', ({ params, headers }, reply) =>
    sendAsset(reply, path.join(folder, 'assets'), params.name, headers['accept-encoding']),
  );
  return true;
}
