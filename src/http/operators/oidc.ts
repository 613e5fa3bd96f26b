import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BillingError, refuse } from '../../lib/errors.ts';
import { oidcCallbackPath, type Oidc } from '../../access/operators/oidc.ts';
import { findSession } from '../../access/operators/sessions.ts';
import { ServerScope } from '../../tenancy/serverScope.ts';
import type { AdmissionDeps } from '../admission.ts';
import { formatOidcCookie, formatSessionCookie, readOidcCookie, readSessionCookie } from './cookie.ts';

const startPath = '/console/oidc';
const consolePath = '/console';
const failedPath = '/console/sign-in?error=oidc';

/**
 * Serves the two addresses of a sign-in at an identity provider: the one that leads there, and the one that it leads
 * back to. Nothing else of the console has an address of its own.
 */
export function serveOidc(server: FastifyInstance, deps: AdmissionDeps, oidc: Oidc | undefined): void {
  if (!oidc) return;
  const { service, publicUrl, countSignIn } = deps;
  server.get(startPath, async (request, reply) => {
    countSignIn(request.ip);
    try {
      const { url, token } = await oidc.start(new ServerScope(service));
      void reply.header('set-cookie', formatOidcCookie(publicUrl, token));
      return await reply.redirect(url, 303);
    } catch (error) {
      return fail(error, request, reply);
    }
  });
  server.get(oidcCallbackPath, async (request, reply) => {
    countSignIn(request.ip);
    try {
      const signedIn = await finish(deps, oidc, request);
      const cookies = [
        formatSessionCookie(publicUrl, signedIn.token),
        formatOidcCookie(publicUrl, undefined),
      ];
      void reply.header('set-cookie', cookies);
      return await reply.redirect(consolePath, 303);
    } catch (error) {
      void reply.header('set-cookie', formatOidcCookie(publicUrl, undefined));
      return fail(error, request, reply);
    }
  });
}

async function finish({ service, publicUrl }: AdmissionDeps, oidc: Oidc, request: FastifyRequest) {
  const { headers, url, ip: address } = request;
  const server = new ServerScope(service);
  const earlier = readSessionCookie(headers.cookie, publicUrl);
  const open = earlier === undefined ? undefined : await findSession(server, earlier);
  return oidc.finish(
    server,
    { query: url.split('?')[1] ?? '', token: readOidcCookie(headers.cookie, publicUrl) },
    { address, userAgent: headers['user-agent'] ?? null, earlierSessionId: open?.session.id },
  );
}

/** Leads a person to the page to sign in, which explains; logs what the provider got wrong. */
function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof BillingError && error.reason !== 'sign_in_failed') return refuse(error.reason);
  if (!(error instanceof BillingError)) {
    const { message } = error as Error;
    request.log.warn({ failure: message }, 'the identity provider could not be used');
  }
  return reply.redirect(failedPath, 303);
}
