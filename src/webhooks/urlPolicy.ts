import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What may be called, and what may not: nothing inside of the network that the host is in. */

interface TargetRules {
  /** Whether http will do: for test tenants alone. */
  mayBePlain: boolean;
  /** Whether addresses inside of the host's network may be called. */
  mayBePrivate: boolean;
}

const longestUrl = 2048;
const insideNames = /(^|\.)(localhost|local|internal|localdomain|home\.arpa)$/;
const urlForm = /^https?:\/\/[^\s\p{Cc}\\]+$/iu;

/** What is wrong with a URL as that of an endpoint, before its name is looked up; undefined where it will do. */
export function problemOfUrl(text: string, { mayBePlain, mayBePrivate }: TargetRules): string | undefined {
  if (text.length > longestUrl) return `must be at most ${longestUrl} characters`;
  if (!urlForm.test(text) || !URL.canParse(text)) return 'must be an http or https address';
  const url = new URL(text);
  if (url.protocol === 'http:' && !mayBePlain) return 'must be https; http is for test tenants only';
  if (url.username || url.password) return 'must not contain a user name or password';
  if (url.hash) return 'must not contain a fragment';
  if (url.port === '0') return 'must not have the port 0';
  return mayBePrivate ? undefined : problemOfHost(getHost(url));
}

/** The host of a URL as it is connected to: without the brackets of IPv6, and without a dot at the end. */
export const getHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** What is wrong with a host name or a literal address; undefined for a name that has to be looked up. */
export function problemOfHost(host: string): string | undefined {
  const isInside = isIP(host) === 0 ? insideNames.test(host.toLowerCase()) : !isPublic(host);
  return isInside ? 'must not point into the network of the server' : undefined;
}

/**
 * Ranges that registries call public, but that lead inside of a cloud from its machines: Azure's platform (WireServer,
 * 168.63.129.16) and IBM Cloud's service network. The others, such as 169.254.169.254, 100.100.100.200, 192.0.0.192 and
 * fd00:ec2::254, are in ranges that no registry calls public.
 */
const insideClouds = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map(
  (range) => ipaddr.parseCIDR(range) as [ipaddr.IPv4, number],
);

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an address belongs to the public internet. An IPv6 address that stands for an IPv4 one (mapped, translated
 * by NAT64, tunnelled) is none, whichever it stands for.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return !insideClouds.some((range) => (parsed as ipaddr.IPv4).match(range));
  return (parsed as ipaddr.IPv6).match(globalUnicast) && !isIsatap(parsed as ipaddr.IPv6);
}

/** ISATAP (RFC 5214): the last four bytes are an IPv4 address, whatever network the first eight name. */
const isIsatap = ({ parts }: ipaddr.IPv6) => (parts[4]! & ~0x0200) === 0 && parts[5] === 0x5efe;
