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
  if (url.protocol === 'http:' && !mayBePlain) return 'must be https; only those of test tenants may be http';
  if (url.username || url.password) return 'must not hold a name or a password';
  if (url.hash) return 'must not hold a fragment';
  if (url.port === '0') return 'must not have the port 0';
  return mayBePrivate ? undefined : problemOfHost(hostOf(url));
}

/** The host of a URL as it is connected to: without the brackets of IPv6, and without a dot at the end. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** What is wrong with a host name or a literal address; undefined for a name that has to be looked up. */
export function problemOfHost(host: string): string | undefined {
  const isInside = isIP(host) === 0 ? insideNames.test(host.toLowerCase()) : !isPublic(host);
  return isInside ? 'must not lead inside of the network of the server' : undefined;
}

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an address belongs to the public internet. An IPv6 address that stands for an IPv4 one (mapped, translated
 * by NAT64, tunnelled) is none, whichever it stands for.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast);
}
