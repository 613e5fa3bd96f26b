/** What the pages show of the seller: name, logo, colour and links. */
import type { Row } from '../../storage/model/rowTypes.ts';

/** The seller on a page. */
export interface Brand {
  name: string;
  /** A colour as `#rrggbb`. */
  color?: string;
  /** The paths of images on this server, without its prefix. */
  logo?: string;
  favicon?: string;
  termsUrl?: string;
  privacyUrl?: string;
  /** A page, or an address as `mailto:`. */
  supportUrl?: string;
}

/** Returns the path of an image of a tenant. It contains the hash of the image, which therefore never changes. */
const buildImagePath = (alias: string, id: string) => `/pages/images/${alias}/${id}`;

/** Returns the brand of a tenant. */
export function findBrand({
  alias,
  name,
  seller,
  branding,
}: Pick<Row<'tenants'>, 'alias' | 'name' | 'seller' | 'branding'>): Brand {
  const logoId = seller?.logoId ?? null;
  const { displayName, color, faviconId, termsUrl, privacyUrl, supportUrl, supportEmail } = branding ?? {};
  const mail = supportEmail ? `mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}` : undefined;
  return {
    name: displayName ?? name,
    color: color ?? undefined,
    logo: logoId === null ? undefined : buildImagePath(alias, logoId),
    favicon: faviconId ? buildImagePath(alias, faviconId) : undefined,
    termsUrl: termsUrl ?? undefined,
    privacyUrl: privacyUrl ?? undefined,
    supportUrl: supportUrl ?? mail,
  };
}
