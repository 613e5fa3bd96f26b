/** Text in lines: which font has each character, where a line may end, and the order in which its parts are drawn. */
import createBidi, { type EmbeddingLevels } from 'bidi-js';
import type { DocumentFont } from './fonts.ts';
import { listWords } from './lineBreaks.ts';

/** Text of one font and one direction. */
interface TextRun {
  font: DocumentFont;
  text: string;
  /** Set for text from right to left: shaped as a whole, because its words follow each other from right to left. */
  features?: string[];
  /** At a size of one point. */
  width: number;
}

export interface TextLine {
  /** In the order in which they are drawn, from left to right. */
  runs: TextRun[];
  /** At a size of one point. */
  width: number;
  /** The text in the order in which it is read, if the runs do not show it. */
  actualText?: string;
}

const bidi = createBidi();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Letters from right to left, and marks of direction. */
const rightToLeft = /[\u0590-\u08FF\u200F\u2067\uFB1D-\uFDFF\uFE70-\uFEFC]/;
/** Letters of the Hebrew and the Arabic script, and the marks that combine with them. */
const rightToLeftLetter =
  /[\u0591-\u05F4\u0600-\u061B\u061D-\u065F\u066E-\u06DC\u06FA-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;
/** Characters that are not drawn. Joiners are part of words of the Arabic script, and so remain in them. */
const invisible = /[\u00AD\u061C\u200B\u200E\u200F\u2060-\u2069]/g;
const invisibleOutsideWords = /[\u00AD\u061C\u200B-\u200F\u2060-\u2069]|\p{Variation_Selector}/gu;
const isInvisible = /^(?:[\u00AD\u061C\u200B-\u200F\u2060-\u2069]|\p{Variation_Selector})$/u;
/** Text without marks that combine, from left to right. */
// oxlint-disable-next-line no-control-regex -- any text
const isPlain = /^[\u0000-\u02FF\u2010-\u2027\u202F-\u205E\u20A0-\u20CF\u2212]*$/;
const isLetter = /\p{L}/u;
/** Emoji, Devanagari, Bengali and Tamil, whose joiners and variation selectors choose the glyph. */
const usesJoiners = /\p{Extended_Pictographic}|[\u0900-\u09FF\u0B80-\u0BFF]/u;
/** Text of which the glyphs may be in another order, or stand for several characters or for another one. */
const isReshaped =
  /[\u0900-\u0DFF\u0E33\u1000-\u109F\u1780-\u17FF\u2E80-\u2FDF\uF900-\uFAFF]|\uFE0F|\u20E3|[\u{10000}-\u{10FFFF}]/u;
const replacement = '\uFFFD';
/** The place of characters that no font has, in `Paragraph.fonts`. */
const missing = 255;
/** Marks on one character that are drawn; text in its normal form has fewer (UAX 15, stream-safe text). */
const excessMarks = /(\p{M}{30})\p{M}+/gu;
/** The Thai vowel am: its ring belongs below the tone mark, its other part after both. */
const thaiAm = /([\u0E48-\u0E4B]*)\u0E33/g;

/** A paragraph: its text, and the font of each of its code units. */
interface Paragraph {
  text: string;
  fonts: Uint8Array;
  family: DocumentFont[];
  levels?: EmbeddingLevels;
}

/**
 * Breaks text into lines of at most `width` (at a size of one point). Line breaks in the text remain; words wider than a
 * line are divided. Characters that no font has are drawn as U+FFFD. In a document of the direction `rtl`, text with letters
 * from right to left has this direction; elsewhere, the first letter decides.
 */
export function breakLines(
  text: string,
  family: DocumentFont[],
  width: number,
  direction: 'ltr' | 'rtl',
): TextLine[] {
  const base = direction === 'rtl' ? 'rtl' : 'auto';
  return text.split('\n').flatMap((paragraph) => breakParagraph(chooseFonts(paragraph, family, base), width));
}

function chooseFonts(text: string, family: DocumentFont[], base: 'rtl' | 'auto'): Paragraph {
  const fonts = new Uint8Array(text.length);
  if (isPlain.test(text) && hasAllOf(family[0]!, text)) return { text, fonts, family };
  const preferring = family.flatMap((font, place) => (font.preferred?.test(text) ? [place] : []));
  let at = 0;
  let current = 0;
  for (const grapheme of splitGraphemes(text)) {
    const found = findFont(grapheme, family, current, preferring);
    fonts.fill(found, at, at + grapheme.length);
    at += grapheme.length;
    current = found === missing ? 0 : found;
  }
  const levels = rightToLeft.test(text) ? bidi.getEmbeddingLevels(text, base) : undefined;
  return { text, fonts, family, levels };
}

/** Whether a font has all characters of plain text. */
function hasAllOf(font: DocumentFont, text: string): boolean {
  for (let at = 0; at < text.length; at++)
    if (!font.hasGlyph(text.charCodeAt(at)) && !isInvisible.test(text[at]!)) return false;
  return true;
}

/** Returns the place of the first font that has all of a grapheme, or `missing`. `preferring` are searched before all others. */
function findFont(grapheme: string, family: DocumentFont[], current: number, preferring: number[]): number {
  const characters = Array.from(grapheme);
  const hasAll = (font: DocumentFont) =>
    (!font.covered || font.covered.test(grapheme)) &&
    characters.every((character) => isInvisible.test(character) || font.hasGlyph(character.codePointAt(0)!));
  for (const place of preferring)
    if (family[place]!.preferred!.test(grapheme) && hasAll(family[place]!)) return place;
  // Spaces, digits and punctuation continue the font of the word before them.
  if (!isLetter.test(grapheme) && hasAll(family[current]!)) return current;
  const found = family.findIndex(hasAll);
  return found < 0 ? missing : found;
}

/** Splits text into what readers see as characters. */
function splitGraphemes(text: string): Iterable<string> {
  if (isPlain.test(text)) return text;
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function breakParagraph(paragraph: Paragraph, width: number): TextLine[] {
  const { text } = paragraph;
  const lines: TextLine[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  const finish = (next: number) => {
    lines.push(buildLine(paragraph, start, end));
    [start, end, used] = [next, next, 0];
  };
  for (const [from, to] of listWords(text)) {
    const full = measure(paragraph, from, to);
    const wordWidth = full - (to - trimEnd(text, from, to)) * paragraph.family[0]!.measure(' ');
    if (used + wordWidth > width && end > start) finish(from);
    if (wordWidth > width) {
      for (const [first, last] of divideWord(paragraph, from, to, width)) {
        if (end > start) finish(first);
        end = last;
      }
      used = measure(paragraph, start, end);
    } else {
      end = to;
      used += full;
    }
  }
  finish(text.length);
  return lines;
}

/** Divides a word into the longest parts that fit. */
function* divideWord(
  paragraph: Paragraph,
  from: number,
  to: number,
  width: number,
): Generator<[from: number, to: number]> {
  let start = from;
  let at = from;
  let used = 0;
  for (const grapheme of splitGraphemes(paragraph.text.slice(from, to))) {
    const size = measure(paragraph, at, at + grapheme.length);
    if (used + size > width && at > start) {
      yield [start, at];
      [start, used] = [at, 0];
    }
    used += size;
    at += grapheme.length;
  }
  yield [start, to];
}

function trimEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text[end - 1] === ' ') end--;
  return end;
}

/** Measures text without regard to its order. */
function measure(paragraph: Paragraph, from: number, to: number): number {
  let width = 0;
  for (const [start, end] of splitByFont(paragraph, from, to)) {
    const { font, text } = prepareText(paragraph, start, end);
    width += font.measure(text.replace(invisible, ''));
  }
  return width;
}

function* splitByFont({ fonts }: Paragraph, from: number, to: number): Generator<[number, number]> {
  let start = from;
  for (let at = from + 1; at <= to; at++) {
    if (at < to && fonts[at] === fonts[start]) continue;
    yield [start, at];
    start = at;
  }
}

function buildLine(paragraph: Paragraph, from: number, to: number): TextLine {
  const end = trimEnd(paragraph.text, from, to);
  const { text, levels } = paragraph;
  const runs = levels
    ? orderRuns(paragraph, levels, from, end)
    : Array.from(splitByFont(paragraph, from, end), ([start, last]) =>
        buildRun(paragraph, start, last, false),
      );
  const visible = runs.filter((run) => run.text !== '');
  const read = text.slice(from, end);
  const isOther = levels || isReshaped.test(read) || paragraph.fonts.subarray(from, end).includes(missing);
  return {
    runs: visible,
    width: visible.reduce((total, { width }) => total + width, 0),
    ...(isOther && { actualText: read.replace(invisible, '') }),
  };
}

/** Orders the parts of a line by the Unicode bidirectional algorithm (UAX 9, rules L1 and L2). */
function orderRuns(paragraph: Paragraph, levels: EmbeddingLevels, from: number, to: number): TextRun[] {
  if (to <= from) return [];
  const order = Array.from({ length: to - from }, (_, index) => from + index);
  for (const [first, last] of bidi.getReorderSegments(paragraph.text, levels, from, to - 1)) {
    const flipped = order.slice(first - from, last - from + 1).toReversed();
    order.splice(first - from, flipped.length, ...flipped);
  }
  const isOdd = (index: number) => levels.levels[index]! % 2 === 1;
  const runs: TextRun[] = [];
  let start = 0;
  for (let at = 1; at <= order.length; at++) {
    const [previous, next] = [order[at - 1]!, order[at]];
    const step = isOdd(previous) ? -1 : 1;
    if (
      next === previous + step &&
      isOdd(next) === isOdd(previous) &&
      paragraph.fonts[next] === paragraph.fonts[previous]
    )
      continue;
    const [first, last] = [order[start]!, previous].toSorted((one, other) => one - other);
    runs.push(buildRun(paragraph, first!, last! + 1, isOdd(previous)));
    start = at;
  }
  return runs;
}

/** Returns the text of a part with one font as it is drawn, in the order in which it is read. */
function prepareText({ text, fonts, family }: Paragraph, from: number, to: number) {
  const logical = text.slice(from, to);
  if (fonts[from] === missing) {
    const font = family.find((each) => each.hasGlyph(replacement.codePointAt(0)!)) ?? family[0]!;
    return { font, text: replacement.repeat(Array.from(splitGraphemes(logical)).length) };
  }
  const drawn = logical.replace(excessMarks, '$1').replace(thaiAm, '\u0E4D$1\u0E32');
  return { font: family[fonts[from]!]!, text: drawn };
}

function buildRun(paragraph: Paragraph, from: number, to: number, isRtl: boolean): TextRun {
  const { font, text } = prepareText(paragraph, from, to);
  const hasLetters = rightToLeftLetter.test(text);
  const keepsJoiners = hasLetters || usesJoiners.test(text);
  const visible = text.replace(keepsJoiners ? invisible : invisibleOutsideWords, '');
  if (!isRtl) return finishRun(font, visible, hasLetters);
  const parts = hasLetters ? visible : splitGraphemes(visible);
  const mirrored = Array.from(parts, (part) => bidi.getMirroredCharacter(part) ?? part);
  // The font orders letters and their marks; other characters are in the order in which they are drawn.
  return finishRun(font, (hasLetters ? mirrored : mirrored.toReversed()).join(''), hasLetters);
}

function finishRun(font: DocumentFont, text: string, isWhole: boolean): TextRun {
  const features = isWhole ? [] : undefined;
  // pdfkit shapes each word with the space after it by itself.
  const parts = features ? [text] : text.split(/(?<=[ \t])/);
  const width = parts.reduce((total, part) => total + font.measure(part, features), 0);
  return { font, text, features, width };
}
