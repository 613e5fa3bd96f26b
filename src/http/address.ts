import type { IncomingMessage } from 'node:http';

/**
 * The address that a request comes from. Each of so many proxies has added whom it spoke to at the end of
 * X-Forwarded-For; what stands before that, the client may have written itself.
 */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const told = String(headers['x-forwarded-for'] ?? '').split(',');
  const forwarded = proxies > 0 ? told.at(-Math.min(proxies, told.length))!.trim() : '';
  return forwarded || (socket.remoteAddress ?? '');
}
