/**
 * Access of pages on other origins (CORS). A preflight carries no credential, so its tenant is unknown: all preflights get the
 * same response, which names any origin but only the headers of browsers' credentials, never cookies, `api-key` or
 * `perennial-console`. The request itself decides: its credential names the tenant, and the tenant the origins.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../lib/errors.ts';
import type { Principal } from '../tenancy/apiKeyCache.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { isOwnOrigin, isOwnSite } from './operators/origin.ts';

const preflightHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, perennial-tenant, x-graphql-cost',
  // Browsers shorten it to their own limits, of two hours to a day.
  'access-control-max-age': '86400',
};

const exposedHeaders = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after';

/** Whether a browser asks if a page of another origin may send a request. */
export const isPreflight = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

/** Answers a preflight. */
export const sendPreflight = (reply: FastifyReply): FastifyReply =>
  reply.headers(preflightHeaders).code(204).send();

/**
 * Refuses a credential that came from a page which must not have it: a secret key from any page of another server, that of a
 * browser from an origin that the tenant does not allow. Errors: `secret_key_in_browser`, `origin_not_allowed`.
 */
export function refuseForeignPage(
  headers: IncomingHttpHeaders,
  { audience, tenant }: Principal,
  publicUrl: string,
): void {
  const { origin } = headers;
  if (origin === undefined || (isOwnOrigin(headers, publicUrl) && isOwnSite(headers))) return;
  if (!audience) refuse('secret_key_in_browser', { path: 'origin', message: 'was sent with a secret key' });
  if (!isAllowed(origin, tenant))
    refuse('origin_not_allowed', { path: 'origin', message: 'is not in allowedOrigins of the tenant' });
}

/** Lets the page that sent the request read the response, errors included, if the tenant allows its origin. */
export function exposeResponse(reply: FastifyReply, tenant: Row<'tenants'>): void {
  const { origin } = reply.request.headers;
  if (origin === undefined || !isAllowed(origin, tenant)) return;
  reply.limits = [
    'access-control-allow-origin',
    origin,
    'access-control-expose-headers',
    exposedHeaders,
    'vary',
    'origin',
  ];
}

const isAllowed = (origin: string, { allowedOrigins }: Row<'tenants'>): boolean =>
  allowedOrigins?.includes(origin) ?? false;
