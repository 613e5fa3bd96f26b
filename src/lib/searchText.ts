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

const countCharacters = (text: string) => Array.from(text).length;

/** Whether a word is long enough for the index. */
export const hasGrams = (word: string): boolean => countCharacters(word) >= gramLength;

/** Returns all different parts of three characters of a text, none of which reaches over the end of a line. */
export function listGrams(text: string): string[] {
  const grams = new Set<string>();
  for (const line of text.split('\n')) {
    const characters = Array.from(line);
    for (let end = gramLength; end <= characters.length; end++)
      grams.add(characters.slice(end - gramLength, end).join(''));
  }
  return [...grams];
}
