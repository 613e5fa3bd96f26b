/** The page within which the console shows mails: no script of a mail runs there, and nothing is fetched. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { makeOnce } from '../lib/makeOnce.ts';

// The mail comes from the console by `postMessage`. A document that `DOMParser` has made runs no scripts.
const script = `addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || origin !== new URL(location.href).origin || typeof data !== 'string') return;
  const mail = new DOMParser().parseFromString(data, 'text/html');
  document.documentElement.replaceWith(document.adoptNode(mail.documentElement));
});`;

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mail</title></head><body><script>${script}</script></body></html>`;

const getPolicy = makeOnce(() =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    // Mails have their styles in attributes, because mail programs drop style sheets.
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; '),
);

/** Serves the frame. It has an origin of its own, even if a browser opens it by itself. */
export function serveMailFrame(server: FastifyInstance): void {
  server.get('/console/mail-frame', (_, reply) =>
    reply
      .header('content-security-policy', getPolicy())
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page),
  );
}
