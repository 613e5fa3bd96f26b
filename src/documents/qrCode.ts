/** QR codes as drawings. */
import { encode } from 'uqr';

/** A square of dark modules as an SVG path; a module measures 1 × 1. */
export interface QrCode {
  size: number;
  /** The modules of the quiet zone at each side, within `size`. */
  quiet: number;
  path: string;
}

/** Encodes text as bytes of UTF-8 at level M; undefined if it needs a larger version of the code. */
export function encodeModules(text: string, maxVersion: number, maxBytes: number): boolean[][] | undefined {
  const bytes = [...Buffer.from(text, 'utf8')];
  if (bytes.length > maxBytes) return undefined;
  return encode(bytes, { ecc: 'M', border: 0, maxVersion }).data;
}

/** Draws modules with a quiet zone around them. */
export const drawModules = (modules: boolean[][], quietModules: number): QrCode => ({
  size: modules.length + 2 * quietModules,
  quiet: quietModules,
  path: modules.flatMap((row, y) => drawRow(row, quietModules, y + quietModules)).join(''),
});

/** Draws each sequence of dark modules of a row as a rectangle. */
function drawRow(row: boolean[], left: number, y: number): string[] {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('');
  return [...text.matchAll(/1+/g)].map(
    ({ index, 0: { length } }) => `M${index + left} ${y}h${length}v1h-${length}z`,
  );
}
