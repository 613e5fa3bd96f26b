import type { Issue } from './errors.ts';

/**
 * API keys are never repeated in an error, a log line or a stored text, however a client has written them: error bodies
 * and logs are kept and shown to others.
 */

/** An API key, or so much of one that it is known whose it is and how it goes on; `_` also as what `%5F` leaves. */
const key = '(prn(?:_|_?5f)[a-z0-9-]{1,63}(?:_|_?5f)[0-9a-z]{12}(?:_|_?5f))[0-9a-z]{8,}';
const keyForm = new RegExp(key, 'i');
const everyKey = new RegExp(key, 'gi');

const withheld = '[withheld: it holds an API key]';

/** The shortest key has 57 characters; what is shorter encodes none. */
const base64Runs = /[A-Za-z0-9+/_-]{48,}/g;
const hexRuns = /(?:[0-9a-f]{2}){36,}/gi;
const mostDecodings = 6;
/** A text that takes more than this to search is withheld: the search must not become the attack. */
const mostCharacters = 400_000;

interface Budget {
  characters: number;
}

/**
 * The text without API keys. A key as it is loses its secret; a text that holds one encoded (percent-encoding, JSON or
 * HTML escapes, base64, hexadecimal, also one within the other) is withheld as a whole.
 */
export function redactKeys(text: string): string {
  const plain = text.replace(everyKey, '$1…');
  return searchEncoded(plain) ? withheld : plain;
}

/** Whether a text holds an API key, as it is or encoded. */
export const holdsKey = (text: string): boolean => keyForm.test(text) || searchEncoded(text);

const searchEncoded = (text: string) =>
  text.length >= 48 && holdsEncodedKey(text, mostDecodings, { characters: mostCharacters });

function holdsEncodedKey(text: string, decodingsLeft: number, budget: Budget): boolean {
  if (decodingsLeft === 0) return false;
  budget.characters -= text.length;
  if (budget.characters < 0) return true;
  return decodings(text).some(
    (decoded) => keyForm.test(decoded) || holdsEncodedKey(decoded, decodingsLeft - 1, budget),
  );
}

/** What the text says where it is read as each of the encodings that it could be in. */
function decodings(text: string): string[] {
  const found: string[] = [];
  const unescaped = unescape(text);
  if (unescaped !== text) found.push(unescaped);
  for (const [run] of text.matchAll(hexRuns)) {
    // A digit before it shifts the pairs by one.
    for (const shift of [0, 1]) keepReadable(found, Buffer.from(run.slice(shift), 'hex'));
  }
  for (const [run] of text.matchAll(base64Runs)) {
    for (const shift of [0, 1, 2, 3]) keepReadable(found, Buffer.from(run.slice(shift), 'base64'));
  }
  return found;
}

/** Bytes that are not text are no key, nor the encoding of one. */
function keepReadable(found: string[], bytes: Buffer): void {
  const text = bytes.toString('latin1').replace(/[^\x20-\x7e]+/g, ' ');
  if (/[\x21-\x7e]{48,}/.test(text)) found.push(text);
}

const namedEntities: Record<string, string> = { '&lowbar;': '_', '&underbar;': '_', '&hyphen;': '-' };

/** Percent-encoding, escapes of JSON and JavaScript, and character references of HTML, where they stand for ASCII. */
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

/** An issue repeats names and values of the request. */
export const redactIssue = ({ path, message, ...rest }: Issue): Issue => ({
  ...rest,
  path: redactKeys(path),
  message: redactKeys(message),
});
