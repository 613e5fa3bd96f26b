/** The cookies of operators: of a session, and of a sign-in at an identity provider. */
import { tokenForm } from '../../lib/tokens.ts';
import { sessionLifetimeMs } from '../../access/operators/sessions.ts';

interface Cookie {
  /** The name over https has the prefix that binds the cookie to this host (RFC 6265bis, 4.1.3). */
  names: { https: string; http: string };
  sameSite: 'Strict' | 'Lax';
  maxAgeSeconds: number;
}

const session: Cookie = {
  names: { https: '__Host-perennial', http: 'perennial_operator' },
  sameSite: 'Strict',
  maxAgeSeconds: sessionLifetimeMs / 1000,
};

const oidc: Cookie = {
  names: { https: '__Host-perennial-oidc', http: 'perennial_oidc' },
  // The identity provider, another site, leads back to this server.
  sameSite: 'Lax',
  maxAgeSeconds: 5 * 60,
};

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');
const getName = ({ names }: Cookie, publicUrl: string) => (isSecure(publicUrl) ? names.https : names.http);

function read(cookie: Cookie, header: string | undefined, publicUrl: string): string | undefined {
  const start = `${getName(cookie, publicUrl)}=`;
  const own = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start));
  const token = own?.slice(start.length);
  return token !== undefined && tokenForm.test(token) ? token : undefined;
}

function format(cookie: Cookie, publicUrl: string, token: string | undefined): string {
  const seconds = token === undefined ? 0 : cookie.maxAgeSeconds;
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', `SameSite=${cookie.sameSite}`];
  if (isSecure(publicUrl)) attributes.push('Secure');
  return [`${getName(cookie, publicUrl)}=${token ?? ''}`, ...attributes].join('; ');
}

/** Returns the token of a session in a `cookie` header. */
export const readSessionCookie = (header: string | undefined, publicUrl: string) =>
  read(session, header, publicUrl);

/** Formats the `set-cookie` header of a session; without a token it removes the cookie. */
export const formatSessionCookie = (publicUrl: string, token: string | undefined) =>
  format(session, publicUrl, token);

/** Returns the token in a `cookie` header that binds a sign-in at an identity provider to its browser. */
export const readOidcCookie = (header: string | undefined, publicUrl: string) =>
  read(oidc, header, publicUrl);

/** Formats the `set-cookie` header of a sign-in at an identity provider; without a token it removes the cookie. */
export const formatOidcCookie = (publicUrl: string, token: string | undefined) =>
  format(oidc, publicUrl, token);
