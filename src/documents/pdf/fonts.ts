/** The fonts inside documents, and the cached shapes of words in them. */
import { brotliDecompressSync } from 'node:zlib';
import { create, type Font, type Glyph, type GlyphPosition } from 'fontkit';
import { makeOnce } from '../../lib/makeOnce.ts';
import type { DocumentFonts, ScriptFontFiles } from '../assets.ts';
import { coveredBy, isEmoji, type ScriptFont } from '../scriptFonts.ts';
import type { DocumentTag } from '../texts.ts';

/** A font that remembers the shapes of its words, also from one document to the next. */
export interface DocumentFont {
  /** What pdfkit embeds: the font with a `layout` that reads the cache. */
  readonly font: Font;
  hasGlyph(codePoint: number): boolean;
  /** Returns the width of text at a size of one point. Text from right to left has (possibly no) features. */
  measure(text: string, features?: string[]): number;
  /** The height of capital letters at a size of one point. */
  readonly capHeight: number;
  /** The characters of which it may have glyphs; absent for the common fonts. */
  readonly covered?: RegExp;
  /** The characters for which it is searched before all others. */
  readonly preferred?: RegExp;
  /** Drawn with thicker strokes, as the font has one weight. */
  readonly isThickened?: boolean;
  /** Of Swiss payment slips. */
  readonly isOfSlips?: boolean;
}

type FontOptions = Pick<DocumentFont, 'covered' | 'preferred' | 'isThickened' | 'isOfSlips'>;

/** Regular and semibold fonts in the order in which glyphs are searched. */
export type FontFamily = Record<'regular' | 'strong', DocumentFont[]>;

/** Words of one font that are remembered. */
const largestCache = 20_000;

/** Opens the fonts of all documents, each when it is first needed. */
export function openFonts(files: DocumentFonts): FontFamily {
  const open = (names: (keyof DocumentFonts)[]) => [
    ...names.map((name) => openFont(() => files[name])),
    // Devanagari is shaped apart from Latin letters in the same word.
    openFont(() => files[names[0]!], { covered: devanagari, preferred: devanagari }),
  ];
  return {
    regular: open(['latin', 'persian', 'hebrew']),
    strong: open(['latinStrong', 'persianStrong', 'hebrewStrong']),
  };
}

const devanagari = /[\u0900-\u0963\u0966-\u097F\u1CD0-\u1CF9\uA8E0-\uA8FF]/;

/** Opens the font of a script. It is decompressed when it is first needed. */
function openScriptFont(
  name: ScriptFont,
  { regular, strong }: ScriptFontFiles,
): Record<keyof FontFamily, DocumentFont> {
  const options =
    name === 'slip'
      ? { isOfSlips: true }
      : { covered: coveredBy[name], ...(name === 'emoji' && { preferred: isEmoji }) };
  return {
    regular: openFont(() => brotliDecompressSync(regular), options),
    strong: openFont(() => brotliDecompressSync(strong ?? regular), {
      ...options,
      isThickened: strong === undefined && name !== 'emoji',
    }),
  };
}

/** The fonts of documents: the common ones, and those of scripts that were needed so far. */
export interface FontLibrary {
  /** Adds fonts of scripts. */
  add(files: Partial<Record<ScriptFont, ScriptFontFiles>>): void;
  /** Returns the common fonts and, to be searched after them, those of scripts, which have been added. */
  choose(scripts: ScriptFont[]): FontFamily;
}

/** Creates a library with the common fonts. */
export function createFontLibrary(files: DocumentFonts): FontLibrary {
  const { regular, strong } = openFonts(files);
  const added = new Map<ScriptFont, Record<keyof FontFamily, DocumentFont>>();
  return {
    add: (newFiles) => {
      for (const [name, file] of Object.entries(newFiles) as [ScriptFont, ScriptFontFiles][])
        added.set(name, openScriptFont(name, file));
    },
    choose: (scripts) => {
      const fonts = scripts.map((name) => added.get(name)!);
      return {
        regular: [...regular, ...fonts.map((font) => font.regular)],
        strong: [...strong, ...fonts.map((font) => font.strong)],
      };
    },
  };
}

/** The place of the font in which a language is set, and the Latin words within its text. Other languages have the first. */
const ownFonts: Partial<Record<DocumentTag, number>> = { fa: 1, ar: 1, he: 2 };

/** Returns the fonts in the order in which a language searches them: its own first. */
export function orderFamily({ regular, strong }: FontFamily, tag: DocumentTag): FontFamily {
  const own = ownFonts[tag] ?? 0;
  const order = (fonts: DocumentFont[]) => [fonts[own]!, ...fonts.filter((_, index) => index !== own)];
  return { regular: order(regular), strong: order(strong) };
}

function openFont(read: () => Uint8Array, options: FontOptions = {}): DocumentFont {
  const open = makeOnce(() => create(Buffer.from(read())) as Font);
  const cache = new Map<string, { glyphs: Glyph[]; positions: GlyphPosition[]; advanceWidth: number }>();
  const shape = (text: string, features?: string[]) => {
    const key = features ? `\n${text}` : text;
    const known = cache.get(key);
    if (known) return known;
    if (cache.size === largestCache) cache.clear();
    // The direction is known from the text around; the font's own guess would reverse Persian digits.
    const direction = features ? 'rtl' : 'ltr';
    const { glyphs, positions, advanceWidth } = open().layout(
      text,
      features,
      undefined,
      undefined,
      direction,
    );
    const made = { glyphs: nameGlyphs(open(), text, glyphs), positions, advanceWidth };
    cache.set(key, made);
    return made;
  };
  // pdfkit scales the positions in place.
  const layout = (text: string, features?: string[]) => {
    const { glyphs, positions, advanceWidth } = shape(text, features);
    return { glyphs, positions: positions.map((position) => ({ ...position })), advanceWidth };
  };
  const embedded = makeOnce(() => Object.assign(Object.create(open()) as Font, { layout }));
  return {
    ...options,
    get font() {
      return embedded();
    },
    hasGlyph: (codePoint) => open().hasGlyphForCodePoint(codePoint),
    measure: (text, features) => shape(text, features).advanceWidth / open().unitsPerEm,
    get capHeight() {
      return open().capHeight / open().unitsPerEm;
    },
  };
}

/**
 * Names glyphs by the characters of this text. A glyph that several characters share has the one for which the font made it
 * first, perhaps in another document.
 */
function nameGlyphs(font: Font, text: string, glyphs: Glyph[]): Glyph[] {
  const points = Array.from(text, (character) => character.codePointAt(0)!);
  if (points.length !== glyphs.length) return glyphs;
  return glyphs.map((glyph, index) => {
    const point = points[index]!;
    const isOther = glyph.codePoints.length === 1 && glyph.codePoints[0] !== point;
    if (!isOther || font.glyphForCodePoint(point).id !== glyph.id) return glyph;
    return Object.create(glyph, { codePoints: { value: [point] } }) as Glyph;
  });
}
