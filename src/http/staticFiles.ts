/** Files that the build has made, with their compressed copies. */
import path from 'node:path';
import type { FastifyReply } from 'fastify';
import { hasAsset, readAsset } from '../lib/assets.ts';
import { refuse } from '../lib/errors.ts';
import { acceptsEncoding } from './compression.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.graphql': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
};

/** The encodings in which the build stores a file, the smallest first. */
const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

/**
 * Sends a file whose name has a hash of its content, so that browsers may keep it forever. Error: `route_not_found`.
 */
export function sendAsset(
  reply: FastifyReply,
  folder: string,
  name: string,
  accepted: string | undefined,
): FastifyReply {
  if (!/^[\w.-]+$/.test(name)) return refuse('route_not_found');
  void reply.header('cache-control', 'public, max-age=31536000, immutable');
  return sendFile(reply, path.join(folder, name), accepted);
}

/** Sends a file in an encoding that the client accepts. Error: `route_not_found`. */
export function sendFile(reply: FastifyReply, file: string, accepted: string | undefined): FastifyReply {
  const type = types[path.extname(file)];
  if (!type || !hasAsset(file)) return refuse('route_not_found');
  const encoding = encodings.find(
    (each) => acceptsEncoding(accepted, each.name) && hasAsset(file + each.extension),
  );
  if (encoding) void reply.header('content-encoding', encoding.name);
  return reply
    .header('vary', 'accept-encoding')
    .type(type)
    .send(readAsset(file + (encoding?.extension ?? '')));
}
