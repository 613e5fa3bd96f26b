/** Sign-in at an identity provider: a real provider on this machine, and what a forged return is refused for. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { postConsole, signInOperator } from '../../support/operators.ts';

interface Account {
  email?: string;
  email_verified?: boolean;
}

let app: TestApp;
let provider: Server;
/** Who is at the browser. */
let account: Account;

beforeAll(async () => {
  provider = createServer();
  await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  provider.on('request', serveProvider(issuer));
  app = await startApp({
    oidcIssuer: issuer,
    oidcClientId: 'perennial',
    oidcClientSecret: 'a secret of the client',
    publicUrl: 'http://127.0.0.1:4000',
    rateLimitPerSecond: '100000',
    trustProxy: '1',
  });
  await app.tenant({ alias: 'acme' });
});
afterAll(async () => {
  await app.close();
  provider.closeAllConnections();
  await new Promise((resolve) => void provider.close(resolve));
});

function serveProvider(issuer: string) {
  const server = new Provider(issuer, {
    clients: [
      {
        client_id: 'perennial',
        client_secret: 'a secret of the client',
        redirect_uris: ['http://localhost:4000/console/oidc/callback'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the provider'] },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...account }),
    }),
    loadExistingGrant: async ({ oidc }: any) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const handle = server.callback();
  return (request: any, response: any) => {
    if (!request.url.startsWith('/interaction/')) {
      void handle(request, response);
      return;
    }
    const login = { accountId: `user-${account.email ?? 'nobody'}` };
    void server.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  };
}

let addresses = 0;

/** Requests a page of this server. */
const visit = (url: string, cookie?: string) =>
  app.server.inject({
    method: 'GET',
    url,
    headers: { 'x-forwarded-for': `10.9.0.${(addresses += 1)}`, ...(cookie !== undefined && { cookie }) },
  });

/** Follows the provider's redirects like a browser, with its cookies; returns the address that it leads back to. */
async function followProvider(start: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 12 && !url.startsWith('http://localhost:4000/'); hops++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0]!.split('=') as [string, string];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    const next = response.headers.get('location');
    if (!next) throw new Error(`${url} does not redirect: ${await response.text()}`);
    url = new URL(next, url).href;
  }
  expect(url).toMatch(/^http:\/\/localhost:4000\//);
  return url;
}

async function begin() {
  const started = await visit('/console/oidc');
  const cookie = String(started.headers['set-cookie']).split(';')[0]!;
  return { started, cookie, location: String(started.headers['location']) };
}

const toPath = (url: string) => url.slice('http://localhost:4000'.length);
const listCookies = (answer: { headers: Record<string, unknown> }) =>
  [answer.headers['set-cookie']].flat().map(String);

describe('an identity provider', () => {
  it('signs in an operator with a verified address', async () => {
    const operator = await signInOperator(app, { tenant: 'acme', email: 'ada@example.com' });
    account = { email: 'Ada@Example.com', email_verified: true };
    const { started, cookie, location } = await begin();
    expect(started.statusCode).toBe(303);
    expect(listCookies(started)).toEqual([
      expect.stringMatching(/^perennial_oidc=[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/),
    ]);
    expect(new URL(location).searchParams.get('code_challenge_method')).toBe('S256');
    const returned = toPath(await followProvider(location));
    const finished = await visit(returned, cookie);
    expect([finished.statusCode, finished.headers['location']]).toEqual([303, '/console']);
    const session = listCookies(finished)
      .find((each) => each.startsWith('perennial_operator='))!
      .split(';')[0]!;
    const { body } = await postConsole(
      app,
      '{ operator { id } }',
      {},
      {
        'content-type': 'application/json',
        'perennial-console': '1',
        cookie: session,
      },
    );
    expect(body).toEqual({ data: { operator: { id: operator.id } } });
    // Once only, and not in another browser.
    const repeated = await visit(returned, cookie);
    expect(repeated.headers['location']).toBe('/console/sign-in?error=oidc');
  });

  it.each<[name: string, who: Account]>([
    ['nobody here knows', { email: 'stranger@example.com', email_verified: true }],
    ['is not verified', { email: 'ada@example.com', email_verified: false }],
    ['has no verification', { email: 'ada@example.com' }],
    ['is missing', {}],
  ])('is refused if the address %s', async (_, who) => {
    account = who;
    const { cookie, location } = await begin();
    const finished = await visit(toPath(await followProvider(location)), cookie);
    expect(finished.headers['location']).toBe('/console/sign-in?error=oidc');
    expect(listCookies(finished).join()).not.toContain('perennial_operator=');
  });

  it.each<[name: string, change: (path: string, cookie: string) => [string, string | undefined]]>([
    ['another browser', (path) => [path, undefined]],
    ['a forged cookie', (path) => [path, `perennial_oidc=${'a'.repeat(43)}`]],
    ['another state', (path, cookie) => [path.replace(/state=([^&]+)/, 'state=$1x'), cookie]],
    ['another code', (path, cookie) => [path.replace(/code=[^&]+/, 'code=stolen'), cookie]],
    ['no state', (path, cookie) => [path.replace(/state=[^&]+/, ''), cookie]],
    [
      'another issuer',
      (path, cookie) => [path.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'), cookie],
    ],
    ['an error', (path, cookie) => [path.replace(/code=[^&]+/, 'error=access_denied'), cookie]],
    ['nothing', (_, cookie) => ['/console/oidc/callback', cookie]],
    ['hostile text', (_, cookie) => ['/console/oidc/callback?state=%00%ff&code=%27', cookie]],
  ])('is refused for a return with %s', async (_, change) => {
    account = { email: 'ada@example.com', email_verified: true };
    const { cookie, location } = await begin();
    const finished = await visit(...change(toPath(await followProvider(location)), cookie));
    expect(finished.headers['location'], finished.body).toBe('/console/sign-in?error=oidc');
    expect(listCookies(finished).join()).not.toContain('perennial_operator=');
  });

  it('is offered, and does not answer without settings', async () => {
    const { body } = await postConsole(app, '{ signInOptions { passkeys password oidc } }');
    expect(body.data.signInOptions).toEqual({ passkeys: true, password: true, oidc: true });
  });

  it('that does not respond leads back to the page to sign in', async () => {
    const other = await startApp({ oidcIssuer: 'http://127.0.0.1:9', oidcClientId: 'perennial' });
    const answer = await other.server.inject({ method: 'GET', url: '/console/oidc' });
    await other.close();
    expect([answer.statusCode, answer.headers['location']]).toEqual([303, '/console/sign-in?error=oidc']);
  });
});
