/** Logos on documents: PNG and JPEG images of bounded size, and nothing that a viewer could execute or fetch. */
import { createHash } from 'node:crypto';
import { refuse } from '../lib/errors.ts';
import { readJpeg } from './jpeg.ts';
import { hasAllPixels, readPng } from './png.ts';
import type { DocumentLogo } from './record.ts';

const largestBytes = 200 * 1024;
const largestSide = 2000;

/** A logo that documents can show. */
export interface CheckedLogo extends DocumentLogo {
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Checks an image in base64. Error: `validation_failed` for anything but a PNG or JPEG image of at most 200 KiB and
 * 2000 × 2000 pixels, for animations, for JPEG in CMYK, and for damaged images.
 */
export async function parseLogo(base64: string, path: string): Promise<CheckedLogo> {
  const fail = (message: string): never => refuse('validation_failed', { path, message });
  if (base64.length > Math.ceil(largestBytes / 3) * 4) fail('must be at most 200 KiB');
  const isBase64 = base64.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  if (!isBase64) fail('must be an image in base64');
  const image = Buffer.from(base64, 'base64');
  if (image.length > largestBytes) fail('must be at most 200 KiB');
  const isPng = image.subarray(0, 8).equals(pngSignature);
  const isJpeg = image[0] === 0xff && image[1] === 0xd8;
  if (!isPng && !isJpeg) fail('must be a PNG or JPEG image');
  const png = isPng ? readPng(image) : undefined;
  const facts = png ?? readJpeg(image);
  if (typeof facts === 'string') return fail(facts);
  const { width, height } = facts;
  if (width < 1 || height < 1 || width > largestSide || height > largestSide)
    fail(`must have at most ${largestSide} × ${largestSide} pixels, not ${width} × ${height}`);
  if (typeof png === 'object' && !(await hasAllPixels(png))) fail('must be an undamaged image');
  return {
    contentType: isPng ? 'image/png' : 'image/jpeg',
    base64: image.toString('base64'),
    sha256: createHash('sha256').update(image).digest('hex'),
  };
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
