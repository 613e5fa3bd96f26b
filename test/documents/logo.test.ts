/** Logos: which images are accepted, and that every accepted one is shown. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLogo } from '../../src/documents/logo.ts';
import { createPdfRenderer, type PdfRenderer } from '../../src/documents/pdfRenderer.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import { buildJpeg, buildPng } from './images.ts';
import { buildDocuments, listRoles, readPdf } from './pdfFile.ts';
import { persian, plainRecord } from './records.ts';

const truncate = (image: Buffer) => image.subarray(0, image.length - 30);
const change = (image: Buffer, at: number) => {
  const changed = Buffer.from(image);
  changed[at]! ^= 0xff;
  return changed;
};
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
/** 50 million zeros, in 50 KB. */
const bomb = Buffer.alloc(50_000_000);

const refused: Record<string, [image: Buffer | string, message: string]> = {
  'an SVG image': [Buffer.from(svg), 'must be a PNG or JPEG image'],
  'a GIF image': [Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), 'must be a PNG or JPEG image'],
  'a WebP image': [Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'must be a PNG or JPEG image'],
  'a PDF': [Buffer.from('%PDF-1.7 '), 'must be a PNG or JPEG image'],
  'an address': ['https://example.com/logo.png', 'must be an image in base64'],
  'a data address': [`data:image/png;base64,${buildPng().toString('base64')}`, 'must be an image in base64'],
  'no text': ['', 'must be an image in base64'],
  'base64 of addresses': [buildPng().toString('base64').replaceAll('A', '_'), 'must be an image in base64'],
  'more than 200 KiB': [Buffer.alloc(200 * 1024 + 1), 'must be at most 200 KiB'],
  'much more than 200 KiB': ['A'.repeat(4_000_000), 'must be at most 200 KiB'],
  'a PNG that is too wide': [
    buildPng({ width: 2001, height: 1 }),
    'must have at most 2000 × 2000 pixels, not 2001 × 1',
  ],
  'a PNG that is too high': [
    buildPng({ width: 1, height: 2001 }),
    'must have at most 2000 × 2000 pixels, not 1 × 2001',
  ],
  'a PNG of no size': [buildPng({ width: 0 }), 'must have at most 2000 × 2000 pixels, not 0 × 20'],
  'a PNG that claims four billion pixels': [
    buildPng({ width: 65_535, height: 65_535, pixels: Buffer.alloc(10) }),
    'must have at most 2000 × 2000 pixels, not 65535 × 65535',
  ],
  'a PNG that inflates to more than it states': [buildPng({ pixels: bomb }), 'must be an undamaged image'],
  'a PNG with too few pixels': [buildPng({ pixels: Buffer.alloc(100) }), 'must be an undamaged image'],
  'a PNG with an unknown filter': [
    buildPng({ width: 1, height: 1, pixels: Buffer.from([9, 1, 2, 3]) }),
    'must be an undamaged image',
  ],
  'a PNG with an unknown depth': [buildPng({ depth: 3 }), 'must be an undamaged image'],
  'a truncated PNG': [truncate(buildPng()), 'must be an undamaged image'],
  'a PNG with a wrong checksum': [change(buildPng(), 50), 'must be an undamaged image'],
  'a PNG with something behind it': [
    Buffer.concat([buildPng(), Buffer.from(svg)]),
    'must be an undamaged image',
  ],
  'a PNG with a palette of the wrong length': [
    buildPng({ colorType: 3, depth: 8, chunks: [] }).subarray(0, 33),
    'must be an undamaged image',
  ],
  'an animated PNG': [
    buildPng({ chunks: [['acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])]] }),
    'must not be animated',
  ],
  'an interlaced PNG': [buildPng({ interlace: 1 }), 'must not be interlaced'],
  'a JPEG in CMYK': [buildJpeg({ components: 4 }), 'must have the colours RGB, not CMYK'],
  'a JPEG without loss': [buildJpeg({ frame: 0xc3 }), 'must be a baseline or progressive JPEG image'],
  'a JPEG that is too wide': [
    buildJpeg({ width: 3000 }),
    'must have at most 2000 × 2000 pixels, not 3000 × 20',
  ],
  'a truncated JPEG': [truncate(buildJpeg()), 'must be an undamaged image'],
  'a JPEG of three bytes': [Buffer.from([0xff, 0xd8, 0xff]), 'must be an undamaged image'],
  'a JPEG with a segment beyond its end': [
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 0, 0xff, 0xd9]),
    'must be an undamaged image',
  ],
};

const toBase64 = (image: Buffer | string) => (typeof image === 'string' ? image : image.toString('base64'));

describe('refuses', () => {
  it.each(Object.entries(refused))('%s', async (_, [image, message]) => {
    await expect(parseLogo(toBase64(image), 'seller.logo')).rejects.toMatchObject({
      reason: 'validation_failed',
      issues: [{ path: 'seller.logo', message }],
    });
  });

  it('every image that is cut, without failing otherwise', async () => {
    for (const whole of [buildPng({ height: 2, width: 2 }), buildJpeg()]) {
      for (let length = 0; length < whole.length; length++) {
        const cut = whole.subarray(0, length).toString('base64');
        await expect(parseLogo(cut, 'logo'), `${length}`).rejects.toMatchObject({
          reason: 'validation_failed',
        });
      }
    }
  });
});

const transparency: [string, Buffer] = ['tRNS', Buffer.from([0, 128, 255])];
const accepted: Record<string, Buffer> = {
  'a PNG in grey': buildPng({ colorType: 0 }),
  'a PNG of one bit': buildPng({ colorType: 0, depth: 1 }),
  'a PNG of 16 bits': buildPng({ colorType: 2, depth: 16 }),
  'a PNG with a palette': buildPng({ colorType: 3, depth: 4 }),
  'a PNG with a transparent palette': buildPng({ colorType: 3, chunks: [transparency] }),
  'a grey PNG with transparency': buildPng({ colorType: 4 }),
  'a PNG with transparency': buildPng({ colorType: 6 }),
  'a PNG of 16 bits with transparency': buildPng({ colorType: 6, depth: 16 }),
  'a PNG of 2000 × 2000 pixels': buildPng({
    width: 2000,
    height: 2000,
    colorType: 6,
    pixels: Buffer.alloc(8001 * 2000),
  }),
  'a JPEG': buildJpeg(),
  'a progressive JPEG in grey': buildJpeg({ components: 1, frame: 0xc2 }),
};

describe('accepts and shows', () => {
  let renderer: PdfRenderer;
  beforeAll(() => {
    buildDocuments();
    renderer = createPdfRenderer();
  });
  afterAll(async () => renderer.close());

  const images = Object.entries(accepted).map(([name, image], index) => ({ name, image, index }));
  it.each(sampledInCore(sampled(images, 2), 3))('$name', async ({ name, image, index }) => {
    const logo = await parseLogo(image.toString('base64'), 'seller.logo');
    expect(logo).toEqual({
      contentType: name.includes('JPEG') ? 'image/jpeg' : 'image/png',
      base64: image.toString('base64'),
      sha256: createHash('sha256').update(image).digest('hex'),
    });
    for (const record of sampled([plainRecord, persian], 2, index)) {
      const shown = { ...record, seller: { ...record.seller, logo } };
      const bytes = await renderer.render({ record: shown });
      const file = await readPdf(bytes);
      expect((await listRoles(file, 1)).filter((role) => role === 'Figure').length).toBeGreaterThan(0);
      expect(file.objects).toContain('/Subtype /Image');
      expect(file.objects).not.toContain('/DeviceCMYK');
      expect(bytes.equals(await renderer.render({ record: shown }))).toBe(true);
    }
  });
});
