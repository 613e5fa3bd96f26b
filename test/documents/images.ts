/** Images for the tests of logos, written byte by byte. */
import { crc32, deflateSync } from 'node:zlib';

export interface PngInput {
  width?: number;
  height?: number;
  depth?: number;
  colorType?: number;
  interlace?: number;
  /** Without it, rows of a gradient. */
  pixels?: Buffer;
  /** Chunks before the pixels. */
  chunks?: [type: string, data: Buffer][];
  after?: [type: string, data: Buffer][];
}

const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Builds a PNG image. */
export function buildPng(input: PngInput = {}): Buffer {
  const { width = 60, height = 20, depth = 8, colorType = 2, interlace = 0, chunks = [], after = [] } = input;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlace], 8);
  const rowBytes = 1 + Math.ceil((width * samples[colorType]! * depth) / 8);
  const pixels =
    input.pixels ??
    Buffer.concat(
      Array.from({ length: height }, (_, y) =>
        Buffer.from(Array.from({ length: rowBytes }, (__, x) => (x === 0 ? 0 : (x * 3 + y * 5) % 200))),
      ),
    );
  const palette: [string, Buffer][] = colorType === 3 ? [['PLTE', Buffer.alloc(256 * 3, 90)]] : [];
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[
      ['IHDR', header] as const,
      ...palette,
      ...chunks,
      ['IDAT', deflateSync(pixels)] as const,
      ...after,
      ['IEND', Buffer.alloc(0)] as const,
    ].map(([type, data]) => buildChunk(type, data)),
  ]);
}

function buildChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}

/** Builds the header of a JPEG image with a scan of zeros, which says its size and colours. */
export function buildJpeg({ width = 60, height = 20, components = 3, frame = 0xc0 } = {}): Buffer {
  const segment = (marker: number, data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
  const sizes = [height >> 8, height & 255, width >> 8, width & 255];
  const described = Array.from({ length: components }, (_, index) => [index + 1, 0x11, 0]).flat();
  return Buffer.from([
    0xff,
    0xd8,
    ...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(frame, [8, ...sizes, components, ...described]),
    ...segment(0xda, [
      components,
      ...Array.from({ length: components }, (_, index) => [index + 1, 0]).flat(),
      0,
      63,
      0,
    ]),
    ...Array.from({ length: 40 }, () => 0),
    0xff,
    0xd9,
  ]);
}
