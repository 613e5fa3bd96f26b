/** Addresses of mail, as headers and SMTP commands may contain them. */

/** An address and the name shown with it; the name is empty if there is none. */
export interface Mailbox {
  name: string;
  address: string;
}

const longestAddress = 254;
const longestLocalPart = 64;
/** Control characters, and marks that change the direction of other text. */
const unprintable = /[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;
const localPart = /^[^\s"(),:;<>@[\\\]]+$/u;
const domain = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?:\.[\p{L}\p{M}\p{N}-]{1,63})*$/u;

/**
 * Whether text is an address without comments, quotes or a route, in ASCII or Unicode (RFC 5321, RFC 6531). Line ends and
 * further addresses are impossible in it.
 */
export function isMailAddress(text: string): boolean {
  if (text.length > longestAddress || unprintable.test(text) || !text.isWellFormed()) return false;
  const at = text.lastIndexOf('@');
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  const isDotted = local.startsWith('.') || local.endsWith('.') || local.includes('..');
  return (
    at > 0 && local.length <= longestLocalPart && !isDotted && localPart.test(local) && domain.test(host)
  );
}

/** Parses `ada@example.com` or `Ada <ada@example.com>`; undefined for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  const match = /^(?:([^<>]*?)\s*<([^<>]+)>|([^<>]+))$/.exec(text.trim());
  if (!match || unprintable.test(text)) return undefined;
  const [, name = '', bracketed, plain] = match;
  const address = bracketed ?? plain!;
  return isMailAddress(address) ? { name: name.replace(/^"(.*)"$/, '$1'), address } : undefined;
}

/** Returns the domain of an address. */
export const getMailDomain = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/**
 * Returns text for a header: one line, without control characters and marks of direction, and without encoded words (RFC
 * 2047), which would be decoded to other text.
 */
export const toHeaderText = (text: string): string =>
  text
    .toWellFormed()
    .replace(new RegExp(unprintable.source, 'gu'), ' ')
    .replaceAll('=?', '= ?')
    .replace(/ {2,}/g, ' ')
    .trim();
