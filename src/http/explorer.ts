import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasAsset, readAsset } from '../lib/assets.ts';
import { refuse } from '../lib/errors.ts';

/** GraphiQL, for browsers. */
export interface Explorer {
  sendPage(reply: FastifyReply): FastifyReply;
}

const assetPath = '/graphql/assets';

const assets = [
  { name: 'explorer.js', type: 'text/javascript; charset=utf-8' },
  { name: 'explorer.css', type: 'text/css; charset=utf-8' },
];

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the explorer's files from the build folder, without external resources. Returns undefined if the folder
 * does not contain them.
 */
export function serveExplorer(server: FastifyInstance, folder: string): Explorer | undefined {
  const files = assets.map(({ name }) => join(folder, name));
  if (!files.every(hasAsset)) {
    server.log.warn({ folder }, 'the explorer is missing: it has not been built');
    return undefined;
  }
  // The files are read on first use: most servers never serve them, and reading them takes longer than the rest of
  // the start.
  const served = assets.map(({ name, type }, index) => serveAsset(server, name, type, files[index]!));
  let page: string | undefined;
  return {
    sendPage: (reply) =>
      reply
        .header('content-security-policy', contentSecurityPolicy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'no-cache')
        .header('vary', 'accept')
        .type('text/html; charset=utf-8')
        .send((page ??= renderPage(served.map((getUrl) => getUrl()) as [string, string]))),
  };
}

/** Returns whether a browser requests the page, rather than a client a GraphQL response. */
export function acceptsHtml({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
}

/**
 * Serves a file at an address with a hash of its content, so browsers may cache it forever. Returns a function that
 * returns the address.
 */
function serveAsset(server: FastifyInstance, name: string, type: string, file: string): () => string {
  let read: { content: Buffer; hash: string } | undefined;
  const readOnce = () => {
    if (read) return read;
    const content = readAsset(file)!;
    return (read = { content, hash: createHash('sha256').update(content).digest('hex').slice(0, 16) });
  };
  server.get<{ Params: { hash: string } }>(`${assetPath}/:hash/${name}`, ({ params }, reply) => {
    const { content, hash } = readOnce();
    if (params.hash !== hash) return refuse('route_not_found');
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff')
      .type(type)
      .send(content);
  });
  return () => `${assetPath}/${readOnce().hash}/${name}`;
}

const renderPage = ([script, style]: [string, string]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Perennial</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body><div id="explorer"></div></body>
</html>
`;
