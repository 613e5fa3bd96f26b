/** The structure of JPEG images (ITU-T T.81). */

export interface JpegFacts {
  width: number;
  height: number;
}

const damaged = 'must be an undamaged image';

/** Baseline, extended sequential and progressive, coded by Huffman: what PDF viewers decode. */
const shownFrames = new Set([0xc0, 0xc1, 0xc2]);
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const [startOfScan, endOfImage] = [0xda, 0xd9];

/** Reads the segments of an image up to its pixels; returns a message if it cannot be shown. */
export function readJpeg(image: Buffer): JpegFacts | string {
  if (image.readUInt16BE(image.length - 2) !== 0xff00 + endOfImage) return damaged;
  let facts: JpegFacts | undefined;
  let at = 2;
  while (at + 4 <= image.length) {
    if (image[at] !== 0xff) return damaged;
    const marker = image[at + 1]!;
    const length = image.readUInt16BE(at + 2);
    const data = image.subarray(at + 4, at + 2 + length);
    if (length < 2 || data.length !== length - 2) return damaged;
    if (marker === startOfScan) return facts ?? damaged;
    if (isFrame(marker)) {
      const frame = readFrame(marker, data);
      if (typeof frame === 'string') return frame;
      facts = frame;
    }
    at += 2 + length;
  }
  return damaged;
}

function readFrame(marker: number, data: Buffer): JpegFacts | string {
  if (!shownFrames.has(marker)) return 'must be a baseline or progressive JPEG image';
  if (data.length < 6 || data[0] !== 8 || data.length !== 6 + 3 * data[5]!) return damaged;
  const components = data[5]!;
  if (components === 4) return 'must have the colours RGB, not CMYK';
  if (components !== 1 && components !== 3) return damaged;
  return { width: data.readUInt16BE(3), height: data.readUInt16BE(1) };
}
