/** Marks around text of unknown direction, so that it does not reorder the text beside it (UAX 9). */
const [isolate, popIsolate] = ['\u2068', '\u2069'];

/**
 * Returns text as documents may contain it: well-formed and composed (NFC), without control characters except line
 * breaks, and without characters that change the direction of other text.
 */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029\v\f]/g, '\n')
    .replace(/\t/g, ' ')
    // oxlint-disable-next-line no-control-regex -- these are the characters to remove
    .replace(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]/g, '');

/** Like `cleanText`, on one line. */
export const cleanLine = (text: string): string =>
  cleanText(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();

/** Returns cleaned text that may stand inside a sentence of another direction. */
export const isolateText = (text: string): string => `${isolate}${text}${popIsolate}`;
