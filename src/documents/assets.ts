import { assetPath, readAsset } from '../lib/assets.ts';
import type { ScriptFont } from './scriptFonts.ts';

/** The files of the fonts (TrueType). */
export interface DocumentFonts {
  latin: Uint8Array;
  latinStrong: Uint8Array;
  persian: Uint8Array;
  persianStrong: Uint8Array;
  hebrew: Uint8Array;
  hebrewStrong: Uint8Array;
}

/** The files of a script's font, compressed with Brotli: few documents need them. */
export interface ScriptFontFiles {
  regular: Uint8Array;
  /** Absent if the font has one weight. */
  strong?: Uint8Array;
}

/** What the rendering thread needs: its program, the fonts, and the colour profile sRGB. */
export interface PdfAssets {
  program: string;
  fonts: DocumentFonts;
  colorProfile: Uint8Array;
}

const folder = 'dist/documents';

/** Reads the files that the build has written; throws an Error if one is missing. */
export function readPdfAssets(): PdfAssets {
  return {
    program: read('thread.cjs').toString('utf8'),
    fonts: {
      latin: read('latin.ttf'),
      latinStrong: read('latin-strong.ttf'),
      persian: read('persian.ttf'),
      persianStrong: read('persian-strong.ttf'),
      hebrew: read('hebrew.ttf'),
      hebrewStrong: read('hebrew-strong.ttf'),
    },
    colorProfile: read('srgb.icc'),
  };
}

const scriptFontNames: Record<ScriptFont, [regular: string, strong?: string]> = {
  thai: ['thai', 'thai-strong'],
  bengali: ['bengali', 'bengali-strong'],
  tamil: ['tamil', 'tamil-strong'],
  georgian: ['georgian', 'georgian-strong'],
  armenian: ['armenian', 'armenian-strong'],
  symbols: ['symbols'],
  emoji: ['emoji'],
  chinese: ['chinese'],
  chineseTraditional: ['chinese-traditional'],
  japanese: ['japanese'],
  korean: ['korean'],
  slip: ['slip', 'slip-strong'],
};

/** Reads the font of a script; throws an Error if a file is missing. */
export function readScriptFont(name: ScriptFont): ScriptFontFiles {
  const [regular, strong] = scriptFontNames[name].map((file) => read(`${file}.ttf.br`));
  return { regular: regular!, ...(strong && { strong }) };
}

function read(name: string): Buffer {
  const content = readAsset(assetPath(`${folder}/${name}`));
  if (!content) throw new Error(`The program was built without ${folder}/${name}.`);
  return content;
}
