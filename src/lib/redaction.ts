import type { Issue } from './errors.ts';

/**
 * API keys never appear in an error, a log line or a stored text, in any encoding: error bodies and logs are stored and
 * shown to others.
 */

/** An API key, or enough of one to identify it and guess the rest; `_` also in the form `%5F` leaves behind. */
const key =
  '(prn(?:_|_?5f)(?:(?:pk|cs)(?:_|_?5f))?[a-z0-9-]{1,63}(?:_|_?5f)[0-9a-z]{12}(?:_|_?5f))[0-9a-z]{8,}';
const keyForm = new RegExp(key, 'i');
const everyKey = new RegExp(key, 'gi');

const withheld = '[withheld: it holds an API key]';

/** The shortest key has 57 characters; no shorter run encodes one. */
const base64Runs = /[A-Za-z0-9+/_-]{48,}/g;
const hexRuns = /(?:[0-9a-f]{2}){36,}/gi;
const maxDecodings = 6;
/** A text that needs more work to search is withheld, so that the search cannot be used for an attack. */
const maxCharacters = 400_000;

interface Budget {
  characters: number;
}

/**
 * Removes API keys from a text. A plain key loses its secret; a text that contains an encoded key (percent-encoding,
 * JSON or HTML escapes, base64, hexadecimal, also nested) is withheld as a whole.
 */
export function redactKeys(text: string): string {
  const plain = text.replace(everyKey, '$1…');
  return searchEncoded(plain) ? withheld : plain;
}

/** Whether a text contains an API key, plain or encoded. */
export const holdsKey = (text: string): boolean => keyForm.test(text) || searchEncoded(text);

const searchEncoded = (text: string) =>
  text.length >= 48 && holdsEncodedKey(text, maxDecodings, { characters: maxCharacters });

function holdsEncodedKey(text: string, decodingsLeft: number, budget: Budget): boolean {
  if (decodingsLeft === 0) return false;
  budget.characters -= text.length;
  if (budget.characters < 0) return true;
  return listDecodings(text).some(
    (decoded) => keyForm.test(decoded) || holdsEncodedKey(decoded, decodingsLeft - 1, budget),
  );
}

/** Returns the text decoded from each encoding it may be in. */
function listDecodings(text: string): string[] {
  const found: string[] = [];
  const unescaped = unescape(text);
  if (unescaped !== text) found.push(unescaped);
  for (const [run] of text.matchAll(hexRuns)) {
    // A preceding digit shifts the pairs by one.
    for (const shift of [0, 1]) keepReadable(found, Buffer.from(run.slice(shift), 'hex'));
  }
  for (const [run] of text.matchAll(base64Runs)) {
    for (const shift of [0, 1, 2, 3]) keepReadable(found, Buffer.from(run.slice(shift), 'base64'));
  }
  return found;
}

/** Adds decoded bytes if they are text; other bytes contain no key. */
function keepReadable(found: string[], bytes: Buffer): void {
  const text = bytes.toString('latin1').replace(/[^\x20-\x7e]+/g, ' ');
  if (/[\x21-\x7e]{48,}/.test(text)) found.push(text);
}

const namedEntities: Record<string, string> = { '&lowbar;': '_', '&underbar;': '_', '&hyphen;': '-' };

/** Decodes percent-encoding, escapes of JSON and JavaScript, and character references of HTML, for ASCII characters. */
function unescape(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  return text
    .replace(/%u00([0-7][0-9a-f])/gi, (_, hex: string) => fromHex(hex))
    .replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => fromHex(hex))
    .replace(/\\+u\{?(?:00)*([0-7][0-9a-f])\}?/gi, (_, hex: string) => fromHex(hex))
    .replace(/\\+x([0-7][0-9a-f])/gi, (_, hex: string) => fromHex(hex))
    .replace(/&#x0*([0-7]?[0-9a-f]);?/gi, (_, hex: string) => fromHex(hex))
    .replace(/&#0*(\d{2,3});?/g, (whole, digits: string) =>
      Number(digits) < 128 ? String.fromCharCode(Number(digits)) : whole,
    )
    .replace(/&(?:lowbar|underbar|hyphen);/gi, (name) => namedEntities[name.toLowerCase()] ?? name);
}

const fromHex = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

/** Redacts an issue, which repeats names and values of the request. */
export const redactIssue = ({ path, message, ...rest }: Issue): Issue => ({
  ...rest,
  path: redactKeys(path),
  message: redactKeys(message),
});
