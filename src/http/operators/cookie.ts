/** The cookie of an operator's session. */
import { tokenForm } from '../../lib/tokens.ts';
import { sessionLifetimeMs } from '../../operators/sessions.ts';

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');

/** Over https the name has the prefix that binds the cookie to this host (RFC 6265bis, 4.1.3). */
const getName = (publicUrl: string) => (isSecure(publicUrl) ? '__Host-perennial' : 'perennial_operator');

/** Returns the token in a `cookie` header. */
export function readSessionCookie(header: string | undefined, publicUrl: string): string | undefined {
  const start = `${getName(publicUrl)}=`;
  const own = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start));
  const token = own?.slice(start.length);
  return token !== undefined && tokenForm.test(token) ? token : undefined;
}

/** Formats the `set-cookie` header of a session; without a token it removes the cookie. */
export function formatSessionCookie(publicUrl: string, token: string | undefined): string {
  const seconds = token === undefined ? 0 : sessionLifetimeMs / 1000;
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  if (isSecure(publicUrl)) attributes.push('Secure');
  return [`${getName(publicUrl)}=${token ?? ''}`, ...attributes].join('; ');
}
