/** How the pages and mails for a tenant's customers look. */
import * as z from 'zod';
import { parseLogo, type CheckedLogo } from '../documents/logo.ts';
import { refuse } from '../lib/errors.ts';
import { coded } from '../lib/issueCodes.ts';
import { httpUrl } from '../lib/validation.ts';
import type { Branding } from '../storage/model/common.ts';
import { storeLogo } from './logos.ts';
import { printedLine } from './parties.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

const link = httpUrl.nullish().transform((url) => url || null);

/** A branding in a request. The icon, omitted, stays unchanged. */
export const branding = z.object({
  displayName: printedLine,
  color: z
    .string()
    .trim()
    .toLowerCase()
    .refine(
      (text) => /^#[0-9a-f]{6}$/.test(text),
      coded('must be a colour as # and six hexadecimal digits, such as #14663f', 'not_a_color'),
    )
    .nullish()
    .transform((color) => color ?? null),
  favicon: z.string().nullish(),
  termsUrl: link,
  privacyUrl: link,
  supportUrl: link,
  supportEmail: z
    .email('must be an e-mail address')
    .max(254, 'must be at most 254 characters')
    .nullish()
    .transform((address) => address ?? null),
});

/**
 * Checks the icon of a branding in a request; undefined if it has none. It takes a while, so units of work get the
 * result. Error: `validation_failed`.
 */
export async function parseFavicon(
  wanted: { favicon?: string | null } | null | undefined,
): Promise<CheckedLogo | undefined> {
  const favicon = wanted?.favicon;
  if (typeof favicon !== 'string') return undefined;
  const path = 'branding.favicon';
  const image = await parseLogo(favicon, path);
  if (image.contentType !== 'image/png')
    refuse('validation_failed', { path, message: 'must be a PNG image', code: 'not_a_png' });
  return image;
}

/** Returns the column of a tenant for a branding, and stores its icon, which `parseFavicon` has checked. */
export async function changeBranding(
  unit: UnitOfWork,
  wanted: z.output<typeof branding> | null | undefined,
  image: CheckedLogo | undefined,
): Promise<{ branding?: Branding | null }> {
  if (wanted === undefined) return {};
  if (wanted === null) return { branding: null };
  const { favicon, ...fields } = wanted;
  const known = favicon === undefined ? (unit.tenant.branding?.faviconId ?? null) : null;
  return { branding: { ...fields, faviconId: image ? await storeLogo(unit, image) : known } };
}
