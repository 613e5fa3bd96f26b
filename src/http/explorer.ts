import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readAsset } from '../assets.ts';

/** GraphiQL for people at a browser. */
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
 * Serves the explorer's files from the folder where the build put them; nothing comes from elsewhere.
 * Answers undefined where the folder has none.
 */
export function serveExplorer(server: FastifyInstance, folder: string): Explorer | undefined {
  const contents = assets.map(({ name }) => readAsset(join(folder, name)));
  if (contents.includes(undefined)) {
    server.log.warn({ folder }, 'the explorer has not been built');
    return undefined;
  }
  const urls = assets.map(({ name, type }, index) => serveAsset(server, name, type, contents[index]!));
  const page = pageOf(urls as [string, string]);
  server.get('/', { exposeHeadRoute: false }, (_, reply) => reply.redirect('/graphql'));
  return {
    sendPage: (reply) =>
      reply
        .header('content-security-policy', contentSecurityPolicy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'no-cache')
        .header('vary', 'accept')
        .type('text/html; charset=utf-8')
        .send(page),
  };
}

/** Whether a browser asks for a page, and not a client for an answer. */
export function isForPeople({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/** Serves a file under an address that names its content, so that browsers may keep it for good. */
function serveAsset(server: FastifyInstance, name: string, type: string, content: Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const url = `${assetPath}/${hash}/${name}`;
  server.get(url, { exposeHeadRoute: false }, (_, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff')
      .type(type)
      .send(content),
  );
  return url;
}

const pageOf = ([script, style]: [string, string]) => `<!doctype html>
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
