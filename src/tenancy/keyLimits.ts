/** What an API key may do beyond its scope, and from where. */
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { coded } from '../lib/issueCodes.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Scope } from './apiKeyCache.ts';
import { isForOperators, keyPermissions, permissions, type Permission } from './permissions.ts';

const mostRanges = 50;

/** Permissions that change nothing: a key with these alone has the scope `read`. */
const reading: ReadonlySet<Permission> = new Set<Permission>(['read', 'read_documents', 'export_data']);

const permission = z
  .enum(Object.keys(permissions) as [Permission, ...Permission[]], 'must be a permission')
  .refine((each) => !isForOperators(each), 'is for operators only');

/** Permissions of a key, each once, in the order of the list of all. Every answer shows records, so `read` is among them. */
export const permissionList = z
  .array(permission)
  .refine((all) => all.includes('read'), 'must contain read: every answer shows records')
  .transform((all) => keyPermissions.write.filter((each) => all.includes(each)));

/** Addresses and networks in CIDR notation (RFC 4632, RFC 4291), each once, in their shortest form. */
export const addressList = z
  .array(
    z
      .string()
      .refine(
        (text) => normalizeRange(text) !== undefined,
        coded('must be an IP address or a network, such as 192.0.2.0/24', 'not_an_ip_range'),
      )
      .transform((text) => normalizeRange(text)!),
  )
  .min(1, 'must have at least one address')
  .max(mostRanges, `must have at most ${mostRanges} addresses`)
  .transform((ranges) => [...new Set(ranges)]);

/** Returns an address or a network in its shortest form; undefined for other text. */
function normalizeRange(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    const network = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
    return `${network.networkAddressFromCIDR(text).toString()}/${bits}`;
  }
  // Shorter forms of IPv4 addresses, such as 127.1, mean different addresses to different programs.
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
  return isAddress ? ipaddr.process(text).toString() : undefined;
}

/** Whether an address is in one of the ranges. */
export function isWithin(ranges: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const client = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.isValidCIDR(range)
      ? ipaddr.parseCIDR(range)
      : ([ipaddr.parse(range), undefined] as const);
    if (network.kind() !== client.kind()) return false;
    return client.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}

/** The scope of a key with permissions of its own: `read` if it changes nothing. */
export const findScope = (granted: readonly Permission[]): Scope =>
  granted.every((each) => reading.has(each)) ? 'read' : 'write';

/** Returns what a key may do; a publishable key has none of these permissions. */
export const listKeyPermissions = (
  key: Pick<Row<'apiKeys'>, 'kind' | 'scope' | 'permissions'>,
): readonly Permission[] => {
  if (key.kind !== null) return [];
  return (key.permissions as Permission[] | null) ?? keyPermissions[key.scope];
};
