import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Returns the client's IP address. Each of the `proxies` in front of the server appends the address of its peer to
 * X-Forwarded-For; entries before those can be forged by the client and are ignored.
 */
export function getClientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const entries = String(headers['x-forwarded-for'] ?? '').split(',');
  const forwarded = proxies > 0 ? entries.at(-Math.min(proxies, entries.length))!.trim() : '';
  return forwarded || (socket.remoteAddress ?? '');
}

/**
 * Returns the network of an IP address, for limits of attempts: a subscriber has a whole /64 of IPv6 addresses, but usually
 * a single one of IPv4. Text that is no address stays as it is.
 */
export function findNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.fromByteArray([...parsed.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}
