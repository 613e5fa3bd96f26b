import type { IncomingMessage } from 'node:http';

/**
 * Returns the client's IP address. Each of the `proxies` in front of the server appends the address of its peer to
 * X-Forwarded-For; entries before those can be forged by the client and are ignored.
 */
export function getClientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const entries = String(headers['x-forwarded-for'] ?? '').split(',');
  const forwarded = proxies > 0 ? entries.at(-Math.min(proxies, entries.length))!.trim() : '';
  return forwarded || (socket.remoteAddress ?? '');
}
