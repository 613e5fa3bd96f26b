import type { FastifyInstance } from 'fastify';
import { receiveCallback } from '../subscriptions/providerWebhooks.ts';
import type { Service } from '../tenancy/tenants.ts';

/**
 * Serves the webhook addresses of payment providers, for example `/callbacks/stripe`. Requests have no API key; the
 * provider's signature authenticates them.
 */
export function serveCallbacks(server: FastifyInstance, service: Service): void {
  server.post('/callbacks/:provider', async ({ params, headers, body }, reply) => {
    const { provider } = params as { provider: string };
    const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
    await receiveCallback(service, provider, headers as Record<string, string | undefined>, bytes);
    return reply.send({ received: true });
  });
}
