/** Text in lines: which font has each character, where a line may end, and the order in which its parts are drawn. */
import createBidi, { type EmbeddingLevels } from 'bidi-js';
import type { DocumentFont } from './fonts.ts';

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
const isLetter = /\p{L}/u;
/** Where a line may end: after spaces and after some punctuation. */
const breakable = /[ \u1680\u2000-\u2006\u2008-\u200B\u205F\u3000]+|[-–—/·|]+(?=[^\s\d])/g;
const replacement = '\uFFFD';

/** A paragraph: the text that is drawn, and the font of each of its code units. */
interface Paragraph {
  text: string;
  fonts: Uint8Array;
  family: DocumentFont[];
  levels?: EmbeddingLevels;
  original?: string;
}

/**
 * Breaks text into lines of at most `width` (at a size of one point). Line breaks in the text remain; words wider than a
 * line are divided. Characters that no font has become U+FFFD. In a document of the direction `rtl`, text with letters
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
  const fonts: number[] = [];
  let shown = '';
  let current = 0;
  for (const grapheme of splitGraphemes(text)) {
    const points = Array.from(grapheme).filter((character) => !isInvisible.test(character));
    const hasAll = (font: DocumentFont) =>
      points.every((character) => font.hasGlyph(character.codePointAt(0)!));
    // Spaces, digits and punctuation continue the font of the word before them.
    const stays = !isLetter.test(grapheme) && hasAll(family[current]!);
    const found = stays ? current : family.findIndex(hasAll);
    const part = found < 0 ? replacement : grapheme;
    current = Math.max(found, 0);
    shown += part;
    for (let unit = 0; unit < part.length; unit++) fonts.push(current);
  }
  return {
    text: shown,
    fonts: Uint8Array.from(fonts),
    family,
    levels: rightToLeft.test(shown) ? bidi.getEmbeddingLevels(shown, base) : undefined,
    original: shown === text ? undefined : text,
  };
}

/** Splits text into what readers see as characters. */
function splitGraphemes(text: string): Iterable<string> {
  // oxlint-disable-next-line no-control-regex -- text without marks that combine
  if (/^[\u0000-\u02FF\u2010-\u2027\u202F-\u205E\u20A0-\u20CF\u2212]*$/.test(text)) return text;
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

/** Lists the parts between which a line may end. Spaces belong to the word before them. */
function* listWords(text: string): Generator<[from: number, to: number]> {
  let from = 0;
  for (const {
    index,
    0: { length },
  } of text.matchAll(breakable)) {
    yield [from, index + length];
    from = index + length;
  }
  if (from < text.length) yield [from, text.length];
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
    const font = paragraph.family[paragraph.fonts[start]!]!;
    width += font.measure(paragraph.text.slice(start, end).replace(invisible, ''));
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
  const { text, original, levels } = paragraph;
  const runs = levels
    ? orderRuns(paragraph, levels, from, end)
    : Array.from(splitByFont(paragraph, from, end), ([start, last]) =>
        buildRun(paragraph, start, last, false),
      );
  const visible = runs.filter((run) => run.text !== '');
  const isWhole = from === 0 && end === text.length;
  const actualText = isWhole && original !== undefined ? original : text.slice(from, end);
  return {
    runs: visible,
    width: visible.reduce((total, { width }) => total + width, 0),
    ...((levels || original !== undefined) && { actualText: actualText.replace(invisible, '') }),
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

function buildRun(paragraph: Paragraph, from: number, to: number, isRtl: boolean): TextRun {
  const font = paragraph.family[paragraph.fonts[from]!]!;
  const logical = paragraph.text.slice(from, to);
  const hasLetters = rightToLeftLetter.test(logical);
  const characters = Array.from(logical.replace(hasLetters ? invisible : invisibleOutsideWords, ''));
  if (!isRtl) return finishRun(font, characters.join(''), hasLetters);
  const mirrored = characters.map((character) => bidi.getMirroredCharacter(character) ?? character);
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
