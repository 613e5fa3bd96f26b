/** Logos on documents: PNG and JPEG images of bounded size. */
import { createHash } from 'node:crypto';
import { refuse } from '../lib/errors.ts';
import type { DocumentLogo } from './record.ts';

const largestBytes = 200 * 1024;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff]);

/** A logo that documents can show. */
export interface CheckedLogo extends DocumentLogo {
  /** Hexadecimal. */
  sha256: string;
}

/** Checks an image in base64. Error: `validation_failed` for anything but a PNG or JPEG image of at most 200 KiB. */
export async function parseLogo(base64: string, path: string): Promise<CheckedLogo> {
  const fail = (message: string): never => refuse('validation_failed', { path, message });
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return fail('must be an image in base64');
  const image = Buffer.from(base64, 'base64');
  if (image.length > largestBytes) return fail('must be at most 200 KiB');
  const isPng = image.subarray(0, pngSignature.length).equals(pngSignature);
  const isJpeg = image.subarray(0, jpegSignature.length).equals(jpegSignature);
  if (!isPng && !isJpeg) return fail('must be a PNG or JPEG image');
  return {
    contentType: isPng ? 'image/png' : 'image/jpeg',
    base64: image.toString('base64'),
    sha256: createHash('sha256').update(image).digest('hex'),
  };
}
