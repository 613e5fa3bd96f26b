/** The files of the console, which the browser loads from `/console`. */
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasAsset, readAsset } from '../lib/assets.ts';
import { serveMailFrame } from './mailFrame.ts';
import { sendAsset } from './staticFiles.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the console from its build folder: its assets at addresses with a hash of their content, and its page at every
 * other path below `/console`, so that links to a screen work. Returns false if the folder does not contain it.
 */
export function serveConsole(server: FastifyInstance, folder: string): boolean {
  const page = path.join(folder, 'index.html');
  if (!hasAsset(page)) {
    server.log.warn({ folder }, 'the console is missing: it has not been built');
    return false;
  }
  const sendPage = (_: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(readAsset(page));
  server.get('/console', sendPage);
  server.get('/console/*', sendPage);
  serveMailFrame(server);
  server.get<{ Params: { name: string } }>('/console/assets/:name', ({ params, headers }, reply) =>
    sendAsset(reply, path.join(folder, 'assets'), params.name, headers['accept-encoding']),
  );
  return true;
}
