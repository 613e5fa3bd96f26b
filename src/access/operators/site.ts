/** The address of the console, as browsers and authenticators see it. */
import { isIP } from 'node:net';

/** Where operators sign in. */
export interface Site {
  /** The domain that passkeys belong to; undefined if browsers offer none there. */
  passkeyDomain: string | undefined;
  /** The origin of the page that signs in. */
  origin: string;
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Returns the public URL as the console uses it: `localhost` in place of a loopback address, because passkeys belong to
 * a domain.
 */
export function toConsoleUrl(publicUrl: string): string {
  const url = new URL(publicUrl);
  if (url.protocol === 'http:' && loopback.has(url.hostname)) url.hostname = 'localhost';
  return url.href.replace(/\/+$/, '');
}

/** Describes the site of a request with this origin, which is known to be the server's own. */
export function describeSite(publicUrl: string, origin: string | undefined): Site {
  const { protocol, hostname, origin: own } = new URL(toConsoleUrl(publicUrl));
  // Browsers offer passkeys over https and on this machine only, and for no IP address.
  const isUsable =
    hostname === 'localhost' || (protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0);
  return { passkeyDomain: isUsable ? hostname : undefined, origin: origin ?? own };
}
