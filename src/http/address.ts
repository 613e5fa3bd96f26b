import type { IncomingMessage } from 'node:http';

/**
 * Returns the client's IP address. Each of the `proxies` in front of the server appends the address of its peer to
 * X-Forwarded-For; entries before those can be forged by the client and are ignored.
 */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const told = String(headers['x-forwarded-for'] ?? '').split(',');
  const forwarded = proxies > 0 ? told.at(-Math.min(proxies, told.length))!.trim() : '';
  return forwarded || (socket.remoteAddress ?? '');
}
