import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { FieldProblem } from './issueCodes.ts';

/** Which hosts tenants may let the server connect to: none inside its own network. */

const insideNames = /(^|\.)(localhost|local|internal|localdomain|home\.arpa)$/;

/** Returns the host of a URL without IPv6 brackets and without a trailing dot. */
export const getHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/**
 * Returns the problem with a host name or a literal address; undefined if there is none, or if the name must be
 * resolved.
 */
export function findHostProblem(host: string): FieldProblem | undefined {
  const isInside = isIP(host) === 0 ? insideNames.test(host.toLowerCase()) : !isPublic(host);
  return isInside
    ? { message: 'must not point into the network of the server', code: 'not_public' }
    : undefined;
}

/**
 * Ranges that registries list as public but that are internal to a cloud: Azure's platform (WireServer, 168.63.129.16)
 * and IBM Cloud's service network. Other cloud services, such as 169.254.169.254, 100.100.100.200, 192.0.0.192 and
 * fd00:ec2::254, are in ranges that no registry lists as public.
 */
const insideClouds = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map(
  (range) => ipaddr.parseCIDR(range) as [ipaddr.IPv4, number],
);

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an address belongs to the public internet. An IPv6 address that contains an IPv4 address (mapped, NAT64,
 * tunnelled) does not, whichever address it contains.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return !insideClouds.some((range) => (parsed as ipaddr.IPv4).match(range));
  return (parsed as ipaddr.IPv6).match(globalUnicast) && !isIsatap(parsed as ipaddr.IPv6);
}

/** ISATAP (RFC 5214): the last four bytes are an IPv4 address, whatever the network of the first eight. */
const isIsatap = ({ parts }: ipaddr.IPv6) => (parts[4]! & ~0x0200) === 0 && parts[5] === 0x5efe;
