/** The cookie of a portal session. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenForm } from '../../lib/tokens.ts';

/** Where the cookie is valid. Over https its name has the prefix that binds it to this host (RFC 6265bis, 4.1.3). */
interface Place {
  alias: string;
  publicUrl: string;
  /** The path of the portal. */
  base: string;
}

const isSecure = ({ publicUrl }: Place) => publicUrl.startsWith('https:');

// Each tenant has a cookie of its own: somebody may be a customer of several.
const getName = (place: Place) =>
  isSecure(place) ? `__Host-portal-${place.alias}` : `portal-${place.alias}`;

/** Returns the token in the request's cookie. */
export function readSessionCookie(
  { headers }: Pick<FastifyRequest, 'headers'>,
  place: Place,
): string | undefined {
  const start = `${getName(place)}=`;
  const own = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start));
  const token = own?.slice(start.length);
  return token !== undefined && tokenForm.test(token) ? token : undefined;
}

/** Sets the cookie of a session, or removes it if `token` is empty. */
export function setSessionCookie(
  reply: FastifyReply,
  place: Place,
  token: string,
  maxAgeSeconds: number,
): void {
  const path = isSecure(place) ? '/' : place.base;
  const attributes = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure(place)) attributes.push('Secure');
  void reply.header('set-cookie', [`${getName(place)}=${token}`, ...attributes].join('; '));
}
