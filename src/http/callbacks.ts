import type { FastifyInstance } from 'fastify';
import { receiveCallback } from '../billing/collection/providerWebhooks.ts';
import type { Service } from '../tenancy/service.ts';
import type { RateLimits } from './rateLimit.ts';

/**
 * Serves the webhook addresses of payment providers: `/callbacks/stripe` for the server's account, and
 * `/callbacks/stripe/{tenant}` for a tenant's own. Requests have no API key; the provider authenticates them. They are
 * limited by IP address, because each of Mollie causes a request to Mollie.
 */
export function serveCallbacks(server: FastifyInstance, service: Service, limits: RateLimits): void {
  void server.register(async (scope) => {
    scope.addContentTypeParser(
      /^application\/x-www-form-urlencoded(\s*;|$)/,
      { parseAs: 'buffer' },
      (_, body, done) => done(null, body),
    );
    for (const path of ['/callbacks/:provider', '/callbacks/:provider/:tenantAlias']) {
      scope.post(path, async ({ params, headers, body, ip }, reply) => {
        limits.spend(`callback ${ip}`);
        const address = params as { provider: string; tenantAlias?: string };
        const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
        await receiveCallback(service, address, headers as Record<string, string | undefined>, bytes);
        return reply.send({ received: true });
      });
    }
  });
}
