/** The fonts inside documents, and the cached shapes of words in them. */
import { create, type Font, type Glyph, type GlyphPosition } from 'fontkit';
import type { DocumentFonts } from '../assets.ts';

/** A font that remembers the shapes of its words, also from one document to the next. */
export interface DocumentFont {
  /** What pdfkit embeds: the font with a `layout` that reads the cache. */
  font: Font;
  hasGlyph(codePoint: number): boolean;
  /** Returns the width of text at a size of one point. Text from right to left has (possibly no) features. */
  measure(text: string, features?: string[]): number;
  /** The height of capital letters at a size of one point. */
  capHeight: number;
}

/** Regular and semibold fonts in the order in which glyphs are searched. */
export type FontFamily = Record<'regular' | 'strong', DocumentFont[]>;

/** Words of one font that are remembered. */
const largestCache = 20_000;

/** Opens the fonts of all documents. */
export function openFonts(files: DocumentFonts): FontFamily {
  const open = (names: (keyof DocumentFonts)[]) => names.map((name) => openFont(files[name]));
  return {
    regular: open(['latin', 'persian']),
    strong: open(['latinStrong', 'persianStrong']),
  };
}

function openFont(file: Uint8Array): DocumentFont {
  const font = create(Buffer.from(file)) as Font;
  const cache = new Map<string, { glyphs: Glyph[]; positions: GlyphPosition[]; advanceWidth: number }>();
  const shape = (text: string, features?: string[]) => {
    const key = features ? `\n${text}` : text;
    const known = cache.get(key);
    if (known) return known;
    if (cache.size === largestCache) cache.clear();
    // The direction is known from the text around; the font's own guess would reverse Persian digits.
    const direction = features ? 'rtl' : 'ltr';
    const { glyphs, positions, advanceWidth } = font.layout(text, features, undefined, undefined, direction);
    const made = { glyphs, positions, advanceWidth };
    cache.set(key, made);
    return made;
  };
  // pdfkit scales the positions in place.
  const layout = (text: string, features?: string[]) => {
    const { glyphs, positions, advanceWidth } = shape(text, features);
    return { glyphs, positions: positions.map((position) => ({ ...position })), advanceWidth };
  };
  return {
    font: Object.assign(Object.create(font) as Font, { layout }),
    hasGlyph: (codePoint) => font.hasGlyphForCodePoint(codePoint),
    measure: (text, features) => shape(text, features).advanceWidth / font.unitsPerEm,
    capHeight: font.capHeight / font.unitsPerEm,
  };
}
