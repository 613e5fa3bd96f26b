/** Sign-in at an identity provider: OpenID Connect with the authorization code flow and PKCE. */
import type { Configuration } from 'openid-client';
import { refuse } from '../../lib/errors.ts';
import { hashToken, isSameHash, normalizeEmail } from '../../lib/tokens.ts';
import { stepUpMs } from '../../tenancy/actor.ts';
import type { ServerScope } from '../../tenancy/serverScope.ts';
import { keepChallenge, takeChallenge } from './challenges.ts';
import { changeOperator, findOperatorByEmail } from './operators.ts';
import { beginSession, type Browser, type IssuedSession } from './sessions.ts';
import { toConsoleUrl } from './site.ts';

/** The server's account at the identity provider. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string;
  publicUrl: string;
}

/** The sign-in at an identity provider. */
export interface Oidc {
  /** Begins a sign-in. Returns the address to go to, and the token for a cookie that binds it to the browser. */
  start(server: ServerScope): Promise<{ url: string; token: string }>;
  /** Finishes a sign-in with the query of the address that the provider led back to. Error: `sign_in_failed`. */
  finish(
    server: ServerScope,
    returned: { query: string; token: string | undefined },
    browser: Browser,
  ): Promise<IssuedSession>;
}

/** The path of the address that the provider leads back to. */
export const oidcCallbackPath = '/console/oidc/callback';

const timeoutSeconds = 10;
/** The provider asks the operator again if it has not done so within the time of a recent sign-in. */
const maxAge = stepUpMs / 1000;
const about = { purpose: 'oidc' } as const;

/** Creates the sign-in at an identity provider, whose metadata is read on first use. */
export function createOidc({ issuer, clientId, clientSecret, publicUrl }: OidcSettings): Oidc {
  const callback = toConsoleUrl(publicUrl) + oidcCallbackPath;
  let found: Promise<Configuration> | undefined;

  const discover = async (): Promise<Configuration> => {
    const { discovery, ClientSecretBasic, None, allowInsecureRequests } = await import('openid-client');
    const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    // The settings accept http on this machine only.
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
    return discovery(new URL(issuer), clientId, undefined, authentication, {
      execute,
      timeout: timeoutSeconds,
    });
  };
  const getProvider = (): Promise<Configuration> =>
    (found ??= discover().catch((error: unknown) => {
      found = undefined;
      throw error;
    }));

  return {
    start: async (server) => {
      const client = await import('openid-client');
      const provider = await getProvider();
      const token = Buffer.from(server.randomBytes(32)).toString('base64url');
      const verifier = client.randomPKCECodeVerifier();
      const nonce = client.randomNonce();
      const state = client.randomState();
      const id = await keepChallenge(server, about, { browser: hashToken(token), verifier, nonce, state });
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: callback,
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: `${id}.${state}`,
        nonce,
        max_age: String(maxAge),
      });
      return { url: url.href, token };
    },
    finish: async (server, { query, token }, browser) => {
      const parameters = new URLSearchParams(query);
      const expectedState = parameters.get('state') ?? '';
      const id = expectedState.split('.')[0]!;
      const kept = await takeChallenge(server, id, about);
      const isSame = kept && token !== undefined && isSameHash(hashToken(token), String(kept['browser']));
      if (!isSame || expectedState !== `${id}.${String(kept['state'])}`) return refuse('sign_in_failed');
      const email = await readConfirmedEmail(await getProvider(), new URL(`${callback}?${query}`), {
        pkceCodeVerifier: String(kept['verifier']),
        expectedNonce: String(kept['nonce']),
        expectedState,
        maxAge,
      });
      if (email === undefined) return refuse('sign_in_failed');
      return server.write(async (unit) => {
        const operator = (await findOperatorByEmail(unit, email)) ?? refuse('sign_in_failed');
        const confirmedAt = operator.confirmedAt ?? unit.now;
        if (operator.confirmedAt === null) await changeOperator(unit, operator.id, { confirmedAt });
        return beginSession(unit, { ...operator, confirmedAt }, browser);
      });
    },
  };
}

interface Checks {
  pkceCodeVerifier: string;
  expectedNonce: string;
  expectedState: string;
  maxAge: number;
}

/** Returns the address that the provider has verified; undefined if it did not, or if anything is wrong. */
async function readConfirmedEmail(
  provider: Configuration,
  returned: URL,
  checks: Checks,
): Promise<string | undefined> {
  const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
  const tokens = await authorizationCodeGrant(provider, returned, checks).catch(() => undefined);
  const identity = tokens?.claims();
  if (!tokens || !identity) return undefined;
  // Many providers give the address with the identity, others only on request.
  const claims =
    'email' in identity
      ? identity
      : await fetchUserInfo(provider, tokens.access_token, identity.sub).catch(() => undefined);
  // Without `email_verified: true` the address is only what somebody typed.
  return typeof claims?.['email'] === 'string' && claims['email_verified'] === true
    ? normalizeEmail(claims['email'])
    : undefined;
}
