/** The origins of pages that may use credentials of browsers. */
import * as z from 'zod';

const mostOrigins = 50;
const localHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a text is an origin as browsers send it (RFC 6454): https, or http on this machine, a host in lower case, and a port
 * unless it is the usual one.
 */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  // A browser compares whole origins, so a pattern would match nothing.
  if (origin !== text || hostname.includes('*')) return false;
  return protocol === 'https:' || (protocol === 'http:' && localHosts.has(hostname));
}

const origin = z
  .string()
  .max(300, 'must be at most 300 characters')
  .refine(isOrigin, 'must be an origin such as https://shop.example, without a path; http is for localhost');

/** A list of origins in a request; an empty one is stored as null. */
export const allowedOrigins = z
  .array(origin)
  .max(mostOrigins, `must be at most ${mostOrigins}`)
  .refine((origins) => new Set(origins).size === origins.length, 'must name each origin once')
  .transform((origins) => (origins.length === 0 ? null : origins));
