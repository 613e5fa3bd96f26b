/** How texts are compared in searches: without case, accents and invisible characters. */

/** Letters that Unicode does not decompose, and Arabic letters that Persian writes otherwise. */
const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ي: 'ی',
  ى: 'ی',
  ك: 'ک',
};
const letterForm = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');

/** The first digit of the Arabic and of the Persian digits. */
const digitStarts = [0x660, 0x6f0];

const toAsciiDigit = (digit: string) => {
  const code = digit.codePointAt(0)!;
  return String(code - digitStarts.findLast((start) => start <= code)!);
};

const isPlain = /^[\u0020-\u007e]*$/;

/** Returns a text in lower case without accents, control and format characters, with single spaces. */
export function foldText(text: string): string {
  const folded = isPlain.test(text)
    ? text.toLowerCase()
    : text
        .toWellFormed()
        .normalize('NFKD')
        .replace(/[\p{M}\p{Cf}]/gu, '')
        .replace(/\p{Cc}/gu, ' ')
        .toLowerCase()
        // The lower case of İ has an accent of its own.
        .replace(/\p{M}/gu, '')
        .replace(letterForm, (letter) => letters[letter]!)
        .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, toAsciiDigit);
  return folded.trim().replace(/ +/g, ' ');
}

/** The number of characters of the parts that are indexed. */
const gramLength = 3;

/** Returns all different parts of three characters of a text. */
export function listGrams(text: string): string[] {
  const grams = new Set<string>();
  const characters = Array.from(text);
  for (let end = gramLength; end <= characters.length; end++)
    grams.add(characters.slice(end - gramLength, end).join(''));
  return [...grams];
}

/** Returns parts of three characters that together have all characters of a text; none for a shorter text. */
export function coverByGrams(text: string): string[] {
  const characters = Array.from(text);
  const grams: string[] = [];
  for (let start = 0; start + gramLength <= characters.length; start += gramLength)
    grams.push(characters.slice(start, start + gramLength).join(''));
  if (characters.length > gramLength) grams.push(characters.slice(-gramLength).join(''));
  return grams;
}

/** What is before each text of an entry of the index, and before each other word. */
const [textBegin, wordBegin] = ['\n ', ' '];

/** The characters for private use in the basic plane. */
const [firstMark, marks] = [0xe000, 6400];

/** Returns what is after a text in an entry: a mark that few other texts have, by which the whole text is found among many that only begin with it. */
function buildTextEnd(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++)
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) >>> 0;
  return String.fromCharCode(firstMark + (hash % marks));
}

/** Returns the text of an entry: folded texts, joined so that their beginnings and ends are parts of it. */
export const joinTexts = (texts: string[]): string =>
  `${texts.map((text) => `${textBegin}${text}${buildTextEnd(text)}`).join('')}\n`;

/**
 * Lists what an entry may have of a folded query, the best match first: the whole text, its beginning, the beginning of a word,
 * its words in any order at the beginnings of words, and anywhere. Each is a list of parts.
 */
export function listMatches(folded: string): string[][] {
  const words = folded.split(' ');
  return [
    [`${textBegin}${folded}${buildTextEnd(folded)}`],
    [`${textBegin}${folded}`],
    [`${wordBegin}${folded}`],
    words.map((word) => `${wordBegin}${word}`),
    words,
  ];
}
