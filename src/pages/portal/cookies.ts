/** The cookie of a portal session. */
import { tokenForm } from '../../lib/tokens.ts';
import type { PortalVisit } from './visit.ts';

/** Where the cookie is valid. Over https its name has the prefix that binds it to this host (RFC 6265bis, 4.1.3). */
type Place = Pick<PortalVisit, 'tenant' | 'publicUrl' | 'base' | 'request'>;

const isSecure = ({ publicUrl }: Place) => publicUrl.startsWith('https:');

// Each tenant has a cookie of its own: somebody may be a customer of several.
const getName = (place: Place) => `${isSecure(place) ? '__Host-' : ''}portal-${place.tenant.alias}`;

/** Returns the token in the request's cookie. */
export function readSessionCookie(visit: Place): string | undefined {
  const start = `${getName(visit)}=`;
  const own = (visit.request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start));
  const token = own?.slice(start.length);
  return token !== undefined && tokenForm.test(token) ? token : undefined;
}

/** Sets the cookie of a session, or removes it if `token` is empty. */
export function setSessionCookie(visit: PortalVisit, token: string, maxAgeSeconds: number): void {
  const path = isSecure(visit) ? '/' : visit.base;
  const attributes = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure(visit)) attributes.push('Secure');
  void visit.reply.header('set-cookie', [`${getName(visit)}=${token}`, ...attributes].join('; '));
}
