/** Windows-1252, which older programs read. What it does not have is written with letters that it has. */

/** The characters of the bytes 0x80 to 0x9f; the others are those of Latin-1. Five bytes have none. */
const upper = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

const listBytes = (from: number, until: number): [string, number][] =>
  Array.from({ length: until - from }, (_, nth) => [String.fromCharCode(from + nth), from + nth]);

const bytes: ReadonlyMap<string, number> = new Map([
  ...listBytes(0x20, 0x7f),
  ...listBytes(0xa0, 0x100),
  ...Array.from(upper)
    .map((character, nth): [string, number] => [character, 0x80 + nth])
    .filter(([each]) => each !== '\0'),
  ...[0x09, 0x0a, 0x0d].map((code): [string, number] => [String.fromCharCode(code), code]),
]);

const pairs = (letters: string, latin: string): [string, string][] => {
  const parts = latin.split(' ');
  return Array.from(letters, (letter, nth) => [letter, parts[nth]!]);
};

/** Letters without a decomposition into those that the code page has. */
const latin: ReadonlyMap<string, string> = new Map([
  ...pairs('łđħıŋŧƶœĸſȷəɛɔ', 'l d h i ng t z oe k s j e e o'),
  ...pairs('ŁĐĦŊŦƵƏƐƆ', 'L D H NG T Z E E O'),
  // Cyrillic, by ISO 9 without its diacritics; Ukrainian and Serbian letters as their languages have them.
  ...pairs(
    'абвгдежзийклмнопрстуфхцчшщъыьэюя',
    'a b v g d e zh z i j k l m n o p r s t u f kh ts ch sh shch " y \' e yu ya',
  ),
  ...pairs('ґєіїўђјљњћџѓќѕ', 'g ye i yi u dj j lj nj c dz gj kj dz'),
  // Greek, by ISO 843.
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a v g d e z i th i k l m n x o p r s s t y f ch ps o'),
  ...pairs('’‐‑‒―′″∕⁄−×', "' - - - - ' \" / / - x"),
]);

/** What is left for a letter of a script without a rule. */
const unknown = '?';

function transliterateCharacter(character: string): string {
  if (bytes.has(character)) return character;
  const lower = character.toLowerCase();
  const known = latin.get(character) ?? latin.get(lower);
  if (known !== undefined) return lower === character || latin.has(character) ? known : capitalize(known);
  const parts = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (parts === character) return /\p{Z}/u.test(character) ? ' ' : unknown;
  return Array.from(parts, transliterateCharacter).join('');
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * Returns a text of characters that Windows-1252 has: letters without their marks, Cyrillic and Greek by their
 * transliteration, and a question mark for each letter of another script. Control characters become spaces.
 */
export function fitWindows1252(text: string): string {
  const characters = Array.from(text.normalize('NFC')).filter((each) => !/\p{M}|\p{Cf}/u.test(each));
  return characters.map((each) => (/\p{Cc}/u.test(each) ? ' ' : transliterateCharacter(each))).join('');
}

/** Encodes a text; `fitWindows1252` has to have returned it, or its parts. */
export function encodeWindows1252(text: string): Buffer {
  const encoded = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at += 1) encoded[at] = bytes.get(text[at]!) ?? unknown.charCodeAt(0);
  return encoded;
}
