/** The files of the console, which the browser loads from `/console`. */
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasAsset, readAsset } from '../lib/assets.ts';
import { refuse } from '../lib/errors.ts';

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The encodings in which the build stores each file, the smallest first. */
const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

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
  const options = { exposeHeadRoute: false };
  server.get('/console', options, sendPage);
  server.get('/console/*', options, sendPage);
  server.get<{ Params: { name: string } }>('/console/assets/:name', options, ({ params, headers }, reply) =>
    sendAsset(reply, path.join(folder, 'assets'), params.name, headers['accept-encoding']),
  );
  return true;
}

function sendAsset(reply: FastifyReply, folder: string, name: string, accepted: string | undefined) {
  const type = types[path.extname(name)];
  const file = path.join(folder, name);
  if (!type || !/^[\w.-]+$/.test(name) || !hasAsset(file)) return refuse('route_not_found');
  const encoding = encodings.find((each) => accepts(accepted, each.name) && hasAsset(file + each.extension));
  if (encoding) void reply.header('content-encoding', encoding.name);
  return reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('vary', 'accept-encoding')
    .type(type)
    .send(readAsset(file + (encoding?.extension ?? '')));
}

/** Whether an `Accept-Encoding` header names the encoding, and not with the weight 0. */
function accepts(header: string | undefined, encoding: string): boolean {
  const parts = (header ?? '').toLowerCase().split(',');
  return parts.some((part) => {
    const [name, weight] = part.split(';').map((each) => each.trim());
    return name === encoding && !/^q=0(\.0*)?$/.test(weight ?? '');
  });
}
