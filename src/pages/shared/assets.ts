/** The stylesheets, the script and the images of the pages, which browsers may keep forever. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuse } from '../../lib/errors.ts';
import { makeOnce } from '../../lib/makeOnce.ts';
import type { Stored } from '../../tenancy/service.ts';
import type { RateLimits } from '../../http/rateLimit.ts';
import { cardScript, getCardScriptPath } from './cardScript.ts';
import { buildStyle } from './style.ts';

const standardStyle = buildStyle();
// Also of a colour, so that the hash changes with the way in which accents are made.
const getStyleHash = makeOnce(() =>
  createHash('sha256')
    .update(standardStyle + buildStyle('#3366cc') + buildStyle('#ffee00'))
    .digest('hex')
    .slice(0, 16),
);

/** Returns the path of the stylesheet for a tenant's colour. It contains a hash of the content. */
export const getStylePath = (color?: string): string =>
  `/pages/${getStyleHash()}/${color ? color.slice(1) : 'pages'}.css`;

interface AssetDeps {
  service: Stored;
  limits: RateLimits;
}

/** Serves the stylesheets, the script, and the images of tenants. */
export function servePageAssets(server: FastifyInstance, { service, limits }: AssetDeps): void {
  server.get(getStylePath(), (_, reply) => sendForever(reply, 'text/css; charset=utf-8', standardStyle));
  server.get(getCardScriptPath(), (_, reply) =>
    sendForever(reply, 'text/javascript; charset=utf-8', cardScript),
  );
  server.get(`/pages/${getStyleHash()}/:color(^[0-9a-f]{6}$).css`, (request, reply) => {
    const { color } = request.params as { color: string };
    return sendForever(reply, 'text/css; charset=utf-8', buildStyle(`#${color}`));
  });
  server.get('/pages/images/:alias/:id', async (request, reply) => {
    limits.spend(request.ip, reply);
    const { alias: tenantAlias, id } = request.params as { alias: string; id: string };
    const where = { tenantAlias, id };
    const isId = /^[0-9a-f]{64}$/.test(id);
    const [image] = isId ? await service.store.fresh.select('logos', { where, limit: 1 }) : [];
    if (!image) return refuse('route_not_found');
    return sendForever(reply, image.contentType, Buffer.from(image.base64, 'base64'));
  });
}

const sendForever = (reply: FastifyReply, type: string, content: string | Buffer): FastifyReply =>
  reply
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'")
    .header('cache-control', 'public, max-age=31536000, immutable')
    .type(type)
    .send(content);
