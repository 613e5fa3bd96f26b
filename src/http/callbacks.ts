/** The addresses that payment providers and mail providers call. */
import type { FastifyInstance } from 'fastify';
import { receiveCallback } from '../billing/collection/providerWebhooks.ts';
import type { TenantParts } from '../tenancy/service.ts';
import type { RateLimits } from './rateLimit.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import { refuse } from '../lib/errors.ts';
import { recordReport, verifyReport } from '../outgoing/eInvoices/reports.ts';
import { readJsonObject } from './body.ts';
import { receiveBounces } from '../outgoing/mails/bounces.ts';
import { buildBounceToken } from '../tenants/mailSettings.ts';
import { openScheduledTenant } from '../tenancy/openTenant.ts';
import { findTenant } from '../tenancy/tenants.ts';

/** Serves the addresses at which other servers report something, without an API key. */
export function serveCallbacks(server: FastifyInstance, service: TenantParts, limits: RateLimits): void {
  servePaymentCallbacks(server, service, limits);
  serveMailCallbacks(server, service);
  serveEInvoiceReports(server, service, limits);
}

/**
 * Serves the webhook addresses of payment providers: `/callbacks/stripe` for the server's account, and
 * `/callbacks/stripe/{tenant}` for a tenant's own. Requests have no API key; the provider authenticates them. They are
 * limited by IP address, because each of Mollie causes a request to Mollie.
 */
function servePaymentCallbacks(server: FastifyInstance, service: TenantParts, limits: RateLimits): void {
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

/**
 * Serves the address to which a mail provider reports bounces and complaints: `/callbacks/mail/acme?token=…`. The token is
 * part of the address that `Tenant.mail` shows. An unknown tenant and a wrong token get the same response.
 */
function serveMailCallbacks(server: FastifyInstance, service: TenantParts): void {
  server.post('/callbacks/mail/:alias', async ({ params, query, body }, reply) => {
    const { alias } = params as { alias: string };
    const { token } = query as { token?: unknown };
    const record = await findTenant(service, alias);
    const expected = buildBounceToken(record?.cursorSecret ?? 'no tenant');
    const isGenuine = record !== undefined && typeof token === 'string' && isEqual(token, expected);
    if (!record || !isGenuine) return refuse('route_not_found');
    const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
    const tenant = openScheduledTenant(service, record, 'system:mail');
    const recorded = await receiveBounces(tenant, bytes.toString('utf8'));
    return reply.send({ received: true, recorded });
  });
}

/**
 * Serves the address to which the access point of a tenant reports what became of its e-invoices: `/callbacks/access_point/acme`. A
 * report is signed, so it is verified before it is read; repeated ones change nothing.
 */
function serveEInvoiceReports(server: FastifyInstance, service: TenantParts, limits: RateLimits): void {
  server.post('/callbacks/access_point/:alias', async ({ params, headers, body, ip }, reply) => {
    limits.spend(`callback ${ip}`);
    const { alias } = params as { alias: string };
    const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
    const report = await verifyReport(service, alias, headers, bytes);
    const recorded = await recordReport(report, readJsonObject(bytes));
    return reply.send({ received: true, recorded });
  });
}

/** Compares in constant time, also texts of different lengths. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(hash(one), hash(other));
const hash = (text: string) => createHash('sha256').update(text).digest();
