/** The fonts inside documents, and the cached shapes of words in them. */
import { create, type Font, type Glyph, type GlyphPosition } from 'fontkit';
import { makeOnce } from '../../lib/makeOnce.ts';
import type { DocumentFonts } from '../assets.ts';
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
}

/** Regular and semibold fonts in the order in which glyphs are searched. */
export type FontFamily = Record<'regular' | 'strong', DocumentFont[]>;

/** Words of one font that are remembered. */
const largestCache = 20_000;

/** Opens the fonts of all documents, each when it is first needed. */
export function openFonts(files: DocumentFonts): FontFamily {
  const open = (names: (keyof DocumentFonts)[]) => names.map((name) => openFont(files[name]));
  return {
    regular: open(['latin', 'persian', 'hebrew']),
    strong: open(['latinStrong', 'persianStrong', 'hebrewStrong']),
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

function openFont(file: Uint8Array): DocumentFont {
  const open = makeOnce(() => create(Buffer.from(file)) as Font);
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
    const made = { glyphs, positions, advanceWidth };
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
