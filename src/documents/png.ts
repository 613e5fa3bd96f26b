/** The structure of PNG images (ISO/IEC 15948). */
import { crc32, createInflate } from 'node:zlib';

/** What an image states about itself. */
export interface PngFacts {
  width: number;
  height: number;
  /** The compressed pixels. */
  compressed: Buffer[];
  /** The bytes of a row of pixels: its filter, and its samples. */
  rowBytes: number;
}

/** Filters are numbered from 0. */
const lastFilter = 4;

/** Samples of a pixel by colour type, and the depths that the type allows. */
const colorTypes: Record<number, { samples: number; depths: number[] }> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

const damaged = 'must be an undamaged image';

/** Reads the header and the chunks of an image; returns a message if it cannot be shown. */
export function readPng(image: Buffer): PngFacts | string {
  const chunks = readChunks(image);
  if (!chunks) return damaged;
  const [header] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') return damaged;
  if (chunks.some(({ type }) => /^(acTL|fcTL|fdAT)$/.test(type))) return 'must not be animated';
  const width = header.data.readUInt32BE(0);
  const height = header.data.readUInt32BE(4);
  const [depth, colorType, compression, filter, interlace] = header.data.subarray(8);
  const color = colorTypes[colorType!];
  if (!color?.depths.includes(depth!) || compression !== 0 || filter !== 0) return damaged;
  if (interlace !== 0) return 'must not be interlaced';
  if (colorType === 3 && !hasPalette(chunks)) return damaged;
  const compressed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  return { width, height, compressed, rowBytes: 1 + Math.ceil((width * color.samples * depth!) / 8) };
}

/**
 * Whether the pixels of an image are as many as it states, in rows with a known filter. Stops as soon as they are more:
 * a few bytes can inflate to gigabytes.
 */
export async function hasAllPixels({ compressed, rowBytes, height }: PngFacts): Promise<boolean> {
  const expected = rowBytes * height;
  let length = 0;
  const inflate = createInflate();
  try {
    for await (const chunk of inflate.end(Buffer.concat(compressed)) as AsyncIterable<Buffer>) {
      const firstRow = (rowBytes - (length % rowBytes)) % rowBytes;
      for (let row = firstRow; row < chunk.length; row += rowBytes) {
        if (chunk[row]! > lastFilter) return false;
      }
      length += chunk.length;
      if (length > expected) return false;
    }
  } catch {
    return false;
  } finally {
    inflate.destroy();
  }
  return length === expected;
}

interface Chunk {
  type: string;
  data: Buffer;
}

function readChunks(image: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let at = 8;
  while (at + 12 <= image.length) {
    const length = image.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > image.length) return undefined;
    const type = image.toString('latin1', at + 4, at + 8);
    if (crc32(image.subarray(at + 4, end)) !== image.readUInt32BE(end)) return undefined;
    chunks.push({ type, data: image.subarray(at + 8, end) });
    at = end + 4;
    if (type === 'IEND') break;
  }
  return at === image.length ? chunks : undefined;
}

function hasPalette(chunks: Chunk[]): boolean {
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data.length ?? 0;
  return palette > 0 && palette % 3 === 0 && palette <= 768;
}
