import type { FastifyInstance } from 'fastify';
import { receiveCallback } from '../subscriptions/providerWebhooks.ts';
import type { Service } from '../tenancy/tenants.ts';

/**
 * Serves the webhook addresses of payment providers: `/callbacks/stripe` for the server's account, and
 * `/callbacks/stripe/{tenant}` for a tenant's own. Requests have no API key; the provider authenticates them.
 */
export function serveCallbacks(server: FastifyInstance, service: Service): void {
  for (const path of ['/callbacks/:provider', '/callbacks/:provider/:tenantAlias']) {
    server.post(path, async ({ params, headers, body }, reply) => {
      const address = params as { provider: string; tenantAlias?: string };
      const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
      await receiveCallback(service, address, headers as Record<string, string | undefined>, bytes);
      return reply.send({ received: true });
    });
  }
}
